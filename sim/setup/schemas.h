/*
 * The schemas of all files a user writes: cards, hosts, drivers, boards and scenarios. One table
 * each; checking, binding, documentation and the JSON Schema come from them (config/schema.h).
 */
#ifndef SDSIM_SETUP_SCHEMAS_H
#define SDSIM_SETUP_SCHEMAS_H

#include "card/schema.h"
#include "config/schema.h"

extern const struct sdsim_schema sdsim_host_schema;
extern const struct sdsim_schema sdsim_driver_schema;
extern const struct sdsim_schema sdsim_board_schema;
extern const struct sdsim_schema sdsim_run_schema; /* one item of `runs`, merged or not */
extern const struct sdsim_schema sdsim_scenario_schema;
extern const struct sdsim_schema sdsim_play_schema; /* parts of a workload */
extern const struct sdsim_schema sdsim_sharer_schema;
extern const struct sdsim_schema sdsim_usb_schema;       /* part of a workload */
extern const struct sdsim_schema sdsim_usb_costs_schema; /* part of a host */
extern const struct sdsim_schema sdsim_mpsse_schema;     /* the same */

/* The schema of files of a kind: "card", "host", "driver", "board", "scenario"; NULL for others. */
const struct sdsim_schema *sdsim_schema_for(const char *kind);

#endif
