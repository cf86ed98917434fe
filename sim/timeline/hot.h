/*
 * A span in 16 bytes.
 *
 *     where   start, from that of the 256 spans it belongs to    52 bits   75 minutes
 *             kind 4, purpose 3, part 4, rare 1
 *     what    duration                                           36 bits   68 ms
 *             detail                                             28 bits
 *
 * What does not fit is rare: a span that lasts longer, and a run of equal spans with its period and
 * count. Such a span has the bit `rare` set, and instead of a detail the number of a struct
 * sdsim_rare of its block. Where the start does not fit, filler spans that stand for nothing lead to
 * the next 256; their kind, purpose and part are all ones.
 *
 * Limits: 2^28 - 1 details; times up to SDSIM_TIME_END.
 */
#ifndef SDSIM_TIMELINE_HOT_H
#define SDSIM_TIMELINE_HOT_H

#include <stdbool.h>
#include <stdint.h>

#include "core/recorder.h"
#include "timeline/lanes.h"

struct sdsim_hot {
    uint64_t where;
    uint64_t what;
};

struct sdsim_rare {
    sdsim_ps duration; /* of each */
    sdsim_ps period;   /* start to start; 0 when count is 1 */
    uint64_t count;
    uint32_t detail;
};

#define SDSIM_HOT_START_MOST    (((uint64_t)1 << 52) - 1)
#define SDSIM_HOT_DURATION_MOST (((uint64_t)1 << 36) - 1)
#define SDSIM_HOT_DETAIL_MOST   (((uint32_t)1 << 28) - 1)
#define SDSIM_HOT_FILLER_KIND   15u

static inline struct sdsim_hot sdsim_hot_pack(sdsim_ps offset, sdsim_ps duration, unsigned kind,
                                              unsigned purpose, unsigned part, bool rare,
                                              uint32_t detail)
{
    return (struct sdsim_hot){
        .where = offset << 12 | (uint64_t)(kind & 15) << 8 | (uint64_t)(purpose & 7) << 5 |
                 (uint64_t)(part & 15) << 1 | (rare ? 1 : 0),
        .what = duration << 28 | detail,
    };
}

static inline struct sdsim_hot sdsim_hot_filler(sdsim_ps offset)
{
    return sdsim_hot_pack(offset, 0, SDSIM_HOT_FILLER_KIND, 7, 15, false, 0);
}

static inline sdsim_ps sdsim_hot_offset(const struct sdsim_hot *hot)
{
    return hot->where >> 12;
}

static inline unsigned sdsim_hot_kind(const struct sdsim_hot *hot)
{
    return (unsigned)(hot->where >> 8) & 15;
}

static inline bool sdsim_hot_is_filler(const struct sdsim_hot *hot)
{
    return sdsim_hot_kind(hot) == SDSIM_HOT_FILLER_KIND;
}

static inline unsigned sdsim_hot_purpose(const struct sdsim_hot *hot)
{
    return (unsigned)(hot->where >> 5) & 7;
}

static inline unsigned sdsim_hot_part(const struct sdsim_hot *hot)
{
    return (unsigned)(hot->where >> 1) & 15;
}

static inline bool sdsim_hot_is_rare(const struct sdsim_hot *hot)
{
    return (hot->where & 1) != 0;
}

static inline sdsim_ps sdsim_hot_duration(const struct sdsim_hot *hot)
{
    return hot->what >> 28;
}

static inline uint32_t sdsim_hot_detail(const struct sdsim_hot *hot)
{
    return (uint32_t)(hot->what & SDSIM_HOT_DETAIL_MOST);
}

/* Where the class of a lane's spans lies in `where`: shift it down by this, and keep that. */
static inline unsigned sdsim_hot_class_shift(enum sdsim_class_by by)
{
    return by == SDSIM_BY_KIND ? 8 : by == SDSIM_BY_PURPOSE ? 5 : 1;
}

static inline unsigned sdsim_hot_class_mask(enum sdsim_class_by by)
{
    return by == SDSIM_BY_PURPOSE ? 7 : 15;
}

#endif
