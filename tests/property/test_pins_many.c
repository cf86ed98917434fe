/*
 * Bytes and clocks in batches are the same as one by one, and so are the clocks of SD blocks as bytes:
 * the same card gets the same script of commands, blocks, waits and noise, once cut into single steps
 * and once into batches of random length; what was on the lines, the time, the card and the medium
 * must be equal.
 *
 * SDSIM_SEED chooses another luck.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "card/sd_pins.h"
#include "card/spi_pins.h"
#include "core/crc.h"
#include "core/rng.h"
#include "port_worlds.h"

enum {
    MOST_STEPS = 6000, /* bytes or clocks of one part of a script */
    ROUNDS = 400,
    PARTS = 40,
};

struct world {
    struct sdsim_medium *medium;
    struct sdsim_card card;
    struct sdsim_faults faults;
    struct sdsim_spi_pins spi;
    struct sdsim_sd_pins sd;
    struct sdsim_clock clock;
    sdsim_ps now;
};

struct script {
    struct sdsim_test_sequence base; /* for its made-up cards */
    struct world single;
    struct world many;
    bool selected;
    size_t count;
    size_t as_bytes[2]; /* SD: bytes from and to the host that went by as such */
    uint8_t mosi[MOST_STEPS];
    uint8_t miso[2][MOST_STEPS];
    struct sdsim_sd_lines host[MOST_STEPS];
    struct sdsim_sd_lines bus[2][MOST_STEPS];
};

static struct sdsim_rng *luck(struct script *s)
{
    return &s->base.rng;
}

static void create(struct script *s, struct world *world, size_t frequency)
{
    world->medium = sdsim_medium_create(sdsim_csd_sectors(&s->base.params), 0xFF);
    assert_non_null(world->medium);
    const struct sdsim_content content = {.kind = SDSIM_CONTENT_GENERATED, .seed = s->base.number};
    assert_true(sdsim_medium_write(world->medium, 0, 300, &content));
    sdsim_card_init(&world->card, &s->base.params, world->medium, s->base.number, 0);
    world->card.faults = s->base.number % 2 == 0 ? &world->faults : NULL;
    sdsim_spi_pins_init(&world->spi, &world->card);
    sdsim_sd_pins_init(&world->sd, &world->card);
    world->clock = sdsim_test_clock(frequency);
    world->now = 0;
}

static void same(const struct script *s, const char *what, uint64_t one, uint64_t many)
{
    if (one != many) {
        fail_msg("SDSIM_SEED=%llu, round %llu: %s: %llu in batches, not %llu",
                 (unsigned long long)s->base.seed, (unsigned long long)s->base.number, what,
                 (unsigned long long)many, (unsigned long long)one);
    }
}

static void compare(const struct script *s)
{
    same(s, "time", s->single.now, s->many.now);
    same(s, "remainder", s->single.clock.remainder, s->many.clock.remainder);
    same(s, "state", s->single.card.state, s->many.card.state);
    same(s, "busy", s->single.card.busy.at, s->many.card.busy.at);
    same(s, "ready", s->single.card.ready.at, s->many.card.ready.at);
    same(s, "position", s->single.card.lba, s->many.card.lba);
    same(s, "errors", s->single.card.errors, s->many.card.errors);
    same(s, "wake clocks", s->single.card.high_clocks, s->many.card.high_clocks);
}

static void some_fault(struct script *s)
{
    const enum sdsim_fault fault =
        (enum sdsim_fault)sdsim_rng_below(luck(s), SDSIM_FAULT_STUCK_BUSY);
    sdsim_faults_arm(&s->single.faults, fault, 0, 1, SDSIM_FAULT_ANY_COMMAND);
    sdsim_faults_arm(&s->many.faults, fault, 0, 1, SDSIM_FAULT_ANY_COMMAND);
    if (fault == SDSIM_FAULT_READ_ERROR) {
        s->single.faults.armed[fault].detail = s->many.faults.armed[fault].detail = 0;
    }
}

static size_t some_length(struct script *s, size_t left)
{
    const size_t length =
        1 + (size_t)sdsim_rng_below(luck(s), sdsim_test_one_in(luck(s), 3)   ? 8
                                             : sdsim_test_one_in(luck(s), 2) ? 100
                                                                             : MOST_STEPS);
    return length < left ? length : left;
}

static uint32_t some_argument(struct script *s)
{
    const uint32_t lba = (uint32_t)SDSIM_TEST_PICK(luck(s), 0, 1, 7, 299, 300, 2000, 4095, 1 << 20);
    return s->base.params.type == SDSIM_SDSC ? lba * SDSIM_SECTOR : lba;
}

static void frame_of(uint8_t index, uint32_t argument, uint8_t frame[6])
{
    frame[0] = 0x40 | index;
    for (unsigned i = 0; i < 4; i++) {
        frame[1 + i] = (uint8_t)(argument >> (24 - 8 * i));
    }
    frame[5] = sdsim_crc7_byte(frame, 5);
}

/* ---- SPI ---- */

static void put(struct script *s, const uint8_t *bytes, size_t count)
{
    for (size_t i = 0; i < count && s->count < MOST_STEPS; i++) {
        s->mosi[s->count++] = bytes != NULL ? bytes[i] : 0xFF;
    }
}

static void put_command(struct script *s, uint8_t index, uint32_t argument)
{
    uint8_t frame[6];
    frame_of(index, argument, frame);
    frame[5] ^= sdsim_test_one_in(luck(s), 20) ? 0x04 : 0;
    put(s, frame, sizeof frame);
    put(s, NULL, sdsim_rng_below(luck(s), sdsim_test_one_in(luck(s), 3) ? 700 : 14));
}

static void put_block(struct script *s)
{
    uint8_t block[1 + SDSIM_SECTOR + 2];
    block[0] = sdsim_test_one_in(luck(s), 2) ? 0xFC : 0xFE;
    sdsim_generate(sdsim_rng_next(luck(s)), 0, block + 1, SDSIM_SECTOR);
    const uint16_t crc = sdsim_crc16(block + 1, SDSIM_SECTOR);
    block[SDSIM_SECTOR + 1] = (uint8_t)(crc >> 8);
    block[SDSIM_SECTOR + 2] = (uint8_t)(crc ^ sdsim_rng_below(luck(s), 2));
    put(s, block, sizeof block);
    put(s, NULL, sdsim_rng_below(luck(s), 40));
}

static void put_part(struct script *s)
{
    static const uint8_t commands[] = {0,  8,  9,  10, 12, 12, 13, 16, 17, 17, 18, 18,
                                       18, 24, 24, 25, 25, 25, 32, 33, 38, 55, 58, 59};
    switch (sdsim_rng_below(luck(s), 8)) {
    case 0:
        put(s, NULL, sdsim_rng_below(luck(s), 2000));
        break;
    case 1:
        put_block(s);
        break;
    case 2:
        put_command(s, sdsim_test_one_in(luck(s), 2) ? 24 : 25, some_argument(s));
        put_block(s);
        put_block(s);
        break;
    case 3:
        put_command(s, 55, 0);
        put_command(s, (uint8_t)SDSIM_TEST_PICK(luck(s), 41, 41, 13, 22, 23, 51), SDSIM_OCR_CCS);
        break;
    case 4:
        put(s, (const uint8_t[]){0xFD, 0xFF, 0x12, 0x00}, sdsim_rng_below(luck(s), 5));
        break;
    default:
        put_command(s, commands[sdsim_rng_below(luck(s), sizeof commands)], some_argument(s));
        break;
    }
}

static void begin_spi(struct script *s)
{
    s->count = 0;
    put(s, NULL, 20);
    put_command(s, 0, 0);
    put_command(s, 8, 0x1AA);
    for (int i = 0; i < 4; i++) {
        put_command(s, 55, 0);
        put_command(s, 41, SDSIM_OCR_CCS);
    }
}

static void run_spi(struct script *s)
{
    for (size_t i = 0; i < s->count; i++) {
        struct world *w = &s->single;
        const sdsim_ps end = w->now + sdsim_clock_take(&w->clock, 8);
        s->miso[0][i] = sdsim_spi_exchange(&w->spi, w->now, end, s->mosi[i]);
        w->now = end;
    }
    for (size_t done = 0; done < s->count;) {
        const size_t n = some_length(s, s->count - done);
        sdsim_spi_exchange_many(&s->many.spi, &s->many.now, &s->many.clock, s->mosi + done,
                                s->miso[1] + done, n);
        done += n;
    }
    for (size_t i = 0; i < s->count; i++) {
        same(s, "MISO", s->miso[0][i], s->miso[1][i]);
    }
}

static void select_both(struct script *s, bool low)
{
    sdsim_spi_select(&s->single.spi, low);
    sdsim_spi_select(&s->many.spi, low);
}

static void spi_part(struct script *s, int part)
{
    if (part == 0) {
        begin_spi(s);
    } else {
        s->count = 0;
        put_part(s);
    }
    select_both(s, part == 0 || !sdsim_test_one_in(luck(s), 15));
    run_spi(s);
}

/* ---- SD ---- */

static void put_lines(struct script *s, uint8_t cmd, uint8_t dat)
{
    if (s->count < MOST_STEPS) {
        s->host[s->count++] = (struct sdsim_sd_lines){.cmd = cmd, .dat = dat};
    }
}

static void put_free(struct script *s, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        put_lines(s, 1, 0xF);
    }
}

static void put_frame(struct script *s, uint8_t index, uint32_t argument, uint64_t behind)
{
    uint8_t frame[6];
    frame_of(index, argument, frame);
    frame[5] ^= sdsim_test_one_in(luck(s), 30) ? 0x04 : 0;
    for (unsigned i = 0; i < 48; i++) {
        put_lines(s, frame[i / 8] >> (7 - i % 8) & 1, 0xF);
    }
    put_free(s, behind);
}

static void put_lines_block(struct script *s)
{
    const bool four = s->single.card.width == 4;
    uint8_t bytes[SDSIM_SECTOR + 8];
    sdsim_generate(sdsim_rng_next(luck(s)), 0, bytes, SDSIM_SECTOR);
    const uint64_t crc =
        (four ? sdsim_crc16_four(bytes, SDSIM_SECTOR) : sdsim_crc16(bytes, SDSIM_SECTOR)) ^
        (sdsim_test_one_in(luck(s), 4) ? 1 : 0);
    const unsigned size = four ? 8 : 2;
    for (unsigned i = 0; i < size; i++) {
        bytes[SDSIM_SECTOR + i] = (uint8_t)(crc >> 8 * (size - 1 - i));
    }
    put_lines(s, 1, four ? 0x0 : 0xE);
    for (unsigned i = 0; i < (SDSIM_SECTOR + size) * (four ? 2 : 8); i++) {
        put_lines(s, 1,
                  four ? bytes[i / 2] >> (i % 2 == 0 ? 4 : 0) & 0xF
                       : (uint8_t)(0xE | (bytes[i / 8] >> (7 - i % 8) & 1)));
    }
    put_free(s, 1 + sdsim_rng_below(luck(s), 60));
}

static void begin_sd(struct script *s)
{
    s->count = 0;
    put_frame(s, 0, 0, 8);
    put_frame(s, 8, 0x1AA, 130);
    for (int i = 0; i < 6; i++) {
        put_frame(s, 55, 0, 130);
        put_frame(s, 41, SDSIM_OCR_VOLTAGES | SDSIM_OCR_CCS, 130);
    }
    put_frame(s, 2, 0, 160);
    put_frame(s, 3, 0, 130);
    put_frame(s, 7, 0x12340000, 130);
    put_frame(s, 55, 0x12340000, 130);
    put_frame(s, 6, sdsim_test_one_in(luck(s), 3) ? 0 : 2, 130);
}

static void put_sd_part(struct script *s)
{
    static const uint8_t commands[] = {12, 12, 12, 13, 6,  16, 17, 17, 18, 18, 18,
                                       23, 24, 24, 25, 25, 25, 32, 33, 38, 55, 58};
    switch (sdsim_rng_below(luck(s), 8)) {
    case 0:
        put_free(s, sdsim_rng_below(luck(s), 4000));
        break;
    case 1:
        put_lines_block(s);
        break;
    case 2:
        put_frame(s, sdsim_test_one_in(luck(s), 2) ? 24 : 25, some_argument(s), 130);
        put_lines_block(s);
        break;
    case 3: /* noise */
        for (uint64_t i = sdsim_rng_below(luck(s), 40); i > 0; i--) {
            put_lines(s, sdsim_test_one_in(luck(s), 8) ? 0 : 1,
                      (uint8_t)sdsim_rng_below(luck(s), 16));
        }
        put_free(s, 60);
        break;
    default: {
        const uint8_t index = commands[sdsim_rng_below(luck(s), sizeof commands)];
        put_frame(s, index, index == 55 || index == 13 ? 0x12340000 : some_argument(s),
                  sdsim_rng_below(luck(s), sdsim_test_one_in(luck(s), 3) ? 3000 : 140));
        break;
    }
    }
}

/* The host leaves CMD alone in these clocks, and if it reads, the other lines too. */
static bool calm(const struct sdsim_sd_lines *host, size_t clocks, bool reads)
{
    for (size_t i = 0; i < clocks; i++) {
        if (host[i].cmd != 1 || (reads && host[i].dat != 0xF)) {
            return false;
        }
    }
    return true;
}

static uint8_t byte_of(const struct sdsim_sd_lines *lines, unsigned wires)
{
    unsigned byte = 0;
    for (unsigned i = 0; i < 8 / wires; i++) {
        byte = byte << wires | (lines[i].dat & ((1u << wires) - 1));
    }
    return (uint8_t)byte;
}

static void lines_of(uint8_t byte, unsigned wires, struct sdsim_sd_lines *lines)
{
    for (unsigned i = 0; i < 8 / wires; i++) {
        const unsigned bits = byte >> (8 - wires * (i + 1)) & ((1u << wires) - 1);
        lines[i] =
            (struct sdsim_sd_lines){.cmd = 1, .dat = (uint8_t)(wires == 4 ? bits : 0xE | bits)};
    }
}

/* The next clocks as bytes, if they can be that; how many clocks went by. */
static size_t run_bytes(struct script *s, size_t done)
{
    struct world *w = &s->many;
    uint8_t bytes[MOST_STEPS / 2];
    const bool reads = w->sd.phase == SDSIM_SD_SEND;
    const unsigned wires = w->sd.four ? 4 : 1;
    const size_t per_byte = 8 / wires;
    const size_t count = some_length(s, s->count - done) / per_byte;
    const struct sdsim_sd_lines *host = s->host + done;
    if (!calm(host, count * per_byte, reads)) {
        return 0;
    }
    for (size_t i = 0; i < count; i++) {
        bytes[i] = reads ? 0xA5 : byte_of(host + i * per_byte, wires);
    }
    const size_t n = reads ? sdsim_sd_bytes_out(&w->sd, &w->now, &w->clock, bytes, count)
                           : sdsim_sd_bytes_in(&w->sd, &w->now, &w->clock, bytes, count);
    assert_true(n <= count);
    memcpy(s->bus[1] + done, host, n * per_byte * sizeof *host);
    for (size_t i = 0; reads && i < n; i++) {
        lines_of(bytes[i], wires, s->bus[1] + done + i * per_byte);
    }
    s->as_bytes[reads] += n;
    return n * per_byte;
}

static void run_sd(struct script *s)
{
    for (size_t i = 0; i < s->count; i++) {
        struct world *w = &s->single;
        const sdsim_ps end = w->now + sdsim_clock_take(&w->clock, 1);
        s->bus[0][i] = sdsim_sd_clock(&w->sd, w->now, end, s->host[i]);
        w->now = end;
    }
    for (size_t done = 0; done < s->count;) {
        size_t n = sdsim_test_one_in(luck(s), 2) ? run_bytes(s, done) : 0;
        if (n == 0) {
            n = some_length(s, s->count - done);
            sdsim_sd_clock_many(&s->many.sd, &s->many.now, &s->many.clock, s->host + done,
                                s->bus[1] + done, n);
        }
        done += n;
    }
    for (size_t i = 0; i < s->count; i++) {
        same(s, "CMD", s->bus[0][i].cmd, s->bus[1][i].cmd);
        same(s, "DAT", s->bus[0][i].dat, s->bus[1][i].dat);
    }
}

static void sd_part(struct script *s, int part)
{
    if (part == 0) {
        begin_sd(s);
    } else {
        s->count = 0;
        put_sd_part(s);
    }
    run_sd(s);
}

/* ---- ---- */

/* How much one round did. */
struct done {
    unsigned writing; /* rounds that wrote */
    size_t as_bytes[2];
};

static void play(uint64_t seed, uint64_t round, bool spi, struct done *all)
{
    struct script *s = calloc(1, sizeof *s);
    assert_non_null(s);
    sdsim_test_begin(&s->base, seed, round, spi ? 11 : 12, SDSIM_BUS_SPI);
    const size_t frequency = sdsim_test_some_frequency(&s->base);
    const struct sdsim_clock clock = sdsim_test_clock(frequency);
    sdsim_test_some_card(&s->base, &clock);
    s->base.params.power_up_time = 0;
    s->base.params.init_time = 0;
    s->base.params.wake_clocks = 0;
    s->base.params.inquiry_gap = 0;
    create(s, &s->single, frequency);
    create(s, &s->many, frequency);
    for (int part = 0; part < PARTS; part++) {
        if (sdsim_test_one_in(luck(s), 10)) {
            some_fault(s);
        }
        if (spi) {
            spi_part(s, part);
        } else {
            sd_part(s, part);
        }
        compare(s);
    }
    assert_true(sdsim_medium_equal(s->single.medium, s->many.medium));
    all->writing += s->single.card.flash.blocks_written > 0;
    all->as_bytes[0] += s->as_bytes[0];
    all->as_bytes[1] += s->as_bytes[1];
    sdsim_medium_destroy(s->single.medium);
    sdsim_medium_destroy(s->many.medium);
    free(s);
}

static void all_rounds(bool spi)
{
    const char *text = getenv("SDSIM_SEED");
    const uint64_t seed = text != NULL ? strtoull(text, NULL, 10) : 1;
    print_message("seed %llu\n", (unsigned long long)seed);
    struct done done = {0};
    for (uint64_t round = 0; round < ROUNDS; round++) {
        play(seed, round, spi, &done);
    }
    print_message("%u of %d write; SD, bytes from and to the host: %zu, %zu\n", done.writing,
                  ROUNDS, done.as_bytes[0], done.as_bytes[1]);
    assert_true(done.writing > ROUNDS / 4); /* the scripts reach the medium */
    assert_true(spi || (done.as_bytes[0] > 10000 && done.as_bytes[1] > 10000));
}

static void bytes(void **state)
{
    (void)state;
    all_rounds(true);
}

static void lines(void **state)
{
    (void)state;
    all_rounds(false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes),
        cmocka_unit_test(lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
