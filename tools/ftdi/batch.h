/*
 * A batch: MPSSE commands put together, and how many bytes they will answer.
 *
 * Commands are those of SPI mode 0, most significant bit first: out on the falling edge, in on the
 * rising one. A command that only reads leaves MOSI as it was, and a card takes a low MOSI for the
 * beginning of something, so the batch keeps in mind the last level and raises the pin before it reads,
 * where that is needed.
 *
 * Limits: memory that can't be had is remembered (`failed`) and makes everything after it do nothing.
 */
#ifndef SDSIM_FTDI_BATCH_H
#define SDSIM_FTDI_BATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mpsse.h"

struct sdsim_batch {
    uint8_t *bytes; /* owned */
    size_t size;
    size_t capacity;
    size_t answers; /* bytes the chip will answer */
    size_t open;    /* where the length of the writing command stands that the next byte may join;
                       0: there is none */
    uint8_t levels; /* of ADBUS, as the last commands leave them */
    uint8_t outputs;
    bool late;   /* reads on the falling edge, half a clock later */
    bool failed; /* no memory */
};

/* An empty batch for a chip whose pins are not set up yet. Zeroed memory is one, too. */
void sdsim_batch_init(struct sdsim_batch *batch);
void sdsim_batch_free(struct sdsim_batch *batch);

/* Forgets the commands, not the levels of the pins. */
void sdsim_batch_clear(struct sdsim_batch *batch);

/* Sets a chip up that was just opened: divide-by-5, adaptive and three-phase clocking off, no
 * loop-back, CS and MOSI high, SCK low, the divisor of `clock`. */
void sdsim_batch_setup(struct sdsim_batch *batch, const struct sdsim_mpsse_clock *clock);

/* The frequency from here on. */
void sdsim_batch_clock(struct sdsim_batch *batch, const struct sdsim_mpsse_clock *clock);

/* CS; MOSI goes high with it, and SCK low. */
void sdsim_batch_select(struct sdsim_batch *batch, bool low);

/* Bytes for the card of which nobody wants to know what comes back. */
void sdsim_batch_write(struct sdsim_batch *batch, const uint8_t *bytes, size_t count);

/* `count` bytes of 0xFF for the card, and what it says meanwhile, which will be answered. */
void sdsim_batch_read(struct sdsim_batch *batch, size_t count);

/* `count` times eight clocks with MOSI high, of which nothing is answered. */
void sdsim_batch_clocks(struct sdsim_batch *batch, size_t count);

/* Any other command, with its arguments, and how many bytes it answers. It must not change what the batch
 * keeps in mind: levels of pins. */
void sdsim_batch_command(struct sdsim_batch *batch, const uint8_t *bytes, size_t count,
                         size_t answers);

/* What was read goes to the host at once. Ends every batch that reads. */
void sdsim_batch_flush(struct sdsim_batch *batch);

#endif
