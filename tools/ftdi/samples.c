#include "samples.h"

#include <stdlib.h>

#include "core/sorted.h"

/* If so many samples are as close as scatter explains, the rest is no part of the level. */
static const double main_share = 2.0 / 3;

/* Bounds this close, or a byte, make a sample one without gaps: what a byte border may be off by anyhow. */
static const double gap_free = 1.02;

void sdsim_samples_free(struct sdsim_samples *samples)
{
    free(samples->bytes);
    free(samples->excess);
    free(samples->host);
    *samples = (struct sdsim_samples){0};
}

/* Room for one more in an array; false: no memory. */
static bool reserve(double **values, size_t wanted)
{
    double *grown = realloc(*values, wanted * sizeof *grown);
    *values = grown != NULL ? grown : *values;
    return grown != NULL;
}

static void add(struct sdsim_samples *samples, double bytes, double excess)
{
    if (samples->count == samples->capacity && !samples->failed) {
        const size_t wanted = samples->capacity * 2 + 64;
        samples->failed = !reserve(&samples->bytes, wanted) || !reserve(&samples->excess, wanted);
        samples->capacity = samples->failed ? samples->capacity : wanted;
    }
    if (!samples->failed) {
        samples->bytes[samples->count] = bytes;
        samples->excess[samples->count++] = excess;
    }
}

void sdsim_samples_add(struct sdsim_samples *samples, double bytes)
{
    add(samples, bytes, -1);
}

void sdsim_samples_add_bounded(struct sdsim_samples *samples, double bytes, double most)
{
    add(samples, bytes, most > 0 ? (most > bytes ? most - bytes : 0) : -1);
}

void sdsim_samples_take(struct sdsim_samples *samples, const struct sdsim_samples *from, size_t i)
{
    add(samples, from->bytes[i], from->excess[i]);
}

static void add_call(struct sdsim_samples *samples, double us)
{
    if (samples->host_count == samples->host_capacity && !samples->failed) {
        const size_t wanted = samples->host_capacity * 2 + 64;
        samples->failed = !reserve(&samples->host, wanted);
        samples->host_capacity = samples->failed ? samples->host_capacity : wanted;
    }
    if (!samples->failed) {
        samples->host[samples->host_count++] = us;
    }
}

void sdsim_samples_take_calls(struct sdsim_samples *samples, const struct sdsim_samples *from)
{
    for (size_t i = 0; i < from->host_count; i++) {
        add_call(samples, from->host[i]);
    }
}

void sdsim_samples_add_call(struct sdsim_samples *samples, sdsim_ps host)
{
    add_call(samples, (double)host / (double)SDSIM_US);
}

/* ---- levels ---- */

/* The mean of those within a factor of the median; of a narrow band if most samples are in it. */
static double mean_near(const struct sdsim_samples *samples, double median, double factor)
{
    double sum = 0;
    size_t count = 0;
    for (size_t i = 0; i < samples->count; i++) {
        const double bytes = samples->bytes[i];
        if (bytes <= median * factor + SDSIM_SAMPLE_SLACK &&
            bytes >= median / factor - SDSIM_SAMPLE_SLACK) {
            sum += bytes;
            count++;
        }
    }
    if (factor > SDSIM_SAMPLE_SCATTER) {
        size_t close = 0;
        for (size_t i = 0; i < samples->count; i++) {
            const double bytes = samples->bytes[i];
            close += bytes <= median * SDSIM_SAMPLE_SCATTER + SDSIM_SAMPLE_SLACK &&
                             bytes >= median / SDSIM_SAMPLE_SCATTER - SDSIM_SAMPLE_SLACK
                         ? 1
                         : 0;
        }
        if ((double)close >= (double)samples->count * main_share) {
            return mean_near(samples, median, SDSIM_SAMPLE_SCATTER);
        }
    }
    return sum / (double)count; /* the median is one of them */
}

static void count_slow(const struct sdsim_samples *samples, struct sdsim_spread_facts *facts)
{
    double sum = 0;
    size_t slow = 0;
    for (size_t i = 0; i < samples->count; i++) {
        if (samples->bytes[i] > facts->median * SDSIM_SAMPLE_OTHER_LEVEL + SDSIM_SAMPLE_SLACK) {
            sum += samples->bytes[i];
            slow++;
        }
    }
    facts->slow_share = (double)slow / (double)samples->count;
    facts->slow = slow > 0 ? sum / (double)slow : 0;
}

/* ---- bounds and host times ---- */

static struct sdsim_quantiles quantiles_of(double *values, size_t count)
{
    if (count == 0) {
        return (struct sdsim_quantiles){0};
    }
    sdsim_sort(values, count);
    return (struct sdsim_quantiles){.count = count,
                                    .low = sdsim_quantile(values, count, 0.05),
                                    .median = sdsim_quantile(values, count, 0.5),
                                    .high = sdsim_quantile(values, count, 0.95),
                                    .most = values[count - 1]};
}

/* Of the upper bounds, while bytes and excess still belong together. */
static void take_bounds(const struct sdsim_samples *samples, struct sdsim_spread_facts *facts)
{
    double *upper = malloc(samples->count * sizeof *upper);
    size_t count = 0;
    for (size_t i = 0; i < samples->count && upper != NULL; i++) {
        const double bytes = samples->bytes[i];
        const double most = bytes + samples->excess[i];
        if (samples->excess[i] >= 0) {
            upper[count++] = most;
            facts->gap_free += most <= bytes * gap_free || most <= bytes + 1 ? 1 : 0;
        }
    }
    if (upper != NULL) {
        facts->upper = quantiles_of(upper, count);
    }
    free(upper);
}

/* Moves the sample at `at` down to where it belongs in a heap of the first `count`. */
static void sift(struct sdsim_samples *samples, size_t at, size_t count)
{
    const double bytes = samples->bytes[at];
    const double excess = samples->excess[at];
    for (size_t child = 2 * at + 1; child < count; child = 2 * at + 1) {
        child += child + 1 < count && samples->bytes[child + 1] > samples->bytes[child] ? 1 : 0;
        if (samples->bytes[child] <= bytes) {
            break;
        }
        samples->bytes[at] = samples->bytes[child];
        samples->excess[at] = samples->excess[child];
        at = child;
    }
    samples->bytes[at] = bytes;
    samples->excess[at] = excess;
}

/* Sorts them, each with its excess. */
static void sort_samples(struct sdsim_samples *samples)
{
    for (size_t at = samples->count / 2; at-- > 0;) {
        sift(samples, at, samples->count);
    }
    for (size_t count = samples->count; count-- > 1;) {
        const double bytes = samples->bytes[0];
        const double excess = samples->excess[0];
        samples->bytes[0] = samples->bytes[count];
        samples->excess[0] = samples->excess[count];
        samples->bytes[count] = bytes;
        samples->excess[count] = excess;
        sift(samples, 0, count);
    }
}

/* ---- facts ---- */

struct sdsim_spread_facts sdsim_samples_facts(struct sdsim_samples *samples)
{
    struct sdsim_spread_facts facts = {.count = samples->count};
    facts.host = quantiles_of(samples->host, samples->host_count);
    if (samples->count == 0) {
        return facts;
    }
    sort_samples(samples);
    take_bounds(samples, &facts);
    facts.least = samples->bytes[0];
    facts.most = samples->bytes[samples->count - 1];
    facts.low = sdsim_quantile(samples->bytes, samples->count, 0.05);
    facts.median = sdsim_quantile(samples->bytes, samples->count, 0.5);
    facts.high = sdsim_quantile(samples->bytes, samples->count, 0.95);
    for (size_t i = 0; i < samples->count; i++) {
        facts.mean += samples->bytes[i] / (double)samples->count;
    }
    facts.typical = mean_near(samples, facts.median, SDSIM_SAMPLE_OTHER_LEVEL);
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
    static const double above = 1.05; /* clear of what scatter makes of two means */
    static const double late = 4;     /* and of a look too late at either */
    return value > usual * above + late;
}

bool sdsim_samples_close(double value, double other)
{
    const double slack = SDSIM_SAMPLE_SLACK + 1;
    return value <= other * SDSIM_SAMPLE_SCATTER + slack &&
           other <= value * SDSIM_SAMPLE_SCATTER + slack;
}
