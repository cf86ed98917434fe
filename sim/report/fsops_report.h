/*
 * What file operations cost in block operations: counts by what they touch, as a table and as JSON,
 * and single operations as JSON. The trace itself is fat/blocks.h's.
 */
#ifndef SDSIM_REPORT_FSOPS_REPORT_H
#define SDSIM_REPORT_FSOPS_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "fat/blocks.h"
#include "report/json.h"
#include "report/style.h"

/* The counts as a table of 80 columns. False without memory. */
bool sdsim_fsops_print_summary(const struct sdsim_blocks *blocks, const struct sdsim_style *style,
                               FILE *out);

/* The same as the member "summary" of the object at hand. */
void sdsim_fsops_json_summary(const struct sdsim_blocks *blocks, struct sdsim_json *json);

/* A file operation that has just been run, with the block operations kept in `blocks`, as an item
 * of the list at hand. `repetition` counts from 1. */
void sdsim_fsops_json_operation(const struct sdsim_blocks *blocks, uint32_t line,
                                const struct sdsim_op *op, uint32_t repetition,
                                const struct sdsim_answer *outcome, struct sdsim_json *json);

#endif
