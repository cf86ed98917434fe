/*
 * The recorder: who wants to know what happened when.
 *
 * A layer reports spans; what becomes of them (a timeline file, a waveform, a check in a test) is the
 * business of the listener behind the function pointer. A span can stand for many equal ones in a row,
 * with their period and count; the ports of today step every block when somebody listens, so their
 * count is 1.
 *
 * Nothing in the simulation depends on a recorder: with or without one the same run gives the same
 * times. Spans of one lane arrive in the order of their start; lanes overlap and sum to nothing.
 *
 * Limits: clocks, gaps, CPU time and the card's waits are reported; looks at a card that is ready, and
 * the bytes a card may take before its data (N_AC), are only booked in the account.
 */
#ifndef SDSIM_CORE_RECORDER_H
#define SDSIM_CORE_RECORDER_H

#include <stddef.h>
#include <stdint.h>

#include "core/time.h"

enum sdsim_lane {
    SDSIM_LANE_TASK, /* what the program waits for: calls of the file layer */
    SDSIM_LANE_CPU,  /* driver, interrupts, copies */
    SDSIM_LANE_BUS,  /* commands, data, polls, gaps */
    SDSIM_LANE_CARD, /* access, busy, pauses */
    SDSIM_LANE_COUNT
};

struct sdsim_span {
    sdsim_ps start;    /* of the first */
    sdsim_ps duration; /* of each */
    sdsim_ps period;   /* start to start, 0 when count is 1 */
    uint64_t count;    /* >= 1 */
    uint8_t lane;      /* enum sdsim_lane */
    uint8_t kind;      /* enum sdsim_kind of core/account.h */
    uint8_t purpose;   /* enum sdsim_purpose of core/account.h */
    uint32_t detail;   /* command index, LBA or 0, as the lane and kind say */
};

struct sdsim_recorder {
    void (*span)(struct sdsim_recorder *recorder, const struct sdsim_span *span);
};

/* One single span. */
static inline void sdsim_record(struct sdsim_recorder *recorder, sdsim_ps start, sdsim_ps duration,
                                enum sdsim_lane lane, uint8_t kind, uint8_t purpose)
{
    const struct sdsim_span span = {.start = start,
                                    .duration = duration,
                                    .count = 1,
                                    .lane = (uint8_t)lane,
                                    .kind = kind,
                                    .purpose = purpose};
    recorder->span(recorder, &span);
}

#endif
