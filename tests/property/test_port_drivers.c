/*
 * Every driver on every port: the same random calls finish at the same picosecond, with the same
 * faults, account and counters, and leave the same medium. Over SPI once more with cards that pause beyond
 * the driver's patience and show busy late, and data that a card may take for commands.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdbool.h>
#include <stdlib.h>

#include "bus/frame.h"
#include "port_worlds.h"

static sdsim_ps some_cost(struct sdsim_test_sequence *s)
{
    return SDSIM_TEST_PICK(&s->rng, 0, 0, 1, 700 * SDSIM_NS, 8 * SDSIM_US, 28 * SDSIM_US);
}

/* Costs that are as made up as the cards. */
static struct sdsim_driver_costs some_costs(struct sdsim_test_sequence *s)
{
    return (struct sdsim_driver_costs){
        .call = some_cost(s),
        .transfer = some_cost(s),
        .bulk = some_cost(s),
        .chunk = SDSIM_TEST_PICK(&s->rng, 0, 64),
        .chunk_gap = some_cost(s),
        .crc16 = some_cost(s),
        .copy = some_cost(s),
        .command = some_cost(s),
        .wake = some_cost(s),
    };
}

static void driver_operation(struct sdsim_test_world *world, unsigned operation, uint32_t lba,
                             uint32_t count, const struct sdsim_content *content)
{
    switch (operation) {
    case 0:
        world->error = sdsim_driver_sync(&world->driver, &world->now);
        break;
    case 1:
        world->error = sdsim_driver_status(&world->driver, &world->now);
        break;
    case 2:
    case 3:
    case 4:
        world->error = sdsim_driver_read(&world->driver, &world->now, lba, count, SDSIM_FOR_FAT,
                                         count % 3 != 0 ? world->out : NULL);
        break;
    case 5:
        world->error = SDSIM_DRIVER_OK;
        sdsim_spend(&world->meter, &world->now, SDSIM_IDLE, SDSIM_LANE_TASK, lba * SDSIM_US);
        break;
    default:
        world->error =
            sdsim_driver_write(&world->driver, &world->now, lba, count, SDSIM_FOR_DATA, content);
        break;
    }
}

/* Fills the bytes that are written with what a card may take for something else than data: tokens, and
 * commands with a right check sum. */
static void fill_with_commands(struct sdsim_test_sequence *s)
{
    static const uint8_t tokens[] = {0xFC, 0xFC, 0xFD, 0xFE, 0xFF, 0x00};
    static const uint8_t commands[] = {0, 9, 12, 13, 17, 18, 24, 25, 32, 33, 38, 55, 59};
    const size_t size = (size_t)SDSIM_TEST_MOST_BLOCKS * SDSIM_SECTOR;
    for (size_t at = 0; at < size;) {
        uint8_t *const to = s->content + at;
        if (size - at < SDSIM_FRAME_SIZE || !sdsim_test_one_in(&s->rng, 20)) {
            *to = tokens[sdsim_rng_below(&s->rng, sizeof tokens)];
            at++;
            continue;
        }
        const struct sdsim_frame frame = {
            .index = commands[sdsim_rng_below(&s->rng, sizeof commands)],
            .argument = (uint32_t)sdsim_rng_below(&s->rng, 64) * SDSIM_SECTOR};
        sdsim_frame_command(&frame, to);
        at += SDSIM_FRAME_SIZE;
    }
}

/* Reads, writes and what lies between them, some of it where the last call ended. */
static void drive(struct sdsim_test_sequence *s, unsigned operations, bool commands)
{
    static const char *const names[] = {"sync", "status", "read",  "read",  "read",
                                        "idle", "write",  "write", "write", "write"};
    struct sdsim_rng *rng = &s->rng;
    uint32_t next = 0;
    for (unsigned i = 0; i < operations; i++) {
        const unsigned operation = (unsigned)sdsim_rng_below(rng, sizeof names / sizeof *names);
        const uint32_t count = sdsim_test_some_count(s);
        const uint32_t lba = sdsim_test_one_in(rng, 3) ? next : sdsim_test_some_lba(s);
        const struct sdsim_content content =
            commands ? (struct sdsim_content){.kind = SDSIM_CONTENT_BYTES, .bytes = s->content}
                     : sdsim_test_some_content(s);
        s->action = names[operation];
        s->step++;
        for (int w = 0; w < SDSIM_TEST_WORLDS; w++) {
            driver_operation(&s->worlds[w], operation, lba, count, &content);
        }
        sdsim_test_compare(s);
        for (int w = 0; w < SDSIM_TEST_WORLDS; w++) {
            sdsim_test_same(s, w, "fault", s->worlds[SDSIM_TEST_REFERENCE].driver.fault.outcome,
                            s->worlds[w].driver.fault.outcome);
            sdsim_test_same(s, w, "time of the fault",
                            s->worlds[SDSIM_TEST_REFERENCE].driver.fault.at,
                            s->worlds[w].driver.fault.at);
        }
        if (operation >= 2 && operation <= 4 && count % 3 != 0 &&
            s->worlds[SDSIM_TEST_REFERENCE].error == SDSIM_DRIVER_OK) {
            sdsim_test_compare_data(s, count, SDSIM_SECTOR);
        }
        next = lba + count;
    }
}

/* Which driver, on which bus. */
struct bench {
    enum sdsim_driver_code code;
    enum sdsim_bus_mode mode;
    bool impatient; /* the card pauses longer than the driver waits, and data look like commands */
};

/* Pauses beyond anybody's patience, and a busy that some take for ready: the driver goes on to a card
 * that did not hear its command. */
static void some_pauses(struct sdsim_test_sequence *s)
{
    struct sdsim_rng *rng = &s->rng;
    s->params.reselect_clocks = sdsim_test_one_in(rng, 4) ? 0 : 1;
    s->params.flash.pause_every = SDSIM_SECTOR * (1 + sdsim_rng_below(rng, 12));
    s->params.flash.pause_length = 100 * SDSIM_MS + sdsim_rng_below(rng, 900 * SDSIM_MS);
    s->params.flash.busy_limit = 0;
}

static void run_driver(uint64_t seed, uint64_t number, const void *context)
{
    const struct bench *bench = context;
    struct sdsim_test_sequence *s = calloc(1, sizeof *s);
    assert_non_null(s);
    sdsim_test_begin(s, seed, number, (uint64_t)bench->code, bench->mode);
    struct sdsim_rng *rng = &s->rng;
    /* A slow clock where nearly all of the time is waits. */
    const struct sdsim_clock clock = sdsim_test_clock(
        bench->impatient ? SDSIM_TEST_SLOW_FREQUENCY : sdsim_test_some_frequency(s));
    const struct sdsim_driver_clocks clocks = {
        .init_num = 400000, .init_den = 1, .num = clock.hz_num, .den = clock.hz_den};
    sdsim_test_some_card(s, &clock);
    if (bench->impatient) {
        some_pauses(s);
    } else if (sdsim_test_one_in(rng, 10)) { /* longer than a driver has patience */
        s->params.flash.pause_length = sdsim_rng_below(rng, 700 * SDSIM_MS);
        s->params.flash.busy_limit = 0;
    }
    if (bench->code == SDSIM_DRIVER_NUTTX_SPI && s->params.n_ac == 0) {
        s->params.n_ac = 1; /* it looks for 0xFF in the middle of a read, where data may begin */
    }
    const struct sdsim_driver_params params = {
        .code = (int)bench->code,
        .status_after_read = sdsim_rng_below(rng, 2),
        .status_after_write = sdsim_rng_below(rng, 3),
        .status_on_call = sdsim_test_one_in(rng, 2),
        .bounce_blocks = SDSIM_TEST_PICK(rng, 0, 1, 16),
        .tick = SDSIM_TEST_PICK(rng, SDSIM_MS, 10 * SDSIM_MS),
        .most_blocks = SDSIM_TEST_PICK(rng, 0, 0, 1, 7),
        .single_commands = sdsim_test_one_in(rng, 2),
        .poll_sleep = SDSIM_TEST_PICK(rng, 0, 0, 100 * SDSIM_US, SDSIM_MS),
    };
    const struct sdsim_driver_costs costs = some_costs(s);
    const bool usable_buffers = sdsim_test_one_in(rng, 2);
    sdsim_test_create_worlds(s, (uint32_t)sdsim_rng_below(rng, 3));
    s->action = "init";
    for (int i = 0; i < SDSIM_TEST_WORLDS; i++) {
        struct sdsim_test_world *world = &s->worlds[i];
        sdsim_driver_attach(&world->driver, &params, &costs, world->port, &clocks, usable_buffers);
        world->error = sdsim_driver_init(&world->driver, &world->now);
    }
    sdsim_test_compare(s);
    /* Not every driver gets along with every card. */
    if (s->worlds[SDSIM_TEST_REFERENCE].error == SDSIM_DRIVER_OK) {
        assert_int_equal(s->worlds[SDSIM_TEST_REFERENCE].driver.sectors,
                         s->worlds[SDSIM_TEST_REFERENCE].card.sectors);
        if (bench->impatient) {
            fill_with_commands(s);
        }
        drive(s, 2 + (unsigned)sdsim_rng_below(rng, 20), bench->impatient);
    } else {
        assert_true(sdsim_test_difficult(&s->params));
    }
    sdsim_test_destroy_worlds(s);
    free(s);
}

/* Every driver that works the bus; fails if there are fewer than `least`. */
static void every_driver(enum sdsim_bus_mode mode, bool impatient, unsigned least)
{
    unsigned tested = 0;
    for (int code = 0; code < SDSIM_DRIVER_COUNT; code++) {
        const struct sdsim_driver_class *class = sdsim_driver_class((enum sdsim_driver_code)code);
        if (mode == SDSIM_BUS_SPI ? class->spi : class->sd) {
            const struct bench bench = {
                .code = (enum sdsim_driver_code)code, .mode = mode, .impatient = impatient};
            print_message("%s: ", class->name);
            /* On the SD bus the wire gives every single clock, and test_port_sd.c has its own. */
            sdsim_test_each_sequence(mode == SDSIM_BUS_SPI ? 16 : 200, run_driver, &bench);
            tested++;
        }
    }
    assert_true(tested >= least);
}

static void spi_drivers(void **state)
{
    (void)state;
    every_driver(SDSIM_BUS_SPI, false, 3);
}

static void impatient_spi_drivers(void **state)
{
    (void)state;
    every_driver(SDSIM_BUS_SPI, true, 3);
}

static void sd_1_bit_drivers(void **state)
{
    (void)state;
    every_driver(SDSIM_BUS_SD1, false, 2);
}

static void sd_4_bit_drivers(void **state)
{
    (void)state;
    every_driver(SDSIM_BUS_SD4, false, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spi_drivers),
        cmocka_unit_test(impatient_spi_drivers),
        cmocka_unit_test(sd_1_bit_drivers),
        cmocka_unit_test(sd_4_bit_drivers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
