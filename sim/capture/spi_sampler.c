#include "capture/spi_sampler.h"

#include <string.h>

/* Bits of the lines. */
enum {
    CLK = 1 << SDSIM_LINE_CLK,
    CS = 1 << SDSIM_LINE_CS,
    MOSI = 1 << SDSIM_LINE_MOSI,
    MISO = 1 << SDSIM_LINE_MISO,
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

static void take_bit(struct sdsim_spi_sampler *sampler, uint64_t tick, unsigned lines)
{
    sampler->mosi = sampler->mosi << 1 | ((lines & MOSI) != 0);
    sampler->miso = sampler->miso << 1 | ((lines & MISO) != 0);
    sampler->bits++;
    if (sampler->changed != 0) {
        const uint64_t setup = tick - sampler->changed;
        sampler->edges.setup = setup < sampler->edges.setup ? setup : sampler->edges.setup;
        sampler->changed = 0;
    }
    sampler->sampled = tick;
}

static void clock_edge(struct sdsim_spi_sampler *sampler, uint64_t tick, unsigned lines)
{
    const bool leading = ((lines & CLK) != 0) != sampler->idle_high;
    if (leading) {
        if (!sampler->has_cs && sampler->bits > 0 && sampler->meter->count > 0 &&
            tick - sampler->last_edge >
                PAUSE_BITS * (sampler->meter->low + sampler->meter->width)) {
            deliver(sampler, true);
        }
        if (sampler->bits == 0) {
            sampler->start = tick;
        }
        sdsim_clock_meter_rise(sampler->meter, tick);
    }
    sampler->behind_sampled = leading == sampler->leading;
    if (sampler->behind_sampled) {
        take_bit(sampler, tick, sampler->late ? lines : sampler->lines);
    }
    sampler->last_edge = tick;
    if (!leading && sampler->bits == 8) {
        deliver(sampler, (sampler->lines & CS) == 0);
    }
}

static void select_edge(struct sdsim_spi_sampler *sampler, uint64_t tick, unsigned lines)
{
    const bool low = (lines & CS) == 0;
    deliver(sampler, !low);
    sampler->sampled = 0;
    sampler->changed = 0;
    sampler->listener->select(sampler->listener, low, time_of(sampler, tick), tick);
}

/* The card changes its output, the clock standing or moving in the same sample. */
static void miso_edge(struct sdsim_spi_sampler *sampler, uint64_t tick, bool clock_moves)
{
    if (sampler->sampled == 0 || (sampler->lines & CS) != 0) {
        return;
    }
    const uint64_t hold = tick - sampler->sampled;
    if (sampler->behind_sampled) {
        sampler->edges.behind_sampling++;
    } else {
        sampler->edges.behind_other++;
    }
    if (!clock_moves || !sampler->behind_sampled) {
        sampler->edges.hold = hold < sampler->edges.hold ? hold : sampler->edges.hold;
    } else {
        sampler->edges.hold = 0;
    }
    sampler->changed = tick;
}

/* A change with an edge of CS in it, or the first one. */
static void change_with_cs(struct sdsim_spi_sampler *sampler, uint64_t tick, unsigned lines)
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
        clock_edge(sampler, tick, lines);
    }
    if ((changed & MISO) != 0) {
        miso_edge(sampler, tick, (changed & CLK) != 0);
    }
    if ((lines & CS) != 0) {
        select_edge(sampler, tick, lines);
    }
}

void sdsim_spi_sampler_change(struct sdsim_spi_sampler *sampler, uint64_t tick, unsigned lines)
{
    const unsigned changed = lines ^ sampler->lines;
    if ((changed & CS) != 0 || !sampler->begun) {
        change_with_cs(sampler, tick, lines);
        sampler->lines = lines;
        return;
    }
    if ((changed & CLK) != 0) {
        clock_edge(sampler, tick, lines);
    }
    if ((changed & MISO) != 0) {
        miso_edge(sampler, tick, (changed & CLK) != 0);
    }
    sampler->lines = lines;
}

void sdsim_spi_sampler_end(struct sdsim_spi_sampler *sampler)
{
    if (sampler->begun) {
        deliver(sampler, (sampler->lines & CS) == 0);
    }
}
