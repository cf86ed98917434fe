/*
 * Where the calls of a workload go.
 *
 *     in sequence   from `start` on, one behind the other; with `span`, again from `start` when the
 *                   next call would leave it
 *     at random     any multiple of `align` such that the call lies within `span`, plus `offset`;
 *                   one may come twice
 *     in regions    the calls go in turns to `streams` regions of `region` bytes whose starts are
 *                   `distance` apart; within a region in sequence or in random order, each place
 *                   once. When the regions are full, the set moves on to the places behind them
 *                   that are free, and at the end of `span` it starts again. This is what
 *                   flashbench --open-au writes to find how many allocation units a card keeps
 *                   open; there the regions are 12 units apart, and one set is written.
 *
 * Files begin at 0, whatever `start` is; only the first two are for files.
 *
 * A place depends on the seed and the number of the call only, not on the calls before it. The
 * order within a region is a permutation that is computed, not stored: a Feistel network over the
 * next power of four, walked until it lands inside (Black and Rogaway 2002), so a region may be as
 * large as a card.
 */
#ifndef SDSIM_WORKLOAD_POSITIONS_H
#define SDSIM_WORKLOAD_POSITIONS_H

#include <stdint.h>

#include "workload/workload.h"

/* Filled from the parameters once; only read afterwards. */
struct sdsim_positions {
    int pattern;     /* of the list above */
    bool shuffled;   /* in regions: in random order */
    uint64_t seed;   /* of everything random */
    uint64_t first;  /* byte the first place begins at */
    uint64_t step;   /* bytes between two places */
    uint64_t places; /* there are; in sequence 0: no end. In regions: of one */
    uint64_t streams;
    uint64_t distance;
    uint64_t region;
    uint64_t moves; /* regions that fit between two streams */
    uint64_t sets;  /* before it starts again */
};

/* The parameters are those setup/check_workload.c lets through. */
void sdsim_positions_init(struct sdsim_positions *positions,
                          const struct sdsim_workload_params *params);

/* The byte at which call `index`, from 0, begins: on the card, or in the file. */
uint64_t sdsim_position(const struct sdsim_positions *positions, uint64_t index);

/* Number `index` of a permutation of 0..count-1, by the key. */
uint64_t sdsim_permuted(uint64_t key, uint64_t count, uint64_t index);

#endif
