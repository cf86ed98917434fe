#include "report/replay_report.h"

#include <inttypes.h>
#include <string.h>

#include "core/units.h"
#include "core/csv.h"
#include "report/format.h"
#include "report/run_report.h"
#include "report/table.h"
#include "setup/clocks.h"

/* ---- what is worked out ---- */

/* Time between the calls: of the replay if it kept the pauses, else as it was recorded. */
static sdsim_ps between(const struct sdsim_replay_report *report)
{
    const struct sdsim_replay_result *result = report->result;
    if (report->think) {
        return sdsim_time_since(result->ended - result->started, result->in_calls);
    }
    return result->recorded ? sdsim_time_since(result->recorded_ended - result->recorded_started,
                                               result->recorded_in_calls)
                            : 0;
}

static double share_of(sdsim_ps part, sdsim_ps rest)
{
    const double whole = (double)part + (double)rest;
    return whole > 0 ? (double)part / whole : 0;
}

static double rate_of(uint64_t bytes, sdsim_ps time)
{
    return time > 0 ? (double)bytes / ((double)time / (double)SDSIM_S) : 0;
}

/* ---- the head ---- */

static void print_fact(FILE *out, const char *label, const char *text)
{
    char first[32];
    snprintf(first, sizeof first, "  %-11s", label);
    sdsim_print_wrapped(out, first, text);
}

static void print_head(const struct sdsim_replay_report *report, const struct sdsim_style *style,
                       FILE *out)
{
    const struct sdsim_run *run = report->run;
    char text[400];
    char clock[32];
    char call[32];
    fprintf(out, "%s%s%s: %" PRIu64 " call%s%s\n", sdsim_ink_begin(style, SDSIM_INK_BOLD),
            report->trace, sdsim_ink_end(style, SDSIM_INK_BOLD), report->result->calls,
            report->result->calls == 1 ? "" : "s", report->files ? " of files" : " of the driver");
    if (run->board_name != NULL) {
        print_fact(out, "board", run->board_name);
    }
    snprintf(text, sizeof text, "%s, driver %s", run->host_name, run->driver_name);
    print_fact(out, "host", text);
    print_fact(out, "card", run->card_name);
    snprintf(text, sizeof text, "%s at %s", sdsim_bus_text(report->setup->run.bus),
             sdsim_unit_print(SDSIM_UNIT_FREQUENCY, report->result->bus_hz, clock, sizeof clock));
    print_fact(out, "bus", text);
    if (report->files) {
        print_fact(out, "file API",
                   sdsim_file_api_name((enum sdsim_file_api)report->setup->run.file.api));
    }
    if (report->created[0] != '\0') {
        snprintf(text, sizeof text, "%s, before the first call", report->created);
        print_fact(out, "made", text);
    }
    snprintf(text, sizeof text, "%s%s%s",
             report->think ? "with the recorded pauses" : "as fast as the calls go",
             report->call > 0 ? ", in calls of " : "",
             report->call > 0
                 ? sdsim_unit_print(SDSIM_UNIT_SIZE, (double)report->call, call, sizeof call)
                 : "");
    print_fact(out, "played", text);
    fputc('\n', out);
}

/* ---- the table of calls ---- */

static void add_time(struct sdsim_table *table, sdsim_ps time)
{
    char text[32];
    sdsim_table_cell(table, SDSIM_INK_PLAIN, "%s", sdsim_print_time(time, text, sizeof text));
}

static void add_interval(struct sdsim_table *table, const struct sdsim_replay_report *report,
                         const struct sdsim_replay_interval *interval)
{
    char text[64];
    if (report->draws == 0) {
        sdsim_table_cell(table, SDSIM_INK_PLAIN, "%s", "");
        return;
    }
    const double second = (double)SDSIM_S;
    sdsim_print_interval(SDSIM_METRIC_TIME, (double)interval->low / second,
                         (double)interval->high / second, text, sizeof text);
    sdsim_table_cell(table, SDSIM_INK_PLAIN, "%s", text);
}

static void add_spread(struct sdsim_table *table, const struct sdsim_histogram *histogram)
{
    add_time(table, sdsim_histogram_quantile(histogram, 500));
    add_time(table, sdsim_histogram_quantile(histogram, 900));
    add_time(table, histogram->most);
}

static void add_error(struct sdsim_table *table, sdsim_ps predicted, sdsim_ps recorded)
{
    char text[32] = "";
    if (recorded > 0) {
        sdsim_print_error((double)predicted / (double)recorded - 1, text, sizeof text);
    }
    sdsim_table_cell(table, SDSIM_INK_PLAIN, recorded > 0 ? "error %s" : "%s", text);
}

static void add_group(struct sdsim_table *table, const struct sdsim_replay_report *report,
                      unsigned group)
{
    const struct sdsim_replay_group *sums = report->result->groups[group];
    const bool recorded = sums->recorded.count > 0;
    sdsim_table_cell(table, SDSIM_INK_PLAIN, "%s", sums->name);
    sdsim_table_cell(table, SDSIM_INK_PLAIN, "%" PRIu64, sums->predicted.count);
    sdsim_table_cell(table, SDSIM_INK_PLAIN, "%s", "predicted");
    add_time(table, sums->predicted.sum);
    add_interval(table, report, &report->groups[group]);
    add_spread(table, &sums->predicted);
    if (!recorded) {
        return;
    }
    sdsim_table_cell(table, SDSIM_INK_PLAIN, "%s", "");
    sdsim_table_cell(table, SDSIM_INK_PLAIN, "%s", "");
    sdsim_table_cell(table, SDSIM_INK_PLAIN, "%s", "recorded");
    add_time(table, sums->recorded.sum);
    add_error(table, sums->compared, sums->recorded.sum);
    add_spread(table, &sums->recorded);
}

static bool print_groups(const struct sdsim_replay_report *report, const struct sdsim_style *style,
                         FILE *out)
{
    const struct sdsim_column columns[] = {
        {"call", false, false},
        {"count", true, false},
        {NULL, false, false},
        {"total", true, false},
        {report->draws > 0 ? "90% of draws" : NULL, true, false},
        {"median", true, false},
        {"90%", true, false},
        {"longest", true, false},
    };
    struct sdsim_table table;
    sdsim_table_init(&table, columns, sizeof columns / sizeof columns[0]);
    for (unsigned i = 0; i < SDSIM_REPLAY_GROUPS; i++) {
        if (report->result->groups[i] != NULL) {
            add_group(&table, report, i);
        }
    }
    const bool printed = sdsim_table_print(&table, style, out);
    sdsim_table_free(&table);
    return printed;
}

/* ---- in the calls, and between them ---- */

/* Sums of the calls that the recording has a duration of; false if it has none. */
static bool compared_sums(const struct sdsim_replay_result *result, sdsim_ps *predicted,
                          sdsim_ps *recorded)
{
    *predicted = *recorded = 0;
    uint64_t calls = 0;
    for (unsigned i = 0; i < SDSIM_REPLAY_GROUPS; i++) {
        if (result->groups[i] != NULL) {
            *predicted = sdsim_time_sum(*predicted, result->groups[i]->compared);
            *recorded = sdsim_time_sum(*recorded, result->groups[i]->recorded.sum);
            calls += result->groups[i]->recorded.count;
        }
    }
    return calls > 0;
}

static void add_pair(struct sdsim_table *table, const char *name, const char *predicted,
                     const char *recorded)
{
    sdsim_table_cell(table, SDSIM_INK_PLAIN, "%s", name);
    sdsim_table_cell(table, SDSIM_INK_PLAIN, "%s", predicted);
    sdsim_table_cell(table, SDSIM_INK_PLAIN, "%s", recorded);
}

static char *rate_text(double rate, char *text, size_t size)
{
    return rate > 0 ? sdsim_unit_print(SDSIM_UNIT_RATE, rate, text, size)
                    : (snprintf(text, size, "-"), text);
}

static bool print_totals(const struct sdsim_replay_report *report, const struct sdsim_style *style,
                         FILE *out)
{
    static const struct sdsim_column columns[] = {
        {"altogether", false, false}, {"predicted", true, false}, {"recorded", true, false}};
    const struct sdsim_replay_result *result = report->result;
    const uint64_t bytes = result->bytes_read + result->bytes_written;
    const sdsim_ps pauses = between(report);
    const bool recorded = result->recorded;
    sdsim_ps compared;
    sdsim_ps measured;
    char a[48];
    char b[48] = "";
    struct sdsim_table table;
    sdsim_table_init(&table, columns, 3);
    if (compared_sums(result, &compared, &measured) && !recorded) {
        sdsim_print_time(measured, b, sizeof b);
    } else if (recorded) {
        sdsim_print_time(result->recorded_in_calls, b, sizeof b);
    }
    add_pair(&table, "in the calls", sdsim_print_time(result->in_calls, a, sizeof a), b);
    if (bytes > 0) {
        b[0] = '\0';
        if (recorded) {
            rate_text(rate_of(bytes, result->recorded_in_calls), b, sizeof b);
        }
        add_pair(&table, "rate in the calls",
                 rate_text(rate_of(bytes, result->in_calls), a, sizeof a), b);
    }
    if (recorded || report->think) {
        const sdsim_ps gaps = sdsim_time_since(result->recorded_ended - result->recorded_started,
                                               result->recorded_in_calls);
        sdsim_print_time(gaps, b, sizeof b);
        add_pair(&table, "between the calls", sdsim_print_time(pauses, a, sizeof a),
                 recorded ? b : "");
        sdsim_print_share(share_of(result->in_calls, pauses), a, sizeof a);
        sdsim_print_share(share_of(result->recorded_in_calls, gaps), b, sizeof b);
        add_pair(&table, "calls' share of the time", a, recorded ? b : "");
        if (bytes > 0) {
            rate_text(rate_of(bytes, sdsim_time_sum(result->in_calls, pauses)), a, sizeof a);
            rate_text(rate_of(bytes, result->recorded_ended - result->recorded_started), b,
                      sizeof b);
            add_pair(&table, "rate over all", a, recorded ? b : "");
        }
    }
    fputc('\n', out);
    const bool printed = sdsim_table_print(&table, style, out);
    sdsim_table_free(&table);
    return printed;
}

/* ---- what it means ---- */

static void print_meaning(const struct sdsim_replay_report *report, FILE *out)
{
    const struct sdsim_replay_result *result = report->result;
    const sdsim_ps pauses = between(report);
    char text[500];
    char share[32];
    char time[32];
    fputc('\n', out);
    if (pauses > result->in_calls && (result->recorded || report->think)) {
        sdsim_print_share(share_of(result->in_calls, pauses), share, sizeof share);
        snprintf(text, sizeof text,
                 "Producer-limited: the calls take %s of the time, the program %s between them. A "
                 "card that took no time at all would save no more than these %s.",
                 share, sdsim_print_time(pauses, time, sizeof time), share);
        sdsim_print_wrapped(out, "", text);
    } else if (result->recorded || report->think) {
        sdsim_print_share(share_of(pauses, result->in_calls), share, sizeof share);
        snprintf(text, sizeof text,
                 "Card-limited: the program waits for calls most of the time; its own pauses are "
                 "%s of it.",
                 share);
        sdsim_print_wrapped(out, "", text);
    }
    if (result->unaligned > 0) {
        snprintf(text, sizeof text,
                 "Misaligned: %" PRIu64 " of %" PRIu64
                 " reads and writes do not begin and end between two sectors, so sectors at their "
                 "ends are moved twice. Calls of whole sectors from the start of the file on avoid "
                 "that.",
                 result->unaligned, result->moved);
        sdsim_print_wrapped(out, "", text);
    }
    if (result->not_simulated > 0) {
        snprintf(text, sizeof text,
                 "Trims and erases, %" PRIu64 " here, take no time: no driver of sdsim sends them.",
                 result->not_simulated);
        sdsim_print_wrapped(out, "", text);
    }
    if (result->failed > 0) {
        snprintf(text, sizeof text, "Failed calls: %" PRIu64 ". The first: %s.", result->failed,
                 result->first_failure);
        sdsim_print_wrapped(out, "", text);
    }
}

bool sdsim_replay_report_print(const struct sdsim_replay_report *report,
                               const struct sdsim_style *style, FILE *out)
{
    print_head(report, style, out);
    const bool printed = print_groups(report, style, out) && print_totals(report, style, out);
    print_meaning(report, out);
    return printed;
}

/* ---- JSON and CSV ---- */

static void json_spread(const char *key, const struct sdsim_histogram *histogram,
                        struct sdsim_json *json)
{
    sdsim_json_object(json, key);
    sdsim_json_count(json, "count", histogram->count);
    sdsim_json_seconds(json, "total", histogram->sum);
    sdsim_json_seconds(json, "median", sdsim_histogram_quantile(histogram, 500));
    sdsim_json_seconds(json, "p90", sdsim_histogram_quantile(histogram, 900));
    sdsim_json_seconds(json, "longest", histogram->most);
    sdsim_json_end(json);
}

static void json_interval(const struct sdsim_replay_report *report,
                          const struct sdsim_replay_interval *interval, struct sdsim_json *json)
{
    if (report->draws > 0) {
        sdsim_json_seconds(json, "low", interval->low);
        sdsim_json_seconds(json, "high", interval->high);
    }
}

static void json_group(const struct sdsim_replay_report *report, unsigned group,
                       struct sdsim_json *json)
{
    const struct sdsim_replay_group *sums = report->result->groups[group];
    sdsim_json_object(json, NULL);
    sdsim_json_text(json, "call", sums->name);
    sdsim_json_count(json, "bytes", sums->bytes);
    sdsim_json_count(json, "failed", sums->failed);
    json_spread("predicted", &sums->predicted, json);
    json_interval(report, &report->groups[group], json);
    if (sums->recorded.count > 0) {
        json_spread("recorded", &sums->recorded, json);
        sdsim_json_seconds(json, "compared", sums->compared);
    }
    sdsim_json_end(json);
}

void sdsim_replay_report_json(const struct sdsim_replay_report *report, struct sdsim_json *json)
{
    const struct sdsim_replay_result *result = report->result;
    sdsim_json_text(json, "trace", report->trace);
    sdsim_json_text(json, "format", report->format);
    sdsim_json_text(json, "board", report->run->board_name);
    sdsim_json_text(json, "host", report->run->host_name);
    sdsim_json_text(json, "driver", report->run->driver_name);
    sdsim_json_text(json, "card", report->run->card_name);
    sdsim_json_text(json, "bus", sdsim_bus_word(report->setup->run.bus));
    sdsim_json_number(json, "bus_hz", result->bus_hz);
    sdsim_json_bool(json, "think", report->think);
    sdsim_json_count(json, "call", report->call);
    sdsim_json_text(json, "made_before", report->created);
    sdsim_json_count(json, "draws", report->draws);
    sdsim_json_count(json, "calls", result->calls);
    sdsim_json_count(json, "failed", result->failed);
    sdsim_json_count(json, "bytes_read", result->bytes_read);
    sdsim_json_count(json, "bytes_written", result->bytes_written);
    sdsim_json_count(json, "unaligned", result->unaligned);
    sdsim_json_count(json, "not_simulated", result->not_simulated);
    sdsim_json_object(json, "predicted");
    sdsim_json_seconds(json, "in_calls", result->in_calls);
    json_interval(report, &report->in_calls, json);
    sdsim_json_seconds(json, "between", between(report));
    sdsim_json_number(json, "share_of_calls", share_of(result->in_calls, between(report)));
    sdsim_json_end(json);
    if (result->recorded) {
        sdsim_json_object(json, "recorded");
        const sdsim_ps whole = result->recorded_ended - result->recorded_started;
        sdsim_json_seconds(json, "in_calls", result->recorded_in_calls);
        sdsim_json_seconds(json, "between", sdsim_time_since(whole, result->recorded_in_calls));
        sdsim_json_end(json);
    }
    sdsim_json_bool(json, "producer_limited",
                    (result->recorded || report->think) && between(report) > result->in_calls);
    sdsim_json_object(json, "kinds");
    for (int kind = 0; kind < SDSIM_KIND_COUNT; kind++) {
        sdsim_json_seconds(json, sdsim_kind_name((enum sdsim_kind)kind),
                           sdsim_account_kind(&result->account, (enum sdsim_kind)kind));
    }
    sdsim_json_end(json);
    sdsim_json_array(json, "groups");
    for (unsigned i = 0; i < SDSIM_REPLAY_GROUPS; i++) {
        if (result->groups[i] != NULL) {
            json_group(report, i, json);
        }
    }
    sdsim_json_end(json);
}

static void csv_spread(const struct sdsim_histogram *histogram, char text[5][32],
                       const char **fields)
{
    snprintf(text[0], sizeof text[0], "%" PRIu64, histogram->count);
    sdsim_seconds_text(histogram->sum, text[1], sizeof text[1]);
    sdsim_seconds_text(sdsim_histogram_quantile(histogram, 500), text[2], sizeof text[2]);
    sdsim_seconds_text(sdsim_histogram_quantile(histogram, 900), text[3], sizeof text[3]);
    sdsim_seconds_text(histogram->most, text[4], sizeof text[4]);
    for (int i = 0; i < 5; i++) {
        fields[i] = histogram->count > 0 ? text[i] : NULL;
    }
}

void sdsim_replay_report_csv(const struct sdsim_replay_report *report, FILE *out)
{
    static const char *const head[] = {"call",
                                       "bytes",
                                       "failed",
                                       "count",
                                       "total",
                                       "median",
                                       "p90",
                                       "longest",
                                       "low",
                                       "high",
                                       "recorded_count",
                                       "recorded_total",
                                       "recorded_median",
                                       "recorded_p90",
                                       "recorded_longest",
                                       "compared"};
    sdsim_csv_line(out, head, sizeof head / sizeof head[0]);
    for (unsigned i = 0; i < SDSIM_REPLAY_GROUPS; i++) {
        const struct sdsim_replay_group *sums = report->result->groups[i];
        char text[15][32];
        const char *fields[16];
        if (sums == NULL) {
            continue;
        }
        snprintf(text[0], sizeof text[0], "%" PRIu64, sums->bytes);
        snprintf(text[1], sizeof text[1], "%" PRIu64, sums->failed);
        fields[0] = sums->name;
        fields[1] = text[0];
        fields[2] = text[1];
        csv_spread(&sums->predicted, text + 2, fields + 3);
        const bool drawn = report->draws > 0;
        fields[8] = drawn ? sdsim_seconds_text(report->groups[i].low, text[7], 32) : NULL;
        fields[9] = drawn ? sdsim_seconds_text(report->groups[i].high, text[8], 32) : NULL;
        csv_spread(&sums->recorded, text + 9, fields + 10);
        fields[15] =
            sums->recorded.count > 0 ? sdsim_seconds_text(sums->compared, text[14], 32) : NULL;
        sdsim_csv_line(out, fields, 16);
    }
}
