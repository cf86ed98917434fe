/*
 * SPI: changes of the pins to bytes, aligned to CS.
 *
 * A byte is told when the clock has gone back to rest behind its last bit, so that it has its last
 * edge. Without CS, a pause of many bits begins a new byte. The sampler also looks when the card
 * changes MISO: how long that is behind the edge at which the host samples (the hold time it gives),
 * and how long before the next (the set-up time).
 *
 * Speed: a byte whose sixteen edges of the clock are sixteen changes in a row, with data changing in
 * the samples in which the clock does, is taken as a whole. Others are taken edge by edge.
 */
#ifndef SDSIM_CAPTURE_SPI_SAMPLER_H
#define SDSIM_CAPTURE_SPI_SAMPLER_H

#include "capture/clock_meter.h"
#include "capture/roles.h"
#include "capture/sd_decoder.h"
#include "capture/spi_byte.h"

/* Who wants bytes. */
struct sdsim_spi_listener {
    void (*byte)(struct sdsim_spi_listener *listener, const struct sdsim_spi_byte *byte);
    void (*select)(struct sdsim_spi_listener *listener, bool low, sdsim_ps at, uint64_t place);
    /* one to seven clocks that make no byte */
    void (*clocks)(struct sdsim_spi_listener *listener, unsigned count, sdsim_ps start,
                   sdsim_ps end, uint64_t place);
};

/* A tick that is none; spans from it to a real one are longer than any. */
#define SDSIM_NO_TICK (UINT64_C(1) << 63)

/* When the card changes its output, in ticks; the shortest ones are UINT64_MAX if there is none. */
struct sdsim_output_edges {
    uint64_t behind_sampling; /* changes between the sampling edge and the other edge */
    uint64_t behind_other;    /* ... and the others */
    uint64_t hold;            /* shortest time from the sampling edge to a change */
    uint64_t setup;           /* shortest time from a change to the sampling edge */
};

struct sdsim_spi_sampler {
    struct sdsim_spi_listener *listener;
    struct sdsim_tick tick;
    struct sdsim_clock_meter *meter;
    bool idle_high; /* CPOL */
    bool leading;   /* data is sampled at the leading edge: CPHA 0 */
    bool late;      /* ... in the sample in which it is, not the one before */
    bool has_cs;
    bool begun;
    unsigned lines; /* as of the last change */
    unsigned bits;  /* of the byte at work */
    unsigned mosi;
    unsigned miso;
    uint64_t start; /* of the byte */
    uint64_t last_edge;
    uint64_t sampled; /* tick of the last sampling edge, SDSIM_NO_TICK: none in this frame */
    uint64_t
        changed; /* tick of MISO's last change, SDSIM_NO_TICK: none since the last sampling edge */
    bool behind_sampled; /* the last edge of the clock was a sampling edge */
    struct sdsim_output_edges edges;
};

/* `sampling` is taken for the edges of CLK itself; whether that is the leading edge follows from
 * `idle_high`. */
void sdsim_spi_sampler_init(struct sdsim_spi_sampler *sampler, const struct sdsim_tick *tick,
                            enum sdsim_sampling sampling, bool idle_high, bool has_cs,
                            struct sdsim_clock_meter *meter, struct sdsim_spi_listener *listener);

/* A change with an edge of CS in it, or the first one; and what follows the last edge of a byte. */
void sdsim_spi_sampler_select(struct sdsim_spi_sampler *sampler, uint64_t tick, unsigned lines);
void sdsim_spi_sampler_deliver(struct sdsim_spi_sampler *sampler);
/* Without CS: whether the pause in front of the edge at `tick` ends a byte. */
void sdsim_spi_sampler_pause(struct sdsim_spi_sampler *sampler, uint64_t tick);

static inline uint64_t sdsim_least_tick(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* An edge of the clock. */
static inline void sdsim_spi_sampler_clock(struct sdsim_spi_sampler *sampler, uint64_t tick,
                                           unsigned lines)
{
    const bool leading = (lines & 1) != sampler->idle_high;
    if (leading) {
        if (!sampler->has_cs) {
            sdsim_spi_sampler_pause(sampler, tick);
        }
        sampler->start = sampler->bits == 0 ? tick : sampler->start;
        sdsim_clock_meter_rise(sampler->meter, tick);
    }
    sampler->behind_sampled = leading == sampler->leading;
    if (sampler->behind_sampled) {
        const unsigned source = sampler->late ? lines : sampler->lines;
        sampler->mosi = sampler->mosi << 1 | (source >> SDSIM_LINE_MOSI & 1);
        sampler->miso = sampler->miso << 1 | (source >> SDSIM_LINE_MISO & 1);
        sampler->bits++;
        sampler->edges.setup = sdsim_least_tick(sampler->edges.setup, tick - sampler->changed);
        sampler->changed = SDSIM_NO_TICK;
        sampler->sampled = tick;
    }
    sampler->last_edge = tick;
    if (!leading && sampler->bits == 8) {
        sdsim_spi_sampler_deliver(sampler);
    }
}

/* MISO changed, or did not: data is random, and a branch on it is guessed wrong every other time. */
static inline void sdsim_spi_sampler_miso(struct sdsim_spi_sampler *sampler, uint64_t tick,
                                          unsigned changed)
{
    const bool moved = (changed >> SDSIM_LINE_MISO & 1) != 0 && sampler->sampled != SDSIM_NO_TICK &&
                       (sampler->lines >> SDSIM_LINE_CS & 1) == 0;
    const uint64_t hold = moved ? tick - sampler->sampled : UINT64_MAX;
    sampler->edges.hold = sdsim_least_tick(sampler->edges.hold, hold);
    sampler->edges.behind_sampling += moved && sampler->behind_sampled;
    sampler->edges.behind_other += moved && !sampler->behind_sampled;
    sampler->changed = moved ? tick : sampler->changed;
}

/* The lines, as sdsim_line_map gives them, from this tick on. */
static inline void sdsim_spi_sampler_change(struct sdsim_spi_sampler *sampler, uint64_t tick,
                                            unsigned lines)
{
    const unsigned changed = lines ^ sampler->lines;
    if ((changed >> SDSIM_LINE_CS & 1) != 0 || !sampler->begun) {
        sdsim_spi_sampler_select(sampler, tick, lines);
    } else {
        if ((changed & 1) != 0) {
            sdsim_spi_sampler_clock(sampler, tick, lines);
        }
        sdsim_spi_sampler_miso(sampler, tick, changed);
    }
    sampler->lines = lines;
}

/* The same for many changes of the pins. */
void sdsim_spi_sampler_changes(struct sdsim_spi_sampler *sampler, const struct sdsim_line_map *map,
                               const struct sdsim_pin_change *changes, size_t count);

/* The record is over. */
void sdsim_spi_sampler_end(struct sdsim_spi_sampler *sampler);

/* SPI mode 0 to 3 */
static inline unsigned sdsim_spi_mode(const struct sdsim_spi_sampler *sampler)
{
    return (sampler->idle_high ? 2u : 0u) + (sampler->leading ? 0u : 1u);
}

#endif
