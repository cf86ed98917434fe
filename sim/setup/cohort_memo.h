/*
 * For sim/setup/cohort.c: the last few answers about arrivals. Runs that are on time all ask the same.
 */
#ifndef SDSIM_SETUP_COHORT_MEMO_H
#define SDSIM_SETUP_COHORT_MEMO_H

#include "workload/logger.h"

enum { SDSIM_COHORT_TIMES = 4 };

struct sdsim_cohort_memo {
    struct sdsim_logger_time times[SDSIM_COHORT_TIMES];
    unsigned next;
    uint64_t byte;
    sdsim_ps byte_at;
};

static inline void sdsim_cohort_memo_init(struct sdsim_cohort_memo *memo)
{
    *memo = (struct sdsim_cohort_memo){.next = 0};
    for (unsigned i = 0; i < SDSIM_COHORT_TIMES; i++) {
        memo->times[i].at = SDSIM_TIME_END;
    }
}

/* sdsim_logger_time() */
static inline struct sdsim_logger_time
sdsim_cohort_time(struct sdsim_cohort_memo *memo, const struct sdsim_logger *logger, sdsim_ps at)
{
    for (unsigned i = 0; i < SDSIM_COHORT_TIMES; i++) {
        if (memo->times[i].at == at) {
            return memo->times[i];
        }
    }
    const struct sdsim_logger_time time = sdsim_logger_time(logger, at);
    memo->times[memo->next++ % SDSIM_COHORT_TIMES] = time;
    return time;
}

/* sdsim_logger_next() */
static inline sdsim_ps sdsim_cohort_next(struct sdsim_cohort_memo *memo,
                                         const struct sdsim_logger *logger,
                                         const struct sdsim_logger_state *state, sdsim_ps now)
{
    const uint64_t byte = sdsim_queue_awaited(&state->queue, &logger->shape);
    if (byte == 0) {
        return now;
    }
    if (byte != memo->byte) {
        memo->byte = byte;
        memo->byte_at = sdsim_arrival_of(&logger->arrivals, byte);
    }
    return memo->byte_at > now ? memo->byte_at : now;
}

#endif
