#include "gaps.h"

#include <stdlib.h>
#include <string.h>

#include "batch.h"
#include "core/clock.h"
#include "core/sorted.h"

/* Long enough for gaps of a nanosecond to show beside what USB scatters by, some 100 us; short enough for
 * several. */
#define LONG_RUN (35 * SDSIM_MS)

enum {
    SHORTER = 8, /* a short run is this part of a long one */
    MOST_RUNS = 64,
};

static const struct {
    const char *name;
    uint8_t opcode;
} kinds[SDSIM_GAP_RUNS] = {
    [SDSIM_GAP_CLOCKED] = {"clocked", SDSIM_MPSSE_CLOCK_BYTES},
    [SDSIM_GAP_WRITTEN] = {"written", SDSIM_MPSSE_BYTES_OUT},
    [SDSIM_GAP_READ] = {"read", SDSIM_MPSSE_BYTES_IN},
};

const char *sdsim_gap_run_name(enum sdsim_gap_run run)
{
    return kinds[run].name;
}

uint8_t sdsim_gap_run_opcode(enum sdsim_gap_run run)
{
    return kinds[run].opcode;
}

/* Bytes of a long run. */
static uint32_t long_run(const struct sdsim_mpsse_clock *clock)
{
    struct sdsim_clock counted = {0};
    sdsim_clock_set(&counted, clock->num, clock->den);
    const uint64_t bytes = sdsim_clock_count(&counted, LONG_RUN) / 8;
    const uint64_t least = SHORTER;
    return (uint32_t)(bytes > SDSIM_MPSSE_MOST_BYTES ? SDSIM_MPSSE_MOST_BYTES
                      : bytes < least                ? least
                                                     : bytes);
}

static void queue(struct sdsim_batch *batch, enum sdsim_gap_run run, const uint8_t *ones,
                  uint32_t bytes)
{
    static const uint8_t look = SDSIM_MPSSE_GET_LOW; /* answers when all before it is done */
    switch (run) {
    case SDSIM_GAP_WRITTEN:
        sdsim_batch_write(batch, ones, bytes);
        break;
    case SDSIM_GAP_READ:
        sdsim_batch_read(batch, bytes);
        break;
    default:
        sdsim_batch_clocks(batch, bytes);
        break;
    }
    sdsim_batch_command(batch, &look, 1, 1);
    sdsim_batch_flush(batch);
}

/* One run; *excess is the host's time above that of its clocks, in ps. */
static bool time_run(struct sdsim_link *link, struct sdsim_batch *batch, uint8_t *buffer,
                     double clocks, double *excess)
{
    const sdsim_ps before = sdsim_link_host_time(link);
    if (batch->failed || !sdsim_link_ask(link, batch->bytes, batch->size, buffer, batch->answers,
                                         SDSIM_LINK_PATIENCE)) {
        return false;
    }
    const sdsim_ps after =
        link->arrived_at > before ? link->arrived_at : sdsim_link_host_time(link);
    *excess = (double)(after - before) - clocks;
    return true;
}

/* The times of several runs of one length, sorted. */
static bool time_runs(struct sdsim_link *link, const struct sdsim_mpsse_clock *clock,
                      enum sdsim_gap_run run, uint8_t *buffer, uint32_t bytes, unsigned runs,
                      double *excess)
{
    struct sdsim_batch batch;
    const double clocks = 8.0 * bytes * (double)SDSIM_S * clock->den / clock->num;
    bool fine = true;
    sdsim_batch_init(&batch);
    for (unsigned i = 0; i <= runs && fine; i++) {
        double found = 0;
        sdsim_batch_clear(&batch);
        sdsim_batch_setup(&batch, clock);
        memset(buffer, 0xFF, bytes);
        queue(&batch, run, buffer, bytes);
        fine = time_run(link, &batch, buffer, clocks, &found);
        if (i > 0) { /* the first finds a host that was doing something else */
            excess[i - 1] = found;
        }
    }
    sdsim_batch_free(&batch);
    sdsim_sort(excess, runs);
    return fine;
}

static struct sdsim_gap_fact judge(const double *longs, const double *shorts, unsigned runs,
                                   uint32_t bytes)
{
    const double between = (double)(bytes - bytes / SHORTER);
    const double gap = (longs[0] - shorts[0]) / between;
    /* what half of the runs are above the quickest by, it may be above a quicker one still */
    const double scatter = (longs[runs / 2] - longs[0] + shorts[runs / 2] - shorts[0]) / between;
    const double low = gap - scatter;
    const double most = longs[0] > 0 ? longs[0] / bytes : 0;
    const double resolution = -1e3; /* of the host's clock, a nanosecond */
    return (struct sdsim_gap_fact){.known = longs[0] >= resolution && shorts[0] >= resolution,
                                   .bytes = bytes,
                                   .runs = runs,
                                   .gap = gap > 0 ? (gap < most ? gap : most) : 0,
                                   .low = low > 0 ? low : 0,
                                   .most = most};
}

bool sdsim_gap_measure(struct sdsim_link *link, const struct sdsim_mpsse_clock *clock,
                       enum sdsim_gap_run run, unsigned runs, struct sdsim_gap_fact *fact)
{
    double longs[MOST_RUNS];
    double shorts[MOST_RUNS];
    const uint32_t bytes = long_run(clock);
    uint8_t *buffer = malloc((size_t)bytes + 1);
    *fact = (struct sdsim_gap_fact){0};
    runs = runs > MOST_RUNS ? MOST_RUNS : runs;
    if (buffer == NULL) {
        return sdsim_link_fail(link, SDSIM_LINK_MEMORY, "out of memory");
    }
    const bool fine = time_runs(link, clock, run, buffer, bytes, runs, longs) &&
                      time_runs(link, clock, run, buffer, bytes / SHORTER, runs, shorts);
    free(buffer);
    if (fine) {
        *fact = judge(longs, shorts, runs, bytes);
    }
    return fine;
}
