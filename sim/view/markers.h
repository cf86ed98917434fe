/*
 * Markers: instants with a name, in the order of time.
 */
#ifndef SDSIM_VIEW_MARKERS_H
#define SDSIM_VIEW_MARKERS_H

#include <stdbool.h>
#include <stddef.h>

#include "core/time.h"

enum { SDSIM_MARKERS_MOST = 100 };

struct sdsim_marker {
    sdsim_ps at;
    char label[32];
};

struct sdsim_markers {
    struct sdsim_marker items[SDSIM_MARKERS_MOST];
    size_t count;
};

/* Sets a marker; one that is there already at this instant gets the label. False if there are too many.
 */
bool sdsim_markers_set(struct sdsim_markers *markers, sdsim_ps at, const char *label);

/* Takes one away. False if there is none at this instant. */
bool sdsim_markers_remove(struct sdsim_markers *markers, sdsim_ps at);

/* The next one after an instant, the last one before it; NULL if there is none. */
const struct sdsim_marker *sdsim_markers_next(const struct sdsim_markers *markers,
                                              sdsim_ps instant);
const struct sdsim_marker *sdsim_markers_previous(const struct sdsim_markers *markers,
                                                  sdsim_ps instant);

#endif
