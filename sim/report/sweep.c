#include "report/sweep.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/csv.h"
#include "report/format.h"
#include "report/json.h"
#include "report/table.h"

size_t sdsim_sweep_stride(const struct sdsim_sweep *sweep, size_t axis)
{
    size_t points = 1;
    size_t behind = 1;
    for (size_t a = 0; a < sweep->axis_count; a++) {
        points *= sweep->axes[a].count;
        behind *= a > axis ? sweep->axes[a].count : 1;
    }
    return points > 0 ? sweep->count / points * behind : 1;
}

void sdsim_sweep_row_fail(struct sdsim_sweep_row *row, const char *why)
{
    char line[160];
    snprintf(line, sizeof line, "%s", why[0] != '\0' ? why : "it can't be set up");
    for (char *at = line; *at != '\0'; at++) {
        *at = *at == '\n' ? ' ' : *at;
    }
    free(row->error);
    row->failed = true;
    row->error = strdup(line);
}

const char *sdsim_sweep_row_why(const struct sdsim_sweep_row *row)
{
    return !row->failed ? NULL : row->error != NULL ? row->error : "out of memory";
}

/* ---- CSV ---- */

/* Behind the axes. */
static const char *const columns[] = {
    "run",  "metric",   "unit",        "predicted",      "low",
    "high", "clock_hz", "mean_call_s", "longest_call_s", "error",
};

enum { COLUMNS = sizeof columns / sizeof *columns, BEFORE = 3 };

void sdsim_sweep_csv_head(const struct sdsim_sweep *sweep, FILE *out)
{
    const char *fields[BEFORE + SDSIM_SWEEP_AXES + COLUMNS] = {"row", "rows", "sweep"};
    for (size_t a = 0; a < sweep->axis_count; a++) {
        fields[BEFORE + a] = sweep->axes[a].path;
    }
    memcpy(fields + BEFORE + sweep->axis_count, columns, sizeof columns);
    sdsim_csv_line(out, fields, BEFORE + sweep->axis_count + COLUMNS);
}

void sdsim_sweep_csv_row(const struct sdsim_sweep *sweep, size_t row, FILE *out)
{
    const struct sdsim_sweep_row *r = &sweep->rows[row];
    char number[24], count[24], mark[24], numbers[6][32];
    const double values[] = {r->predicted, r->low,       r->high,
                             r->clock_hz,  r->mean_call, r->longest_call};
    const char *fields[BEFORE + SDSIM_SWEEP_AXES + COLUMNS] = {number, count, mark};
    size_t used = BEFORE;
    snprintf(number, sizeof number, "%zu", row);
    snprintf(count, sizeof count, "%zu", sweep->count);
    snprintf(mark, sizeof mark, "%016" PRIx64, sweep->mark);
    for (size_t a = 0; a < sweep->axis_count; a++) {
        fields[used++] = r->values[a];
    }
    fields[used++] = r->run;
    if (!r->failed) {
        fields[used++] = sdsim_metric_name(r->metric);
        fields[used++] = sdsim_metric_unit(r->metric);
        for (size_t v = 0; v < 6; v++) {
            fields[used++] = sdsim_number_text(values[v], numbers[v], sizeof numbers[v]);
        }
        fields[used++] = NULL;
    } else {
        used += COLUMNS - 2; /* empty */
        fields[used++] = sdsim_sweep_row_why(r);
    }
    sdsim_csv_line(out, fields, used);
}

void sdsim_sweep_csv(const struct sdsim_sweep *sweep, FILE *out)
{
    sdsim_sweep_csv_head(sweep, out);
    for (size_t row = 0; row < sweep->count; row++) {
        if (sweep->rows[row].done) {
            sdsim_sweep_csv_row(sweep, row, out);
        }
    }
}

/* ---- JSON ---- */

static void json_row(struct sdsim_json *json, const struct sdsim_sweep *sweep, size_t row)
{
    const struct sdsim_sweep_row *r = &sweep->rows[row];
    sdsim_json_object(json, NULL);
    sdsim_json_count(json, "row", row);
    sdsim_json_object(json, "values");
    for (size_t a = 0; a < sweep->axis_count; a++) {
        sdsim_json_text(json, sweep->axes[a].path, r->values[a]);
    }
    sdsim_json_end(json);
    sdsim_json_text(json, "run", r->run);
    if (!r->failed) {
        sdsim_json_text(json, "metric", sdsim_metric_name(r->metric));
        sdsim_json_text(json, "unit", sdsim_metric_unit(r->metric));
        sdsim_json_number(json, "predicted", r->predicted);
        sdsim_json_number(json, "low", r->low);
        sdsim_json_number(json, "high", r->high);
        sdsim_json_number(json, "clock_hz", r->clock_hz);
        sdsim_json_number(json, "mean_call_s", r->mean_call);
        sdsim_json_number(json, "longest_call_s", r->longest_call);
    }
    sdsim_json_text(json, "error", sdsim_sweep_row_why(r));
    sdsim_json_end(json);
}

void sdsim_sweep_json(const struct sdsim_sweep *sweep, FILE *out)
{
    struct sdsim_json json;
    char mark[24];
    snprintf(mark, sizeof mark, "%016" PRIx64, sweep->mark);
    sdsim_json_start(&json, out);
    sdsim_json_object(&json, NULL);
    sdsim_json_text(&json, "scenario", sweep->scenario);
    sdsim_json_text(&json, "sweep", mark);
    sdsim_json_count(&json, "draws", sweep->draws);
    sdsim_json_count(&json, "rows_of_all", sweep->count);
    sdsim_json_array(&json, "rows");
    for (size_t row = 0; row < sweep->count; row++) {
        if (sweep->rows[row].done) {
            json_row(&json, sweep, row);
        }
    }
    sdsim_json_end(&json);
    sdsim_json_end(&json);
}

/* ---- the table ---- */

static size_t done_rows(const struct sdsim_sweep *sweep)
{
    size_t done = 0;
    for (size_t row = 0; row < sweep->count; row++) {
        done += sweep->rows[row].done;
    }
    return done;
}

static bool any_run(const struct sdsim_sweep *sweep)
{
    return sweep->count > 0 && sweep->rows[0].run[0] != '\0';
}

static void table_row(struct sdsim_table *table, const struct sdsim_sweep *sweep,
                      const struct sdsim_sweep_row *row, bool runs)
{
    char value[32], interval[48], longest[32];
    for (size_t a = 0; a < sweep->axis_count; a++) {
        sdsim_table_cell(table, SDSIM_INK_PLAIN, "%s", row->values[a]);
    }
    if (runs) {
        sdsim_table_cell(table, SDSIM_INK_PLAIN, "%s", row->run);
    }
    if (row->failed) {
        sdsim_table_cell(table, SDSIM_INK_BAD, "-");
        sdsim_table_cell(table, SDSIM_INK_PLAIN, "%s", sdsim_sweep_row_why(row));
        sdsim_table_cell(table, SDSIM_INK_PLAIN, "%s", "");
        return;
    }
    sdsim_table_cell(table, SDSIM_INK_PLAIN, "%s",
                     sdsim_print_value(row->metric, row->predicted, value, sizeof value));
    sdsim_table_cell(table, SDSIM_INK_PLAIN, "%s",
                     sweep->draws == 0
                         ? ""
                         : sdsim_print_ends(row->metric, row->low, row->high, row->predicted,
                                            interval, sizeof interval));
    sdsim_unit_print(SDSIM_UNIT_TIME, row->longest_call * 1e12, longest, sizeof longest);
    sdsim_table_cell(table, SDSIM_INK_PLAIN, "%s", longest);
}

/* Rows that did not come to an end, for the line below the table. */
static size_t failed_rows(const struct sdsim_sweep *sweep)
{
    size_t failed = 0;
    for (size_t row = 0; row < sweep->count; row++) {
        failed += sweep->rows[row].done && sweep->rows[row].failed;
    }
    return failed;
}

/* The findings in lines of 80 columns. False without memory. */
static bool print_findings(const struct sdsim_sweep *sweep, FILE *out)
{
    char *text = NULL;
    size_t size = 0;
    FILE *lines = open_memstream(&text, &size);
    if (lines == NULL) {
        return false;
    }
    sdsim_sweep_findings(sweep, lines);
    const bool fine = fclose(lines) == 0;
    for (char *line = text; fine && *line != '\0';) {
        char *end = strchr(line, '\n');
        *end = '\0';
        sdsim_print_wrapped(out, "", line);
        line = end + 1;
    }
    free(text);
    return fine;
}

bool sdsim_sweep_print(const struct sdsim_sweep *sweep, size_t most,
                       const struct sdsim_style *style, FILE *out)
{
    const bool runs = any_run(sweep);
    struct sdsim_column heads[SDSIM_SWEEP_AXES + 4];
    struct sdsim_table table;
    size_t used = 0;
    size_t shown = 0;
    for (size_t a = 0; a < sweep->axis_count; a++) {
        heads[used++] =
            (struct sdsim_column){.title = sweep->axes[a].path, .right = sweep->axes[a].numeric};
    }
    if (runs) {
        heads[used++] = (struct sdsim_column){.title = "run"};
    }
    heads[used++] = (struct sdsim_column){.title = "predicted", .right = true};
    const size_t failed = failed_rows(sweep);
    heads[used++] = (struct sdsim_column){
        .title = sweep->draws > 0 ? "90% interval" : "", .right = failed == 0, .wrap = failed > 0};
    heads[used++] = (struct sdsim_column){.title = "longest call", .right = true};
    sdsim_table_init(&table, heads, used);
    for (size_t row = 0; row < sweep->count && shown < most; row++) {
        if (sweep->rows[row].done) {
            table_row(&table, sweep, &sweep->rows[row], runs);
            shown++;
        }
    }
    const bool fine = sdsim_table_print(&table, style, out);
    sdsim_table_free(&table);
    const size_t done = done_rows(sweep);
    if (done > shown) {
        fprintf(out, "... and %zu more rows; --csv or --json give them all\n", done - shown);
    }
    if (failed > 0) {
        fprintf(out, "%zu of %zu rows have no prediction\n", failed, done);
    }
    return print_findings(sweep, out) && fine;
}
