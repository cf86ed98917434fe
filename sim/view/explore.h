/*
 * Finding one's way in a timeline: jumping to the next of something, searching for text, the longest
 * ones of a kind, and what happened in a range.
 *
 * What is looked for is said in words: "pause over 10ms", "fat write", "CMD25", "card busy over 1ms". A
 * word is the name of a lane, of one of its classes, of a call or part, or of neither: then it is a text
 * that a detail must hold; small and capital letters are alike. "over TIME" asks for the duration.
 * Without a lane, the first one that has such a class is meant; a text alone is looked for in all
 * of them.
 */
#ifndef SDSIM_VIEW_EXPLORE_H
#define SDSIM_VIEW_EXPLORE_H

#include "timeline/find.h"
#include "timeline/query.h"
#include "timeline/timeline.h"

struct sdsim_quest {
    uint16_t lanes; /* bit l: lane l is looked at */
    struct sdsim_wanted wanted;
    uint8_t *details; /* owned; what wanted.details points at; NULL: any */
};

/* Where a quest, or a click, has led. */
struct sdsim_place_in {
    enum sdsim_lane lane;
    uint64_t number;
};

/* Reads a quest. False, with the reason in `why`, if it means nothing. Free it with
 * sdsim_quest_free. */
bool sdsim_quest_read(const struct sdsim_timeline *timeline, const char *text,
                      struct sdsim_quest *quest, char *why, size_t size);
void sdsim_quest_free(struct sdsim_quest *quest);

/* The first span that is wanted and begins after `instant` (or at it, with `at_too`), the last that
 * begins before it. False if there is none. */
bool sdsim_quest_next(struct sdsim_timeline *timeline, const struct sdsim_quest *quest,
                      sdsim_ps instant, bool at_too, struct sdsim_place_in *place);
bool sdsim_quest_previous(struct sdsim_timeline *timeline, const struct sdsim_quest *quest,
                          sdsim_ps instant, struct sdsim_place_in *place);

/* The longest spans of a quest in all its lanes, the longest first. Returns how many. */
struct sdsim_long_one {
    struct sdsim_place_in place;
    sdsim_ps start;
    sdsim_ps duration;
};
enum { SDSIM_LONGEST_MOST = 100 };
size_t sdsim_quest_longest(struct sdsim_timeline *timeline, const struct sdsim_quest *quest,
                           size_t most, struct sdsim_long_one *found);

/* What happened in [from, to). */
struct sdsim_measured {
    sdsim_ps time;
    uint64_t bytes;      /* of calls (see sdsim_bytes_lane) that begin in it */
    double rate;         /* bytes per second */
    uint64_t card_bytes; /* of calls of the driver */
    uint64_t commands[SDSIM_GROUP_COUNT];
    sdsim_ps kinds[SDSIM_KIND_COUNT]; /* of CPU, bus and card; looks at the card are the CPU's */
    struct sdsim_range lanes[SDSIM_LANE_COUNT];
};
void sdsim_measure(struct sdsim_timeline *timeline, sdsim_ps from, sdsim_ps to,
                   struct sdsim_measured *measured);

/* How often each command was sent in [from, to): [index + 64 for application commands]. Looks at every
 * transaction in the range; false if there are more than `most`, or one can't be had. */
bool sdsim_measure_commands(struct sdsim_timeline *timeline, sdsim_ps from, sdsim_ps to,
                            uint64_t most, uint64_t counts[128]);

#endif
