/*
 * The rate-driven logger: data arrive whether or not the card is busy, a queue holds them, and a
 * writer task takes them to the card.
 *
 * The writer waits until it has a unit (workload/queue.h), writes it in calls of `call` bytes, syncs
 * if that is due, and looks again. A sync is due after every `sync_every` calls, and when the first
 * call ends at or behind each multiple of `sync_interval` from the start on; several that are due are
 * one. A writer that syncs seldom is a lazy writer: fast, but what it has not synced is lost with
 * the power (`exposed`).
 *
 * Here is the arithmetic of it, without the stack below: what the writer does next, given when it was
 * done. Times count from the start, when the file is open and the producer begins.
 *
 * Limits: one writer, one file at a time; the producer takes no time of the CPU or the bus.
 */
#ifndef SDSIM_WORKLOAD_LOGGER_H
#define SDSIM_WORKLOAD_LOGGER_H

#include <stdbool.h>
#include <stdint.h>

#include "core/diag.h"
#include "workload/queue.h"

/* As scenarios say it. */
struct sdsim_logger_params {
    uint64_t rate;          /* bytes per second, constant; 0: one of the others */
    uint64_t burst;         /* bytes at once ... */
    sdsim_ps burst_every;   /* ... so often */
    const char *arrivals;   /* path of a list (workload/arrivals_file.h), or NULL */
    sdsim_ps duration;      /* of the producer; 0: until the workload's `total` has arrived */
    int queue;              /* enum sdsim_queue_kind */
    uint64_t ram;           /* bytes of the queue; 0: as many as it takes */
    uint64_t item;          /* ITEMS: bytes of one */
    sdsim_ps sync_interval; /* 0: no syncs by time */
};

/* What all runs of a logger share. */
struct sdsim_logger {
    struct sdsim_arrivals arrivals;
    struct sdsim_arrival *list; /* owned; NULL: none */
    struct sdsim_queue_shape shape;
    uint64_t call;       /* bytes */
    uint64_t calls;      /* of one unit */
    uint64_t sync_every; /* calls; 0: never for their number */
    sdsim_ps sync_interval;
    uint64_t rotate_every; /* bytes of one file, which is safe when it is closed; 0: one for all */
    bool safe_at_once;     /* raw sectors: what is written needs no sync */
};

/* What the workload says of the writer. */
struct sdsim_logger_writer {
    uint64_t call;  /* bytes */
    uint64_t total; /* after which the producer stops, without a duration */
    uint64_t sync_every;
    uint64_t rotate_every;
    bool raw; /* it writes sectors, not a file */
};

/*
 * Sets a logger up; reads the list if there is one. False with a message. The logger must stay where it
 * is. sdsim_logger_free takes one that failed, too.
 */
bool sdsim_logger_init(struct sdsim_logger *logger, const struct sdsim_logger_params *params,
                       const struct sdsim_logger_writer *writer, struct sdsim_diags *diags);
void sdsim_logger_free(struct sdsim_logger *logger);

/* One run through it. */
struct sdsim_logger_state {
    struct sdsim_queue queue;
    uint64_t units;      /* written */
    uint64_t since_sync; /* calls */
    sdsim_ps sync_due;   /* by time; SDSIM_TIME_END: never */
    uint64_t safe;       /* bytes that a loss of power leaves on the card */
    uint64_t exposed;    /* most bytes it would have taken, so far */
    sdsim_ps exposed_at;
};

void sdsim_logger_begin(struct sdsim_logger_state *state, const struct sdsim_logger *logger);

/* The writer is free at `now`: when does it begin the next unit? SDSIM_TIME_END: there is none. */
sdsim_ps sdsim_logger_next(const struct sdsim_logger_state *state,
                           const struct sdsim_logger *logger, sdsim_ps now);

/* An instant, and the bytes that have arrived by then (sdsim_queue_arrived). */
struct sdsim_logger_time {
    sdsim_ps at;
    uint64_t arrived;
};
static inline struct sdsim_logger_time sdsim_logger_time(const struct sdsim_logger *logger,
                                                         sdsim_ps at)
{
    return (struct sdsim_logger_time){at, sdsim_queue_arrived(&logger->shape, at)};
}

/* It wrote the unit from `start`, as said above, to `end`. */
void sdsim_logger_wrote(struct sdsim_logger_state *state, const struct sdsim_logger *logger,
                        struct sdsim_logger_time start, struct sdsim_logger_time end);

/* Whether it is to sync at `now`, right behind a unit. */
bool sdsim_logger_sync_due(const struct sdsim_logger_state *state,
                           const struct sdsim_logger *logger, sdsim_ps now);

/* It did, from `start` to `end`. */
void sdsim_logger_synced(struct sdsim_logger_state *state, const struct sdsim_logger *logger,
                         sdsim_ps start, struct sdsim_logger_time end);

/* There are no more units, and the producer has stopped by `end`. */
void sdsim_logger_ended(struct sdsim_logger_state *state, const struct sdsim_logger *logger,
                        struct sdsim_logger_time end);

/* Bytes that no unit holds when there are no more: they are written last. */
static inline uint64_t sdsim_logger_rest(const struct sdsim_logger_state *state)
{
    return state->queue.fill + state->queue.held;
}

#endif
