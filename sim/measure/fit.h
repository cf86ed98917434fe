/*
 * Fitting profile values to measurements.
 *
 * What is minimised: for every record the logarithm of predicted over measured, and for every knob
 * the logarithm of its value over what it is expected to be (measure/knobs.h), each in units of its
 * spread. With few data a knob so stays where sources put it, and what many share moves with all of
 * them. The longest call counts little: it is luck more than anything.
 *
 * Weights. Records of one group are not independent: a group of n counts as much as n^0.3 records.
 * Errors count by their size, not its square (iteratively reweighted), since what is judged is a
 * median and some records are wrong.
 *
 * How. A few rounds of simulating all runs, and how each answers to its own knobs, and of solving for
 * the logarithms of all knobs at once (measure/fit_problem.h, fit_solve.c).
 *
 * Afterwards every knob gets a range: how well the data determine it, together with how far values
 * of its kind lie apart; all ranges are scaled, slow and fast ends apart, so that a chosen share of
 * the records lies in the 90 % interval.
 *
 * Which numbers come out does not depend on the number of threads.
 */
#ifndef SDSIM_MEASURE_FIT_H
#define SDSIM_MEASURE_FIT_H

#include "measure/knobs.h"
#include "measure/plan.h"

/* Does work(context, i) for all i below count, on any number of threads. */
typedef void sdsim_parallel(void *pool, const char *what, size_t count,
                            void (*work)(void *context, size_t index), void *context);

struct sdsim_fit_options {
    const bool *wanted; /* by plan: take it into account; NULL: all */
    double coverage;    /* share of the records the ranges are to hold; 0: leave ranges alone */
    unsigned rounds;    /* of reweighting; 0: as many as usual */
    sdsim_parallel *parallel;
    void *pool;
};

struct sdsim_fit_result {
    size_t records;
    size_t values; /* knobs the data say something about */
    double before; /* mean |log error|, groups weighing one */
    double after;
    double slow_factor; /* what the ends of the ranges were scaled by */
    double fast_factor;
    double coverage;
};

/* Turns `knobs`, which are tied to the plans' runs, so that the predictions fit. False without
 * memory. */
bool sdsim_fit(const struct sdsim_plans *plans, struct sdsim_knobs *knobs,
               const struct sdsim_fit_options *options, struct sdsim_fit_result *result);

#endif
