#include "report/accuracy_report.h"

#include <stdlib.h>
#include <string.h>

/* A stratum is judged if it has so many groups from so many sources; smaller ones are only printed.
 */
#define JUDGED_GROUPS  8
#define JUDGED_SOURCES 5

static const char intro[] =
    "# How accurate the predictions are\n"
    "\n"
    "Made by `sdsim accuracy` from `calibration.jsonl`; don't edit it by hand.\n"
    "\n"
    "Every number below is a prediction of a measurement that no fitted value has seen: the\n"
    "measurements are split by source into five folds; for each fold all fitted values (hosts,\n"
    "drivers' costs, card classes, named cards) are fitted again to the other four, and the fold "
    "is\n"
    "predicted with them. A card that only the fold names is not known by name. A headline value\n"
    "whose source is in the fold falls back to where it started.\n"
    "\n"
    "Errors are |predicted - measured| / measured, medians within a group (one board, card, "
    "software\n"
    "and bus) first, then over groups; p90 is the 90th percentile of the groups' medians. Coverage "
    "is\n"
    "how often the measured value lies in the predicted 90 % interval, each group weighing one. A\n"
    "record that can't be modelled counts as an error of 100 % and as not covered. Longest calls "
    "are\n"
    "judged by coverage only.\n"
    "\n"
    "It is still a little flattering: starting values of the card classes were read from some of "
    "the\n"
    "same sources, and so were a few structural facts (how many AUs a named card keeps open), "
    "which\n"
    "are not fitted and so not left out either. Weights, spreads and a few starting values were "
    "chosen\n"
    "while looking at these very figures. Records known to be wrong are in it.\n"
    "\n";

static void head(const char *first, FILE *out)
{
    fprintf(out, "| %s | groups | sources | records | median error | p90 | covered |\n", first);
    fputs("| --- | ---: | ---: | ---: | ---: | ---: | ---: |\n", out);
}

static void line(const char *name, const struct sdsim_summary *summary, const char *mark, FILE *out)
{
    fprintf(out, "| %s%s | %zu | %zu | %zu | ", name[0] != '\0' ? name : "(not said)", mark,
            summary->groups, summary->sources, summary->records);
    if (summary->judged > 0) {
        fprintf(out, "%.1f %% | %.0f %% | ", 100.0 * summary->median_error,
                100.0 * summary->p90_error);
    } else {
        fputs("- | - | ", out);
    }
    fprintf(out, "%.0f %% |\n", 100.0 * summary->coverage);
}

static bool kinds(const struct sdsim_accuracy *accuracy, bool microcontroller, FILE *out)
{
    bool fine = true;
    head(microcontroller ? "microcontrollers" : "Linux hosts", out);
    for (int k = 0; fine && k < SDSIM_NUMBER_KINDS; k++) {
        const enum sdsim_kind_of_number kind = (enum sdsim_kind_of_number)k;
        struct sdsim_summary summary;
        fine =
            sdsim_scores_sum_kind(accuracy->rows, accuracy->count, kind, microcontroller, &summary);
        if (summary.records > 0) {
            line(sdsim_number_kind_name(kind), &summary, "", out);
        }
    }
    fputc('\n', out);
    return fine;
}

static bool is_judged(const struct sdsim_summary *summary)
{
    return summary->groups >= JUDGED_GROUPS && summary->sources >= JUDGED_SOURCES;
}

static bool strata(const struct sdsim_accuracy *accuracy, enum sdsim_dimension dimension, FILE *out)
{
    size_t count;
    struct sdsim_stratum *list =
        sdsim_scores_strata(accuracy->rows, accuracy->count, dimension, &count);
    if (list == NULL) {
        return false;
    }
    head(sdsim_dimension_name(dimension), out);
    for (size_t s = 0; s < count; s++) {
        line(list[s].name, &list[s].summary, is_judged(&list[s].summary) ? " *" : "", out);
    }
    fputc('\n', out);
    free(list);
    return true;
}

static void points(const struct sdsim_accuracy *accuracy, FILE *out)
{
    static const char *const names[] = {
        [SDSIM_POINTS_READ] = "reads", [SDSIM_POINTS_WRITE] = "writes and appends"};
    fputs(
        "## With one or two numbers of one's own\n\n"
        "One number of a set-up is given to `sdsim calibrate`, and the set-up's other\n"
        "configurations of the same operation are predicted; then two numbers, one of a small and\n"
        "one of a large call. Each in turn, by values that have not seen the source; medians\n"
        "within groups, then over groups.\n\n"
        "| | one number | groups | two numbers | groups |\n"
        "| --- | ---: | ---: | ---: | ---: |\n",
        out);
    for (int op = 0; op < SDSIM_POINTS_OPS; op++) {
        const enum sdsim_points_op which = (enum sdsim_points_op)op;
        fprintf(out, "| %s | %.1f %% | %zu | %.1f %% | %zu |\n", names[op],
                100.0 * sdsim_points_median(&accuracy->points, which, 1),
                accuracy->points.count[op][0],
                100.0 * sdsim_points_median(&accuracy->points, which, 2),
                accuracy->points.count[op][1]);
    }
    fputc('\n', out);
}

static void fits(const struct sdsim_accuracy *accuracy, FILE *out)
{
    fprintf(
        out,
        "## The fits\n\n"
        "%zu values of all profiles may be fitted. What the data of a fold say something about,\n"
        "and what the fit made of its own (not the left-out) records:\n\n"
        "| left out | records fitted to | values determined | mean error before | after |\n"
        "| --- | ---: | ---: | ---: | ---: |\n",
        accuracy->free_values);
    for (size_t f = 0; f < SDSIM_FOLDS; f++) {
        const struct sdsim_fit_result *result = &accuracy->folds[f];
        fprintf(out, "| fold %zu | %zu | %zu | %.1f %% | %.1f %% |\n", f + 1, result->records,
                result->values, 100.0 * result->before, 100.0 * result->after);
    }
}

bool sdsim_accuracy_markdown(const struct sdsim_accuracy *accuracy, const char *picture, FILE *out)
{
    struct sdsim_summary all;
    if (!sdsim_scores_sum(accuracy->rows, accuracy->count, NULL, NULL, &all)) {
        return false;
    }
    fputs(intro, out);
    bool fine = kinds(accuracy, true, out) && kinds(accuracy, false, out);
    fprintf(
        out,
        "All %zu groups: median error %.1f %%, coverage %.1f %%; %zu groups have a record that\n"
        "can't be modelled.\n\n![predicted against measured](%s)\n\n",
        all.groups, 100.0 * all.median_error, 100.0 * all.coverage, all.unpredicted, picture);
    points(accuracy, out);
    fprintf(
        out,
        "## By stratum\n\nA star marks strata with at least %d groups from at least %d sources;\n"
        "the others are too small to say much.\n\n",
        JUDGED_GROUPS, JUDGED_SOURCES);
    for (int d = 0; fine && d < SDSIM_DIMENSION_COUNT; d++) {
        fine = strata(accuracy, (enum sdsim_dimension)d, out);
    }
    fits(accuracy, out);
    return fine;
}

/* ---- the picture ---- */

bool sdsim_accuracy_data(const struct sdsim_accuracy *accuracy, FILE *out)
{
    static const char *const series[] = {"read", "write", "random-read", "random-write"};
    for (size_t s = 0; s < sizeof series / sizeof *series; s++) {
        fprintf(out, "# %s: measured predicted low high, MB/s\n", series[s]);
        for (size_t i = 0; i < accuracy->count; i++) {
            const struct sdsim_score *row = &accuracy->rows[i];
            const struct sdsim_measurement *measurement = row->measurement;
            const char *op = strcmp(measurement->op, "append") == 0 ? "write" : measurement->op;
            if (row->reason == NULL && measurement->metric == SDSIM_MEASURED_THROUGHPUT &&
                strcmp(op, series[s]) == 0) {
                fprintf(out, "%.4g %.4g %.4g %.4g\n", measurement->value / 1e6,
                        row->predicted / 1e6, row->low / 1e6, row->high / 1e6);
            }
        }
        fputs("NaN NaN NaN NaN\n\n\n", out); /* a series must not be empty */
    }
    return true;
}

void sdsim_accuracy_script(enum sdsim_picture_format format, const char *data, const char *picture,
                           FILE *out)
{
    fprintf(out, "set terminal %s\n",
            format == SDSIM_PICTURE_SVG
                ? "svg size 760,760 font 'sans-serif,13' background rgb 'white'"
                : "pngcairo size 760,760 font 'sans-serif,11'");
    fprintf(out, "set output '%s'\n", picture);
    fputs("set logscale xy\n"
          "set xrange [0.005:100]\n"
          "set yrange [0.005:100]\n"
          "set size square\n"
          "set grid lc rgb '#dddddd'\n"
          "set key top left\n"
          "set xlabel 'measured, MB/s'\n"
          "set ylabel 'predicted, MB/s'\n"
          "set title 'Throughput: predictions of measurements that were left out of the fit'\n",
          out);
    fprintf(
        out,
        "plot x with lines lc rgb '#888888' title 'equal', \\\n"
        "  2*x with lines dt 2 lc rgb '#bbbbbb' title 'factor of 2', \\\n"
        "  x/2 with lines dt 2 lc rgb '#bbbbbb' notitle, \\\n"
        "  '%s' index 3 using 1:2 with points pt 7 ps 0.3 lc rgb '#cc79a7' title 'random "
        "write', \\\n"
        "  '' index 2 using 1:2 with points pt 7 ps 0.4 lc rgb '#e69f00' title 'random read', \\\n"
        "  '' index 1 using 1:2 with points pt 7 ps 0.5 lc rgb '#d55e00' title 'write', \\\n"
        "  '' index 0 using 1:2 with points pt 7 ps 0.5 lc rgb '#0072b2' title 'read'\n",
        data);
}
