/*
 * Fitting to one's own board and card: a few values, from one or more measurements.
 *
 * The knobs are all values with a range that the runs use. Each is expected where it is, as far as
 * its range goes; the measurements, taken to be right within a few percent, pull. So one number
 * moves most what is least certain and matters most, and everything else stays.
 *
 * How. Rounds of simulating and solving (measure/fit_problem.h); a solution is found by cminpack's
 * lmder from several seeded starts, within bounds of three spreads on each side, and the best is
 * taken. Afterwards the ranges are as wide as the data leave them.
 */
#ifndef SDSIM_MEASURE_OWN_H
#define SDSIM_MEASURE_OWN_H

#include "measure/fit.h"

struct sdsim_own_fit {
    struct sdsim_knobs knobs; /* fitted; .value and its range */
    double *narrowing;        /* by knob: 1: the data say nothing; 0: they say all */
    bool *used;               /* by knob: a run depends on it */
    double before;            /* mean |log error| of the records */
    double after;
};

/*
 * Fits to the plans that `wanted` marks (NULL: all). The knobs stay tied to the runs of all plans,
 * so what is predicted from now on is predicted with them, until sdsim_own_free() puts the values
 * back. False without memory; sdsim_own_free takes it in any case.
 */
bool sdsim_own_fit(const struct sdsim_plans *plans, const bool *wanted, struct sdsim_own_fit *fit);
void sdsim_own_free(struct sdsim_own_fit *fit);

#endif
