/*
 * Which profiles a record's words mean: the tables behind measure/plan.h.
 *
 * For the files of this folder only.
 */
#ifndef SDSIM_MEASURE_PLAN_NAMES_H
#define SDSIM_MEASURE_PLAN_NAMES_H

#include <stdio.h>

#include "measure/measurement.h"
#include "measure/profiles.h"
#include "setup/setup.h"

/* The host's profile. Returns out. */
const char *sdsim_plan_host(const struct sdsim_measurement *measurement,
                            struct sdsim_profiles *profiles, char *out, size_t size);

/* Write the lines `driver: ...` and `card: ...`. */
void sdsim_plan_driver(const struct sdsim_measurement *measurement, struct sdsim_profiles *profiles,
                       FILE *out);
void sdsim_plan_card(const struct sdsim_measurement *measurement, struct sdsim_profiles *profiles,
                     FILE *out);

/* The file API; "" for raw sectors. */
const char *sdsim_plan_file_api(const struct sdsim_measurement *measurement);

/* The host with what it lacks for the run's driver (costs, a clock generator) taken over from
 * `unspecified`. NULL after a message. */
struct sdsim_node *sdsim_plan_lend_costs(const struct sdsim_run *run, struct sdsim_config *config,
                                         struct sdsim_profiles *profiles,
                                         struct sdsim_diags *diags);

#endif
