/*
 * A fit as a problem: the runs that are simulated, the records that hang on them, and how each run
 * answers when a knob is turned.
 *
 * Between simulations runs are taken as linear: the time of a call is a sum of costs, each some
 * number of times a knob's value. That is nearly exact for what knobs stand for, so a few rounds of
 * simulating and solving do.
 *
 * For the files of this folder only.
 */
#ifndef SDSIM_MEASURE_FIT_PROBLEM_H
#define SDSIM_MEASURE_FIT_PROBLEM_H

#include <pthread.h>

#include "measure/fit.h"
#include "measure/forecast.h"

#define SDSIM_FIT_KNOBS 64 /* most that one run uses */

/* A run that is simulated, and the knobs it uses. */
struct sdsim_fit_unit {
    const struct sdsim_plan *plan;
    struct sdsim_medium *medium;
    size_t columns[SDSIM_FIT_KNOBS];
    size_t column_count;
    bool valid;                         /* it could be simulated */
    double times[SDSIM_MEASURED_COUNT]; /* at the point of the last simulation; for a rate, of a
                                           byte */
    double slopes[SDSIM_FIT_KNOBS][SDSIM_MEASURED_COUNT]; /* d time / d knob there */
};

struct sdsim_fit_record {
    size_t unit;
    enum sdsim_measured metric;
    double low; /* logarithms of the times that were measured */
    double high;
    double group_weight; /* of one record of its group */
    double share;        /* 1 / records of its group */
};

struct sdsim_fit_problem {
    const struct sdsim_fit_options *options;
    struct sdsim_config *config;
    struct sdsim_knobs *knobs;
    size_t *columns; /* the knob of each column: those the runs use, and what these start from */
    size_t column_count;
    size_t *column_of; /* of each knob, or SDSIM_NO_KNOB */
    double *point;     /* of each column: logarithm of the value at the last simulation */
    struct sdsim_fit_unit *units;
    size_t unit_count;
    struct sdsim_fit_record *records;
    size_t record_count;
    pthread_mutex_t lock; /* of the config and the knobs' texts */
};

/* False without memory; sdsim_fit_close takes it in any case. */
bool sdsim_fit_open(struct sdsim_fit_problem *problem, const struct sdsim_plans *plans,
                    struct sdsim_knobs *knobs, const struct sdsim_fit_options *options);
void sdsim_fit_close(struct sdsim_fit_problem *problem);

/* Turns the knobs to x (logarithms, by column) and simulates all runs there; with `slopes` also how
 * they answer. */
void sdsim_fit_simulate(struct sdsim_fit_problem *problem, const double *x, bool slopes);

/* Logarithm of predicted over measured time of a record at x, taken as linear from the last
 * simulation; 0 inside a measured range and for runs that could not be simulated. `gradient`, if not
 * NULL, gets d error / d x for each column of the record's unit. */
double sdsim_fit_error(const struct sdsim_fit_problem *problem,
                       const struct sdsim_fit_record *record, const double *x, double *gradient);

/* How far column c lies from what is expected of it, in units of its spread; *parent is the column
 * it starts from, or SDSIM_NO_KNOB. */
double sdsim_fit_departure(const struct sdsim_fit_problem *problem, const double *x, size_t c,
                           size_t *parent);

/* Works on pieces as the options say. */
void sdsim_fit_each(const struct sdsim_fit_problem *problem, const char *what, size_t count,
                    void (*work)(void *context, size_t index), void *context);

/* ---- the steps of a fit ---- */

/* Finds the best x, starting where the knobs are; the knobs are left there. `deviation` gets how
 * well the data determine each column. False without memory. */
bool sdsim_fit_solve(struct sdsim_fit_problem *problem, unsigned rounds, double *deviation,
                     struct sdsim_fit_result *result);

/* Gives all knobs ranges that together hold the wanted share of the records. False without memory.
 */
bool sdsim_fit_ranges(struct sdsim_fit_problem *problem, const double *deviation,
                      struct sdsim_fit_result *result);

#endif
