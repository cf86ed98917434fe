#include "core/clock.h"

#include <assert.h>

static uint64_t greatest_divisor(uint64_t a, uint64_t b)
{
    while (b != 0) {
        const uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

void sdsim_clock_set(struct sdsim_clock *clock, uint64_t hz_num, uint64_t hz_den)
{
    assert(hz_num > 0 && hz_den > 0);
    uint64_t divisor = greatest_divisor(hz_num, hz_den);
    hz_num /= divisor;
    hz_den /= divisor;
    if (clock->hz_num == hz_num && clock->hz_den == hz_den) {
        return;
    }
    clock->hz_num = hz_num;
    clock->hz_den = hz_den;
    /* 10^12 * hz_den / hz_num by long division, a decimal digit at a time: no product is large. */
    uint64_t period = hz_den / hz_num;
    uint64_t rest = hz_den % hz_num;
    for (int digit = 0; digit < 12; digit++) {
        period = period * 10 + rest * 10 / hz_num;
        rest = rest * 10 % hz_num;
    }
    divisor = greatest_divisor(hz_num, rest);
    clock->period = period;
    clock->period_part = rest / divisor;
    clock->period_den = hz_num / divisor;
    clock->remainder = 0;
    assert(clock->period_den <= UINT32_MAX);
}

double sdsim_clock_hz(const struct sdsim_clock *clock)
{
    return (double)clock->hz_num / (double)clock->hz_den;
}

uint64_t sdsim_clock_count(const struct sdsim_clock *clock, sdsim_ps span)
{
    if (span == 0) {
        return 0;
    }
    if (clock->period_part == 0) {
        return (span - 1) / clock->period + 1;
    }
    /* Steps of so many clocks as surely fit into what is missing, a period taken as rounded up;
     * each leaves less than a thousandth missing. */
    uint64_t n = 0;
    sdsim_ps missing = span;
    while (missing > 0) {
        const uint64_t step = missing / (clock->period + 1);
        n += step > 0 ? step : 1;
        missing = sdsim_time_since(span, sdsim_clock_peek(clock, n));
    }
    return n;
}
