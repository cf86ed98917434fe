/*
 * What a capture shows (capture/summary.h, capture/findings.h), as text of 80 columns and as JSON.
 */
#ifndef SDSIM_REPORT_CAPTURE_REPORT_H
#define SDSIM_REPORT_CAPTURE_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "capture/findings.h"
#include "report/json.h"
#include "report/style.h"

struct sdsim_capture_view {
    const struct sdsim_capture *capture; /* decoded to its end, or as far as it goes */
    const struct sdsim_summary *summary;
    const struct sdsim_findings *findings;
    bool partial; /* it can't be read to its end */
    bool all;     /* text: list all commands */
};

/* False without memory. */
bool sdsim_capture_print(const struct sdsim_capture_view *view, const struct sdsim_style *style,
                         FILE *out);

void sdsim_capture_json(const struct sdsim_capture_view *view, FILE *out);

#endif
