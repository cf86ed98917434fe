/*
 * For the files of replay.h only: a replay under way, and its clock.
 */
#ifndef SDSIM_SETUP_REPLAY_PARTS_H
#define SDSIM_SETUP_REPLAY_PARTS_H

#include "setup/replay.h"

struct sdsim_replayer {
    const struct sdsim_setup *setup;
    struct sdsim_trace *trace;
    const struct sdsim_replay_options *options;
    struct sdsim_replay_listener *listener; /* or NULL */
    struct sdsim_replay_result *result;
    const struct sdsim_stage *stage;
    bool placed;  /* the recorded clock was laid against ours: */
    bool forward; /* ours is ahead by `shift`, else behind */
    sdsim_ps shift;
    uint64_t timed;   /* calls whose start and duration were recorded */
    sdsim_ps busy_to; /* recorded: where the calls so far end */
};

/* What was recorded of a call. */
struct sdsim_recorded {
    bool has_start;
    bool has_duration;
    sdsim_ps start;
    sdsim_ps duration;
};

/* Waits until the call may begin. */
void sdsim_replay_wait(struct sdsim_replayer *replayer, sdsim_ps *now,
                       const struct sdsim_recorded *recorded);

/* Notes a call that went from `start` to `end`; `row` has everything but the times. False without
 * memory. */
bool sdsim_replay_note(struct sdsim_replayer *replayer, unsigned group, const char *name,
                       uint64_t bytes, const struct sdsim_recorded *recorded,
                       struct sdsim_replay_row *row, sdsim_ps start, sdsim_ps end);

/* The two levels, as sdsim_act. */
const char *sdsim_replay_blocks(void *context, const struct sdsim_stage *stage, sdsim_ps *now);
const char *sdsim_replay_files(void *context, const struct sdsim_stage *stage, sdsim_ps *now);

#endif
