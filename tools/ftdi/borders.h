/*
 * Borders that can be seen in times: every how many blocks something is different.
 *
 * The number is looked for among 2^k and 3 * 2^k, which is what pages and allocation units are (SD
 * Physical Layer Simplified Specification, 4.10.2: AUs; three-bit cells: pages of 48 KiB). Each place is
 * of one class: which power of two divides it, and whether three does. A border every 2^p blocks shows in
 * all classes with k >= p; one every 3 * 2^p in those of them that three divides.
 */
#ifndef SDSIM_FTDI_BORDERS_H
#define SDSIM_FTDI_BORDERS_H

#include "samples.h"

enum {
    SDSIM_BORDER_POWERS = 18, /* up to 2^17 blocks, 64 MiB, the largest AU there is */
};

/* Samples by class of place; three[..][1] are those that three divides. */
struct sdsim_border_scan {
    struct sdsim_samples classes[SDSIM_BORDER_POWERS][2];
};

void sdsim_border_scan_free(struct sdsim_border_scan *scan);

/* The class of a place. */
unsigned sdsim_border_power(uint32_t lba);
static inline unsigned sdsim_border_three(uint32_t lba)
{
    return lba % 3 == 0 ? 1 : 0;
}

/* A border, and what crossing it takes. */
struct sdsim_border_level {
    uint32_t blocks; /* 0: there is none */
    double
        step; /* above what is there without it: mean of the places that are at no larger one's */
    struct sdsim_spread_facts spread; /* of all that is there, at one kind of those places */
};

/*
 * The borders at which samples are above `base`, the least distance first; up to `most` (at most 8). One must
 * show by `slack` bytes and 3 %, at every place where it should, on top of those found before it.
 */
unsigned sdsim_border_levels(struct sdsim_border_scan *scan, double base, double slack,
                             struct sdsim_border_level *levels, unsigned most);

#endif
