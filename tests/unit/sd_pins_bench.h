/*
 * A card's lines in SD mode on a bench, for the tests of them: clocked one by one at 25 MHz, with frames,
 * responses and blocks as a host would send and see them.
 *
 * For cmocka tests: whatever goes wrong in here fails the test.
 */
#ifndef SDSIM_TEST_SD_PINS_BENCH_H
#define SDSIM_TEST_SD_PINS_BENCH_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdbool.h>
#include <string.h>

#include "card/sd_pins.h"
#include "core/crc.h"

#define BENCH_CLOCK (40 * SDSIM_NS) /* 25 MHz */

enum {
    BENCH_N_CR = 7,
    BENCH_N_ID = 5,
    BENCH_MOST = 5000,
};

static const struct sdsim_card_params bench_card = {
    .type = SDSIM_SDHC,
    .capacity = 4 << 20,
    .high_hz = 50000000,
    .n_cr_clocks = BENCH_N_CR,
    .flash = {.rd1 = 100 * BENCH_CLOCK,
              .rdn = 20 * BENCH_CLOCK,
              .w1 = 50 * BENCH_CLOCK,
              .wn = 10 * BENCH_CLOCK,
              .wstop = 30 * BENCH_CLOCK,
              .page_bytes = 32768,
              .erase = 60 * BENCH_CLOCK},
};

struct sd_pins_bench {
    struct sdsim_card_params params;
    struct sdsim_medium *medium;
    struct sdsim_faults faults;
    struct sdsim_card card;
    struct sdsim_sd_pins pins;
    sdsim_ps now;
    uint32_t rca;
};

static inline struct sdsim_sd_lines bench_lines(struct sd_pins_bench *bench, uint8_t cmd,
                                                uint8_t dat)
{
    const struct sdsim_sd_lines lines = sdsim_sd_clock(
        &bench->pins, bench->now, bench->now + BENCH_CLOCK, (struct sdsim_sd_lines){cmd, dat});
    bench->now += BENCH_CLOCK;
    return lines;
}

static inline void bench_clocks(struct sd_pins_bench *bench, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        (void)bench_lines(bench, 1, 0xF);
    }
}

/* Clocks until CMD, or DAT0, is low; how many before. */
static inline unsigned bench_until_low(struct sd_pins_bench *bench, bool cmd)
{
    for (unsigned i = 0; i < BENCH_MOST; i++) {
        const struct sdsim_sd_lines lines = bench_lines(bench, 1, 0xF);
        if (cmd ? lines.cmd == 0 : (lines.dat & 1) == 0) {
            return i;
        }
    }
    return BENCH_MOST;
}

static inline unsigned bench_while_busy(struct sd_pins_bench *bench)
{
    unsigned count = 0;
    while ((bench_lines(bench, 1, 0xF).dat & 1) == 0) {
        assert_true(count++ < BENCH_MOST);
    }
    return count;
}

/* A frame, its last byte changed by `harm`. */
static inline void bench_frame(struct sd_pins_bench *bench, uint8_t index, uint32_t argument,
                               uint8_t harm)
{
    uint8_t frame[6] = {(uint8_t)(0x40 | index), (uint8_t)(argument >> 24),
                        (uint8_t)(argument >> 16), (uint8_t)(argument >> 8), (uint8_t)argument};
    frame[5] = sdsim_crc7_byte(frame, 5) ^ harm;
    for (unsigned i = 0; i < 48; i++) {
        (void)bench_lines(bench, frame[i / 8] >> (7 - i % 8) & 1, 0xF);
    }
}

/* The response behind a frame: `gap` clocks and then so many bits, the first of which is 0. */
static inline void bench_response(struct sd_pins_bench *bench, unsigned gap, unsigned bits,
                                  uint8_t out[17])
{
    assert_int_equal(bench_until_low(bench, true), gap);
    memset(out, 0, 17);
    for (unsigned i = 1; i < bits; i++) {
        out[i / 8] = (uint8_t)(out[i / 8] << 1 | bench_lines(bench, 1, 0xF).cmd);
    }
}

/* A command and its R1, R6 or R7, whose frame is checked; its 32 bits. */
static inline uint32_t bench_command(struct sd_pins_bench *bench, uint8_t index, uint32_t argument)
{
    uint8_t r[17];
    bench_frame(bench, index, argument, 0);
    bench_response(bench, BENCH_N_CR, 48, r);
    assert_int_equal(r[0], index);
    assert_int_equal(r[5], sdsim_crc7_byte(r, 5));
    bench_clocks(bench, 8);
    return (uint32_t)r[1] << 24 | (uint32_t)r[2] << 16 | (uint32_t)r[3] << 8 | r[4];
}

static inline void bench_silent(struct sd_pins_bench *bench, uint8_t index, uint32_t argument,
                                uint8_t harm)
{
    bench_frame(bench, index, argument, harm);
    for (unsigned i = 0; i < 80; i++) {
        assert_int_equal(bench_lines(bench, 1, 0xF).cmd, 1);
    }
}

static inline void bench_power_up(struct sd_pins_bench *bench,
                                  const struct sdsim_card_params *params)
{
    *bench = (struct sd_pins_bench){.params = *params, .now = SDSIM_MS};
    bench->medium = sdsim_medium_create(sdsim_csd_sectors(params), 0x00);
    assert_non_null(bench->medium);
    sdsim_card_init(&bench->card, &bench->params, bench->medium, 1, 0);
    bench->card.faults = &bench->faults;
    sdsim_sd_pins_init(&bench->pins, &bench->card);
}

static inline void bench_power_down(struct sd_pins_bench *bench)
{
    sdsim_medium_destroy(bench->medium);
}

/* Into transfer state, on so many lines. */
static inline void bench_ready(struct sd_pins_bench *bench, unsigned width)
{
    uint8_t r[17];
    bench_power_up(bench, &bench_card);
    bench_frame(bench, 0, 0, 0);
    bench_clocks(bench, 8);
    assert_int_equal(bench_command(bench, 8, 0x1AA), 0x1AA);
    (void)bench_command(bench, 55, 0);
    bench_frame(bench, 41, 0x40FF8000, 0);
    bench_response(bench, BENCH_N_ID, 48, r);
    const uint8_t r3[6] = {0x3F, 0xC0, 0xFF, 0x80, 0x00, 0xFF};
    assert_memory_equal(r, r3, sizeof r3);
    bench_clocks(bench, 8);
    bench_frame(bench, 2, 0, 0);
    bench_response(bench, BENCH_N_ID, 136, r);
    uint8_t cid[SDSIM_CID_BYTES];
    sdsim_cid(&bench->params, cid);
    assert_int_equal(r[0], 0x3F);
    assert_memory_equal(r + 1, cid, sizeof cid);
    bench_clocks(bench, 8);
    bench->rca = bench_command(bench, 3, 0) & 0xFFFF0000u;
    assert_int_not_equal(bench->rca, 0);
    bench_frame(bench, 9, bench->rca, 0);
    bench_response(bench, BENCH_N_CR, 136, r);
    uint8_t csd[SDSIM_CSD_BYTES];
    sdsim_csd(&bench->params, 0, csd);
    assert_memory_equal(r + 1, csd, sizeof csd);
    (void)bench_command(bench, 7, bench->rca);
    (void)bench_command(bench, 55, bench->rca);
    (void)bench_command(bench, 6, width == 4 ? 2 : 0);
    assert_int_equal(bench->card.width, width);
}

/* ---- blocks ---- */

/* A block of `bytes`, whose start bit is over, with its CRC in the order of the bus. */
static inline void bench_take_block(struct sd_pins_bench *bench, unsigned bytes, uint8_t *out)
{
    const bool four = bench->card.width == 4;
    const unsigned size = bytes + (four ? 8 : 2);
    for (unsigned i = 0; i < size * (four ? 2 : 8); i++) {
        const uint8_t dat = bench_lines(bench, 1, 0xF).dat;
        uint8_t *byte = &out[i / (four ? 2 : 8)];
        assert_true(four || (dat & 0xE) == 0xE);
        *byte = (uint8_t)(four ? *byte << 4 | dat : *byte << 1 | (dat & 1));
    }
    assert_int_equal(bench_lines(bench, 1, 0xF).dat, 0xF); /* end bit */
}

/* Blocks whose check sums are known. */
static const struct {
    const char *name;
    uint8_t even, odd, step;
    uint16_t one;
    uint16_t lines[4]; /* DAT3 first */
} bench_blocks[] = {
    {"all FF", 0xFF, 0xFF, 0, 0x7FA1, {0xEDA9, 0xEDA9, 0xEDA9, 0xEDA9}},
    {"all 00", 0x00, 0x00, 0, 0x0000, {0x0000, 0x0000, 0x0000, 0x0000}},
    {"00..FF twice", 0x00, 0x00, 1, 0x40DA, {0x7357, 0x10B5, 0xA97D, 0x6AA3}},
    {"55 AA", 0x55, 0xAA, 0, 0x7405, {0x36DD, 0xDB74, 0x36DD, 0xDB74}},
};

static inline void bench_fill(size_t vector, uint8_t block[SDSIM_SECTOR])
{
    for (unsigned i = 0; i < SDSIM_SECTOR; i++) {
        block[i] = (uint8_t)((i % 2 != 0 ? bench_blocks[vector].odd : bench_blocks[vector].even) +
                             bench_blocks[vector].step * i);
    }
}

/* A block with its CRC, changed by `harm`. */
static inline void bench_send_block(struct sd_pins_bench *bench, const uint8_t block[SDSIM_SECTOR],
                                    uint8_t harm)
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
    (void)bench_lines(bench, 1, four ? 0x0 : 0xE);
    for (unsigned i = 0; i < (SDSIM_SECTOR + size) * (four ? 2 : 8); i++) {
        const uint8_t dat = four ? bytes[i / 2] >> (i % 2 == 0 ? 4 : 0) & 0xF
                                 : (uint8_t)(0xE | (bytes[i / 8] >> (7 - i % 8) & 1));
        (void)bench_lines(bench, 1, dat);
    }
    (void)bench_lines(bench, 1, 0xF);
}

/* The five bits on DAT0 behind a block, and N_CRC before them. */
static inline unsigned bench_crc_status(struct sd_pins_bench *bench)
{
    unsigned status = 0;
    for (unsigned i = 0; i < 7; i++) {
        const uint8_t dat = bench_lines(bench, 1, 0xF).dat;
        assert_int_equal(dat & 0xE, 0xE);
        assert_true(i >= 2 || dat == 0xF);
        status = i < 2 ? 0 : status << 1 | (dat & 1);
    }
    return status;
}

#endif
