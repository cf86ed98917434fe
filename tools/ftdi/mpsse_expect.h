/*
 * How much the port will look at next, most likely: from what it is in the middle of, and from what the card
 * took the last times. Too little costs a round trip, too much clocks that nobody wanted.
 *
 *   reads      response, usual access time, and the blocks that are asked for
 *   busy       the shorter of the last two of its kind, so that a pause does not make the host look far
 *              ahead
 *
 * Limits: expectations are the port's (struct sdsim_mpsse_port), in bytes, and forgotten with it.
 */
#ifndef SDSIM_FTDI_MPSSE_EXPECT_H
#define SDSIM_FTDI_MPSSE_EXPECT_H

#include "mpsse_port.h"

/* Tells the line, if it has nothing left to be looked at. */
void sdsim_mpsse_expect(struct sdsim_mpsse_port *port);

/* What a byte that was looked at tells about the next time. */
void sdsim_mpsse_learn(struct sdsim_mpsse_port *port, uint8_t miso);

#endif
