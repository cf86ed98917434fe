/*
 * Between the two halves of SD mode: clocks on the lines (api/slot_sd.c) and the frames made of them
 * (api/slot_sd_data.c).
 */
#ifndef SDSIM_API_SLOT_SD_H
#define SDSIM_API_SLOT_SD_H

#include "api/slot.h"

/* Gives `count` clocks; `host` NULL: released, `bus` NULL: not looked at. May be the same array. */
void sdsim_slot_run(struct sdsim_slot *slot, const struct sdsim_sd_lines *host,
                    struct sdsim_sd_lines *bus, size_t count);

/* One clock with all lines released. */
struct sdsim_sd_lines sdsim_slot_look(struct sdsim_slot *slot);

/* Gives the clocks that go by with DAT0 at `level` for certain and end before `deadline`; the one behind
 * them is to be looked at. */
void sdsim_slot_pass(struct sdsim_slot *slot, uint8_t level, sdsim_ps deadline);

/* For the timeline, if somebody listens: what was on the bus from `start` to `end`. */
void sdsim_slot_tell(struct sdsim_slot *slot, uint32_t kind, uint32_t detail, sdsim_ps start,
                     sdsim_ps end);

/* The same for what the host has just made the card do. */
void sdsim_slot_tell_card(struct sdsim_slot *slot);

#endif
