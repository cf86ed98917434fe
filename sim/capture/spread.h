/*
 * Least, middle and greatest of many whole numbers that take few different values, such as the pitches
 * of bytes in samples: the values are counted one by one.
 *
 * Limits: counts up to 480 different values exactly; the middle one ignores what comes beyond.
 */
#ifndef SDSIM_CAPTURE_SPREAD_H
#define SDSIM_CAPTURE_SPREAD_H

#include <stdint.h>

enum { SDSIM_SPREAD_SLOTS = 512 };

struct sdsim_spread {
    uint64_t count;
    uint64_t least;
    uint64_t greatest;
    double sum;
    unsigned used;
    struct {
        uint64_t value;
        uint64_t count; /* 0: free */
    } slots[SDSIM_SPREAD_SLOTS];
};

void sdsim_spread_clear(struct sdsim_spread *spread);
void sdsim_spread_add(struct sdsim_spread *spread, uint64_t value);

/* The value in the middle, the lower one of two; 0 if there is none. */
uint64_t sdsim_spread_median(const struct sdsim_spread *spread);

/* The value that came most often, the least one of several; 0 if there is none. */
uint64_t sdsim_spread_mode(const struct sdsim_spread *spread);

#endif
