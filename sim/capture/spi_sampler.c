#include "capture/spi_sampler.h"

/* Bits of the lines. */
enum {
    CLK = 1 << SDSIM_LINE_CLK,
    CS = 1 << SDSIM_LINE_CS,
};

enum { PAUSE_BITS = 20 }; /* without CS: a pause that a byte does not have within */

void sdsim_spi_sampler_init(struct sdsim_spi_sampler *sampler, const struct sdsim_tick *tick,
                            enum sdsim_sampling sampling, bool idle_high, bool has_cs,
                            struct sdsim_clock_meter *meter, struct sdsim_spi_listener *listener)
{
    const bool rising = sampling == SDSIM_SAMPLE_BEFORE_RISE || sampling == SDSIM_SAMPLE_AT_RISE;
    *sampler = (struct sdsim_spi_sampler){
        .listener = listener,
        .tick = *tick,
        .meter = meter,
        .idle_high = idle_high,
        .leading = rising != idle_high,
        .late = sampling == SDSIM_SAMPLE_AT_RISE || sampling == SDSIM_SAMPLE_AT_FALL,
        .has_cs = has_cs,
        .sampled = SDSIM_NO_TICK,
        .changed = SDSIM_NO_TICK,
        .edges = {.hold = UINT64_MAX, .setup = UINT64_MAX},
    };
}

static sdsim_ps time_of(const struct sdsim_spi_sampler *sampler, uint64_t tick)
{
    return sdsim_tick_time(&sampler->tick, tick);
}

/* What was collected becomes a byte, or clocks. */
static void deliver(struct sdsim_spi_sampler *sampler, bool selected)
{
    if (sampler->bits == 8) {
        const struct sdsim_spi_byte byte = {
            .start = time_of(sampler, sampler->start),
            .end = time_of(sampler, sampler->last_edge),
            .at = sampler->start,
            .selected = selected,
            .mosi = (uint8_t)sampler->mosi,
            .miso = (uint8_t)sampler->miso,
        };
        sampler->listener->byte(sampler->listener, &byte);
    } else if (sampler->bits > 0) {
        sampler->listener->clocks(sampler->listener, sampler->bits,
                                  time_of(sampler, sampler->start),
                                  time_of(sampler, sampler->last_edge), sampler->start);
    }
    sampler->bits = 0;
    sampler->mosi = 0;
    sampler->miso = 0;
}

void sdsim_spi_sampler_deliver(struct sdsim_spi_sampler *sampler)
{
    deliver(sampler, (sampler->lines & CS) == 0);
}

void sdsim_spi_sampler_pause(struct sdsim_spi_sampler *sampler, uint64_t tick)
{
    const struct sdsim_clock_meter *meter = sampler->meter;
    if (sampler->bits > 0 && meter->count > 0 &&
        tick - sampler->last_edge > PAUSE_BITS * (meter->low + meter->width)) {
        deliver(sampler, true);
    }
}

static void select_edge(struct sdsim_spi_sampler *sampler, uint64_t tick, unsigned lines)
{
    const bool low = (lines & CS) == 0;
    deliver(sampler, !low);
    sampler->sampled = SDSIM_NO_TICK;
    sampler->changed = SDSIM_NO_TICK;
    sampler->listener->select(sampler->listener, low, time_of(sampler, tick), tick);
}

/* A clock that moves in the same sample belongs to the frame that CS opens, or closes. */
void sdsim_spi_sampler_select(struct sdsim_spi_sampler *sampler, uint64_t tick, unsigned lines)
{
    const unsigned changed = lines ^ sampler->lines;
    if (!sampler->begun) {
        sampler->begun = true;
        sampler->listener->select(sampler->listener, (lines & CS) == 0, time_of(sampler, tick),
                                  tick);
        return;
    }
    if ((lines & CS) == 0) {
        select_edge(sampler, tick, lines);
    }
    if ((changed & CLK) != 0) {
        sdsim_spi_sampler_clock(sampler, tick, lines);
    }
    sdsim_spi_sampler_miso(sampler, tick, changed);
    if ((lines & CS) != 0) {
        select_edge(sampler, tick, lines);
    }
}

void sdsim_spi_sampler_end(struct sdsim_spi_sampler *sampler)
{
    if (sampler->begun) {
        deliver(sampler, (sampler->lines & CS) == 0);
    }
}
