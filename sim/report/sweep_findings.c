/*
 * What the rows of a sweep show.
 *
 * A series is what is left when one numeric axis varies and all else stays: the rows along that axis.
 * Its knee is the first value from which on 95 % of the best of the series is reached; that is said
 * only if it lies before the last value and the series gains a tenth or more. Two series along the
 * same axis cross where one is better at one value and the other at the next; that is asked of series
 * that differ in one thing only, and do the same: reading that overtakes writing is no finding.
 */
#include <string.h>

#include "report/format.h"
#include "report/sweep.h"

enum { MOST_SENTENCES = 8 };

#define NEAR_BEST 0.95
#define WORTH_IT  1.10
#define CLEARLY   1.02 /* a crossing counts if both sides are this far apart */

static bool more_is_better(enum sdsim_metric metric)
{
    return metric == SDSIM_METRIC_THROUGHPUT || metric == SDSIM_METRIC_LINES;
}

/* How good a row is; comparable within one metric. */
static double merit(const struct sdsim_sweep_row *row)
{
    return more_is_better(row->metric) ? row->predicted
           : row->predicted > 0        ? 1 / row->predicted
                                       : 0;
}

static bool usable(const struct sdsim_sweep_row *row)
{
    return row->done && !row->failed && row->predicted > 0;
}

/* A series: rows from `first` on, `stride` apart. */
struct series {
    const struct sdsim_sweep *sweep;
    size_t axis;
    size_t first;
    size_t stride;
};

static const struct sdsim_sweep_row *at(const struct series *series, size_t i)
{
    return &series->sweep->rows[series->first + i * series->stride];
}

static size_t length(const struct series *series)
{
    return series->sweep->axes[series->axis].count;
}

static bool whole(const struct series *series)
{
    for (size_t i = 0; i < length(series); i++) {
        if (!usable(at(series, i)) || at(series, i)->metric != at(series, 0)->metric) {
            return false;
        }
    }
    return length(series) > 2;
}

/* "card=sdhc32g-u1, run read-4k: ", or "", without what dimension `but` says. */
static void name_series_but(const struct series *series, size_t but, FILE *out)
{
    const struct sdsim_sweep *sweep = series->sweep;
    const char *between = "";
    for (size_t a = 0; a < sweep->axis_count; a++) {
        if (a != series->axis && a != but && sweep->axes[a].count > 1) {
            fprintf(out, "%s%s=%s", between, sweep->axes[a].path, at(series, 0)->values[a]);
            between = ", ";
        }
    }
    if (at(series, 0)->run[0] != '\0' && but != sweep->axis_count) {
        fprintf(out, "%srun %s", between, at(series, 0)->run);
        between = ", ";
    }
    if (between[0] != '\0') {
        fputs(": ", out);
    }
}

static void name_series(const struct series *series, FILE *out)
{
    name_series_but(series, SIZE_MAX, out);
}

static bool knee(const struct series *series, FILE *out)
{
    char value[32], best_text[32];
    size_t best = 0;
    size_t worst = 0;
    for (size_t i = 1; i < length(series); i++) {
        best = merit(at(series, i)) > merit(at(series, best)) ? i : best;
        worst = merit(at(series, i)) < merit(at(series, worst)) ? i : worst;
    }
    size_t from = length(series) - 1;
    while (from > 0 && merit(at(series, from - 1)) >= NEAR_BEST * merit(at(series, best))) {
        from--;
    }
    if (from == 0 || from + 1 >= length(series) ||
        merit(at(series, best)) < WORTH_IT * merit(at(series, worst))) {
        return false;
    }
    name_series(series, out);
    fprintf(out, "from %s = %s on (%s) more brings less than 5%%: the best is %s at %s\n",
            series->sweep->axes[series->axis].path, at(series, from)->values[series->axis],
            sdsim_print_value(at(series, from)->metric, at(series, from)->predicted, value,
                              sizeof value),
            sdsim_print_value(at(series, best)->metric, at(series, best)->predicted, best_text,
                              sizeof best_text),
            at(series, best)->values[series->axis]);
    return true;
}

/* What tells two series apart that differ in dimension `by`: "card=a", or "run b". */
static void name_difference(const struct series *series, size_t by, FILE *out)
{
    const struct sdsim_sweep *sweep = series->sweep;
    if (by < sweep->axis_count) {
        fprintf(out, "%s=%s", sweep->axes[by].path, at(series, 0)->values[by]);
    } else {
        fprintf(out, "run %s", at(series, 0)->run);
    }
}

/* The last place at which `one` is clearly better than `two` before that turns round; 0: none. */
static size_t crossing(const struct series *one, const struct series *two)
{
    for (size_t i = 1; i < length(one); i++) {
        const double before = merit(at(one, i - 1)) / merit(at(two, i - 1));
        const double after = merit(at(one, i)) / merit(at(two, i));
        if (before > CLEARLY && after < 1 / CLEARLY) {
            return i;
        }
    }
    return 0;
}

static bool break_even(const struct series *one, const struct series *two, size_t by, FILE *out)
{
    const struct series *better = one;
    const struct series *worse = two;
    size_t place = crossing(one, two);
    if (place == 0) {
        better = two;
        worse = one;
        place = crossing(two, one);
    }
    if (place == 0 || at(one, 0)->metric != at(two, 0)->metric) {
        return false;
    }
    name_series_but(one, by, out);
    name_difference(better, by, out);
    fprintf(out, " is better up to %s = %s, ", one->sweep->axes[one->axis].path,
            at(one, place - 1)->values[one->axis]);
    name_difference(worse, by, out);
    fprintf(out, " from %s on\n", at(one, place)->values[one->axis]);
    return true;
}

/* Whether row `row` is the first of a series along the axis. */
static bool begins_series(const struct sdsim_sweep *sweep, size_t axis, size_t row)
{
    const size_t stride = sdsim_sweep_stride(sweep, axis);
    return row / stride % sweep->axes[axis].count == 0;
}

/* Whether values of an axis are things to do, not ways to do them. */
static bool is_of_deeds(const struct sdsim_vary *axis)
{
    static const char *const paths[] = {"workload.do", "workload.on", "workload.timed", "measure"};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        if (strcmp(paths[i], axis->path) == 0) {
            return true;
        }
    }
    return false;
}

/* The row before `row` along dimension `by`, an axis or, of axis_count, the runs of a point; `row` itself
 * if it is the first, or if the two do different things. */
static size_t before(const struct sdsim_sweep *sweep, size_t row, size_t by)
{
    const size_t runs = sdsim_sweep_stride(sweep, sweep->axis_count);
    if (by == sweep->axis_count) {
        const size_t run = row % runs;
        const bool same =
            run > 0 && (sweep->does == NULL || strcmp(sweep->does[run], sweep->does[run - 1]) == 0);
        return same ? row - 1 : row;
    }
    const size_t stride = sdsim_sweep_stride(sweep, by);
    return is_of_deeds(&sweep->axes[by]) || row / stride % sweep->axes[by].count == 0
               ? row
               : row - stride;
}

/* Compares the series at `row` with those before it. */
static size_t compare(const struct series *series, size_t said, FILE *out)
{
    const struct sdsim_sweep *sweep = series->sweep;
    for (size_t by = 0; by <= sweep->axis_count && said < MOST_SENTENCES; by++) {
        const struct series other = {
            sweep, series->axis,
            by == series->axis ? series->first : before(sweep, series->first, by), series->stride};
        if (other.first != series->first && whole(&other)) {
            said += break_even(&other, series, by, out);
        }
    }
    return said;
}

static size_t along_axis(const struct sdsim_sweep *sweep, size_t axis, size_t said, FILE *out)
{
    const size_t stride = sdsim_sweep_stride(sweep, axis);
    for (size_t row = 0; row < sweep->count && said < MOST_SENTENCES; row++) {
        const struct series series = {sweep, axis, row, stride};
        if (!begins_series(sweep, axis, row) || !whole(&series)) {
            continue;
        }
        said += knee(&series, out);
        said = compare(&series, said, out);
    }
    return said;
}

/* Whether two rows do the same, so that one may be called better. */
static bool same_deed(const struct sdsim_sweep *sweep, size_t one, size_t two)
{
    const size_t runs = sdsim_sweep_stride(sweep, sweep->axis_count);
    bool same =
        sweep->does == NULL || strcmp(sweep->does[one % runs], sweep->does[two % runs]) == 0;
    for (size_t a = 0; same && a < sweep->axis_count; a++) {
        same = !is_of_deeds(&sweep->axes[a]) ||
               strcmp(sweep->rows[one].values[a], sweep->rows[two].values[a]) == 0;
    }
    return same;
}

/* The best and the worst of the rows that do what row `like` does. */
static void say_best(const struct sdsim_sweep *sweep, size_t like, FILE *out)
{
    const struct sdsim_sweep_row *best = NULL;
    const struct sdsim_sweep_row *worst = NULL;
    for (size_t row = like; row < sweep->count; row++) {
        const struct sdsim_sweep_row *r = &sweep->rows[row];
        if (!usable(r) || !same_deed(sweep, like, row)) {
            continue;
        }
        if (best != NULL && r->metric != best->metric) {
            return; /* rates and times have no common order */
        }
        best = best == NULL || merit(r) > merit(best) ? r : best;
        worst = worst == NULL || merit(r) < merit(worst) ? r : worst;
    }
    if (best == NULL || best == worst) {
        return;
    }
    const struct sdsim_sweep_row *const ends[] = {best, worst};
    for (size_t e = 0; e < 2; e++) {
        char value[32];
        fprintf(out, "%s %s:", e == 0 ? "best: " : "worst:",
                sdsim_print_value(ends[e]->metric, ends[e]->predicted, value, sizeof value));
        for (size_t a = 0; a < sweep->axis_count; a++) {
            fprintf(out, " %s=%s", sweep->axes[a].path, ends[e]->values[a]);
        }
        fprintf(out, "%s%s\n", ends[e]->run[0] != '\0' ? ", run " : "", ends[e]->run);
    }
}

enum { MOST_DEEDS = 4 };

/* Once for each thing that is done; of more than four there is no best. */
static void say_bests(const struct sdsim_sweep *sweep, FILE *out)
{
    size_t first[MOST_DEEDS];
    size_t count = 0;
    for (size_t row = 0; row < sweep->count; row++) {
        bool known = false;
        for (size_t i = 0; i < count && !known; i++) {
            known = same_deed(sweep, first[i], row);
        }
        if (!known && count == MOST_DEEDS) {
            return;
        }
        if (!known) {
            first[count++] = row;
        }
    }
    for (size_t i = 0; i < count; i++) {
        say_best(sweep, first[i], out);
    }
}

void sdsim_sweep_findings(const struct sdsim_sweep *sweep, FILE *out)
{
    size_t said = 0;
    say_bests(sweep, out);
    for (size_t a = 0; !sweep->random && a < sweep->axis_count; a++) {
        if (sweep->axes[a].numeric && sweep->axes[a].count > 2) {
            said = along_axis(sweep, a, said, out);
        }
    }
}
