/*
 * What the card has just been through when a run begins: the file that is read was written by the
 * microcontroller right before (filesystem.written_by), so it still lies in the card's cache, as far
 * as that goes; or it came from a PC some time ago and is folded.
 *
 * The blocks are found by reading the file through the file system, in no time, and watching where
 * it reads.
 *
 * Limits: of a file longer than the cache the end is held; metadata the file does not need counts as folded.
 */
#ifndef SDSIM_SETUP_HELD_H
#define SDSIM_SETUP_HELD_H

#include "setup/setup.h"

/* Tells the card, before anything else is done with it. Does nothing if it makes no difference. */
void sdsim_setup_hold(const struct sdsim_setup *setup, struct sdsim_medium *medium,
                      struct sdsim_card *card);

#endif
