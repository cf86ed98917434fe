#include "report/explain_report.h"

#include <inttypes.h>
#include <string.h>

#include "core/units.h"
#include "report/commands.h"
#include "report/format.h"
#include "report/run_report.h"
#include "report/table.h"

/* A step that takes less is in the waterfall, but not worth a paragraph of its own. */
static const double least_share = 0.03;

char *sdsim_explain_sets(const struct sdsim_whatif *whatif, char *out, size_t size)
{
    size_t used = 0;
    out[0] = '\0';
    for (size_t i = 0; i < whatif->set_count && used < size; i++) {
        used += (size_t)snprintf(out + used, size - used, "%s--set %s", i > 0 ? " " : "",
                                 whatif->sets[i]);
    }
    return out;
}

/* What the calls of the workload are, as it counts them. */
static const char *noun_of(const struct sdsim_workload_params *workload)
{
    return workload->timed == SDSIM_TIMED_PASSES ? "pass"
           : workload->action == SDSIM_DO_LOG    ? "line"
                                                 : "call";
}

/* ---- the head ---- */

static void print_head(const struct sdsim_explain_report *report, const struct sdsim_style *style,
                       FILE *out)
{
    const struct sdsim_explanation *e = report->explanation;
    const struct sdsim_run *run = report->run;
    const bool named = report->run_id != NULL && report->run_id[0] != '\0';
    char text[400];
    char value[48];
    char clock[300];
    fprintf(out, "%s%s%s%s%s\n", sdsim_ink_begin(style, SDSIM_INK_BOLD), report->subject,
            named ? " " : "", named ? report->run_id : "", sdsim_ink_end(style, SDSIM_INK_BOLD));
    if (e->replayed) {
        snprintf(text, sizeof text, "%" PRIu64 " recorded call%s", e->outcome.workload.calls,
                 e->outcome.workload.calls == 1 ? "" : "s");
    } else {
        sdsim_run_workload_text(&e->setup.run, text, sizeof text);
    }
    sdsim_print_wrapped(out, "  workload   ", text);
    snprintf(text, sizeof text, "%s%shost %s, driver %s, card %s",
             run->board_name != NULL ? run->board_name : "", run->board_name != NULL ? ": " : "",
             run->host_name, run->driver_name, run->card_name);
    sdsim_print_wrapped(out, "  on         ", text);
    snprintf(text, sizeof text, "%s, %s", sdsim_bus_text(e->setup.run.bus),
             sdsim_setup_explain_clock(&e->setup, clock, sizeof clock));
    sdsim_print_wrapped(out, "  bus        ", text);
    snprintf(text, sizeof text, "%s%s", sdsim_metric_prefix(e->outcome.metric),
             sdsim_print_value(e->outcome.metric, e->outcome.value, value, sizeof value));
    sdsim_print_wrapped(out, "  predicted  ", text);
}

static void print_verdicts(const struct sdsim_explanation *e, const struct sdsim_style *style,
                           FILE *out)
{
    fputc('\n', out);
    for (size_t i = 0; i < e->verdict_count; i++) {
        const struct sdsim_layer_verdict *verdict = &e->verdicts[i];
        const enum sdsim_ink ink = verdict->cause ? SDSIM_INK_BOLD : SDSIM_INK_PLAIN;
        fputs(sdsim_ink_begin(style, ink), out);
        sdsim_print_wrapped(out, verdict->cause ? "  = " : "  - ", verdict->text);
        fputs(sdsim_ink_end(style, ink), out);
    }
}

/* ---- the waterfall ---- */

static bool print_waterfall(const struct sdsim_explanation *e, const struct sdsim_style *style,
                            FILE *out)
{
    const struct sdsim_waterfall *waterfall = &e->waterfall;
    const bool rate = waterfall->metric != SDSIM_METRIC_TIME;
    const struct sdsim_column columns[] = {
        {"from the raw bus down", false, false},
        {"time", true, false},
        {"share", true, false},
        {rate ? "at most" : "a call so far", true, false},
        {"layer", false, false},
    };
    const struct sdsim_time_scale scale = sdsim_time_scale(waterfall->total);
    const uint64_t total = (waterfall->total + scale.quantum / 2) / scale.quantum;
    uint64_t times[SDSIM_LOSS_COUNT];
    uint64_t quanta[SDSIM_LOSS_COUNT];
    uint64_t permille[SDSIM_LOSS_COUNT];
    for (size_t i = 0; i < waterfall->count; i++) {
        times[i] = waterfall->steps[i].time;
    }
    sdsim_apportion(times, waterfall->count, total, quanta);
    sdsim_apportion(times, waterfall->count, 1000, permille);
    struct sdsim_table table;
    sdsim_table_init(&table, columns, sizeof columns / sizeof *columns);
    table.indent = 2;
    for (size_t i = 0; i < waterfall->count; i++) {
        const struct sdsim_waterfall_step *step = &waterfall->steps[i];
        char text[48];
        sdsim_table_cell(&table, SDSIM_INK_PLAIN, "%s%s", i > 0 ? "+ " : "", step->title);
        sdsim_table_cell(&table, SDSIM_INK_PLAIN, "%s",
                         sdsim_print_quanta(&scale, quanta[i], text, sizeof text));
        sdsim_table_cell(&table, SDSIM_INK_PLAIN, "%" PRIu64 ".%" PRIu64 "%%", permille[i] / 10,
                         permille[i] % 10);
        sdsim_table_cell(&table, SDSIM_INK_PLAIN, "%s",
                         sdsim_print_value(waterfall->metric, step->ceiling, text, sizeof text));
        sdsim_table_cell(&table, SDSIM_INK_PLAIN, "%s", sdsim_layer_name(step->layer));
    }
    char text[48];
    sdsim_table_cell(&table, SDSIM_INK_BOLD, "%s", "= the run");
    sdsim_table_cell(&table, SDSIM_INK_BOLD, "%s",
                     sdsim_print_quanta(&scale, total, text, sizeof text));
    sdsim_table_cell(&table, SDSIM_INK_BOLD, "%s", "100.0%");
    sdsim_table_cell(&table, SDSIM_INK_BOLD, "%s",
                     sdsim_print_value(waterfall->metric,
                                       waterfall->steps[waterfall->count - 1].ceiling, text,
                                       sizeof text));
    sdsim_table_cell(&table, SDSIM_INK_PLAIN, "%s", "");
    fputc('\n', out);
    const bool printed = sdsim_table_print(&table, style, out);
    sdsim_table_free(&table);
    return printed;
}

/* The steps that count, the largest first: rule and tells. */
static void print_causes(const struct sdsim_explanation *e, const struct sdsim_style *style,
                         FILE *out)
{
    bool told[SDSIM_LOSS_COUNT] = {false};
    fprintf(out, "\n%swhat makes the steps, and what gives them away%s\n",
            sdsim_ink_begin(style, SDSIM_INK_BOLD), sdsim_ink_end(style, SDSIM_INK_BOLD));
    for (;;) {
        const struct sdsim_waterfall_step *largest = NULL;
        for (size_t i = 0; i < e->waterfall.count; i++) {
            const struct sdsim_waterfall_step *step = &e->waterfall.steps[i];
            const bool counts =
                step->share >= least_share || sdsim_explain_tell(e, step->loss) != NULL;
            if (!told[step->loss] && counts && (largest == NULL || step->time > largest->time)) {
                largest = step;
            }
        }
        if (largest == NULL) {
            break;
        }
        char text[SDSIM_RULE_SIZE + 64];
        told[largest->loss] = true;
        snprintf(text, sizeof text, "%s (%.1f%%, %s): %s", largest->title, 100.0 * largest->share,
                 sdsim_layer_name(largest->layer), largest->rule);
        sdsim_print_wrapped(out, "  ", text);
        for (size_t i = 0; i < e->tell_count; i++) {
            if (e->tells[i].loss == largest->loss) {
                sdsim_print_wrapped(out, "    > ", e->tells[i].text);
            }
        }
    }
    for (size_t i = 0; i < e->tell_count; i++) {
        if (!told[e->tells[i].loss]) { /* of a step that takes no time */
            sdsim_print_wrapped(out, "  > ", e->tells[i].text);
        }
    }
}

/* ---- suspects ---- */

/* Without what lies between the calls: where a producer sets the pace, a faster card only idles more. */
static sdsim_ps busy_time(const struct sdsim_workload_result *result)
{
    return sdsim_time_since(result->elapsed, sdsim_account_kind(&result->account, SDSIM_IDLE));
}

/* What the card makes the host wait for between the sectors of a command, and for a command: the
 * evidence for or against "a wait between sectors". */
static void print_waits(const struct sdsim_explanation *e, FILE *out)
{
    const struct sdsim_probe *between = &e->probes[SDSIM_PROBE_NO_SECTOR_WAIT];
    const struct sdsim_probe *first = &e->probes[SDSIM_PROBE_NO_FIRST_WAIT];
    const struct sdsim_workload_result *workload = &e->outcome.workload;
    const struct sdsim_counters *counters = &workload->counters;
    const uint64_t commands = sdsim_read_commands(counters) + sdsim_write_commands(counters);
    const uint64_t sectors = counters->blocks_read + counters->blocks_written;
    if (!between->there || !first->there || commands == 0 || sectors <= commands) {
        return;
    }
    char each[2][32];
    char text[300];
    const sdsim_ps busy = busy_time(workload);
    sdsim_print_time(sdsim_time_since(busy, busy_time(&between->outcome.workload)) /
                         (sectors - commands),
                     each[0], sizeof each[0]);
    sdsim_print_time(sdsim_time_since(busy, busy_time(&first->outcome.workload)) / commands,
                     each[1], sizeof each[1]);
    snprintf(text, sizeof text,
             "the card makes the host wait %s between two sectors of a command, and %s for each of "
             "%" PRIu64 " commands",
             each[0], each[1], commands);
    sdsim_print_wrapped(out, "  ", text);
}

static bool print_suspects(const struct sdsim_explanation *e, const struct sdsim_style *style,
                           FILE *out)
{
    char each[16];
    snprintf(each, sizeof each, "a %s", noun_of(&e->setup.run.workload));
    const struct sdsim_column columns[] = {
        {"if this took no time", false, false},
        {"it would be", true, false},
        {"gain", true, false},
        {each, true, false},
        {"so", false, false},
    };
    struct sdsim_table table;
    sdsim_table_init(&table, columns, sizeof columns / sizeof *columns);
    table.indent = 2;
    for (size_t i = 0; i < e->suspect_count; i++) {
        const struct sdsim_suspect *suspect = &e->suspects[i];
        char text[48];
        sdsim_table_cell(&table, SDSIM_INK_PLAIN, "%s", suspect->title);
        sdsim_table_cell(&table, SDSIM_INK_PLAIN, "%s",
                         sdsim_print_value(suspect->metric, suspect->value, text, sizeof text));
        sdsim_table_cell(&table, SDSIM_INK_PLAIN, "%s",
                         sdsim_print_gain(suspect->gain, text, sizeof text));
        sdsim_table_cell(&table, SDSIM_INK_PLAIN, "%s",
                         sdsim_print_time(suspect->call, text, sizeof text));
        sdsim_table_cell(&table,
                         suspect->gain >= SDSIM_EXPLAIN_IT_IS ? SDSIM_INK_BOLD : SDSIM_INK_PLAIN,
                         "%s", sdsim_suspect_word(suspect->gain));
    }
    fputc('\n', out);
    const bool printed = sdsim_table_print(&table, style, out);
    sdsim_table_free(&table);
    print_waits(e, out);
    return printed;
}

/* ---- what-ifs ---- */

static void print_whatif(const struct sdsim_whatif *whatif, size_t rank,
                         const struct sdsim_style *style, FILE *out)
{
    char value[48];
    char gain[24];
    char first[48];
    char text[400];
    char sets[SDSIM_WHATIF_SETS * 80];
    char interval[64] = "";
    sdsim_print_value(whatif->outcome.metric, whatif->outcome.value, value, sizeof value);
    sdsim_print_gain(whatif->gain, gain, sizeof gain);
    if (whatif->drawn) {
        char low[24];
        char high[24];
        sdsim_print_gain(whatif->low, low, sizeof low);
        sdsim_print_gain(whatif->high, high, sizeof high);
        snprintf(interval, sizeof interval, " (90%%: %s..%s)", low, high);
    }
    snprintf(text, sizeof text, "%s%s%s: %s", sdsim_metric_prefix(whatif->outcome.metric), value,
             interval, whatif->title);
    snprintf(first, sizeof first, "%3zu %8s  ", rank, gain);
    fputs(sdsim_ink_begin(style, SDSIM_INK_BOLD), out);
    sdsim_print_wrapped(out, first, text);
    fputs(sdsim_ink_end(style, SDSIM_INK_BOLD), out);
    snprintf(first, sizeof first, "%14s", "");
    sdsim_print_wrapped(out, first, sdsim_explain_sets(whatif, sets, sizeof sets));
    snprintf(text, sizeof text, "cost: %s; risk: %s", whatif->cost, whatif->risk);
    sdsim_print_wrapped(out, first, text);
}

/* Of data that arrive by themselves the rate says little: what matters is the RAM. */
static void print_buffer_hint(const struct sdsim_explain_report *report, FILE *out)
{
    const struct sdsim_explanation *e = report->explanation;
    char text[300];
    if (e->replayed || e->setup.run.workload.action != SDSIM_DO_STREAM) {
        return;
    }
    snprintf(text, sizeof text,
             "how much RAM its stalls need, and what shortens them: sdsim buffer %s%s%s",
             report->run->scenario, report->run_id != NULL && report->run_id[0] != '\0' ? " " : "",
             report->run_id != NULL ? report->run_id : "");
    sdsim_print_wrapped(out, "  ", text);
}

static void print_whatifs(const struct sdsim_explain_report *report,
                          const struct sdsim_style *style, FILE *out)
{
    const struct sdsim_explanation *e = report->explanation;
    fprintf(out, "\n%swhat would change it%s\n", sdsim_ink_begin(style, SDSIM_INK_BOLD),
            sdsim_ink_end(style, SDSIM_INK_BOLD));
    if (e->whatif_count == 0) {
        fputs("  nothing that is known here brings 1% or more\n", out);
        print_buffer_hint(report, out);
        return;
    }
    for (size_t i = 0; i < e->whatif_count; i++) {
        print_whatif(&e->whatifs[i], i + 1, style, out);
    }
    char sets[SDSIM_WHATIF_SETS * 80];
    char text[700];
    snprintf(text, sizeof text, "%s %s", report->again,
             sdsim_explain_sets(&e->whatifs[0], sets, sizeof sets));
    fputs("\n  the first of them again:\n", out);
    sdsim_print_wrapped(out, "    ", text);
    print_buffer_hint(report, out);
}

bool sdsim_explain_report_print(const struct sdsim_explain_report *report,
                                const struct sdsim_style *style, FILE *out)
{
    print_head(report, style, out);
    print_verdicts(report->explanation, style, out);
    if (!print_waterfall(report->explanation, style, out)) {
        return false;
    }
    print_causes(report->explanation, style, out);
    if (!print_suspects(report->explanation, style, out)) {
        return false;
    }
    print_whatifs(report, style, out);
    return true;
}

/* ---- several runs ---- */

bool sdsim_explain_report_list(const struct sdsim_explain_report *reports, size_t count,
                               const struct sdsim_style *style, FILE *out)
{
    static const struct sdsim_column columns[] = {
        {"run", false, false},
        {"predicted", true, false},
        {"it is", false, false},
        {"gain", true, false},
        {"by the first what-if", false, true},
    };
    struct sdsim_table table;
    sdsim_table_init(&table, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < count; i++) {
        const struct sdsim_explanation *e = reports[i].explanation;
        char text[48];
        const bool cause = e->verdict_count > 0 && e->verdicts[0].cause;
        sdsim_table_cell(&table, SDSIM_INK_PLAIN, "%s", sdsim_run_label(reports[i].run));
        sdsim_table_cell(&table, SDSIM_INK_BOLD, "%s",
                         sdsim_print_value(e->outcome.metric, e->outcome.value, text, sizeof text));
        sdsim_table_cell(&table, SDSIM_INK_PLAIN, "%s",
                         cause ? sdsim_verdict_about_name(e->verdicts[0].about) : "");
        sdsim_table_cell(
            &table, SDSIM_INK_PLAIN, "%s",
            e->whatif_count > 0 ? sdsim_print_gain(e->whatifs[0].gain, text, sizeof text) : "");
        sdsim_table_cell(&table, SDSIM_INK_PLAIN, "%s",
                         e->whatif_count > 0 ? e->whatifs[0].title : "nothing brings 1%");
    }
    const bool printed = sdsim_table_print(&table, style, out);
    sdsim_table_free(&table);
    return printed;
}
