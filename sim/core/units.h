/*
 * Quantities with units, as people write them: 20MHz, 32KiB, 250ms, 1.37MB/s.
 *
 * A unit is always written; "0" alone is allowed for times and sizes. MB is 10^6 bytes and MiB
 * 2^20. Parsing is exact: decimal fractions are scaled in integers, and a value that is no whole
 * number of the base unit (0.5B, 0.3ps) is refused. Letters count as written (mHz is not MHz), save
 * k and K, which both mean 1000 in front of Hz and B.
 *
 * One blank between number and unit is accepted. Limits: numbers of up to 19 digits; no exponents,
 * and digits on both sides of a decimal point.
 */
#ifndef SDSIM_CORE_UNITS_H
#define SDSIM_CORE_UNITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum sdsim_unit {
    SDSIM_UNIT_TIME,       /* ps, ns, us, ms, s, min, h   -> picoseconds */
    SDSIM_UNIT_FREQUENCY,  /* Hz, kHz, MHz, GHz           -> Hz */
    SDSIM_UNIT_SIZE,       /* B, kB, KB, MB, GB, TB, KiB, MiB, GiB, TiB, sectors -> bytes */
    SDSIM_UNIT_RATE,       /* B/s, kB/s, KB/s, MB/s, KiB/s, MiB/s -> bytes per second */
    SDSIM_UNIT_PER_SECOND, /* lines/s, ops/s, /s          -> 1 per second */
    SDSIM_UNIT_PERCENT,    /* %                           -> fraction in 1/10^9 */
};

enum sdsim_unit_error {
    SDSIM_UNIT_OK,
    SDSIM_UNIT_NOT_A_NUMBER,
    SDSIM_UNIT_MISSING, /* a number without a unit */
    SDSIM_UNIT_UNKNOWN, /* a number with something else behind it */
    SDSIM_UNIT_INEXACT, /* no whole number of base units */
    SDSIM_UNIT_TOO_LARGE,
};

/* Reads `text` completely. *value is in base units and written on SDSIM_UNIT_OK only. */
enum sdsim_unit_error sdsim_unit_parse(enum sdsim_unit unit, const char *text, uint64_t *value);

/* The same for values that need not be whole: never SDSIM_UNIT_INEXACT up to 19 digits. */
enum sdsim_unit_error sdsim_unit_parse_real(enum sdsim_unit unit, const char *text, double *value);

/* Reads a decimal number without unit, which may be negative; anything behind it is
 * SDSIM_UNIT_UNKNOWN. Correctly rounded up to 15 digits, the same on every machine beyond. */
enum sdsim_unit_error sdsim_number_parse(const char *text, double *value);

/*
 * Reads a value of least..most base units for somebody who says which, as "--call takes ...". On false `why`
 * is what follows: "takes a size with a unit (B, kB, ...), not '12'", "takes at most 1GiB, not '5GiB'",
 * "takes at least 512B, not '0B'".
 */
bool sdsim_unit_take(enum sdsim_unit unit, const char *text, uint64_t least, uint64_t most,
                     uint64_t *value, char *why, size_t size);

/* "at most 1GiB", "less than 2TiB": a limit in the words people write. `most` UINT64_MAX: what fits into
 * base units at all. Returns out. */
char *sdsim_unit_at_most(enum sdsim_unit unit, uint64_t most, char *out, size_t size);

/* Whether text is a number with a unit of this kind that is too large for base units. */
bool sdsim_unit_is_too_large(enum sdsim_unit unit, const char *text);

/* As sdsim_unit_print, but so that it reads back as exactly this: with all digits if need be. */
char *sdsim_unit_print_exact(enum sdsim_unit unit, uint64_t value, char *out, size_t size);

/* How many bytes of `text` are the number in front of the unit, with the blank; 0 if it starts with
 * no number. */
size_t sdsim_unit_number_length(const char *text);

/* The names of a kind of unit, smallest unit first, NULL behind the last. */
const char *sdsim_unit_name(enum sdsim_unit unit, size_t index);

/* The units that fit, for messages: "a time with a unit (ps, ns, us, ms, s, min, h)". */
const char *sdsim_unit_expected(enum sdsim_unit unit);

/*
 * Prints a value in base units the short way people write it ("20MHz", "26.667MHz", "32KiB",
 * "1.37MB/s", "250ms") into `out` (cut at `size`, always terminated): 4 significant digits, 5 for
 * frequencies, all digits of numbers from 10000. A size gets the first unit, binary before decimal,
 * that says it exactly. Returns out.
 */
char *sdsim_unit_print(enum sdsim_unit unit, double value, char *out, size_t size);

#endif
