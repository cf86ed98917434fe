/*
 * Which blocks may go out before the card has said yes to the command: none that a card which did not hear
 * it could take for something that changes it or its data, wherever a lost or spare clock puts it.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <string.h>

#include "bus/frame.h"
#include "core/rng.h"
#include "tools/ftdi/mpsse_ahead.h"

enum { BLOCK = 515, BITS = 8 * BLOCK, FRAME_BITS = 48 };

static void put_frame(uint8_t *block, size_t at, uint8_t index, uint32_t argument)
{
    const struct sdsim_frame frame = {.index = index, .argument = argument};
    uint8_t bytes[SDSIM_FRAME_SIZE];
    sdsim_frame_command(&frame, bytes);
    for (size_t i = 0; i < FRAME_BITS; i++) {
        const uint8_t mask = (uint8_t)(0x80 >> (at + i) % 8);
        const bool bit = (bytes[i / 8] >> (7 - i % 8) & 1) != 0;
        uint8_t *byte = &block[(at + i) / 8];
        *byte = (uint8_t)(bit ? *byte | mask : *byte & ~mask);
    }
}

/* Data of zeros has no frame in it. */
static void test_each_place(void **state)
{
    (void)state;
    static const struct {
        uint8_t index;
        uint32_t argument;
        bool harmless;
    } rows[] = {
        {28, 0, false}, {28, 123456, false}, {29, 512, false}, {59, 0, false}, {59, 2, false},
        {59, 1, true},  {24, 100, true},     {25, 100, true},  {38, 0, true},  {32, 77, true},
        {17, 0, true},  {0, 0, true},        {13, 0, true},    {42, 0, true},  {27, 0, true},
    };
    for (size_t row = 0; row < sizeof rows / sizeof *rows; row++) {
        for (size_t at = 0; at + FRAME_BITS <= BITS; at++) {
            uint8_t block[BLOCK] = {0};
            put_frame(block, at, rows[row].index, rows[row].argument);
            if (sdsim_mpsse_harmless(block, sizeof block) != rows[row].harmless) {
                fail_msg("CMD%u at bit %zu", rows[row].index, at);
            }
        }
    }
}

static void test_an_erase(void **state)
{
    (void)state;
    uint8_t block[BLOCK] = {0};
    put_frame(block, 100, 32, 0);
    put_frame(block, 200, 33, 1000);
    assert_true(sdsim_mpsse_harmless(block, sizeof block));
    put_frame(block, 301, 38, 0);
    assert_false(sdsim_mpsse_harmless(block, sizeof block));
}

/* A wrong check sum, start bit or end bit makes no command. */
static void test_near_misses(void **state)
{
    (void)state;
    static const size_t bits[] = {0, 1, 20, 40, 47};
    for (size_t i = 0; i < sizeof bits / sizeof *bits; i++) {
        uint8_t block[BLOCK] = {0};
        put_frame(block, 801, 28, 9);
        block[(801 + bits[i]) / 8] ^= (uint8_t)(0x80 >> (801 + bits[i]) % 8);
        assert_true(sdsim_mpsse_harmless(block, sizeof block));
    }
}

/* Most blocks may. */
static void test_random_blocks(void **state)
{
    (void)state;
    unsigned harmless = 0;
    for (uint64_t seed = 0; seed < 2000; seed++) {
        uint8_t block[BLOCK];
        sdsim_generate(seed, 0, block, sizeof block);
        harmless += sdsim_mpsse_harmless(block, sizeof block) ? 1 : 0;
    }
    print_message("of 2000 random blocks %u may go with their command\n", harmless);
    assert_in_range(harmless, 1600, 1800);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_place),
        cmocka_unit_test(test_an_erase),
        cmocka_unit_test(test_near_misses),
        cmocka_unit_test(test_random_blocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
