/*
 * Many runs of one stream (workload/logger.h) that differ in their luck only, worked out together.
 *
 * Runs of one set-up with different seeds do the same for most of the time: what differs is when the
 * card pauses. So runs are not stepped one by one. All of a cohort go through the calls in step: those
 * whose stacks are in the same state - card, driver, file system, what they wrote - are one group, and
 * the next call is stepped once for each group. Where a run is in time is its own affair: between two
 * calls it is arithmetic.
 *
 *     a run's luck strikes within the call    a copy of the group's state gets the run's luck and is
 *                                             stepped for it alone
 *     the call begins later than others of    a copy is stepped for each such distance, if something
 *     the group begin theirs                  of the last call still runs
 *     one syncs and another does not          they are in two groups, until both have
 *     two groups come to the same state       they are one
 *
 * Whether two states are the same, their digests say (core/digest.h): every layer gives what its next
 * answer depends on. The results are those of stepping every run by itself, to the picosecond; a
 * property test compares them.
 *
 * An hour at 100 kB/s is 88 thousand calls, of which luck strikes in a hundred; so a thousand such
 * hours are worked out in the time in which about fifty would be stepped (tests/bench/bench_buffer.c).
 *
 * Limits: cards with two latency levels need luck for every command that reads, and drivers that wait
 * for ticks of a clock are in step with others only as long as they are at the same distance to one;
 * both are exact, and slower.
 */
#ifndef SDSIM_SETUP_COHORT_H
#define SDSIM_SETUP_COHORT_H

#include "setup/simulate.h"

/* What a stall was for the most part. */
enum sdsim_stall_cause {
    SDSIM_STALL_WRITE,     /* the write itself: transfer, programs, driver */
    SDSIM_STALL_PAUSE,     /* the card's regular pause: AU merges and erases */
    SDSIM_STALL_RARE,      /* its rare housekeeping */
    SDSIM_STALL_START,     /* its work right after power-up */
    SDSIM_STALL_MERGE,     /* AUs opened and merged for where the write went */
    SDSIM_STALL_ORDER,     /* a write against the order */
    SDSIM_STALL_BOUNDARY,  /* the clusters' entries went on in the FAT's (bitmap's) next sector */
    SDSIM_STALL_FAT,       /* other cluster allocation */
    SDSIM_STALL_DIRECTORY, /* directory entries, FSINFO */
    SDSIM_STALL_SYNC,      /* the sync that was due */
    SDSIM_STALL_FILE,      /* a file was closed and the next one opened */
    SDSIM_STALL_CAUSES
};

/* "the card's regular pause", ... */
const char *sdsim_stall_cause_text(enum sdsim_stall_cause cause);

/* A call or sync that kept the writer from emptying the queue. */
struct sdsim_stall {
    sdsim_ps length;
    sdsim_ps at; /* when its unit, or the sync, began */
    uint64_t unit;
    bool syncs; /* it was a sync */
};

/* What became of one run. Times count from the start of its stream. */
struct sdsim_cohort_run {
    const char *error; /* why it ended early; NULL: it didn't. A static text */
    uint64_t arrived;  /* bytes */
    uint64_t lost;
    sdsim_ps lost_at;
    uint64_t highest;
    sdsim_ps highest_at;
    uint64_t exposed;
    sdsim_ps exposed_at;
    sdsim_ps ended; /* when the last whole unit, and its sync, were over */
    uint64_t units;
    struct sdsim_stall stalls[SDSIM_STALL_CAUSES]; /* the longest for each cause */
    struct sdsim_account account; /* from the start of the stream to behind what was left at its end
                                     and a final sync; zero unless asked for */
};

/* The cause of the longest stall of a run. */
enum sdsim_stall_cause sdsim_longest_stall(const struct sdsim_cohort_run *run);

struct sdsim_cohort_state;

struct sdsim_cohort_plan {
    const struct sdsim_setup *setup;     /* of a stream */
    const struct sdsim_medium *prepared; /* sdsim_prepare_medium; is not changed */
    const struct sdsim_logger *logger;   /* initialised from the setup; its shape may differ */
    uint32_t first;                      /* run i has the luck of draw first + i, */
    const uint32_t *draws;               /* or of draws[i]; may be NULL */
    size_t count;
    bool stop_at_loss; /* a run ends with the unit or sync in which something is lost */
    bool accounts;     /* fill in the accounts */
    /* NULL, or hears of each run's end; what it wrote besides data is in state->branch. For tests. */
    void (*ended)(void *context, size_t run, const struct sdsim_cohort_state *state);
    void *context;
};

/* How much of it was stepped. */
struct sdsim_cohort_work {
    uint64_t calls;   /* units and syncs of all runs */
    uint64_t stepped; /* times a unit or sync was stepped */
    size_t groups;    /* the most there were at once */
};

/* Works `plan->count` runs out into `runs`. False, with the reason in `report`, if the card can't be
 * used or there is no memory; `report` also tells about initialisation. `work` may be NULL. Safe on
 * several threads for different plans, whose `prepared` may be the same. */
bool sdsim_cohort_simulate(const struct sdsim_cohort_plan *plan, struct sdsim_cohort_run *runs,
                           struct sdsim_cohort_work *work, struct sdsim_outcome_report *report);

#endif
