/*
 * One card, one driver, every port: the closed-form port and the byte-exact one finish every
 * transaction at the same picosecond, with the same result, account and counters, and leave the
 * same medium. So does the closed-form port with somebody listening, for whom it steps.
 *
 * Each sequence makes up a card, a clock, an engine and a list of transactions a driver may send.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdbool.h>
#include <stdlib.h>

#include "port_worlds.h"

/* A sequence of transactions. The generator looks at the first world only to stay within what a
 * driver may do. */
struct script {
    struct sdsim_test_sequence base;
    struct sdsim_spi_engine engine;
    bool ready;      /* the card was initialised */
    bool reading;    /* a CMD18 is open */
    bool writing;    /* a CMD25 is open */
    bool can_answer; /* the engine waits long enough for a response */
    bool tight;      /* it has no dead times */
};

/* Hosts without any are where a wait ends within a picosecond of a look. */
static sdsim_ps dead_time(struct script *s)
{
    return s->tight ? 0
                    : SDSIM_TEST_PICK(&s->base.rng, 0, 0, 1, 333, 1700 * SDSIM_NS, 12 * SDSIM_US) *
                          (1 + sdsim_rng_below(&s->base.rng, 3));
}

static struct sdsim_burst some_burst(struct script *s)
{
    return (struct sdsim_burst){.before = dead_time(s), .after = dead_time(s)};
}

static struct sdsim_wait some_wait(struct script *s)
{
    struct sdsim_rng *rng = &s->base.rng;
    struct sdsim_wait wait = {
        .test = (enum sdsim_ready_test)SDSIM_TEST_PICK(
            rng, SDSIM_READY_ALL_ONES, SDSIM_READY_NONZERO, SDSIM_READY_TWO_NONZERO),
        .limit = SDSIM_TEST_PICK(rng, 0, 0, 500 * SDSIM_MS, 500 * SDSIM_US, 20 * SDSIM_US, 1),
        .soft = sdsim_test_one_in(rng, 3),
    };
    if (wait.limit == 0 && s->base.params.first_do == SDSIM_DO_LOW) {
        wait.limit = SDSIM_MS; /* before CMD0 the line may be low for ever */
    }
    if (wait.test != SDSIM_READY_TWO_NONZERO && sdsim_test_one_in(rng, 3)) {
        wait.sleep = SDSIM_TEST_PICK(rng, 1, 5 * SDSIM_US, 100 * SDSIM_US, 10 * SDSIM_MS);
        wait.sleep_after = SDSIM_TEST_PICK(rng, 0, 1, 7 * SDSIM_US, 250 * SDSIM_US, SDSIM_MS);
        wait.tick = SDSIM_TEST_PICK(rng, 0, 0, 100 * SDSIM_US, SDSIM_MS);
    }
    return wait;
}

/* Work that is hidden behind a block, on most clocks, or is not. */
static sdsim_ps overlap(struct script *s)
{
    return SDSIM_TEST_PICK(&s->base.rng, 0, 0, 66 * SDSIM_US, 206 * SDSIM_US, 9 * SDSIM_MS);
}

static void some_engine(struct script *s)
{
    struct sdsim_rng *rng = &s->base.rng;
    const uint64_t n_cr = s->base.params.n_cr;
    struct sdsim_spi_engine *engine = &s->engine;
    s->tight = sdsim_test_one_in(rng, 4);
    *engine = (struct sdsim_spi_engine){
        .chunk = (uint32_t)SDSIM_TEST_PICK(rng, 0, 0, 1, 64, 100),
        .chunk_gap = dead_time(s),
        .fill = some_burst(s),
        .poll = some_burst(s),
        .command = some_burst(s),
        .extra = some_burst(s),
        .token = some_burst(s),
        .data = some_burst(s),
        .crc = some_burst(s),
        .reply = some_burst(s),
        .stop = some_burst(s),
        .select = dead_time(s),
        .deselect = dead_time(s),
        .response_looks = (uint8_t)(10 + sdsim_rng_below(rng, 20)),
        .token_look = (uint8_t)SDSIM_TEST_PICK(rng, 1, 1, 8),
        .look_ahead = (uint8_t)SDSIM_TEST_PICK(rng, 0, 0, 2),
        .crc_with_data = sdsim_test_one_in(rng, 2),
        .reply_with_crc = sdsim_test_one_in(rng, 2),
        .stop_bytes = (uint8_t)(1 + sdsim_rng_below(rng, 2)),
        .late_sleep = dead_time(s),
        .token_sleep = SDSIM_TEST_PICK(rng, 0, 0, 1, 100 * SDSIM_US, SDSIM_MS),
        .token_limit = SDSIM_TEST_PICK(rng, 100 * SDSIM_MS, 100 * SDSIM_MS, 200 * SDSIM_US, 1),
        .block_ready = some_wait(s),
        .block_busy = some_wait(s),
        .command_cpu = dead_time(s),
        .read_cpu = dead_time(s),
        .read_overlap = overlap(s),
        .write_overlap = overlap(s),
        .write_cpu = dead_time(s),
        .write_cpu_after_data = dead_time(s),
        .copy = dead_time(s),
    };
    /* Behind the last block no stream can go on. */
    engine->crc_tail = (uint8_t)(engine->look_ahead > 0 ? sdsim_rng_below(rng, 3) : 0);
    s->can_answer = true;
    if (sdsim_test_one_in(rng, 2)) {
        engine->response_window = (uint8_t)(n_cr + 2 + sdsim_rng_below(rng, 3));
        engine->data_window = (uint8_t)(n_cr + 2 + sdsim_rng_below(rng, 9));
        if (n_cr > 0 && sdsim_test_one_in(rng, 3)) { /* the response comes late */
            engine->data_window = (uint8_t)(1 + sdsim_rng_below(rng, n_cr));
            engine->late_looks = (uint8_t)(10 + sdsim_rng_below(rng, 20));
        }
    } else if (sdsim_test_one_in(rng, 20)) {
        engine->response_looks = (uint8_t)sdsim_rng_below(rng, 9);
        s->can_answer = false;
    }
}

/* ---- transactions ---- */

static void run(struct script *s, const char *action, const struct sdsim_transaction *tx)
{
    s->base.action = action;
    s->base.step++;
    for (int i = 0; i < SDSIM_TEST_WORLDS; i++) {
        struct sdsim_test_world *world = &s->base.worlds[i];
        struct sdsim_transaction own = *tx;
        own.out = tx->direction == SDSIM_READ_BLOCKS && tx->out == NULL ? NULL : world->out;
        sdsim_execute(world->port, &world->now, &own, &world->result);
    }
    sdsim_test_compare(&s->base);
    if (tx->direction == SDSIM_READ_BLOCKS && tx->out != NULL) {
        sdsim_test_compare_data(&s->base, s->base.worlds[SDSIM_TEST_REFERENCE].result.blocks_done,
                                tx->block_bytes);
    }
}

static const struct sdsim_test_world *first(const struct script *s)
{
    return &s->base.worlds[SDSIM_TEST_FAST];
}

static bool busy(const struct script *s)
{
    return first(s)->card.busy.at > first(s)->now;
}

/* CS and filler bytes around a transaction; `ends` says that nothing is left open. */
static void surround(struct script *s, struct sdsim_transaction *tx, bool ends)
{
    struct sdsim_rng *rng = &s->base.rng;
    const bool selected = first(s)->port->selected;
    tx->flags |= SDSIM_SELECT;
    if (!s->reading || !selected) {
        tx->idle_bytes = (uint8_t)SDSIM_TEST_PICK(rng, 0, 0, 1, 2);
    }
    if (!s->reading) {
        tx->lead_bytes = (uint8_t)SDSIM_TEST_PICK(rng, 0, 0, 1, 2);
    }
    if (!s->can_answer || sdsim_test_one_in(rng, 2)) {
        tx->flags |= SDSIM_DESELECT;
    }
    if ((tx->flags & SDSIM_DESELECT) != 0 || ends) {
        tx->trail_bytes = (uint8_t)SDSIM_TEST_PICK(rng, 0, 0, 1, 2);
    }
}

/* A wait for the end of the busy that is sure to see it. */
static const struct sdsim_wait until_ready = {.test = SDSIM_READY_ALL_ONES};

static void wait_ready(struct script *s)
{
    struct sdsim_transaction tx = {.flags = SDSIM_SELECT, .lead_bytes = 1, .ready = &until_ready};
    run(s, "wait until ready", &tx);
}

/* A command without blocks; the card is not in the middle of a read stream. */
static uint8_t command(struct script *s, uint8_t index, uint32_t argument,
                       enum sdsim_response response)
{
    struct sdsim_wait ready = some_wait(s);
    struct sdsim_transaction tx = {
        .flags = SDSIM_COMMAND,
        .command = index,
        .argument = argument,
        .response = response,
    };
    surround(s, &tx, true);
    if (sdsim_test_one_in(&s->base.rng, 2)) {
        tx.ready = &ready;
    }
    /* If busy may mask it, the rest of the answer must not be met by something else. */
    if (busy(s) || (index == 12 && s->base.params.stuff_byte != SDSIM_STUFF_FF)) {
        tx.flags |= SDSIM_DESELECT;
    }
    run(s, "command", &tx);
    return first(s)->result.r1;
}

static uint32_t address(const struct script *s, uint32_t lba)
{
    return s->base.params.type == SDSIM_SDSC ? lba * SDSIM_SECTOR : lba;
}

static void initialise(struct script *s)
{
    s->ready = s->reading = s->writing = false;
    if (!sdsim_test_one_in(&s->base.rng, 4)) { /* not too early for CMD8, most times */
        for (int i = 0; i < SDSIM_TEST_WORLDS; i++) {
            sdsim_spend(&s->base.worlds[i].meter, &s->base.worlds[i].now, SDSIM_HOST,
                        SDSIM_LANE_CPU, s->base.params.power_up_time);
        }
    }
    struct sdsim_transaction tx = {.idle_bytes = 10};
    run(s, "power-up clocks", &tx);
    tx = (struct sdsim_transaction){.flags = SDSIM_COMMAND, .response = SDSIM_RESPONSE_R1};
    surround(s, &tx, true);
    if (busy(s)) {
        tx.flags |= SDSIM_DESELECT;
    }
    run(s, "CMD0", &tx);
    (void)command(s, 8, 0x1AA, SDSIM_RESPONSE_R3);
    for (int i = 0; i < 10 && !s->ready; i++) {
        (void)command(s, 55, 0, SDSIM_RESPONSE_R1);
        /* A line that is held low looks like R1. */
        s->ready = command(s, 41, SDSIM_OCR_CCS, SDSIM_RESPONSE_R1) == 0 &&
                   first(s)->card.state == SDSIM_CARD_TRANSFER;
    }
    (void)command(s, 58, 0, SDSIM_RESPONSE_R3);
    if (sdsim_test_one_in(&s->base.rng, 2)) {
        (void)command(s, 59, 1, SDSIM_RESPONSE_R1);
    }
}

/* CMD12; also mends a read that failed. Looks at nothing before, and at busy after. */
static void stop_reading(struct script *s)
{
    const struct sdsim_wait finish = some_wait(s);
    struct sdsim_transaction tx = {
        .flags = SDSIM_COMMAND,
        .command = 12,
        .response = SDSIM_RESPONSE_R1,
        .finish = !busy(s) && sdsim_test_one_in(&s->base.rng, 2) ? &finish : NULL,
    };
    surround(s, &tx, true);
    tx.lead_bytes = (uint8_t)SDSIM_TEST_PICK(&s->base.rng, 0, 0, 1, 2); /* lost in the stream */
    tx.flags |= sdsim_test_one_in(&s->base.rng, 2) ? SDSIM_STUFF : 0;
    /* The same if a stuff byte is taken for R1. */
    const bool mistaken = s->base.params.stuff_byte != SDSIM_STUFF_FF &&
                          s->engine.response_window == 0 && (tx.flags & SDSIM_STUFF) == 0;
    tx.flags |= busy(s) || mistaken ? SDSIM_DESELECT : 0;
    tx.finish = mistaken ? NULL : tx.finish;
    run(s, "CMD12", &tx);
    s->reading = s->writing = false;
}

/* Blocks of an open read stream, or the first ones of a new one. */
static void read_more(struct script *s, struct sdsim_transaction *tx, const char *action)
{
    uint8_t wanted;
    tx->direction = SDSIM_READ_BLOCKS;
    tx->block_bytes = SDSIM_SECTOR;
    tx->out = sdsim_test_one_in(&s->base.rng, 4) ? NULL : &wanted;
    run(s, action, tx);
    s->reading = first(s)->card.state == SDSIM_CARD_DATA;
    if (s->reading && first(s)->result.outcome != SDSIM_OUTCOME_OK) {
        stop_reading(s);
    }
}

static void read_blocks(struct script *s)
{
    const bool single = sdsim_test_one_in(&s->base.rng, 2);
    const struct sdsim_wait ready = some_wait(s);
    if (busy(s) && s->engine.token_limit > SDSIM_MS) {
        wait_ready(s);
    }
    struct sdsim_transaction tx = {
        .flags = SDSIM_COMMAND,
        .command = single ? 17 : 18,
        .argument = address(s, sdsim_test_some_lba(&s->base)),
        .response = SDSIM_RESPONSE_R1,
        .blocks = single ? 1 : sdsim_test_some_count(&s->base),
        .ready = sdsim_test_one_in(&s->base.rng, 2) ? &ready : NULL,
    };
    s->reading = !single; /* nothing may be clocked behind the last block */
    const bool lost = busy(s);
    surround(s, &tx, single);
    tx.flags |= lost ? SDSIM_DESELECT : 0;
    tx.trail_bytes = (tx.flags & SDSIM_DESELECT) != 0 || single ? tx.trail_bytes : 0;
    read_more(s, &tx, single ? "CMD17" : "CMD18");
}

static void continue_reading(struct script *s)
{
    struct sdsim_transaction tx = {.blocks = sdsim_test_some_count(&s->base)};
    surround(s, &tx, false);
    read_more(s, &tx, "going on with CMD18");
}

static void read_register(struct script *s)
{
    static const struct {
        uint8_t index;
        bool app;
        uint16_t bytes;
        enum sdsim_response response;
    } registers[] = {
        {9, false, 16, SDSIM_RESPONSE_R1}, {10, false, 16, SDSIM_RESPONSE_R1},
        {51, true, 8, SDSIM_RESPONSE_R1},  {13, true, 64, SDSIM_RESPONSE_R2},
        {6, false, 64, SDSIM_RESPONSE_R1},
    };
    const size_t i = sdsim_rng_below(&s->base.rng, sizeof registers / sizeof *registers);
    wait_ready(s);
    if (registers[i].app) {
        (void)command(s, 55, 0, SDSIM_RESPONSE_R1);
    }
    uint8_t wanted;
    struct sdsim_transaction tx = {
        .flags = SDSIM_COMMAND,
        .command = registers[i].index,
        .response = registers[i].response,
        .direction = SDSIM_READ_BLOCKS,
        .blocks = 1,
        .block_bytes = registers[i].bytes,
        .out = &wanted,
    };
    surround(s, &tx, true);
    run(s, "a register", &tx);
    if (first(s)->result.outcome == SDSIM_OUTCOME_NO_DATA) {
        stop_reading(s);
    }
}

/* Ends an open write stream: the stop token, alone. */
static void stop_writing(struct script *s)
{
    const struct sdsim_wait busy_seen = {.test = SDSIM_READY_BUSY_SEEN,
                                         .limit = 300 * SDSIM_US,
                                         .soft = sdsim_test_one_in(&s->base.rng, 2)};
    const struct sdsim_wait wait = some_wait(s);
    struct sdsim_transaction tx = {
        .flags = (uint16_t)(SDSIM_STOP_TOKEN |
                            (sdsim_test_one_in(&s->base.rng, 2) ? SDSIM_STOP_READY : 0)),
        .finish = sdsim_test_one_in(&s->base.rng, 3)   ? NULL
                  : sdsim_test_one_in(&s->base.rng, 2) ? &busy_seen
                                                       : &wait,
    };
    surround(s, &tx, true);
    run(s, "stop token", &tx);
    s->writing = first(s)->card.state == SDSIM_CARD_RECEIVE;
}

/* Blocks of an open write stream, or of a new one. */
static void write_more(struct script *s, struct sdsim_transaction *tx, const char *action)
{
    struct sdsim_rng *rng = &s->base.rng;
    const struct sdsim_content content = sdsim_test_some_content(&s->base);
    const struct sdsim_wait finish = some_wait(s);
    tx->direction = SDSIM_WRITE_BLOCKS;
    tx->block_bytes = SDSIM_SECTOR;
    tx->content = &content;
    switch (sdsim_rng_below(rng, 8)) {
    case 0:
        break; /* a driver that does not look */
    case 1:
        tx->flags |= SDSIM_BLOCK_READY | SDSIM_BLOCK_BUSY;
        break;
    default:
        tx->flags |= sdsim_test_one_in(rng, 2) ? SDSIM_BLOCK_READY : SDSIM_BLOCK_BUSY;
        break;
    }
    if (s->writing && sdsim_test_one_in(rng, 2)) {
        tx->flags |= SDSIM_STOP_TOKEN | SDSIM_STOP_READY;
    }
    if (sdsim_test_one_in(rng, 2)) {
        tx->finish = &finish;
    }
    run(s, action, tx);
    s->writing = first(s)->card.state == SDSIM_CARD_RECEIVE;
}

static void write_blocks(struct script *s)
{
    struct sdsim_rng *rng = &s->base.rng;
    const struct sdsim_wait ready = some_wait(s);
    const bool single = sdsim_test_one_in(rng, 2);
    wait_ready(s);
    if (!single && sdsim_test_one_in(rng, 2)) {
        (void)command(s, 55, 0, SDSIM_RESPONSE_R1);
        (void)command(s, 23, (uint32_t)SDSIM_TEST_PICK(rng, 8, 8, 40, 3000), SDSIM_RESPONSE_R1);
    }
    struct sdsim_transaction tx = {
        .flags = SDSIM_COMMAND,
        .command = single ? 24 : 25,
        .argument = address(s, sdsim_test_some_lba(&s->base)),
        .response = SDSIM_RESPONSE_R1,
        .blocks = single ? 1 : sdsim_test_some_count(&s->base),
        .ready = sdsim_test_one_in(rng, 2) ? &ready : NULL,
    };
    surround(s, &tx, true);
    s->writing = !single;
    write_more(s, &tx, single ? "CMD24" : "CMD25");
}

static void continue_writing(struct script *s)
{
    struct sdsim_transaction tx = {.blocks = sdsim_test_some_count(&s->base)};
    surround(s, &tx, true);
    write_more(s, &tx, "going on with CMD25");
}

/* A write command that a busy card does not hear: the host takes the zeros for R1 and sends. */
static void lose_write(struct script *s)
{
    const struct sdsim_content zeros = {.kind = SDSIM_CONTENT_FILL};
    struct sdsim_transaction tx = {
        .flags = SDSIM_COMMAND | SDSIM_BLOCK_READY,
        .command = 24,
        .response = SDSIM_RESPONSE_R1,
        .direction = SDSIM_WRITE_BLOCKS,
        .blocks = 1,
        .block_bytes = SDSIM_SECTOR,
        .content = &zeros,
    };
    surround(s, &tx, true);
    tx.flags |= SDSIM_DESELECT;
    run(s, "CMD24 to a busy card", &tx);
}

static void erase(struct script *s)
{
    const uint32_t from = sdsim_test_some_lba(&s->base);
    const struct sdsim_wait finish = some_wait(s);
    wait_ready(s);
    (void)command(s, 32, address(s, from), SDSIM_RESPONSE_R1);
    (void)command(s, 33, address(s, from + (uint32_t)sdsim_rng_below(&s->base.rng, 900)),
                  SDSIM_RESPONSE_R1);
    struct sdsim_transaction tx = {
        .flags = SDSIM_COMMAND,
        .command = 38,
        .argument = (uint32_t)SDSIM_TEST_PICK(&s->base.rng, 0, 0, 1),
        .response = SDSIM_RESPONSE_R1,
        .finish = sdsim_test_one_in(&s->base.rng, 2) ? &finish : NULL,
    };
    surround(s, &tx, true);
    run(s, "CMD38", &tx);
}

static void poll_without_card(struct script *s)
{
    const struct sdsim_wait wait = some_wait(s);
    struct sdsim_transaction tx = {.flags = SDSIM_DESELECT};
    run(s, "CS high", &tx);
    tx = (struct sdsim_transaction){.ready = &wait, .idle_bytes = 1};
    run(s, "a look with CS high", &tx);
    tx = (struct sdsim_transaction){
        .flags = SDSIM_COMMAND,
        .command = (uint8_t)SDSIM_TEST_PICK(&s->base.rng, 0, 13, 55),
        .response = SDSIM_RESPONSE_R1,
    };
    run(s, "a command with CS high", &tx);
}

static void misc(struct script *s)
{
    struct sdsim_rng *rng = &s->base.rng;
    switch (sdsim_rng_below(rng, 7)) {
    case 0:
        (void)command(s, (uint8_t)SDSIM_TEST_PICK(rng, 5, 41, 23, 12, 17), 0xFFFFFFFF,
                      SDSIM_RESPONSE_R1);
        if (first(s)->card.state == SDSIM_CARD_DATA) {
            stop_reading(s);
        }
        s->writing = first(s)->card.state == SDSIM_CARD_RECEIVE;
        break;
    case 1:
        /* Now and then more is read than the card has to say. */
        (void)command(s, 13, 0, sdsim_test_one_in(rng, 4) ? SDSIM_RESPONSE_R3 : SDSIM_RESPONSE_R2);
        break;
    case 2:
        poll_without_card(s);
        break;
    case 3:
        wait_ready(s);
        break;
    case 4:
        sdsim_test_set_clocks(&s->base, sdsim_test_some_frequency(&s->base));
        break;
    default: {
        const sdsim_ps d = sdsim_rng_below(rng, SDSIM_MS);
        for (int i = 0; i < SDSIM_TEST_WORLDS; i++) {
            sdsim_spend(&s->base.worlds[i].meter, &s->base.worlds[i].now, SDSIM_HOST,
                        SDSIM_LANE_CPU, d);
        }
        break;
    }
    }
}

static void act(struct script *s)
{
    struct sdsim_rng *rng = &s->base.rng;
    if (s->reading) {
        if (s->engine.crc_tail > 0 || sdsim_test_one_in(rng, 2)) {
            stop_reading(s);
        } else {
            continue_reading(s);
        }
        return;
    }
    if (s->writing) {
        switch (sdsim_rng_below(rng, 6)) {
        case 0:
        case 1:
            continue_writing(s);
            break;
        case 2:
            (void)command(s, 13, 0, SDSIM_RESPONSE_R2);
            break;
        case 3:
            stop_reading(s); /* CMD12 ends it as well */
            break;
        default:
            stop_writing(s);
            break;
        }
        return;
    }
    if (!s->ready || sdsim_test_one_in(rng, 20)) {
        initialise(s);
        return;
    }
    if (busy(s) && sdsim_test_one_in(rng, 6)) {
        lose_write(s);
        return;
    }
    static void (*const actions[])(struct script *) = {
        read_blocks, read_blocks, write_blocks, write_blocks, read_register, misc, misc, erase};
    actions[sdsim_rng_below(rng, sizeof actions / sizeof *actions)](s);
}

static void run_script(uint64_t seed, uint64_t number, const void *context)
{
    (void)context;
    struct script *s = calloc(1, sizeof *s);
    assert_non_null(s);
    sdsim_test_begin(&s->base, seed, number, 0, SDSIM_BUS_SPI);
    const size_t frequency = sdsim_test_some_frequency(&s->base);
    const struct sdsim_clock clock = sdsim_test_clock(frequency);
    sdsim_test_some_card(&s->base, &clock);
    some_engine(s);
    sdsim_test_create_worlds(&s->base, (uint32_t)sdsim_rng_below(&s->base.rng, 3));
    sdsim_test_set_clocks(&s->base, frequency);
    for (int i = 0; i < SDSIM_TEST_WORLDS; i++) {
        s->base.worlds[i].port->spi = &s->engine;
    }
    initialise(s);
    const unsigned steps = 4 + (unsigned)sdsim_rng_below(&s->base.rng, 12);
    for (unsigned i = 0; i < steps; i++) {
        act(s);
    }
    sdsim_test_destroy_worlds(&s->base);
    free(s);
}

static void transactions(void **state)
{
    (void)state;
    sdsim_test_each_sequence(1, run_script, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(transactions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
