#include "core/queue_lane.h"

/* Tenths of what it holds; 10 only when it is full. */
static uint8_t tenths(const struct sdsim_queue_lane *lane)
{
    if (lane->capacity == 0) {
        return 0;
    }
    if (lane->level >= lane->capacity) {
        return 10;
    }
    return (uint8_t)((double)lane->level / (double)lane->capacity * 10);
}

void sdsim_queue_lane_end(struct sdsim_queue_lane *lane, sdsim_ps at)
{
    struct sdsim_recorder *recorder = lane->meter->recorder;
    const sdsim_ps since = lane->since;
    if (at <= since) {
        return;
    }
    lane->since = at;
    if (recorder == NULL) {
        return;
    }
    const struct sdsim_detail detail = {
        .kind = SDSIM_DETAIL_LEVEL,
        .place = lane->level,
        .size = lane->capacity < UINT32_MAX ? (uint32_t)lane->capacity : UINT32_MAX,
        .name = lane->unit,
    };
    const struct sdsim_span span = {
        .start = since,
        .duration = at - since,
        .count = 1,
        .lane = SDSIM_LANE_QUEUE,
        .part = tenths(lane),
        .detail = sdsim_record_detail(recorder, &detail),
    };
    recorder->span(recorder, &span);
}
