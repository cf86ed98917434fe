/*
 * The fill level of a queue in a window, column by column, for a picture of bars.
 *
 * Of a queue with a capacity the spans are sorted into tenths of it, so that the worst column wins at every
 * zoom, and bars are exact where a column shows single spans. One without limit has no tenths: bars are drawn
 * against the highest level that was recorded, and the spans of a column are looked at one by one.
 *
 * Limits: of a queue without limit, the first SDSIM_LEVEL_SPANS spans of a column.
 */
#ifndef SDSIM_VIEW_LEVELS_H
#define SDSIM_VIEW_LEVELS_H

#include "timeline/query.h"
#include "timeline/timeline.h"

enum {
    SDSIM_LEVEL_FULL = 1000,
    SDSIM_LEVEL_SPANS = 4096,
};

/* What the top of the bars stands for. Goes through all details. */
struct sdsim_level_scale {
    uint64_t top;  /* 0: no level was recorded */
    bool limited;  /* it is what the queue holds; else its highest level */
    char unit[24]; /* "bytes" */
};
struct sdsim_level_scale sdsim_level_scale(const struct sdsim_timeline *timeline);

/* How full the queue is in each of `width` columns, which sdsim_lane_columns gave for its lane: 0 to
 * SDSIM_LEVEL_FULL; -1: nothing is there. */
void sdsim_levels(struct sdsim_timeline *timeline, const struct sdsim_level_scale *scale,
                  const struct sdsim_column *columns, uint32_t width, int32_t *levels);

#endif
