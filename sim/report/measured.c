#include "report/measured.h"

#include <stdlib.h>
#include <string.h>

#include "core/csv.h"
#include "report/format.h"
#include "report/json.h"
#include "report/table.h"

/* ---- as text ---- */

#define LONGEST_NAME 15 /* of a record, beside its numbers */

static void value_cell(struct sdsim_table *table, enum sdsim_measured metric, double value)
{
    char text[32];
    const enum sdsim_metric as =
        metric == SDSIM_MEASURED_THROUGHPUT ? SDSIM_METRIC_THROUGHPUT : SDSIM_METRIC_TIME;
    sdsim_table_cell(table, SDSIM_INK_PLAIN, "%s", sdsim_print_value(as, value, text, sizeof text));
}

static void interval_cell(struct sdsim_table *table, const struct sdsim_score *row)
{
    char text[96];
    const enum sdsim_metric as = row->measurement->metric == SDSIM_MEASURED_THROUGHPUT
                                     ? SDSIM_METRIC_THROUGHPUT
                                     : SDSIM_METRIC_TIME;
    sdsim_table_cell(table, SDSIM_INK_PLAIN, "%s",
                     sdsim_print_interval(as, row->low, row->high, text, sizeof text));
}

/* A name that leaves too little of a terminal's width for the numbers has a line of its own. */
static void name_cell(struct sdsim_table *table, const char *name)
{
    const bool fits = strlen(name) <= LONGEST_NAME;
    if (!fits) {
        sdsim_table_heading(table, name);
    }
    sdsim_table_cell(table, SDSIM_INK_PLAIN, "%s", fits ? name : "");
}

static void row_cells(struct sdsim_table *table, const struct sdsim_score *row)
{
    const enum sdsim_measured metric = row->measurement->metric;
    const bool modelled = row->reason == NULL;
    char error[24];
    name_cell(table, row->measurement->id);
    if (modelled) {
        value_cell(table, metric, row->predicted);
        interval_cell(table, row);
    } else {
        sdsim_table_cell(table, SDSIM_INK_PLAIN, "-");
        sdsim_table_cell(table, SDSIM_INK_PLAIN, "-");
    }
    value_cell(table, metric, row->measurement->value);
    sdsim_table_cell(table, SDSIM_INK_PLAIN, "%s",
                     modelled ? sdsim_print_error(row->error, error, sizeof error) : "-");
    sdsim_table_cell(table, row->covered ? SDSIM_INK_GOOD : SDSIM_INK_BAD, "%s",
                     row->covered ? "" : "outside");
}

/* Why some records have no prediction. */
static void print_reasons(const struct sdsim_measured_report *report, FILE *out)
{
    bool headed = false;
    for (size_t i = 0; i < report->count; i++) {
        const struct sdsim_score *row = &report->rows[i];
        if (row->reason != NULL) {
            char text[600];
            fputs(headed ? "" : "\ncan't be modelled:\n", out);
            headed = true;
            snprintf(text, sizeof text, "%s: %s", row->measurement->id, row->reason);
            sdsim_print_wrapped(out, "  ", text);
        }
    }
}

static bool print_rows(const struct sdsim_measured_report *report, const struct sdsim_style *style,
                       FILE *out)
{
    static const struct sdsim_column columns[] = {
        {"measurement", false, false}, {"predicted", true, false}, {"90% interval", true, false},
        {"measured", true, false},     {"error", true, false},     {"", false, false},
    };
    struct sdsim_table table;
    sdsim_table_init(&table, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < report->count; i++) {
        row_cells(&table, &report->rows[i]);
    }
    const bool printed = sdsim_table_print(&table, style, out);
    sdsim_table_free(&table);
    print_reasons(report, out);
    fputc('\n', out);
    return printed;
}

static const struct sdsim_column summary_columns[] = {
    {NULL, false, false},    {"groups", true, false}, {"records", true, false},
    {"median", true, false}, {"p90", true, false},    {"covered", true, false},
};

static void summary_cells(struct sdsim_table *table, const char *name,
                          const struct sdsim_summary *summary)
{
    char text[24];
    sdsim_table_cell(table, SDSIM_INK_PLAIN, "%s", name[0] != '\0' ? name : "(not said)");
    sdsim_table_cell(table, SDSIM_INK_PLAIN, "%zu", summary->groups);
    sdsim_table_cell(table, SDSIM_INK_PLAIN, "%zu", summary->records);
    sdsim_table_cell(
        table, SDSIM_INK_PLAIN, "%s",
        summary->judged > 0 ? sdsim_print_share(summary->median_error, text, sizeof text) : "-");
    sdsim_table_cell(table, SDSIM_INK_PLAIN, "%s",
                     summary->judged > 0 ? sdsim_print_share(summary->p90_error, text, sizeof text)
                                         : "-");
    sdsim_table_cell(table, SDSIM_INK_PLAIN, "%s",
                     sdsim_print_share(summary->coverage, text, sizeof text));
}

static bool add_kinds(const struct sdsim_measured_report *report, bool microcontroller,
                      struct sdsim_table *table)
{
    bool fine = true;
    bool headed = false;
    for (int k = 0; fine && k < SDSIM_NUMBER_KINDS; k++) {
        const enum sdsim_kind_of_number kind = (enum sdsim_kind_of_number)k;
        struct sdsim_summary summary;
        fine = sdsim_scores_sum_kind(report->rows, report->count, kind, microcontroller, &summary);
        if (summary.records > 0) {
            if (!headed) {
                sdsim_table_heading(table, microcontroller ? "microcontrollers" : "Linux hosts");
                headed = true;
            }
            summary_cells(table, sdsim_number_kind_name(kind), &summary);
        }
    }
    return fine;
}

static bool add_strata(const struct sdsim_measured_report *report, struct sdsim_table *table)
{
    static const char *const headings[] = {[SDSIM_BY_HOST] = "by host",
                                           [SDSIM_BY_BUS] = "by bus",
                                           [SDSIM_BY_DRIVER] = "by driver",
                                           [SDSIM_BY_OP] = "by operation",
                                           [SDSIM_BY_CARD_CLASS] = "by card class"};
    for (int d = 0; d < SDSIM_DIMENSION_COUNT; d++) {
        size_t count;
        struct sdsim_stratum *strata =
            sdsim_scores_strata(report->rows, report->count, (enum sdsim_dimension)d, &count);
        if (strata == NULL) {
            return false;
        }
        sdsim_table_heading(table, headings[d]);
        for (size_t s = 0; s < count; s++) {
            summary_cells(table, strata[s].name, &strata[s].summary);
        }
        free(strata);
    }
    return true;
}

bool sdsim_measured_print(const struct sdsim_measured_report *report,
                          const struct sdsim_style *style, FILE *out)
{
    struct sdsim_summary all;
    struct sdsim_table table;
    if ((report->rows_too && !print_rows(report, style, out)) ||
        !sdsim_scores_sum(report->rows, report->count, NULL, NULL, &all)) {
        return false;
    }
    sdsim_table_init(&table, summary_columns, sizeof summary_columns / sizeof *summary_columns);
    table.indent = 2;
    bool fine = add_kinds(report, true, &table) && add_kinds(report, false, &table) &&
                add_strata(report, &table);
    sdsim_table_heading(&table, "all");
    summary_cells(&table, "all", &all);
    fine = fine && sdsim_table_print(&table, style, out);
    sdsim_table_free(&table);
    fprintf(out, "\n%zu of %zu groups have a record that can't be modelled.\n", all.unpredicted,
            all.groups);
    fprintf(out, "%zu profile values in use were fitted, %zu of them to the headline scenarios.\n",
            report->fitted.headline + report->fitted.other, report->fitted.headline);
    return fine;
}

/* ---- as JSON ---- */

static void write_texts(const struct sdsim_measurement *measurement, struct sdsim_json *json)
{
    const struct {
        const char *name;
        const char *text;
    } texts[] = {
        {"source", measurement->source}, {"group", measurement->group},
        {"host", measurement->host},     {"bus", measurement->bus},
        {"driver", measurement->driver}, {"api", measurement->api},
        {"card", measurement->card},     {"card_class", measurement->card_class},
        {"fs", measurement->fs},         {"op", measurement->op},
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        sdsim_json_text(json, texts[i].name, texts[i].text[0] != '\0' ? texts[i].text : NULL);
    }
}

static void write_counts(const struct sdsim_measurement *measurement, struct sdsim_json *json)
{
    const struct {
        const char *name;
        uint64_t value;
    } counts[] = {
        {"year", measurement->year},
        {"cpu_hz", measurement->cpu_hz},
        {"clock_requested_hz", measurement->clock_requested_hz},
        {"clock_hz", measurement->clock_hz},
        {"cluster_bytes", measurement->cluster_bytes},
        {"chunk_bytes", measurement->chunk_bytes},
        {"total_bytes", measurement->total_bytes},
    };
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        if (counts[i].value > 0) {
            sdsim_json_count(json, counts[i].name, counts[i].value);
        } else {
            sdsim_json_text(json, counts[i].name, NULL);
        }
    }
}

static void write_answer(struct sdsim_json *json, const char *name, enum sdsim_answer answer)
{
    if (answer == SDSIM_UNSAID) {
        sdsim_json_text(json, name, NULL);
    } else {
        sdsim_json_bool(json, name, answer == SDSIM_YES);
    }
}

/* A number, or null for a record that can't be modelled. */
static void write_predicted(struct sdsim_json *json, const char *name,
                            const struct sdsim_score *row, double value)
{
    if (row->reason != NULL) {
        sdsim_json_text(json, name, NULL);
    } else {
        sdsim_json_number(json, name, value);
    }
}

static void write_row(const struct sdsim_score *row, struct sdsim_json *json)
{
    const struct sdsim_measurement *measurement = row->measurement;
    sdsim_json_object(json, NULL);
    sdsim_json_text(json, "id", measurement->id);
    sdsim_json_text(json, "scenario", NULL);
    sdsim_json_text(json, "metric", sdsim_measured_name(measurement->metric));
    sdsim_json_text(json, "unit", sdsim_measured_unit(measurement->metric));
    write_predicted(json, "predicted", row, row->predicted);
    write_predicted(json, "low", row, row->low);
    write_predicted(json, "high", row, row->high);
    sdsim_json_number(json, "measured", measurement->value);
    sdsim_json_number(json, "error", row->error);
    sdsim_json_number(json, "measured_low", measurement->low);
    sdsim_json_number(json, "measured_high", measurement->high);
    sdsim_json_text(json, "tolerance", NULL);
    sdsim_json_text(json, "within", NULL);
    sdsim_json_bool(json, "covered", row->covered);
    sdsim_json_text(json, "reason", row->reason);
    write_texts(measurement, json);
    write_counts(measurement, json);
    write_answer(json, "dma", measurement->dma);
    write_answer(json, "preallocated", measurement->preallocated);
    write_answer(json, "sync_per_write", measurement->sync_per_write);
    sdsim_json_array(json, "assumptions");
    for (size_t i = 0; i < measurement->assumption_count; i++) {
        sdsim_json_text(json, NULL, measurement->assumptions[i]);
    }
    sdsim_json_end(json);
    sdsim_json_end(json);
}

static void write_summary(struct sdsim_json *json, const struct sdsim_summary *summary)
{
    sdsim_json_count(json, "count", summary->records);
    sdsim_json_count(json, "groups", summary->groups);
    sdsim_json_count(json, "sources", summary->sources);
    sdsim_json_count(json, "unpredicted_groups", summary->unpredicted);
    if (summary->judged > 0) {
        sdsim_json_number(json, "median_abs_error", summary->median_error);
        sdsim_json_number(json, "p90_abs_error", summary->p90_error);
    } else {
        sdsim_json_text(json, "median_abs_error", NULL);
        sdsim_json_text(json, "p90_abs_error", NULL);
    }
    if (summary->groups > 0) {
        sdsim_json_number(json, "coverage", summary->coverage);
    } else {
        sdsim_json_text(json, "coverage", NULL);
    }
}

static bool write_strata(const struct sdsim_measured_report *report, struct sdsim_json *json)
{
    bool fine = true;
    sdsim_json_object(json, "strata");
    for (int d = 0; fine && d < SDSIM_DIMENSION_COUNT; d++) {
        const enum sdsim_dimension dimension = (enum sdsim_dimension)d;
        size_t count;
        struct sdsim_stratum *strata =
            sdsim_scores_strata(report->rows, report->count, dimension, &count);
        fine = strata != NULL;
        sdsim_json_array(json, sdsim_dimension_name(dimension));
        for (size_t s = 0; fine && s < count; s++) {
            sdsim_json_object(json, NULL);
            sdsim_json_text(json, "name", strata[s].name);
            write_summary(json, &strata[s].summary);
            sdsim_json_end(json);
        }
        sdsim_json_end(json);
        free(strata);
    }
    sdsim_json_end(json);
    return fine;
}

static bool write_kinds(const struct sdsim_measured_report *report, struct sdsim_json *json)
{
    bool fine = true;
    sdsim_json_array(json, "kinds");
    for (int k = 0; fine && k < 2 * SDSIM_NUMBER_KINDS; k++) {
        const enum sdsim_kind_of_number kind = (enum sdsim_kind_of_number)(k % SDSIM_NUMBER_KINDS);
        const bool microcontroller = k < SDSIM_NUMBER_KINDS;
        struct sdsim_summary summary;
        fine = sdsim_scores_sum_kind(report->rows, report->count, kind, microcontroller, &summary);
        if (summary.records > 0) {
            sdsim_json_object(json, NULL);
            sdsim_json_text(json, "name", sdsim_number_kind_name(kind));
            sdsim_json_bool(json, "microcontroller", microcontroller);
            write_summary(json, &summary);
            sdsim_json_end(json);
        }
    }
    sdsim_json_end(json);
    return fine;
}

bool sdsim_measured_json(const struct sdsim_measured_report *report, FILE *out)
{
    struct sdsim_json json;
    struct sdsim_summary all;
    if (!sdsim_scores_sum(report->rows, report->count, NULL, NULL, &all)) {
        return false;
    }
    sdsim_json_start(&json, out);
    sdsim_json_object(&json, NULL);
    sdsim_json_array(&json, "rows");
    for (size_t i = 0; i < report->count; i++) {
        write_row(&report->rows[i], &json);
    }
    sdsim_json_end(&json);
    sdsim_json_object(&json, "summary");
    write_summary(&json, &all);
    sdsim_json_count(&json, "outside", 0);
    sdsim_json_object(&json, "fitted");
    sdsim_json_count(&json, "headline", report->fitted.headline);
    sdsim_json_count(&json, "other", report->fitted.other);
    sdsim_json_end(&json);
    const bool fine = write_kinds(report, &json) && write_strata(report, &json);
    sdsim_json_end(&json);
    sdsim_json_end(&json);
    return fine;
}

/* ---- as CSV ---- */

void sdsim_measured_csv(const struct sdsim_measured_report *report, FILE *out)
{
    static const char *const head[] = {
        "id",     "metric",  "unit",   "predicted",  "low",   "high",       "measured",
        "error",  "covered", "reason", "source",     "group", "host",       "bus",
        "driver", "api",     "card",   "card_class", "op",    "chunk_bytes"};
    sdsim_csv_line(out, head, sizeof head / sizeof *head);
    for (size_t i = 0; i < report->count; i++) {
        const struct sdsim_score *row = &report->rows[i];
        const struct sdsim_measurement *measurement = row->measurement;
        const double numbers[] = {row->predicted, row->low, row->high, measurement->value,
                                  row->error};
        char texts[5][32];
        char chunk[24] = "";
        const bool modelled = row->reason == NULL;
        for (size_t n = 0; n < 5; n++) {
            sdsim_number_text(numbers[n], texts[n], sizeof texts[n]);
        }
        if (measurement->chunk_bytes > 0) {
            snprintf(chunk, sizeof chunk, "%llu", (unsigned long long)measurement->chunk_bytes);
        }
        const char *const fields[] = {
            measurement->id,
            sdsim_measured_name(measurement->metric),
            sdsim_measured_unit(measurement->metric),
            modelled ? texts[0] : "",
            modelled ? texts[1] : "",
            modelled ? texts[2] : "",
            texts[3],
            texts[4],
            row->covered ? "true" : "false",
            modelled ? "" : row->reason,
            measurement->source,
            measurement->group,
            measurement->host,
            measurement->bus,
            measurement->driver,
            measurement->api,
            measurement->card,
            measurement->card_class,
            measurement->op,
            chunk,
        };
        sdsim_csv_line(out, fields, sizeof fields / sizeof *fields);
    }
}
