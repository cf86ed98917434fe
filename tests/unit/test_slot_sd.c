/* The library in SD mode: commands, data frames and raw lines, to the clock; and faults on order. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <string.h>

#include "slot_bench.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])
#define CLOCK        UINT64_C(125000) /* ps, at 8 MHz */
#define MS           UINT64_C(1000000000)

/* The same card, but its first block is there 8 clocks behind the command. */
#define QUICK_CARD                                                                                 \
    "kind: card\ntype: sdhc\ncapacity: 4MiB\npage: 32KiB\ninit_time: 1ms\nrd1: 1us\nw1: 20us\n"    \
    "wstop: 9us\n"

static uint64_t clocks_since(const struct sdsim_slot *slot, uint64_t start)
{
    const uint64_t span = sdsim_slot_now(slot) - start;
    assert_int_equal(span % CLOCK, 0);
    return span / CLOCK;
}

/* ---- commands ---- */

static void responses(void **state)
{
    (void)state;
    /* N_CR is 4 clocks, N_ID 5; 48 clocks of command, 8 behind all. */
    static const struct {
        uint32_t index;
        uint32_t argument;
        uint32_t bits;
        uint32_t clocks;
        const char *expected; /* from the first byte on */
        size_t size;
    } rows[] = {
        {0, 0, 0, 56, "", 0},
        {8, 0x1AA, 48, 108, "\x08\x00\x00\x01\xAA\x13", 6},
        {55, 0, 48, 108, "\x37\x00\x00\x01\x20\x83", 6},
        {41, 0x40FF8000, 48, 109, "\x3F\x00\xFF\x80\x00\xFF", 6},
    };
    struct sdsim_slot *slot = sdsim_test_slot();
    assert_int_equal(sdsim_slot_advance(slot, MS), SDSIM_OK);
    assert_int_equal(sdsim_slot_clock_lines(slot, NULL, NULL, 74), SDSIM_OK);
    for (size_t i = 0; i < COUNT(rows); i++) {
        uint8_t response[6] = {0};
        const uint64_t start = sdsim_slot_now(slot);
        assert_int_equal(
            sdsim_slot_command(slot, rows[i].index, rows[i].argument, rows[i].bits, response),
            SDSIM_OK);
        if (clocks_since(slot, start) != rows[i].clocks) {
            fail_msg("row %zu: %u clocks", i, (unsigned)clocks_since(slot, start));
        }
        assert_memory_equal(response, rows[i].expected, rows[i].size);
    }
    sdsim_slot_destroy(slot);
}

static void long_response(void **state)
{
    (void)state;
    struct sdsim_slot *slot = sdsim_test_slot();
    uint8_t csd[17];
    assert_int_equal(sdsim_slot_advance(slot, MS), SDSIM_OK);
    assert_int_equal(sdsim_slot_clock_lines(slot, NULL, NULL, 74), SDSIM_OK);
    assert_int_equal(sdsim_slot_command(slot, 0, 0, SDSIM_NO_BITS, NULL), SDSIM_OK);
    for (int i = 0; i < 2; i++) {
        (void)sdsim_test_sd_command(slot, 8, 0x1AA, SDSIM_OK);
        (void)sdsim_test_sd_command(slot, 55, 0, SDSIM_OK);
        (void)sdsim_test_sd_command(slot, 41, 0x40FF8000, SDSIM_OK);
        assert_int_equal(sdsim_slot_advance(slot, MS), SDSIM_OK);
    }
    uint64_t start = sdsim_slot_now(slot);
    assert_int_equal(sdsim_slot_command(slot, 2, 0, SDSIM_LONG_RESPONSE, csd), SDSIM_OK);
    assert_int_equal(clocks_since(slot, start), 48 + 5 + 136 + 8);
    assert_int_equal(csd[0], 0x3F);
    const uint32_t rca = sdsim_test_sd_command(slot, 3, 0, SDSIM_OK) & 0xFFFF0000;
    start = sdsim_slot_now(slot);
    assert_int_equal(sdsim_slot_command(slot, 9, rca, SDSIM_LONG_RESPONSE, csd), SDSIM_OK);
    assert_int_equal(clocks_since(slot, start), 48 + 4 + 136 + 8);
    /* Version 2, C_SIZE 7: 8 x 512 KiB. */
    assert_int_equal(csd[1] >> 6, 1);
    assert_int_equal((csd[8] & 0x3F) << 16 | csd[9] << 8 | csd[10], 7);
    sdsim_slot_destroy(slot);
}

static void no_response(void **state)
{
    (void)state;
    struct sdsim_slot *slot = sdsim_test_sd_slot(1);
    const uint64_t start = sdsim_slot_now(slot);
    (void)sdsim_test_sd_command(slot, 5, 0, SDSIM_E_NO_RESPONSE); /* of SDIO cards */
    assert_string_equal(sdsim_slot_error(slot), "no response to CMD5");
    assert_int_equal(clocks_since(slot, start), 48 + 65 + 8);
    sdsim_slot_destroy(slot);

    /* An empty slot is silent, too, but time passes. */
    slot = sdsim_slot_create();
    (void)sdsim_test_sd_command(slot, 8, 0x1AA, SDSIM_E_NO_RESPONSE);
    assert_int_equal(sdsim_slot_now(slot), (48 + 65 + 8) * UINT64_C(2500000));
    uint8_t block[512];
    assert_int_equal(sdsim_slot_read_data(slot, block, 512, 4, MS), SDSIM_E_NO_RESPONSE);
    assert_int_equal(sdsim_slot_write_data(slot, block, 512, 4), SDSIM_E_NO_RESPONSE);
    assert_int_equal(sdsim_slot_wait(slot, MS), SDSIM_OK);
    sdsim_slot_destroy(slot);
}

static void wrong_frame(void **state)
{
    (void)state;
    struct sdsim_slot *slot = sdsim_test_slot();
    uint8_t response[6] = {0};
    assert_int_equal(sdsim_slot_advance(slot, MS), SDSIM_OK);
    assert_int_equal(sdsim_slot_clock_lines(slot, NULL, NULL, 74), SDSIM_OK);
    assert_int_equal(sdsim_slot_command(slot, 0, 0, SDSIM_NO_BITS, NULL), SDSIM_OK);
    const uint8_t wrong[] = {0x48, 0, 0, 1, 0xAA, 0x89};
    const uint8_t right[] = {0x48, 0, 0, 1, 0xAA, 0x87};
    assert_int_equal(sdsim_slot_command_frame(slot, wrong, 48, response), SDSIM_E_NO_RESPONSE);
    assert_int_equal(sdsim_slot_command_frame(slot, right, 48, response), SDSIM_OK);
    assert_memory_equal(response, "\x08\x00\x00\x01\xAA\x13", 6);
    /* COM_CRC_ERROR waited for a response with a card status. */
    assert_int_equal(sdsim_test_sd_command(slot, 55, 0, SDSIM_OK), 0x00800120);
    sdsim_slot_destroy(slot);
}

static void bad_arguments(void **state)
{
    (void)state;
    struct sdsim_slot *slot = sdsim_test_slot();
    uint8_t bytes[2049] = {0};
    const uint8_t frame[6] = {0x40, 0, 0, 0, 0, 0x95};
    const int32_t results[] = {
        sdsim_slot_command(slot, 64, 0, 48, bytes),
        sdsim_slot_command(slot, 8, 0, 47, bytes),
        sdsim_slot_command_frame(slot, NULL, 48, bytes),
        sdsim_slot_command_frame(slot, frame, 137, bytes),
        sdsim_slot_read_data(slot, NULL, 512, 4, 0),
        sdsim_slot_read_data(slot, bytes, 0, 4, 0),
        sdsim_slot_read_data(slot, bytes, 2049, 4, 0),
        sdsim_slot_read_data(slot, bytes, 512, 2, 0),
        sdsim_slot_write_data(slot, NULL, 512, 4),
        sdsim_slot_write_data(slot, bytes, 0, 1),
        sdsim_slot_write_data(slot, bytes, 2049, 1),
        sdsim_slot_write_data(slot, bytes, 512, 8),
        sdsim_slot_command(NULL, 0, 0, 0, NULL),
        sdsim_slot_command_frame(NULL, frame, 0, NULL),
        sdsim_slot_read_data(NULL, bytes, 512, 4, 0),
        sdsim_slot_write_data(NULL, bytes, 512, 4),
        sdsim_slot_wait(NULL, 0),
        sdsim_slot_clock_lines(NULL, NULL, NULL, 0),
    };
    for (size_t i = 0; i < COUNT(results); i++) {
        if (results[i] != SDSIM_E_ARGUMENT) {
            fail_msg("row %zu: %ld", i, (long)results[i]);
        }
    }
    assert_int_equal(sdsim_slot_now(slot), 0);
    assert_int_equal(sdsim_slot_wait(slot, UINT64_MAX), SDSIM_E_TIME);
    assert_int_equal(sdsim_slot_read_data(slot, bytes, 512, 4, UINT64_MAX), SDSIM_E_TIME);
    assert_int_equal(sdsim_slot_clock_lines(slot, NULL, NULL, SIZE_MAX), SDSIM_E_TIME);
    assert_int_equal(sdsim_slot_advance(slot, UINT64_C(200) * 86400000 * MS), SDSIM_OK);
    assert_int_equal(sdsim_slot_command(slot, 0, 0, 0, NULL), SDSIM_E_TIME);
    assert_int_equal(sdsim_slot_write_data(slot, bytes, 512, 4), SDSIM_E_TIME);
    sdsim_slot_destroy(slot);
}

/* ---- data ---- */

static void blocks(void **state)
{
    (void)state;
    for (uint32_t lines = 1; lines <= 4; lines += 3) {
        struct sdsim_slot *slot = sdsim_test_sd_slot(lines);
        uint8_t written[512];
        uint8_t read[512];
        sdsim_test_fill(written, sizeof written, lines);
        (void)sdsim_test_sd_command(slot, 24, 5, SDSIM_OK);
        uint64_t start = sdsim_slot_now(slot);
        assert_int_equal(sdsim_slot_write_data(slot, written, 512, lines), SDSIM_OK);
        /* N_WR, start, data and CRC16, end, N_CRC, status */
        const uint32_t frame = 1 + 4096 / lines + 16 + 1;
        assert_int_equal(clocks_since(slot, start), 2 + frame + 2 + 5);
        assert_int_equal(sdsim_slot_read_sectors(slot, 5, 1, read), SDSIM_OK);
        assert_memory_equal(read, written, sizeof read);
        /* w1 is 20 us from the end of the block: 160 clocks, of which 7 are over. The clock that
         * begins then shows it. */
        start = sdsim_slot_now(slot);
        assert_int_equal(sdsim_slot_wait(slot, MS), SDSIM_OK);
        assert_int_equal(clocks_since(slot, start), 160 - 7 + 1);

        /* rd1 is 10 us: 80 clocks from the end of the command */
        start = sdsim_slot_now(slot);
        memset(read, 0, sizeof read);
        (void)sdsim_test_sd_command(slot, 17, 5, SDSIM_OK);
        assert_int_equal(sdsim_slot_read_data(slot, read, 512, lines, MS), SDSIM_OK);
        assert_int_equal(clocks_since(slot, start), 48 + 80 + frame);
        assert_memory_equal(read, written, sizeof read);
        sdsim_slot_destroy(slot);
    }
}

/* A slot with such a card on four lines. */
static struct sdsim_slot *slot_with(const char *card)
{
    struct sdsim_slot *slot = sdsim_test_sd_slot(1);
    assert_int_equal(sdsim_slot_insert_text(slot, "card", card, strlen(card), 1, 0), SDSIM_OK);
    assert_int_equal(sdsim_slot_advance(slot, MS), SDSIM_OK);
    assert_int_equal(sdsim_slot_command(slot, 0, 0, SDSIM_NO_BITS, NULL), SDSIM_OK);
    (void)sdsim_test_sd_command(slot, 8, 0x1AA, SDSIM_OK);
    for (int i = 0; i < 2; i++) {
        (void)sdsim_test_sd_command(slot, 55, 0, SDSIM_OK);
        (void)sdsim_test_sd_command(slot, 41, 0x40FF8000, SDSIM_OK);
        assert_int_equal(sdsim_slot_advance(slot, MS), SDSIM_OK);
    }
    assert_int_equal(sdsim_slot_command(slot, 2, 0, SDSIM_LONG_RESPONSE, NULL), SDSIM_OK);
    const uint32_t rca = sdsim_test_sd_command(slot, 3, 0, SDSIM_OK) & 0xFFFF0000;
    (void)sdsim_test_sd_command(slot, 7, rca, SDSIM_OK);
    (void)sdsim_test_sd_command(slot, 55, rca, SDSIM_OK);
    (void)sdsim_test_sd_command(slot, 6, 2, SDSIM_OK);
    return slot;
}

/* A card that shows busy one clock late: it is not taken for ready, and ready at the same instant. */
static void late_busy(void **state)
{
    (void)state;
    struct sdsim_slot *slot = slot_with(QUICK_CARD "n_br_clocks: 1\n");
    uint8_t block[512];
    sdsim_test_fill(block, sizeof block, 4);
    (void)sdsim_test_sd_command(slot, 24, 5, SDSIM_OK);
    uint64_t start = sdsim_slot_now(slot);
    assert_int_equal(sdsim_slot_write_data(slot, block, 512, 4), SDSIM_OK);
    assert_int_equal(clocks_since(slot, start), 2 + 1 + 1024 + 16 + 1 + 2 + 5 + 1);
    start = sdsim_slot_now(slot);
    assert_int_equal(sdsim_slot_wait(slot, MS), SDSIM_OK);
    assert_int_equal(clocks_since(slot, start), 160 - 8 + 1);
    sdsim_slot_destroy(slot);
}

/* Data that begins while the response is on its way, and data that is over with it. */
static void early_data(void **state)
{
    (void)state;
    struct sdsim_slot *slot = slot_with(QUICK_CARD);
    uint8_t written[512];
    uint8_t read[512];
    uint8_t scr[8];
    sdsim_test_fill(written, sizeof written, 9);
    assert_int_equal(sdsim_slot_write_sectors(slot, 7, 1, written), SDSIM_OK);
    const uint64_t start = sdsim_slot_now(slot);
    (void)sdsim_test_sd_command(slot, 17, 7, SDSIM_OK);
    assert_int_equal(sdsim_slot_read_data(slot, read, 512, 4, MS), SDSIM_OK);
    assert_memory_equal(read, written, sizeof read);
    assert_int_equal(clocks_since(slot, start), 48 + 8 + 1042);

    (void)sdsim_test_sd_command(slot, 55, SDSIM_TEST_ADDRESS, SDSIM_OK);
    (void)sdsim_test_sd_command(slot, 51, 0, SDSIM_OK);
    const uint64_t now = sdsim_slot_now(slot);
    assert_int_equal(sdsim_slot_read_data(slot, scr, 8, 4, MS), SDSIM_OK);
    assert_int_equal(sdsim_slot_now(slot), now); /* 2 + 34 clocks, of 60 that were given */
    assert_int_equal(scr[1] & 0x0F, 0x05);       /* 1 and 4 bits */
    assert_int_equal(sdsim_slot_read_data(slot, scr, 8, 4, 100 * CLOCK), SDSIM_E_NO_RESPONSE);
    sdsim_slot_destroy(slot);
}

static void streams(void **state)
{
    (void)state;
    enum { BLOCKS = 40 };
    static uint8_t written[BLOCKS][512];
    static uint8_t read[BLOCKS][512];
    for (uint32_t lines = 1; lines <= 4; lines += 3) {
        struct sdsim_slot *slot = sdsim_test_sd_slot(lines);
        sdsim_test_fill(written[0], sizeof written, lines);
        (void)sdsim_test_sd_command(slot, 25, 100, SDSIM_OK);
        for (int i = 0; i < BLOCKS; i++) {
            assert_int_equal(sdsim_slot_write_data(slot, written[i], 512, lines), SDSIM_OK);
            assert_int_equal(sdsim_slot_wait(slot, MS), SDSIM_OK);
        }
        (void)sdsim_test_sd_command(slot, 12, 0, SDSIM_OK);
        assert_int_equal(sdsim_slot_wait(slot, MS), SDSIM_OK);
        (void)sdsim_test_sd_command(slot, 18, 100, SDSIM_OK);
        for (int i = 0; i < BLOCKS; i++) {
            assert_int_equal(sdsim_slot_read_data(slot, read[i], 512, lines, MS), SDSIM_OK);
        }
        (void)sdsim_test_sd_command(slot, 12, 0, SDSIM_OK);
        assert_memory_equal(read, written, sizeof read);
        assert_int_equal(sdsim_test_sd_command(slot, 13, SDSIM_TEST_ADDRESS, SDSIM_OK), 0x00000900);
        assert_int_equal(sdsim_slot_read_sectors(slot, 100, BLOCKS, read), SDSIM_OK);
        assert_memory_equal(read, written, sizeof read);
        sdsim_slot_destroy(slot);
    }
}

static void limits(void **state)
{
    (void)state;
    struct sdsim_slot *slot = sdsim_test_sd_slot(4);
    uint8_t block[512];
    uint64_t start = sdsim_slot_now(slot);
    assert_int_equal(sdsim_slot_read_data(slot, block, 512, 4, 10 * CLOCK), SDSIM_E_NO_RESPONSE);
    assert_int_equal(clocks_since(slot, start), 10);
    assert_int_equal(sdsim_slot_inject(slot, SDSIM_INJECT_STUCK_BUSY, 0, 1, 0), SDSIM_OK);
    (void)sdsim_test_sd_command(slot, 24, 5, SDSIM_OK);
    assert_int_equal(sdsim_slot_write_data(slot, block, 512, 4), SDSIM_OK);
    start = sdsim_slot_now(slot);
    assert_int_equal(sdsim_slot_wait(slot, MS), SDSIM_E_BUSY);
    assert_string_equal(sdsim_slot_error(slot), "the card is still busy");
    assert_int_equal(sdsim_slot_now(slot) - start, MS);
    assert_int_equal(sdsim_slot_wait(slot, 0), SDSIM_E_BUSY);
    assert_int_equal(sdsim_slot_now(slot) - start, MS + CLOCK);
    sdsim_slot_destroy(slot);
}

/* ---- faults ---- */

static void order(struct sdsim_slot *slot, uint32_t fault, uint32_t detail)
{
    assert_int_equal(sdsim_slot_inject(slot, fault, 0, 1, detail), SDSIM_OK);
}

static void faults(void **state)
{
    (void)state;
    for (uint32_t lines = 1; lines <= 4; lines += 3) {
        struct sdsim_slot *slot = sdsim_test_sd_slot(lines);
        uint8_t written[512];
        uint8_t read[512] = {0};
        sdsim_test_fill(written, sizeof written, 5);
        assert_int_equal(sdsim_slot_write_sectors(slot, 5, 1, written), SDSIM_OK);

        order(slot, SDSIM_INJECT_NO_RESPONSE, 13);
        (void)sdsim_test_sd_command(slot, 13, SDSIM_TEST_ADDRESS, SDSIM_E_NO_RESPONSE);
        (void)sdsim_test_sd_command(slot, 13, SDSIM_TEST_ADDRESS, SDSIM_OK);

        order(slot, SDSIM_INJECT_READ_CRC, 0);
        (void)sdsim_test_sd_command(slot, 17, 5, SDSIM_OK);
        assert_int_equal(sdsim_slot_read_data(slot, read, 512, lines, MS), SDSIM_E_CRC);
        assert_memory_equal(read, written, sizeof read);

        order(slot, SDSIM_INJECT_READ_ERROR, 0);
        (void)sdsim_test_sd_command(slot, 17, 5, SDSIM_OK);
        assert_int_equal(sdsim_slot_read_data(slot, read, 512, lines, MS), SDSIM_E_NO_RESPONSE);
        assert_int_equal(sdsim_test_sd_command(slot, 13, SDSIM_TEST_ADDRESS, SDSIM_OK) & 0x00200000,
                         0x00200000); /* CARD_ECC_FAILED */

        memset(read, 0x11, sizeof read);
        order(slot, SDSIM_INJECT_WRITE_CRC, 0);
        (void)sdsim_test_sd_command(slot, 24, 5, SDSIM_OK);
        assert_int_equal(sdsim_slot_write_data(slot, read, 512, lines), SDSIM_E_REFUSED);
        order(slot, SDSIM_INJECT_WRITE_ERROR, 0);
        (void)sdsim_test_sd_command(slot, 24, 5, SDSIM_OK);
        assert_int_equal(sdsim_slot_write_data(slot, read, 512, lines), SDSIM_OK);
        assert_int_equal(sdsim_slot_wait(slot, MS), SDSIM_OK);
        assert_int_equal(sdsim_test_sd_command(slot, 13, SDSIM_TEST_ADDRESS, SDSIM_OK) & 0x00080000,
                         0x00080000); /* ERROR */
        assert_int_equal(sdsim_slot_read_sectors(slot, 5, 1, read), SDSIM_OK);
        assert_memory_equal(read, written, sizeof read);

        order(slot, SDSIM_INJECT_REMOVED, 17);
        (void)sdsim_test_sd_command(slot, 13, SDSIM_TEST_ADDRESS, SDSIM_OK);
        (void)sdsim_test_sd_command(slot, 17, 5, SDSIM_E_NO_RESPONSE);
        assert_int_equal(sdsim_slot_read_data(slot, read, 512, lines, MS), SDSIM_E_NO_RESPONSE);
        (void)sdsim_test_sd_command(slot, 13, SDSIM_TEST_ADDRESS, SDSIM_E_NO_RESPONSE);
        sdsim_slot_destroy(slot);
    }
}

/* ---- raw lines ---- */

/* CMD8 bit by bit, and the response read off the lines. */
static void raw_lines(void **state)
{
    (void)state;
    static const uint8_t frame[6] = {0x48, 0, 0, 1, 0xAA, 0x87};
    uint8_t lines[48 + 4 + 48 + 8];
    uint8_t response[6] = {0};
    struct sdsim_slot *slot = sdsim_test_slot();
    assert_int_equal(sdsim_slot_advance(slot, MS), SDSIM_OK);
    assert_int_equal(sdsim_slot_clock_lines(slot, NULL, NULL, 74), SDSIM_OK);
    assert_int_equal(sdsim_slot_command(slot, 0, 0, SDSIM_NO_BITS, NULL), SDSIM_OK);
    const uint64_t start = sdsim_slot_now(slot);
    memset(lines, 0xFF, sizeof lines); /* bits that mean nothing are not looked at */
    for (size_t i = 0; i < 48; i++) {
        const uint8_t bit = frame[i / 8] >> (7 - i % 8) & 1;
        lines[i] = (uint8_t)(SDSIM_LINE_DAT | (bit != 0 ? SDSIM_LINE_CMD : 0));
    }
    assert_int_equal(sdsim_slot_clock_lines(slot, lines, lines, sizeof lines), SDSIM_OK);
    assert_int_equal(clocks_since(slot, start), sizeof lines);
    for (size_t i = 0; i < sizeof lines; i++) {
        assert_int_equal(lines[i] & ~SDSIM_LINE_CMD, SDSIM_LINE_DAT);
    }
    for (size_t i = 48; i < 52; i++) {
        assert_int_equal(lines[i], SDSIM_LINES_HIGH);
    }
    for (size_t i = 0; i < 48; i++) {
        response[i / 8] |= (uint8_t)((lines[52 + i] & SDSIM_LINE_CMD) != 0 ? 0x80 >> i % 8 : 0);
    }
    assert_memory_equal(response, "\x08\x00\x00\x01\xAA\x13", 6);
    sdsim_slot_destroy(slot);
}

/* Many clocks at once or one by one are the same. */
static void split_clocks(void **state)
{
    (void)state;
    enum { CLOCKS = 3000 };
    static uint8_t whole[CLOCKS];
    static uint8_t single[CLOCKS];
    struct sdsim_slot *slots[2];
    for (int i = 0; i < 2; i++) {
        uint8_t block[1024];
        slots[i] = sdsim_test_sd_slot(4);
        sdsim_test_fill(block, sizeof block, 8);
        assert_int_equal(sdsim_slot_write_sectors(slots[i], 9, 2, block), SDSIM_OK);
        assert_int_equal(sdsim_slot_set_clock(slots[i], 80000000, 7), SDSIM_OK);
        (void)sdsim_test_sd_command(slots[i], 18, 9, SDSIM_OK);
    }
    assert_int_equal(sdsim_slot_clock_lines(slots[0], NULL, whole, CLOCKS), SDSIM_OK);
    for (size_t i = 0; i < CLOCKS; i++) {
        assert_int_equal(sdsim_slot_clock_lines(slots[1], NULL, single + i, 1), SDSIM_OK);
    }
    assert_memory_equal(single, whole, CLOCKS);
    assert_non_null(memchr(whole, SDSIM_LINE_CMD, CLOCKS)); /* a start bit on all lines */
    assert_int_equal(sdsim_slot_now(slots[0]), sdsim_slot_now(slots[1]));
    sdsim_slot_destroy(slots[0]);
    sdsim_slot_destroy(slots[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(responses),     cmocka_unit_test(long_response),
        cmocka_unit_test(no_response),   cmocka_unit_test(wrong_frame),
        cmocka_unit_test(bad_arguments), cmocka_unit_test(blocks),
        cmocka_unit_test(late_busy),     cmocka_unit_test(early_data),
        cmocka_unit_test(streams),       cmocka_unit_test(limits),
        cmocka_unit_test(faults),        cmocka_unit_test(raw_lines),
        cmocka_unit_test(split_clocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
