/*
 * What-ifs: changes a user can make, each with what it would bring, what it costs and what it risks.
 *
 * A what-if is a list of "path=value" as --set takes them, bound and simulated like any run: the
 * same command with these --set gives the same number. What there is depends on the run: a list of
 * rules (setup/whatif_rules.c) looks at its setup and proposes changes; those that can't be bound
 * or simulated (no costs for that driver on this host, no room on that card), or change nothing,
 * are not there. Where a rule has several values to offer (call sizes, cards), it keeps the
 * smallest that brings nearly all there is to gain.
 *
 *     count = sdsim_whatifs_plan(&subject, &setup, &outcome, whatifs);   binds: one thread
 *     for each: sdsim_whatif_run(&subject, &outcome, &whatifs[i]);       simulates: any thread
 *     count = sdsim_whatifs_rank(whatifs, count);                        drops and sorts
 *
 * report/explain.h does all of it, and more.
 */
#ifndef SDSIM_SETUP_WHATIF_H
#define SDSIM_SETUP_WHATIF_H

#include "setup/probe.h"
#include "setup/subject.h"

enum sdsim_whatif_kind {
    SDSIM_WHATIF_CLOCK,       /* the next step of the clock generator */
    SDSIM_WHATIF_FULL_CLOCK,  /* the fastest clock the card is rated for on this bus */
    SDSIM_WHATIF_DMA,         /* a driver, or a build of it, that moves blocks by DMA or array */
    SDSIM_WHATIF_MULTI_BLOCK, /* commands of several sectors */
    SDSIM_WHATIF_CALLS,       /* larger calls */
    SDSIM_WHATIF_BUFFERS,     /* aligned buffers in memory DMA can reach */
    SDSIM_WHATIF_BOUNCE,      /* a bounce buffer of several sectors */
    SDSIM_WHATIF_CLUSTER,     /* larger clusters */
    SDSIM_WHATIF_PREALLOCATE,
    SDSIM_WHATIF_STDIO,  /* another buffer of the file API */
    SDSIM_WHATIF_BYPASS, /* past that buffer */
    SDSIM_WHATIF_SYNC,   /* fewer syncs */
    SDSIM_WHATIF_OPEN,   /* keep the file open */
    SDSIM_WHATIF_GATHER, /* keep it open, and collect lines */
    SDSIM_WHATIF_WIDTH,  /* the 4-bit bus */
    SDSIM_WHATIF_STREAM, /* a driver that leaves its stream open */
    SDSIM_WHATIF_EXFAT,  /* no chain to walk */
    SDSIM_WHATIF_CARD,   /* a card of another class */
    SDSIM_WHATIF_KIND_COUNT
};

/* "clock", "dma", ..., as in JSON. */
const char *sdsim_whatif_name(enum sdsim_whatif_kind kind);

#define SDSIM_WHATIF_SETS 4u  /* most changes of one what-if */
#define SDSIM_WHATIF_MOST 64u /* most what-ifs that are tried for one run */

struct sdsim_whatif {
    enum sdsim_whatif_kind kind;
    char title[80]; /* "calls of 32KiB" */
    char sets[SDSIM_WHATIF_SETS][72];
    size_t set_count;
    char cost[100]; /* what it takes */
    char risk[160]; /* what can go wrong */
    struct sdsim_setup setup;
    struct sdsim_outcome_report outcome;
    double gain; /* speed less one: 0.25 is a quarter faster per byte, or per call (sdsim_speed) */
    bool drawn;  /* low and high are there */
    double low;  /* of the gain: 5th and 95th percentile of the draws, each against the same draw of
                    the run at hand, widened to hold `gain` */
    double high;
};

/* Proposes and binds. `whatifs` has room for SDSIM_WHATIF_MOST. Returns how many there are. */
size_t sdsim_whatifs_plan(const struct sdsim_subject *subject, const struct sdsim_setup *base,
                          const struct sdsim_outcome_report *outcome, struct sdsim_whatif *whatifs);

/* Simulates one; its error stands in whatif->outcome.error. */
void sdsim_whatif_run(const struct sdsim_subject *subject,
                      const struct sdsim_outcome_report *outcome, struct sdsim_whatif *whatif);

/* Sets low and high from the gains of `count` draws, each against the same draw of the run at hand;
 * sorts them. None: leaves the what-if without an interval. */
void sdsim_whatif_interval(struct sdsim_whatif *whatif, double *gains, size_t count);

/* Drops those that failed, gain less than 1 % or, of several of one kind, more than the rule keeps;
 * sorts the rest by gain, the greatest first. Returns how many are left. */
size_t sdsim_whatifs_rank(struct sdsim_whatif *whatifs, size_t count);

#endif
