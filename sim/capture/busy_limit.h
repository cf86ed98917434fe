/*
 * How long a card may be busy after a block: SD Physical Layer Simplified Specification, section 4.6.2.2.
 *
 * 250 ms, and 500 ms for SDXC, where the last block, a stop, or two blocks on both sides of a border may
 * take that long. Which a card is, its CSD tells; without one only a card that counts in bytes is
 * known to be none of the large ones.
 *
 * Limits: an SDSC card may take 100 of its typical program times, if that is less; nobody keeps to it.
 * An erase has limits of its own, which its size decides.
 */
#ifndef SDSIM_CAPTURE_BUSY_LIMIT_H
#define SDSIM_CAPTURE_BUSY_LIMIT_H

#include <stdbool.h>
#include <stdint.h>

#include "core/time.h"

struct sdsim_busy_limit {
    sdsim_ps longest;
    sdsim_ps perhaps; /* what some cards may take that this one may be; else the same */
};

/* `csd` has 16 bytes, or is NULL; `small`: the card is known to count in bytes. */
struct sdsim_busy_limit sdsim_busy_limit(const uint8_t *csd, bool small);

#endif
