/*
 * One value of a schema as text: reading it, and drawing from its range.
 *
 * Nothing here knows where the text stood; what is wrong with it comes back as a complaint, which
 * the caller puts to the place.
 */
#ifndef SDSIM_CONFIG_VALUE_H
#define SDSIM_CONFIG_VALUE_H

#include <stdbool.h>
#include <stdint.h>

#include "config/schema.h"
#include "core/units.h"

/* What a text means; which member counts says the key's type. */
struct sdsim_scalar {
    uint64_t whole; /* all types with a unit, and COUNT */
    double real;    /* NUMBER */
    int choice;
    bool flag;
    struct sdsim_quantity quantity;
};

struct sdsim_complaint {
    char text[400];
    char help[200]; /* "" if there is none */
};

/* A text as it is quoted in messages: long ones are cut. */
struct sdsim_shown {
    char text[72];
};
struct sdsim_shown sdsim_shown(const char *text);

/* The types a range makes sense for: those with a unit, COUNT and NUMBER. */
bool sdsim_value_is_number(enum sdsim_value_type type);

/* The unit of a type; false if it has none. */
bool sdsim_value_unit(enum sdsim_value_type type, enum sdsim_unit *unit);

/* What may stand there, for messages and documentation: "a time with a unit (...)". */
void sdsim_value_expected(const struct sdsim_key *key, char *out, size_t size);

/* Prints one of the key's limits, or another whole value of it, exactly: "250ms". */
void sdsim_value_print(const struct sdsim_key *key, uint64_t value, char *out, size_t size);

/* Whether the key has an upper limit beyond that of its C type. */
static inline bool sdsim_value_has_max(const struct sdsim_key *key)
{
    return key->max != 0;
}

/* Reads a value of the key: syntax, unit, limits. TEXT, MAP and PROFILE are not for this function.
 */
bool sdsim_value_parse(const struct sdsim_key *key, const char *text, struct sdsim_scalar *value,
                       struct sdsim_complaint *complaint);

/* Reads "low..high"; the unit may be left out at the low end. */
bool sdsim_value_parse_range(const struct sdsim_key *key, const char *text,
                             struct sdsim_scalar *low, struct sdsim_scalar *high,
                             struct sdsim_complaint *complaint);

/* Whether low <= value <= high for a type with ranges. */
bool sdsim_value_within(const struct sdsim_key *key, const struct sdsim_scalar *value,
                        const struct sdsim_scalar *low, const struct sdsim_scalar *high);

/*
 * The value at the quantile `luck` (0..1) of the piecewise-linear line through (0.05, low),
 * (0.5, value), (0.95, high), continued at both ends with the slope of its piece, and clamped to
 * the key's limits. Whole values are rounded to the nearest.
 */
struct sdsim_scalar sdsim_value_draw(const struct sdsim_key *key, const struct sdsim_scalar *value,
                                     const struct sdsim_scalar *low,
                                     const struct sdsim_scalar *high, double luck);

#endif
