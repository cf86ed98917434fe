/*
 * Predictions held against a file of measurements, as text, JSON and CSV.
 *
 * The JSON is that of a comparison (report/comparison.h): {"rows": [...], "summary": {...}}. A row
 * has `id` and the record's other fields, metric and unit as the record names them, predicted, low,
 * high, measured, error, measured_low, measured_high, covered, and `reason` where predicted is null
 * because the record can't be modelled. `tolerance` and `within` are null: a measurement has none.
 * The summary's medians are taken within groups first (measure/score.h); it has `groups`, `strata`
 * by host, bus, driver, op and card_class, and `kinds`.
 */
#ifndef SDSIM_REPORT_MEASURED_H
#define SDSIM_REPORT_MEASURED_H

#include <stdbool.h>
#include <stdio.h>

#include "measure/score.h"
#include "report/style.h"
#include "setup/setup.h"

struct sdsim_measured_report {
    const struct sdsim_score *rows; /* numbered; not owned */
    size_t count;
    struct sdsim_fit_count fitted; /* over all rows */
    bool rows_too;                 /* text: each row, not only the summary */
};

/* False without memory. */
bool sdsim_measured_print(const struct sdsim_measured_report *report,
                          const struct sdsim_style *style, FILE *out);
bool sdsim_measured_json(const struct sdsim_measured_report *report, FILE *out);
void sdsim_measured_csv(const struct sdsim_measured_report *report, FILE *out);

#endif
