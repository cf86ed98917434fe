/*
 * Virtual time: one unsigned 64-bit count of picoseconds since power-up of the simulated board.
 *
 * Picoseconds make every clock the simulator meets either exact (80 MHz / 4 = 50000 ps) or exact
 * with a carried remainder (see core/clock.h), and 2^64 ps are 213 days. No layer owns a "current
 * time": a function takes `sdsim_ps *now`, starts at *now and leaves its finish time there.
 *
 * Limits: sums saturate at SDSIM_TIME_END and stay there. A workload stops with an error when a call
 * ends later than 200 days (SDSIM_RUN_LIMIT), so hot paths need no error return and may add the small
 * spans of one call without looking.
 */
#ifndef SDSIM_CORE_TIME_H
#define SDSIM_CORE_TIME_H

#include <stdint.h>

/* An instant or a span, in picoseconds. */
typedef uint64_t sdsim_ps;

#define SDSIM_NS ((sdsim_ps)1000)
#define SDSIM_US ((sdsim_ps)1000000)
#define SDSIM_MS ((sdsim_ps)1000000000)
#define SDSIM_S  ((sdsim_ps)1000000000000)

/* The end of representable time (213 days); reached only by overflow. */
#define SDSIM_TIME_END UINT64_MAX

/* a + b, SDSIM_TIME_END if the sum does not fit. */
static inline sdsim_ps sdsim_time_sum(sdsim_ps a, sdsim_ps b)
{
    return b > SDSIM_TIME_END - a ? SDSIM_TIME_END : a + b;
}

/* n spans of d, SDSIM_TIME_END if the product does not fit. */
static inline sdsim_ps sdsim_time_times(sdsim_ps d, uint64_t n)
{
    sdsim_ps product;
    return __builtin_mul_overflow(d, n, &product) ? SDSIM_TIME_END : product;
}

/* How much later `late` is than `early`; 0 if it is not later. */
static inline sdsim_ps sdsim_time_since(sdsim_ps late, sdsim_ps early)
{
    return late > early ? late - early : 0;
}

#endif
