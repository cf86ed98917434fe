/*
 * How well the rest of a set-up is predicted once one or two of its numbers are known.
 *
 * For every group of records that share a board, card and software: each record in turn is given to
 * the fit to one's own board (measure/own.h), and the other configurations of the same operation are
 * predicted; then each pair of a small and a large call. What counts is the median error within a
 * group, then the median over groups.
 *
 * Records of shortest and longest calls are neither given nor judged, nor are random operations and
 * computers (not microcontrollers).
 */
#ifndef SDSIM_MEASURE_POINTS_H
#define SDSIM_MEASURE_POINTS_H

#include "measure/plan.h"

enum sdsim_points_op { SDSIM_POINTS_READ, SDSIM_POINTS_WRITE, SDSIM_POINTS_OPS };

/* Medians of groups, collected over any number of calls. */
struct sdsim_points {
    double *errors[SDSIM_POINTS_OPS][2]; /* by operation, and one or two points given */
    size_t count[SDSIM_POINTS_OPS][2];
    size_t capacity[SDSIM_POINTS_OPS][2];
};

/* Adds the groups of some plans. False without memory. */
bool sdsim_points_add(struct sdsim_points *points, const struct sdsim_plans *plans);
void sdsim_points_free(struct sdsim_points *points);

/* The median over groups; 0 without any. `given` is 1 or 2. */
double sdsim_points_median(const struct sdsim_points *points, enum sdsim_points_op op, int given);

#endif
