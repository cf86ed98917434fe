#include "core/histogram.h"

static unsigned bucket_of(uint64_t value)
{
    if (value < SDSIM_HISTOGRAM_SMALL) {
        return (unsigned)value;
    }
    const unsigned power = 63u - (unsigned)__builtin_clzll(value); /* 7 to 63 */
    return SDSIM_HISTOGRAM_SMALL + (power - 7) * 64 + (unsigned)(value >> (power - 6) & 63);
}

static uint64_t sum(uint64_t a, uint64_t b)
{
    return b > UINT64_MAX - a ? UINT64_MAX : a + b;
}

void sdsim_histogram_add(struct sdsim_histogram *histogram, uint64_t value)
{
    sdsim_histogram_add_many(histogram, value, 1);
}

void sdsim_histogram_add_many(struct sdsim_histogram *histogram, uint64_t value, uint64_t times)
{
    if (times == 0) {
        return;
    }
    const unsigned bucket = bucket_of(value);
    const uint64_t all = value <= UINT64_MAX / times ? value * times : UINT64_MAX;
    if (histogram->count == 0 || value < histogram->least) {
        histogram->least = value;
    }
    if (value > histogram->most) {
        histogram->most = value;
    }
    histogram->count += times;
    histogram->sum = sum(histogram->sum, all);
    histogram->counts[bucket] += times;
    histogram->sums[bucket] = sum(histogram->sums[bucket], all);
}

uint64_t sdsim_histogram_quantile(const struct sdsim_histogram *histogram, unsigned per_mille)
{
    /* In two parts, so that no count overflows. */
    const uint64_t rank =
        histogram->count / 1000 * per_mille + (histogram->count % 1000 * per_mille + 999) / 1000;
    uint64_t seen = 0;
    for (unsigned i = 0; i < SDSIM_HISTOGRAM_BUCKETS; i++) {
        seen += histogram->counts[i];
        if (histogram->counts[i] > 0 && seen >= rank) {
            return histogram->sums[i] / histogram->counts[i];
        }
    }
    return 0;
}
