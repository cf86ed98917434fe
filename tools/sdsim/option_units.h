/*
 * Options that take a number with a unit: read within limits, and told apart when they are refused: too
 * large (and what the largest is), too small, or no such number at all.
 */
#ifndef SDSIM_TOOLS_OPTION_UNITS_H
#define SDSIM_TOOLS_OPTION_UNITS_H

#include "core/units.h"
#include "options.h"

/* The most that makes sense for any card: less than 2 TiB (SD Physical Layer Specification, SDXC). */
#define SDSIM_MOST_CARD_BYTES (((uint64_t)2 << 40) - 512)
/* The largest call, as in scenarios. */
#define SDSIM_MOST_CALL_BYTES ((uint64_t)1 << 30)
/* The largest tolerance, as in scenarios: 1000 %. */
#define SDSIM_MOST_TOLERANCE ((uint64_t)10 * 1000000000)

/* What an option says, in base units and within least..most; *value stays as it is if it was not given.
 * False after a message on stderr. */
bool sdsim_option_take(const struct sdsim_arguments *arguments, enum sdsim_option_id id,
                       enum sdsim_unit unit, uint64_t least, uint64_t most, uint64_t *value);

/* The same of any text, for what is called `what` ("--window"). */
bool sdsim_text_take(const char *what, const char *text, enum sdsim_unit unit, uint64_t least,
                     uint64_t most, uint64_t *value);

#endif
