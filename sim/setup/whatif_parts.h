/*
 * What the rules of what-ifs work with. Not for other files than whatif*.c.
 */
#ifndef SDSIM_SETUP_WHATIF_PARTS_H
#define SDSIM_SETUP_WHATIF_PARTS_H

#include "setup/whatif.h"

struct sdsim_whatif_planner {
    const struct sdsim_subject *subject;
    const struct sdsim_setup *base;
    const struct sdsim_outcome_report *outcome;
    struct sdsim_whatif *whatifs; /* SDSIM_WHATIF_MOST */
    size_t count;
};

/* What is proposed: sets are "path=value", NULL behind the last if fewer. */
struct sdsim_whatif_proposal {
    enum sdsim_whatif_kind kind;
    const char *title;
    const char *cost;
    const char *risk;
    const char *sets[SDSIM_WHATIF_SETS];
};

/* Binds a proposal and keeps it if that is possible and there is room. */
void sdsim_whatif_propose(struct sdsim_whatif_planner *planner,
                          const struct sdsim_whatif_proposal *proposal);

/* "clock=20MHz", exactly. Returns out. */
char *sdsim_whatif_clock_set(uint64_t hz, char *out, size_t size);

/* All rules, one after the other. */
void sdsim_whatif_rules(struct sdsim_whatif_planner *planner);

/* The rules about drivers, in a file of their own. */
void sdsim_whatif_rule_drivers(struct sdsim_whatif_planner *planner);

#endif
