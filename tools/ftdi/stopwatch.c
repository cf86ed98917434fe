#include "stopwatch.h"

#include <stdlib.h>

void sdsim_stopwatch_free(struct sdsim_stopwatch *watch)
{
    free(watch->batches);
    *watch = (struct sdsim_stopwatch){0};
}

void sdsim_stopwatch_clear(struct sdsim_stopwatch *watch)
{
    watch->count = 0;
    watch->failed = false;
}

size_t sdsim_stopwatch_sent(struct sdsim_stopwatch *watch, const struct sdsim_timed_batch *batch)
{
    if (watch->count == watch->capacity && !watch->failed) {
        const size_t wanted = watch->capacity * 2 + 64;
        struct sdsim_timed_batch *grown = realloc(watch->batches, wanted * sizeof *grown);
        watch->failed = grown == NULL;
        watch->batches = grown != NULL ? grown : watch->batches;
        watch->capacity = grown != NULL ? wanted : watch->capacity;
    }
    if (watch->failed) {
        return SIZE_MAX;
    }
    watch->batches[watch->count] = *batch;
    return watch->count++;
}

void sdsim_stopwatch_arrived(struct sdsim_stopwatch *watch, size_t batch, sdsim_ps at)
{
    if (batch < watch->count) {
        watch->batches[batch].arrived = at;
    }
}

/* The batch that clocks a byte; NULL: none that was seen. */
static const struct sdsim_timed_batch *batch_of(const struct sdsim_stopwatch *watch, uint64_t byte)
{
    size_t low = 0;
    size_t high = watch->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (watch->batches[middle].end <= byte) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < watch->count && watch->batches[low].first <= byte ? &watch->batches[low] : NULL;
}

/* Whether nothing but gaps between bytes can have lain in between. */
static bool runs_through(const struct sdsim_timed_batch *batch,
                         const struct sdsim_stopwatch_chip *chip, uint64_t from, uint64_t to)
{
    const uint64_t behind = batch->end - to;
    const uint64_t before = batch->answers > behind ? batch->answers - behind : 0;
    return from >= batch->quiet && before + batch->waiting <= chip->in_fifo;
}

bool sdsim_stopwatch_most(const struct sdsim_stopwatch *watch,
                          const struct sdsim_stopwatch_chip *chip, uint64_t from, uint64_t to,
                          double *bytes)
{
    const struct sdsim_timed_batch *one = from > 0 ? batch_of(watch, from - 1) : NULL;
    const struct sdsim_timed_batch *other = batch_of(watch, to);
    if (watch->failed || one == NULL || other == NULL || other->arrived == 0 || to < from) {
        return false;
    }
    const double counted = (double)(to - from);
    const double around = (double)(from - one->first) + (double)(other->end - to);
    const double by_host =
        other->arrived > one->sent ? (double)(other->arrived - one->sent) / chip->byte - around : 0;
    double most = by_host > counted ? by_host : counted; /* a host's clock is no better than that */
    if (one == other && chip->gap >= 0 && runs_through(one, chip, from, to)) {
        const double through = counted * (1 + chip->gap / chip->byte);
        most = through < most ? through : most;
    }
    *bytes = most;
    return true;
}
