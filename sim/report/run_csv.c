#include "core/csv.h"
#include "report/run_report.h"

/* One line while it is made: texts of others, or numbers printed here. */
#define FIELDS 48

struct line {
    const char *fields[FIELDS];
    char texts[FIELDS][32];
    size_t count;
};

static void add(struct line *line, const char *text)
{
    line->fields[line->count++] = text;
}

static void add_count(struct line *line, uint64_t value)
{
    snprintf(line->texts[line->count], sizeof line->texts[0], "%llu", (unsigned long long)value);
    add(line, line->texts[line->count]);
}

static void add_number(struct line *line, double value)
{
    add(line, sdsim_number_text(value, line->texts[line->count], sizeof line->texts[0]));
}

static void add_seconds(struct line *line, sdsim_ps time)
{
    add(line, sdsim_seconds_text(time, line->texts[line->count], sizeof line->texts[0]));
}

static void add_names(struct line *line, const struct sdsim_run_report *report)
{
    const struct sdsim_run *run = report->run;
    add(line, run->scenario);
    add(line, sdsim_run_label(run));
    add(line, run->board_name);
    add(line, run->host_name);
    add(line, run->driver_name);
    add(line, run->card_name);
    add(line, sdsim_bus_word(report->setup->run.bus));
    add_count(line, report->setup->asked_hz);
    add_number(line, report->prediction.typical.bus_hz);
}

static void add_prediction(struct line *line, const struct sdsim_run_report *report)
{
    const struct sdsim_prediction *prediction = &report->prediction;
    const struct sdsim_verdict *verdict = &report->verdict;
    add(line, sdsim_metric_name(prediction->typical.metric));
    add(line, sdsim_metric_unit(prediction->typical.metric));
    add_number(line, prediction->typical.value);
    add_number(line, prediction->low);
    add_number(line, prediction->high);
    add_count(line, prediction->draws);
    if (!verdict->given) {
        for (int i = 0; i < 5; i++) {
            add(line, NULL);
        }
        return;
    }
    add_number(line, verdict->low);
    add_number(line, verdict->high);
    add_number(line, verdict->error);
    if (!verdict->judged) {
        add(line, NULL);
        add(line, NULL);
        return;
    }
    add_number(line, verdict->tolerance);
    add(line, verdict->within ? "true" : "false");
}

static void add_result(struct line *line, const struct sdsim_run_report *report)
{
    const struct sdsim_workload_result *result = &report->prediction.typical.workload;
    add_seconds(line, result->elapsed);
    add_count(line, result->calls);
    add_count(line, result->bytes);
    add_seconds(line, report->prediction.typical.init_time);
    for (int kind = 0; kind < SDSIM_KIND_COUNT; kind++) {
        add_seconds(line, sdsim_account_kind(&result->account, (enum sdsim_kind)kind));
    }
    add_count(line, result->counters.blocks_read);
    add_count(line, result->counters.blocks_written);
    add_count(line, result->counters.bus_clocks);
    add_seconds(line, result->calls > 0 ? result->in_calls / result->calls : 0);
    add_seconds(line, result->shortest_call);
    add_seconds(line, result->longest_call);
    add_seconds(line, result->counters.longest_wait);
}

static void print_head(FILE *out)
{
    static const char *const first[] = {
        "scenario",  "id",       "board",   "host",         "driver",        "card",
        "bus",       "asked_hz", "real_hz", "metric",       "unit",          "predicted",
        "low",       "high",     "draws",   "measured_low", "measured_high", "error",
        "tolerance", "within",   "seconds", "calls",        "bytes",         "init_seconds"};
    static const char *const last[] = {"sectors_read", "sectors_written", "bus_clocks",
                                       "mean_call",    "shortest_call",   "longest_call",
                                       "longest_wait"};
    struct line line = {.count = 0};
    for (size_t i = 0; i < sizeof first / sizeof *first; i++) {
        add(&line, first[i]);
    }
    for (int kind = 0; kind < SDSIM_KIND_COUNT; kind++) {
        add(&line, sdsim_kind_name((enum sdsim_kind)kind));
    }
    for (size_t i = 0; i < sizeof last / sizeof *last; i++) {
        add(&line, last[i]);
    }
    sdsim_csv_line(out, line.fields, line.count);
}

void sdsim_run_report_csv(const struct sdsim_run_report *reports, size_t count, FILE *out)
{
    print_head(out);
    for (size_t i = 0; i < count; i++) {
        struct line line = {.count = 0};
        add_names(&line, &reports[i]);
        add_prediction(&line, &reports[i]);
        add_result(&line, &reports[i]);
        sdsim_csv_line(out, line.fields, line.count);
    }
}
