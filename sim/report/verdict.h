/*
 * A prediction held against what was measured on real hardware.
 *
 * The error is (predicted - measured) / measured. Where a range was measured, its point nearest to
 * the prediction counts: inside that is the prediction itself, and the error 0. A measurement is
 * covered if the 90 % interval of the prediction holds it (a range: any of it).
 */
#ifndef SDSIM_REPORT_VERDICT_H
#define SDSIM_REPORT_VERDICT_H

#include <stdbool.h>

#include "setup/simulate.h"

struct sdsim_verdict {
    bool given; /* there is a measured value; all else is 0 if not */
    double low; /* what was measured; equal for a single value */
    double high;
    double measured; /* the value, or the point of the range nearest to the prediction */
    double error;    /* (predicted - measured) / measured */
    double tolerance;
    bool within; /* |error| <= tolerance */
    bool covered;
};

struct sdsim_verdict sdsim_verdict(const struct sdsim_run_params *run,
                                   const struct sdsim_prediction *prediction);

#endif
