#include "report/comparison.h"

#include <stdlib.h>
#include <string.h>

#include "core/csv.h"
#include "report/format.h"
#include "report/table.h"

/* ---- the summary ---- */

static int order(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static void sum_up(struct sdsim_comparison *comparison, double *errors)
{
    size_t covered = 0;
    const size_t count = comparison->count;
    for (size_t i = 0; i < count; i++) {
        const struct sdsim_verdict *verdict = &comparison->rows[i].verdict;
        errors[i] = verdict->error < 0.0 ? -verdict->error : verdict->error;
        covered += verdict->covered;
        comparison->outside += verdict->judged && !verdict->within;
        comparison->not_judged += !verdict->judged;
    }
    qsort(errors, count, sizeof *errors, order);
    comparison->median = (errors[(count - 1) / 2] + errors[count / 2]) / 2.0;
    comparison->p90 = errors[(9 * count + 9) / 10 - 1];
    comparison->coverage = (double)covered / (double)count;
}

static void count_headline(struct sdsim_comparison *comparison, const struct sdsim_run **runs)
{
    for (size_t i = 0; i < comparison->count; i++) {
        if (comparison->rows[i].setup->run.headline) {
            runs[comparison->headline++] = comparison->rows[i].run;
        }
    }
    comparison->fitted = sdsim_fitted_values(runs, comparison->headline);
}

bool sdsim_compare(struct sdsim_comparison *comparison, const struct sdsim_run_report *rows,
                   size_t count)
{
    *comparison = (struct sdsim_comparison){.rows = rows, .count = count};
    if (count == 0) {
        return true;
    }
    double *errors = calloc(count, sizeof *errors);
    const struct sdsim_run **runs = calloc(count, sizeof *runs);
    const bool enough = errors != NULL && runs != NULL;
    if (enough) {
        sum_up(comparison, errors);
        count_headline(comparison, runs);
    }
    free(errors);
    free(runs);
    return enough;
}

/* ---- as text ---- */

static void add_row(struct sdsim_table *table, const struct sdsim_run_report *row)
{
    const struct sdsim_prediction *prediction = &row->prediction;
    const enum sdsim_metric metric = prediction->typical.metric;
    const struct sdsim_verdict *verdict = &row->verdict;
    const enum sdsim_ink ink = sdsim_verdict_ink(verdict);
    char text[96];
    sdsim_table_cell(table, SDSIM_INK_PLAIN, "%s", sdsim_run_label(row->run));
    sdsim_table_cell(table, SDSIM_INK_PLAIN, "%s%s", sdsim_metric_prefix(metric),
                     sdsim_print_value(metric, prediction->typical.value, text, sizeof text));
    sdsim_table_cell(table, SDSIM_INK_PLAIN, "%s",
                     prediction->draws == 0
                         ? ""
                         : sdsim_print_ends(metric, prediction->low, prediction->high,
                                            prediction->typical.value, text, sizeof text));
    sdsim_table_cell(table, SDSIM_INK_PLAIN, "%s",
                     sdsim_print_interval(metric, verdict->low, verdict->high, text, sizeof text));
    sdsim_table_cell(table, ink, "%s", sdsim_print_error(verdict->error, text, sizeof text));
    if (!verdict->judged) { /* the line below the table says what "-" is */
        sdsim_table_cell(table, SDSIM_INK_PLAIN, "%s", "-");
        sdsim_table_cell(table, SDSIM_INK_PLAIN, "%s", "");
        return;
    }
    sdsim_table_cell(table, SDSIM_INK_PLAIN, "%.4g%%", 100.0 * verdict->tolerance);
    sdsim_table_cell(table, ink, "%s", verdict->within ? "ok" : "OUTSIDE");
}

static void print_summary(const struct sdsim_comparison *comparison, FILE *out)
{
    char median[24];
    char p90[24];
    char coverage[24];
    char text[300];
    sdsim_print_share(comparison->median, median, sizeof median);
    sdsim_print_share(comparison->p90, p90, sizeof p90);
    sdsim_print_share(comparison->coverage, coverage, sizeof coverage);
    size_t used = (size_t)snprintf(
        text, sizeof text, "%zu number%s: median error %s, 90th percentile %s, coverage %s",
        comparison->count, comparison->count == 1 ? "" : "s", median, p90, coverage);
    if (comparison->not_judged > 0) {
        used += (size_t)snprintf(text + used, sizeof text - used, "; %zu not judged (-)",
                                 comparison->not_judged);
    }
    if (comparison->outside > 0) {
        snprintf(text + used, sizeof text - used, "; %zu outside tolerance", comparison->outside);
    }
    sdsim_print_wrapped(out, "", text);
    if (comparison->headline > 0) {
        fprintf(out, "headline: %zu number%s, %zu fitted to %s, %zu fitted to other data\n",
                comparison->headline, comparison->headline == 1 ? "" : "s",
                comparison->fitted.headline, comparison->headline == 1 ? "it" : "them",
                comparison->fitted.other);
    }
}

bool sdsim_comparison_print(const struct sdsim_comparison *comparison,
                            const struct sdsim_style *style, FILE *out)
{
    const bool drawn = comparison->count > 0 && comparison->rows[0].prediction.draws > 0;
    const struct sdsim_column columns[] = {
        {"run", false, false},
        {"predicted", true, false},
        {drawn ? "90% interval" : NULL, true, false},
        {"measured", true, false},
        {"error", true, false},
        {"tol.", true, false},
        {NULL, false, false},
    };
    if (comparison->count == 0) {
        fputs("no run has a measured value\n", out);
        return true;
    }
    struct sdsim_table table;
    sdsim_table_init(&table, columns, sizeof columns / sizeof *columns);
    table.indent = 2;
    const char *scenario = "";
    for (size_t i = 0; i < comparison->count; i++) {
        const struct sdsim_run_report *row = &comparison->rows[i];
        if (strcmp(row->run->scenario, scenario) != 0) {
            scenario = row->run->scenario;
            sdsim_table_heading(&table, scenario);
        }
        add_row(&table, row);
    }
    const bool printed = sdsim_table_print(&table, style, out);
    sdsim_table_free(&table);
    fputc('\n', out);
    print_summary(comparison, out);
    return printed;
}

/* ---- as JSON and CSV ---- */

static void write_row(const struct sdsim_run_report *row, struct sdsim_json *json)
{
    const struct sdsim_prediction *prediction = &row->prediction;
    const struct sdsim_verdict *verdict = &row->verdict;
    sdsim_json_object(json, NULL);
    sdsim_json_text(json, "id", sdsim_run_label(row->run));
    sdsim_json_text(json, "scenario", row->run->scenario);
    sdsim_json_text(json, "metric", sdsim_metric_name(prediction->typical.metric));
    sdsim_json_text(json, "unit", sdsim_metric_unit(prediction->typical.metric));
    sdsim_json_number(json, "predicted", prediction->typical.value);
    sdsim_json_number(json, "low", prediction->low);
    sdsim_json_number(json, "high", prediction->high);
    sdsim_json_number(json, "measured", verdict->measured);
    sdsim_json_number(json, "error", verdict->error);
    sdsim_json_number(json, "measured_low", verdict->low);
    sdsim_json_number(json, "measured_high", verdict->high);
    sdsim_verdict_json(verdict, json);
    sdsim_json_end(json);
}

static void write_share(struct sdsim_json *json, const char *key, size_t count, double value)
{
    if (count > 0) {
        sdsim_json_number(json, key, value);
    } else {
        sdsim_json_text(json, key, NULL);
    }
}

void sdsim_comparison_json(const struct sdsim_comparison *comparison, FILE *out)
{
    struct sdsim_json json;
    sdsim_json_start(&json, out);
    sdsim_json_object(&json, NULL);
    sdsim_json_array(&json, "rows");
    for (size_t i = 0; i < comparison->count; i++) {
        write_row(&comparison->rows[i], &json);
    }
    sdsim_json_end(&json);
    sdsim_json_object(&json, "summary");
    sdsim_json_count(&json, "count", comparison->count);
    write_share(&json, "median_abs_error", comparison->count, comparison->median);
    write_share(&json, "p90_abs_error", comparison->count, comparison->p90);
    write_share(&json, "coverage", comparison->count, comparison->coverage);
    sdsim_json_count(&json, "outside", comparison->outside);
    sdsim_json_count(&json, "not_judged", comparison->not_judged);
    sdsim_json_object(&json, "headline");
    sdsim_json_count(&json, "numbers", comparison->headline);
    sdsim_json_count(&json, "fitted", comparison->fitted.headline);
    sdsim_json_count(&json, "fitted_elsewhere", comparison->fitted.other);
    sdsim_json_end(&json);
    sdsim_json_end(&json);
    sdsim_json_end(&json);
}

void sdsim_comparison_csv(const struct sdsim_comparison *comparison, FILE *out)
{
    static const char *const head[] = {
        "id",       "scenario", "metric",       "unit",          "predicted", "low",   "high",
        "measured", "error",    "measured_low", "measured_high", "tolerance", "within"};
    sdsim_csv_line(out, head, sizeof head / sizeof *head);
    for (size_t i = 0; i < comparison->count; i++) {
        const struct sdsim_run_report *row = &comparison->rows[i];
        const struct sdsim_prediction *prediction = &row->prediction;
        const struct sdsim_verdict *verdict = &row->verdict;
        const double numbers[] = {prediction->typical.value,
                                  prediction->low,
                                  prediction->high,
                                  verdict->measured,
                                  verdict->error,
                                  verdict->low,
                                  verdict->high,
                                  verdict->tolerance};
        char texts[8][32];
        const char *fields[13] = {sdsim_run_label(row->run), row->run->scenario,
                                  sdsim_metric_name(prediction->typical.metric),
                                  sdsim_metric_unit(prediction->typical.metric)};
        for (size_t n = 0; n < 8; n++) {
            fields[4 + n] = sdsim_number_text(numbers[n], texts[n], sizeof texts[n]);
        }
        if (!verdict->judged) {
            fields[11] = NULL;
        }
        fields[12] = verdict->judged ? (verdict->within ? "true" : "false") : NULL;
        sdsim_csv_line(out, fields, 13);
    }
}
