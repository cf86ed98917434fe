/*
 * All that is known of one span, as a list of names and values for a panel; and a label short enough to
 * be written into it.
 *
 * What a span of the bus, the CPU or the card is part of - the command, the calls of driver, library and
 * application around it - is found by its time.
 */
#ifndef SDSIM_VIEW_FACTS_H
#define SDSIM_VIEW_FACTS_H

#include "timeline/timeline.h"

enum { SDSIM_FACTS_MOST = 32 };

struct sdsim_fact {
    const char *name; /* "duration" */
    char value[120];  /* "1.638ms" */
};

struct sdsim_facts {
    struct sdsim_fact items[SDSIM_FACTS_MOST];
    size_t count;
};

/* The facts of a span of a lane. False if the span can't be had. */
bool sdsim_facts_of(struct sdsim_timeline *timeline, enum sdsim_lane lane, uint64_t number,
                    struct sdsim_facts *facts);

/* What a span is, in a few words: "CMD18 LBA 8192", "pause", "write 4096". Returns out. */
char *sdsim_span_label(const struct sdsim_timeline *timeline, const struct sdsim_span *span,
                       char *out, size_t size);

/* The value of a fact; NULL if it is not there. */
const char *sdsim_fact(const struct sdsim_facts *facts, const char *name);

#endif
