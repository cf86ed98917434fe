/*
 * The waveform of a bus: what the wire port clocks, as levels of pins over time.
 *
 * A wave listens to a wire port and turns each byte (SPI) or clock (SD modes) into edges:
 *  - SPI, mode 0: SCK rests low. Within the time of a byte it goes high in the middle of each of eight
 *    equal parts; MOSI and MISO change where a part begins, with SCK falling. Between bytes the clock
 *    stands still and the lines keep their levels; after CS rises MISO is released with the next clock.
 *  - SD: CLK rests low and goes high in the middle of each clock; CMD and DAT, whoever drives them,
 *    change where the clock begins. That is what the default speed prescribes. In high speed both
 *    change behind the rising edge; here they don't, so that whoever samples at the rising edge reads
 *    every file the same way.
 * A line that nobody drives is high, as the pull-ups make it.
 *
 * A sink is told the levels at the beginning of the window, and then each instant at which one of them
 * changed; all that happens at one instant is told at once. Instants never go back.
 *
 * Limits: no rise times, no glitches, no hold times: an edge is an instant.
 */
#ifndef SDSIM_CAPTURE_WAVE_H
#define SDSIM_CAPTURE_WAVE_H

#include <stdbool.h>
#include <stdint.h>

#include "port/wire.h"

/* Bits of the levels, and the order of the pins in every file. */
enum {
    SDSIM_WAVE_CS = 1 << 0,
    SDSIM_WAVE_SCK = 1 << 1,
    SDSIM_WAVE_MOSI = 1 << 2,
    SDSIM_WAVE_MISO = 1 << 3,

    SDSIM_WAVE_CLK = 1 << 0,
    SDSIM_WAVE_CMD = 1 << 1,
    SDSIM_WAVE_DAT0 = 1 << 2, /* and DAT1 to DAT3 above it */
};

/* The pins of a bus: CS SCK MOSI MISO, or CLK CMD DAT0 to DAT3. */
struct sdsim_wave_pins {
    unsigned count;
    const char *names[6]; /* of bit 0, bit 1, ... */
    unsigned clock;       /* the bit of the clock */
    unsigned idle;        /* levels of a bus at rest */
};

const struct sdsim_wave_pins *sdsim_wave_pins(enum sdsim_bus_mode mode);

struct sdsim_wave_sink {
    void (*levels)(struct sdsim_wave_sink *sink, sdsim_ps at, unsigned levels);
};

struct sdsim_wave {
    struct sdsim_wire_listener listener; /* first: a wave is a listener */
    struct sdsim_wave_sink *sink;        /* not owned */
    sdsim_ps from;
    sdsim_ps to;
    sdsim_ps at;     /* of the levels that are not told yet */
    unsigned levels; /* there */
    unsigned told;   /* what the sink knows */
    bool begun;      /* it knows the beginning */
    bool spi;
};

/* A wave of the window from <= t < to, for a sink that must outlive it. */
void sdsim_wave_init(struct sdsim_wave *wave, enum sdsim_bus_mode mode, sdsim_ps from, sdsim_ps to,
                     struct sdsim_wave_sink *sink);

/* Nothing more comes: tells what is left. */
void sdsim_wave_finish(struct sdsim_wave *wave);

/* ---- a sink that only measures ---- */

struct sdsim_wave_measure {
    struct sdsim_wave_sink sink; /* first: it is a sink */
    sdsim_ps from;
    unsigned clock;
    sdsim_ps grid;      /* greatest common divisor of all instants since `from`; 0: none */
    uint64_t instants;  /* at which something changed */
    uint64_t changes;   /* of single lines */
    sdsim_ps shortest;  /* between two edges of the clock; SDSIM_TIME_END: none */
    sdsim_ps last_edge; /* of the clock */
    unsigned levels;
    bool begun;
};

void sdsim_wave_measure_init(struct sdsim_wave_measure *measure, enum sdsim_bus_mode mode,
                             sdsim_ps from);

/* The coarsest of 1, 10, 100 ps ... 1 s that divides `grid`; 1 s for 0. */
sdsim_ps sdsim_wave_timescale(sdsim_ps grid);

/* An instant since `from` in ticks of `tick` picoseconds, to the nearest one, up from the middle. */
static inline uint64_t sdsim_wave_ticks(sdsim_ps since, sdsim_ps tick)
{
    return since / tick + (since % tick >= tick - tick / 2 ? 1 : 0);
}

#endif
