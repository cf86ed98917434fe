#include "workload/arrivals.h"

static const uint64_t million = 1000000;

/*
 * floor(t * rate / 10^12) in 64 bits: t is whole seconds and r1 * 10^6 + r0 picoseconds, and the
 * floor of a quotient by a product is that of the floors of two quotients.
 */
static uint64_t flowed(uint64_t rate, sdsim_ps t)
{
    const uint64_t rest = t % SDSIM_S;
    const uint64_t high = rest / million * rate;
    const uint64_t low = rest % million * rate;
    return t / SDSIM_S * rate + (high + low / million) / million;
}

/* The smallest t for which flowed() is n: ceil(n * 10^12 / rate), the rest of a second by parts. */
static sdsim_ps flows_at(uint64_t rate, uint64_t n)
{
    const uint64_t part = n % rate * million;
    const uint64_t micros = part / rate;
    const uint64_t picos = (part % rate * million + rate - 1) / rate;
    return sdsim_time_sum(sdsim_time_times(SDSIM_S, n / rate), micros * million + picos);
}

/* The first row of the list at which more than `bytes` have arrived; `count` if there is none. */
static size_t row_beyond(const struct sdsim_arrivals *arrivals, uint64_t bytes)
{
    size_t low = 0;
    size_t high = arrivals->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (arrivals->list[middle].bytes > bytes) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}

/* Rows of the list that are over at t. */
static size_t rows_until(const struct sdsim_arrivals *arrivals, sdsim_ps t)
{
    size_t low = 0;
    size_t high = arrivals->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (arrivals->list[middle].at > t) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}

uint64_t sdsim_arrived(const struct sdsim_arrivals *arrivals, sdsim_ps t)
{
    if (t > arrivals->end) {
        t = arrivals->end;
    }
    switch (arrivals->kind) {
    case SDSIM_ARRIVALS_BURSTS:
        return t / arrivals->every * arrivals->burst;
    case SDSIM_ARRIVALS_LIST: {
        const size_t rows = rows_until(arrivals, t);
        return rows > 0 ? arrivals->list[rows - 1].bytes : 0;
    }
    case SDSIM_ARRIVALS_CONSTANT:
    default:
        return flowed(arrivals->rate, t);
    }
}

sdsim_ps sdsim_arrival_of(const struct sdsim_arrivals *arrivals, uint64_t n)
{
    sdsim_ps at = 0;
    if (n == 0) {
        return 0;
    }
    switch (arrivals->kind) {
    case SDSIM_ARRIVALS_BURSTS:
        at = sdsim_time_times(arrivals->every, (n - 1) / arrivals->burst + 1);
        break;
    case SDSIM_ARRIVALS_LIST: {
        const size_t row = row_beyond(arrivals, n - 1);
        at = row < arrivals->count ? arrivals->list[row].at : SDSIM_TIME_END;
        break;
    }
    case SDSIM_ARRIVALS_CONSTANT:
    default:
        at = flows_at(arrivals->rate, n);
        break;
    }
    return at <= arrivals->end ? at : SDSIM_TIME_END;
}

uint64_t sdsim_arrivals_total(const struct sdsim_arrivals *arrivals)
{
    return sdsim_arrived(arrivals, arrivals->end);
}
