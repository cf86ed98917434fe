/*
 * A prediction held against what was measured on real hardware.
 *
 * The error is relative to the measured value; where a range was measured, it is 0 inside and
 * relative to the nearer end outside. A measurement is covered if the 90 % interval of the
 * prediction holds it (a range: any of it).
 */
#ifndef SDSIM_REPORT_VERDICT_H
#define SDSIM_REPORT_VERDICT_H

#include <stdbool.h>

#include "setup/simulate.h"

struct sdsim_verdict {
    bool given; /* there is a measured value; all else is 0 if not */
    double low; /* what was measured; equal for a single value */
    double high;
    double measured; /* the value, or the end of the range nearer to the prediction */
    double error;
    double tolerance;
    bool within; /* |error| <= tolerance */
    bool covered;
};

struct sdsim_verdict sdsim_verdict(const struct sdsim_run_params *run,
                                   const struct sdsim_prediction *prediction);

#endif
