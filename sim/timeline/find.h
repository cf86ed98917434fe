/*
 * Searching a lane: the next and the previous span of some classes, of some length, about something;
 * and the longest ones.
 *
 * Summaries tell which classes a stretch of spans holds and how long the longest of each is (to a
 * power of two), so what is rare is found without looking at what lies in between.
 */
#ifndef SDSIM_TIMELINE_FIND_H
#define SDSIM_TIMELINE_FIND_H

#include "timeline/store.h"

/* What is looked for. */
struct sdsim_wanted {
    uint16_t classes;       /* bit c: class c will do; 0: any */
    uint16_t parts;         /* bit p: part p will do; 0: any */
    sdsim_ps at_least;      /* duration of each span */
    const uint8_t *details; /* one byte a detail number: whether it will do; NULL: any */
    size_t detail_count;    /* numbers `details` has; others will not do */
};

/* The first span with a number >= `from` that is wanted; false: there is none. */
bool sdsim_lane_next(struct sdsim_store *store, uint64_t from, const struct sdsim_wanted *wanted,
                     uint64_t *number);

/* The last span with a number < `below` that is wanted; false: there is none. */
bool sdsim_lane_previous(struct sdsim_store *store, uint64_t below,
                         const struct sdsim_wanted *wanted, uint64_t *number);

struct sdsim_found {
    uint64_t number;
    sdsim_ps start;
    sdsim_ps duration;
};

/* The longest `most` (> 0) spans that are wanted, the longest first, of equal ones the earliest;
 * equal ones in a row that are stored once count once. Returns how many there are. */
size_t sdsim_lane_longest(struct sdsim_store *store, const struct sdsim_wanted *wanted, size_t most,
                          struct sdsim_found *found);

/*
 * The details whose text holds `text`, without regard to case: one byte each, [0] for no detail. Their
 * number is details->count + 1. Free it. NULL without memory. `any` tells whether there is one.
 */
uint8_t *sdsim_details_search(const struct sdsim_details *details, const char *text, bool *any);

/* A detail as people write it: "CMD18 0x00002000, 8 blocks", "LBA 8192, 8 sectors",
 * "/DATA.BIN at 4096, 512 bytes", "R1 0x00"; "" for none. Returns out. */
char *sdsim_detail_print(const struct sdsim_detail *detail, char *out, size_t size);

#endif
