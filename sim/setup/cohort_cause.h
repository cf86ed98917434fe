/*
 * For sim/setup/cohort.c: what a call took its time for, from what changed.
 */
#ifndef SDSIM_SETUP_COHORT_CAUSE_H
#define SDSIM_SETUP_COHORT_CAUSE_H

#include "flash/flash_state.h"
#include "setup/cohort.h"
#include "setup/cohort_state.h"

/* `before` and `after` a call or sync that began with `luck`. Notes in `after` what pause still runs. */
enum sdsim_stall_cause sdsim_stall_cause(const struct sdsim_cohort_state *before,
                                         struct sdsim_cohort_state *after,
                                         const struct sdsim_flash_luck *luck, bool syncs);

#endif
