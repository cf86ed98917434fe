/*
 * The library is the simulator: whatever a driver puts on the bus of the byte-exact port is put on the
 * bus of a slot at the same instants, through the public functions. Every byte that comes back is the
 * same, ends at the same picosecond, and in the end both cards hold the same.
 *
 * Limits: drivers that leave a block to their controller (SDSIM_WRITE_BEHIND) are heard ahead of time
 * and can't be mirrored.
 *
 * SDSIM_SEED chooses another luck.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "card/profile.h"
#include "core/rng.h"
#include "driver/driver.h"
#include "port/wire.h"
#include "sanitized.h"
#include "sdsim/sdsim.h"

enum {
    SPI_OPERATIONS = SDSIM_SANITIZED ? 6 : 30,
    SD_OPERATIONS = SDSIM_SANITIZED ? 2 : 8, /* clock by clock */
    MOST_BLOCKS = 24,
    REGION = 300, /* sectors that are used */
};

/* Cards of different kinds. */
static const char *const profiles[] = {"sdhc32g-a1", "sdsc64-slc", "sdxc64g-a2", "sdhc4g-c4"};

/* A bus and the slot that is its mirror. */
struct mirror {
    struct sdsim_wire_listener listener; /* first */
    const char *name;                    /* of the driver */
    struct sdsim_wire wire;
    struct sdsim_slot *slot;
    uint64_t heard;
};

static void keep_up(struct mirror *mirror, sdsim_ps start)
{
    const struct sdsim_clock *clock = &mirror->wire.port.clock;
    const uint64_t now = sdsim_slot_now(mirror->slot);
    assert_true(start >= now);
    assert_int_equal(sdsim_slot_advance(mirror->slot, start - now), SDSIM_OK);
    assert_int_equal(
        sdsim_slot_set_clock(mirror->slot, (uint32_t)clock->hz_num, (uint32_t)clock->hz_den),
        SDSIM_OK);
    mirror->heard++;
}

static void hear_byte(struct sdsim_wire_listener *listener, sdsim_ps start, sdsim_ps end,
                      bool selected, uint8_t mosi, uint8_t miso)
{
    struct mirror *mirror = (struct mirror *)listener;
    uint8_t byte = 0;
    keep_up(mirror, start);
    assert_int_equal(sdsim_slot_select(mirror->slot, selected), SDSIM_OK);
    assert_int_equal(sdsim_slot_exchange(mirror->slot, &mosi, &byte, 1), SDSIM_OK);
    if (byte != miso || sdsim_slot_now(mirror->slot) != end) {
        fail_msg("%s, byte %llu: %02X until %llu ps, not %02X until %llu ps", mirror->name,
                 (unsigned long long)mirror->heard, byte,
                 (unsigned long long)sdsim_slot_now(mirror->slot), miso, (unsigned long long)end);
    }
}

static void hear_clock(struct sdsim_wire_listener *listener, sdsim_ps start, sdsim_ps end,
                       struct sdsim_sd_lines lines, bool host_drives_cmd, bool host_drives_dat)
{
    struct mirror *mirror = (struct mirror *)listener;
    const uint8_t cmd = lines.cmd != 0 ? SDSIM_LINE_CMD : 0;
    const uint8_t host = (uint8_t)((host_drives_cmd ? cmd : SDSIM_LINE_CMD) |
                                   (host_drives_dat ? lines.dat : SDSIM_LINE_DAT));
    uint8_t bus = 0;
    keep_up(mirror, start);
    assert_int_equal(sdsim_slot_clock_lines(mirror->slot, &host, &bus, 1), SDSIM_OK);
    if (bus != (cmd | lines.dat) || sdsim_slot_now(mirror->slot) != end) {
        fail_msg("%s, clock %llu: %02X until %llu ps, not %02X until %llu ps", mirror->name,
                 (unsigned long long)mirror->heard, bus,
                 (unsigned long long)sdsim_slot_now(mirror->slot), cmd | lines.dat,
                 (unsigned long long)end);
    }
}

/* What driver and card do on the wire port. */
struct world {
    struct sdsim_config *config;
    struct sdsim_card_params params;
    struct sdsim_medium *medium;
    struct sdsim_card card;
    struct sdsim_meter meter;
    struct sdsim_driver_params driver_params;
    struct sdsim_driver_costs costs;
    struct sdsim_driver_clocks clocks;
    struct sdsim_driver driver;
    struct mirror mirror;
    sdsim_ps now;
};

static void insert(struct world *world, const char *profile, uint64_t seed, uint32_t draw)
{
    struct sdsim_diags diags;
    sdsim_diags_init(&diags);
    world->config = sdsim_config_create(".");
    const struct sdsim_card_profile card = {
        .name = profile,
        .tree = sdsim_config_profile(world->config, "card", profile, NULL, &diags)};
    const struct sdsim_draw luck = {.seed = seed, .k = draw};
    assert_non_null(card.tree);
    assert_true(sdsim_card_bind(world->config, &card, &luck, &world->params, &diags));
    sdsim_diags_free(&diags);
    world->medium = sdsim_medium_create(sdsim_csd_sectors(&world->params), 0);
    assert_non_null(world->medium);
    sdsim_card_init(&world->card, &world->params, world->medium, seed, draw);

    world->mirror.slot = sdsim_slot_create();
    assert_int_equal(sdsim_slot_set_data_dir(world->mirror.slot, "."), SDSIM_OK);
    assert_int_equal(sdsim_slot_insert(world->mirror.slot, profile, seed, draw), SDSIM_OK);
}

static void attach(struct world *world, enum sdsim_driver_code code, enum sdsim_bus_mode mode)
{
    world->driver_params = (struct sdsim_driver_params){.code = (int)code, .status_after_write = 1};
    world->costs = (struct sdsim_driver_costs){.call = 700 * SDSIM_NS,
                                               .transfer = 300 * SDSIM_NS,
                                               .bulk = 8 * SDSIM_US,
                                               .command = 3 * SDSIM_US,
                                               .wake = 5 * SDSIM_US};
    world->clocks =
        (struct sdsim_driver_clocks){.init_num = 400000, .init_den = 1, .num = 80000000, .den = 3};
    struct mirror *mirror = &world->mirror;
    mirror->name = sdsim_driver_class(code)->name;
    mirror->listener.byte = hear_byte;
    mirror->listener.clock = hear_clock;
    sdsim_wire_init(&mirror->wire, mode, &world->card, &world->meter);
    mirror->wire.listener = &mirror->listener;
    sdsim_driver_attach(&world->driver, &world->driver_params, &world->costs, &mirror->wire.port,
                        &world->clocks, true);
}

static void operate(struct world *world, struct sdsim_rng *rng)
{
    static uint8_t read[MOST_BLOCKS * SDSIM_SECTOR];
    const uint32_t lba = (uint32_t)sdsim_rng_below(rng, REGION - MOST_BLOCKS);
    const uint32_t count =
        (uint32_t)(sdsim_rng_below(rng, 2) == 0 ? 1 : 1 + sdsim_rng_below(rng, MOST_BLOCKS));
    const struct sdsim_content content = {.kind = SDSIM_CONTENT_GENERATED,
                                          .seed = sdsim_rng_next(rng)};
    if (sdsim_rng_below(rng, 3) == 0) {
        (void)sdsim_driver_read(&world->driver, &world->now, lba, count, SDSIM_FOR_DATA, read);
    } else {
        (void)sdsim_driver_write(&world->driver, &world->now, lba, count, SDSIM_FOR_DATA, &content);
    }
    if (sdsim_rng_below(rng, 4) == 0) {
        (void)sdsim_driver_sync(&world->driver, &world->now);
    }
}

static void compare_content(const struct world *world)
{
    static uint8_t mine[REGION * SDSIM_SECTOR];
    static uint8_t other[REGION * SDSIM_SECTOR];
    sdsim_medium_read(world->medium, 0, REGION, mine);
    assert_int_equal(sdsim_slot_read_sectors(world->mirror.slot, 0, REGION, other), SDSIM_OK);
    assert_memory_equal(other, mine, sizeof mine);
}

static void run(enum sdsim_driver_code code, enum sdsim_bus_mode mode, uint64_t seed)
{
    struct sdsim_rng rng;
    struct world *world = calloc(1, sizeof *world);
    assert_non_null(world);
    sdsim_rng_seed(&rng, seed + (uint64_t)code);
    insert(world, profiles[(unsigned)code % (sizeof profiles / sizeof *profiles)], seed,
           (uint32_t)code % 3);
    attach(world, code, mode);
    /* An SDSC card may be more than a driver knows; what it tries is mirrored all the same. */
    if (sdsim_driver_init(&world->driver, &world->now) == SDSIM_DRIVER_OK) {
        const int operations = mode == SDSIM_BUS_SPI ? SPI_OPERATIONS : SD_OPERATIONS;
        for (int i = 0; i < operations; i++) {
            operate(world, &rng);
        }
    }
    assert_true(world->mirror.heard > 0);
    compare_content(world);
    sdsim_slot_destroy(world->mirror.slot);
    sdsim_medium_destroy(world->medium);
    sdsim_config_destroy(world->config);
    free(world);
}

static uint64_t chosen_seed(void)
{
    const char *text = getenv("SDSIM_SEED");
    const uint64_t seed = text != NULL ? strtoull(text, NULL, 0) : 1;
    print_message("SDSIM_SEED=%llu\n", (unsigned long long)seed);
    return seed;
}

static void spi(void **state)
{
    (void)state;
    const uint64_t seed = chosen_seed();
    for (int code = 0; code < SDSIM_DRIVER_COUNT; code++) {
        if (sdsim_driver_class((enum sdsim_driver_code)code)->spi) {
            run((enum sdsim_driver_code)code, SDSIM_BUS_SPI, seed);
        }
    }
}

static void sd(void **state)
{
    (void)state;
    const uint64_t seed = chosen_seed();
    for (int code = 0; code < SDSIM_DRIVER_COUNT; code++) {
        const struct sdsim_driver_class *class = sdsim_driver_class((enum sdsim_driver_code)code);
        if (class->sd && code != SDSIM_DRIVER_SDFAT_TEENSY) {
            run((enum sdsim_driver_code)code, SDSIM_BUS_SD4, seed);
            run((enum sdsim_driver_code)code, SDSIM_BUS_SD1, seed + 1);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spi),
        cmocka_unit_test(sd),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
