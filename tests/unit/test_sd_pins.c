/* The card's lines in SD mode, clock by clock: frames, gaps, blocks, check sums, busy. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdbool.h>
#include <string.h>

#include "card/sd_pins.h"
#include "core/crc.h"

#define CLOCK (40 * SDSIM_NS) /* 25 MHz */

enum {
    N_CR = 7,
    N_ID = 5,
    MOST = 5000,
};

static const struct sdsim_card_params sdhc = {
    .type = SDSIM_SDHC,
    .capacity = 4 << 20,
    .high_hz = 50000000,
    .n_cr_clocks = N_CR,
    .flash = {.rd1 = 100 * CLOCK,
              .rdn = 20 * CLOCK,
              .w1 = 50 * CLOCK,
              .wn = 10 * CLOCK,
              .wstop = 30 * CLOCK,
              .page_bytes = 32768,
              .erase = 60 * CLOCK},
};

struct bench {
    struct sdsim_card_params params;
    struct sdsim_medium *medium;
    struct sdsim_faults faults;
    struct sdsim_card card;
    struct sdsim_sd_pins pins;
    sdsim_ps now;
    uint32_t rca;
};

static struct sdsim_sd_lines clock_lines(struct bench *bench, uint8_t cmd, uint8_t dat)
{
    const struct sdsim_sd_lines lines = sdsim_sd_clock(&bench->pins, bench->now, bench->now + CLOCK,
                                                       (struct sdsim_sd_lines){cmd, dat});
    bench->now += CLOCK;
    return lines;
}

static void clocks(struct bench *bench, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        (void)clock_lines(bench, 1, 0xF);
    }
}

/* Clocks until CMD, or DAT0, is low; how many before. */
static unsigned until_low(struct bench *bench, bool cmd)
{
    for (unsigned i = 0; i < MOST; i++) {
        const struct sdsim_sd_lines lines = clock_lines(bench, 1, 0xF);
        if (cmd ? lines.cmd == 0 : (lines.dat & 1) == 0) {
            return i;
        }
    }
    return MOST;
}

static unsigned while_busy(struct bench *bench)
{
    unsigned count = 0;
    while ((clock_lines(bench, 1, 0xF).dat & 1) == 0) {
        assert_true(count++ < MOST);
    }
    return count;
}

/* A frame, its last byte changed by `harm`. */
static void send_frame(struct bench *bench, uint8_t index, uint32_t argument, uint8_t harm)
{
    uint8_t frame[6] = {(uint8_t)(0x40 | index), (uint8_t)(argument >> 24),
                        (uint8_t)(argument >> 16), (uint8_t)(argument >> 8), (uint8_t)argument};
    frame[5] = sdsim_crc7_byte(frame, 5) ^ harm;
    for (unsigned i = 0; i < 48; i++) {
        (void)clock_lines(bench, frame[i / 8] >> (7 - i % 8) & 1, 0xF);
    }
}

/* The response behind a frame: `gap` clocks and then so many bits, the first of which is 0. */
static void take_response(struct bench *bench, unsigned gap, unsigned bits, uint8_t out[17])
{
    assert_int_equal(until_low(bench, true), gap);
    memset(out, 0, 17);
    for (unsigned i = 1; i < bits; i++) {
        out[i / 8] = (uint8_t)(out[i / 8] << 1 | clock_lines(bench, 1, 0xF).cmd);
    }
}

/* A command and its R1, R6 or R7, whose frame is checked; its 32 bits. */
static uint32_t command(struct bench *bench, uint8_t index, uint32_t argument)
{
    uint8_t r[17];
    send_frame(bench, index, argument, 0);
    take_response(bench, N_CR, 48, r);
    assert_int_equal(r[0], index);
    assert_int_equal(r[5], sdsim_crc7_byte(r, 5));
    clocks(bench, 8);
    return (uint32_t)r[1] << 24 | (uint32_t)r[2] << 16 | (uint32_t)r[3] << 8 | r[4];
}

static void silent(struct bench *bench, uint8_t index, uint32_t argument, uint8_t harm)
{
    send_frame(bench, index, argument, harm);
    for (unsigned i = 0; i < 80; i++) {
        assert_int_equal(clock_lines(bench, 1, 0xF).cmd, 1);
    }
}

static void power_up(struct bench *bench, const struct sdsim_card_params *params)
{
    *bench = (struct bench){.params = *params, .now = SDSIM_MS};
    bench->medium = sdsim_medium_create(sdsim_csd_sectors(params), 0x00);
    assert_non_null(bench->medium);
    sdsim_card_init(&bench->card, &bench->params, bench->medium, 1, 0);
    bench->card.faults = &bench->faults;
    sdsim_sd_pins_init(&bench->pins, &bench->card);
}

static void power_down(struct bench *bench)
{
    sdsim_medium_destroy(bench->medium);
}

/* Into transfer state, on so many lines. */
static void ready(struct bench *bench, unsigned width)
{
    uint8_t r[17];
    power_up(bench, &sdhc);
    send_frame(bench, 0, 0, 0);
    clocks(bench, 8);
    assert_int_equal(command(bench, 8, 0x1AA), 0x1AA);
    (void)command(bench, 55, 0);
    send_frame(bench, 41, 0x40FF8000, 0);
    take_response(bench, N_ID, 48, r);
    const uint8_t r3[6] = {0x3F, 0xC0, 0xFF, 0x80, 0x00, 0xFF};
    assert_memory_equal(r, r3, sizeof r3);
    clocks(bench, 8);
    send_frame(bench, 2, 0, 0);
    take_response(bench, N_ID, 136, r);
    uint8_t cid[SDSIM_CID_BYTES];
    sdsim_cid(&bench->params, cid);
    assert_int_equal(r[0], 0x3F);
    assert_memory_equal(r + 1, cid, sizeof cid);
    clocks(bench, 8);
    bench->rca = command(bench, 3, 0) & 0xFFFF0000u;
    assert_int_not_equal(bench->rca, 0);
    send_frame(bench, 9, bench->rca, 0);
    take_response(bench, N_CR, 136, r);
    uint8_t csd[SDSIM_CSD_BYTES];
    sdsim_csd(&bench->params, 0, csd);
    assert_memory_equal(r + 1, csd, sizeof csd);
    (void)command(bench, 7, bench->rca);
    (void)command(bench, 55, bench->rca);
    (void)command(bench, 6, width == 4 ? 2 : 0);
    assert_int_equal(bench->card.width, width);
}

/* ---- CMD ---- */

static void frames_that_are_wrong(void **state)
{
    (void)state;
    struct bench bench;
    ready(&bench, 4);
    const uint32_t idle = command(&bench, 13, bench.rca);
    assert_int_equal(idle, 0x900); /* transfer, ready for data */
    silent(&bench, 13, bench.rca, 0x02);
    assert_int_equal(command(&bench, 13, bench.rca), idle | SDSIM_STATUS_COM_CRC);
    assert_int_equal(command(&bench, 13, bench.rca), idle);
    silent(&bench, 13, bench.rca, 0x01); /* no end bit */
    assert_int_equal(command(&bench, 13, bench.rca), idle | SDSIM_STATUS_COM_CRC);
    silent(&bench, 58, 0, 0);
    assert_int_equal(command(&bench, 13, bench.rca), idle | SDSIM_STATUS_ILLEGAL);
    assert_int_equal(command(&bench, 13, bench.rca), idle);
    /* What another card responds is no command, were it the address of this one. */
    uint8_t other[6] = {0x0D, (uint8_t)(bench.rca >> 24), (uint8_t)(bench.rca >> 16), 0x09};
    other[5] = sdsim_crc7_byte(other, 5);
    for (unsigned i = 0; i < 48; i++) {
        (void)clock_lines(&bench, other[i / 8] >> (7 - i % 8) & 1, 0xF);
    }
    assert_int_equal(until_low(&bench, true), MOST);
    assert_int_equal(command(&bench, 13, bench.rca), idle);
    /* The response of section 4.5 of the specification. */
    uint8_t r[17];
    send_frame(&bench, 17, 0, 0);
    take_response(&bench, N_CR, 48, r);
    const uint8_t example[6] = {0x11, 0x00, 0x00, 0x09, 0x00, 0x67};
    assert_memory_equal(r, example, sizeof example);
    power_down(&bench);
}

/* CMD0 with DAT3 low makes it an SPI card, and these lines silent - if it was idle (section 7.2.1). */
static void into_spi_mode(void **state)
{
    (void)state;
    struct bench bench;
    power_up(&bench, &sdhc);
    static const uint8_t frame[] = {0x40, 0, 0, 0, 0, 0x95};
    for (unsigned i = 0; i < 48; i++) {
        (void)clock_lines(&bench, frame[i / 8] >> (7 - i % 8) & 1, 0x7);
    }
    assert_true(bench.card.spi);
    assert_true(bench.card.spi);
    silent(&bench, 8, 0x1AA, 0);
    power_down(&bench);

    ready(&bench, 1);
    for (unsigned i = 0; i < 48; i++) {
        (void)clock_lines(&bench, frame[i / 8] >> (7 - i % 8) & 1, 0x7);
    }
    assert_false(bench.card.spi);
    clocks(&bench, 8);
    assert_int_equal(command(&bench, 8, 0x1AA), 0x1AA);
    power_down(&bench);
}

/* ---- blocks from the card ---- */

/* A block of `bytes`, whose start bit is over, with its CRC in the order of the bus. */
static void take_block(struct bench *bench, unsigned bytes, uint8_t *out)
{
    const bool four = bench->card.width == 4;
    const unsigned size = bytes + (four ? 8 : 2);
    for (unsigned i = 0; i < size * (four ? 2 : 8); i++) {
        const uint8_t dat = clock_lines(bench, 1, 0xF).dat;
        uint8_t *byte = &out[i / (four ? 2 : 8)];
        assert_true(four || (dat & 0xE) == 0xE);
        *byte = (uint8_t)(four ? *byte << 4 | dat : *byte << 1 | (dat & 1));
    }
    assert_int_equal(clock_lines(bench, 1, 0xF).dat, 0xF); /* end bit */
}

static const struct {
    const char *name;
    uint8_t even, odd, step;
    uint16_t one;
    uint16_t lines[4]; /* DAT3 first */
} vectors[] = {
    {"all FF", 0xFF, 0xFF, 0, 0x7FA1, {0xEDA9, 0xEDA9, 0xEDA9, 0xEDA9}},
    {"all 00", 0x00, 0x00, 0, 0x0000, {0x0000, 0x0000, 0x0000, 0x0000}},
    {"00..FF twice", 0x00, 0x00, 1, 0x40DA, {0x7357, 0x10B5, 0xA97D, 0x6AA3}},
    {"55 AA", 0x55, 0xAA, 0, 0x7405, {0x36DD, 0xDB74, 0x36DD, 0xDB74}},
};

static void fill(size_t vector, uint8_t block[SDSIM_SECTOR])
{
    for (unsigned i = 0; i < SDSIM_SECTOR; i++) {
        block[i] = (uint8_t)((i % 2 != 0 ? vectors[vector].odd : vectors[vector].even) +
                             vectors[vector].step * i);
    }
}

/* The CRC of a vector, as it goes out. */
static size_t expected_crc(size_t vector, bool four, uint8_t out[8])
{
    memset(out, 0, 8);
    if (!four) {
        out[0] = (uint8_t)(vectors[vector].one >> 8);
        out[1] = (uint8_t)vectors[vector].one;
        return 2;
    }
    for (unsigned bit = 0; bit < 64; bit++) {
        const unsigned line = bit % 4; /* DAT3 first */
        const unsigned value = (unsigned)vectors[vector].lines[line] >> (15 - bit / 4) & 1u;
        out[bit / 8] = (uint8_t)((unsigned)out[bit / 8] << 1 | value);
    }
    return 8;
}

static void read_blocks(void **state)
{
    (void)state;
    for (unsigned width = 1; width <= 4; width += 3) {
        for (size_t v = 0; v < sizeof vectors / sizeof *vectors; v++) {
            struct bench bench;
            uint8_t block[SDSIM_SECTOR];
            uint8_t got[SDSIM_SECTOR + 8];
            uint8_t crc[8];
            ready(&bench, width);
            fill(v, block);
            const struct sdsim_content content = {.kind = SDSIM_CONTENT_BYTES, .bytes = block};
            assert_true(sdsim_medium_write(bench.medium, 3, 1, &content));
            send_frame(&bench, 17, 3, 0);
            /* The access is longer than the response. */
            assert_int_equal(until_low(&bench, false), 100);
            take_block(&bench, SDSIM_SECTOR, got);
            const size_t size = expected_crc(v, width == 4, crc);
            if (memcmp(got, block, sizeof block) != 0 ||
                memcmp(got + SDSIM_SECTOR, crc, size) != 0) {
                fail_msg("%s on %u lines", vectors[v].name, width);
            }
            assert_int_equal(until_low(&bench, false), MOST);
            power_down(&bench);
        }
    }
}

/* With N_AC = 2 and N_CR = 2 start bit and response begin with the same clock. */
static void data_beside_the_response(void **state)
{
    (void)state;
    struct bench bench;
    ready(&bench, 4);
    bench.params.n_cr_clocks = 2;
    bench.params.flash.rd1 = 0;
    send_frame(&bench, 17, 0, 0);
    clocks(&bench, 2);
    const struct sdsim_sd_lines both = clock_lines(&bench, 1, 0xF);
    assert_int_equal(both.cmd, 0);
    assert_int_equal(both.dat, 0x0);
    power_down(&bench);
}

/* CMD12 lets two more clocks of data pass. */
static void stop_in_the_middle(void **state)
{
    (void)state;
    struct bench bench;
    ready(&bench, 4);
    send_frame(&bench, 18, 0, 0);
    assert_int_equal(until_low(&bench, false), 100);
    uint8_t block[SDSIM_SECTOR + 8];
    take_block(&bench, SDSIM_SECTOR, block);
    assert_int_equal(until_low(&bench, false), 20); /* rdn, of which N_AC is part */
    clocks(&bench, 100);
    send_frame(&bench, 12, 0, 0);
    assert_int_equal(clock_lines(&bench, 1, 0xF).dat, 0x0);
    assert_int_equal(clock_lines(&bench, 1, 0xF).dat, 0x0);
    assert_int_equal(clock_lines(&bench, 1, 0xF).dat, 0xF);
    assert_int_equal(until_low(&bench, true), N_CR - 3);
    clocks(&bench, 60);
    assert_int_equal(until_low(&bench, false), MOST);
    assert_int_equal(command(&bench, 13, bench.rca), 0x900);
    power_down(&bench);
}

static void registers(void **state)
{
    (void)state;
    static const struct {
        uint8_t index;
        bool app;
        uint32_t argument;
        unsigned bytes;
    } rows[] = {{6, false, 0x80FFFFF1, 64}, {13, true, 0, 64}, {51, true, 0, 8}, {22, true, 0, 4}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct bench bench;
        uint8_t got[72];
        ready(&bench, 4);
        if (rows[i].app) {
            (void)command(&bench, 55, bench.rca);
        }
        send_frame(&bench, rows[i].index, rows[i].argument, 0);
        assert_int_equal(until_low(&bench, false), 2);
        take_block(&bench, rows[i].bytes, got);
        assert_memory_equal(got, bench.card.block, rows[i].bytes);
        uint64_t crc = 0;
        for (unsigned b = 0; b < 8; b++) {
            crc = crc << 8 | got[rows[i].bytes + b];
        }
        assert_true(crc == sdsim_crc16_four(got, rows[i].bytes));
        power_down(&bench);
    }
}

/* ---- blocks from the host ---- */

/* A block with its CRC, changed by `harm`. */
static void send_block(struct bench *bench, const uint8_t block[SDSIM_SECTOR], uint8_t harm)
{
    const bool four = bench->card.width == 4;
    uint8_t bytes[SDSIM_SECTOR + 8];
    memcpy(bytes, block, SDSIM_SECTOR);
    const uint64_t crc =
        four ? sdsim_crc16_four(block, SDSIM_SECTOR) : sdsim_crc16(block, SDSIM_SECTOR);
    const unsigned size = four ? 8 : 2;
    for (unsigned i = 0; i < size; i++) {
        bytes[SDSIM_SECTOR + i] = (uint8_t)(crc >> 8 * (size - 1 - i));
    }
    bytes[SDSIM_SECTOR + size - 1] ^= harm;
    (void)clock_lines(bench, 1, four ? 0x0 : 0xE);
    for (unsigned i = 0; i < (SDSIM_SECTOR + size) * (four ? 2 : 8); i++) {
        const uint8_t dat = four ? bytes[i / 2] >> (i % 2 == 0 ? 4 : 0) & 0xF
                                 : (uint8_t)(0xE | (bytes[i / 8] >> (7 - i % 8) & 1));
        (void)clock_lines(bench, 1, dat);
    }
    (void)clock_lines(bench, 1, 0xF);
}

/* The five bits on DAT0 behind a block, and N_CRC before them. */
static unsigned crc_status(struct bench *bench)
{
    unsigned status = 0;
    for (unsigned i = 0; i < 7; i++) {
        const uint8_t dat = clock_lines(bench, 1, 0xF).dat;
        assert_int_equal(dat & 0xE, 0xE);
        assert_true(i >= 2 || dat == 0xF);
        status = i < 2 ? 0 : status << 1 | (dat & 1);
    }
    return status;
}

static void write_blocks(void **state)
{
    (void)state;
    for (unsigned width = 1; width <= 4; width += 3) {
        struct bench bench;
        uint8_t block[SDSIM_SECTOR];
        uint8_t stored[SDSIM_SECTOR];
        ready(&bench, width);
        fill(2, block);
        (void)command(&bench, 24, 9);
        send_block(&bench, block, 0x01);
        assert_int_equal(crc_status(&bench), 0x0B);
        assert_int_equal(while_busy(&bench), 0);
        sdsim_medium_read(bench.medium, 9, 1, stored);
        assert_int_equal(stored[1], 0x00);
        assert_int_equal(command(&bench, 13, bench.rca), 0x900);
        (void)command(&bench, 24, 9);
        send_block(&bench, block, 0);
        assert_int_equal(crc_status(&bench), 0x05);
        /* Busy from the clock behind the status on, for w1 since the end bit. */
        assert_int_equal(while_busy(&bench), 50 - 7);
        sdsim_medium_read(bench.medium, 9, 1, stored);
        assert_memory_equal(stored, block, sizeof block);
        /* While it programs, a read is an illegal command. */
        (void)command(&bench, 24, 10);
        send_block(&bench, block, 0);
        assert_int_equal(crc_status(&bench), 0x05);
        bench.card.busy.at = bench.now + SDSIM_MS;
        silent(&bench, 17, 0, 0);
        assert_int_equal(command(&bench, 13, bench.rca), 0xE00 | SDSIM_STATUS_ILLEGAL);
        power_down(&bench);
    }
}

/* The level of DAT0 in clock `at` of a block from the host that is all zeros, on one line. */
static uint8_t zeros(unsigned at)
{
    return at <= 8 * SDSIM_SECTOR + 16 ? 0xE : 0xF;
}

/* Busy one clock later than on other cards, and until the same instant. */
static void late_busy(void **state)
{
    (void)state;
    for (unsigned width = 1; width <= 4; width += 3) {
        struct bench bench;
        uint8_t block[SDSIM_SECTOR];
        ready(&bench, width);
        bench.params.n_br_clocks = 1;
        fill(2, block);
        (void)command(&bench, 25, 9);
        send_block(&bench, block, 0);
        assert_int_equal(crc_status(&bench), 0x05);
        assert_int_equal(sdsim_sd_look(&bench.pins, bench.now).dat, 0xF);
        assert_int_equal(clock_lines(&bench, 1, 0xF).dat, 0xF);
        assert_int_equal(sdsim_sd_look(&bench.pins, bench.now).dat, 0xE);
        assert_int_equal(while_busy(&bench), 10 - 8);
        /* A start bit before busy shows is not heard. */
        send_block(&bench, block, 0);
        assert_int_equal(crc_status(&bench), 0x05);
        bench.card.busy.at = bench.now + 100 * CLOCK;
        (void)clock_lines(&bench, 1, width == 4 ? 0x0 : 0xE);
        assert_false(bench.pins.in_block);
        assert_int_equal(while_busy(&bench), 100 - 1);
        assert_int_equal(bench.card.lba, 11);
        power_down(&bench);
    }
}

/* A CMD13 that ends beside the CRC status brings the late busy neither forward nor back. */
static void command_beside_the_status(void **state)
{
    (void)state;
    for (unsigned n_br = 0; n_br <= 1; n_br++) {
        struct bench bench;
        ready(&bench, 1);
        bench.params.n_br_clocks = n_br;
        (void)command(&bench, 24, 9);
        uint8_t frame[6] = {0x40 | 13, (uint8_t)(bench.rca >> 24), (uint8_t)(bench.rca >> 16), 0,
                            0};
        frame[5] = sdsim_crc7_byte(frame, 5);
        const unsigned block = 1 + 8 * SDSIM_SECTOR + 16 + 1;
        const unsigned first = block + 5 - 48;
        for (unsigned at = 0; at < block + 7; at++) {
            const unsigned bit = at - first;
            const bool driven = at >= first && bit < 48;
            (void)clock_lines(&bench, driven ? frame[bit / 8] >> (7 - bit % 8) & 1 : 1, zeros(at));
        }
        assert_int_equal(bench.card.lba, 10);
        for (unsigned i = 0; i < n_br; i++) {
            assert_int_equal(clock_lines(&bench, 1, 0xF).dat, 0xF);
        }
        assert_int_equal(while_busy(&bench), 50 - 7 - n_br);
        power_down(&bench);
    }
}

static void write_streams(void **state)
{
    (void)state;
    struct bench bench;
    uint8_t block[SDSIM_SECTOR];
    ready(&bench, 4);
    fill(3, block);
    (void)command(&bench, 25, bench.card.sectors - 2);
    for (unsigned i = 0; i < 2; i++) {
        send_block(&bench, block, 0);
        assert_int_equal(crc_status(&bench), 0x05);
        assert_int_equal(while_busy(&bench), 10 - 7);
    }
    send_block(&bench, block, 0); /* beyond the end: no status */
    assert_int_equal(crc_status(&bench), 0x1F);
    send_block(&bench, block, 0x01); /* nor for what comes behind it, right or wrong */
    assert_int_equal(crc_status(&bench), 0x1F);
    /* CMD12: busy two clocks behind it, beside the response. */
    send_frame(&bench, 12, 0, 0);
    clocks(&bench, 2);
    assert_int_equal(clock_lines(&bench, 1, 0xF).dat, 0xE);
    assert_int_equal(while_busy(&bench), 30 - 3);
    clocks(&bench, 60);
    assert_int_equal(command(&bench, 13, bench.rca), 0x900);
    power_down(&bench);
}

/* A stream is over with the first block that is refused, until CMD12. */
static void refused_streams(void **state)
{
    (void)state;
    for (unsigned width = 1; width <= 4; width += 3) {
        struct bench bench;
        uint8_t block[SDSIM_SECTOR];
        uint8_t stored[SDSIM_SECTOR];
        ready(&bench, width);
        fill(3, block);
        (void)command(&bench, 25, 9);
        send_block(&bench, block, 0x01);
        assert_int_equal(crc_status(&bench), 0x0B);
        send_block(&bench, block, 0);
        assert_int_equal(crc_status(&bench), 0x1F);
        assert_int_equal(command(&bench, 13, bench.rca), 0xD00);
        send_block(&bench, block, 0);
        assert_int_equal(crc_status(&bench), 0x1F);
        assert_int_equal(command(&bench, 12, 0), 0xD00);
        (void)while_busy(&bench);
        sdsim_medium_read(bench.medium, 9, 1, stored);
        assert_int_equal(stored[1], 0x00);
        (void)command(&bench, 25, 9);
        send_block(&bench, block, 0);
        assert_int_equal(crc_status(&bench), 0x05);
        power_down(&bench);
    }
}

/* ---- faults on order ---- */

static void faults(void **state)
{
    (void)state;
    struct bench bench;
    uint8_t block[SDSIM_SECTOR];
    uint8_t got[SDSIM_SECTOR + 8];
    ready(&bench, 4);
    fill(1, block);
    sdsim_faults_arm(&bench.faults, SDSIM_FAULT_NO_RESPONSE, 1, 1, 13);
    assert_int_equal(command(&bench, 13, bench.rca), 0x900);
    (void)command(&bench, 16, 512);
    silent(&bench, 13, bench.rca, 0);
    assert_int_equal(command(&bench, 13, bench.rca), 0x900);
    assert_int_equal(bench.faults.struck[SDSIM_FAULT_NO_RESPONSE], 1);

    sdsim_faults_arm(&bench.faults, SDSIM_FAULT_READ_CRC, 0, 1, 0);
    for (unsigned i = 0; i < 2; i++) {
        send_frame(&bench, 17, 0, 0);
        assert_int_equal(until_low(&bench, false), 100);
        take_block(&bench, SDSIM_SECTOR, got);
        assert_int_equal(got[SDSIM_SECTOR + 7], i == 0 ? 0x01 : 0x00); /* of zeros; DAT0 */
    }

    sdsim_faults_arm(&bench.faults, SDSIM_FAULT_READ_ERROR, 0, 1, 0);
    send_frame(&bench, 17, 0, 0);
    assert_int_equal(until_low(&bench, false), MOST);
    assert_int_equal(command(&bench, 13, bench.rca), 0x900 | SDSIM_STATUS_ECC_FAILED);

    sdsim_faults_arm(&bench.faults, SDSIM_FAULT_WRITE_CRC, 0, 1, 0);
    sdsim_faults_arm(&bench.faults, SDSIM_FAULT_WRITE_ERROR, 0, 1, 0);
    for (unsigned i = 0; i < 2; i++) {
        (void)command(&bench, 24, 9);
        send_block(&bench, block, 0);
        assert_int_equal(crc_status(&bench), i == 0 ? 0x0B : 0x05);
        clocks(&bench, 100);
        assert_int_equal(command(&bench, 13, bench.rca),
                         i == 0 ? 0x900 : 0x900 | SDSIM_STATUS_ERROR);
    }

    sdsim_faults_arm(&bench.faults, SDSIM_FAULT_STUCK_BUSY, 0, 1, 0);
    (void)command(&bench, 24, 9);
    send_block(&bench, block, 0);
    assert_int_equal(crc_status(&bench), 0x05);
    bench.now += 100 * SDSIM_S;
    assert_int_equal(clock_lines(&bench, 1, 0xF).dat, 0xE);
    assert_int_equal(command(&bench, 13, bench.rca), 0xE00);

    sdsim_faults_arm(&bench.faults, SDSIM_FAULT_REMOVED, 0, 1, SDSIM_FAULT_ANY_COMMAND);
    silent(&bench, 13, bench.rca, 0);
    assert_int_equal(clock_lines(&bench, 1, 0xF).dat, 0xF);
    silent(&bench, 0, 0, 0);
    sdsim_faults_insert(&bench.faults);
    sdsim_card_power_up(&bench.card, bench.now);
    assert_int_equal(command(&bench, 8, 0x1AA), 0x1AA);
    power_down(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_that_are_wrong),
        cmocka_unit_test(into_spi_mode),
        cmocka_unit_test(read_blocks),
        cmocka_unit_test(data_beside_the_response),
        cmocka_unit_test(stop_in_the_middle),
        cmocka_unit_test(registers),
        cmocka_unit_test(write_blocks),
        cmocka_unit_test(late_busy),
        cmocka_unit_test(command_beside_the_status),
        cmocka_unit_test(write_streams),
        cmocka_unit_test(refused_streams),
        cmocka_unit_test(faults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
