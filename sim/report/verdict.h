/*
 * A prediction held against what was measured on real hardware.
 *
 * The error is (predicted - measured) / measured. Where a range was measured, its point nearest to
 * the prediction counts: inside that is the prediction itself, and the error 0. A measurement is
 * covered if the 90 % interval of the prediction holds it (a range: any of it).
 *
 * A run with `judged: false` (too little is known about how it was measured) has an error and
 * coverage like all others, but nothing is held against it.
 */
#ifndef SDSIM_REPORT_VERDICT_H
#define SDSIM_REPORT_VERDICT_H

#include <stdbool.h>

#include "report/json.h"
#include "report/style.h"
#include "setup/simulate.h"

struct sdsim_verdict {
    bool given; /* there is a measured value; all else is 0 if not */
    double low; /* what was measured; equal for a single value */
    double high;
    double measured; /* the value, or the point of the range nearest to the prediction */
    double error;    /* (predicted - measured) / measured */
    bool judged;     /* there is a tolerance */
    double tolerance;
    bool within; /* judged, and |error| <= tolerance */
    bool covered;
};

struct sdsim_verdict sdsim_verdict(const struct sdsim_run_params *run,
                                   const struct sdsim_prediction *prediction);

/* "within the tolerance of 10%", "outside the tolerance of 10%", "not judged". Gives `text`. */
const char *sdsim_judgement(const struct sdsim_verdict *verdict, char *text, size_t size);

/* "tolerance" and "within", null if it is not judged. */
void sdsim_verdict_json(const struct sdsim_verdict *verdict, struct sdsim_json *json);

/* What the error is written with: good, bad, or plain if it is not judged. */
enum sdsim_ink sdsim_verdict_ink(const struct sdsim_verdict *verdict);

#endif
