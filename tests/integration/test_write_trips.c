/*
 * How often the host waits for an answer while it writes: a round trip over USB is some 300 us, more than
 * a block takes on the bus, so each one counts. Single sectors, calls of 8 and of 256 sectors, by a plain
 * driver on a card that is busy as cards are; what is written arrives.
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

enum { SECTORS = 2048 }; /* 1 MiB */

static const char card[] =
    "kind: card\ntype: sdhc\ncapacity: 64MiB\npage: 16KiB\ninit_time: 20ms\n"
    "rd1: 300us\nrdn: 2us\nrdpg: 400us\nw1: 900us\nwn: 2us\nwpg: 300us\nwstop: 700us\n";

static const struct sdsim_driver_clocks clocks = {
    .asked_hz = 15000000, .init_num = 400000, .init_den = 1, .num = 15000000, .den = 1};

struct stage {
    struct sdsim_card_world *world;
    struct sdsim_mpsse_port port;
    struct sdsim_meter meter;
    struct sdsim_driver driver;
    struct sdsim_driver_params params;
    struct sdsim_driver_costs costs;
    sdsim_ps now;
};

/* As validate does: without it a block doesn't go along with its command. */
static void switch_crc_on(struct stage *stage)
{
    const struct sdsim_wait ready = {.test = SDSIM_READY_ALL_ONES, .limit = SDSIM_S};
    const struct sdsim_transaction tx = {.flags = SDSIM_COMMAND | SDSIM_SELECT | SDSIM_DESELECT,
                                         .lead_bytes = 1,
                                         .trail_bytes = 1,
                                         .command = 59,
                                         .argument = 1,
                                         .response = SDSIM_RESPONSE_R1,
                                         .ready = &ready};
    struct sdsim_result result;
    sdsim_execute(&stage->port.wire.port, &stage->now, &tx, &result);
    assert_int_equal(result.outcome, SDSIM_OUTCOME_OK);
}

static struct stage *raise_stage(void)
{
    struct sdsim_mpsse_clock slow;
    struct stage *stage = calloc(1, sizeof *stage);
    assert_non_null(stage);
    assert_true(sdsim_mpsse_clock_below(400000, &slow));
    stage->world = sdsim_card_world_of_text(card, 0);
    stage->params =
        (struct sdsim_driver_params){.code = SDSIM_DRIVER_GENERIC_SPI, .tick = SDSIM_MS};
    sdsim_mpsse_port_init(&stage->port, stage->world->link, &slow, &stage->meter);
    sdsim_driver_attach(&stage->driver, &stage->params, &stage->costs, &stage->port.wire.port,
                        &clocks, true);
    assert_int_equal(sdsim_driver_init(&stage->driver, &stage->now), SDSIM_DRIVER_OK);
    switch_crc_on(stage);
    return stage;
}

static void strike_stage(struct stage *stage)
{
    sdsim_mpsse_port_free(&stage->port);
    sdsim_card_world_free(stage->world);
    free(stage);
}

static void check_sectors(const struct stage *stage, uint64_t seed)
{
    uint8_t found[512];
    uint8_t written[512];
    for (uint32_t lba = 0; lba < SECTORS; lba++) {
        assert_int_equal(sdsim_slot_read_sectors(stage->world->slot, lba, 1, found), SDSIM_OK);
        sdsim_generate(seed, (uint64_t)lba * 512, written, sizeof written);
        assert_memory_equal(found, written, sizeof found);
    }
}

/* Round trips of 1 MiB in calls of so many sectors. */
static uint64_t trips_of(uint32_t call)
{
    struct stage *stage = raise_stage();
    const struct sdsim_link_counters *counters = &stage->world->link->counters;
    const uint64_t before = counters->round_trips;
    for (uint32_t lba = 0; lba < SECTORS; lba += call) {
        const struct sdsim_content content = {
            .kind = SDSIM_CONTENT_GENERATED, .seed = 77, .offset = (uint64_t)lba * 512};
        assert_int_equal(sdsim_driver_write(&stage->driver, &stage->now, lba, call, 0, &content),
                         SDSIM_DRIVER_OK);
    }
    const uint64_t trips = counters->round_trips - before;
    check_sectors(stage, 77);
    assert_int_equal(sdsim_mpsse_retries(&stage->port), 0);
    print_message("1 MiB in calls of %" PRIu32 " sectors: %" PRIu64 " round trips\n", call, trips);
    strike_stage(stage);
    return trips;
}

/* A block that is alone needs one, unless its bytes keep it from going along with its command; in a stream
 * each needs one, and its end and the beginning of the next one another. */
static void test_trips(void **state)
{
    (void)state;
    static const struct {
        uint32_t call;
        uint64_t most;
    } rows[] = {{1, SECTORS * 6 / 5}, {8, SECTORS * 7 / 5}, {256, SECTORS * 51 / 50}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const uint64_t trips = trips_of(rows[i].call);
        if (trips > rows[i].most) {
            fail_msg("calls of %" PRIu32 " sectors: %" PRIu64 " round trips, more than %" PRIu64,
                     rows[i].call, trips, rows[i].most);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_trips),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
