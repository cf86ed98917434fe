/*
 * The fast SPI port where only bytes tell.
 *
 * A driver that takes a busy card for ready - it looked one clock too early, or lost its patience - may
 * send a write command that the card does not hear, read the zeros of busy as R1, and go on with the
 * blocks. The card looks for commands in them, or, if an older write is open, for its tokens: what it
 * makes of that depends on every byte of the data. It may end in the middle of something it takes for a
 * block, and stay there over many transactions.
 *
 * So from the first of these blocks on the fast port does what the wire port does, byte by byte through
 * the byte-exact card, and goes back to its own ways behind the first transaction that leaves the
 * card where they know all of it: not within a frame, a block or an answer.
 *
 * Limits: SPI. On the SD bus a command that is not heard is not answered, and no block follows.
 */
#ifndef SDSIM_PORT_FAST_BYTES_H
#define SDSIM_PORT_FAST_BYTES_H

#include "port/port.h"

/* The blocks that the host is about to send are none the card is waiting for. */
static inline bool sdsim_fast_bytes_due(const struct sdsim_port *port)
{
    const struct sdsim_card *card = port->card;
    const bool awaited = card->state == SDSIM_CARD_RECEIVE && (card->left == 1) == port->single;
    return port->selected && !awaited;
}

/* A transaction from the blocks of a write on; and, while port->by_byte, a whole one. */
void sdsim_fast_bytes_write(struct sdsim_port *port, sdsim_ps *now,
                            const struct sdsim_transaction *tx, struct sdsim_result *result);
void sdsim_fast_bytes_execute(struct sdsim_port *port, sdsim_ps *now,
                              const struct sdsim_transaction *tx, struct sdsim_result *result);

#endif
