/*
 * What the lanes of a timeline are called, and by what their spans are told apart.
 *
 * Every lane sorts its spans into classes: those of the bus, the CPU and the card by the kind of the
 * account, calls by what is called, calls of the driver by their purpose. A class is what gets a
 * colour and what summaries count. Where several classes fall into one pixel the worst one wins: a
 * pause before anything, data that flows as it should last.
 *
 * Limits: at most SDSIM_CLASSES classes a lane.
 */
#ifndef SDSIM_TIMELINE_LANES_H
#define SDSIM_TIMELINE_LANES_H

#include <stdint.h>

#include "core/account.h"

enum {
    SDSIM_CLASSES = 11,
    SDSIM_NO_CLASS = 255,
};

/* Which member of a span is its class. */
enum sdsim_class_by {
    SDSIM_BY_KIND,
    SDSIM_BY_PURPOSE,
    SDSIM_BY_PART,
};

struct sdsim_lane_info {
    const char *name;  /* one word, for files and options: "bus" */
    const char *title; /* for people: "Bus" */
    enum sdsim_class_by by;
    uint8_t classes;           /* how many */
    uint8_t rank[16];          /* of each class, from 1, the worst highest; 0: no such class */
    const char *const *called; /* the classes' names */
};

/* `lane` is below SDSIM_LANE_COUNT. */
const struct sdsim_lane_info *sdsim_lane_info(enum sdsim_lane lane);

/* The class with a rank; SDSIM_NO_CLASS for rank 0. */
uint8_t sdsim_lane_class_of_rank(enum sdsim_lane lane, uint8_t rank);

/* The lane called `name`, in small or capital letters, SDSIM_LANE_COUNT if there is none; the same for a
 * class of it, SDSIM_NO_CLASS. */
enum sdsim_lane sdsim_lane_by_name(const char *name);
uint8_t sdsim_class_by_name(enum sdsim_lane lane, const char *name);

/* Of an enum sdsim_part, "command", "token", ...; an enum sdsim_call, "read", ... */
const char *sdsim_part_name(enum sdsim_part part);
const char *sdsim_call_name(enum sdsim_call call);

#endif
