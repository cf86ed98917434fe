/*
 * The inside of a slot, shared by the files of this folder. What each function of the library
 * promises is said in sdsim/sdsim.h; here is how it is kept.
 *
 * A slot is the one place of the simulator that owns a current time: it stands where a driver and
 * its host stand otherwise. Everything below gets its instants from here.
 *
 * A card in the slot is a config (which holds the texts of its profile), parameters, a medium and
 * the state of the card and its pins; switching it off and on sets up only the last again.
 */
#ifndef SDSIM_API_SLOT_H
#define SDSIM_API_SLOT_H

#include <stdbool.h>

#include "api/timeline.h"
#include "card/card.h"
#include "card/sd_pins.h"
#include "card/spi_pins.h"
#include "config/tree.h"
#include "core/clock.h"
#include "sdsim/sdsim.h"

/* Later than this nothing is simulated, so that sums of spans need not be checked one by one. */
#define SDSIM_SLOT_TIME_LIMIT (200 * 86400 * SDSIM_S)

/* The most clocks a command gives behind its frame: until the response, the longest one, and the
 * rest. */
#define SDSIM_SLOT_EARLY (64 + 136 + 8)

struct sdsim_slot {
    struct sdsim_clock clock;
    sdsim_ps now;
    bool selected;

    struct sdsim_config *config; /* NULL: the slot is empty */
    struct sdsim_medium *medium;
    struct sdsim_card_params params;
    bool powered; /* and there is a card */
    struct sdsim_card card;
    struct sdsim_faults faults;
    struct sdsim_spi_pins spi; /* the two faces of the card; CMD0 decides which one answers */
    struct sdsim_sd_pins sd;

    /* SD mode: what was on DAT since the last command was sent, so that data is not missed that
     * comes along with the response */
    uint8_t early[SDSIM_SLOT_EARLY];
    uint32_t early_count;
    uint32_t early_at; /* what was before is taken */

    struct sdsim_slot_timeline timeline;
    char *data_dir; /* or NULL */
    char error[4096];
};

/* Keeps the text of a failed call, and returns its result. */
int32_t sdsim_slot_fail(struct sdsim_slot *slot, int32_t result, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The same for all messages of `diags`, one or more lines each. */
int32_t sdsim_slot_fail_with(struct sdsim_slot *slot, int32_t result,
                             const struct sdsim_diags *diags);

/* SDSIM_OK if there is a slot with a card in it. */
int32_t sdsim_slot_need_card(struct sdsim_slot *slot);

/* SDSIM_OK if so much more time, or so many clocks, may pass. */
int32_t sdsim_slot_need_time(struct sdsim_slot *slot, sdsim_ps span);
int32_t sdsim_slot_need_clocks(struct sdsim_slot *slot, uint64_t clocks);

#endif
