/*
 * A bus clock: turns a number of clock periods into picoseconds, exactly.
 *
 * The frequency is a fraction (80 MHz / 3 is 80000000/3 Hz), and a period is a whole number of
 * picoseconds and a reduced fraction of one (150 MHz / 8 = 53333 1/3 ps). Where there is a fraction
 * the clock carries the remainder from one call to the next: n clocks end at the same picosecond
 * however they are split into calls. Only a change of frequency clears the remainder. Time that
 * passes while the clock stands still does not touch it.
 *
 * Limits: frequencies from 1 Hz to 1 GHz whose period has a denominator below 2^32, as every source
 * of up to 1 GHz has, divided by any number; spans saturate like all time (core/time.h).
 */
#ifndef SDSIM_CORE_CLOCK_H
#define SDSIM_CORE_CLOCK_H

#include <stdint.h>

#include "core/time.h"

struct sdsim_clock {
    uint64_t hz_num; /* frequency = hz_num / hz_den, in Hz, reduced */
    uint64_t hz_den;
    uint64_t period;      /* the whole picoseconds of a period; */
    uint64_t period_part; /* and period_part / period_den of one, reduced */
    uint64_t period_den;
    uint64_t remainder; /* carried, in 1/period_den ps, always < period_den */
};

/*
 * Sets the frequency to hz_num / hz_den (both > 0, quotient 1 Hz to 1 GHz). The remainder is
 * cleared only if the frequency really changes; `*clock` must be zeroed before the first call.
 */
void sdsim_clock_set(struct sdsim_clock *clock, uint64_t hz_num, uint64_t hz_den);

/* The frequency in Hz, rounded to double precision; for printing only. */
double sdsim_clock_hz(const struct sdsim_clock *clock);

/* The span of the next n clocks, without taking them. */
static inline sdsim_ps sdsim_clock_peek(const struct sdsim_clock *clock, uint64_t n)
{
    const sdsim_ps whole = sdsim_time_times(clock->period, n);
    if (clock->period_part == 0) {
        return whole;
    }
    /* The parts of n periods, n split so that nothing overflows: all factors are below 2^32 save
     * the first, and that product is below n. */
    const uint64_t parts =
        n / clock->period_den * clock->period_part +
        (n % clock->period_den * clock->period_part + clock->remainder) / clock->period_den;
    return sdsim_time_sum(whole, parts);
}

/* Takes n clocks: returns their span and carries the remainder. */
static inline sdsim_ps sdsim_clock_take(struct sdsim_clock *clock, uint64_t n)
{
    const sdsim_ps span = sdsim_clock_peek(clock, n);
    if (clock->period_part != 0) {
        clock->remainder =
            (n % clock->period_den * clock->period_part + clock->remainder) % clock->period_den;
    }
    return span;
}

/* The fewest clocks n (>= 0) for which sdsim_clock_peek(clock, n) >= span. */
uint64_t sdsim_clock_count(const struct sdsim_clock *clock, sdsim_ps span);

#endif
