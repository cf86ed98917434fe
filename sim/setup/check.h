/*
 * For sim/setup only: the parts of the checks that fill files of their own.
 */
#ifndef SDSIM_SETUP_CHECK_H
#define SDSIM_SETUP_CHECK_H

#include "setup/setup.h"

/* What is done, and on what; and whether it can be measured so. */
bool sdsim_check_workload(const struct sdsim_run *run, const struct sdsim_setup *setup,
                          struct sdsim_diags *diags);
bool sdsim_check_measured(const struct sdsim_run *run, const struct sdsim_setup *setup,
                          struct sdsim_diags *diags);

/* Warns of keys of workloads that no run of a scenario takes notice of. */
void sdsim_warn_unused_keys(const struct sdsim_run *runs, size_t count, struct sdsim_diags *diags);

/* Whether what a workload (the map) does takes no notice of a key; then why, and what the key is for. */
bool sdsim_unused_key(const struct sdsim_node *workload, const char *key, char *why,
                      size_t why_size, char *help, size_t help_size);

#endif
