/*
 * Numbers and times out of text, for readers whose lines are short and many.
 *
 * What decides the speed is the chain from the start of a line to its end: each piece is read from
 * where the one in front of it ended. A loop over digits whose end the processor guesses hides that
 * chain, because lines of a trace look alike; arithmetic on how many digits there are would lengthen it.
 * So short numbers are read digit by digit, and of long ones, the decimals of times, eight at once,
 * if there are eight: a sum over all bytes of a word tells whether they are digits, and three
 * multiplications make them a number.
 *
 * All functions return the end of what they read, and NULL if it is not there or does not fit. The
 * text must have some character behind it that is no part of a number.
 *
 * Limits: numbers below 2^64, times of 213 days.
 */
#ifndef SDSIM_TRACE_NUMBERS_H
#define SDSIM_TRACE_NUMBERS_H

#include <stdbool.h>
#include <stddef.h>

#include "core/load.h"
#include "core/time.h"

/* A number of any length, looking at each digit whether it is too much. */
const char *sdsim_trace_long_number(const char *p, uint64_t *value);

/* A time in any form. */
const char *sdsim_trace_any_time(const char *p, sdsim_ps *time);

/* The power of ten that a unit is of picoseconds, and its length; -1: none of the usual ones. */
static inline int sdsim_trace_unit(const char *p, size_t *length)
{
    static const struct {
        char letter;
        int8_t power;
    } prefixes[8] = {['m' & 7] = {'m', 9}, ['n' & 7] = {'n', 3}, ['p' & 7] = {'p', 0}};
    *length = 1;
    if (*p == 's') {
        return 12;
    }
    *length = 2;
    if (*p == 'u') {
        return p[1] == 's' ? 6 : -1;
    }
    return *p == prefixes[*p & 7].letter && p[1] == 's' ? prefixes[*p & 7].power : -1;
}

/* The digits from `p` on, behind those that made `number`. */
static inline const char *sdsim_trace_digits(const char *p, uint64_t number, uint64_t *value)
{
    unsigned digit;
    while ((digit = (unsigned char)*p - (unsigned)'0') <= 9) {
        number = number * 10 + digit;
        p++;
    }
    *value = number;
    return p;
}

/* A number of which some digits were read before `p`. */
static inline const char *sdsim_trace_read_on(const char *start, const char *p, uint64_t number,
                                              uint64_t *value)
{
    p = sdsim_trace_digits(p, number, value);
    return (size_t)(p - start) - 1 < 19 ? p : sdsim_trace_long_number(start, value);
}

/* A number of few digits. */
static inline const char *sdsim_trace_number(const char *p, uint64_t *value)
{
    return sdsim_trace_read_on(p, p, 0, value);
}

/* The number that eight digits are, the first of them in the lowest byte: pairs, fours, then all. */
static inline uint64_t sdsim_trace_eight_digits(uint64_t values)
{
    const uint64_t pairs = values * 10 + (values >> 8);
    const uint64_t first = (pairs & UINT64_C(0x000000FF000000FF)) * UINT64_C(0x000F424000000064);
    const uint64_t second =
        (pairs >> 16 & UINT64_C(0x000000FF000000FF)) * UINT64_C(0x0000271000000001);
    return (first + second) >> 32;
}

/* A number of many digits, the first eight of them at once. Nothing is looked at from `end` on. */
static inline const char *sdsim_trace_many_digits(const char *p, const char *end, uint64_t *value)
{
    if (end - p < 8) {
        return sdsim_trace_number(p, value);
    }
    /* A byte from 10 on gets its top bit; a sum runs over into the next byte only behind it. */
    const uint64_t values = sdsim_load64(p) ^ UINT64_C(0x3030303030303030);
    const uint64_t others =
        ((values + UINT64_C(0x7676767676767676)) | values) & UINT64_C(0x8080808080808080);
    if (others == 0) {
        return sdsim_trace_read_on(p, p + 8, sdsim_trace_eight_digits(values), value);
    }
    const unsigned bits = (unsigned)__builtin_ctzll(others) - 7; /* of the digits in front of it */
    if (bits == 0) {
        return NULL;
    }
    *value = sdsim_trace_eight_digits(values << (64 - bits));
    return p + bits / 8;
}

/*
 * A time with its unit, exact. Nothing is looked at from `end` on. Up to seven digits in front of the
 * point are less than 10^19 ps, of whatever unit. (Always inline: a call, with what it has to save,
 * takes as long as the rest.)
 */
__attribute__((always_inline)) static inline const char *
sdsim_trace_time(const char *start, const char *end, sdsim_ps *time)
{
    static const uint64_t powers[] = {
        1,        10,        100,        1000,        10000,        100000,       1000000,
        10000000, 100000000, 1000000000, 10000000000, 100000000000, 1000000000000};
    uint64_t whole;
    uint64_t fraction = 0;
    int decimals = 0;
    const char *p = sdsim_trace_digits(start, 0, &whole);
    const size_t digits = (size_t)(p - start);
    if (*p == '.') {
        const char *point = p;
        p = sdsim_trace_many_digits(point + 1, end, &fraction);
        if (p == NULL) {
            return NULL;
        }
        decimals = (int)(p - point) - 1;
    }
    size_t length;
    const int power = sdsim_trace_unit(p, &length);
    if (digits - 1 >= 7 || decimals > power) {
        return sdsim_trace_any_time(start, time);
    }
    *time = whole * powers[power] + fraction * powers[power - decimals];
    return p + length;
}

#endif
