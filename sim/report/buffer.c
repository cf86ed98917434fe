#include "report/buffer.h"

#include <inttypes.h>
#include <string.h>

#include "core/csv.h"
#include "core/units.h"
#include "report/buffer_words.h"
#include "report/format.h"
#include "report/run_report.h"
#include "report/stream_report.h"
#include "report/table.h"

/* In thousandths, so that counting is exact. */
static const struct {
    uint32_t permille;
    const char *text;
} levels[SDSIM_BUFFER_LEVELS] = {{500, "50%"}, {990, "99%"}, {999, "99.9%"}};

/* A level as a share of the runs. */
static double level_share(size_t index)
{
    return levels[index].permille / 1000.0;
}

size_t sdsim_buffer_level_runs(size_t index, size_t count)
{
    return (size_t)(((uint64_t)count * levels[index].permille + 999) / 1000);
}

/* What a level of the runs needs; UINT64_MAX: as much as there is not. */
static uint64_t need_of(const struct sdsim_buffer_report *report, size_t level)
{
    return report->needs[sdsim_buffer_level_runs(level, report->count) - 1];
}

/* ---- the head ---- */

static void print_label(FILE *out, const char *label, const char *text)
{
    char first[32];
    snprintf(first, sizeof first, "  %-11s", label);
    sdsim_print_wrapped(out, first, text);
}

static void print_head(const struct sdsim_buffer_report *report, const struct sdsim_style *style,
                       FILE *out)
{
    char text[400];
    const struct sdsim_run_params *run = &report->setup->run;
    fprintf(out, "%s%s%s%s%s\n", sdsim_ink_begin(style, SDSIM_INK_BOLD), report->scenario,
            report->run[0] != '\0' ? " " : "", report->run, sdsim_ink_end(style, SDSIM_INK_BOLD));
    if (report->description != NULL) {
        sdsim_print_wrapped(out, "  ", report->description);
    }
    sdsim_stream_report_describe(
        &run->workload, sdsim_file_api_name((enum sdsim_file_api)run->file.api), text, sizeof text);
    print_label(out, "workload", text);
    snprintf(text, sizeof text, "%s%shost %s, driver %s, %s",
             report->board != NULL ? report->board : "", report->board != NULL ? ": " : "",
             report->host, report->driver, sdsim_bus_text(run->bus));
    print_label(out, "board", text);
    print_label(out, "card", report->card);
    char length[32];
    snprintf(text, sizeof text, "%zu of %s each, with different luck%s", report->count,
             sdsim_hours_text(report->hours, length, sizeof length),
             report->draws > 0 ? " and different cards of this kind" : "");
    print_label(out, "runs", text);
}

/* ---- RAM ---- */

/* So few runs that the highest levels are all of them. */
static void print_few_runs(const struct sdsim_buffer_report *report, FILE *out)
{
    for (size_t i = 0; i < SDSIM_BUFFER_LEVELS; i++) {
        if (sdsim_buffer_level_runs(i, report->count) == report->count && report->count > 1) {
            fprintf(out, "  %s of %zu runs are all of them: more --seeds tell more\n",
                    levels[i].text, report->count);
            return;
        }
    }
}

static bool print_needs(const struct sdsim_buffer_report *report, const struct sdsim_style *style,
                        FILE *out)
{
    static const struct sdsim_column columns[] = {
        {"runs without loss", false, false},
        {"50%", true, false},
        {"99%", true, false},
        {"99.9%", true, false},
        {"all", true, false},
    };
    struct sdsim_table table;
    char text[64];
    fputc('\n', out);
    sdsim_table_init(&table, columns, sizeof columns / sizeof *columns);
    table.indent = 2;
    sdsim_table_cell(&table, SDSIM_INK_PLAIN, "with so much RAM");
    for (size_t i = 0; i < SDSIM_BUFFER_LEVELS; i++) {
        sdsim_table_cell(&table, SDSIM_INK_BOLD, "%s",
                         sdsim_ram_text(need_of(report, i), text, sizeof text));
    }
    sdsim_table_cell(&table, SDSIM_INK_BOLD, "%s",
                     sdsim_ram_text(report->needs[report->count - 1], text, sizeof text));
    const bool printed = sdsim_table_print(&table, style, out);
    sdsim_table_free(&table);
    print_few_runs(report, out);
    if (report->setup->run.workload.logger.queue == SDSIM_QUEUE_ITEMS) {
        sdsim_unit_print(SDSIM_UNIT_SIZE, (double)report->setup->run.workload.call, text,
                         sizeof text);
        fprintf(out, "  in the queue; the writer's own buffer, %s, comes on top\n", text);
    }
    return printed;
}

static bool print_loss(const struct sdsim_buffer_report *report, const struct sdsim_style *style,
                       FILE *out)
{
    static const struct sdsim_column columns[] = {
        {"RAM", true, false},
        {"runs that lose", true, false},
        {"lost in the mean", true, false},
        {"most", true, false},
    };
    struct sdsim_table table;
    if (report->row_count == 0) {
        return true;
    }
    fputc('\n', out);
    sdsim_table_init(&table, columns, sizeof columns / sizeof *columns);
    table.indent = 2;
    bool unseen = false;
    for (size_t i = 0; i < report->row_count; i++) {
        const struct sdsim_buffer_row *row = &report->rows[i];
        char text[48];
        sdsim_table_cell(&table, SDSIM_INK_PLAIN, "%s",
                         sdsim_ram_text(row->ram, text, sizeof text));
        sdsim_table_cell(&table, SDSIM_INK_PLAIN, "%.4g%%",
                         100.0 * (double)row->losing / (double)report->count);
        if (row->losing > 0 && row->most_lost == 0) { /* only runs that were not looked at lose */
            sdsim_table_cell(&table, SDSIM_INK_PLAIN, "%s", "?");
            sdsim_table_cell(&table, SDSIM_INK_PLAIN, "%s", "?");
            unseen = true;
            continue;
        }
        sdsim_table_cell(&table, SDSIM_INK_PLAIN, "%s",
                         sdsim_loss_text(row->mean_lost, text, sizeof text));
        sdsim_table_cell(&table, SDSIM_INK_PLAIN, "%s",
                         sdsim_loss_text((double)row->most_lost, text, sizeof text));
    }
    const bool printed = sdsim_table_print(&table, style, out);
    sdsim_table_free(&table);
    if (unseen) {
        fputs("  ?: only runs behind the first 200 lose, and what they lose was not simulated\n",
              out);
    }
    return printed;
}

static void print_rates(const struct sdsim_buffer_report *report, const struct sdsim_style *style,
                        FILE *out)
{
    char text[200];
    fprintf(out, "\n  %shighest rate without loss in %s%s\n",
            sdsim_ink_begin(style, SDSIM_INK_BOLD), sdsim_ram_text(report->ram, text, sizeof text),
            sdsim_ink_end(style, SDSIM_INK_BOLD));
    for (size_t i = 0; i < SDSIM_BUFFER_LEVELS; i++) {
        if (report->rates[i] > 0) {
            sdsim_unit_print(SDSIM_UNIT_RATE, (double)report->rates[i], text, sizeof text);
        } else {
            snprintf(text, sizeof text, "none");
        }
        fprintf(out, "  %6s of runs: %s\n", levels[i].text, text);
    }
    if (report->why != NULL) {
        snprintf(text, sizeof text, "above that runs end early: %s", report->why);
        sdsim_print_wrapped(out, "  ", text);
    }
}

/* ---- stalls ---- */

static void print_longest(const struct sdsim_buffer_report *report, FILE *out)
{
    char text[500];
    print_label(out, "longest", sdsim_buffer_longest(report, text, sizeof text));
    print_label(out, "power loss", sdsim_buffer_exposure(report, text, sizeof text));
}

static bool print_stalls(const struct sdsim_buffer_report *report, const struct sdsim_style *style,
                         FILE *out)
{
    static const struct sdsim_column columns[] = {
        {"what stalls the writer", false, false},
        {"longest", true, false},
        {"half of runs", true, false},
        {"when, and a remedy", false, true},
    };
    struct sdsim_table table;
    sdsim_table_init(&table, columns, sizeof columns / sizeof *columns);
    table.indent = 2;
    struct sdsim_buffer_stall stalls[SDSIM_STALL_CAUSES];
    const size_t count = sdsim_buffer_stalls(report, stalls);
    for (size_t i = 0; i < count; i++) {
        char text[300];
        sdsim_table_cell(&table, SDSIM_INK_PLAIN, "%s", sdsim_stall_cause_text(stalls[i].cause));
        sdsim_table_cell(&table, SDSIM_INK_PLAIN, "%s",
                         sdsim_print_time(stalls[i].longest, text, sizeof text));
        sdsim_table_cell(
            &table, SDSIM_INK_PLAIN, "%s",
            stalls[i].median > 0 ? sdsim_print_time(stalls[i].median, text, sizeof text) : "none");
        sdsim_table_cell(&table, SDSIM_INK_PLAIN, "%s",
                         sdsim_buffer_advice(report, stalls[i].cause, text, sizeof text));
    }
    const bool printed = sdsim_table_print(&table, style, out);
    sdsim_table_free(&table);
    return printed;
}

static bool print_changes(const struct sdsim_buffer_report *report, const struct sdsim_style *style,
                          FILE *out)
{
    static const struct sdsim_column columns[] = {
        {"with this changed", false, false},
        {"RAM for 99%", true, false},
        {"longest stall", true, false},
        {"what it costs", false, true},
    };
    struct sdsim_table table;
    if (report->change_count == 0) {
        return true;
    }
    fputc('\n', out);
    sdsim_table_init(&table, columns, sizeof columns / sizeof *columns);
    table.indent = 2;
    for (size_t i = 0; i < report->change_count; i++) {
        const struct sdsim_buffer_change *change = &report->changes[i];
        char text[48];
        sdsim_table_cell(&table, SDSIM_INK_PLAIN, "%s", change->what);
        sdsim_table_cell(&table, SDSIM_INK_PLAIN, "%s",
                         change->failed ? "fails" : sdsim_ram_text(change->ram, text, sizeof text));
        sdsim_table_cell(&table, SDSIM_INK_PLAIN, "%s",
                         change->failed ? ""
                                        : sdsim_print_time(change->longest, text, sizeof text));
        sdsim_table_cell(&table, SDSIM_INK_PLAIN, "%s", change->costs);
    }
    const bool printed = sdsim_table_print(&table, style, out);
    sdsim_table_free(&table);
    return printed;
}

bool sdsim_buffer_print(const struct sdsim_buffer_report *report, const struct sdsim_style *style,
                        FILE *out)
{
    print_head(report, style, out);
    if (report->failed > 0) {
        char text[300];
        snprintf(text, sizeof text, "%zu of %zu runs ended early: %s", report->failed,
                 report->count, report->why);
        print_label(out, "failed", text);
    }
    if (report->ram > 0) {
        print_rates(report, style, out);
        return true;
    }
    if (report->failed == report->count) {
        print_label(out, "",
                    "so there is nothing to tell about RAM and stalls; mend that first, or take "
                    "shorter runs with --hours");
        return true;
    }
    if (report->behind) {
        print_label(out, "behind",
                    "the card does not keep up with the data: the backlog grows as long as they "
                    "come, and no RAM is enough");
    }
    bool fine = report->behind || print_needs(report, style, out);
    fine = fine && print_loss(report, style, out);
    fputc('\n', out);
    print_longest(report, out);
    fputc('\n', out);
    fine = fine && print_stalls(report, style, out);
    return fine && print_changes(report, style, out);
}

/* ---- CSV and JSON ---- */

void sdsim_buffer_csv_head(FILE *out)
{
    static const char *const fields[] = {"scenario",     "run",       "card",     "rate",
                                         "runs",         "hours",     "ram",      "losing",
                                         "losing_share", "mean_lost", "most_lost"};
    sdsim_csv_line(out, fields, sizeof fields / sizeof *fields);
}

void sdsim_buffer_csv(const struct sdsim_buffer_report *report, FILE *out)
{
    for (size_t i = 0; i < report->row_count; i++) {
        const struct sdsim_buffer_row *row = &report->rows[i];
        char numbers[8][32];
        snprintf(numbers[0], 32, "%" PRIu64, report->rate);
        snprintf(numbers[1], 32, "%zu", report->count);
        sdsim_number_text(report->hours, numbers[2], 32);
        snprintf(numbers[3], 32, "%" PRIu64, row->ram);
        snprintf(numbers[4], 32, "%zu", row->losing);
        sdsim_number_text((double)row->losing / (double)report->count, numbers[5], 32);
        sdsim_number_text(row->mean_lost, numbers[6], 32);
        snprintf(numbers[7], 32, "%" PRIu64, row->most_lost);
        const char *const fields[] = {report->scenario, report->run, report->card, numbers[0],
                                      numbers[1],       numbers[2],  numbers[3],   numbers[4],
                                      numbers[5],       numbers[6],  numbers[7]};
        sdsim_csv_line(out, fields, sizeof fields / sizeof *fields);
    }
}

static void count_or_null(struct sdsim_json *json, const char *key, uint64_t count)
{
    if (count == UINT64_MAX) {
        sdsim_json_text(json, key, NULL);
    } else {
        sdsim_json_count(json, key, count);
    }
}

static void json_levels(const struct sdsim_buffer_report *report, struct sdsim_json *json)
{
    sdsim_json_array(json, "levels");
    for (size_t i = 0; i < SDSIM_BUFFER_LEVELS; i++) {
        sdsim_json_object(json, NULL);
        sdsim_json_number(json, "share", level_share(i));
        if (report->ram > 0) {
            sdsim_json_count(json, "rate", report->rates[i]);
        } else {
            count_or_null(json, "ram", need_of(report, i));
        }
        sdsim_json_end(json);
    }
    sdsim_json_end(json);
}

static void json_loss(const struct sdsim_buffer_report *report, struct sdsim_json *json)
{
    sdsim_json_array(json, "loss");
    for (size_t i = 0; i < report->row_count; i++) {
        const struct sdsim_buffer_row *row = &report->rows[i];
        sdsim_json_object(json, NULL);
        sdsim_json_count(json, "ram", row->ram);
        sdsim_json_count(json, "losing", row->losing);
        sdsim_json_number(json, "mean_lost", row->mean_lost);
        sdsim_json_count(json, "most_lost", row->most_lost);
        sdsim_json_end(json);
    }
    sdsim_json_end(json);
}

static void json_stalls(const struct sdsim_buffer_report *report, struct sdsim_json *json)
{
    struct sdsim_buffer_stall stalls[SDSIM_STALL_CAUSES];
    const size_t count = sdsim_buffer_stalls(report, stalls);
    sdsim_json_array(json, "stalls");
    for (size_t i = 0; i < count; i++) {
        char text[300];
        sdsim_json_object(json, NULL);
        sdsim_json_text(json, "cause", sdsim_stall_cause_text(stalls[i].cause));
        sdsim_json_seconds(json, "longest", stalls[i].longest);
        sdsim_json_count(json, "run", stalls[i].run + 1);
        sdsim_json_seconds(json, "at", stalls[i].at);
        sdsim_json_count(json, "byte", stalls[i].byte);
        sdsim_json_bool(json, "sync", stalls[i].syncs);
        sdsim_json_seconds(json, "median", stalls[i].median);
        sdsim_json_text(json, "advice",
                        sdsim_buffer_advice(report, stalls[i].cause, text, sizeof text));
        sdsim_json_end(json);
    }
    sdsim_json_end(json);
}

static void json_changes(const struct sdsim_buffer_report *report, struct sdsim_json *json)
{
    sdsim_json_array(json, "changes");
    for (size_t i = 0; i < report->change_count; i++) {
        const struct sdsim_buffer_change *change = &report->changes[i];
        sdsim_json_object(json, NULL);
        sdsim_json_text(json, "what", change->what);
        count_or_null(json, "ram_99", change->failed ? UINT64_MAX : change->ram);
        sdsim_json_seconds(json, "longest_stall", change->longest);
        sdsim_json_text(json, "costs", change->costs);
        sdsim_json_end(json);
    }
    sdsim_json_end(json);
}

void sdsim_buffer_json(const struct sdsim_buffer_report *report, struct sdsim_json *json)
{
    uint64_t exposed = 0;
    for (size_t i = 0; i < report->count; i++) {
        exposed = report->runs[i].exposed > exposed ? report->runs[i].exposed : exposed;
    }
    sdsim_json_object(json, NULL);
    sdsim_json_text(json, "scenario", report->scenario);
    sdsim_json_text(json, "id", report->run);
    sdsim_json_text(json, "board", report->board);
    sdsim_json_text(json, "host", report->host);
    sdsim_json_text(json, "driver", report->driver);
    sdsim_json_text(json, "card", report->card);
    sdsim_json_count(json, "rate", report->rate);
    sdsim_json_count(json, "runs", report->count);
    sdsim_json_count(json, "draws", report->draws);
    sdsim_json_number(json, "hours", report->hours);
    sdsim_json_count(json, "failed", report->failed);
    sdsim_json_bool(json, "behind", report->behind);
    count_or_null(json, "ram", report->ram > 0 ? report->ram : UINT64_MAX);
    json_levels(report, json);
    json_loss(report, json);
    json_stalls(report, json);
    sdsim_json_count(json, "exposed", exposed);
    json_changes(report, json);
    sdsim_json_end(json);
}
