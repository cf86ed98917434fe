/*
 * Replaying a trace: what the simulated card would have made of the same calls.
 *
 * A block trace goes to the driver, one of file operations through file API, FAT library and driver;
 * what a trace of the pins becomes (trace/block_trace.h) goes to the driver, too. Calls follow each
 * other as fast as they can, or keep the pauses between them that were recorded ("think"): a call then
 * begins when it did in the recording, or when the one before has ended, if that is later. Calls that
 * overlapped in the recording follow each other in the order of their starts.
 *
 * Recorded times are laid against the replay's by their first call, unless both count from power-up.
 *
 * Pure and re-entrant, like sdsim_simulate. The medium is one that sdsim_replay_prepare made, or a
 * copy of it, which the replay changes.
 *
 * Limits: drivers send no trims and erases, so these take no time here (`not_simulated` counts them).
 * Of file operations, a read or write beyond what the trace's own clusters say goes by the clusters of
 * the volume replayed on.
 */
#ifndef SDSIM_SETUP_REPLAY_H
#define SDSIM_SETUP_REPLAY_H

#include "core/histogram.h"
#include "setup/simulate.h"
#include "trace/trace_list.h"

struct sdsim_replay_options {
    bool think;              /* keep the recorded pauses */
    struct sdsim_view *view; /* a window that is looked at, as by sdsim_simulate_view; NULL: none */
};

/* All calls of one kind. */
struct sdsim_replay_group {
    const char *name; /* "write"; NULL: there are none */
    uint64_t failed;
    uint64_t bytes;
    struct sdsim_histogram predicted; /* of all */
    struct sdsim_histogram recorded;  /* of those whose recorded duration is known ... */
    sdsim_ps compared;                /* ... and what is predicted for these */
};

enum { SDSIM_REPLAY_GROUPS = SDSIM_OP_COUNT };

struct sdsim_replay_result {
    char error[600]; /* why it ended early; empty if it did not */
    enum sdsim_failure failure;
    struct sdsim_replay_group *groups[SDSIM_REPLAY_GROUPS]; /* by kind; NULL: none of it */
    uint64_t calls;
    uint64_t failed; /* calls that ended with an error */
    char first_failure[200];
    uint64_t bytes_read;
    uint64_t bytes_written;
    uint64_t not_simulated; /* trims and erases */
    uint64_t moved;         /* reads and writes of files ... */
    uint64_t unaligned;     /* ... of these, those that do not begin and end between sectors */
    sdsim_ps started;       /* of the first call ... */
    sdsim_ps ended;         /* ... and the end of the last */
    sdsim_ps in_calls;      /* their sum */
    bool recorded;          /* starts and durations of at least nine in ten calls are known: */
    sdsim_ps recorded_started;
    sdsim_ps recorded_ended;
    sdsim_ps recorded_in_calls;     /* overlapping ones count once */
    struct sdsim_account account;   /* from the first call to the last */
    struct sdsim_counters counters; /* in the same time; the longest wait is since power-up */
    sdsim_ps init_time;
    double bus_hz;
    uint32_t card_sectors;
};

/* One call, as it is told to a listener. */
struct sdsim_replay_row {
    uint64_t number;                        /* from 1 */
    const struct sdsim_block_record *block; /* NULL: a file operation */
    const struct sdsim_op *op;
    const char *label; /* of the block operation; "" if none */
    uint32_t line;     /* of the file operation; 0: not known */
    sdsim_ps start;    /* since power-up */
    sdsim_ps duration;
    bool failed;
    bool has_recorded;
    sdsim_ps recorded_start;
    sdsim_ps recorded;
};

struct sdsim_replay_listener {
    void (*row)(struct sdsim_replay_listener *listener, const struct sdsim_replay_row *row);
};

/*
 * What is on the card before the first call: what the scenario has there, and, for file operations, the
 * files that the trace expects: those it reads, stats, renames or removes before it writes them, as
 * large as it reads them. `list` is the trace, or NULL for one of block operations. `created` (or
 * NULL) is told "/LOG.BIN (4096 bytes), ..." of the files that were made for it. NULL with the reason in
 * result->error. Free with sdsim_medium_destroy.
 */
struct sdsim_medium *sdsim_replay_prepare(const struct sdsim_setup *setup,
                                          const struct sdsim_trace_list *list, char *created,
                                          size_t size, struct sdsim_replay_result *result);

/*
 * Replays a trace to its end. `recorder` and `listener` may be NULL. Never fails otherwise than by
 * result->error; what the trace's source has to say stands in its own messages. Free the result with
 * sdsim_replay_result_free.
 */
void sdsim_replay(const struct sdsim_setup *setup, struct sdsim_medium *medium,
                  struct sdsim_trace *trace, const struct sdsim_replay_options *options,
                  struct sdsim_recorder *recorder, struct sdsim_replay_listener *listener,
                  struct sdsim_replay_result *result);

void sdsim_replay_result_free(struct sdsim_replay_result *result);

#endif
