#include "view/levels.h"

#include <stdio.h>

struct sdsim_level_scale sdsim_level_scale(const struct sdsim_timeline *timeline)
{
    struct sdsim_level_scale scale = {.top = 0};
    const size_t count = timeline->lanes[SDSIM_LANE_QUEUE].count > 0 ? timeline->details.count : 0;
    for (size_t i = 1; i <= count; i++) {
        const struct sdsim_detail detail = sdsim_details_get(&timeline->details, (uint32_t)i);
        if (detail.kind != SDSIM_DETAIL_LEVEL) {
            continue;
        }
        snprintf(scale.unit, sizeof scale.unit, "%s", detail.name != NULL ? detail.name : "");
        if (detail.size > 0) {
            scale.limited = true;
            scale.top = detail.size;
            break;
        }
        scale.top = detail.place > scale.top ? detail.place : scale.top;
    }
    return scale;
}

static int32_t share_of(const struct sdsim_level_scale *scale, uint64_t level)
{
    return level >= scale->top ? SDSIM_LEVEL_FULL
                               : (int32_t)((double)level / (double)scale->top * SDSIM_LEVEL_FULL);
}

/* The level of a span; false if it can't be had. */
static bool level_of(struct sdsim_timeline *timeline, uint64_t number, uint64_t *level)
{
    struct sdsim_span span;
    if (!sdsim_store_span(&timeline->lanes[SDSIM_LANE_QUEUE], number, &span)) {
        return false;
    }
    const struct sdsim_detail detail = sdsim_details_get(&timeline->details, span.detail);
    *level = detail.place;
    return detail.kind == SDSIM_DETAIL_LEVEL;
}

/* The highest of the spans from first on, up to the one that the next column shows. */
static uint64_t highest(struct sdsim_timeline *timeline, uint64_t first, uint64_t next)
{
    const uint64_t most = first + SDSIM_LEVEL_SPANS;
    const uint64_t end = next <= first ? first + 1 : next < most ? next : most;
    uint64_t top = 0;
    for (uint64_t number = first; number < end; number++) {
        uint64_t level;
        if (level_of(timeline, number, &level)) {
            top = level > top ? level : top;
        }
    }
    return top;
}

/* The first span behind what column c shows. */
static uint64_t behind(const struct sdsim_column *columns, uint32_t width, uint32_t c)
{
    for (uint32_t next = c + 1; next < width; next++) {
        if (columns[next].class != SDSIM_NO_CLASS) {
            return columns[next].span;
        }
    }
    return columns[c].span + ((uint64_t)1 << (4 * columns[c].level));
}

void sdsim_levels(struct sdsim_timeline *timeline, const struct sdsim_level_scale *scale,
                  const struct sdsim_column *columns, uint32_t width, int32_t *levels)
{
    for (uint32_t c = 0; c < width; c++) {
        const struct sdsim_column *column = &columns[c];
        uint64_t level;
        if (column->class == SDSIM_NO_CLASS || scale->top == 0) {
            levels[c] = -1;
        } else if (!scale->limited) {
            levels[c] = share_of(scale, highest(timeline, column->span, behind(columns, width, c)));
        } else if (column->level == 0 && level_of(timeline, column->span, &level)) {
            levels[c] = share_of(scale, level);
        } else {
            levels[c] = column->class * (SDSIM_LEVEL_FULL / 10);
        }
    }
}
