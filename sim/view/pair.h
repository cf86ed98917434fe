/*
 * Two timelines on one axis: predicted against measured, before against after.
 *
 * The two are shifted so that one event of each, chosen by the user, falls on the same instant of the
 * common axis; nothing is shifted below 0. What differs in a stretch of the common axis is what differs
 * in the stretches of both that lie under it.
 */
#ifndef SDSIM_VIEW_PAIR_H
#define SDSIM_VIEW_PAIR_H

#include "view/explore.h"

struct sdsim_pair {
    struct sdsim_timeline *timelines[2]; /* not owned; [1] may be NULL */
    sdsim_ps shift[2];                   /* common = own + shift */
};

/* Both begin together. */
struct sdsim_pair sdsim_pair_of(struct sdsim_timeline *first, struct sdsim_timeline *second);

/* Puts an instant of one on an instant of the other. */
void sdsim_pair_align(struct sdsim_pair *pair, sdsim_ps of_first, sdsim_ps of_second);

/* Where the later one ends, on the common axis. */
sdsim_ps sdsim_pair_end(const struct sdsim_pair *pair);

/* From the common axis to that of a track and back; instants before its start are its start. */
sdsim_ps sdsim_pair_own(const struct sdsim_pair *pair, int track, sdsim_ps common);
sdsim_ps sdsim_pair_common(const struct sdsim_pair *pair, int track, sdsim_ps own);

/* A row of the difference: a name, the value of both, in picoseconds, bytes or times. */
struct sdsim_difference {
    const char *name;
    const char *unit; /* "time", "bytes", "" */
    uint64_t of[2];
};
enum { SDSIM_DIFFERENCES_MOST = SDSIM_KIND_COUNT + SDSIM_GROUP_COUNT + 2 };

/* What differs in [from, to) of the common axis: all that is not 0 in both. Returns how many. */
size_t sdsim_pair_differ(const struct sdsim_pair *pair, sdsim_ps from, sdsim_ps to,
                         struct sdsim_difference differences[SDSIM_DIFFERENCES_MOST]);

#endif
