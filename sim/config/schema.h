/*
 * The schema layer: tables that say which keys a map may have, what each means, and where its value
 * goes in a C structure.
 *
 * One table serves four ends: it checks a tree (unknown keys with "did you mean", missing keys,
 * wrong types, missing or wrong units, values out of range - all errors of a file in one run),
 * fills the parameter structure, prints the documentation, and prints a JSON Schema for editors.
 *
 * A key marked `profile` takes a plain value or a map that says where the value comes from:
 *
 *     rd1: {value: 200us, range: 150us..300us, from: calculated, source: "P2 2.1"}
 *
 * `from` is published, calculated, measured, fitted or assumed; `range` is the 5-95 % span and must
 * hold the value; `fit: headline` marks a value fitted to the headline scenarios. A fitted value may
 * say where its fit started (`start`, what sources or its class alone give) and, under `fitted_to`,
 * the source of the numbers it was fitted to, for those who fit again (measure/fit.h). Models never see
 * a range: binding draws one value. Draw 0 is the value itself. Any other draw k takes the
 * piecewise-linear quantile line through (0.05, low), (0.5, value), (0.95, high), continued at both
 * ends with the slope of its piece and clamped to the key's limits, at a point that hashes give - so
 * a what-if shares the luck of all other values.
 *
 * Of the values of one profile most share their luck: a card that is slow in one way is slow in
 * others. With h = hash(seed, k, profile name) and own = hash(h, key path), a value's point is
 * hash(h, 2) if hash(own, 1) is below 0.85, and own if not. So each value by itself is uniform, two
 * of one profile have the same point in three of four draws (0.85 x 0.85), and values of
 * different profiles have nothing to do with each other.
 */
#ifndef SDSIM_CONFIG_SCHEMA_H
#define SDSIM_CONFIG_SCHEMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "config/tree.h"
#include "core/diag.h"

enum sdsim_value_type {                         /* C type at the offset */
                        SDSIM_VALUE_TIME,       /* uint64_t, ps */
                        SDSIM_VALUE_FREQUENCY,  /* uint64_t, Hz */
                        SDSIM_VALUE_SIZE,       /* uint64_t, bytes */
                        SDSIM_VALUE_RATE,       /* uint64_t, bytes per second */
                        SDSIM_VALUE_PER_SECOND, /* uint64_t, 1 per second */
                        SDSIM_VALUE_PERCENT,    /* uint64_t, in 10^-9 */
                        SDSIM_VALUE_COUNT,      /* uint64_t */
                        SDSIM_VALUE_NUMBER,     /* double, no unit */
                        SDSIM_VALUE_BOOL,       /* bool; yes/no/true/false/on/off */
                        SDSIM_VALUE_CHOICE,     /* int, from `choices` */
                        SDSIM_VALUE_TEXT,       /* const char *, lives as long as the config */
                        SDSIM_VALUE_MAP,        /* the structure of `schema`, embedded */
                        SDSIM_VALUE_PROFILE,    /* a reference to a profile of kind `profile_kind`:
                                                   const struct    sdsim_node *, unresolved (see
                                                   sdsim_config_resolve) */
                        SDSIM_VALUE_QUANTITY, /* struct sdsim_quantity: one value or low..high, with
                                                 any of the units of time, rate and per-second; what
                                                 `measured:` holds */
};

struct sdsim_quantity {
    int unit; /* enum sdsim_unit: TIME (low/high in seconds), RATE (B/s) or PER_SECOND */
    double low;
    double high; /* equal to low for a single value */
    bool given;
};

struct sdsim_choice {
    const char *name;
    int value;
    const char *doc;
};

struct sdsim_schema;

/* A list key's C type: `items` points at `count` elements of the key's type, owned by the config.
 */
struct sdsim_list {
    void *items;
    size_t count;
};

struct sdsim_key {
    const char *name;
    enum sdsim_value_type type;
    size_t offset;        /* in the structure of the schema; of a struct sdsim_list if `list` */
    const char *doc;      /* one sentence */
    const char *fallback; /* the value if the key is missing, as text; NULL: zero */
    bool required;
    bool list;    /* one or more values; a single value is taken as a list of one */
    bool profile; /* may carry range, from, source, fit */
    uint64_t min; /* in base units, for NUMBER in whole numbers; both 0: only the type's limits */
    uint64_t max; /* 0: no upper limit */
    const struct sdsim_choice *choices; /* CHOICE, ends with a NULL name */
    const struct sdsim_schema *schema;  /* MAP */
    const char *profile_kind;           /* PROFILE */
    size_t given_offset; /* offset + 1 of a bool that says whether the key was there; 0: none */
};

struct sdsim_schema {
    const char *name; /* "card", "bus", ... */
    const char *doc;  /* a paragraph */
    const struct sdsim_key *keys;
    size_t key_count;
    size_t size; /* of the C structure */
};

/* Keys every top-level file may have besides its own: kind, base, name, description, source. */

struct sdsim_draw {
    uint64_t seed;
    uint32_t k; /* 0: typical values */
};

/*
 * Checks `node` against the schema and fills `out` (schema->size bytes, zeroed first). `profile` is
 * the name the draw's luck is tied to, normally the file's name. All errors go to `diags`; false if
 * there was any. `config` owns lists and texts; each call adds its lists to it, and none is given
 * back before the config is destroyed.
 */
bool sdsim_bind(struct sdsim_config *config, const struct sdsim_schema *schema,
                const struct sdsim_node *node, const char *profile, const struct sdsim_draw *draw,
                void *out, struct sdsim_diags *diags);

/* A profile value as it stands in a tree, for counting what was fitted and for `describe`. */
enum sdsim_origin {
    SDSIM_FROM_UNSAID,
    SDSIM_FROM_PUBLISHED,
    SDSIM_FROM_CALCULATED,
    SDSIM_FROM_MEASURED,
    SDSIM_FROM_FITTED,
    SDSIM_FROM_ASSUMED,
};

struct sdsim_value_info {
    const char *path; /* "rd1", "costs.chunk_gap"; valid during the call */
    const struct sdsim_key *key;
    const struct sdsim_node *node; /* the whole value */
    const char *value;             /* as written */
    const char *range;             /* as written, or NULL */
    enum sdsim_origin origin;
    bool fit_headline;
    const char *source; /* or NULL */
    const struct sdsim_node
        *value_node; /* where `value` and `range` stand; the range may be NULL */
    const struct sdsim_node *range_node;
    const char *start;     /* as written, or NULL */
    const char *fitted_to; /* or NULL */
};

/* Calls `visit` for every `profile` key present in the tree, in the order of the schema. */
void sdsim_schema_values(const struct sdsim_schema *schema, const struct sdsim_node *node,
                         void (*visit)(void *context, const struct sdsim_value_info *info),
                         void *context);

const char *sdsim_origin_name(enum sdsim_origin origin);

/* The documentation of a schema as text for a terminal of 80 columns: key, type and unit, range,
 * default, sentence; nested maps indented. */
void sdsim_schema_describe(const struct sdsim_schema *schema, FILE *out);

/* A JSON Schema (draft 2020-12) of files of this kind. */
void sdsim_schema_json(const struct sdsim_schema *schema, const char *kind, FILE *out);

#endif
