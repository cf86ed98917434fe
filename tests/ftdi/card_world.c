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

static void note(void *context, uint32_t track, uint32_t kind, uint64_t start, uint64_t duration,
                 uint32_t detail)
{
    struct sdsim_card_world *world = context;
    if (track != SDSIM_TRACK_CARD) {
        return;
    }
    if (world->logged == world->capacity) {
        world->capacity = world->capacity * 2 + 1024;
        world->log = realloc(world->log, world->capacity * sizeof *world->log);
        assert_non_null(world->log);
    }
    world->log[world->logged++] =
        (struct sdsim_card_event){kind, detail, (sdsim_ps)start, (sdsim_ps)duration};
}

static struct sdsim_card_world *connect(struct sdsim_slot *slot)
{
    struct sdsim_card_world *world = calloc(1, sizeof *world);
    assert_non_null(world);
    world->slot = slot;
    assert_int_equal(sdsim_slot_set_timeline(slot, note, world), SDSIM_OK);
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
    (void)sdsim_slot_set_timeline(world->slot, NULL, NULL);
    sdsim_slot_destroy(world->slot);
    free(world->log);
    free(world);
}
