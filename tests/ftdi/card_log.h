/*
 * The log of a simulated card, its own: every command that moved or erased sectors, and how long the card
 * took for each part of it. What a probe finds is judged by it.
 *
 * It is made of the slot's timeline (sdsim/sdsim.h), and of what the card's flash counts: how much of a
 * pause was a merge, how much what writes against the order cost, and how many pauses by the amount
 * written were in it. Host, driver and chip have no part in it.
 *
 * Limits: SPI, whole bytes. What a card does once it is switched off and on again is told as before.
 */
#ifndef SDSIM_TEST_FTDI_CARD_LOG_H
#define SDSIM_TEST_FTDI_CARD_LOG_H

#include <stdbool.h>
#include <stddef.h>

#include "core/time.h"
#include "sdsim/sdsim.h"

/* A sector that was moved. */
struct sdsim_card_log_block {
    uint32_t lba;
    sdsim_ps access; /* read: from the command, or the block before it, until it was there */
    sdsim_ps busy;   /* written: so long, without the pause */
};

struct sdsim_card_log_op {
    uint8_t command; /* 17, 18, 24, 25 or 38 */
    uint32_t lba;    /* of its first block; CMD38: no meaning */
    size_t first;    /* of its blocks */
    size_t count;    /* of them */
    sdsim_ps busy;   /* behind the stop token, or of CMD38 */
    sdsim_ps pause;  /* all of them, behind blocks and stop token */
    sdsim_ps merge;  /* of which closing AUs took so long, ... */
    sdsim_ps order;  /* ... writing against the order, ... */
    uint64_t pauses; /* ... and the rest were so many by the amount written */
    uint64_t merges; /* AUs that were closed by copying */
};

struct sdsim_card_log;

/* Begins to keep one; the slot has a card and outlives it. NULL without memory. */
struct sdsim_card_log *sdsim_card_log_start(struct sdsim_slot *slot);
void sdsim_card_log_free(struct sdsim_card_log *log);

/* All that was noted so far, in order; valid until the next call. */
struct sdsim_card_log_view {
    const struct sdsim_card_log_op *ops;
    size_t count;
    const struct sdsim_card_log_block *blocks;
};
struct sdsim_card_log_view sdsim_card_log_look(struct sdsim_card_log *log);

#endif
