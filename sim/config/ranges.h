/*
 * The values of a profile that have a range: what differs between one draw and the next.
 *
 * Binding a profile is a walk over its tree, with every key compared and every text parsed. A
 * prediction needs that once: sdsim_bind_ranges() binds the typical values and notes those that have
 * a range, with where they went; sdsim_ranges_draw() then gives a copy of the structure the values
 * of any draw, the same as sdsim_bind() would.
 *
 * Limits: values inside lists are not noted (their memory is shared by all copies of the structure);
 * `in_lists` says that there are some, and then each draw has to be bound.
 */
#ifndef SDSIM_CONFIG_RANGES_H
#define SDSIM_CONFIG_RANGES_H

#include <stdbool.h>
#include <stddef.h>

#include "config/schema.h"
#include "config/tree.h"
#include "config/value.h"

/* One of them. */
struct sdsim_ranged {
    const struct sdsim_ranged *next; /* NULL: it was the last */
    const struct sdsim_key *key;
    const char *path; /* of the key in its profile: "rd1", "costs.chunk_gap" */
    size_t offset;    /* in the structure that was bound */
    struct sdsim_scalar value;
    struct sdsim_scalar low;
    struct sdsim_scalar high;
};

/* All of one profile; memory belongs to the config. */
struct sdsim_ranges {
    const char *profile;              /* the name the draw's luck is tied to; not owned */
    const struct sdsim_ranged *first; /* NULL: none */
    bool in_lists;                    /* there are more, which were not noted */
};

/* As sdsim_bind() for draw 0, and notes the values that have a range. */
bool sdsim_bind_ranges(struct sdsim_config *config, const struct sdsim_schema *schema,
                       const struct sdsim_node *node, const char *profile,
                       struct sdsim_ranges *ranges, void *out, struct sdsim_diags *diags);

/* Changes `out`, as sdsim_bind_ranges() left it, to draw draw->k >= 1. */
void sdsim_ranges_draw(const struct sdsim_ranges *ranges, const struct sdsim_draw *draw, void *out);

/* For binding: notes one, with a copy of its path. False without memory. */
bool sdsim_ranges_add(struct sdsim_config *config, struct sdsim_ranges *ranges,
                      const struct sdsim_ranged *ranged);

/* For binding: a value in a draw with k >= 1. */
struct sdsim_scalar sdsim_ranged_draw(const struct sdsim_ranged *ranged, const char *profile,
                                      const struct sdsim_draw *draw);

/* For binding: a value as the C type of its key. */
void sdsim_scalar_store(const struct sdsim_key *key, const struct sdsim_scalar *value, void *out);

#endif
