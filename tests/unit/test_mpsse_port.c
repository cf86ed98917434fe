/*
 * The port on a real card, here the simulated one behind the MPSSE engine: the same drivers as on the
 * wire port, the same bytes, the same bus time; how often the host has to wait for an answer; and what
 * becomes of bit errors and broken transfers.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "api/slot.h"
#include "driver/driver.h"
#include "ftdi/card_world.h"
#include "tools/ftdi/mpsse_port.h"

/* ---- a driver on the port ---- */

struct stage {
    struct sdsim_card_world *world;
    struct sdsim_mpsse_port port;
    struct sdsim_meter meter;
    struct sdsim_driver driver;
    struct sdsim_driver_params params;
    struct sdsim_driver_costs costs;
    sdsim_ps now;
};

static const struct sdsim_driver_clocks clocks = {
    .asked_hz = 15000000, .init_num = 400000, .init_den = 1, .num = 15000000, .den = 1};

static struct stage *raise_stage(struct sdsim_card_world *world, enum sdsim_driver_code code)
{
    struct sdsim_mpsse_clock slow;
    struct stage *stage = calloc(1, sizeof *stage);
    assert_non_null(stage);
    assert_true(sdsim_mpsse_clock_below(400000, &slow));
    stage->world = world;
    stage->params.code = (int)code;
    stage->params.tick = SDSIM_MS;
    sdsim_mpsse_port_init(&stage->port, world->link, &slow, &stage->meter);
    sdsim_driver_attach(&stage->driver, &stage->params, &stage->costs, &stage->port.wire.port,
                        &clocks, true);
    return stage;
}

static void initialise(struct stage *stage)
{
    if (sdsim_driver_init(&stage->driver, &stage->now) != SDSIM_DRIVER_OK) {
        char why[200];
        sdsim_driver_explain_fault(&stage->driver, why, sizeof why);
        fail_msg("%s", why);
    }
}

static void strike_stage(struct stage *stage)
{
    sdsim_mpsse_port_free(&stage->port);
    sdsim_card_world_free(stage->world);
    free(stage);
}

static const char small_card[] =
    "kind: card\ntype: sdhc\ncapacity: 64MiB\npage: 16KiB\ninit_time: 20ms\n"
    "rd1: 300us\nrdn: 2us\nrdpg: 400us\nw1: 900us\nwn: 2us\nwpg: 300us\nwstop: 700us\n";

static void fill(struct sdsim_card_world *world, uint32_t sectors)
{
    uint8_t block[512];
    for (uint32_t lba = 0; lba < sectors; lba++) {
        sdsim_generate(7, (uint64_t)lba * 512, block, sizeof block);
        assert_int_equal(sdsim_slot_write_sectors(world->slot, lba, 1, block), SDSIM_OK);
    }
}

/* ---- the same as on the wire port ---- */

/* What a driver does here and on the wire port: init, reads and writes of several sizes. */
struct times {
    sdsim_ps init;
    sdsim_ps calls[8];
};

static const struct {
    bool write;
    uint32_t lba;
    uint32_t count;
} calls[8] = {{false, 0, 1},  {false, 64, 8},   {false, 100, 256}, {true, 512, 1},
              {true, 513, 8}, {true, 600, 128}, {false, 512, 216}, {true, 800, 2}};

static void drive(struct sdsim_driver *driver, sdsim_ps *now, struct times *times, uint8_t *data)
{
    const struct sdsim_content content = {.kind = SDSIM_CONTENT_GENERATED, .seed = 99};
    if (sdsim_driver_init(driver, now) != SDSIM_DRIVER_OK) {
        char why[200];
        sdsim_driver_explain_fault(driver, why, sizeof why);
        fail_msg("%s: %s", driver->port->ops->name, why);
    }
    times->init = *now;
    for (size_t i = 0; i < 8; i++) {
        const sdsim_ps start = *now;
        const enum sdsim_driver_error error =
            calls[i].write
                ? sdsim_driver_write(driver, now, calls[i].lba, calls[i].count, 0, &content)
                : sdsim_driver_read(driver, now, calls[i].lba, calls[i].count, 0,
                                    data + (size_t)calls[i].lba * 512);
        if (error != SDSIM_DRIVER_OK) {
            char why[200];
            sdsim_driver_explain_fault(driver, why, sizeof why);
            fail_msg("call %zu: %s; %s", i, why, driver->port->ops->name);
        }
        times->calls[i] = *now - start;
    }
}

static void drive_wire(enum sdsim_driver_code code, struct sdsim_card_world *twin,
                       struct times *times, uint8_t *data)
{
    struct sdsim_wire *wire = calloc(1, sizeof *wire);
    struct sdsim_card *card = calloc(1, sizeof *card);
    struct sdsim_meter meter = {0};
    struct sdsim_driver driver;
    const struct sdsim_driver_params params = {.code = (int)code, .tick = SDSIM_MS};
    const struct sdsim_driver_costs costs = {.transfer = SDSIM_US};
    sdsim_ps now = 0;
    assert_non_null(wire);
    assert_non_null(card);
    sdsim_card_init(card, &twin->slot->params, twin->slot->medium, 1, 0);
    sdsim_wire_init(wire, SDSIM_BUS_SPI, card, &meter);
    sdsim_driver_attach(&driver, &params, &costs, &wire->port, &clocks, true);
    drive(&driver, &now, times, data);
    free(wire);
    free(card);
}

/* Those that work on the wire port, too, on a host that costs nearly no time. */
static const enum sdsim_driver_code drivers[] = {
    SDSIM_DRIVER_GENERIC_SPI,  SDSIM_DRIVER_IDF_SDSPI,       SDSIM_DRIVER_SDCARDIO,
    SDSIM_DRIVER_CARLK3_SPI,   SDSIM_DRIVER_CHAN_MMC,        SDSIM_DRIVER_MBED_SD,
    SDSIM_DRIVER_MICROPYTHON,  SDSIM_DRIVER_SDFAT_DEDICATED, SDSIM_DRIVER_SDFAT_SHARED,
    SDSIM_DRIVER_NUTTX_SPI,    SDSIM_DRIVER_P2_SD,           SDSIM_DRIVER_PICO_FATFS,
    SDSIM_DRIVER_ARDUINO_PICO, SDSIM_DRIVER_PROFFIEOS_SPI,
};

/* A wait that shows more than 1 % or two byte times is none. */
static void compare(const char *driver, const char *what, size_t call, sdsim_ps wire,
                    sdsim_ps mpsse)
{
    const sdsim_ps off = wire > mpsse ? wire - mpsse : mpsse - wire;
    if (off > wire / 100 + 20 * SDSIM_US) {
        fail_msg("%s, %s %zu: %.3f us on the wire port, %.3f us here", driver, what, call,
                 (double)wire / 1e6, (double)mpsse / 1e6);
    }
}

static void test_same_as_wire(void **state)
{
    (void)state;
    static uint8_t here[1024 * 512];
    static uint8_t there[1024 * 512];
    for (size_t d = 0; d < sizeof drivers / sizeof *drivers; d++) {
        struct times wire = {0};
        struct times mpsse = {0};
        const char *name = sdsim_driver_class(drivers[d])->name;
        struct sdsim_card_world *twin = sdsim_card_world_of_text(small_card, 0);
        struct sdsim_card_world *world = sdsim_card_world_of_text(small_card, 0);
        fill(twin, 1024);
        fill(world, 1024);
        memset(here, 0, sizeof here);
        memset(there, 1, sizeof there);
        struct stage *stage = raise_stage(world, drivers[d]);
        stage->costs.transfer = SDSIM_US; /* with none some look for busy before it can show */
        stage->driver.class->attach(&stage->driver);
        drive(&stage->driver, &stage->now, &mpsse, here);
        drive_wire(drivers[d], twin, &wire, there);
        for (size_t i = 0; i < 8; i++) {
            compare(name, "call", i, wire.calls[i], mpsse.calls[i]);
            if (!calls[i].write) {
                assert_memory_equal(here + (size_t)calls[i].lba * 512,
                                    there + (size_t)calls[i].lba * 512,
                                    (size_t)calls[i].count * 512);
            }
        }
        if (sdsim_mpsse_retries(&stage->port) > 0) {
            fail_msg("%s: %" PRIu64 " retries", name, sdsim_mpsse_retries(&stage->port));
        }
        assert_int_equal(sdsim_account_total(&stage->meter.account), stage->now);
        strike_stage(stage);
        sdsim_card_world_free(twin);
    }
}

/* ---- round trips ---- */

static uint64_t trips_of_calls(enum sdsim_driver_code code, uint32_t call, uint32_t count,
                               uint64_t *most)
{
    struct sdsim_card_world *world = sdsim_card_world_of_text(small_card, 0);
    fill(world, 2048);
    struct stage *stage = raise_stage(world, code);
    initialise(stage);
    uint8_t *data = malloc((size_t)call * 512);
    assert_non_null(data);
    *most = 0;
    const uint64_t first = world->link->counters.round_trips;
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t before = world->link->counters.round_trips;
        uint8_t block[512];
        assert_int_equal(sdsim_driver_read(&stage->driver, &stage->now, i * call, call, 0, data),
                         SDSIM_DRIVER_OK);
        for (uint32_t b = 0; b < call; b++) {
            sdsim_generate(7, ((uint64_t)i * call + b) * 512, block, sizeof block);
            assert_memory_equal(data + (size_t)b * 512, block, sizeof block);
        }
        const uint64_t trips = world->link->counters.round_trips - before;
        *most = trips > *most ? trips : *most;
    }
    const uint64_t trips = world->link->counters.round_trips - first;
    free(data);
    strike_stage(stage);
    return trips;
}

static void test_round_trips(void **state)
{
    (void)state;
    uint64_t most;
    const uint64_t large = trips_of_calls(SDSIM_DRIVER_GENERIC_SPI, 256, 8, &most);
    print_message("1 MiB in calls of 128 KiB: %" PRIu64 " round trips, at most %" PRIu64
                  " a call\n",
                  large, most);
    assert_true(large <= 40);
    const uint64_t small = trips_of_calls(SDSIM_DRIVER_GENERIC_SPI, 8, 256, &most);
    print_message("1 MiB in calls of 8 sectors: %" PRIu64 " round trips, at most %" PRIu64
                  " a call\n",
                  small, most);
    assert_true(most <= 3);
}

/* ---- what goes wrong ---- */

enum { SECTORS = 512, CALL = 16 };

static void read_all(struct stage *stage, uint32_t seed_of_half)
{
    static uint8_t data[CALL * 512];
    uint8_t block[512];
    for (uint32_t lba = 0; lba < SECTORS; lba += CALL) {
        if (sdsim_driver_read(&stage->driver, &stage->now, lba, CALL, 0, data) != SDSIM_DRIVER_OK) {
            char why[200];
            sdsim_driver_explain_fault(&stage->driver, why, sizeof why);
            fail_msg("%s", why);
        }
        for (uint32_t b = 0; b < CALL; b++) {
            const uint32_t seed = lba + b < SECTORS / 2 ? seed_of_half : 7;
            sdsim_generate(seed, ((uint64_t)lba + b) * 512, block, sizeof block);
            assert_memory_equal(data + (size_t)b * 512, block, sizeof block);
        }
    }
}

/* Every `period` bytes a bit on MISO is wrong: all that is read and written arrives all the same. */
static void test_bit_errors(void **state)
{
    (void)state;
    static const uint64_t periods[] = {99991, 29989, 9973};
    for (size_t i = 0; i < sizeof periods / sizeof *periods; i++) {
        struct sdsim_card_world *world = sdsim_card_world_of_text(small_card, 0);
        fill(world, SECTORS);
        struct stage *stage = raise_stage(world, SDSIM_DRIVER_GENERIC_SPI);
        world->slave.errors =
            (struct sdsim_bit_errors){.skip = 3, .period = periods[i], .left = UINT64_MAX};
        initialise(stage);
        for (uint32_t lba = 0; lba < SECTORS / 2; lba += CALL) {
            const struct sdsim_content content = {
                .kind = SDSIM_CONTENT_GENERATED, .seed = 31, .offset = (uint64_t)lba * 512};
            assert_int_equal(
                sdsim_driver_write(&stage->driver, &stage->now, lba, CALL, 0, &content),
                SDSIM_DRIVER_OK);
        }
        read_all(stage, 31);
        print_message("a bit in %" PRIu64 " bytes: %" PRIu64 " errors, %" PRIu64 " retries\n",
                      periods[i], world->slave.errors.made, sdsim_mpsse_retries(&stage->port));
        assert_true(world->slave.errors.made > 3);
        assert_true(sdsim_mpsse_retries(&stage->port) > 0);
        strike_stage(stage);
    }
}

/* A transfer is lost in the middle of each kind of call. */
static void test_broken_transfers(void **state)
{
    (void)state;
    static const enum sdsim_link_fault faults[] = {SDSIM_LINK_TIMEOUT, SDSIM_LINK_STALLED,
                                                   SDSIM_LINK_BROKEN, SDSIM_LINK_OUT_OF_STEP};
    struct sdsim_card_world *world = sdsim_card_world_of_text(small_card, 0);
    fill(world, SECTORS);
    struct stage *stage = raise_stage(world, SDSIM_DRIVER_GENERIC_SPI);
    initialise(stage);
    uint64_t broken = 0;
    for (uint32_t lba = 0; lba < SECTORS / 2; lba += CALL) {
        const struct sdsim_content content = {
            .kind = SDSIM_CONTENT_GENERATED, .seed = 5, .offset = (uint64_t)lba * 512};
        sdsim_engine_link_break(world->link, faults[broken % 4]);
        assert_int_equal(sdsim_driver_write(&stage->driver, &stage->now, lba, CALL, 0, &content),
                         SDSIM_DRIVER_OK);
        broken++;
    }
    sdsim_engine_link_break(world->link, SDSIM_LINK_STALLED);
    read_all(stage, 5);
    assert_int_equal(stage->port.faults.transfers, broken + 1);
    assert_int_equal(world->link->counters.recoveries, broken + 1);
    strike_stage(stage);
}

/* What does not go away ends in a fault of the driver, and an unplugged chip at once. */
static void test_lasting_faults(void **state)
{
    (void)state;
    static uint8_t data[CALL * 512];
    struct sdsim_card_world *world = sdsim_card_world_of_text(small_card, 0);
    struct stage *stage = raise_stage(world, SDSIM_DRIVER_GENERIC_SPI);
    initialise(stage);
    assert_int_equal(sdsim_slot_inject(world->slot, SDSIM_INJECT_REMOVED, 0, 1, SDSIM_ANY_COMMAND),
                     SDSIM_OK);
    assert_int_equal(sdsim_driver_read(&stage->driver, &stage->now, 0, CALL, 0, data),
                     SDSIM_DRIVER_FAILED);
    assert_int_equal(stage->driver.fault.outcome, SDSIM_OUTCOME_NO_RESPONSE);
    assert_false(stage->port.dead);
    sdsim_engine_link_break(world->link, SDSIM_LINK_UNPLUGGED);
    assert_int_equal(sdsim_driver_read(&stage->driver, &stage->now, 0, CALL, 0, data),
                     SDSIM_DRIVER_FAILED);
    assert_true(stage->port.dead);
    strike_stage(stage);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_as_wire),   cmocka_unit_test(test_round_trips),
        cmocka_unit_test(test_bit_errors),     cmocka_unit_test(test_broken_transfers),
        cmocka_unit_test(test_lasting_faults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
