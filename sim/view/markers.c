#include "view/markers.h"

#include <stdio.h>
#include <string.h>

/* The first that is not before an instant. */
static size_t place_of(const struct sdsim_markers *markers, sdsim_ps at)
{
    size_t i = 0;
    while (i < markers->count && markers->items[i].at < at) {
        i++;
    }
    return i;
}

bool sdsim_markers_set(struct sdsim_markers *markers, sdsim_ps at, const char *label)
{
    const size_t place = place_of(markers, at);
    if (place == markers->count || markers->items[place].at != at) {
        if (markers->count == SDSIM_MARKERS_MOST) {
            return false;
        }
        memmove(&markers->items[place + 1], &markers->items[place],
                (markers->count - place) * sizeof *markers->items);
        markers->count++;
    }
    markers->items[place].at = at;
    snprintf(markers->items[place].label, sizeof markers->items[place].label, "%s", label);
    return true;
}

bool sdsim_markers_remove(struct sdsim_markers *markers, sdsim_ps at)
{
    const size_t place = place_of(markers, at);
    if (place == markers->count || markers->items[place].at != at) {
        return false;
    }
    markers->count--;
    memmove(&markers->items[place], &markers->items[place + 1],
            (markers->count - place) * sizeof *markers->items);
    return true;
}

const struct sdsim_marker *sdsim_markers_next(const struct sdsim_markers *markers, sdsim_ps instant)
{
    const size_t place = instant < SDSIM_TIME_END ? place_of(markers, instant + 1) : markers->count;
    return place < markers->count ? &markers->items[place] : NULL;
}

const struct sdsim_marker *sdsim_markers_previous(const struct sdsim_markers *markers,
                                                  sdsim_ps instant)
{
    const size_t place = place_of(markers, instant);
    return place > 0 ? &markers->items[place - 1] : NULL;
}
