/*
 * A strip of a timeline: what each lane did in a stretch of time, in so many columns; the picture of
 * timeline/query.h as plain numbers, for pages.
 *
 * Where several things fall into one column the one that matters most wins (timeline/lanes.h).
 */
#ifndef SDSIM_REPORT_STRIP_H
#define SDSIM_REPORT_STRIP_H

#include "timeline/timeline.h"

enum { SDSIM_STRIP_COLUMNS = 480 };

struct sdsim_strip_lane {
    enum sdsim_lane lane;
    uint8_t classes[SDSIM_STRIP_COLUMNS]; /* SDSIM_NO_CLASS: nothing there */
};

struct sdsim_strip {
    sdsim_ps from;
    sdsim_ps to;
    struct sdsim_strip_lane lanes[SDSIM_LANE_COUNT];
    size_t count; /* lanes that hold something in that stretch; 0: there is no strip */
};

/* Fills a strip from a finished timeline; from < to. */
void sdsim_strip_fill(struct sdsim_strip *strip, struct sdsim_timeline *timeline, sdsim_ps from,
                      sdsim_ps to);

#endif
