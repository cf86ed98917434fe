/*
 * Order statistics of a few doubles.
 */
#ifndef SDSIM_CORE_SORTED_H
#define SDSIM_CORE_SORTED_H

#include <stddef.h>

/* Sorts, smallest first. No value may be NaN. */
void sdsim_sort(double *values, size_t count);

/* The value below which `share` (0..1) of sorted ones lie, to the nearest rank; count > 0. */
double sdsim_quantile(const double *sorted, size_t count, double share);

/* The median, the mean of the middle two of an even number; sorts the values; count > 0. */
double sdsim_median(double *values, size_t count);

#endif
