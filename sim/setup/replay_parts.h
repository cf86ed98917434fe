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
    struct sdsim_account before; /* what its meter had booked and counted when the replay began */
    struct sdsim_counters counted;
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

/* The repetition behind it, which began when this one ended, if that is known. */
static inline void sdsim_recorded_next(struct sdsim_recorded *recorded)
{
    recorded->start = sdsim_time_sum(recorded->start, recorded->duration);
    recorded->has_start = recorded->has_start && recorded->has_duration;
}

/* What is booked and counted from here on is the replay's; up to there. */
void sdsim_replay_begin(struct sdsim_replayer *replayer, const struct sdsim_stage *stage);
void sdsim_replay_end(struct sdsim_replayer *replayer);

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
