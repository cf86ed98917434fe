/* The card's SPI pins, byte by byte: what MISO shows, and when. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdbool.h>
#include <string.h>

#include "card/spi_pins.h"
#include "core/crc.h"

#define US   SDSIM_US
#define MS   SDSIM_MS
#define BYTE US /* one byte takes a microsecond: 8 MHz */

struct bench {
    struct sdsim_card_params params;
    struct sdsim_medium *medium;
    struct sdsim_card card;
    struct sdsim_spi_pins pins;
    sdsim_ps now;
};

static const struct sdsim_card_params plain = {
    .type = SDSIM_SDHC,
    .capacity = 4 << 20,
    .n_cr = 2,
    .n_ac = 3,
    .n_br = 1,
    .flash = {.rd1 = 10 * BYTE,
              .rdn = 7 * BYTE,
              .w1 = 20 * BYTE,
              .wn = 5 * BYTE,
              .wstop = 9 * BYTE,
              .page_bytes = 32768,
              .erase = 30 * BYTE},
};

static uint8_t exchange(struct bench *bench, uint8_t mosi)
{
    const uint8_t miso = sdsim_spi_exchange(&bench->pins, bench->now, bench->now + BYTE, mosi);
    bench->now += BYTE;
    return miso;
}

/* Clocks 0xFF until `byte` is there; returns how many other bytes came before. They must all be
 * `meanwhile`. */
static unsigned until(struct bench *bench, uint8_t byte, uint8_t meanwhile)
{
    for (unsigned i = 0;; i++) {
        const uint8_t miso = exchange(bench, 0xFF);
        if (miso == byte) {
            return i;
        }
        if (miso != meanwhile || i > 10000) {
            fail_msg("byte %u is %02X, not %02X", i, miso, meanwhile);
        }
    }
}

static void expect(struct bench *bench, unsigned count, uint8_t byte)
{
    for (unsigned i = 0; i < count; i++) {
        const uint8_t miso = exchange(bench, 0xFF);
        if (miso != byte) {
            fail_msg("byte %u of %u is %02X, not %02X", i, count, miso, byte);
        }
    }
}

/* Clocks a frame. Its last byte is the right CRC7, changed by `harm`. */
static void send_frame(struct bench *bench, uint8_t index, uint32_t argument, uint8_t harm)
{
    uint8_t frame[6] = {(uint8_t)(0x40 | index),   (uint8_t)(argument >> 24),
                        (uint8_t)(argument >> 16), (uint8_t)(argument >> 8),
                        (uint8_t)argument,         0};
    frame[5] = sdsim_crc7_byte(frame, 5) ^ harm;
    for (unsigned i = 0; i < 6; i++) {
        (void)exchange(bench, frame[i]);
    }
}

/* A command and its R1, which comes behind exactly N_CR bytes. */
static uint8_t command(struct bench *bench, uint8_t index, uint32_t argument)
{
    send_frame(bench, index, argument, 0);
    expect(bench, (unsigned)bench->params.n_cr, 0xFF);
    return exchange(bench, 0xFF);
}

static void power_up(struct bench *bench, const struct sdsim_card_params *params)
{
    bench->params = *params;
    bench->medium = sdsim_medium_create(sdsim_csd_sectors(params), 0x00);
    assert_non_null(bench->medium);
    sdsim_card_init(&bench->card, &bench->params, bench->medium, 1, 0);
    sdsim_spi_pins_init(&bench->pins, &bench->card);
    bench->now = MS;
}

static void ready(struct bench *bench, const struct sdsim_card_params *params)
{
    power_up(bench, params);
    sdsim_spi_select(&bench->pins, true);
    assert_int_equal(command(bench, 0, 0), 0x01);
    assert_int_equal(command(bench, 8, 0x1AA), 0x01);
    for (int i = 0; i < 4; i++) {
        (void)exchange(bench, 0xFF);
    }
    assert_int_equal(command(bench, 55, 0), 0x01);
    assert_int_equal(command(bench, 41, SDSIM_OCR_CCS), 0x00);
}

static void power_down(struct bench *bench)
{
    sdsim_medium_destroy(bench->medium);
}

/* Token, 512 bytes of `fill`, and their CRC16 changed by `harm`; then the data response. */
static uint8_t send_block(struct bench *bench, uint8_t token, uint8_t fill, uint8_t harm)
{
    uint8_t block[SDSIM_SECTOR];
    memset(block, fill, sizeof block);
    const uint16_t crc = sdsim_crc16(block, sizeof block);
    (void)exchange(bench, token);
    for (unsigned i = 0; i < sizeof block; i++) {
        (void)exchange(bench, block[i]);
    }
    (void)exchange(bench, (uint8_t)(crc >> 8));
    (void)exchange(bench, (uint8_t)crc ^ harm);
    return exchange(bench, 0xFF);
}

/* The rest of a block behind its token: all `fill`, with a right CRC. */
static void take_block(struct bench *bench, uint8_t fill)
{
    uint8_t block[SDSIM_SECTOR + 2];
    for (unsigned i = 0; i < sizeof block; i++) {
        block[i] = exchange(bench, 0xFF);
        if (i < SDSIM_SECTOR && block[i] != fill) {
            fail_msg("byte %u of the block is %02X, not %02X", i, block[i], fill);
        }
    }
    assert_int_equal(block[512] << 8 | block[513], sdsim_crc16(block, SDSIM_SECTOR));
}

/* ---- selecting and responses ---- */

static void chip_select(void **state)
{
    (void)state;
    struct bench bench;
    power_up(&bench, &plain);
    /* Not selected: the line is high and nothing is heard. */
    send_frame(&bench, 0, 0, 0);
    expect(&bench, 20, 0xFF);
    assert_false(bench.card.spi);
    /* Selected, but half of the frame was sent before CS rose: it is forgotten. */
    sdsim_spi_select(&bench.pins, true);
    (void)exchange(&bench, 0x40);
    (void)exchange(&bench, 0x00);
    sdsim_spi_select(&bench.pins, false);
    sdsim_spi_select(&bench.pins, true);
    (void)exchange(&bench, 0x00);
    (void)exchange(&bench, 0x00);
    (void)exchange(&bench, 0x00);
    (void)exchange(&bench, 0x95);
    expect(&bench, 20, 0xFF);
    assert_int_equal(command(&bench, 0, 0), 0x01);
    /* An answer that nobody fetched is gone when CS was high. */
    send_frame(&bench, 58, 0, 0);
    expect(&bench, 2, 0xFF);
    sdsim_spi_select(&bench.pins, false);
    expect(&bench, 2, 0xFF);
    sdsim_spi_select(&bench.pins, true);
    expect(&bench, 20, 0xFF);
    power_down(&bench);
}

static void before_spi_mode(void **state)
{
    (void)state;
    struct bench bench;
    power_up(&bench, &plain);
    sdsim_spi_select(&bench.pins, true);
    send_frame(&bench, 8, 0x1AA, 0);
    expect(&bench, 20, 0xFF);
    send_frame(&bench, 0, 0, 0x02); /* CMD0 needs its CRC */
    expect(&bench, 20, 0xFF);
    assert_int_equal(command(&bench, 0, 0), 0x01);
    assert_int_equal(command(&bench, 8, 0x1AA), 0x01);
    expect(&bench, 2, 0x00);
    expect(&bench, 1, 0x01);
    expect(&bench, 1, 0xAA);
    expect(&bench, 5, 0xFF);
    power_down(&bench);
}

static void response_gap(void **state)
{
    (void)state;
    for (unsigned n_cr = 0; n_cr <= 8; n_cr++) {
        struct sdsim_card_params params = plain;
        params.n_cr = n_cr;
        struct bench bench;
        ready(&bench, &params);
        send_frame(&bench, 13, 0, 0);
        assert_int_equal(until(&bench, 0x00, 0xFF), n_cr);
        assert_int_equal(exchange(&bench, 0xFF), 0x00); /* the second byte of R2 */
        expect(&bench, 3, 0xFF);
        /* Behind CMD12 there is at least the stuff byte. */
        send_frame(&bench, 12, 0, 0);
        assert_int_equal(until(&bench, 0x00, 0xFF), n_cr > 1 ? n_cr : 1);
        expect(&bench, 3, 0xFF);
        power_down(&bench);
    }
}

static void command_crc(void **state)
{
    (void)state;
    struct bench bench;
    ready(&bench, &plain);
    const uint8_t harm = 0x02;
    send_frame(&bench, 16, 512, harm); /* nobody looks */
    assert_int_equal(until(&bench, 0x00, 0xFF), 2);
    send_frame(&bench, 8, 0x1AA, harm);
    assert_int_equal(until(&bench, SDSIM_R1_CRC, 0xFF), 2);
    expect(&bench, 6, 0xFF);
    assert_int_equal(command(&bench, 59, 1), 0x00);
    send_frame(&bench, 16, 512, harm);
    assert_int_equal(until(&bench, SDSIM_R1_CRC, 0xFF), 2);
    assert_int_equal(command(&bench, 16, 512), 0x00);
    assert_int_equal(command(&bench, 59, 0), 0x00);
    send_frame(&bench, 16, 512, harm);
    assert_int_equal(until(&bench, 0x00, 0xFF), 2);
    power_down(&bench);
}

/* ---- reading ---- */

static void read_single(void **state)
{
    (void)state;
    static const struct {
        uint64_t n_ac;
        sdsim_ps rd1;
        unsigned before_token;
    } rows[] = {
        /* N_CR and R1 take 3 bytes of the access that begins with the frame's end. */
        {0, 0, 0},         {3, 0, 3},
        {3, 6 * BYTE, 3},  {3, 6 * BYTE + 1, 4},
        {0, 10 * BYTE, 7}, {8, 100 * BYTE - 1, 97},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct sdsim_card_params params = plain;
        params.n_ac = rows[i].n_ac;
        params.flash.rd1 = rows[i].rd1;
        struct bench bench;
        ready(&bench, &params);
        const struct sdsim_content content = {.kind = SDSIM_CONTENT_FILL, .fill = 0x3C};
        assert_true(sdsim_medium_write(bench.medium, 5, 1, &content));
        assert_int_equal(command(&bench, 17, 5), 0x00);
        const unsigned before = until(&bench, 0xFE, 0xFF);
        if (before != rows[i].before_token) {
            fail_msg("row %zu: %u bytes before the token", i, before);
        }
        take_block(&bench, 0x3C);
        expect(&bench, 30, 0xFF);
        assert_int_equal(bench.card.state, SDSIM_CARD_TRANSFER);
        power_down(&bench);
    }
}

static void read_multiple(void **state)
{
    (void)state;
    struct bench bench;
    ready(&bench, &plain);
    for (uint32_t lba = 0; lba < 4; lba++) {
        const struct sdsim_content content = {.kind = SDSIM_CONTENT_FILL,
                                              .fill = (uint8_t)(0x10 + lba)};
        assert_true(sdsim_medium_write(bench.medium, lba, 1, &content));
    }
    assert_int_equal(command(&bench, 18, 0), 0x00);
    assert_int_equal(until(&bench, 0xFE, 0xFF), 7); /* 10 bytes of access, 3 of them over */
    take_block(&bench, 0x10);
    assert_int_equal(until(&bench, 0xFE, 0xFF), 7); /* rdn, more than N_AC */
    take_block(&bench, 0x11);
    /* CS may rise between two blocks; the card goes on when it falls. */
    sdsim_spi_select(&bench.pins, false);
    expect(&bench, 5, 0xFF);
    sdsim_spi_select(&bench.pins, true);
    assert_int_equal(until(&bench, 0xFE, 0xFF), 3); /* N_AC counts bytes the card sees */
    take_block(&bench, 0x12);
    /* CMD12 into the next block: data until the end of the frame, then stuff byte and R1. */
    assert_int_equal(until(&bench, 0xFE, 0xFF), 7);
    expect(&bench, 10, 0x13);
    static const uint8_t stop[] = {0x4C, 0x00, 0x00, 0x00, 0x00, 0x61};
    for (unsigned i = 0; i < 6; i++) {
        assert_int_equal(exchange(&bench, stop[i]), 0x13);
    }
    assert_int_equal(until(&bench, 0x00, 0xFF), 2);
    expect(&bench, 600, 0xFF);
    assert_int_equal(bench.card.state, SDSIM_CARD_TRANSFER);
    power_down(&bench);
}

static void read_register(void **state)
{
    (void)state;
    struct bench bench;
    ready(&bench, &plain);
    assert_int_equal(command(&bench, 9, 0), 0x00);
    assert_int_equal(until(&bench, 0xFE, 0xFF), 3);
    uint8_t expected[SDSIM_CSD_BYTES];
    uint8_t got[SDSIM_CSD_BYTES + 2];
    sdsim_csd(&bench.params, 0, expected);
    for (unsigned i = 0; i < sizeof got; i++) {
        got[i] = exchange(&bench, 0xFF);
    }
    assert_memory_equal(got, expected, sizeof expected);
    assert_int_equal(got[16] << 8 | got[17], sdsim_crc16(expected, sizeof expected));
    expect(&bench, 30, 0xFF);
    /* One that nobody fetched is dropped by the next command. */
    assert_int_equal(command(&bench, 10, 0), 0x00);
    assert_int_equal(command(&bench, 16, 512), 0x00);
    expect(&bench, 30, 0xFF);
    power_down(&bench);
}

static void read_beyond_the_end(void **state)
{
    (void)state;
    struct bench bench;
    ready(&bench, &plain);
    assert_int_equal(command(&bench, 18, 8191), 0x00);
    assert_int_equal(until(&bench, 0xFE, 0xFF), 7);
    take_block(&bench, 0x00);
    assert_int_equal(until(&bench, 0x08, 0xFF), 7); /* out of range */
    assert_int_equal(until(&bench, 0x08, 0xFF), 3);
    send_frame(&bench, 12, 0, 0);
    assert_int_equal(until(&bench, 0x00, 0xFF), 2);
    expect(&bench, 30, 0xFF);
    assert_int_equal(command(&bench, 17, 8192), SDSIM_R1_PARAMETER);
    expect(&bench, 30, 0xFF);
    power_down(&bench);
}

/* ---- writing ---- */

static void write_single(void **state)
{
    (void)state;
    struct bench bench;
    ready(&bench, &plain);
    assert_int_equal(command(&bench, 24, 7), 0x00);
    expect(&bench, 5, 0xFF);
    (void)exchange(&bench, 0xFC); /* not the token of CMD24 */
    (void)exchange(&bench, 0xFD); /* nor can it be stopped */
    assert_int_equal(send_block(&bench, 0xFE, 0x77, 0) & 0x1F, 0x05);
    /* w1, in which wn is, from the end of the CRC, of which the response took one byte. */
    assert_int_equal(until(&bench, 0xFF, 0x00), 19);
    uint8_t block[SDSIM_SECTOR];
    sdsim_medium_read(bench.medium, 7, 1, block);
    assert_int_equal(block[0], 0x77);
    assert_int_equal(block[511], 0x77);
    assert_int_equal(bench.card.state, SDSIM_CARD_TRANSFER);
    power_down(&bench);
}

static void write_multiple(void **state)
{
    (void)state;
    for (unsigned n_br = 0; n_br <= 1; n_br++) {
        struct sdsim_card_params params = plain;
        params.n_br = n_br;
        struct bench bench;
        ready(&bench, &params);
        assert_int_equal(command(&bench, 25, 100), 0x00);
        for (uint8_t i = 0; i < 3; i++) {
            assert_int_equal(send_block(&bench, 0xFC, i, 0), 0x05);
            assert_int_equal(until(&bench, 0xFF, 0x00), 4);
            (void)exchange(&bench, 0xFE); /* not the token of CMD25 */
        }
        /* Open, and CS up and down in between; a status is possible. */
        sdsim_spi_select(&bench.pins, false);
        expect(&bench, 3, 0xFF);
        sdsim_spi_select(&bench.pins, true);
        assert_int_equal(command(&bench, 13, 0), 0x00);
        expect(&bench, 1, 0x00);
        assert_int_equal(send_block(&bench, 0xFC, 3, 0), 0x05);
        assert_int_equal(until(&bench, 0xFF, 0x00), 4);
        assert_int_equal(exchange(&bench, 0xFD), 0xFF);
        expect(&bench, n_br, 0xFF);
        assert_int_equal(until(&bench, 0xFF, 0x00), 9 - n_br);
        uint8_t blocks[5][SDSIM_SECTOR];
        sdsim_medium_read(bench.medium, 100, 5, blocks);
        for (uint8_t i = 0; i < 5; i++) {
            assert_int_equal(blocks[i][0], i % 4);
        }
        power_down(&bench);
    }
}

/* N_BR counts bytes that the card sees. */
static void busy_hides_behind_cs(void **state)
{
    (void)state;
    struct sdsim_card_params params = plain;
    params.flash.wstop = 100 * BYTE;
    struct bench bench;
    ready(&bench, &params);
    assert_int_equal(command(&bench, 25, 100), 0x00);
    assert_int_equal(send_block(&bench, 0xFC, 1, 0), 0x05);
    assert_int_equal(send_block(&bench, 0xFC, 1, 0), 0x05);
    assert_int_equal(until(&bench, 0xFF, 0x00), 4);
    (void)exchange(&bench, 0xFD);
    sdsim_spi_select(&bench.pins, false);
    expect(&bench, 20, 0xFF);
    sdsim_spi_select(&bench.pins, true);
    expect(&bench, 1, 0xFF);
    expect(&bench, 1, 0x00);
    sdsim_spi_select(&bench.pins, false);
    expect(&bench, 20, 0xFF); /* CS high: not seen, but it goes on */
    sdsim_spi_select(&bench.pins, true);
    assert_int_equal(until(&bench, 0xFF, 0x00), 100 - 20 - 2 - 20);
    power_down(&bench);
}

static void write_errors(void **state)
{
    (void)state;
    struct bench bench;
    ready(&bench, &plain);
    /* A wrong CRC16 matters only after CMD59. */
    assert_int_equal(command(&bench, 24, 0), 0x00);
    assert_int_equal(send_block(&bench, 0xFE, 0x01, 0x80), 0x05);
    (void)until(&bench, 0xFF, 0x00);
    assert_int_equal(command(&bench, 59, 1), 0x00);
    assert_int_equal(command(&bench, 24, 0), 0x00);
    assert_int_equal(send_block(&bench, 0xFE, 0x02, 0x80), 0x0B);
    expect(&bench, 5, 0xFF);
    assert_int_equal(bench.card.state, SDSIM_CARD_TRANSFER);
    uint8_t block[SDSIM_SECTOR];
    sdsim_medium_read(bench.medium, 0, 1, block);
    assert_int_equal(block[0], 0x01);
    power_down(&bench);
}

/* A stream is over with the first block that is refused: what comes behind it is ignored - its data
 * looks like a command here - up to the stop, and the next stream is as if nothing had been. */
static void refused_streams(void **state)
{
    (void)state;
    struct bench bench;
    uint8_t block[SDSIM_SECTOR];
    for (unsigned by_command = 0; by_command <= 1; by_command++) {
        ready(&bench, &plain);
        assert_int_equal(command(&bench, 59, 1), 0x00);
        for (unsigned beyond = 0; beyond <= 1; beyond++) {
            const uint32_t lba = beyond ? 8191 : 8000;
            assert_int_equal(command(&bench, 25, lba), 0x00);
            assert_int_equal(send_block(&bench, 0xFC, 0x01, 0), 0x05);
            (void)until(&bench, 0xFF, 0x00);
            assert_int_equal(send_block(&bench, 0xFC, 0x40, beyond ? 0 : 0x80),
                             beyond ? 0x0D : 0x0B);
            assert_int_equal(send_block(&bench, 0xFC, 0x40, 0), 0xFF);
            assert_int_equal(command(&bench, 13, 0), 0x00);
            expect(&bench, 1, beyond ? 0x80 : 0x00);
            assert_int_equal(send_block(&bench, 0xFC, 0x40, 0), 0xFF);
            expect(&bench, 5, 0xFF);
            if (by_command) {
                send_frame(&bench, 12, 0, 0);
                expect(&bench, 2, 0xFF);
                expect(&bench, 1, 0x00);
            } else {
                (void)exchange(&bench, 0xFD);
                (void)exchange(&bench, 0xFF);
            }
            (void)until(&bench, 0xFF, 0x00);
            assert_int_equal(bench.card.state, SDSIM_CARD_TRANSFER);
            assert_int_equal(bench.card.well_written, 1);
            sdsim_medium_read(bench.medium, lba, 1, block);
            assert_int_equal(block[0], 0x01);
        }
        sdsim_medium_read(bench.medium, 8001, 1, block);
        assert_int_equal(block[0], 0x00);
        power_down(&bench);
    }
}

/* ---- busy ---- */

static void answers_of_a_busy_card(void **state)
{
    (void)state;
    struct sdsim_card_params params = plain;
    params.flash.w1 = 100 * BYTE;
    struct bench bench;
    ready(&bench, &params);
    assert_int_equal(command(&bench, 24, 7), 0x00);
    assert_int_equal(send_block(&bench, 0xFE, 0x77, 0), 0x05);
    /* CMD13: zeros, whatever the answer is. */
    send_frame(&bench, 13, 0, 0);
    expect(&bench, 10, 0x00);
    /* A read is not heard: zeros until it is ready, and no R1 behind. */
    send_frame(&bench, 17, 0, 0);
    (void)until(&bench, 0xFF, 0x00);
    expect(&bench, 30, 0xFF);
    assert_int_equal(bench.card.state, SDSIM_CARD_TRANSFER);
    /* Busy ends between the bytes of an answer: the rest of it is seen. */
    bench.card.busy.at = bench.now + 8 * BYTE;
    send_frame(&bench, 13, 0, 0);
    expect(&bench, 2, 0x00);
    expect(&bench, 2, 0x00); /* R1 and the second byte of R2, unmasked */
    expect(&bench, 2, 0xFF);
    /* A frame with a wrong CRC7 is not answered either. */
    assert_int_equal(command(&bench, 59, 1), 0x00);
    bench.card.busy.at = bench.now + 7 * BYTE;
    send_frame(&bench, 13, 0, 0x02);
    expect(&bench, 1, 0x00);
    expect(&bench, 20, 0xFF);
    /* CMD0 ends it at once. */
    bench.card.busy.at = bench.now + SDSIM_S;
    assert_int_equal(command(&bench, 0, 0), 0x01);
    expect(&bench, 5, 0xFF);
    power_down(&bench);
}

/* R1 of CMD38 is seen before the busy it causes, and so is R1 of a CMD12 that ends a write. */
static void busy_behind_a_response(void **state)
{
    (void)state;
    struct sdsim_card_params params = plain;
    params.flash.wn = 600 * BYTE; /* longer than a block takes */
    struct bench bench;
    ready(&bench, &params);
    assert_int_equal(command(&bench, 32, 0), 0x00);
    assert_int_equal(command(&bench, 33, 9), 0x00);
    assert_int_equal(command(&bench, 38, 0), 0x00);
    assert_int_equal(until(&bench, 0xFF, 0x00), 30 - 3);
    assert_int_equal(command(&bench, 25, 0), 0x00);
    assert_int_equal(send_block(&bench, 0xFC, 1, 0), 0x05);
    assert_int_equal(send_block(&bench, 0xFC, 1, 0), 0x00); /* too early: masked, but taken */
    assert_int_equal(bench.card.lba, 2);
    (void)until(&bench, 0xFF, 0x00);
    send_frame(&bench, 12, 0, 0);
    expect(&bench, 2, 0xFF);
    expect(&bench, 1, 0x00);
    assert_int_equal(until(&bench, 0xFF, 0x00), 9 - 3);
    power_down(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chip_select),
        cmocka_unit_test(before_spi_mode),
        cmocka_unit_test(response_gap),
        cmocka_unit_test(command_crc),
        cmocka_unit_test(read_single),
        cmocka_unit_test(read_multiple),
        cmocka_unit_test(read_register),
        cmocka_unit_test(read_beyond_the_end),
        cmocka_unit_test(write_single),
        cmocka_unit_test(write_multiple),
        cmocka_unit_test(busy_hides_behind_cs),
        cmocka_unit_test(write_errors),
        cmocka_unit_test(refused_streams),
        cmocka_unit_test(answers_of_a_busy_card),
        cmocka_unit_test(busy_behind_a_response),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
