/*
 * For sim/setup/cohort.c: all there is of one run at one moment, in a piece that can be copied, and a
 * digest of what happens next.
 */
#ifndef SDSIM_SETUP_COHORT_STATE_H
#define SDSIM_SETUP_COHORT_STATE_H

#include "core/digest.h"
#include "fat/branch_disk.h"
#include "fat/linux_disk.h"
#include "fat/p2_disk.h"
#include "setup/simulate.h"
#include "workload/calls.h"

struct sdsim_cohort_state {
    sdsim_ps now;
    struct sdsim_card card;
    struct sdsim_port port;
    struct sdsim_meter meter;
    struct sdsim_driver driver;
    struct sdsim_linux_disk linux_disk;
    struct sdsim_p2_disk p2_disk;
    struct sdsim_disk lower; /* what the run has for a disk */
    struct sdsim_branch branch;
    struct sdsim_disk disk; /* the branch, over it */
    struct sdsim_volume volume;
    struct sdsim_workload_task task;
    struct sdsim_workload_result result;
    int pausing; /* enum sdsim_stall_cause: of the card's pause that still runs, if one does */
};

/* Whether the card is still in a pause when a call is over: the next one will meet it. */
bool sdsim_cohort_state_pauses(const struct sdsim_cohort_state *state);

/* Takes a run over, right after its volume was mounted at `now`. Its medium must be one that forgets.
 * `setup` must outlive the state, which is uninitialised; sdsim_cohort_state_drop gives back what it has. */
void sdsim_cohort_state_take(struct sdsim_cohort_state *state, const struct sdsim_setup *setup,
                             const struct sdsim_stage *stage, sdsim_ps now);

/* *copy becomes an equal of `state`. False without memory: then there is nothing to give back. */
bool sdsim_cohort_state_copy(struct sdsim_cohort_state *copy,
                             const struct sdsim_cohort_state *state);
void sdsim_cohort_state_drop(struct sdsim_cohort_state *state);

/* What happens next is the same for two states of equal digests, all later by the difference of
 * `now`. */
struct sdsim_digest sdsim_cohort_state_digest(const struct sdsim_cohort_state *state);

/* How long it can be left alone until it no longer matters how long it was; SDSIM_TIME_END: it
 * always does. */
sdsim_ps sdsim_cohort_state_settles(const struct sdsim_cohort_state *state);

#endif
