/*
 * The ticks of a time axis: at 1, 2 or 5 times a power of ten, far enough apart for their labels.
 *
 * Where the window is short and far from 0, labels would be long and all alike but for their end. Then
 * they tell the time since a base that is written once: "12.345s" and "+120ns".
 */
#ifndef SDSIM_VIEW_RULER_H
#define SDSIM_VIEW_RULER_H

#include <stddef.h>

#include "view/axis.h"

enum { SDSIM_TICKS_MOST = 400 };

struct sdsim_tick {
    int32_t x;
    sdsim_ps at;
    bool major;     /* has a label */
    char label[24]; /* "120us", "+40ns"; "" if minor */
};

struct sdsim_ruler {
    sdsim_ps base; /* 0: labels are absolute */
    char base_label[40];
    sdsim_ps step; /* between major ticks */
    struct sdsim_tick ticks[SDSIM_TICKS_MOST];
    uint32_t count;
};

/* The ticks of an axis, labels at least `apart` (> 0) pixels apart. */
void sdsim_ruler_make(const struct sdsim_axis *axis, uint32_t apart, struct sdsim_ruler *ruler);

/* A time in full, to the picosecond, with the largest unit that needs no leading zero: "1.25ms",
 * "12.345678901234s", "0s". Returns out. */
char *sdsim_time_print(sdsim_ps time, char *out, size_t size);

#endif
