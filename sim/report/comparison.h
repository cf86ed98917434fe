/*
 * Predictions next to measurements: one row a run that has a measured value, and what all rows
 * together say.
 *
 * The JSON:
 *
 *     {"rows": [{"id", "scenario", "metric", "unit", "predicted", "low", "high", "measured",
 *                "error", "measured_low", "measured_high", "tolerance", "within"}],
 *      "summary": {"count", "median_abs_error", "p90_abs_error", "coverage", "outside",
 *                  "not_judged", "headline": {"numbers", "fitted", "fitted_elsewhere"}}}
 *
 * Values are bytes or lines per second; errors are (predicted - measured) / measured. Where a range
 * was measured, `measured` is its point nearest to the prediction. `id` is the scenario's name if
 * the run has none; `tolerance` and `within` are null if it is not judged. Median, p90 and coverage
 * are null without rows. The CSV has the columns of the rows.
 */
#ifndef SDSIM_REPORT_COMPARISON_H
#define SDSIM_REPORT_COMPARISON_H

#include <stdbool.h>
#include <stdio.h>

#include "report/run_report.h"

struct sdsim_comparison {
    const struct sdsim_run_report *rows; /* all of them have a measured value; not owned */
    size_t count;
    struct sdsim_fit_count fitted; /* over the headline rows */
    size_t headline;
    size_t outside;    /* of their tolerance */
    size_t not_judged; /* counted in all else */
    double median;     /* of |error|; 0 without rows */
    double p90;        /* nearest rank */
    double coverage;
};

/* Sums up. False without memory. */
bool sdsim_compare(struct sdsim_comparison *comparison, const struct sdsim_run_report *rows,
                   size_t count);

bool sdsim_comparison_print(const struct sdsim_comparison *comparison,
                            const struct sdsim_style *style, FILE *out);
void sdsim_comparison_json(const struct sdsim_comparison *comparison, FILE *out);
void sdsim_comparison_csv(const struct sdsim_comparison *comparison, FILE *out);

#endif
