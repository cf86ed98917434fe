/*
 * SPI: changes of the pins to bytes, aligned to CS.
 *
 * A byte is told when the clock has gone back to rest behind its last bit, so that it has its last
 * edge. Without CS, a pause of many bits begins a new byte. The sampler also looks when the card
 * changes MISO: how long that is behind the edge at which the host samples (the hold time it gives),
 * and how long before the next (the set-up time).
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
    uint64_t sampled;    /* tick of the last sampling edge, 0: none in this frame */
    uint64_t changed;    /* tick of MISO's last change, 0: none since the last sampling edge */
    bool behind_sampled; /* the last edge of the clock was a sampling edge */
    struct sdsim_output_edges edges;
};

/* `sampling` is taken for the edges of CLK itself; whether that is the leading edge follows from
 * `idle_high`. */
void sdsim_spi_sampler_init(struct sdsim_spi_sampler *sampler, const struct sdsim_tick *tick,
                            enum sdsim_sampling sampling, bool idle_high, bool has_cs,
                            struct sdsim_clock_meter *meter, struct sdsim_spi_listener *listener);

/* The lines, as sdsim_line_map gives them, from this tick on. */
void sdsim_spi_sampler_change(struct sdsim_spi_sampler *sampler, uint64_t tick, unsigned lines);

/* The record is over. */
void sdsim_spi_sampler_end(struct sdsim_spi_sampler *sampler);

/* SPI mode 0 to 3 */
static inline unsigned sdsim_spi_mode(const struct sdsim_spi_sampler *sampler)
{
    return (sampler->idle_high ? 2u : 0u) + (sampler->leading ? 0u : 1u);
}

#endif
