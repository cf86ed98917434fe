/*
 * Random lanes for tests of timelines, with a plain list of the same spans to hold answers against.
 */
#ifndef SDSIM_TESTS_TIMELINE_RANDOM_H
#define SDSIM_TESTS_TIMELINE_RANDOM_H

#include "core/rng.h"
#include "timeline/timeline.h"

/* A list of single spans: runs are told one by one. */
struct sdsim_test_spans {
    struct sdsim_span *items; /* owned */
    size_t count;
};

/* How a lane looks. */
struct sdsim_test_shape {
    enum sdsim_lane lane;
    size_t count;
    uint64_t
        longest;   /* duration and distance of spans, in ps: up to this, small ones are frequent */
    unsigned gaps; /* of 100 spans, how many don't begin where the one before ended */
    unsigned runs; /* of 100 spans, how many begin a run of up to 40 equal ones */
    unsigned far;  /* of 10000 gaps, how many are hours long */
};

/* Feeds a timeline with random spans of a shape and lists them. The list is the caller's to free. */
struct sdsim_test_spans sdsim_test_fill_timeline(struct sdsim_timeline *timeline,
                                                 const struct sdsim_test_shape *shape,
                                                 struct sdsim_rng *rng);

/* A random number up to `most`, whose size is as likely as any other: many are small. */
uint64_t sdsim_test_size(struct sdsim_rng *rng, uint64_t most);

#endif
