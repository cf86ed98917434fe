/*
 * One run on the page.
 */
#include <inttypes.h>
#include <string.h>

#include "core/units.h"
#include "report/buffer_words.h"
#include "report/commands.h"
#include "report/format.h"
#include "report/html.h"
#include "report/page.h"
#include "report/readings.h"
#include "report/stream_report.h"
#include "setup/clocks.h"

/* ---- the head ---- */

static void big(FILE *out, const char *value, const char *what)
{
    fputs("<div><b>", out);
    sdsim_html_text(out, value);
    fputs("</b><span>", out);
    sdsim_html_text(out, what);
    fputs("</span></div>", out);
}

static void headline(const struct sdsim_page_run *run, FILE *out)
{
    const struct sdsim_run_report *report = run->report;
    const struct sdsim_prediction *prediction = &report->prediction;
    const enum sdsim_metric metric = prediction->typical.metric;
    char value[48];
    char what[120];
    char error[24];
    char judgement[48];
    fputs("<div class=\"big\">", out);
    sdsim_print_interval(metric, prediction->low, prediction->high, value, sizeof value);
    snprintf(what, sizeof what, "%spredicted%s%s", sdsim_metric_prefix(metric),
             prediction->draws > 0 ? ", 90% in " : "", prediction->draws > 0 ? value : "");
    big(out, sdsim_print_value(metric, prediction->typical.value, value, sizeof value), what);
    if (report->verdict.given) {
        sdsim_print_error(report->verdict.error, error, sizeof error);
        snprintf(what, sizeof what, "measured; the prediction is off by %s, %s", error,
                 sdsim_judgement(&report->verdict, judgement, sizeof judgement));
        big(out,
            sdsim_print_interval(metric, report->verdict.low, report->verdict.high, value,
                                 sizeof value),
            what);
    }
    if (metric != SDSIM_METRIC_MAX_LATENCY) { /* which is just that */
        snprintf(what, sizeof what, "longest %s", sdsim_run_noun(report));
        big(out, sdsim_print_time(prediction->typical.workload.longest_call, value, sizeof value),
            what);
    }
    if (report->setup->run.workload.action == SDSIM_DO_STREAM) {
        const struct sdsim_stream_result *stream = &prediction->typical.workload.stream;
        big(out, sdsim_ram_text(stream->highest, value, sizeof value),
            stream->lost > 0 ? "of RAM filled at most, and data were lost"
                             : "of RAM filled at most; what many runs need, sdsim buffer tells");
    }
    fputs("</div>\n", out);
}

static void fact(FILE *out, const char *name, const char *text)
{
    fputs("<dt>", out);
    sdsim_html_text(out, name);
    fputs("</dt><dd>", out);
    sdsim_html_text(out, text);
    fputs("</dd>", out);
}

static void stream_facts(const struct sdsim_run_report *report, FILE *out)
{
    struct sdsim_stream_line lines[SDSIM_STREAM_LINES];
    const size_t count = sdsim_stream_report_lines(&report->setup->run.workload,
                                                   &report->prediction.typical.workload, lines);
    for (size_t i = 0; i < count; i++) {
        fact(out, lines[i].label, lines[i].text);
    }
}

static void facts(const struct sdsim_page_run *run, FILE *out)
{
    const struct sdsim_run_report *report = run->report;
    char text[400];
    char capacity[32];
    fputs("<dl>", out);
    fact(out, "workload", sdsim_run_workload_text(&report->setup->run, text, sizeof text));
    snprintf(text, sizeof text, "%s%shost %s, driver %s, %s",
             report->run->board_name != NULL ? report->run->board_name : "",
             report->run->board_name != NULL ? ": " : "", report->run->host_name,
             report->run->driver_name, sdsim_bus_text(report->setup->run.bus));
    fact(out, "board", text);
    sdsim_unit_print(SDSIM_UNIT_SIZE, (double)report->setup->card.capacity, capacity,
                     sizeof capacity);
    snprintf(text, sizeof text, "%s, %s", report->run->card_name, capacity);
    fact(out, "card", text);
    fact(out, "clock", sdsim_setup_explain_clock(report->setup, text, sizeof text));
    stream_facts(report, out);
    fputs("</dl>\n", out);
}

static void readings(const struct sdsim_page_run *run, FILE *out)
{
    struct sdsim_readings list;
    sdsim_readings(run->report, &list);
    fputs(list.count > 0 ? "<ul class=\"say\">\n" : "", out);
    for (size_t i = 0; i < list.count; i++) {
        fputs("<li>", out);
        sdsim_html_text(out, list.text[i]);
        fputs("</li>\n", out);
    }
    fputs(list.count > 0 ? "</ul>\n" : "", out);
}

/* ---- the waterfall ---- */

/* A piece of a bar. */
static void piece(const struct sdsim_waterfall *waterfall, const struct sdsim_waterfall_step *step,
                  FILE *out)
{
    const double total = (double)waterfall->total;
    fprintf(out, "<i class=\"l-%s\" style=\"left:%.3f%%;width:%.3f%%\"></i>",
            sdsim_layer_name(step->layer), 100 * (double)(step->until - step->time) / total,
            100 * (double)step->time / total);
}

/* The cause of a step, and what one would see of it on the bench. */
static void causes(const struct sdsim_explanation *explanation,
                   const struct sdsim_waterfall_step *step, FILE *out)
{
    fputs("<span class=\"rule\">", out);
    sdsim_html_text(out, step->rule);
    for (size_t i = 0; i < explanation->tell_count; i++) {
        if (explanation->tells[i].loss == step->loss) {
            fputs("<span class=\"tell\">", out);
            sdsim_html_text(out, explanation->tells[i].text);
            fputs("</span>", out);
        }
    }
    fputs("</span>", out);
}

static void step(const struct sdsim_explanation *explanation,
                 const struct sdsim_waterfall_step *step, FILE *out)
{
    const struct sdsim_waterfall *waterfall = &explanation->waterfall;
    char text[48];
    fputs("<li><span>", out);
    sdsim_html_text(out, step->title);
    fputs("</span><span class=\"track\">", out);
    piece(waterfall, step, out);
    fputs("</span><span class=\"n\">", out);
    sdsim_html_text(out, sdsim_print_time(step->time, text, sizeof text));
    fputs("</span><span class=\"n\">", out);
    sdsim_html_text(out, sdsim_print_share(step->share, text, sizeof text));
    fputs("</span><span class=\"n ceil\">", out);
    sdsim_html_text(out, sdsim_print_value(waterfall->metric, step->ceiling, text, sizeof text));
    fputs("</span>", out);
    causes(explanation, step, out);
    fputs("</li>\n", out);
}

static void waterfall(const struct sdsim_page_run *run, FILE *out)
{
    const struct sdsim_waterfall *waterfall = &run->explanation->waterfall;
    bool there[SDSIM_LAYER_COUNT] = {false};
    char text[48];
    if (waterfall->total == 0) {
        return;
    }
    fputs("<h4>Where the time goes</h4>\n<ol class=\"fall\">\n<li "
          "class=\"head\"><span>step</span><span>"
          "</span><span class=\"n\">time</span><span class=\"n\">share</span>"
          "<span class=\"n\">ceiling</span></li>\n",
          out);
    for (size_t i = 0; i < waterfall->count; i++) {
        step(run->explanation, &waterfall->steps[i], out);
        there[waterfall->steps[i].layer] = true;
    }
    fputs("<li class=\"sum\"><span>total</span><span class=\"track\">", out);
    for (size_t i = 0; i < waterfall->count; i++) {
        piece(waterfall, &waterfall->steps[i], out);
    }
    fputs("</span><span class=\"n\">", out);
    sdsim_html_text(out, sdsim_print_time(waterfall->total, text, sizeof text));
    fputs("</span><span class=\"n\">100%</span><span class=\"n\"></span></li>\n</ol>\n"
          "<p class=\"legend\">",
          out);
    for (int layer = 0; layer < SDSIM_LAYER_COUNT; layer++) {
        if (there[layer]) {
            const char *name = sdsim_layer_name((enum sdsim_layer)layer);
            fprintf(out, "<span><i class=\"l-%s\"></i>%s</span>", name, name);
        }
    }
    const bool rate =
        waterfall->metric == SDSIM_METRIC_THROUGHPUT || waterfall->metric == SDSIM_METRIC_LINES;
    fprintf(
        out,
        "</p>\n<p class=\"note\">A step's ceiling is what%s would be if all steps below it took "
        "no time.</p>\n",
        rate ? " the rate" : " the mean of all calls");
}

/* ---- how long calls take ---- */

static void stat(FILE *out, const char *name, const char *text)
{
    fputs("<div><dt>", out);
    sdsim_html_text(out, name);
    fputs("</dt><dd>", out);
    sdsim_html_text(out, text);
    fputs("</dd></div>", out);
}

static void quantiles(const struct sdsim_page_run *run, FILE *out)
{
    static const struct {
        const char *name;
        unsigned per_mille;
        uint64_t calls; /* at least so many, or it says nothing */
    } rows[] = {{"median", 500, 2}, {"90%", 900, 10}, {"99%", 990, 100}, {"99.9%", 999, 1000}};
    const struct sdsim_histogram *calls = run->calls;
    char text[48];
    fputs("<dl class=\"stats\">", out);
    snprintf(text, sizeof text, "%" PRIu64, calls->count);
    stat(out, "count", text);
    stat(out, "mean", sdsim_print_time(calls->sum / calls->count, text, sizeof text));
    stat(out, "shortest", sdsim_print_time(calls->least, text, sizeof text));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (calls->count >= rows[i].calls) {
            stat(out, rows[i].name,
                 sdsim_print_time(sdsim_histogram_quantile(calls, rows[i].per_mille), text,
                                  sizeof text));
        }
    }
    stat(out, "longest", sdsim_print_time(calls->most, text, sizeof text));
    fputs("</dl>\n", out);
}

static void figure(FILE *out, const char *svg, const char *caption)
{
    if (svg != NULL) {
        fputs("<figure>", out);
        (void)sdsim_html_picture(out, svg, caption);
        fputs("<figcaption>", out);
        sdsim_html_text(out, caption);
        fputs("</figcaption></figure>\n", out);
    }
}

static void latency(const struct sdsim_page_run *run, FILE *out)
{
    if (run->calls == NULL || run->calls->count == 0) {
        return;
    }
    char heading[40];
    snprintf(heading, sizeof heading, "How long a %s takes", sdsim_run_noun(run->report));
    fputs("<h4>", out);
    sdsim_html_text(out, heading);
    fputs("</h4>\n", out);
    quantiles(run, out);
    if (run->histogram_picture != NULL) {
        fputs("<div class=\"pair\">\n", out);
        figure(out, run->histogram_picture,
               "How many took how long, in the typical run; both axes are logarithmic.");
        figure(out, run->percentile_picture,
               "The time that a share of them does not exceed; the longest is at the right end.");
        fputs("</div>\n", out);
    }
}

/* ---- what was done when ---- */

char *sdsim_page_class(enum sdsim_lane lane, uint8_t class, char *out, size_t size)
{
    if (lane == SDSIM_LANE_QUEUE) { /* whose classes are called "10%" */
        snprintf(out, size, "c-level-%u", (unsigned)class);
    } else {
        snprintf(out, size, "c-%s", sdsim_lane_info(lane)->called[class]);
    }
    return out;
}

/* A lane as one path for each class: "M12 0h3v1h-3z" for columns 12 to 14. */
static void lane(const struct sdsim_strip_lane *row, FILE *out)
{
    const struct sdsim_lane_info *info = sdsim_lane_info(row->lane);
    for (uint8_t class = 0; class < info->classes; class ++) {
        char name[32];
        bool open = false;
        for (unsigned c = 0; c < SDSIM_STRIP_COLUMNS;) {
            unsigned run = 0;
            while (c + run < SDSIM_STRIP_COLUMNS && row->classes[c + run] == class) {
                run++;
            }
            if (run > 0) {
                if (!open) {
                    fprintf(out, "<path class=\"%s\" d=\"",
                            sdsim_page_class(row->lane, class, name, sizeof name));
                    open = true;
                }
                fprintf(out, "M%u 0h%uv1h-%uz", c, run, run);
            }
            c += run > 0 ? run : 1;
        }
        fputs(open ? "\"/>" : "", out);
    }
}

static void legend(const struct sdsim_strip *strip, FILE *out)
{
    const char *said[SDSIM_LANE_COUNT * SDSIM_CLASSES];
    size_t count = 0;
    fputs("<p class=\"legend\">", out);
    for (size_t l = 0; l < strip->count; l++) {
        const struct sdsim_lane_info *info = sdsim_lane_info(strip->lanes[l].lane);
        for (uint8_t class = 0; class < info->classes; class ++) {
            char name[32];
            bool there = memchr(strip->lanes[l].classes, class, SDSIM_STRIP_COLUMNS) != NULL;
            for (size_t s = 0; s < count; s++) {
                there = there && strcmp(said[s], info->called[class]) != 0;
            }
            if (there) {
                said[count++] = info->called[class];
                fprintf(out, "<span><i class=\"%s\"></i>%s</span>",
                        sdsim_page_class(strip->lanes[l].lane, class, name, sizeof name),
                        info->called[class]);
            }
        }
    }
    fputs("</p>\n", out);
}

static void strip(const struct sdsim_strip *strip, const char *what, sdsim_ps origin, FILE *out)
{
    char from[32];
    char to[32];
    fputs("<p class=\"note keep\">", out);
    sdsim_html_text(out, what);
    fputs("</p>\n<div class=\"strip\">", out);
    for (size_t l = 0; l < strip->count; l++) {
        const char *title = sdsim_lane_info(strip->lanes[l].lane)->title;
        fprintf(out,
                "<span>%s</span><svg viewBox=\"0 0 %d 1\" preserveAspectRatio=\"none\" "
                "role=\"img\" aria-label=\"%s\">",
                title, SDSIM_STRIP_COLUMNS, title);
        lane(&strip->lanes[l], out);
        fputs("</svg>\n", out);
    }
    fputs("<div class=\"scale\"><span>", out);
    sdsim_html_text(out,
                    sdsim_print_time(sdsim_time_since(strip->from, origin), from, sizeof from));
    fputs("</span><span>", out);
    sdsim_html_text(out, sdsim_print_time(sdsim_time_since(strip->to, origin), to, sizeof to));
    fputs("</span></div></div>\n", out);
    legend(strip, out);
}

static void strips(const struct sdsim_page_run *run, FILE *out)
{
    const sdsim_ps origin = run->report->prediction.typical.workload.started;
    const char *noun = sdsim_run_noun(run->report);
    char text[120];
    if (run->whole == NULL && run->longest == NULL) {
        return;
    }
    fputs("<h4>What happens when</h4>\n", out);
    if (run->whole != NULL && run->whole->count > 0) {
        snprintf(text, sizeof text,
                 "All %ss; where several things fall into one column, the one that matters most is "
                 "shown.",
                 strcmp(noun, "pass") == 0 ? "passe" : noun);
        strip(run->whole, text, origin, out);
    }
    if (run->longest != NULL && run->longest->count > 0) {
        const struct sdsim_workload_result *result = &run->report->prediction.typical.workload;
        snprintf(text, sizeof text,
                 "The longest %s, number %" PRIu64 " of %" PRIu64
                 ", with a tenth of it before and behind.",
                 noun, result->longest_call_index + 1, result->calls);
        strip(run->longest, text, run->longest->from, out);
    }
}

/* ---- what would change it ---- */

static void whatif_row(const struct sdsim_whatif *whatif, FILE *out)
{
    char text[64];
    char low[24];
    char high[24];
    fputs("<tr><td class=\"name\">", out);
    sdsim_html_text(out, whatif->title);
    fputs("</td><td class=\"n\" data-k=\"predicted\">", out);
    sdsim_html_text(
        out, sdsim_print_value(whatif->outcome.metric, whatif->outcome.value, text, sizeof text));
    fputs("</td><td class=\"n\" data-k=\"gain\">", out);
    sdsim_html_text(out, sdsim_print_error(whatif->gain, text, sizeof text));
    if (whatif->drawn) {
        sdsim_html_print(out, " (%s..%s)", sdsim_print_error(whatif->low, low, sizeof low),
                         sdsim_print_error(whatif->high, high, sizeof high));
    }
    fputs("</td><td data-k=\"it takes\">", out);
    sdsim_html_text(out, whatif->cost);
    fputs("</td><td data-k=\"risk\">", out);
    sdsim_html_text(out, whatif->risk);
    fputs("</td><td data-k=\"to try it\">", out);
    fputs("<code>", out);
    for (size_t s = 0; s < whatif->set_count; s++) {
        sdsim_html_print(out, "%s--set %s", s > 0 ? " " : "", whatif->sets[s]);
    }
    fputs("</code>", out);
    fputs("</td></tr>\n", out);
}

static void whatifs(const struct sdsim_page_run *run, FILE *out)
{
    const struct sdsim_explanation *explanation = run->explanation;
    fputs("<h4>What would change it</h4>\n", out);
    if (explanation->whatif_count == 0) {
        fputs("<p>Nothing that was tried brings 1% or more.</p>\n", out);
        return;
    }
    fputs("<table><thead><tr><th>change</th><th class=\"n\">predicted</th><th class=\"n\">gain</th>"
          "<th>it takes</th><th>risk</th><th>to try it</th></tr></thead>\n<tbody>\n",
          out);
    for (size_t i = 0; i < explanation->whatif_count; i++) {
        whatif_row(&explanation->whatifs[i], out);
    }
    fputs("</tbody></table>\n", out);
}

/* ---- what it is, and what it is not ---- */

static void verdicts(const struct sdsim_page_run *run, FILE *out)
{
    const struct sdsim_explanation *explanation = run->explanation;
    fputs(explanation->verdict_count > 0 ? "<ul class=\"say\">\n" : "", out);
    for (size_t i = 0; i < explanation->verdict_count; i++) {
        const struct sdsim_layer_verdict *verdict = &explanation->verdicts[i];
        fputs(verdict->cause ? "<li><strong>" : "<li>", out);
        sdsim_html_text(out, verdict->text);
        fputs(verdict->cause ? "</strong></li>\n" : "</li>\n", out);
    }
    fputs(explanation->verdict_count > 0 ? "</ul>\n" : "", out);
}

static void suspects(const struct sdsim_page_run *run, FILE *out)
{
    const struct sdsim_explanation *explanation = run->explanation;
    if (explanation->suspect_count == 0) {
        return;
    }
    fputs("<h4>What is to blame</h4>\n<table><thead><tr><th>if this took no time</th>"
          "<th class=\"n\">it would be</th><th class=\"n\">gain</th><th>so</th></tr></thead>\n"
          "<tbody>\n",
          out);
    for (size_t i = 0; i < explanation->suspect_count; i++) {
        const struct sdsim_suspect *suspect = &explanation->suspects[i];
        char text[48];
        fputs("<tr><td class=\"name\">", out);
        sdsim_html_text(out, suspect->title);
        fputs("</td><td class=\"n\" data-k=\"it would be\">", out);
        sdsim_html_text(out, sdsim_print_value(suspect->metric, suspect->value, text, sizeof text));
        fputs("</td><td class=\"n\" data-k=\"gain\">", out);
        sdsim_html_text(out, sdsim_print_error(suspect->gain, text, sizeof text));
        fputs("</td><td class=\"w\" data-k=\"so\">", out);
        sdsim_html_text(out, sdsim_suspect_word(suspect->gain));
        fputs("</td></tr>\n", out);
    }
    fputs("</tbody></table>\n", out);
}

/* ---- commands ---- */

static void commands(const struct sdsim_page_run *run, FILE *out)
{
    const struct sdsim_workload_result *result = &run->report->prediction.typical.workload;
    struct sdsim_command_use uses[SDSIM_COMMAND_USES];
    const size_t count = sdsim_command_uses(&result->counters, uses);
    if (count == 0) {
        return;
    }
    fprintf(out,
            "<h4>On the bus</h4>\n<table><thead><tr><th>command</th><th>what it does</th>"
            "<th class=\"n\">sent</th><th class=\"n\">a %s</th><th class=\"n\">sectors each</th>"
            "</tr></thead>\n<tbody>\n",
            sdsim_run_noun(run->report));
    for (size_t i = 0; i < count; i++) {
        char text[48];
        fprintf(out, "<tr><td class=\"name\">%s</td><td data-k=\"does\">%s</td>",
                sdsim_command_name(&uses[i], text, sizeof text), sdsim_command_meaning(&uses[i]));
        fprintf(out,
                "<td class=\"n\" data-k=\"sent\">%" PRIu64 "</td><td class=\"n\" data-k=\"a %s\">",
                uses[i].count, sdsim_run_noun(run->report));
        sdsim_html_text(out, sdsim_print_ratio(uses[i].count, result->calls, text, sizeof text));
        fputs("</td><td class=\"n\" data-k=\"sectors each\">", out);
        if (uses[i].sectors > 0) {
            sdsim_html_text(out,
                            sdsim_print_ratio(uses[i].sectors, uses[i].count, text, sizeof text));
        }
        fputs("</td></tr>\n", out);
    }
    fputs("</tbody></table>\n", out);
}

void sdsim_page_run(const struct sdsim_page *page, size_t number, FILE *out)
{
    const struct sdsim_page_run *run = &page->runs[number];
    const struct sdsim_run_report *report = run->report;
    const bool first = number == 0 || page->runs[number - 1].report->scenario != report->scenario;
    char anchor[24];
    sdsim_page_anchor(number, anchor, sizeof anchor);
    fprintf(out, "<section class=\"run%s\" id=\"%s\">\n<h3>", first ? " first" : "", anchor);
    sdsim_html_text(out, sdsim_run_label(report->run));
    fputs("</h3>\n", out);
    headline(run, out);
    facts(run, out);
    if (run->explanation != NULL) {
        verdicts(run, out);
    }
    readings(run, out);
    if (run->explanation != NULL) {
        waterfall(run, out);
        suspects(run, out);
        whatifs(run, out);
    }
    latency(run, out);
    strips(run, out);
    commands(run, out);
    fputs("</section>\n", out);
}
