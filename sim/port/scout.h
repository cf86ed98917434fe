/*
 * The scout: goes through a run with the fast port and finds where one would have to begin to see a
 * window of it in full.
 *
 * A run is a row of transactions. The scout counts them and remembers at which borders between two of
 * them the wire port can take over from the fast one: where all that the byte-exact card holds beyond
 * what the fast port knows is known all the same. Such a border is one behind a transaction that went
 * well, when no answer is left half read, and when the clocks behind the last block of an open read
 * have not begun to count. Of these it takes the last one with clocks between it and the window, so
 * that the levels of all lines are known when the window begins; else the start of the run, which
 * always serves.
 *
 * On the way it counts the clocks of the window. Behind its end the scout cuts the run short: every
 * transaction fails at once and takes a day, so that no limit of a driver holds it up.
 */
#ifndef SDSIM_PORT_SCOUT_H
#define SDSIM_PORT_SCOUT_H

#include "port/port.h"

/* A border between two transactions. */
struct sdsim_border {
    uint64_t transaction; /* the one behind it, from 0 */
    uint64_t clocks;      /* on the bus before it */
};

struct sdsim_scout {
    struct sdsim_port port; /* first: a scout is a port */
    sdsim_ps from;          /* the window */
    sdsim_ps to;
    uint64_t transactions; /* so far */
    bool clean;            /* the wire port could take over now */
    bool found;            /* a transaction that reaches into the window */
    bool cut;              /* the window was over before the run */
    uint64_t first;        /* where to begin, once found */
    uint64_t clocks;       /* within the window, those of transactions at its ends by their share */
    struct sdsim_border last;   /* good borders: the last one, */
    struct sdsim_border before; /* and the last one with fewer clocks before it */
};

/* Sets the scout up on a card that was just powered up, for the window from <= t < to. */
void sdsim_scout_init(struct sdsim_scout *scout, enum sdsim_bus_mode mode, struct sdsim_card *card,
                      struct sdsim_meter *meter, sdsim_ps from, sdsim_ps to);

/* Ends a run that nobody looks at any more: the transaction fails, a day later. */
void sdsim_port_cut(sdsim_ps *now, struct sdsim_result *result);

#endif
