#include "samples.h"

#include <stdlib.h>

#include "core/sorted.h"

enum { SLACK = 3 }; /* bytes that two samples of one level may differ in any case */

void sdsim_samples_free(struct sdsim_samples *samples)
{
    free(samples->bytes);
    *samples = (struct sdsim_samples){0};
}

void sdsim_samples_add(struct sdsim_samples *samples, double bytes)
{
    if (samples->count == samples->capacity && !samples->failed) {
        const size_t wanted = samples->capacity * 2 + 64;
        double *grown = realloc(samples->bytes, wanted * sizeof *grown);
        samples->failed = grown == NULL;
        samples->bytes = grown != NULL ? grown : samples->bytes;
        samples->capacity = grown != NULL ? wanted : samples->capacity;
    }
    if (!samples->failed) {
        samples->bytes[samples->count++] = bytes;
    }
}

/* The mean of those within a factor of the median; of a narrow band if most samples are in it. */
static double mean_near(const struct sdsim_samples *samples, double median, double factor)
{
    double sum = 0;
    size_t count = 0;
    for (size_t i = 0; i < samples->count; i++) {
        const double bytes = samples->bytes[i];
        if (bytes <= median * factor + SLACK && bytes >= median / factor - SLACK) {
            sum += bytes;
            count++;
        }
    }
    const double narrow = 1.03;
    if (factor > narrow) {
        size_t close = 0;
        for (size_t i = 0; i < samples->count; i++) {
            const double bytes = samples->bytes[i];
            close += bytes <= median * narrow + SLACK && bytes >= median / narrow - SLACK ? 1 : 0;
        }
        if (close * 3 >= samples->count * 2) {
            return mean_near(samples, median, narrow);
        }
    }
    return sum / (double)count; /* the median is one of them */
}

static void count_slow(const struct sdsim_samples *samples, struct sdsim_spread_facts *facts)
{
    double sum = 0;
    size_t slow = 0;
    for (size_t i = 0; i < samples->count; i++) {
        if (samples->bytes[i] > facts->median * 1.5 + SLACK) {
            sum += samples->bytes[i];
            slow++;
        }
    }
    facts->slow_share = (double)slow / (double)samples->count;
    facts->slow = slow > 0 ? sum / (double)slow : 0;
}

struct sdsim_spread_facts sdsim_samples_facts(struct sdsim_samples *samples)
{
    struct sdsim_spread_facts facts = {.count = samples->count};
    if (samples->count == 0) {
        return facts;
    }
    sdsim_sort(samples->bytes, samples->count);
    facts.least = samples->bytes[0];
    facts.most = samples->bytes[samples->count - 1];
    facts.low = sdsim_quantile(samples->bytes, samples->count, 0.05);
    facts.median = sdsim_quantile(samples->bytes, samples->count, 0.5);
    facts.high = sdsim_quantile(samples->bytes, samples->count, 0.95);
    for (size_t i = 0; i < samples->count; i++) {
        facts.mean += samples->bytes[i] / (double)samples->count;
    }
    facts.typical = mean_near(samples, facts.median, 1.5);
    count_slow(samples, &facts);
    return facts;
}

struct sdsim_spread_facts sdsim_samples_earlier(struct sdsim_samples *samples)
{
    struct sdsim_spread_facts facts = sdsim_samples_facts(samples);
    double *const values[] = {&facts.typical, &facts.mean,   &facts.least, &facts.most,
                              &facts.low,     &facts.median, &facts.high,  &facts.slow};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        *values[i] -= *values[i] > SDSIM_SAMPLE_LATE ? SDSIM_SAMPLE_LATE : *values[i];
    }
    return facts;
}

bool sdsim_samples_above(double value, double usual)
{
    static const double scatter = 1.05;
    static const double late = 4;
    return value > usual * scatter + late;
}
