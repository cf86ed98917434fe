/*
 * The memory between a producer that never waits and a writer that does: how full it is, and what
 * does not fit.
 *
 *     ring        bytes are written out of it, `unit` at a time; the room is free again when the
 *                 write call returns
 *     ping-pong   two buffers of `unit` bytes; one fills while the other is written, and is given
 *                 back as a whole: a ring of twice the unit
 *     items       a queue of an operating system: items of `item` bytes, which come and are lost as
 *                 a whole. The writer takes them into a buffer of its own, `unit` bytes, as soon as
 *                 it is not writing; their room is free then
 *
 * Nothing happens between two calls of the writer but arrivals, so the state after any span is
 * worked out at once. What arrives at the instant a call ends arrives before the room is free.
 *
 * A run without loss is the same in any memory that is large enough, so with `capacity` unlimited,
 * `highest` is what it takes.
 */
#ifndef SDSIM_WORKLOAD_QUEUE_H
#define SDSIM_WORKLOAD_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

#include "workload/arrivals.h"

enum sdsim_queue_kind {
    SDSIM_QUEUE_RING,
    SDSIM_QUEUE_PING_PONG,
    SDSIM_QUEUE_ITEMS,
};

#define SDSIM_QUEUE_UNLIMITED UINT64_MAX

/* What a queue is; the same for all that run through it. */
struct sdsim_queue_shape {
    const struct sdsim_arrivals *arrivals; /* not owned */
    enum sdsim_queue_kind kind;
    uint64_t capacity; /* bytes, at least one unit (ITEMS: one item), or SDSIM_QUEUE_UNLIMITED */
    uint64_t unit;     /* what the writer writes before it looks again, >= 1; ITEMS: a multiple of
                          `item` */
    uint64_t item;     /* ITEMS: >= 1; others: 1 */
};

/* Times count from the start of the producer. */
struct sdsim_queue {
    uint64_t arrived;    /* bytes so far; ITEMS: of whole items */
    uint64_t lost;       /* of them */
    uint64_t fill;       /* bytes in the queue */
    uint64_t held;       /* ITEMS: bytes in the writer's own buffer */
    uint64_t highest;    /* of the fill */
    sdsim_ps highest_at; /* the end of the span in which it was first reached */
    sdsim_ps lost_at;    /* the end of the span of the first loss; SDSIM_TIME_END: none */
};

void sdsim_queue_init(struct sdsim_queue *queue);

/* Bytes that have arrived at t, as this queue counts them: whole items. */
static inline uint64_t sdsim_queue_arrived(const struct sdsim_queue_shape *shape, sdsim_ps t)
{
    const uint64_t bytes = sdsim_arrived(shape->arrivals, t);
    return shape->item > 1 ? bytes - bytes % shape->item : bytes;
}

/* Lets arrive what has arrived at some instant `now`, `total` bytes by sdsim_queue_arrived(). */
void sdsim_queue_fill(struct sdsim_queue *queue, const struct sdsim_queue_shape *shape,
                      uint64_t total, sdsim_ps now);

/* The number of the byte at whose arrival the writer, which is free, has a unit; 0: it has one. */
static inline uint64_t sdsim_queue_awaited(const struct sdsim_queue *queue,
                                           const struct sdsim_queue_shape *shape)
{
    const uint64_t there = queue->fill + queue->held;
    return there >= shape->unit ? 0 : queue->arrived + (shape->unit - there);
}

/* The writer, free since the last of these calls, begins with a unit at `now`: lets in what arrived
 * while it waited. `total` as above. */
void sdsim_queue_begin(struct sdsim_queue *queue, const struct sdsim_queue_shape *shape,
                       uint64_t total, sdsim_ps now);

/* The writer has written its unit. */
void sdsim_queue_end(struct sdsim_queue *queue, const struct sdsim_queue_shape *shape);

#endif
