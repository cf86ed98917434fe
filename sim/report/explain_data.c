#include <inttypes.h>
#include <string.h>

#include "core/csv.h"
#include "report/explain_report.h"
#include "report/run_report.h"

const char *sdsim_verdict_about_name(enum sdsim_verdict_about about)
{
    static const char *const names[] = {
        [SDSIM_VERDICT_CARD] = "card",       [SDSIM_VERDICT_BUS] = "bus",
        [SDSIM_VERDICT_HOST] = "host",       [SDSIM_VERDICT_DRIVER] = "driver",
        [SDSIM_VERDICT_FAT] = "file-system", [SDSIM_VERDICT_PRODUCER] = "producer",
        [SDSIM_VERDICT_NONE] = "mixture",    [SDSIM_VERDICT_OUTSIDE] = "outside",
    };
    return names[about];
}

/* The probe a tell comes from; SDSIM_PROBE_COUNT: the account. */
static enum sdsim_probe_kind probe_of(enum sdsim_tell_kind tell)
{
    static const enum sdsim_probe_kind probes[SDSIM_TELL_COUNT] = {
        [SDSIM_TELL_CLOCK] = SDSIM_PROBE_TWICE_THE_CLOCK,
        [SDSIM_TELL_DIRECTION] = SDSIM_PROBE_OTHER_DIRECTION,
        [SDSIM_TELL_CALL_SIZE] = SDSIM_PROBE_LARGER_CALLS,
        [SDSIM_TELL_CARD] = SDSIM_PROBE_NO_CARD,
        [SDSIM_TELL_OFFSET] = SDSIM_PROBE_NEARER,
        [SDSIM_TELL_PRODUCER] = SDSIM_PROBE_COUNT,
        [SDSIM_TELL_ALIGNMENT] = SDSIM_PROBE_COUNT,
    };
    return probes[tell];
}

/* ---- JSON ---- */

static void write_head(const struct sdsim_explain_report *report, struct sdsim_json *json)
{
    const struct sdsim_explanation *e = report->explanation;
    const struct sdsim_run *run = report->run;
    sdsim_json_text(json, "subject", report->subject);
    sdsim_json_text(json, "id", report->run_id);
    sdsim_json_text(json, "board", run->board_name);
    sdsim_json_text(json, "host", run->host_name);
    sdsim_json_text(json, "driver", run->driver_name);
    sdsim_json_text(json, "card", run->card_name);
    sdsim_json_text(json, "bus", sdsim_bus_word(e->setup.run.bus));
    sdsim_json_number(json, "bus_hz", e->waterfall.bus_hz);
    sdsim_json_text(json, "metric", sdsim_metric_name(e->outcome.metric));
    sdsim_json_text(json, "unit", sdsim_metric_unit(e->outcome.metric));
    sdsim_json_number(json, "predicted", e->outcome.value);
    sdsim_json_seconds(json, "seconds", e->waterfall.total);
    sdsim_json_count(json, "bytes", e->waterfall.bytes);
    sdsim_json_count(json, "calls", e->waterfall.calls);
    sdsim_json_number(json, "raw_rate", e->waterfall.raw_rate);
    sdsim_json_text(json, "ceiling_metric", sdsim_metric_name(e->waterfall.metric));
}

static void write_waterfall(const struct sdsim_explanation *e, struct sdsim_json *json)
{
    sdsim_json_array(json, "waterfall");
    for (size_t i = 0; i < e->waterfall.count; i++) {
        const struct sdsim_waterfall_step *step = &e->waterfall.steps[i];
        sdsim_json_object(json, NULL);
        sdsim_json_text(json, "id", sdsim_loss_name(step->loss));
        sdsim_json_text(json, "title", step->title);
        sdsim_json_text(json, "layer", sdsim_layer_name(step->layer));
        sdsim_json_seconds(json, "seconds", step->time);
        sdsim_json_number(json, "share", step->share);
        sdsim_json_seconds(json, "until_seconds", step->until);
        sdsim_json_number(json, "ceiling", step->ceiling);
        sdsim_json_text(json, "rule", step->rule);
        sdsim_json_array(json, "tells");
        for (size_t t = 0; t < e->tell_count; t++) {
            if (e->tells[t].loss == step->loss) {
                sdsim_json_text(json, NULL, e->tells[t].text);
            }
        }
        sdsim_json_end(json);
        sdsim_json_end(json);
    }
    sdsim_json_end(json);
}

static void write_judgement(const struct sdsim_explanation *e, struct sdsim_json *json)
{
    sdsim_json_array(json, "verdicts");
    for (size_t i = 0; i < e->verdict_count; i++) {
        const struct sdsim_layer_verdict *verdict = &e->verdicts[i];
        sdsim_json_object(json, NULL);
        sdsim_json_text(json, "id", sdsim_verdict_about_name(verdict->about));
        sdsim_json_bool(json, "cause", verdict->cause);
        sdsim_json_number(json, "gain", verdict->gain);
        sdsim_json_text(json, "text", verdict->text);
        sdsim_json_end(json);
    }
    sdsim_json_end(json);
    sdsim_json_array(json, "suspects");
    for (size_t i = 0; i < e->suspect_count; i++) {
        const struct sdsim_suspect *suspect = &e->suspects[i];
        sdsim_json_object(json, NULL);
        sdsim_json_text(json, "id", sdsim_probe_name(suspect->probe));
        sdsim_json_text(json, "title", suspect->title);
        sdsim_json_number(json, "gain", suspect->gain);
        sdsim_json_number(json, "value", suspect->value);
        sdsim_json_text(json, "metric", sdsim_metric_name(suspect->metric));
        sdsim_json_seconds(json, "call_seconds", suspect->call);
        sdsim_json_text(json, "verdict", sdsim_suspect_word(suspect->gain));
        sdsim_json_end(json);
    }
    sdsim_json_end(json);
}

static void write_tells(const struct sdsim_explanation *e, struct sdsim_json *json)
{
    sdsim_json_array(json, "tells");
    for (size_t i = 0; i < e->tell_count; i++) {
        const struct sdsim_tell *tell = &e->tells[i];
        const enum sdsim_probe_kind probe = probe_of(tell->kind);
        sdsim_json_object(json, NULL);
        sdsim_json_text(json, "id", sdsim_tell_name(tell->kind));
        sdsim_json_text(json, "step", sdsim_loss_name(tell->loss));
        if (probe != SDSIM_PROBE_COUNT) {
            sdsim_json_number(json, "gain", e->probes[probe].speed - 1);
        } else {
            sdsim_json_text(json, "gain", NULL);
        }
        sdsim_json_text(json, "text", tell->text);
        sdsim_json_end(json);
    }
    sdsim_json_end(json);
}

static void write_whatif(const struct sdsim_explain_report *report,
                         const struct sdsim_whatif *whatif, struct sdsim_json *json)
{
    char sets[SDSIM_WHATIF_SETS * 80];
    char command[700];
    sdsim_json_object(json, NULL);
    sdsim_json_text(json, "id", sdsim_whatif_name(whatif->kind));
    sdsim_json_text(json, "title", whatif->title);
    sdsim_json_array(json, "set");
    for (size_t i = 0; i < whatif->set_count; i++) {
        sdsim_json_text(json, NULL, whatif->sets[i]);
    }
    sdsim_json_end(json);
    snprintf(command, sizeof command, "%s %s", report->again,
             sdsim_explain_sets(whatif, sets, sizeof sets));
    sdsim_json_text(json, "command", command);
    sdsim_json_number(json, "predicted", whatif->outcome.value);
    sdsim_json_text(json, "metric", sdsim_metric_name(whatif->outcome.metric));
    sdsim_json_number(json, "gain", whatif->gain);
    if (whatif->drawn) {
        sdsim_json_number(json, "low", whatif->low);
        sdsim_json_number(json, "high", whatif->high);
    } else {
        sdsim_json_text(json, "low", NULL);
        sdsim_json_text(json, "high", NULL);
    }
    sdsim_json_text(json, "cost", whatif->cost);
    sdsim_json_text(json, "risk", whatif->risk);
    sdsim_json_end(json);
}

void sdsim_explain_report_json(const struct sdsim_explain_report *report, struct sdsim_json *json)
{
    const struct sdsim_explanation *e = report->explanation;
    sdsim_json_object(json, NULL);
    write_head(report, json);
    write_waterfall(e, json);
    write_judgement(e, json);
    write_tells(e, json);
    sdsim_json_array(json, "whatifs");
    for (size_t i = 0; i < e->whatif_count; i++) {
        write_whatif(report, &e->whatifs[i], json);
    }
    sdsim_json_end(json);
    sdsim_json_count(json, "draws", e->draws);
    sdsim_json_end(json);
}

/* ---- CSV ---- */

/* A line; what does not apply is NULL, or a number below 0 that is none. */
struct line {
    const char *part;
    size_t rank;
    const char *name;
    const char *layer;
    bool timed;
    sdsim_ps time;
    double share;
    bool valued;
    double value;
    enum sdsim_metric metric;
    bool gained;
    double gain;
    const char *set;
    const char *text;
};

void sdsim_explain_report_csv_head(FILE *out)
{
    static const char *const names[] = {"subject", "id",      "part",  "rank",  "name",
                                        "layer",   "seconds", "share", "value", "metric",
                                        "gain",    "set",     "text"};
    sdsim_csv_line(out, names, sizeof names / sizeof *names);
}

static void write_line(const struct sdsim_explain_report *report, const struct line *line,
                       FILE *out)
{
    char rank[24];
    char seconds[32];
    char numbers[3][32];
    snprintf(rank, sizeof rank, "%zu", line->rank);
    const char *const fields[] = {
        report->subject,
        report->run_id,
        line->part,
        rank,
        line->name,
        line->layer,
        line->timed ? sdsim_seconds_text(line->time, seconds, sizeof seconds) : NULL,
        line->timed ? sdsim_number_text(line->share, numbers[0], sizeof numbers[0]) : NULL,
        line->valued ? sdsim_number_text(line->value, numbers[1], sizeof numbers[1]) : NULL,
        line->valued ? sdsim_metric_name(line->metric) : NULL,
        line->gained ? sdsim_number_text(line->gain, numbers[2], sizeof numbers[2]) : NULL,
        line->set,
        line->text,
    };
    sdsim_csv_line(out, fields, sizeof fields / sizeof *fields);
}

static void write_steps(const struct sdsim_explain_report *report, FILE *out)
{
    const struct sdsim_waterfall *waterfall = &report->explanation->waterfall;
    for (size_t i = 0; i < waterfall->count; i++) {
        const struct sdsim_waterfall_step *step = &waterfall->steps[i];
        const struct line line = {.part = "step",
                                  .rank = i + 1,
                                  .name = sdsim_loss_name(step->loss),
                                  .layer = sdsim_layer_name(step->layer),
                                  .timed = true,
                                  .time = step->time,
                                  .share = step->share,
                                  .valued = true,
                                  .value = step->ceiling,
                                  .metric = waterfall->metric,
                                  .text = step->rule};
        write_line(report, &line, out);
    }
}

static void write_found(const struct sdsim_explain_report *report, FILE *out)
{
    const struct sdsim_explanation *e = report->explanation;
    for (size_t i = 0; i < e->verdict_count; i++) {
        const struct line line = {.part = "verdict",
                                  .rank = i + 1,
                                  .name = sdsim_verdict_about_name(e->verdicts[i].about),
                                  .gained = true,
                                  .gain = e->verdicts[i].gain,
                                  .text = e->verdicts[i].text};
        write_line(report, &line, out);
    }
    for (size_t i = 0; i < e->suspect_count; i++) {
        const struct line line = {.part = "suspect",
                                  .rank = i + 1,
                                  .name = sdsim_probe_name(e->suspects[i].probe),
                                  .valued = true,
                                  .value = e->suspects[i].value,
                                  .metric = e->suspects[i].metric,
                                  .gained = true,
                                  .gain = e->suspects[i].gain,
                                  .text = e->suspects[i].title};
        write_line(report, &line, out);
    }
    for (size_t i = 0; i < e->tell_count; i++) {
        const struct line line = {.part = "tell",
                                  .rank = i + 1,
                                  .name = sdsim_tell_name(e->tells[i].kind),
                                  .text = e->tells[i].text};
        write_line(report, &line, out);
    }
}

void sdsim_explain_report_csv(const struct sdsim_explain_report *report, FILE *out)
{
    const struct sdsim_explanation *e = report->explanation;
    write_steps(report, out);
    write_found(report, out);
    for (size_t i = 0; i < e->whatif_count; i++) {
        const struct sdsim_whatif *whatif = &e->whatifs[i];
        char sets[SDSIM_WHATIF_SETS * 80];
        const struct line line = {.part = "whatif",
                                  .rank = i + 1,
                                  .name = sdsim_whatif_name(whatif->kind),
                                  .valued = true,
                                  .value = whatif->outcome.value,
                                  .metric = whatif->outcome.metric,
                                  .gained = true,
                                  .gain = whatif->gain,
                                  .set = sdsim_explain_sets(whatif, sets, sizeof sets),
                                  .text = whatif->title};
        write_line(report, &line, out);
    }
}
