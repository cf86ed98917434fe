/*
 * A profile value with its provenance: {value, range, from, source, fit, start,
 * fitted_to}.
 */
#ifndef SDSIM_CONFIG_PROVENANCE_H
#define SDSIM_CONFIG_PROVENANCE_H

#include <stdbool.h>

#include "config/schema.h"

struct sdsim_provenance {
    const struct sdsim_node *value; /* NULL if it is missing */
    const struct sdsim_node *range; /* a scalar, or NULL */
    enum sdsim_origin origin;
    bool fit_headline;
    const char *source;             /* or NULL */
    const struct sdsim_node *start; /* a scalar, or NULL */
    const char *fitted_to;          /* or NULL */
};

/*
 * Takes such a map apart. `path` names the value in messages; `diags` may be NULL to take what is
 * right and ignore the rest. False if anything is wrong.
 */
bool sdsim_provenance_read(const struct sdsim_node *map, const char *path,
                           struct sdsim_provenance *provenance, struct sdsim_diags *diags);

#endif
