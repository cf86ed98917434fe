/*
 * Getting back in step with a card after something went wrong in the middle of a transaction.
 *
 * Whatever the card may be in the middle of is ended without telling it anything it could take for data: a
 * block that it waits for the rest of is filled up with ones, which it refuses for their CRC (it checks
 * them, CMD59); one that it waits for as a whole is sent to it likewise; an open write is stopped by its
 * token, an open read by CMD12. Then it is waited for, half a second at most.
 */
#ifndef SDSIM_FTDI_MPSSE_QUIET_H
#define SDSIM_FTDI_MPSSE_QUIET_H

#include "mpsse_port.h"

/* N_CR at its longest, R1 and what belongs to it. */
#define SDSIM_MPSSE_RESPONSE_BYTES (8 + 1 + 4)

/* The card waits for a command afterwards, CS is high. The link must work; port->tx is what failed. */
void sdsim_mpsse_quieten(struct sdsim_mpsse_port *port);

#endif
