/*
 * The values of a sweep as overrides, and whether they are values at all: a key that is misspelled, or
 * a value that its key can't have, is a mistake of the command line, told before anything is computed.
 * Values that do not go together - a driver and a bus it can't work - are rows without a prediction.
 */
#ifndef SDSIM_TOOLS_SWEEP_VALUES_H
#define SDSIM_TOOLS_SWEEP_VALUES_H

#include "sweep_points.h"

/* The plan's overrides and behind them "PATH=VALUE" of each axis, NULL at the end; NULL without
 * memory. */
const char **sdsim_sweep_overrides(const struct sdsim_sweep_plan *plan, const char *const *values);
void sdsim_sweep_overrides_free(const struct sdsim_sweep_plan *plan, const char **overrides);

/*
 * Whether each value of each axis is one that its key may have: all of a list, the ends of a range.
 * `texts` are the axes as they were given; messages point into them. False with messages.
 */
bool sdsim_sweep_values_fit(const struct sdsim_sweep_plan *plan, const char *const *texts,
                            struct sdsim_diags *diags);

#endif
