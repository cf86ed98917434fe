/*
 * The clock counts of SD-mode transactions, with a card that answers after the least gaps and is
 * never busy: N_CR 2, N_AC 2. The expected numbers are sums of the items and gaps of the SD Physical
 * Layer Simplified Specification and of the SanDisk SD Card Product Manual rev. 2.2, written out.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>

#include "port/port.h"

enum {
    COMMAND = 48 + 2 + 48,       /* with R1 */
    TRAILING = 8,                /* N_RC */
    PACKET1 = 1 + 4096 + 16 + 1, /* 512 bytes on one line */
    PACKET4 = 1 + 1024 + 16 + 1, /* on four */
    SECTORS = 4096,
};

static const struct sdsim_card_params params = {
    .type = SDSIM_SDHC,
    .capacity = (uint64_t)SECTORS * SDSIM_SECTOR,
    .spi_hz = 25000000,
    .high_hz = 50000000,
    .n_cr_clocks = 2,
    .flash = {.page_bytes = 65536},
};

struct bench {
    struct sdsim_medium *medium;
    struct sdsim_card card;
    struct sdsim_meter meter;
    struct sdsim_port port;
    struct sdsim_sd_engine engine;
    sdsim_ps now;
};

static uint64_t run(struct bench *bench, const struct sdsim_transaction *tx)
{
    struct sdsim_result result;
    const uint64_t before = bench->meter.counters.bus_clocks;
    const sdsim_ps start = bench->now;
    sdsim_execute(&bench->port, &bench->now, tx, &result);
    assert_int_equal(result.outcome, SDSIM_OUTCOME_OK);
    const uint64_t clocks = bench->meter.counters.bus_clocks - before;
    /* No CPU, no gap, and the clock never stops: time is clocks. */
    assert_int_equal(bench->now - start, clocks * 40000);
    return clocks;
}

static uint64_t command(struct bench *bench, uint8_t index, uint32_t argument,
                        enum sdsim_response response)
{
    const struct sdsim_transaction tx = {
        .flags = SDSIM_COMMAND, .command = index, .argument = argument, .response = response};
    return run(bench, &tx);
}

static void create(struct bench *bench, enum sdsim_bus_mode mode)
{
    *bench = (struct bench){.now = 0};
    bench->medium = sdsim_medium_create(SECTORS, 0);
    assert_non_null(bench->medium);
    sdsim_card_init(&bench->card, &params, bench->medium, 1, 0);
    sdsim_fast_init(&bench->port, mode, &bench->card, &bench->meter);
    sdsim_clock_set(&bench->port.clock, 25000000, 1);
    bench->port.sd = &bench->engine;
    command(bench, 0, 0, SDSIM_RESPONSE_NONE);
    command(bench, 8, 0x1AA, SDSIM_RESPONSE_R3);
    for (int i = 0; i < 3 && bench->card.state == SDSIM_CARD_IDLE; i++) {
        command(bench, 55, 0, SDSIM_RESPONSE_R1);
        command(bench, 41, SDSIM_OCR_VOLTAGES | SDSIM_OCR_CCS, SDSIM_RESPONSE_R3);
    }
    assert_int_equal(command(bench, 2, 0, SDSIM_RESPONSE_R2), 48 + 5 + 136 + TRAILING);
    command(bench, 3, 0, SDSIM_RESPONSE_R3);
    command(bench, 7, (uint32_t)bench->card.rca << 16, SDSIM_RESPONSE_R1);
    assert_int_equal(bench->card.state, SDSIM_CARD_TRANSFER);
    command(bench, 55, (uint32_t)bench->card.rca << 16, SDSIM_RESPONSE_R1);
    command(bench, 6, mode == SDSIM_BUS_SD4 ? 2 : 0, SDSIM_RESPONSE_R1);
}

static const struct {
    const char *name;
    uint8_t prefix; /* CMD23, or 55 for ACMD23, before it */
    uint8_t command;
    uint16_t bytes;
    uint32_t blocks;
    unsigned flags;
    bool stop; /* CMD12 after it, counted too */
    uint64_t clocks1;
    uint64_t clocks4;
} transactions[] = {
    {"CMD17", 0, 17, 512, 1, 0, false, 4164, 1092},
    {"CMD18, 8 blocks, open", 0, 18, 512, 8, 0, false, 4164 + 7 * 4116, 1092 + 7 * 1044},
    {"CMD18, 300 blocks, open", 0, 18, 512, 300, 0, false, 4164 + 299 * 4116, 1092 + 299 * 1044},
    {"CMD18, 8 blocks, CMD12", 0, 18, 512, 8, 0, true, 4164 + 7 * 4116 + 98 + 8,
     1092 + 7 * 1044 + 98 + 8},
    {"CMD18, 8 blocks, automatic CMD12", 0, 18, 512, 8, SDSIM_AUTO_STOP, false,
     4164 + 7 * 4116 + 98 + 8, 1092 + 7 * 1044 + 98 + 8},
    {"CMD23, CMD18, 8 blocks", 23, 18, 512, 8, 0, false, 106 + 4164 + 7 * 4116,
     106 + 1092 + 7 * 1044},
    {"CMD24", 0, 24, 512, 1, 0, false, 4221, 1149},
    {"CMD25, 8 blocks, open", 0, 25, 512, 8, 0, false, 4221 + 7 * 4123, 1149 + 7 * 1051},
    {"CMD25, 300 blocks, open", 0, 25, 512, 300, 0, false, 4221 + 299 * 4123, 1149 + 299 * 1051},
    {"CMD25, 8 blocks, CMD12", 0, 25, 512, 8, 0, true, 4221 + 7 * 4123 + 98 + 8,
     1149 + 7 * 1051 + 98 + 8},
    {"CMD23, CMD25, 8 blocks", 23, 25, 512, 8, 0, false, 106 + 4221 + 7 * 4123,
     106 + 1149 + 7 * 1051},
    {"ACMD23, CMD25, 8 blocks", 55, 25, 512, 8, 0, false, 212 + 4221 + 7 * 4123,
     212 + 1149 + 7 * 1051},
    {"CMD6", 0, 6, 64, 1, 0, false, 580, 196},
    {"ACMD13", 55, 13, 64, 1, 0, false, 686, 302},
};

static uint64_t count(struct bench *bench, size_t row)
{
    const bool writes = transactions[row].command == 24 || transactions[row].command == 25;
    const struct sdsim_content zeros = {.kind = SDSIM_CONTENT_FILL};
    const struct sdsim_transaction tx = {
        .flags = (uint16_t)(SDSIM_COMMAND | transactions[row].flags),
        .command = transactions[row].command,
        .argument = 64,
        .response = SDSIM_RESPONSE_R1,
        .direction = writes ? SDSIM_WRITE_BLOCKS : SDSIM_READ_BLOCKS,
        .blocks = transactions[row].blocks,
        .block_bytes = transactions[row].bytes,
        .content = &zeros,
    };
    uint64_t clocks = 0;
    if (transactions[row].prefix != 0) {
        const uint32_t rca = (uint32_t)bench->card.rca << 16;
        clocks += command(bench, transactions[row].prefix, transactions[row].prefix == 55 ? rca : 8,
                          SDSIM_RESPONSE_R1);
    }
    if (transactions[row].prefix == 55 && transactions[row].command == 25) {
        clocks += command(bench, 23, 8, SDSIM_RESPONSE_R1);
    }
    clocks += run(bench, &tx);
    if (transactions[row].stop) {
        clocks += command(bench, 12, 0, SDSIM_RESPONSE_R1);
    }
    return clocks;
}

static void clock_counts(void **state)
{
    (void)state;
    for (size_t row = 0; row < sizeof transactions / sizeof *transactions; row++) {
        for (int lines = 1; lines <= 4; lines += 3) {
            struct bench bench;
            create(&bench, lines == 1 ? SDSIM_BUS_SD1 : SDSIM_BUS_SD4);
            const uint64_t expected =
                lines == 1 ? transactions[row].clocks1 : transactions[row].clocks4;
            const uint64_t got = count(&bench, row);
            if (got != expected) {
                fail_msg("%s on %d line(s): %llu clocks, not %llu", transactions[row].name, lines,
                         (unsigned long long)got, (unsigned long long)expected);
            }
            sdsim_medium_destroy(bench.medium);
        }
    }
}

/* A busy that shows one clock late: a host that is not to miss it gives each block one clock more. */
static void late_busy(void **state)
{
    (void)state;
    static const struct {
        size_t row;
        unsigned blocks;
    } rows[] = {{6, 1}, {7, 8}, {8, 300}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        for (int lines = 1; lines <= 4; lines += 3) {
            const size_t row = rows[i].row;
            struct sdsim_card_params late = params;
            struct bench bench;
            late.n_br_clocks = 1;
            create(&bench, lines == 1 ? SDSIM_BUS_SD1 : SDSIM_BUS_SD4);
            bench.card.params = &late;
            assert_int_equal(count(&bench, row),
                             rows[i].blocks + (lines == 1 ? transactions[row].clocks1
                                                          : transactions[row].clocks4));
            sdsim_medium_destroy(bench.medium);
        }
    }
}

static void commands(void **state)
{
    (void)state;
    struct bench bench;
    create(&bench, SDSIM_BUS_SD4);
    const uint32_t rca = (uint32_t)bench.card.rca << 16;
    assert_int_equal(command(&bench, 13, rca, SDSIM_RESPONSE_R1), COMMAND + TRAILING);
    uint64_t erase = command(&bench, 32, 0, SDSIM_RESPONSE_R1);
    erase += command(&bench, 33, 100, SDSIM_RESPONSE_R1);
    erase += command(&bench, 38, 0, SDSIM_RESPONSE_R1);
    assert_int_equal(erase, 318);
    /* A wait by CMD13 on a card that is ready is one look. */
    const struct sdsim_wait status = {.test = SDSIM_READY_STATUS};
    const struct sdsim_transaction look = {.finish = &status};
    assert_int_equal(run(&bench, &look), COMMAND + TRAILING);
    assert_int_equal(PACKET1, sdsim_bus_packet_clocks(SDSIM_BUS_SD1, 512));
    assert_int_equal(PACKET4, sdsim_bus_packet_clocks(SDSIM_BUS_SD4, 512));
    sdsim_medium_destroy(bench.medium);
}

/* What the host adds, one item at a time; 25 MHz, four lines. */
static const sdsim_ps period = 40000;

struct addition {
    const char *name;
    struct sdsim_sd_engine engine;
    bool write;
    uint32_t blocks;
    unsigned flags;
    sdsim_ps more; /* than without */
};

static const struct addition additions[] = {
    {"gap after each block read", {.block_gap = 5000}, false, 300, 0, 300 * 5000},
    {"start of each block written", {.block_start = 5000}, true, 300, 0, 300 * 5000},
    {"FIFO faster than the bus", {.fifo = 1024 * 40000}, false, 300, 0, 0},
    {"FIFO slower by 7 ps a block, reading", {.fifo = 1024 * 40000 + 7}, false, 300, 0, 300 * 7},
    {"FIFO slower by 7 ps a block, writing", {.fifo = 1024 * 40000 + 7}, true, 300, 0, 300 * 7},
    {"checks faster than blocks arrive: the last one",
     {.read_cpu = 1044 * 40000},
     false,
     300,
     0,
     1044 * 40000},
    {"checks slower by 7 ps a block",
     {.read_cpu = 1044 * 40000 + 7},
     false,
     300,
     0,
     1044 * 40000 + 300 * 7},
    {"CRC made beside the block before: the first one",
     {.write_cpu = 1051 * 40000},
     true,
     300,
     0,
     1051 * 40000},
    {"CRC slower by 7 ps a block",
     {.write_cpu = 1051 * 40000 + 7},
     true,
     300,
     0,
     1051 * 40000 + 300 * 7},
    /* This card's data comes beside the response, and is held up in the middle. */
    {"clock stopped between response and data",
     {.clock_stops = true, .command_after = 5000},
     false,
     1,
     0,
     5000},
    {"18 clocks before an automatic CMD12",
     {.stop_clocks = 18},
     false,
     8,
     SDSIM_AUTO_STOP,
     18 * 40000},
};

static sdsim_ps span(const struct sdsim_sd_engine *engine, const struct addition *row)
{
    const struct sdsim_content zeros = {.kind = SDSIM_CONTENT_FILL};
    const struct sdsim_transaction tx = {
        .flags = (uint16_t)(SDSIM_COMMAND | row->flags),
        .command = row->write ? 25 : 18,
        .response = SDSIM_RESPONSE_R1,
        .direction = row->write ? SDSIM_WRITE_BLOCKS : SDSIM_READ_BLOCKS,
        .blocks = row->blocks,
        .block_bytes = SDSIM_SECTOR,
        .content = &zeros,
    };
    struct sdsim_result result;
    struct bench bench;
    create(&bench, SDSIM_BUS_SD4);
    bench.engine = *engine;
    const sdsim_ps start = bench.now;
    sdsim_execute(&bench.port, &bench.now, &tx, &result);
    assert_int_equal(result.blocks_done, row->blocks);
    sdsim_medium_destroy(bench.medium);
    return bench.now - start;
}

static void what_the_host_adds(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof additions / sizeof *additions; i++) {
        const struct addition *row = &additions[i];
        const struct sdsim_sd_engine none = {.copy = 0};
        const sdsim_ps more = span(&row->engine, row) - span(&none, row);
        if (more != row->more) {
            fail_msg("%s: %llu ps more, not %llu", row->name, (unsigned long long)more,
                     (unsigned long long)row->more);
        }
    }
}

/* A block left to the controller: the call is over when the FIFO has it, the next transaction waits
 * for the rest, and only for what is left of it. */
static void write_behind(void **state)
{
    (void)state;
    static const struct {
        sdsim_ps idle; /* between the two */
        sdsim_ps wait; /* of the second */
    } rows[] = {{0, 1045 * 40000}, {1000 * 40000, 45 * 40000}, {2000 * 40000, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct sdsim_content zeros = {.kind = SDSIM_CONTENT_FILL};
        const struct sdsim_transaction tx = {
            .flags = SDSIM_COMMAND | SDSIM_WRITE_BEHIND,
            .command = 25,
            .response = SDSIM_RESPONSE_R1,
            .direction = SDSIM_WRITE_BLOCKS,
            .blocks = 1,
            .block_bytes = SDSIM_SECTOR,
            .content = &zeros,
        };
        const struct sdsim_transaction stop = {
            .flags = SDSIM_COMMAND, .command = 12, .response = SDSIM_RESPONSE_R1};
        struct sdsim_result result;
        struct bench bench;
        create(&bench, SDSIM_BUS_SD4);
        bench.engine.fifo = 3 * period; /* and N_WR and the start bit */
        const sdsim_ps start = bench.now;
        sdsim_execute(&bench.port, &bench.now, &tx, &result);
        assert_int_equal(bench.now - start, (98 + 2 + 1 + 3) * period);
        sdsim_spend(&bench.meter, &bench.now, SDSIM_IDLE, SDSIM_LANE_TASK, rows[i].idle);
        const sdsim_ps then = bench.now;
        sdsim_execute(&bench.port, &bench.now, &stop, &result);
        assert_int_equal(result.outcome, SDSIM_OUTCOME_OK);
        assert_int_equal(bench.now - then, rows[i].wait + 106 * period);
        assert_int_equal(sdsim_account_total(&bench.meter.account), bench.now);
        sdsim_medium_destroy(bench.medium);
    }
}

/* Waits by CMD13 for a busy of 5 ms that began `into` after a tick, looks of 106 clocks (4.24 us). */
static void sleeps(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        struct sdsim_wait wait;
        sdsim_ps into;
        uint64_t looks;
        sdsim_ps end; /* after the busy began */
    } rows[] = {
        {"spinning", {.test = SDSIM_READY_STATUS}, 0, 1180, 1180 * 4240000ull},
        {"100 us",
         {.test = SDSIM_READY_STATUS, .sleep = 100 * SDSIM_US},
         0,
         49,
         49 * 4240000ull + 48 * 100 * SDSIM_US},
        /* HAL_Delay(1): to the end of the next tick; the last look begins at a tick. */
        {"one tick more",
         {.test = SDSIM_READY_STATUS, .sleep = SDSIM_MS, .tick = SDSIM_MS},
         300 * SDSIM_US,
         4,
         6 * SDSIM_MS - 300 * SDSIM_US + 4240000},
        {"one tick more, late in it",
         {.test = SDSIM_READY_STATUS, .sleep = SDSIM_MS, .tick = SDSIM_MS},
         900 * SDSIM_US,
         4,
         6 * SDSIM_MS - 900 * SDSIM_US + 4240000},
        /* usleep(1000) with ticks of 10 ms: 10 to 20 ms. */
        {"ten-millisecond ticks",
         {.test = SDSIM_READY_STATUS, .sleep = 10 * SDSIM_MS, .tick = 10 * SDSIM_MS},
         300 * SDSIM_US,
         2,
         20 * SDSIM_MS - 300 * SDSIM_US + 4240000},
        /* 48, 96, ... 3072 us: 6096 us of sleep */
        {"doubling",
         {.test = SDSIM_READY_STATUS, .sleep = 48 * SDSIM_US, .sleep_most = SDSIM_S},
         0,
         8,
         8 * 4240000ull + 6096 * SDSIM_US},
    };
    struct sdsim_card_params slow = params;
    slow.flash.w1 = 5 * SDSIM_MS;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct sdsim_content zeros = {.kind = SDSIM_CONTENT_FILL};
        const struct sdsim_transaction tx = {
            .flags = SDSIM_COMMAND | SDSIM_LEAVE_BUSY,
            .command = 24,
            .response = SDSIM_RESPONSE_R1,
            .direction = SDSIM_WRITE_BLOCKS,
            .blocks = 1,
            .block_bytes = SDSIM_SECTOR,
            .content = &zeros,
        };
        const struct sdsim_transaction wait = {.ready = &rows[i].wait};
        struct sdsim_result result;
        struct bench bench;
        create(&bench, SDSIM_BUS_SD4);
        bench.card.params = &slow;
        bench.card.flash.params = &slow.flash;
        /* The look begins 7 clocks (CRC status) after the busy does; both are moved to a tick. */
        const sdsim_ps block_end = 1142 * period;
        bench.now = 20 * SDSIM_MS + rows[i].into - block_end - 7 * period;
        sdsim_execute(&bench.port, &bench.now, &tx, &result);
        assert_int_equal(bench.now, 20 * SDSIM_MS + rows[i].into);
        const uint64_t looks = bench.meter.counters.commands[13];
        sdsim_execute(&bench.port, &bench.now, &wait, &result);
        if (bench.meter.counters.commands[13] - looks != rows[i].looks ||
            bench.now != 20 * SDSIM_MS + rows[i].into + rows[i].end) {
            fail_msg("%s: %llu looks until %llu ps, not %llu until %llu", rows[i].name,
                     (unsigned long long)(bench.meter.counters.commands[13] - looks),
                     (unsigned long long)(bench.now - 20 * SDSIM_MS - rows[i].into),
                     (unsigned long long)rows[i].looks, (unsigned long long)rows[i].end);
        }
        sdsim_medium_destroy(bench.medium);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clock_counts), cmocka_unit_test(late_busy),
        cmocka_unit_test(commands),     cmocka_unit_test(what_the_host_adds),
        cmocka_unit_test(write_behind), cmocka_unit_test(sleeps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
