/*
 * The SD half of the fast port against the wire port, which gives every clock to the bit-exact card.
 * Random cards, clocks, engines and transactions, and random calls of SD-mode drivers with all their
 * options; after each the time, the account, the counters and the card must be equal to the
 * picosecond.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdlib.h>

#include "port_worlds.h"

/* ---- made-up lives ---- */

struct script {
    struct sdsim_test_sequence base;
    struct sdsim_sd_engine engine;
    uint32_t rca;
    bool identified; /* CMD13 is answered */
};

static sdsim_ps some_time(struct script *s)
{
    struct sdsim_rng *rng = &s->base.rng;
    switch (sdsim_rng_below(rng, 5)) {
    case 0:
    case 1:
        return 0;
    case 2:
        return sdsim_rng_below(rng, 3);
    case 3:
        return sdsim_rng_below(rng, 5 * SDSIM_US);
    default:
        return sdsim_rng_below(rng, 120 * SDSIM_US);
    }
}

/* Times beside a block: often within a picosecond of what the block takes. */
static sdsim_ps some_block_time(struct script *s)
{
    struct sdsim_rng *rng = &s->base.rng;
    const struct sdsim_port *port = s->base.worlds[SDSIM_TEST_FAST].port;
    if (!sdsim_test_one_in(rng, 3)) {
        return some_time(s);
    }
    const uint64_t clocks = s->base.mode == SDSIM_BUS_SD4 ? 1024 : 4096;
    return sdsim_clock_peek(&port->clock, clocks + SDSIM_TEST_PICK(rng, 0, 0, 18, 20, 27, 1000)) +
           sdsim_rng_below(rng, 3) - 1;
}

static void change_engine(struct script *s)
{
    struct sdsim_rng *rng = &s->base.rng;
    s->engine = (struct sdsim_sd_engine){
        .command_before = some_time(s),
        .command_after = some_time(s),
        .data_after = some_time(s),
        .status_before = some_time(s),
        .status_after = some_time(s),
        .block_gap = some_time(s),
        .block_start = some_time(s),
        .fifo = some_block_time(s),
        .read_cpu = some_block_time(s),
        .write_cpu = some_block_time(s),
        .stop_clocks = (uint32_t)SDSIM_TEST_PICK(rng, 0, 0, 8, 18),
        .copy = some_time(s),
        .clock_stops = sdsim_test_one_in(rng, 3),
    };
}

/* Half of the cards are made of what the closed form is for: long runs of alike blocks, whose waits
 * lie within a picosecond of whole clocks, and page groups that are just not ready in time. */
static void smooth_card(struct script *s, const struct sdsim_clock *clock)
{
    struct sdsim_rng *rng = &s->base.rng;
    struct sdsim_flash_params *flash = &s->base.params.flash;
    if (sdsim_test_one_in(rng, 2)) {
        return;
    }
    flash->rdn =
        sdsim_clock_peek(clock, 3 + sdsim_rng_below(rng, 60)) + sdsim_rng_below(rng, 3) - 1;
    flash->wn = sdsim_clock_peek(clock, 7 + sdsim_rng_below(rng, 60)) + sdsim_rng_below(rng, 3) - 1;
    flash->pause_every = sdsim_test_one_in(rng, 2) ? 0 : SDSIM_SECTOR * 211;
    flash->rare_every = 0;
    flash->page_bytes = SDSIM_SECTOR * SDSIM_TEST_PICK(rng, 8, 31, 64, 4096);
    const uint64_t group =
        flash->page_bytes / SDSIM_SECTOR * (s->base.mode == SDSIM_BUS_SD4 ? 1050 : 4120);
    const sdsim_ps fetch = sdsim_clock_peek(clock, group / 2 + sdsim_rng_below(rng, group * 3 / 2));
    flash->rdpg = sdsim_test_one_in(rng, 2) ? 0 : fetch;
    flash->wpg = sdsim_test_one_in(rng, 2) ? 0 : fetch;
}

static uint32_t some_count(struct script *s)
{
    struct sdsim_rng *rng = &s->base.rng;
    return sdsim_test_one_in(rng, 3) ? 20 + (uint32_t)sdsim_rng_below(rng, 480)
                                     : sdsim_test_some_count(&s->base);
}

static struct sdsim_wait some_wait(struct script *s)
{
    struct sdsim_rng *rng = &s->base.rng;
    return (struct sdsim_wait){
        .test = !s->identified || sdsim_test_one_in(rng, 3) ? SDSIM_READY_DAT0 : SDSIM_READY_STATUS,
        .limit = SDSIM_TEST_PICK(rng, 0, 1, 200 * SDSIM_US, 3 * SDSIM_MS, SDSIM_S),
        .sleep = SDSIM_TEST_PICK(rng, 0, 0, 1, 48 * SDSIM_US, 100 * SDSIM_US, SDSIM_MS),
        .sleep_after = SDSIM_TEST_PICK(rng, 0, 0, 70 * SDSIM_US, SDSIM_MS),
        .sleep_most = SDSIM_TEST_PICK(rng, 0, 0, 400 * SDSIM_US),
        .tick = SDSIM_TEST_PICK(rng, 0, 0, SDSIM_MS, 10 * SDSIM_MS),
        .soft = sdsim_test_one_in(rng, 2),
    };
}

static const struct sdsim_test_world *first(const struct script *s)
{
    return &s->base.worlds[SDSIM_TEST_FAST];
}

static void run(struct script *s, const char *action, const struct sdsim_transaction *tx)
{
    s->base.action = action;
    s->base.step++;
    for (int i = 0; i < SDSIM_TEST_WORLDS; i++) {
        struct sdsim_test_world *world = &s->base.worlds[i];
        struct sdsim_transaction own = *tx;
        own.out = tx->direction == SDSIM_READ_BLOCKS && tx->out != NULL ? world->out : NULL;
        sdsim_execute(world->port, &world->now, &own, &world->result);
        sdsim_test_same(&s->base, i, "the block left behind",
                        s->base.worlds[SDSIM_TEST_FAST].port->behind_until,
                        world->port->behind_until);
    }
    sdsim_test_compare(&s->base);
    if (tx->direction == SDSIM_READ_BLOCKS && tx->out != NULL) {
        sdsim_test_compare_data(&s->base, first(s)->result.blocks_done, tx->block_bytes);
    }
}

static const struct sdsim_wait until_ready = {.test = SDSIM_READY_DAT0};

static void command(struct script *s, uint8_t index, uint32_t argument,
                    enum sdsim_response response)
{
    const struct sdsim_wait wait = some_wait(s);
    const struct sdsim_transaction tx = {
        .flags = SDSIM_COMMAND,
        .command = index,
        .argument = argument,
        .response = response,
        /* CMD13 behind CMD55 is another command. */
        .finish = index != 55 && sdsim_test_one_in(&s->base.rng, 4) ? &wait : NULL,
    };
    run(s, "command", &tx);
}

static void idle(struct script *s, sdsim_ps d)
{
    for (int i = 0; i < SDSIM_TEST_WORLDS; i++) {
        sdsim_spend(&s->base.worlds[i].meter, &s->base.worlds[i].now, SDSIM_IDLE, SDSIM_LANE_TASK,
                    d);
    }
}

/* False: a card that does not get ready. */
static bool initialise(struct script *s)
{
    if (sdsim_test_one_in(&s->base.rng, 4)) { /* perhaps too early */
        command(s, 0, 0, SDSIM_RESPONSE_NONE);
        command(s, 8, 0x1AA, SDSIM_RESPONSE_R3);
    }
    idle(s, s->base.params.power_up_time);
    command(s, 0, 0, SDSIM_RESPONSE_NONE);
    command(s, 8, 0x1AA, SDSIM_RESPONSE_R3);
    for (int i = 0; i < 100 && first(s)->card.state == SDSIM_CARD_IDLE; i++) {
        command(s, 55, 0, SDSIM_RESPONSE_R1);
        const bool asks = i == 0 && sdsim_test_one_in(&s->base.rng, 3);
        command(s, 41, asks ? 0 : SDSIM_OCR_VOLTAGES | SDSIM_OCR_CCS, SDSIM_RESPONSE_R3);
        idle(s, (sdsim_ps)i * SDSIM_US);
    }
    if (first(s)->card.state != SDSIM_CARD_READY) {
        return false;
    }
    command(s, 2, 0, SDSIM_RESPONSE_R2);
    command(s, 3, 0, SDSIM_RESPONSE_R3);
    s->rca = (uint32_t)first(s)->card.rca << 16;
    command(s, 9, s->rca, SDSIM_RESPONSE_R2);
    command(s, 7, s->rca, SDSIM_RESPONSE_R1);
    command(s, 55, s->rca, SDSIM_RESPONSE_R1);
    command(s, 6, s->base.mode == SDSIM_BUS_SD4 ? 2 : 0, SDSIM_RESPONSE_R1);
    s->identified = true;
    return true;
}

static uint32_t address(const struct script *s, uint32_t lba)
{
    return s->base.params.type == SDSIM_SDSC ? lba * SDSIM_SECTOR : lba;
}

static void wait_ready(struct script *s)
{
    const struct sdsim_transaction tx = {.ready = &until_ready};
    run(s, "wait until ready", &tx);
}

/* Blocks of a new transfer, or of the open one. */
static void blocks(struct script *s, bool writes, bool goes_on)
{
    struct sdsim_rng *rng = &s->base.rng;
    const struct sdsim_wait ready = some_wait(s);
    struct sdsim_wait finish = some_wait(s);
    const struct sdsim_content content = sdsim_test_some_content(&s->base);
    const bool single = !goes_on && sdsim_test_one_in(rng, 3);
    const uint32_t count = single ? 1 : some_count(s);
    uint8_t wanted;
    if (!goes_on && !single && sdsim_test_one_in(rng, 3)) {
        command(s, 23, sdsim_test_one_in(rng, 4) ? count + 1 : count, SDSIM_RESPONSE_R1);
    }
    struct sdsim_transaction tx = {
        .flags = goes_on ? 0 : SDSIM_COMMAND,
        .command = (uint8_t)((writes ? 24 : 17) + (single ? 0 : 1)),
        .argument = address(s, sdsim_test_some_lba(&s->base)),
        .response = SDSIM_RESPONSE_R1,
        .direction = writes ? SDSIM_WRITE_BLOCKS : SDSIM_READ_BLOCKS,
        .blocks = count,
        .block_bytes = SDSIM_SECTOR,
        .content = writes ? &content : NULL,
        .out = sdsim_test_one_in(rng, 3) ? NULL : &wanted,
        .ready = goes_on                     ? (writes ? &until_ready : NULL)
                 : sdsim_test_one_in(rng, 2) ? &ready
                                             : NULL,
        .finish = sdsim_test_one_in(rng, 2) ? &finish : NULL,
    };
    /* A read that stays open goes on with the next clock: no CMD13 in between. */
    if (!writes && !single) {
        finish.test = SDSIM_READY_DAT0;
    }
    if (writes && sdsim_test_one_in(rng, 2)) {
        tx.flags |= sdsim_test_one_in(rng, 2) ? SDSIM_WRITE_BEHIND : SDSIM_LEAVE_BUSY;
    }
    if (!single && (tx.flags & SDSIM_WRITE_BEHIND) == 0 && sdsim_test_one_in(rng, 3)) {
        tx.flags |= SDSIM_AUTO_STOP;
    }
    run(s, writes ? "write" : "read", &tx);
}

static void read_register(struct script *s)
{
    static const struct {
        uint8_t index;
        bool app;
        uint16_t bytes;
    } registers[] = {{51, true, 8}, {13, true, 64}, {6, false, 64}};
    const size_t i = sdsim_rng_below(&s->base.rng, sizeof registers / sizeof *registers);
    if (registers[i].app) {
        command(s, 55, s->rca, SDSIM_RESPONSE_R1);
    }
    uint8_t wanted;
    const struct sdsim_transaction tx = {
        .flags = SDSIM_COMMAND,
        .command = registers[i].index,
        .argument = 0x00FFFFF1,
        .response = SDSIM_RESPONSE_R1,
        .direction = SDSIM_READ_BLOCKS,
        .blocks = 1,
        .block_bytes = registers[i].bytes,
        .out = &wanted,
    };
    run(s, "a register", &tx);
}

static void misc(struct script *s)
{
    struct sdsim_rng *rng = &s->base.rng;
    const struct sdsim_wait ready = some_wait(s);
    const struct sdsim_wait finish = some_wait(s);
    const struct sdsim_transaction waits = {.ready = &ready, .finish = &finish};
    switch (sdsim_rng_below(rng, 7)) {
    case 0:
        command(s, (uint8_t)SDSIM_TEST_PICK(rng, 5, 12, 13, 16, 58, 3), s->rca, SDSIM_RESPONSE_R1);
        break;
    case 1:
        run(s, "waits", &waits);
        break;
    case 2:
        command(s, 32, address(s, 3), SDSIM_RESPONSE_R1);
        command(s, 33, address(s, 9), SDSIM_RESPONSE_R1);
        command(s, 38, 0, SDSIM_RESPONSE_R1);
        break;
    case 3:
        sdsim_test_set_clocks(&s->base, sdsim_test_some_frequency(&s->base));
        break;
    case 4:
        change_engine(s);
        break;
    default: {
        const sdsim_ps d = sdsim_rng_below(rng, sdsim_test_one_in(rng, 2) ? SDSIM_MS : 30000000);
        idle(s, d);
        break;
    }
    }
}

static void act(struct script *s)
{
    const enum sdsim_card_state state = first(s)->card.state;
    struct sdsim_rng *rng = &s->base.rng;
    if (state == SDSIM_CARD_DATA || state == SDSIM_CARD_RECEIVE) {
        const bool writes = state == SDSIM_CARD_RECEIVE;
        if (sdsim_test_one_in(rng, 2)) {
            blocks(s, writes, true);
        } else if (writes && sdsim_test_one_in(rng, 4)) {
            misc(s);
        } else {
            command(s, 12, 0, SDSIM_RESPONSE_R1);
        }
        return;
    }
    switch (sdsim_rng_below(rng, 8)) {
    case 0:
        misc(s);
        break;
    case 1:
        wait_ready(s);
        read_register(s);
        break;
    case 2:
    case 3:
    case 4:
        blocks(s, false, false);
        break;
    default:
        blocks(s, true, false);
        break;
    }
}

static void run_script(uint64_t seed, uint64_t number, const void *context)
{
    const enum sdsim_bus_mode *mode = context;
    struct script *s = calloc(1, sizeof *s);
    assert_non_null(s);
    sdsim_test_begin(&s->base, seed, number, 77 + (uint64_t)*mode, *mode);
    const size_t frequency = sdsim_test_some_frequency(&s->base);
    const struct sdsim_clock clock = sdsim_test_clock(frequency);
    sdsim_test_some_card(&s->base, &clock);
    smooth_card(s, &clock);
    sdsim_test_create_worlds(&s->base, (uint32_t)sdsim_rng_below(&s->base.rng, 3));
    sdsim_test_set_clocks(&s->base, frequency);
    change_engine(s);
    for (int i = 0; i < SDSIM_TEST_WORLDS; i++) {
        s->base.worlds[i].port->sd = &s->engine;
    }
    const bool ready = initialise(s);
    assert_true(ready || s->base.params.inquiry_gap > 0);
    const unsigned steps = ready ? 4 + (unsigned)sdsim_rng_below(&s->base.rng, 12) : 0;
    for (unsigned i = 0; i < steps; i++) {
        act(s);
    }
    sdsim_test_destroy_worlds(&s->base);
    free(s);
}

static void one_line(void **state)
{
    (void)state;
    const enum sdsim_bus_mode mode = SDSIM_BUS_SD1;
    sdsim_test_each_sequence(30, run_script, &mode);
}

static void four_lines(void **state)
{
    (void)state;
    const enum sdsim_bus_mode mode = SDSIM_BUS_SD4;
    sdsim_test_each_sequence(8, run_script, &mode);
}

/* ---- drivers ---- */

static sdsim_ps some_cost(struct sdsim_rng *rng)
{
    return SDSIM_TEST_PICK(rng, 0, 0, 1, 700 * SDSIM_NS, 8 * SDSIM_US, 28 * SDSIM_US);
}

static struct sdsim_driver_costs some_costs(struct sdsim_rng *rng)
{
    return (struct sdsim_driver_costs){
        .call = some_cost(rng),
        .bulk = some_cost(rng),
        .chunk = SDSIM_TEST_PICK(rng, 0, 16, 32, 64),
        .chunk_gap = some_cost(rng) / 10,
        .crc16 = some_cost(rng),
        .copy = some_cost(rng),
        .command = some_cost(rng),
        .wake = some_cost(rng),
    };
}

static struct sdsim_driver_params some_params(struct sdsim_rng *rng, int code)
{
    return (struct sdsim_driver_params){
        .code = code,
        .status_after_read = sdsim_rng_below(rng, 2),
        .status_after_write = sdsim_rng_below(rng, 2),
        .status_on_call = sdsim_test_one_in(rng, 2),
        .tick = SDSIM_TEST_PICK(rng, SDSIM_MS, 10 * SDSIM_MS),
        .bounce_blocks = SDSIM_TEST_PICK(rng, 0, 1, 16),
        .most_blocks = SDSIM_TEST_PICK(rng, 0, 1, 7, 240),
        .dma = sdsim_test_one_in(rng, 2),
        .block_count = sdsim_test_one_in(rng, 2),
        .ready_wait =
            (int)SDSIM_TEST_PICK(rng, SDSIM_WAIT_SPINS, SDSIM_WAIT_SLEEPS, SDSIM_WAIT_DAT0),
    };
}

static void call_driver(struct sdsim_test_world *world, unsigned operation, uint32_t lba,
                        uint32_t count, const struct sdsim_content *content)
{
    struct sdsim_driver *driver = &world->driver;
    switch (operation) {
    case 0:
        world->error = sdsim_driver_sync(driver, &world->now);
        break;
    case 1:
        world->error = sdsim_driver_status(driver, &world->now);
        break;
    case 2:
        sdsim_spend(&world->meter, &world->now, SDSIM_IDLE, SDSIM_LANE_TASK, lba * SDSIM_NS);
        break;
    case 3:
    case 4:
    case 5:
        world->error = sdsim_driver_read(driver, &world->now, lba, count, SDSIM_FOR_DATA,
                                         count % 3 != 0 ? world->out : NULL);
        break;
    default:
        world->error = sdsim_driver_write(driver, &world->now, lba, count, SDSIM_FOR_FAT, content);
        break;
    }
}

static void drive(struct script *s)
{
    struct sdsim_rng *rng = &s->base.rng;
    uint32_t next = 0;
    for (uint64_t i = 2 + sdsim_rng_below(rng, 16); i > 0; i--) {
        const unsigned operation = (unsigned)sdsim_rng_below(rng, 9);
        const uint32_t count = some_count(s);
        const uint32_t lba = sdsim_test_one_in(rng, 2) ? next : sdsim_test_some_lba(&s->base);
        const struct sdsim_content content = sdsim_test_some_content(&s->base);
        s->base.action = operation < 3 ? "sync, status or idle" : operation < 6 ? "read" : "write";
        s->base.step++;
        for (int w = 0; w < SDSIM_TEST_WORLDS; w++) {
            call_driver(&s->base.worlds[w], operation, lba, count, &content);
        }
        sdsim_test_compare(&s->base);
        if (operation >= 3 && operation <= 5 && count % 3 != 0 &&
            first(s)->error == SDSIM_DRIVER_OK) {
            sdsim_test_compare_data(&s->base, count, SDSIM_SECTOR);
        }
        next = operation < 3 ? next : lba + count;
    }
}

static void run_driver(uint64_t seed, uint64_t number, const void *context)
{
    const int *code = context;
    const enum sdsim_bus_mode mode = number % 4 == 0 ? SDSIM_BUS_SD1 : SDSIM_BUS_SD4;
    struct script *s = calloc(1, sizeof *s);
    assert_non_null(s);
    sdsim_test_begin(&s->base, seed, number, 1000 + (uint64_t)*code, mode);
    const struct sdsim_clock clock = sdsim_test_clock(sdsim_test_some_frequency(&s->base));
    sdsim_test_some_card(&s->base, &clock);
    smooth_card(s, &clock);
    const struct sdsim_driver_clocks clocks = {
        .asked_hz = SDSIM_TEST_PICK(&s->base.rng, 20000000, 50000000),
        .init_num = 400000,
        .init_den = 1,
        .num = clock.hz_num,
        .den = clock.hz_den,
    };
    const struct sdsim_driver_params params = some_params(&s->base.rng, *code);
    const struct sdsim_driver_costs costs = some_costs(&s->base.rng);
    const bool usable = sdsim_test_one_in(&s->base.rng, 2);
    sdsim_test_create_worlds(&s->base, (uint32_t)sdsim_rng_below(&s->base.rng, 3));
    s->base.action = "init";
    for (int i = 0; i < SDSIM_TEST_WORLDS; i++) {
        struct sdsim_test_world *world = &s->base.worlds[i];
        sdsim_driver_attach(&world->driver, &params, &costs, world->port, &clocks, usable);
        world->error = sdsim_driver_init(&world->driver, &world->now);
    }
    sdsim_test_compare(&s->base);
    if (first(s)->error == SDSIM_DRIVER_OK) {
        drive(s);
    } else {
        assert_true(sdsim_test_difficult(&s->base.params));
    }
    sdsim_test_destroy_worlds(&s->base);
    free(s);
}

static void drivers(void **state)
{
    (void)state;
    unsigned tested = 0;
    for (int code = 0; code < SDSIM_DRIVER_COUNT; code++) {
        const struct sdsim_driver_class *class = sdsim_driver_class((enum sdsim_driver_code)code);
        if (class->sd) {
            print_message("%s: ", class->name);
            sdsim_test_each_sequence(75, run_driver, &code);
            tested++;
        }
    }
    assert_true(tested >= 16);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_line),
        cmocka_unit_test(four_lines),
        cmocka_unit_test(drivers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
