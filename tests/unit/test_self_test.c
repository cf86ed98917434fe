/*
 * The wiring self-test: its loop-back pattern is no command to a card that listens, and it leaves the
 * chip as it says. What it finds is tested with the programs (integration/test_ftdi_chip.c).
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <string.h>

#include "core/crc.h"
#include "ftdi/card_slave.h"
#include "ftdi/engine_link.h"
#include "slot_bench.h"
#include "tools/ftdi/self_test.h"

static bool bit_of(const uint8_t *bytes, size_t at)
{
    return (bytes[at / 8] >> (7 - at % 8) & 1) != 0;
}

/* Whether a card in SD mode would take the 48 bits from `at` on for a command. */
static bool is_command(const uint8_t *bytes, size_t at)
{
    uint8_t frame[6] = {0};
    for (size_t i = 0; i < 48; i++) {
        frame[i / 8] = (uint8_t)(frame[i / 8] << 1 | (bit_of(bytes, at + i) ? 1 : 0));
    }
    return (frame[0] & 0xC0) == 0x40 && frame[5] == sdsim_crc7_byte(frame, 5);
}

static void test_no_command(void **state)
{
    (void)state;
    /* idle before and behind, as MOSI is; and one that has a command, to see it found */
    uint8_t line[8 + SDSIM_SELF_TEST_BYTES + 8];
    memset(line, 0xFF, sizeof line);
    sdsim_self_test_pattern(line + 8);
    for (size_t at = 0; at + 48 <= 8 * sizeof line; at++) {
        assert_false(is_command(line, at));
    }
    static const uint8_t idle[] = {0x40, 0, 0, 0, 0, 0x95};
    memcpy(line + 20, idle, sizeof idle);
    assert_true(is_command(line, 8 * 20));
}

static void test_pattern_is_mixed(void **state)
{
    (void)state;
    uint8_t pattern[SDSIM_SELF_TEST_BYTES];
    unsigned ones = 0;
    sdsim_self_test_pattern(pattern);
    for (size_t i = 0; i < 8 * sizeof pattern; i++) {
        ones += bit_of(pattern, i) ? 1 : 0;
    }
    assert_in_range(ones, 200, 312);
}

static void test_leaves_the_chip(void **state)
{
    (void)state;
    struct sdsim_slot *slot = sdsim_test_slot();
    struct sdsim_card_slave card;
    struct sdsim_engine engine;
    struct sdsim_self_test test;
    sdsim_card_slave_init(&card, slot);
    sdsim_card_slave_guard(&card, 0, 0);
    sdsim_engine_init(&engine, SDSIM_FT2232H, &card.slave);
    struct sdsim_link *link = sdsim_engine_link(&engine, 0);
    assert_true(sdsim_self_test(link, &test));
    for (int i = 0; i < SDSIM_SELF_TESTS; i++) {
        if (!test.rows[i].fine) {
            fail_msg("%s: %s", test.rows[i].name, test.rows[i].text);
        }
    }
    assert_true(test.fine);
    assert_false(engine.selected);
    assert_false(engine.loop);
    assert_int_equal(engine.divisor, 74);
    assert_int_equal(engine.bad, 0);
    assert_int_equal(card.guard.written + card.guard.erased, 0);
    assert_int_equal(link->expected, 0);
    sdsim_link_close(link);
    sdsim_slot_destroy(slot);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_command),
        cmocka_unit_test(test_pattern_is_mixed),
        cmocka_unit_test(test_leaves_the_chip),
    };
    return cmocka_run_group_tests_name("self_test", tests, NULL, NULL);
}
