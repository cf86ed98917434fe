/*
 * Summaries of a lane: a pyramid whose levels each stand for 16 times as many spans as the one below.
 *
 *     level 0   the spans                 16 bytes each
 *     level 1   16 spans: start, worst class, how much of its time is covered      10 bytes
 *     level 2   256 spans, level 3 4096 and so on: struct sdsim_pyramid_node               168 bytes
 *
 * so a span takes 16 + 0.63 + 0.70 bytes, details not counted. A picture takes the level of which a
 * few items fall into a pixel column, so it costs the same at every zoom; a search for a rare class or
 * a long span skips what has none.
 *
 * Level 1 and 2 are made block by block while spans come; the rest when the last has come.
 */
#ifndef SDSIM_TIMELINE_PYRAMID_H
#define SDSIM_TIMELINE_PYRAMID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "timeline/details.h"
#include "timeline/hot.h"

enum {
    SDSIM_FAN = 16,            /* items of a level that make one of the next */
    SDSIM_GROUP_SPANS = 256,   /* spans of a node of level 2 */
    SDSIM_BLOCK_SPANS = 16384, /* spans that are kept, stored and fetched together */
    SDSIM_BLOCK_GROUPS = SDSIM_BLOCK_SPANS / SDSIM_GROUP_SPANS,
    SDSIM_LEVEL_MOST = 9, /* more than 10^10 spans */
};

/* What 16^level spans come to. */
struct sdsim_pyramid_node {
    sdsim_ps start;                 /* of the first */
    sdsim_ps busy;                  /* sum of all durations */
    uint64_t bytes;                 /* moved by them, in the lanes of calls and commands */
    sdsim_ps sum[SDSIM_CLASSES];    /* of the durations */
    uint32_t count[SDSIM_CLASSES];  /* of the spans, equal ones each; stays at its largest value */
    uint8_t longest[SDSIM_CLASSES]; /* 1 + bits of the longest duration; 0: there is none */
    uint8_t worst;                  /* the highest rank, 0: none */
};

/* A block of spans as it lies in memory. */
struct sdsim_block {
    struct sdsim_hot *spans;  /* up to SDSIM_BLOCK_SPANS, owned; NULL: not in memory */
    struct sdsim_rare *rares; /* owned */
    uint32_t rare_count;
    uint32_t rare_capacity;
};

struct sdsim_pyramid {
    sdsim_ps *starts; /* level 1 */
    uint8_t *worst;   /* ranks */
    uint8_t *cover;   /* 255: all of the time up to the next start */
    size_t count;
    size_t capacity;
    struct sdsim_pyramid_node
        *nodes[SDSIM_LEVEL_MOST + 1]; /* levels 2 and up; [0] and [1] are unused */
    size_t counts[SDSIM_LEVEL_MOST + 1];
    size_t capacities[SDSIM_LEVEL_MOST + 1];
    int levels;         /* the highest level there is; 0 or 1: none of nodes */
    sdsim_ps last_busy; /* of the last item of level 1, whose cover isn't known yet */
};

void sdsim_pyramid_free(struct sdsim_pyramid *summary);

/*
 * Adds the `count` spans of the next block of a lane; `starts` are those of its groups of 256. All
 * blocks but the last are full. False without memory.
 */
bool sdsim_pyramid_add(struct sdsim_pyramid *summary, enum sdsim_lane lane,
                       const struct sdsim_details *details, const struct sdsim_block *block,
                       size_t count, const sdsim_ps *starts);

/* All blocks have come; the last span ends at `end`. Makes the upper levels. False without memory. */
bool sdsim_pyramid_finish(struct sdsim_pyramid *summary, sdsim_ps end);

/* Makes the upper levels of a summary whose levels 1 and 2 are there. False without memory. */
bool sdsim_pyramid_raise(struct sdsim_pyramid *summary);

/* Room for `count` items of level 1 or nodes of level 2, exactly. False without memory. */
bool sdsim_pyramid_reserve(struct sdsim_pyramid *summary, size_t items, size_t nodes);

/* 1 + the bits of a duration, as in `longest`. */
uint8_t sdsim_pyramid_length(sdsim_ps duration);

/* Memory in bytes. */
size_t sdsim_pyramid_memory(const struct sdsim_pyramid *summary);

#endif
