/*
 * One lane of a timeline: its spans in blocks of 16384, and their summaries.
 *
 * Spans are added in the order of their start. Three or more equal ones at equal distances are stored
 * once. A block that is full is summarised and given to the sink, if there is one, and then leaves the
 * memory; a lane that comes out of a file fetches the blocks it needs and forgets those it fetched
 * first.
 *
 * What is asked of a lane (timeline/query.h) is asked after it is finished. Spans have numbers from 0;
 * a number may stand for equal spans in a row, and a few stand for nothing (timeline/hot.h).
 *
 * Limits: spans of one lane follow each other. One that begins before the one before it has ended is
 * kept, but pictures then show the one that began last.
 */
#ifndef SDSIM_TIMELINE_STORE_H
#define SDSIM_TIMELINE_STORE_H

#include "timeline/pyramid.h"

/* Where full blocks go. False: it can't take any more (the store has failed then). */
struct sdsim_store_sink {
    bool (*block)(struct sdsim_store_sink *sink, enum sdsim_lane lane, uint64_t first,
                  const struct sdsim_block *block, size_t count, const sdsim_ps *starts);
};

/* Where blocks come from: fills an empty block, whose group starts are known. False: the file is
 * damaged or can't be read; the source keeps the reason. */
struct sdsim_store_source {
    bool (*fetch)(struct sdsim_store_source *source, enum sdsim_lane lane, size_t number,
                  struct sdsim_block *block, size_t count);
};

struct sdsim_store {
    enum sdsim_lane lane;
    const struct sdsim_details *details; /* not owned */
    uint64_t count;                      /* numbers given out */
    struct sdsim_block *blocks;
    size_t block_count;
    size_t block_capacity;
    struct sdsim_pyramid summary;
    struct sdsim_span last; /* came in, but may still grow into a run; count 0: none */
    sdsim_ps end;           /* the latest end of a span */
    sdsim_ps open_starts[SDSIM_BLOCK_GROUPS]; /* of the groups of the block that is filled */
    struct sdsim_store_sink *sink;            /* not owned; NULL: blocks stay in memory */
    struct sdsim_store_source *source;        /* not owned; NULL: blocks are in memory */
    size_t *fetched;                          /* a ring: which blocks, the oldest first */
    size_t fetched_count;
    size_t fetched_next;
    size_t fetched_most; /* of them; 0: all are kept */
    size_t preloaded;    /* blocks before this one are in memory, with fetched_most 0 */
    bool finished;
    const char *fault; /* why it has failed; NULL: it has not */
};

enum { SDSIM_FETCHED_MOST = 512 }; /* blocks of one lane in memory, 128 MiB */

void sdsim_store_init(struct sdsim_store *store, enum sdsim_lane lane,
                      const struct sdsim_details *details);
void sdsim_store_free(struct sdsim_store *store);

/* Adds a span, which begins no earlier than the one before it (else the store fails). */
void sdsim_store_add(struct sdsim_store *store, const struct sdsim_span *span);

/* Adds a decoded block as the next; takes its memory. For readers of cut files. */
bool sdsim_store_add_block(struct sdsim_store *store, struct sdsim_block *block, size_t count,
                           const sdsim_ps *starts, sdsim_ps end);

/* No more spans will come: gives the last block away, makes the summaries. False if the store has
 * failed. */
bool sdsim_store_finish(struct sdsim_store *store);

/* For readers: there are `count` spans in blocks that `source` has. False without memory. */
bool sdsim_store_attach(struct sdsim_store *store, struct sdsim_store_source *source,
                        uint64_t count);

/* The block with a number of a finished store, fetched if need be; NULL: it can't be had, or there is
 * none. Good until the next one is asked for. */
const struct sdsim_block *sdsim_store_block(struct sdsim_store *store, size_t number);

/* Fetches up to `most` blocks that are not in memory and from now on keeps all that are fetched; adds
 * how many to *done. False if one can't be had. Call it until nothing is done. */
bool sdsim_store_preload(struct sdsim_store *store, size_t most, size_t *done);

/* The span with a number, with all its members, `lane` too. False if it stands for nothing or can't
 * be had. */
bool sdsim_store_span(struct sdsim_store *store, uint64_t number, struct sdsim_span *span);

/* How many parts a lane knows. */
unsigned sdsim_lane_parts(enum sdsim_lane lane);

/* Whether kind, purpose and part of a span are ones the lane knows. */
bool sdsim_span_is_known(enum sdsim_lane lane, const struct sdsim_span *span);

/* The class of a span of the lane. */
uint8_t sdsim_span_class(const struct sdsim_span *span);

/* From the first start to the last end of what a span stands for; SDSIM_TIME_END if that is beyond. */
sdsim_ps sdsim_span_end(const struct sdsim_span *span);

/* How much of [from, to) a span covers. */
sdsim_ps sdsim_span_overlap(const struct sdsim_span *span, sdsim_ps from, sdsim_ps to);

/* Memory in bytes. */
size_t sdsim_store_memory(const struct sdsim_store *store);

#endif
