/*
 * The simulated SD card on the pins of an MPSSE channel: a slot of the library (sdsim/sdsim.h) whose
 * time follows the clock of the engine, with two things that only the wires can do.
 *
 *  - A guard watches what is written and erased: where, how much, and whether any of it lies outside
 *    of what is permitted. It looks at what the card is about to do, not at what the host meant.
 *  - Bits on MISO can be turned: every so many bytes that a selected card sends, one.
 *
 * Who uses it owns the slot, fills the card, injects faults (sdsim_slot_inject) and reads its timeline.
 *
 * Limits: the card's byte face knows whole bytes aligned to CS. Bits clocked one by one are put
 * together; those of a byte that CS cuts short are lost. What MISO shows for such a byte is what the
 * card would show for 0xFF.
 */
#ifndef SDSIM_TEST_FTDI_CARD_SLAVE_H
#define SDSIM_TEST_FTDI_CARD_SLAVE_H

#include "ftdi/slave.h"
#include "sdsim/sdsim.h"

/* What may be written, and what was. */
struct sdsim_write_guard {
    bool on;
    uint32_t from; /* sectors from..to - 1 may be written; equal: none */
    uint32_t to;
    uint64_t written; /* blocks that arrived for any sector, refused ones included */
    uint64_t erased;  /* sectors */
    uint64_t outside; /* of both, outside of what is permitted */
    uint32_t first;   /* the first of those */
    uint32_t lowest;  /* sector touched by both; more than `highest`: none */
    uint32_t highest;
};

/* Bits turned on MISO. */
struct sdsim_bit_errors {
    uint64_t skip;   /* bytes to let pass */
    uint64_t period; /* bytes from one error to the next; 0: never */
    uint64_t left;   /* errors still to come */
    uint64_t made;
};

struct sdsim_card_slave {
    struct sdsim_slave slave;
    struct sdsim_slot *slot; /* not owned */
    struct sdsim_write_guard guard;
    struct sdsim_bit_errors errors;
    uint64_t bytes; /* clocked while selected */

    /* a byte that comes bit by bit */
    unsigned bits;
    uint8_t mosi;
    uint8_t miso;
    sdsim_ps start;
};

/* `slot` must outlive it. */
void sdsim_card_slave_init(struct sdsim_card_slave *slave, struct sdsim_slot *slot);

/* Permits writing and erasing sectors from..to - 1, and forgets what was seen so far. */
void sdsim_card_slave_guard(struct sdsim_card_slave *slave, uint32_t from, uint32_t to);

#endif
