#include "ftdi/card_world.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

/* What a round trip over USB takes. */
static const sdsim_ps round_trip = 500 * SDSIM_US;

static struct sdsim_card_world *connect(struct sdsim_slot *slot)
{
    struct sdsim_card_world *world = calloc(1, sizeof *world);
    assert_non_null(world);
    world->slot = slot;
    sdsim_card_slave_init(&world->slave, slot);
    sdsim_engine_init(&world->engine, SDSIM_FT232H, &world->slave.slave);
    world->link = sdsim_engine_link(&world->engine, round_trip);
    assert_non_null(world->link);
    return world;
}

struct sdsim_card_world *sdsim_card_world(const char *profile, uint32_t draw)
{
    struct sdsim_slot *slot = sdsim_slot_create();
    assert_non_null(slot);
    assert_int_equal(sdsim_slot_set_data_dir(slot, "."), SDSIM_OK);
    if (sdsim_slot_insert(slot, profile, 1, draw) != SDSIM_OK) {
        fail_msg("%s", sdsim_slot_error(slot));
    }
    return connect(slot);
}

struct sdsim_card_world *sdsim_card_world_of_text(const char *text, uint32_t draw)
{
    struct sdsim_slot *slot = sdsim_slot_create();
    assert_non_null(slot);
    assert_int_equal(sdsim_slot_set_data_dir(slot, "."), SDSIM_OK);
    if (sdsim_slot_insert_text(slot, "card", text, strlen(text), 1, draw) != SDSIM_OK) {
        fail_msg("%s", sdsim_slot_error(slot));
    }
    return connect(slot);
}

void sdsim_card_world_reconnect(struct sdsim_card_world *world)
{
    sdsim_link_close(world->link);
    world->link = sdsim_engine_link(&world->engine, round_trip);
    assert_non_null(world->link);
}

void sdsim_card_world_free(struct sdsim_card_world *world)
{
    sdsim_link_close(world->link);
    sdsim_slot_destroy(world->slot);
    free(world);
}
