/*
 * How values are spread: counts in buckets whose width grows with the value, 64 to each doubling, so
 * that any number of values takes the same 59 KiB.
 *
 * Count, sum, least and most are exact. A quantile is the mean of the values of one bucket: exact if
 * they are equal, and never off by more than 1/64 of itself.
 */
#ifndef SDSIM_CORE_HISTOGRAM_H
#define SDSIM_CORE_HISTOGRAM_H

#include <stdint.h>

enum {
    SDSIM_HISTOGRAM_SMALL = 128, /* values below have a bucket each */
    SDSIM_HISTOGRAM_BUCKETS = SDSIM_HISTOGRAM_SMALL + 57 * 64,
};

/* All zeros is an empty one. */
struct sdsim_histogram {
    uint64_t count;
    uint64_t sum; /* saturates */
    uint64_t least;
    uint64_t most;
    uint64_t counts[SDSIM_HISTOGRAM_BUCKETS];
    uint64_t sums[SDSIM_HISTOGRAM_BUCKETS]; /* saturate */
};

void sdsim_histogram_add(struct sdsim_histogram *histogram, uint64_t value);

/* The same value so many times; 2^64 - 1 in all are counted. */
void sdsim_histogram_add_many(struct sdsim_histogram *histogram, uint64_t value, uint64_t times);

/* The least value that `per_mille` thousandths (up to 1000) of the values do not exceed; 0 if there
 * are none. */
uint64_t sdsim_histogram_quantile(const struct sdsim_histogram *histogram, unsigned per_mille);

#endif
