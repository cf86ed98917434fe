/*
 * The two checks about time: gaps between bytes, and looks that depend on each other.
 */
#include "batch.h"
#include "check.h"

enum {
    RUNS = 16,
    LOOKS = 256,
    SLOW_LOOKS = 64, /* each waits for the latency timer */
    FIRST_LOOKS = 8, /* that find a host doing something else */
};

/* 15 and 30 MHz. */
static const uint16_t divisors[SDSIM_GAP_CLOCKS] = {1, 0};

/* Reading may have gaps longer than clocking by this part of a byte: less is what the measurement scatters
 * by, more means that answers waited. */
static const double same_gap = 0.01;

bool sdsim_check_gaps(struct sdsim_link *link, struct sdsim_gap_row rows[SDSIM_GAP_CLOCKS])
{
    for (unsigned i = 0; i < SDSIM_GAP_CLOCKS; i++) {
        struct sdsim_gap_row *row = &rows[i];
        row->clock = sdsim_mpsse_clock_of(divisors[i]);
        for (int run = 0; run < SDSIM_GAP_RUNS; run++) {
            if (!sdsim_gap_measure(link, &row->clock, (enum sdsim_gap_run)run, RUNS,
                                   &row->facts[run])) {
                return false;
            }
        }
        const double byte = 8 * (double)SDSIM_S * row->clock.den / row->clock.num;
        const struct sdsim_gap_fact *read = &row->facts[SDSIM_GAP_READ];
        const struct sdsim_gap_fact *clocked = &row->facts[SDSIM_GAP_CLOCKED];
        row->keeps_up =
            read->known && clocked->known && read->gap <= clocked->gap + same_gap * byte;
    }
    return true;
}

/* Host times of looks at one byte, each sent when the one before has come. */
static bool time_looks(struct sdsim_link *link, bool at_once, unsigned count,
                       struct sdsim_quantiles *times)
{
    const struct sdsim_mpsse_clock clock = sdsim_mpsse_clock_of(divisors[0]);
    struct sdsim_samples samples = {0};
    struct sdsim_batch batch;
    bool fine = true;
    sdsim_batch_init(&batch);
    for (unsigned i = 0; i < count + FIRST_LOOKS && fine; i++) {
        uint8_t seen;
        sdsim_batch_clear(&batch);
        sdsim_batch_setup(&batch, &clock);
        sdsim_batch_read(&batch, 1);
        if (at_once) {
            sdsim_batch_flush(&batch);
        }
        const sdsim_ps before = sdsim_link_host_time(link);
        fine = !batch.failed &&
               sdsim_link_ask(link, batch.bytes, batch.size, &seen, 1, SDSIM_LINK_PATIENCE);
        if (i >= FIRST_LOOKS) {
            sdsim_samples_add_call(&samples, sdsim_link_host_time(link) - before);
        }
    }
    *times = sdsim_samples_facts(&samples).host;
    sdsim_samples_free(&samples);
    sdsim_batch_free(&batch);
    return fine;
}

bool sdsim_check_poll(struct sdsim_link *link, struct sdsim_poll_fact *fact)
{
    const struct sdsim_mpsse_clock clock = sdsim_mpsse_clock_of(divisors[0]);
    fact->byte = 8e6 * clock.den / clock.num;
    return time_looks(link, true, LOOKS, &fact->now) &&
           time_looks(link, false, SLOW_LOOKS, &fact->timer);
}
