/*
 * One card, one driver, every port: the closed-form port and the byte-exact one finish every
 * transaction at the same picosecond, with the same result, account and counters, and leave the
 * same medium. So does the closed-form port with somebody listening, for whom it steps block by
 * block. On the SD bus, where no byte-exact port exists, that is what it is compared with.
 *
 * Each sequence makes up a card, a clock, an engine and a list of transactions a driver may send.
 * SDSIM_SEED chooses another luck, SDSIM_SEQUENCE runs one sequence of it alone.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/rng.h"
#include "driver/driver.h"
#include "port/wire.h"

#define MOST_BLOCKS 512u

/* ---- luck ---- */

static uint64_t below(struct sdsim_rng *rng, uint64_t bound)
{
    return sdsim_rng_below(rng, bound);
}

static bool one_in(struct sdsim_rng *rng, uint64_t n)
{
    return below(rng, n) == 0;
}

static uint64_t pick(struct sdsim_rng *rng, const uint64_t *from, size_t count)
{
    return from[below(rng, count)];
}
#define PICK(rng, ...)                                                                             \
    pick(rng, (const uint64_t[]){__VA_ARGS__}, sizeof((const uint64_t[]){__VA_ARGS__}) / 8)

/* ---- one card behind three ports ---- */

enum { FAST, REFERENCE, LISTENED, WORLDS };

static const char *const world_names[WORLDS] = {"fast", "the reference", "fast with a recorder"};

/* Sums the spans by kind. */
struct listener {
    struct sdsim_recorder recorder;
    sdsim_ps kinds[SDSIM_KIND_COUNT];
};

static void hear(struct sdsim_recorder *recorder, const struct sdsim_span *span)
{
    struct listener *listener = (struct listener *)recorder;
    listener->kinds[span->kind] += span->duration * span->count;
}

struct world {
    struct sdsim_medium *medium;
    struct sdsim_card card;
    struct sdsim_meter meter;
    struct listener listener;
    struct sdsim_port fast;
    struct sdsim_wire wire;
    struct sdsim_port *port;
    sdsim_ps now;
    struct sdsim_result result;
    uint8_t *out;
    struct sdsim_driver driver; /* the drivers' test */
    enum sdsim_driver_error error;
};

/* What a sequence is about. The generator looks at the first world only to stay within what a
 * driver may do. */
struct sequence {
    uint64_t seed;
    uint64_t number;
    enum sdsim_bus_mode mode;
    unsigned step;
    const char *action;
    struct sdsim_rng rng;
    struct sdsim_card_params params;
    struct sdsim_spi_engine engine;
    struct world worlds[WORLDS];
    uint8_t *content;

    /* what the host knows */
    bool ready;      /* the card was initialised */
    bool reading;    /* a CMD18 is open */
    bool writing;    /* a CMD25 is open */
    bool can_answer; /* the engine waits long enough for a response */
    bool tight;      /* it has no dead times */
};

static void fail_here(const struct sequence *s, int world, const char *what, uint64_t expected,
                      uint64_t got)
{
    fail_msg("SDSIM_SEED=%llu SDSIM_SEQUENCE=%llu, step %u (%s): %s differs from the %s in %s: "
             "%llu, not %llu",
             (unsigned long long)s->seed, (unsigned long long)s->number, s->step, s->action,
             world_names[world], s->mode == SDSIM_BUS_SPI ? "wire" : "stepped one", what,
             (unsigned long long)got, (unsigned long long)expected);
}

static void same(const struct sequence *s, int world, const char *what, uint64_t expected,
                 uint64_t got)
{
    if (expected != got) {
        fail_here(s, world, what, expected, got);
    }
}

static void compare_meters(const struct sequence *s, int world)
{
    const struct sdsim_meter *reference = &s->worlds[REFERENCE].meter;
    const struct sdsim_meter *other = &s->worlds[world].meter;
    for (int purpose = 0; purpose < SDSIM_PURPOSE_COUNT; purpose++) {
        for (int kind = 0; kind < SDSIM_KIND_COUNT; kind++) {
            same(s, world, sdsim_kind_name((enum sdsim_kind)kind),
                 reference->account.ps[purpose][kind], other->account.ps[purpose][kind]);
        }
    }
    for (unsigned i = 0; i < 64; i++) {
        same(s, world, "commands", reference->counters.commands[i], other->counters.commands[i]);
        same(s, world, "application commands", reference->counters.app_commands[i],
             other->counters.app_commands[i]);
    }
    same(s, world, "blocks read", reference->counters.blocks_read, other->counters.blocks_read);
    same(s, world, "blocks written", reference->counters.blocks_written,
         other->counters.blocks_written);
    same(s, world, "bus clocks", reference->counters.bus_clocks, other->counters.bus_clocks);
    same(s, world, "longest wait", reference->counters.longest_wait, other->counters.longest_wait);
    same(s, world, "time of the longest wait", reference->counters.longest_wait_at,
         other->counters.longest_wait_at);
    assert_memory_equal(&reference->counters, &other->counters, sizeof reference->counters);
}

static void compare(const struct sequence *s)
{
    const struct world *reference = &s->worlds[REFERENCE];
    for (int i = 0; i < WORLDS; i++) {
        const struct world *other = &s->worlds[i];
        same(s, i, "finish time", reference->now, other->now);
        same(s, i, "outcome", reference->result.outcome, other->result.outcome);
        same(s, i, "R1", reference->result.r1, other->result.r1);
        for (unsigned e = 0; e < sizeof reference->result.extra; e++) {
            same(s, i, "response", reference->result.extra[e], other->result.extra[e]);
        }
        same(s, i, "blocks done", reference->result.blocks_done, other->result.blocks_done);
        same(s, i, "error", reference->error, other->error);
        compare_meters(s, i);
        same(s, i, "CS", reference->port->selected, other->port->selected);
        same(s, i, "clock remainder", reference->port->clock.remainder,
             other->port->clock.remainder);
        same(s, i, "end of busy", reference->card.busy.at, other->card.busy.at);
        same(s, i, "card state", reference->card.state, other->card.state);
        same(s, i, "card position", reference->card.lba, other->card.lba);
        same(s, i, "blocks in the flash", reference->card.flash.blocks_written,
             other->card.flash.blocks_written);
        same(s, i, "carried pause", reference->card.flash.carried, other->card.flash.carried);
    }
    same(s, REFERENCE, "account total", sdsim_account_total(&reference->meter.account),
         reference->now);
}

/* The bytes that were read, in a transaction of blocks of `bytes`. */
static void compare_data(const struct sequence *s, uint32_t blocks, uint32_t bytes)
{
    for (int i = 0; i < WORLDS; i++) {
        if (memcmp(s->worlds[REFERENCE].out, s->worlds[i].out, (size_t)blocks * bytes) != 0) {
            fail_here(s, i, "data", 0, 1);
        }
    }
}

/* What a listener hears adds up: everything but polls and N_AC, which are booked only. */
static void compare_spans(const struct sequence *s)
{
    static const enum sdsim_kind heard[] = {SDSIM_PAYLOAD, SDSIM_ACCESS, SDSIM_BUSY,
                                            SDSIM_PAUSE,   SDSIM_COPY,   SDSIM_HOST};
    const struct world *world = &s->worlds[LISTENED];
    for (size_t i = 0; i < sizeof heard / sizeof *heard; i++) {
        same(s, LISTENED, sdsim_kind_name(heard[i]),
             sdsim_account_kind(&world->meter.account, heard[i]), world->listener.kinds[heard[i]]);
    }
}

static void create_worlds(struct sequence *s, uint32_t draw)
{
    for (int i = 0; i < WORLDS; i++) {
        struct world *world = &s->worlds[i];
        world->medium = sdsim_medium_create(sdsim_csd_sectors(&s->params), 0xFF);
        world->out = malloc((size_t)MOST_BLOCKS * SDSIM_SECTOR);
        assert_non_null(world->medium);
        assert_non_null(world->out);
        sdsim_card_init(&world->card, &s->params, world->medium, s->number, draw);
        sdsim_fast_init(&world->fast, s->mode, &world->card, &world->meter);
        sdsim_wire_init(&world->wire, &world->card, &world->meter);
        const bool wire = i == REFERENCE && s->mode == SDSIM_BUS_SPI;
        world->port = wire ? &world->wire.port : &world->fast;
        world->listener.recorder.span = hear;
        world->meter.recorder = i == FAST || wire ? NULL : &world->listener.recorder;
        world->port->spi = &s->engine;
    }
    s->content = malloc((size_t)MOST_BLOCKS * SDSIM_SECTOR);
    assert_non_null(s->content);
    sdsim_generate(s->number, 0, s->content, (size_t)MOST_BLOCKS * SDSIM_SECTOR);
}

static void destroy_worlds(struct sequence *s)
{
    for (int i = 0; i < WORLDS; i++) {
        struct world *world = &s->worlds[i];
        if (!sdsim_medium_equal(s->worlds[REFERENCE].medium, world->medium)) {
            fail_here(s, i, "medium", 1, 0);
        }
    }
    compare_spans(s);
    for (int i = 0; i < WORLDS; i++) {
        sdsim_medium_destroy(s->worlds[i].medium);
        free(s->worlds[i].out);
    }
    free(s->content);
}

/* ---- made-up parameters ---- */

static const uint64_t frequencies[][2] = {{80000000, 4},  {80000000, 3},  {150000000, 8},
                                          {133000000, 6}, {125000000, 6}, {48000000, 2},
                                          {400000, 1},    {80000000, 61}};

static size_t some_frequency(struct sequence *s)
{
    return below(&s->rng, sizeof frequencies / sizeof *frequencies);
}

static void set_clocks(struct sequence *s, size_t frequency)
{
    for (int i = 0; i < WORLDS; i++) {
        sdsim_clock_set(&s->worlds[i].port->clock, frequencies[frequency][0],
                        frequencies[frequency][1]);
    }
}

/* A span that may be nothing, may lie within a picosecond of a whole number of bytes, or anywhere
 * up to `most`. */
static sdsim_ps some_span(struct sequence *s, const struct sdsim_clock *clock, sdsim_ps most)
{
    struct sdsim_rng *rng = &s->rng;
    if (one_in(rng, 4)) {
        return 0;
    }
    if (one_in(rng, 3)) {
        const sdsim_ps bytes = sdsim_clock_peek(clock, 8 * (1 + below(rng, 40)));
        return bytes + below(rng, 3) - 1;
    }
    return below(rng, one_in(rng, 2) ? most / 20 : most);
}

static void some_flash(struct sequence *s, const struct sdsim_clock *clock)
{
    struct sdsim_rng *rng = &s->rng;
    s->params.flash = (struct sdsim_flash_params){
        .rd1 = some_span(s, clock, 500 * SDSIM_US),
        .rd_slow = some_span(s, clock, SDSIM_MS),
        .slow_share = PICK(rng, 0, 0, 200000000, 1000000000),
        .rdn = some_span(s, clock, 60 * SDSIM_US),
        .rdpg = some_span(s, clock, 600 * SDSIM_US),
        .w1 = some_span(s, clock, 900 * SDSIM_US),
        .wn = some_span(s, clock, 40 * SDSIM_US),
        .wpg = some_span(s, clock, 900 * SDSIM_US),
        .wstop = some_span(s, clock, 900 * SDSIM_US),
        .wstop_large = some_span(s, clock, 900 * SDSIM_US),
        .large_bytes = SDSIM_SECTOR * (1 + below(rng, 20)),
        .page_bytes = SDSIM_SECTOR * PICK(rng, 1, 2, 8, 31, 64, 128, 4096),
        .pause_every = one_in(rng, 2) ? 0 : SDSIM_SECTOR * (1 + below(rng, 100)),
        .pause_length = below(rng, 3 * SDSIM_MS),
        .rare_every = one_in(rng, 2) ? 0 : SDSIM_SECTOR * (1 + below(rng, 300)),
        .rare_length = below(rng, 3 * SDSIM_MS),
        .busy_limit = one_in(rng, 2) ? 0 : SDSIM_MS + below(rng, SDSIM_MS),
        .erase = some_span(s, clock, SDSIM_MS),
    };
}

static void some_card(struct sequence *s, const struct sdsim_clock *clock)
{
    struct sdsim_rng *rng = &s->rng;
    const int type = (int)below(rng, 3);
    s->params = (struct sdsim_card_params){
        .type = type,
        .capacity = type == SDSIM_SDSC ? 1 << 20 : 2 << 20,
        .real_bytes = one_in(rng, 4) ? below(rng, 1 << 20) : 0,
        .spi_hz = 25000000,
        .high_hz = one_in(rng, 2) ? 50000000 : 0,
        .n_cr = below(rng, 9),
        .n_ac = below(rng, 9),
        .n_br = below(rng, 2),
        .n_cr_clocks = 2 + below(rng, 63),
        .init_time = some_span(s, clock, 3 * SDSIM_MS),
        .speed_class = 10,
        .au_bytes = 4 << 20,
    };
    some_flash(s, clock);
}

/* Hosts without any are where a wait ends within a picosecond of a look. */
static sdsim_ps dead_time(struct sequence *s)
{
    return s->tight ? 0
                    : PICK(&s->rng, 0, 0, 1, 333, 1700 * SDSIM_NS, 12 * SDSIM_US) *
                          (1 + below(&s->rng, 3));
}

static struct sdsim_burst some_burst(struct sequence *s)
{
    return (struct sdsim_burst){.before = dead_time(s), .after = dead_time(s)};
}

static struct sdsim_wait some_wait(struct sequence *s)
{
    struct sdsim_rng *rng = &s->rng;
    return (struct sdsim_wait){
        .test = (enum sdsim_ready_test)PICK(rng, SDSIM_READY_ALL_ONES, SDSIM_READY_NONZERO,
                                            SDSIM_READY_TWO_NONZERO),
        .limit = PICK(rng, 0, 0, 500 * SDSIM_MS, 500 * SDSIM_US, 20 * SDSIM_US, 1),
        .soft = one_in(rng, 3),
    };
}

static void some_engine(struct sequence *s)
{
    struct sdsim_rng *rng = &s->rng;
    const uint64_t n_cr = s->params.n_cr;
    struct sdsim_spi_engine *engine = &s->engine;
    s->tight = one_in(rng, 4);
    *engine = (struct sdsim_spi_engine){
        .chunk = (uint32_t)PICK(rng, 0, 0, 1, 64, 100),
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
        .response_looks = (uint8_t)(10 + below(rng, 20)),
        .token_look = (uint8_t)PICK(rng, 1, 1, 8),
        .look_ahead = (uint8_t)PICK(rng, 0, 0, 2),
        .crc_with_data = one_in(rng, 2),
        .reply_with_crc = one_in(rng, 2),
        .stop_bytes = (uint8_t)(1 + below(rng, 2)),
        .token_limit = PICK(rng, 100 * SDSIM_MS, 100 * SDSIM_MS, 200 * SDSIM_US, 1),
        .block_ready = some_wait(s),
        .block_busy = some_wait(s),
        .read_cpu = dead_time(s),
        .write_cpu = dead_time(s),
        .write_cpu_after_data = dead_time(s),
        .copy = dead_time(s),
    };
    s->can_answer = true;
    if (one_in(rng, 2)) {
        engine->response_window = (uint8_t)(n_cr + 2 + below(rng, 3));
        engine->data_window = (uint8_t)(n_cr + 2 + below(rng, 9));
    } else if (one_in(rng, 20)) {
        engine->response_looks = (uint8_t)below(rng, 9);
        s->can_answer = false;
    }
}

/* ---- transactions ---- */

static void run(struct sequence *s, const char *action, const struct sdsim_transaction *tx)
{
    s->action = action;
    s->step++;
    for (int i = 0; i < WORLDS; i++) {
        struct world *world = &s->worlds[i];
        struct sdsim_transaction own = *tx;
        own.out = tx->direction == SDSIM_READ_BLOCKS && tx->out == NULL ? NULL : world->out;
        sdsim_execute(world->port, &world->now, &own, &world->result);
    }
    compare(s);
    if (tx->direction == SDSIM_READ_BLOCKS && tx->out != NULL) {
        compare_data(s, s->worlds[REFERENCE].result.blocks_done, tx->block_bytes);
    }
}

static const struct world *first(const struct sequence *s)
{
    return &s->worlds[FAST];
}

static bool busy(const struct sequence *s)
{
    return first(s)->card.busy.at > first(s)->now;
}

/* CS and filler bytes around a transaction; `ends` says that nothing is left open. */
static void surround(struct sequence *s, struct sdsim_transaction *tx, bool ends)
{
    struct sdsim_rng *rng = &s->rng;
    const bool selected = first(s)->port->selected;
    tx->flags |= SDSIM_SELECT;
    if (!s->reading || !selected) {
        tx->idle_bytes = (uint8_t)PICK(rng, 0, 0, 1, 2);
    }
    if (!s->reading) {
        tx->lead_bytes = (uint8_t)PICK(rng, 0, 0, 1, 2);
    }
    if (!s->can_answer || one_in(rng, 2)) {
        tx->flags |= SDSIM_DESELECT;
    }
    if ((tx->flags & SDSIM_DESELECT) != 0 || ends) {
        tx->trail_bytes = (uint8_t)PICK(rng, 0, 0, 1, 2);
    }
}

/* A wait for the end of the busy that is sure to see it. */
static const struct sdsim_wait until_ready = {.test = SDSIM_READY_ALL_ONES};

static void wait_ready(struct sequence *s)
{
    struct sdsim_transaction tx = {.flags = SDSIM_SELECT, .lead_bytes = 1, .ready = &until_ready};
    run(s, "wait until ready", &tx);
}

/* A command without blocks; the card is not in the middle of a read stream. */
static uint8_t command(struct sequence *s, uint8_t index, uint32_t argument,
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
    if (one_in(&s->rng, 2)) {
        tx.ready = &ready;
    }
    /* If busy may mask it, the rest of the answer must not be met by something else. */
    if (busy(s)) {
        tx.flags |= SDSIM_DESELECT;
    }
    run(s, "command", &tx);
    return first(s)->result.r1;
}

static uint32_t some_lba(struct sequence *s)
{
    const uint32_t sectors = first(s)->card.sectors;
    switch (below(&s->rng, 8)) {
    case 0:
        return sectors - 1 - (uint32_t)below(&s->rng, 10);
    case 1:
        return sectors + (uint32_t)below(&s->rng, 2) * 1000;
    default:
        return (uint32_t)below(&s->rng, sectors);
    }
}

static uint32_t address(const struct sequence *s, uint32_t lba)
{
    return s->params.type == SDSIM_SDSC ? lba * SDSIM_SECTOR : lba;
}

static uint32_t some_count(struct sequence *s)
{
    struct sdsim_rng *rng = &s->rng;
    if (one_in(rng, 12)) {
        return 300 + (uint32_t)below(rng, 200);
    }
    return 1 + (uint32_t)below(rng, one_in(rng, 2) ? 4 : 20);
}

static void initialise(struct sequence *s)
{
    s->ready = s->reading = s->writing = false;
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
        s->ready = command(s, 41, SDSIM_OCR_CCS, SDSIM_RESPONSE_R1) == 0;
    }
    (void)command(s, 58, 0, SDSIM_RESPONSE_R3);
    if (one_in(&s->rng, 2)) {
        (void)command(s, 59, 1, SDSIM_RESPONSE_R1);
    }
}

/* CMD12; also mends a read that failed. Looks at nothing before, and at busy after. */
static void stop_reading(struct sequence *s)
{
    const struct sdsim_wait finish = some_wait(s);
    struct sdsim_transaction tx = {
        .flags = SDSIM_COMMAND,
        .command = 12,
        .response = SDSIM_RESPONSE_R1,
        .finish = !busy(s) && one_in(&s->rng, 2) ? &finish : NULL,
    };
    surround(s, &tx, true);
    tx.flags |= one_in(&s->rng, 2) ? SDSIM_STUFF : 0;
    tx.flags |= busy(s) ? SDSIM_DESELECT : 0;
    run(s, "CMD12", &tx);
    s->reading = s->writing = false;
}

/* Blocks of an open read stream, or the first ones of a new one. */
static void read_more(struct sequence *s, struct sdsim_transaction *tx, const char *action)
{
    uint8_t wanted;
    tx->direction = SDSIM_READ_BLOCKS;
    tx->block_bytes = SDSIM_SECTOR;
    tx->out = one_in(&s->rng, 4) ? NULL : &wanted;
    run(s, action, tx);
    s->reading = first(s)->card.state == SDSIM_CARD_DATA;
    if (s->reading && first(s)->result.outcome != SDSIM_OUTCOME_OK) {
        stop_reading(s);
    }
}

static void read_blocks(struct sequence *s)
{
    const bool single = one_in(&s->rng, 2);
    const struct sdsim_wait ready = some_wait(s);
    if (busy(s) && s->engine.token_limit > SDSIM_MS) {
        wait_ready(s);
    }
    struct sdsim_transaction tx = {
        .flags = SDSIM_COMMAND,
        .command = single ? 17 : 18,
        .argument = address(s, some_lba(s)),
        .response = SDSIM_RESPONSE_R1,
        .blocks = single ? 1 : some_count(s),
        .ready = one_in(&s->rng, 2) ? &ready : NULL,
    };
    s->reading = !single; /* nothing may be clocked behind the last block */
    const bool lost = busy(s);
    surround(s, &tx, single);
    tx.flags |= lost ? SDSIM_DESELECT : 0;
    tx.trail_bytes = (tx.flags & SDSIM_DESELECT) != 0 || single ? tx.trail_bytes : 0;
    read_more(s, &tx, single ? "CMD17" : "CMD18");
}

static void continue_reading(struct sequence *s)
{
    struct sdsim_transaction tx = {.blocks = some_count(s)};
    surround(s, &tx, false);
    read_more(s, &tx, "going on with CMD18");
}

static void read_register(struct sequence *s)
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
    const size_t i = below(&s->rng, sizeof registers / sizeof *registers);
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

static struct sdsim_content some_content(struct sequence *s)
{
    struct sdsim_rng *rng = &s->rng;
    const uint8_t fill = (uint8_t)below(rng, 256);
    switch (below(rng, 3)) {
    case 0:
        return (struct sdsim_content){.kind = SDSIM_CONTENT_FILL, .fill = fill};
    case 1:
        return (struct sdsim_content){.kind = SDSIM_CONTENT_BYTES, .bytes = s->content};
    default:
        return (struct sdsim_content){.kind = SDSIM_CONTENT_GENERATED,
                                      .seed = sdsim_rng_next(rng),
                                      .offset = below(rng, 10000)};
    }
}

/* Ends an open write stream: the stop token, alone. */
static void stop_writing(struct sequence *s)
{
    const struct sdsim_wait busy_seen = {
        .test = SDSIM_READY_BUSY_SEEN, .limit = 300 * SDSIM_US, .soft = one_in(&s->rng, 2)};
    const struct sdsim_wait wait = some_wait(s);
    struct sdsim_transaction tx = {
        .flags = (uint16_t)(SDSIM_STOP_TOKEN | (one_in(&s->rng, 2) ? SDSIM_STOP_READY : 0)),
        .finish = one_in(&s->rng, 3)   ? NULL
                  : one_in(&s->rng, 2) ? &busy_seen
                                       : &wait,
    };
    surround(s, &tx, true);
    run(s, "stop token", &tx);
    s->writing = first(s)->card.state == SDSIM_CARD_RECEIVE;
}

/* Blocks of an open write stream, or of a new one. */
static void write_more(struct sequence *s, struct sdsim_transaction *tx, const char *action)
{
    struct sdsim_rng *rng = &s->rng;
    const struct sdsim_content content = some_content(s);
    const struct sdsim_wait finish = some_wait(s);
    tx->direction = SDSIM_WRITE_BLOCKS;
    tx->block_bytes = SDSIM_SECTOR;
    tx->content = &content;
    switch (below(rng, 8)) {
    case 0:
        break; /* a driver that does not look */
    case 1:
        tx->flags |= SDSIM_BLOCK_READY | SDSIM_BLOCK_BUSY;
        break;
    default:
        tx->flags |= one_in(rng, 2) ? SDSIM_BLOCK_READY : SDSIM_BLOCK_BUSY;
        break;
    }
    if (s->writing && one_in(rng, 2)) {
        tx->flags |= SDSIM_STOP_TOKEN | SDSIM_STOP_READY;
    }
    if (one_in(rng, 2)) {
        tx->finish = &finish;
    }
    run(s, action, tx);
    s->writing = first(s)->card.state == SDSIM_CARD_RECEIVE;
}

static void write_blocks(struct sequence *s)
{
    struct sdsim_rng *rng = &s->rng;
    const struct sdsim_wait ready = some_wait(s);
    const bool single = one_in(rng, 2);
    wait_ready(s);
    if (!single && one_in(rng, 2)) {
        (void)command(s, 55, 0, SDSIM_RESPONSE_R1);
        (void)command(s, 23, 8, SDSIM_RESPONSE_R1);
    }
    struct sdsim_transaction tx = {
        .flags = SDSIM_COMMAND,
        .command = single ? 24 : 25,
        .argument = address(s, some_lba(s)),
        .response = SDSIM_RESPONSE_R1,
        .blocks = single ? 1 : some_count(s),
        .ready = one_in(rng, 2) ? &ready : NULL,
    };
    surround(s, &tx, true);
    s->writing = !single;
    write_more(s, &tx, single ? "CMD24" : "CMD25");
}

static void continue_writing(struct sequence *s)
{
    struct sdsim_transaction tx = {.blocks = some_count(s)};
    surround(s, &tx, true);
    write_more(s, &tx, "going on with CMD25");
}

/* A write command that a busy card does not hear: the host takes the zeros for R1 and sends. */
static void lose_write(struct sequence *s)
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

static void erase(struct sequence *s)
{
    const uint32_t from = some_lba(s);
    const struct sdsim_wait finish = some_wait(s);
    wait_ready(s);
    (void)command(s, 32, address(s, from), SDSIM_RESPONSE_R1);
    (void)command(s, 33, address(s, from + (uint32_t)below(&s->rng, 100)), SDSIM_RESPONSE_R1);
    struct sdsim_transaction tx = {
        .flags = SDSIM_COMMAND,
        .command = 38,
        .response = SDSIM_RESPONSE_R1,
        .finish = one_in(&s->rng, 2) ? &finish : NULL,
    };
    surround(s, &tx, true);
    run(s, "CMD38", &tx);
}

static void poll_without_card(struct sequence *s)
{
    const struct sdsim_wait wait = some_wait(s);
    struct sdsim_transaction tx = {.flags = SDSIM_DESELECT};
    run(s, "CS high", &tx);
    tx = (struct sdsim_transaction){.ready = &wait, .idle_bytes = 1};
    run(s, "a look with CS high", &tx);
}

static void misc(struct sequence *s)
{
    struct sdsim_rng *rng = &s->rng;
    switch (below(rng, 7)) {
    case 0:
        (void)command(s, (uint8_t)PICK(rng, 5, 41, 23, 12, 17), 0xFFFFFFFF, SDSIM_RESPONSE_R1);
        if (first(s)->card.state == SDSIM_CARD_DATA) {
            stop_reading(s);
        }
        s->writing = first(s)->card.state == SDSIM_CARD_RECEIVE;
        break;
    case 1:
        (void)command(s, 13, 0, SDSIM_RESPONSE_R2);
        break;
    case 2:
        poll_without_card(s);
        break;
    case 3:
        wait_ready(s);
        break;
    case 4:
        set_clocks(s, some_frequency(s));
        break;
    default: {
        const sdsim_ps d = below(rng, SDSIM_MS);
        for (int i = 0; i < WORLDS; i++) {
            sdsim_spend(&s->worlds[i].meter, &s->worlds[i].now, SDSIM_HOST, SDSIM_LANE_CPU, d);
        }
        break;
    }
    }
}

static void act(struct sequence *s)
{
    struct sdsim_rng *rng = &s->rng;
    if (s->reading) {
        if (one_in(rng, 2)) {
            stop_reading(s);
        } else {
            continue_reading(s);
        }
        return;
    }
    if (s->writing) {
        switch (below(rng, 6)) {
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
    if (!s->ready || one_in(rng, 20)) {
        initialise(s);
        return;
    }
    if (busy(s) && one_in(rng, 6)) {
        lose_write(s);
        return;
    }
    static void (*const actions[])(struct sequence *) = {
        read_blocks, read_blocks, write_blocks, write_blocks, read_register, misc, misc, erase};
    actions[below(rng, sizeof actions / sizeof *actions)](s);
}

static void run_sequence(uint64_t seed, uint64_t number)
{
    struct sequence *s = calloc(1, sizeof *s);
    assert_non_null(s);
    s->seed = seed;
    s->number = number;
    sdsim_rng_seed(&s->rng, sdsim_hash_number(seed, number));
    const size_t frequency = some_frequency(s);
    struct sdsim_clock clock = {.hz_num = 0};
    sdsim_clock_set(&clock, frequencies[frequency][0], frequencies[frequency][1]);
    some_card(s, &clock);
    some_engine(s);
    create_worlds(s, (uint32_t)below(&s->rng, 3));
    set_clocks(s, frequency);
    initialise(s);
    const unsigned steps = 4 + (unsigned)below(&s->rng, 12);
    for (unsigned i = 0; i < steps; i++) {
        act(s);
    }
    destroy_worlds(s);
    free(s);
}

/* ---- drivers ---- */

static sdsim_ps some_cost(struct sequence *s)
{
    return PICK(&s->rng, 0, 0, 1, 700 * SDSIM_NS, 8 * SDSIM_US, 28 * SDSIM_US);
}

/* Costs that are as made up as the cards. */
static struct sdsim_driver_costs some_costs(struct sequence *s)
{
    return (struct sdsim_driver_costs){
        .call = some_cost(s),
        .transfer = some_cost(s),
        .bulk = some_cost(s),
        .chunk = PICK(&s->rng, 0, 64),
        .chunk_gap = some_cost(s),
        .crc16 = some_cost(s),
        .copy = some_cost(s),
        .command = some_cost(s),
        .wake = some_cost(s),
    };
}

static void driver_operation(struct world *world, unsigned operation, uint32_t lba, uint32_t count,
                             const struct sdsim_content *content)
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

/* Reads, writes and what lies between them, some of it where the last call ended. */
static void drive(struct sequence *s, unsigned operations)
{
    static const char *const names[] = {"sync", "status", "read",  "read",  "read",
                                        "idle", "write",  "write", "write", "write"};
    struct sdsim_rng *rng = &s->rng;
    uint32_t next = 0;
    for (unsigned i = 0; i < operations; i++) {
        const unsigned operation = (unsigned)below(rng, sizeof names / sizeof *names);
        const uint32_t count = some_count(s);
        const uint32_t lba = one_in(rng, 3) ? next : some_lba(s);
        const struct sdsim_content content = some_content(s);
        s->action = names[operation];
        s->step++;
        for (int w = 0; w < WORLDS; w++) {
            driver_operation(&s->worlds[w], operation, lba, count, &content);
        }
        compare(s);
        for (int w = 0; w < WORLDS; w++) {
            same(s, w, "fault", s->worlds[REFERENCE].driver.fault.outcome,
                 s->worlds[w].driver.fault.outcome);
            same(s, w, "time of the fault", s->worlds[REFERENCE].driver.fault.at,
                 s->worlds[w].driver.fault.at);
        }
        if (operation >= 2 && operation <= 4 && count % 3 != 0 &&
            s->worlds[REFERENCE].error == SDSIM_DRIVER_OK) {
            compare_data(s, count, SDSIM_SECTOR);
        }
        next = lba + count;
    }
}

static void run_driver(uint64_t seed, uint64_t number, enum sdsim_driver_code code,
                       enum sdsim_bus_mode mode)
{
    struct sequence *s = calloc(1, sizeof *s);
    assert_non_null(s);
    s->seed = seed;
    s->number = number;
    s->mode = mode;
    struct sdsim_rng *rng = &s->rng;
    sdsim_rng_seed(rng, sdsim_hash_number(sdsim_hash_number(seed, number), (uint64_t)code));
    const size_t frequency = some_frequency(s);
    const struct sdsim_driver_clocks clocks = {.init_num = 400000,
                                               .init_den = 1,
                                               .num = frequencies[frequency][0],
                                               .den = frequencies[frequency][1]};
    struct sdsim_clock clock = {.hz_num = 0};
    sdsim_clock_set(&clock, clocks.num, clocks.den);
    some_card(s, &clock);
    if (one_in(rng, 10)) { /* now and then longer than a driver has patience */
        s->params.flash.pause_length = below(rng, 700 * SDSIM_MS);
        s->params.flash.busy_limit = 0;
    }
    const struct sdsim_driver_params params = {
        .code = (int)code,
        .status_after_read = below(rng, 2),
        .status_after_write = below(rng, 3),
        .status_on_call = one_in(rng, 2),
        .bounce_blocks = PICK(rng, 0, 1, 16),
        .tick = PICK(rng, SDSIM_MS, 10 * SDSIM_MS),
    };
    const struct sdsim_driver_costs costs = some_costs(s);
    const bool usable_buffers = one_in(rng, 2);
    create_worlds(s, (uint32_t)below(rng, 3));
    s->action = "init";
    for (int i = 0; i < WORLDS; i++) {
        struct world *world = &s->worlds[i];
        sdsim_driver_attach(&world->driver, &params, &costs, world->port, &clocks, usable_buffers);
        world->error = sdsim_driver_init(&world->driver, &world->now);
    }
    compare(s);
    assert_int_equal(s->worlds[REFERENCE].error, SDSIM_DRIVER_OK);
    assert_int_equal(s->worlds[REFERENCE].driver.sectors, s->worlds[REFERENCE].card.sectors);
    drive(s, 2 + (unsigned)below(rng, 20));
    destroy_worlds(s);
    free(s);
}

/* ---- the tests ---- */

/* The seed, and the only sequence to run, from the environment. */
static uint64_t number_from(const char *name, uint64_t otherwise)
{
    const char *text = getenv(name);
    return text != NULL ? strtoull(text, NULL, 10) : otherwise;
}

static void transactions(void **state)
{
    (void)state;
    const uint64_t seed = number_from("SDSIM_SEED", 1);
    const uint64_t only = number_from("SDSIM_SEQUENCE", UINT64_MAX);
    const uint64_t count = number_from("SDSIM_SEQUENCES", 3000);
    print_message("seed %llu\n", (unsigned long long)seed);
    for (uint64_t i = only == UINT64_MAX ? 0 : only; i < (only == UINT64_MAX ? count : only + 1);
         i++) {
        run_sequence(seed, i);
    }
}

/* Every driver that works the bus; fails if there are fewer than `least`. */
static void every_driver(enum sdsim_bus_mode mode, unsigned least)
{
    const uint64_t seed = number_from("SDSIM_SEED", 1);
    const uint64_t only = number_from("SDSIM_SEQUENCE", UINT64_MAX);
    const uint64_t count = number_from("SDSIM_SEQUENCES", 3000) / 8;
    print_message("seed %llu\n", (unsigned long long)seed);
    unsigned tested = 0;
    for (int code = 0; code < SDSIM_DRIVER_COUNT; code++) {
        const struct sdsim_driver_class *class = sdsim_driver_class((enum sdsim_driver_code)code);
        if (mode == SDSIM_BUS_SPI ? !class->spi : !class->sd) {
            continue;
        }
        tested++;
        print_message("%s\n", class->name);
        for (uint64_t i = only == UINT64_MAX ? 0 : only;
             i < (only == UINT64_MAX ? count : only + 1); i++) {
            run_driver(seed, i, (enum sdsim_driver_code)code, mode);
        }
    }
    assert_true(tested >= least);
}

static void spi_drivers(void **state)
{
    (void)state;
    every_driver(SDSIM_BUS_SPI, 3);
}

static void sd_1_bit_drivers(void **state)
{
    (void)state;
    every_driver(SDSIM_BUS_SD1, 2);
}

static void sd_4_bit_drivers(void **state)
{
    (void)state;
    every_driver(SDSIM_BUS_SD4, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(transactions),
        cmocka_unit_test(spi_drivers),
        cmocka_unit_test(sd_1_bit_drivers),
        cmocka_unit_test(sd_4_bit_drivers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
