/*
 * Finding words, numbers and times in lines of other people's logs.
 *
 * A log line is prose with numbers in it, and what stands in front of the part that matters differs
 * from logger to logger. These functions look for what a reader knows by name, and take the time
 * stamp from the front of the line in whichever of the usual shapes it has:
 *
 *     [   12.345678] text          seconds since start (Linux, Zephyr's [00:00:12.345,678] too)
 *     [ 12345][I][file.cpp:12] text    a whole number: milliseconds (arduino-esp32)
 *     I (12345) tag: text          milliseconds (ESP-IDF)
 *     I (00:00:12.345) tag: text   the same as time of day
 *     12.345678: text              seconds, as ftrace has them, anywhere in front of ": "
 *     12345us text   12.3 ms text  a number with a unit
 *     @1.25ms text                 the same as in our own traces
 *     12345678 text, 12345678: text, 12345678, text    a whole number: microseconds with 32 bits
 *
 * All texts end with a zero.
 */
#ifndef SDSIM_TRACE_SCAN_H
#define SDSIM_TRACE_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/time.h"

/* Microseconds of a counter that wraps: each is taken as the nearest to the one before. */
struct sdsim_unwrap {
    uint64_t now;
    bool started;
};

uint64_t sdsim_unwrap32(struct sdsim_unwrap *unwrap, uint32_t value);

/* A whole number, decimal or 0x hexadecimal, at `text`; the end of it, NULL if there is none or it has
 * more than 64 bits. */
const char *sdsim_scan_number(const char *text, uint64_t *value);

/* The same in hexadecimal without 0x. */
const char *sdsim_scan_hex(const char *text, uint64_t *value);

/* A decimal number of `unit` (a power of ten of picoseconds), exact to the picosecond and cut off
 * below: 12.345678 of SDSIM_S. The end of it, or NULL. */
const char *sdsim_scan_decimal(const char *text, sdsim_ps unit, sdsim_ps *time);

/* A number and its unit, with or without a blank between: ps, ns, us, ms, s, sec, seconds; the end of
 * the unit, or NULL. */
const char *sdsim_scan_time(const char *text, sdsim_ps *time);

/* Where `word` stands in `text` with no letter, digit or '_' on either side; NULL: nowhere. */
const char *sdsim_scan_word(const char *text, const char *word);

/* What stands behind the word `key` and '=', ':' or blanks; NULL if it is not there. */
const char *sdsim_scan_key(const char *text, const char *key);

/* The same as a number; false if there is none. */
bool sdsim_scan_key_number(const char *text, const char *key, uint64_t *value);

/*
 * How long a call took, as a line says it: took, in, time, dt, elapsed, dur or duration with a number
 * and its unit behind, or else the first number with the unit ns, us or ms. False: it says nothing.
 */
bool sdsim_scan_duration(const char *text, sdsim_ps *duration);

/*
 * The time stamp at the front of a line; false if it has none in one of the shapes above. Whole
 * numbers without a unit go through `unwrap`.
 */
bool sdsim_scan_stamp(const char *line, struct sdsim_unwrap *unwrap, sdsim_ps *time);

#endif
