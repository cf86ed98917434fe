/*
 * Samples of one thing: how long it took, in bytes on the bus, many times.
 *
 * A time that shows at byte borders only is known to a byte: n bytes mean more than n - 1 and up to n,
 * so half a byte is taken off where samples become times. What is typical is the mean of the level most
 * samples are on; cards have further levels (a slow read now and then, a pause), which are counted apart.
 */
#ifndef SDSIM_FTDI_SAMPLES_H
#define SDSIM_FTDI_SAMPLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sdsim_samples {
    double *bytes; /* owned */
    size_t count;
    size_t capacity;
    size_t lost; /* measurements that had to be repeated and are none */
    bool failed; /* no memory */
};

/* What they say, in bytes. */
struct sdsim_spread_facts {
    size_t count;
    double typical; /* mean of the main level ... */
    double mean;    /* ... and of all */
    double least;
    double most;
    double low; /* 5 and 95 % */
    double median;
    double high;
    double slow_share; /* of samples above the main level ... */
    double slow;       /* ... and their mean; 0: none */
};

/* Zeroed memory is an empty collection. */
void sdsim_samples_free(struct sdsim_samples *samples);
void sdsim_samples_add(struct sdsim_samples *samples, double bytes);

/* All zero if there are none. Sorts them. */
struct sdsim_spread_facts sdsim_samples_facts(struct sdsim_samples *samples);

/* What a time that shows at byte borders is too long by, in bytes; and the same facts without it. */
#define SDSIM_SAMPLE_LATE 0.5
struct sdsim_spread_facts sdsim_samples_earlier(struct sdsim_samples *samples);

/* Whether `value` is above `usual`, both in bytes, by more than a card's scatter and a poll too late
 * explain: 5 % and 4 bytes. */
bool sdsim_samples_above(double value, double usual);

#endif
