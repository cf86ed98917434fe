/*
 * What the SPI drivers do besides moving bytes: which commands they use and what they wait for, how
 * long they are patient, where they sleep and what the CPU's work costs, and that each of them
 * finds out what card it has.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdbool.h>

#include "spi_bench.h"

static const struct sdsim_driver_costs no_costs = {.call = 0};

/* A card whose lone writes and streams take 20 ms to commit, and nothing else any time. */
static const struct sdsim_card_params slow_commit = {
    .type = SDSIM_SDHC,
    .capacity = 64 << 20,
    .spi_hz = 25000000,
    .n_cr = 1,
    .n_ac = 1,
    .n_br = 1,
    .flash = {.page_bytes = 32768, .w1 = 20 * SDSIM_MS, .wstop = 20 * SDSIM_MS},
};

static struct sdsim_test_spi_bench *up_release(enum sdsim_driver_code code, bool stops_writes,
                                               const struct sdsim_card_params *card)
{
    static struct sdsim_driver_params params;
    params = (struct sdsim_driver_params){.code = (int)code,
                                          .status_after_read = 1,
                                          .status_after_write = 1,
                                          .tick = 10 * SDSIM_MS,
                                          .stops_writes = stops_writes};
    return sdsim_test_spi_up(card, &params, &no_costs, true);
}

static struct sdsim_test_spi_bench *up(enum sdsim_driver_code code,
                                       const struct sdsim_card_params *card)
{
    return up_release(code, false, card);
}

static const char *name_of(enum sdsim_driver_code code)
{
    return sdsim_driver_class(code)->name;
}

/* ---- policies ---- */

enum { NEVER = 0 };

/* What stays open behind a call. */
enum open { NOTHING, A_READ, A_WRITE };

static const struct policy {
    enum sdsim_driver_code code;
    unsigned ready_bytes;   /* with CS low before the first command of a read */
    uint8_t read_1, read_n; /* commands */
    uint8_t write_1, write_n;
    bool pre_erase;       /* ACMD23 before write_n */
    unsigned status_read; /* CMD13s of a read, of one block written, of more */
    unsigned status_write_1, status_write_n;
    bool returns_busy_1, returns_busy_n; /* the card is still busy when a write returns */
    enum open after_read_n, after_write_n;
    unsigned behind;   /* bytes with CS high behind a call */
    bool stops_writes; /* a release that does */
} policies[] = {
    {SDSIM_DRIVER_ARDUINO_SD, 1, 17, 18, 24, 25, true, 0, 1, 1, false, true, NOTHING, NOTHING, 0,
     false},
    {SDSIM_DRIVER_IDF_SDSPI, 0, 17, 18, 24, 25, false, 1, 1, 1, false, false, NOTHING, NOTHING, 1,
     false},
    {SDSIM_DRIVER_SDCARDIO, 1, 17, 18, 25, 25, false, 0, 0, 0, false, false, NOTHING, A_WRITE, 1,
     false},
    {SDSIM_DRIVER_MICROPYTHON, 0, 17, 18, 24, 25, false, 0, 0, 0, false, false, NOTHING, NOTHING, 1,
     false},
    {SDSIM_DRIVER_ADAFRUIT_SDCARD, 1, 17, 18, 24, 25, false, 0, 0, 0, false, true, NOTHING, NOTHING,
     1, false},
    {SDSIM_DRIVER_SDCARDIO_6, 1, 17, 18, 24, 25, false, 0, 0, 0, false, true, NOTHING, NOTHING, 1,
     false},
    {SDSIM_DRIVER_SDFAT_SHARED, 2, 18, 18, 24, 25, false, 0, 1, 0, false, true, NOTHING, NOTHING, 1,
     false},
    {SDSIM_DRIVER_ARDUINO_PICO, 2, 18, 18, 24, 25, false, 0, 1, 0, false, true, NOTHING, NOTHING, 1,
     false},
    {SDSIM_DRIVER_SDFAT_DEDICATED, 2, 18, 18, 25, 25, false, 0, 0, 0, false, false, A_READ, A_WRITE,
     0, false},
    {SDSIM_DRIVER_CARLK3_SPI, 2, 17, 18, 24, 25, false, 0, 1, 0, false, false, NOTHING, A_WRITE, 1,
     false},
    {SDSIM_DRIVER_CARLK3_FREERTOS_SPI, 2, 17, 18, 24, 25, false, 0, 1, 0, false, false, NOTHING,
     A_WRITE, 1, false},
    {SDSIM_DRIVER_CARLK3_SPI, 2, 17, 18, 24, 25, true, 0, 1, 1, false, false, NOTHING, NOTHING, 1,
     true},
    {SDSIM_DRIVER_ARDUINO_CLASSIC, 1, 17, 17, 24, 24, false, 0, 1, 8, false, false, NOTHING,
     NOTHING, 0, false},
    {SDSIM_DRIVER_CHAN_MMC, 2, 17, 18, 24, 25, true, 0, 0, 0, true, true, NOTHING, NOTHING, 1,
     false},
    {SDSIM_DRIVER_PICO_FATFS, 2, 17, 18, 24, 25, true, 0, 0, 0, true, true, NOTHING, NOTHING, 1,
     false},
    {SDSIM_DRIVER_PICO_FATFS_PIO, 2, 17, 18, 24, 25, true, 0, 0, 0, true, true, NOTHING, NOTHING, 1,
     false},
    {SDSIM_DRIVER_ZEPHYR_SDHC, 1, 17, 18, 24, 25, false, 1, 1, 1, false, false, NOTHING, NOTHING, 0,
     false},
    {SDSIM_DRIVER_NUTTX_SPI, 1, 17, 18, 24, 25, true, 0, 0, 0, false, true, NOTHING, NOTHING, 2,
     false},
    {SDSIM_DRIVER_MBED_SD, 1, 17, 18, 24, 25, true, 0, 0, 0, false, true, NOTHING, NOTHING, 0,
     false},
    {SDSIM_DRIVER_PROFFIEOS_SPI, 1, 17, 18, 24, 25, false, 0, 1, 1, false, false, NOTHING, NOTHING,
     1, false},
    {SDSIM_DRIVER_P2_SD, 1, 17, 18, 24, 25, false, 1, 1, 1, false, false, NOTHING, NOTHING, 0,
     false},
    {SDSIM_DRIVER_GENERIC_SPI, 2, 17, 18, 24, 25, false, 1, 1, 1, false, false, NOTHING, NOTHING, 1,
     false},
};

static void expect(const struct policy *policy, const char *what, uint64_t expected, uint64_t got)
{
    if (expected != got) {
        fail_msg("%s: %s: %llu, not %llu", name_of(policy->code), what, (unsigned long long)got,
                 (unsigned long long)expected);
    }
}

static unsigned count_commands(const struct sdsim_test_spi_bench *bench, uint8_t index)
{
    return (unsigned)bench->meter.counters.commands[index];
}

static void expect_read(const struct policy *policy, uint32_t count)
{
    struct sdsim_test_spi_bench *bench =
        up_release(policy->code, policy->stops_writes, &slow_commit);
    const uint8_t command = count == 1 ? policy->read_1 : policy->read_n;
    const unsigned before = count_commands(bench, command);
    const unsigned status = count_commands(bench, 13);
    assert_int_equal(sdsim_test_spi_read(bench, 1000, count), SDSIM_DRIVER_OK);
    expect(policy, "first command of a read", command, bench->ear.first_command);
    expect(policy, "read commands", command == 17 ? count : 1,
           count_commands(bench, command) - before);
    expect(policy, "bytes before the command", policy->ready_bytes, bench->ear.low_before);
    expect(policy, "CMD13s of a read", policy->status_read, count_commands(bench, 13) - status);
    expect(policy, "CMD12s", command == 18 && policy->after_read_n == NOTHING,
           count_commands(bench, 12));
    expect(policy, "bytes behind CS high", policy->behind, bench->ear.high_behind);
    expect(policy, "an open read", policy->after_read_n == A_READ,
           bench->card.state == SDSIM_CARD_DATA);
    sdsim_test_spi_down(bench);
}

static void expect_write(const struct policy *policy, uint32_t count)
{
    struct sdsim_test_spi_bench *bench =
        up_release(policy->code, policy->stops_writes, &slow_commit);
    const bool single = count == 1;
    const uint8_t command = single ? policy->write_1 : policy->write_n;
    const unsigned before = count_commands(bench, command);
    const unsigned status = count_commands(bench, 13);
    assert_int_equal(sdsim_test_spi_write(bench, 1000, count), SDSIM_DRIVER_OK);
    expect(policy, "write commands", command == 24 ? count : 1,
           count_commands(bench, command) - before);
    expect(policy, "ACMD23s", policy->pre_erase && !single, bench->meter.counters.app_commands[23]);
    expect(policy, single ? "CMD13s of one block" : "CMD13s of several blocks",
           single ? policy->status_write_1 : policy->status_write_n,
           count_commands(bench, 13) - status);
    expect(policy, single ? "busy behind one block" : "busy behind several blocks",
           single ? policy->returns_busy_1 : policy->returns_busy_n,
           bench->card.busy.at > bench->now);
    expect(policy, "bytes behind CS high", policy->behind, bench->ear.high_behind);
    if (!single) {
        expect(policy, "an open write", policy->after_write_n == A_WRITE,
               bench->card.state == SDSIM_CARD_RECEIVE);
    }
    sdsim_test_spi_down(bench);
}

static void use_these_commands(void **state)
{
    (void)state;
    unsigned tested = 0;
    for (size_t i = 0; i < sizeof policies / sizeof *policies; i++) {
        expect_read(&policies[i], 1);
        expect_read(&policies[i], 8);
        expect_write(&policies[i], 1);
        expect_write(&policies[i], 8);
        tested += policies[i].stops_writes ? 0 : 1;
    }
    for (int code = 0; code < SDSIM_DRIVER_COUNT; code++) {
        tested -= sdsim_driver_class((enum sdsim_driver_code)code)->spi ? 1 : 0;
    }
    assert_int_equal(tested, 0); /* no driver over SPI is missing */
}

/* ---- patience ---- */

/* How long a driver waits for a card that stays busy, for data, and for a block to be written;
 * NEVER: it does not wait there. */
static const struct patience {
    enum sdsim_driver_code code;
    unsigned ready_ms, token_ms, written_ms;
} patience[] = {
    {SDSIM_DRIVER_ARDUINO_SD, 500, 500, NEVER},     {SDSIM_DRIVER_IDF_SDSPI, NEVER, 1000, 5000},
    {SDSIM_DRIVER_SDCARDIO, 300, 500, NEVER},       {SDSIM_DRIVER_MICROPYTHON, NEVER, 100, NEVER},
    {SDSIM_DRIVER_SDFAT_SHARED, 300, 300, 600},     {SDSIM_DRIVER_SDFAT_DEDICATED, 300, 300, NEVER},
    {SDSIM_DRIVER_CARLK3_SPI, 2000, 1000, 2000},    {SDSIM_DRIVER_ARDUINO_CLASSIC, 300, 300, 600},
    {SDSIM_DRIVER_CHAN_MMC, 500, 200, NEVER},       {SDSIM_DRIVER_PICO_FATFS, 500, 200, NEVER},
    {SDSIM_DRIVER_PICO_FATFS_PIO, 500, 200, NEVER}, {SDSIM_DRIVER_ZEPHYR_SDHC, NEVER, 10000, 1000},
    {SDSIM_DRIVER_NUTTX_SPI, 500, 300, 500},        {SDSIM_DRIVER_MBED_SD, 10000, 300, 10000},
    {SDSIM_DRIVER_PROFFIEOS_SPI, NEVER, 100, 250},  {SDSIM_DRIVER_P2_SD, NEVER, 1000, 500},
    {SDSIM_DRIVER_GENERIC_SPI, 500, 500, 500},
};

/* A call that failed for this reason after this long, give or take a sleep. */
static void expect_gave_up(const struct sdsim_test_spi_bench *bench, enum sdsim_driver_error error,
                           enum sdsim_outcome outcome, sdsim_ps since, unsigned ms)
{
    const char *name = bench->driver.class->name;
    const sdsim_ps took = bench->driver.fault.at - since;
    if (error != SDSIM_DRIVER_FAILED || bench->driver.fault.outcome != outcome) {
        fail_msg("%s: outcome %d after %llu us, not %d", name, (int)bench->driver.fault.outcome,
                 (unsigned long long)(took / SDSIM_US), (int)outcome);
    }
    if (took < ms * SDSIM_MS || took > (ms + 21) * SDSIM_MS) {
        fail_msg("%s: gave up after %llu us, not %u ms", name,
                 (unsigned long long)(took / SDSIM_US), ms);
    }
}

static void give_up_in_time(void **state)
{
    (void)state;
    const sdsim_ps forever = 3600 * SDSIM_S;
    struct sdsim_card_params no_data = slow_commit;
    struct sdsim_card_params no_end = slow_commit;
    no_data.flash.rd1 = forever;
    no_end.flash.w1 = forever;
    for (size_t i = 0; i < sizeof patience / sizeof *patience; i++) {
        const struct patience *row = &patience[i];
        struct sdsim_test_spi_bench *bench = up(row->code, &slow_commit);
        sdsim_ps since = bench->now;
        if (row->ready_ms != NEVER) {
            bench->card.busy.at = forever;
            expect_gave_up(bench, sdsim_test_spi_read(bench, 0, 1), SDSIM_OUTCOME_NOT_READY, since,
                           row->ready_ms);
        }
        sdsim_test_spi_down(bench);

        bench = up(row->code, &no_data);
        since = bench->now;
        expect_gave_up(bench, sdsim_test_spi_read(bench, 0, 1), SDSIM_OUTCOME_NO_DATA, since,
                       row->token_ms);
        sdsim_test_spi_down(bench);

        bench = up(row->code, &no_end);
        since = bench->now;
        if (row->written_ms != NEVER) {
            expect_gave_up(bench, sdsim_test_spi_write(bench, 0, 1), SDSIM_OUTCOME_STILL_BUSY,
                           since, row->written_ms);
        }
        sdsim_test_spi_down(bench);
    }
}

/* ---- identification ---- */

static void find_out_the_card(void **state)
{
    (void)state;
    static const struct {
        int type;
        uint64_t capacity;
    } cards[] = {{SDSIM_SDSC, 512 << 20}, {SDSIM_SDHC, 64 << 20}, {SDSIM_SDXC, 64 << 20}};
    for (int code = 0; code < SDSIM_DRIVER_COUNT; code++) {
        for (size_t c = 0; c < sizeof cards / sizeof *cards; c++) {
            if (!sdsim_driver_class((enum sdsim_driver_code)code)->spi) {
                continue;
            }
            struct sdsim_card_params card = slow_commit;
            card.type = cards[c].type;
            card.capacity = cards[c].capacity;
            card.init_time = 70 * SDSIM_MS;
            struct sdsim_test_spi_bench *bench = up((enum sdsim_driver_code)code, &card);
            struct sdsim_driver *driver = &bench->driver;
            assert_int_equal(driver->sectors, sdsim_csd_sectors(&card));
            assert_int_equal(driver->block_addresses, card.type != SDSIM_SDSC);
            assert_true(bench->now >= card.init_time);
            /* The address is right: what is written at the end is found there. */
            const struct sdsim_content content = {.kind = SDSIM_CONTENT_GENERATED, .seed = 7};
            uint8_t written[2 * SDSIM_SECTOR];
            uint8_t found[2 * SDSIM_SECTOR];
            sdsim_content_bytes(&content, 0, written, sizeof written);
            const uint32_t lba = driver->sectors - 2;
            assert_int_equal(
                sdsim_driver_write(driver, &bench->now, lba, 2, SDSIM_FOR_DATA, &content),
                SDSIM_DRIVER_OK);
            assert_int_equal(sdsim_driver_read(driver, &bench->now, lba, 2, SDSIM_FOR_DATA, found),
                             SDSIM_DRIVER_OK);
            assert_memory_equal(written, found, sizeof written);
            sdsim_medium_read(bench->medium, lba, 2, found);
            assert_memory_equal(written, found, sizeof written);
            sdsim_test_spi_down(bench);
        }
    }
}

/* ---- sleeps, and work behind the bus ---- */

/* The time of one call, from nothing. */
static sdsim_ps time_of(const struct sdsim_card_params *card,
                        const struct sdsim_driver_params *params,
                        const struct sdsim_driver_costs *costs, bool write, uint32_t count)
{
    struct sdsim_test_spi_bench *bench = sdsim_test_spi_up(card, params, costs, true);
    const sdsim_ps start = bench->now;
    assert_int_equal(write ? sdsim_test_spi_write(bench, 1000, count)
                           : sdsim_test_spi_read(bench, 1000, count),
                     SDSIM_DRIVER_OK);
    const sdsim_ps span = bench->now - start;
    sdsim_test_spi_down(bench);
    return span;
}

/* A card that has its data, and each further block's, 250 us late. */
static void access_is_quantised(void **state)
{
    (void)state;
    struct sdsim_card_params prompt = slow_commit;
    struct sdsim_card_params late = slow_commit;
    late.flash.rd1 = late.flash.rdn = 250 * SDSIM_US;
    const struct {
        struct sdsim_driver_params params;
        sdsim_ps each; /* what it costs per block: the sleeps, and the bytes between them */
    } rows[] = {
        {{.code = SDSIM_DRIVER_MICROPYTHON}, SDSIM_MS},
        {{.code = SDSIM_DRIVER_CHAN_MMC, .poll_sleep = 100 * SDSIM_US}, 300 * SDSIM_US},
        {{.code = SDSIM_DRIVER_GENERIC_SPI, .poll_sleep = 10 * SDSIM_US}, 250 * SDSIM_US},
        {{.code = SDSIM_DRIVER_GENERIC_SPI}, 250 * SDSIM_US},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const sdsim_ps extra = time_of(&late, &rows[i].params, &no_costs, false, 4) -
                               time_of(&prompt, &rows[i].params, &no_costs, false, 4);
        /* The prompt card's N_AC byte is a missed look as well. */
        const sdsim_ps missed =
            rows[i].params.code == SDSIM_DRIVER_MICROPYTHON ? SDSIM_MS : rows[i].params.poll_sleep;
        const sdsim_ps least = 4 * (rows[i].each - missed);
        if (extra + 4 * 2 * SDSIM_US < least || extra > least + 4 * 12 * SDSIM_US) {
            fail_msg("row %zu: %llu ns more, not %llu", i, (unsigned long long)(extra / SDSIM_NS),
                     (unsigned long long)(least / SDSIM_NS));
        }
    }
}

/* A response that is not in Zephyr's window is looked for at once, and then every 10 ms. */
static void a_late_response_costs_sleeps(void **state)
{
    (void)state;
    const struct sdsim_driver_params params = {.code = SDSIM_DRIVER_ZEPHYR_SDHC};
    for (unsigned n_cr = 1; n_cr <= 8; n_cr++) {
        struct sdsim_card_params card = slow_commit;
        card.n_cr = n_cr;
        const sdsim_ps sleeps = (n_cr > 2 ? n_cr - 2 : 0) * 10 * SDSIM_MS;
        const sdsim_ps took = time_of(&card, &params, &no_costs, false, 1);
        assert_in_range(took, sleeps + 200 * SDSIM_US, sleeps + 300 * SDSIM_US);
    }
}

/* NuttX spins for 10 ms, then sleeps for 10 ms, and wakes at a tick. */
static void nuttx_wakes_at_ticks(void **state)
{
    (void)state;
    const struct sdsim_driver_params params = {.code = SDSIM_DRIVER_NUTTX_SPI,
                                               .tick = 10 * SDSIM_MS};
    static const struct {
        sdsim_ps busy;
        bool sleeps;
    } rows[] = {
        {5 * SDSIM_MS, false}, {9 * SDSIM_MS, false}, {12 * SDSIM_MS, true}, {31 * SDSIM_MS, true}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct sdsim_card_params card = slow_commit;
        card.flash.w1 = rows[i].busy;
        struct sdsim_test_spi_bench *bench = sdsim_test_spi_up(&card, &params, &no_costs, true);
        assert_int_equal(sdsim_test_spi_write(bench, 1000, 1), SDSIM_DRIVER_OK);
        const sdsim_ps over = bench->now - bench->card.busy.at;
        if (rows[i].sleeps) { /* then the last look and the two bytes behind CS high */
            assert_in_range(bench->now % (10 * SDSIM_MS), 1, 3 * SDSIM_US);
            assert_in_range(over, 0, 20 * SDSIM_MS);
        } else {
            assert_in_range(over, 0, 3 * SDSIM_US);
        }
        sdsim_test_spi_down(bench);
    }
}

/* carlk3's CRC16 goes along with the data: it shows where it is longer, and behind a read. */
static void crc_hides_behind_data(void **state)
{
    (void)state;
    const struct sdsim_driver_params params = {.code = SDSIM_DRIVER_CARLK3_SPI};
    const sdsim_ps block = 512 * 400 * SDSIM_NS; /* at 20 MHz */
    static const sdsim_ps works[] = {0, 66 * SDSIM_US, 204 * SDSIM_US, 300 * SDSIM_US};
    for (size_t i = 0; i < sizeof works / sizeof *works; i++) {
        const struct sdsim_driver_costs costs = {.crc16 = works[i]};
        const sdsim_ps seen = works[i] > block ? works[i] - block : 0;
        const sdsim_ps read = time_of(&slow_commit, &params, &costs, false, 8) -
                              time_of(&slow_commit, &params, &no_costs, false, 8);
        const sdsim_ps write = time_of(&slow_commit, &params, &costs, true, 8) -
                               time_of(&slow_commit, &params, &no_costs, true, 8);
        assert_int_equal(read, 7 * seen + works[i]);
        assert_int_equal(write, 8 * seen);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(use_these_commands),
        cmocka_unit_test(give_up_in_time),
        cmocka_unit_test(find_out_the_card),
        cmocka_unit_test(access_is_quantised),
        cmocka_unit_test(a_late_response_costs_sleeps),
        cmocka_unit_test(nuttx_wakes_at_ticks),
        cmocka_unit_test(crc_hides_behind_data),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
