/*
 * Samples of one thing: how long it took, in bytes on the bus, many times.
 *
 * A time that shows at byte borders only is known to a byte: n bytes mean more than n - 1 and up to n,
 * so half a byte is taken off where samples become times. What is typical is the mean of the level most
 * samples are on; cards have further levels (a slow read now and then, a pause), which are counted apart.
 *
 * What is counted is a lower bound, as a card goes on working while the clock stands still. Each sample
 * has its upper bound beside it (stopwatch.h), and one whose bounds are within 2 % or a byte of each other
 * is free of gaps: it is what the card took. And each may have the host time of the call it was seen in:
 * what a program that waits for it sees.
 */
#ifndef SDSIM_FTDI_SAMPLES_H
#define SDSIM_FTDI_SAMPLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/time.h"

struct sdsim_samples {
    double *bytes;  /* owned */
    double *excess; /* owned; of the upper bound, above it. Negative: there is none */
    size_t count;
    size_t capacity;
    double *host; /* owned; us, one for each call */
    size_t host_count;
    size_t host_capacity;
    size_t lost; /* measurements that had to be repeated and are none */
    bool failed; /* no memory */
};

/* Quantiles of `count` values. */
struct sdsim_quantiles {
    size_t count;
    double low; /* 5 and 95 % */
    double median;
    double high;
    double most;
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
    size_t gap_free;
    struct sdsim_quantiles upper; /* of the upper bounds */
    struct sdsim_quantiles host;  /* of the calls, in us */
};

/* Samples of one level may be this far apart, relative to their size: an assumption about how well a card
 * repeats itself, a little above what busy times of one kind were seen to differ by. */
#define SDSIM_SAMPLE_SCATTER 1.03

/* And so many bytes in any case: one that each may be late by, and one more look. */
#define SDSIM_SAMPLE_SLACK 3

/* A level ends at this multiple of its median. What a card does on another one (reading again, closing an
 * AU) takes twice as long and more. */
#define SDSIM_SAMPLE_OTHER_LEVEL 1.5

/* Zeroed memory is an empty collection. */
void sdsim_samples_free(struct sdsim_samples *samples);
void sdsim_samples_add(struct sdsim_samples *samples, double bytes);

/* The same with its upper bound; 0: there is none. */
void sdsim_samples_add_bounded(struct sdsim_samples *samples, double bytes, double most);

/* One of another collection, with its bound; and all calls of another one. */
void sdsim_samples_take(struct sdsim_samples *samples, const struct sdsim_samples *from, size_t i);
void sdsim_samples_take_calls(struct sdsim_samples *samples, const struct sdsim_samples *from);

/* A call in which samples were seen. */
void sdsim_samples_add_call(struct sdsim_samples *samples, sdsim_ps host);

/* All zero if there are none. Sorts them. */
struct sdsim_spread_facts sdsim_samples_facts(struct sdsim_samples *samples);

/* What a time that shows at byte borders is too long by, in bytes; and the same facts without it. */
#define SDSIM_SAMPLE_LATE 0.5
struct sdsim_spread_facts sdsim_samples_earlier(struct sdsim_samples *samples);

/* Whether `value` is above `usual`, both in bytes, by more than a card's scatter and a poll too late
 * explain. */
bool sdsim_samples_above(double value, double usual);

/* Whether two means, each of which may be a look too late, can be of one level. */
bool sdsim_samples_close(double value, double other);

#endif
