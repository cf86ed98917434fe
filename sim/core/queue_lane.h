/*
 * The fill level of a queue, for the recorder: whoever fills and empties it says so at each change, and the
 * lane of the queue gets one span for each level it had, with the level, the capacity and the unit.
 *
 *     struct sdsim_queue_lane lane;
 *     sdsim_queue_lane_init(&lane, meter, now, 8192, "bytes");
 *     sdsim_queue_lane_level(&lane, now, 512);  ...
 *     sdsim_queue_lane_end(&lane, now);
 *
 * Limits: one queue a run; instants do not go back; a capacity up to 2^32 - 1, or none: such a queue has
 * levels, but they are tenths of nothing. A level that lasts no time
 * is not recorded. Every level is a span: of a producer whose single samples do not matter, tell the level
 * a buffer or a sector at a time.
 */
#ifndef SDSIM_CORE_QUEUE_LANE_H
#define SDSIM_CORE_QUEUE_LANE_H

#include "core/account.h"

struct sdsim_queue_lane {
    const struct sdsim_meter
        *meter;        /* not owned; whose recorder hears of it, if it has one by then */
    uint64_t capacity; /* 0: without limit */
    const char *unit;  /* not owned */
    uint64_t level;    /* since `since` */
    sdsim_ps since;
};

/* Empty from `at` on. `meter` and `unit` ("bytes", "buffers") must outlive the lane. */
static inline void sdsim_queue_lane_init(struct sdsim_queue_lane *lane,
                                         const struct sdsim_meter *meter, sdsim_ps at,
                                         uint64_t capacity, const char *unit)
{
    *lane =
        (struct sdsim_queue_lane){.meter = meter, .capacity = capacity, .unit = unit, .since = at};
}

/* No level after this instant: tells the last one. */
void sdsim_queue_lane_end(struct sdsim_queue_lane *lane, sdsim_ps at);

/* From `at` on the queue holds `level`; more than it has room for is told as full. */
static inline void sdsim_queue_lane_level(struct sdsim_queue_lane *lane, sdsim_ps at,
                                          uint64_t level)
{
    if (level != lane->level) {
        sdsim_queue_lane_end(lane, at);
        lane->level = level;
    }
}

#endif
