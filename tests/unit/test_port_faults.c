/* Faults on order, as a host sees them over SPI; and what the wire port tells a listener on the SD
 * bus. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdbool.h>

#include "core/crc.h"
#include "port/wire.h"

#define BYTE SDSIM_US

static const struct sdsim_card_params sdhc = {
    .type = SDSIM_SDHC,
    .capacity = 4 << 20,
    .n_cr = 1,
    .n_ac = 1,
    .n_br = 1,
    .n_cr_clocks = 4,
    .flash = {.rd1 = 10 * BYTE, .w1 = 20 * BYTE, .wstop = 20 * BYTE, .page_bytes = 32768},
};

struct bench {
    struct sdsim_medium *medium;
    struct sdsim_faults faults;
    struct sdsim_card card;
    struct sdsim_spi_pins pins;
    sdsim_ps now;
};

static uint8_t exchange(struct bench *bench, uint8_t mosi)
{
    const uint8_t miso = sdsim_spi_exchange(&bench->pins, bench->now, bench->now + BYTE, mosi);
    bench->now += BYTE;
    return miso;
}

/* The first byte that is not `idle`, which stays for at most 200. */
static uint8_t await(struct bench *bench, uint8_t idle)
{
    uint8_t byte = idle;
    for (unsigned i = 0; i < 200 && byte == idle; i++) {
        byte = exchange(bench, 0xFF);
    }
    return byte;
}

static uint8_t command(struct bench *bench, uint8_t index, uint32_t argument)
{
    uint8_t frame[6] = {(uint8_t)(0x40 | index), (uint8_t)(argument >> 24),
                        (uint8_t)(argument >> 16), (uint8_t)(argument >> 8), (uint8_t)argument};
    frame[5] = sdsim_crc7_byte(frame, 5);
    for (unsigned i = 0; i < sizeof frame; i++) {
        (void)exchange(bench, frame[i]);
    }
    return await(bench, 0xFF);
}

/* R2 of CMD13. */
static unsigned status(struct bench *bench)
{
    const unsigned r1 = command(bench, 13, 0);
    return r1 << 8 | exchange(bench, 0xFF);
}

static uint8_t write_block(struct bench *bench, uint8_t fill)
{
    uint8_t block[SDSIM_SECTOR];
    (void)exchange(bench, 0xFE);
    for (unsigned i = 0; i < SDSIM_SECTOR; i++) {
        block[i] = fill;
        (void)exchange(bench, fill);
    }
    const uint16_t crc = sdsim_crc16(block, SDSIM_SECTOR);
    (void)exchange(bench, (uint8_t)(crc >> 8));
    (void)exchange(bench, (uint8_t)crc);
    return exchange(bench, 0xFF);
}

static bool read_is_right(struct bench *bench)
{
    uint8_t block[SDSIM_SECTOR + 2];
    assert_int_equal(command(bench, 17, 0), 0x00);
    assert_int_equal(await(bench, 0xFF), 0xFE);
    for (unsigned i = 0; i < sizeof block; i++) {
        block[i] = exchange(bench, 0xFF);
    }
    return sdsim_crc16(block, sizeof block) == 0;
}

static void power_up(struct bench *bench)
{
    *bench = (struct bench){.now = SDSIM_MS};
    bench->medium = sdsim_medium_create(sdsim_csd_sectors(&sdhc), 0x00);
    assert_non_null(bench->medium);
    sdsim_card_init(&bench->card, &sdhc, bench->medium, 1, 0);
    bench->card.faults = &bench->faults;
    sdsim_spi_pins_init(&bench->pins, &bench->card);
}

static void initialise(struct bench *bench)
{
    sdsim_spi_select(&bench->pins, true);
    assert_int_equal(command(bench, 0, 0), 0x01);
    assert_int_equal(command(bench, 8, 0x1AA), 0x01);
    assert_int_equal(command(bench, 55, 0), 0x01);
    assert_int_equal(command(bench, 41, SDSIM_OCR_CCS), 0x00);
}

static void reading(void **state)
{
    (void)state;
    struct bench bench;
    power_up(&bench);
    initialise(&bench);
    sdsim_faults_arm(&bench.faults, SDSIM_FAULT_READ_CRC, 1, 2, 0);
    static const bool right[] = {true, false, false, true};
    for (unsigned i = 0; i < 4; i++) {
        assert_int_equal(read_is_right(&bench), right[i]);
    }
    assert_int_equal(bench.faults.struck[SDSIM_FAULT_READ_CRC], 2);
    sdsim_faults_arm(&bench.faults, SDSIM_FAULT_READ_ERROR, 0, 1, 0);
    assert_int_equal(command(&bench, 17, 0), 0x00);
    assert_int_equal(await(&bench, 0xFF), 0x04);
    assert_int_equal(await(&bench, 0xFF), 0xFF);
    assert_int_equal(status(&bench), SDSIM_R2_ECC_FAILED);
    sdsim_faults_arm(&bench.faults, SDSIM_FAULT_READ_ERROR, 0, 1, 0x02);
    assert_int_equal(command(&bench, 18, 0), 0x00);
    assert_int_equal(await(&bench, 0xFF), 0x02);
    assert_int_equal(await(&bench, 0xFF), 0xFF); /* nothing more until it is stopped */
    assert_int_equal(command(&bench, 12, 0), 0x00);
    assert_true(read_is_right(&bench));
    sdsim_medium_destroy(bench.medium);
}

static void writing(void **state)
{
    (void)state;
    struct bench bench;
    uint8_t stored[SDSIM_SECTOR];
    power_up(&bench);
    initialise(&bench);
    sdsim_faults_arm(&bench.faults, SDSIM_FAULT_WRITE_CRC, 0, 1, 0);
    sdsim_faults_arm(&bench.faults, SDSIM_FAULT_WRITE_ERROR, 0, 1, 0);
    static const uint8_t responses[] = {0x0B, 0x0D, 0x05};
    static const uint8_t r2[] = {0x00, SDSIM_R2_ERROR, 0x00};
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(command(&bench, 24, 5), 0x00);
        assert_int_equal(write_block(&bench, 0x77), responses[i]);
        (void)await(&bench, 0x00);
        assert_int_equal(status(&bench), r2[i]);
        sdsim_medium_read(bench.medium, 5, 1, stored);
        assert_int_equal(stored[0], i < 2 ? 0x00 : 0x77);
    }
    sdsim_faults_arm(&bench.faults, SDSIM_FAULT_STUCK_BUSY, 0, 1, 0);
    assert_int_equal(command(&bench, 24, 5), 0x00);
    assert_int_equal(write_block(&bench, 0x78), 0x05);
    bench.now += 1000 * SDSIM_S;
    assert_int_equal(await(&bench, 0x00), 0x00);
    initialise(&bench); /* CMD0 ends it */
    assert_int_equal(await(&bench, 0xFF), 0xFF);
    sdsim_medium_destroy(bench.medium);
}

static void silence(void **state)
{
    (void)state;
    struct bench bench;
    power_up(&bench);
    initialise(&bench);
    sdsim_faults_arm(&bench.faults, SDSIM_FAULT_NO_RESPONSE, 0, SDSIM_FAULT_FOREVER, 58);
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(command(&bench, 58, 0), 0xFF);
        assert_int_equal(command(&bench, 16, 512), 0x00);
    }
    sdsim_faults_arm(&bench.faults, SDSIM_FAULT_NO_RESPONSE, 0, 0, 0);
    assert_int_equal(command(&bench, 58, 0), 0x00);
    sdsim_faults_remove(&bench.faults);
    assert_int_equal(command(&bench, 13, 0), 0xFF);
    assert_int_equal(command(&bench, 0, 0), 0xFF);
    sdsim_faults_insert(&bench.faults);
    sdsim_card_power_up(&bench.card, bench.now);
    assert_int_equal(command(&bench, 13, 0), 0xFF); /* in SD mode again */
    initialise(&bench);
    for (enum sdsim_fault fault = 0; fault < SDSIM_FAULT_COUNT; fault++) {
        assert_non_null(sdsim_fault_name(fault));
    }
    sdsim_medium_destroy(bench.medium);
}

/* ---- the listener on the SD bus ---- */

struct ear {
    struct sdsim_wire_listener listener;
    uint64_t clocks;
    uint64_t driven_cmd;
    uint64_t driven_dat;
    sdsim_ps end;
    uint64_t frame; /* the last 48 bits on CMD while the host held it */
};

static void hear(struct sdsim_wire_listener *listener, sdsim_ps start, sdsim_ps end,
                 struct sdsim_sd_lines lines, bool host_drives_cmd, bool host_drives_dat)
{
    struct ear *ear = (struct ear *)listener;
    assert_true(start >= ear->end && end > start);
    ear->end = end;
    ear->clocks++;
    ear->driven_cmd += host_drives_cmd ? 1 : 0;
    ear->driven_dat += host_drives_dat ? 1 : 0;
    ear->frame = host_drives_cmd ? ear->frame << 1 | lines.cmd : ear->frame;
}

static void listened_to(void **state)
{
    (void)state;
    struct sdsim_medium *medium = sdsim_medium_create(sdsim_csd_sectors(&sdhc), 0x00);
    assert_non_null(medium);
    struct sdsim_card card;
    struct sdsim_meter meter = {.recorder = NULL};
    struct sdsim_wire wire;
    struct ear ear = {.listener = {.clock = hear}};
    const struct sdsim_sd_engine engine = {.copy = 0};
    sdsim_card_init(&card, &sdhc, medium, 1, 0);
    sdsim_wire_init(&wire, SDSIM_BUS_SD1, &card, &meter);
    wire.listener = &ear.listener;
    wire.port.sd = &engine;
    sdsim_clock_set(&wire.port.clock, 25000000, 1);
    static const struct {
        uint8_t command;
        uint32_t argument;
        enum sdsim_response response;
    } steps[] = {{0, 0, SDSIM_RESPONSE_NONE},
                 {8, 0x1AA, SDSIM_RESPONSE_R3},
                 {55, 0, SDSIM_RESPONSE_R1},
                 {41, SDSIM_OCR_VOLTAGES | SDSIM_OCR_CCS, SDSIM_RESPONSE_R3},
                 {55, 0, SDSIM_RESPONSE_R1},
                 {41, SDSIM_OCR_VOLTAGES | SDSIM_OCR_CCS, SDSIM_RESPONSE_R3},
                 {2, 0, SDSIM_RESPONSE_R2},
                 {3, 0, SDSIM_RESPONSE_R3},
                 {7, 0x12340000, SDSIM_RESPONSE_R1}};
    struct sdsim_result result;
    sdsim_ps now = 0;
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        if (card.state != SDSIM_CARD_READY || steps[i].command == 2) {
            const struct sdsim_transaction tx = {.flags = SDSIM_COMMAND,
                                                 .command = steps[i].command,
                                                 .argument = steps[i].argument,
                                                 .response = steps[i].response};
            sdsim_execute(&wire.port, &now, &tx, &result);
            assert_int_equal(result.outcome, SDSIM_OUTCOME_OK);
        }
    }
    assert_int_equal(card.state, SDSIM_CARD_TRANSFER);
    ear.driven_cmd = 0;
    const struct sdsim_content content = {.kind = SDSIM_CONTENT_FILL, .fill = 0xFF};
    const struct sdsim_transaction write = {.flags = SDSIM_COMMAND,
                                            .command = 24,
                                            .response = SDSIM_RESPONSE_R1,
                                            .direction = SDSIM_WRITE_BLOCKS,
                                            .blocks = 1,
                                            .block_bytes = SDSIM_SECTOR,
                                            .content = &content};
    sdsim_execute(&wire.port, &now, &write, &result);
    assert_int_equal(result.outcome, SDSIM_OUTCOME_OK);
    assert_int_equal(ear.clocks, meter.counters.bus_clocks);
    assert_int_equal(ear.driven_cmd, 48);
    assert_int_equal(ear.driven_dat, 4114);
    assert_true(ear.frame << 16 == 0x58000000006Full << 16);
    assert_int_equal(ear.end, now);
    sdsim_medium_destroy(medium);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reading),
        cmocka_unit_test(writing),
        cmocka_unit_test(silence),
        cmocka_unit_test(listened_to),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
