/*
 * A write in one batch: the block goes out with its command, before the card has said yes to it.
 *
 * That saves a round trip, and is done only where a card that did not hear the command can do no harm
 * with the block. Such a card takes its bytes for commands, so they are looked through first, at every
 * bit, as a clock too many or too few may be why the command was lost:
 *
 *   CMD28, CMD29       write protection of a group: takes effect at once
 *   CMD32, 33 and 38   all three: an erase
 *   CMD59              if it switches CRC off: what comes behind would not be checked any more
 *
 * Other commands do nothing to the data: reading and registers are harmless, writes wait for a block with
 * a token and a right CRC, which the card checks (CMD59 was said yes to), and a card that is reset refuses
 * everything. Of random blocks one in six has such bytes and goes the slow way.
 *
 * Limits: the first block of a command only: the busy behind a block lasts as long as it does.
 */
#ifndef SDSIM_FTDI_MPSSE_AHEAD_H
#define SDSIM_FTDI_MPSSE_AHEAD_H

#include "mpsse_port.h"

/* Whether a card that waits for a command finds none in these bytes that changes it or its data. */
bool sdsim_mpsse_harmless(const uint8_t *bytes, size_t count);

/* Something is about to be looked at. If it is the response to a command that writes, and it may be, the
 * first block goes along, and as many looks behind it as the card is busy, most likely. False: nothing has
 * happened. */
bool sdsim_mpsse_write_ahead(struct sdsim_mpsse_port *port);

#endif
