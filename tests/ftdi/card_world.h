/*
 * A simulated card behind the MPSSE engine, with a link to it: what a test of the card side runs on.
 */
#ifndef SDSIM_TEST_FTDI_CARD_WORLD_H
#define SDSIM_TEST_FTDI_CARD_WORLD_H

#include "ftdi/card_slave.h"
#include "ftdi/engine_link.h"

struct sdsim_card_world {
    struct sdsim_slot *slot;
    struct sdsim_card_slave slave;
    struct sdsim_engine engine;
    struct sdsim_link *link;
};

/* A card of this profile (name or path), or of this text of YAML, in `draw`. Aborts the test if it
 * is refused. */
struct sdsim_card_world *sdsim_card_world(const char *profile, uint32_t draw);
struct sdsim_card_world *sdsim_card_world_of_text(const char *text, uint32_t draw);
void sdsim_card_world_free(struct sdsim_card_world *world);

/* Another link to the same engine and card, as after a program was run anew; the old one is closed. */
void sdsim_card_world_reconnect(struct sdsim_card_world *world);

#endif
