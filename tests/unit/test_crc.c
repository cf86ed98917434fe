/* The two check sums against published vectors, and against a bit-by-bit division. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdbool.h>
#include <string.h>

#include "core/crc.h"
#include "core/rng.h"

/* Frames with known CRC bytes: the three examples of the SD Physical Layer Simplified
 * Specification, section 4.5, and common commands. */
static const uint8_t frames[][6] = {
    {0x40, 0x00, 0x00, 0x00, 0x00, 0x95}, /* CMD0 */
    {0x51, 0x00, 0x00, 0x00, 0x00, 0x55}, /* CMD17 */
    {0x11, 0x00, 0x00, 0x09, 0x00, 0x67}, /* response to CMD17 */
    {0x48, 0x00, 0x00, 0x01, 0xAA, 0x87}, /* CMD8 */
    {0x52, 0x00, 0x00, 0x00, 0x00, 0xE1}, /* CMD18 */
    {0x58, 0x00, 0x00, 0x00, 0x00, 0x6F}, /* CMD24 */
    {0x59, 0x00, 0x00, 0x00, 0x00, 0x03}, /* CMD25 */
    {0x4C, 0x00, 0x00, 0x00, 0x00, 0x61}, /* CMD12 */
    {0x4D, 0x00, 0x00, 0x00, 0x00, 0x0D}, /* CMD13 */
    {0x49, 0x00, 0x00, 0x00, 0x00, 0xAF}, /* CMD9 */
    {0x4A, 0x00, 0x00, 0x00, 0x00, 0x1B}, /* CMD10 */
    {0x77, 0x00, 0x00, 0x00, 0x00, 0x65}, /* CMD55 */
    {0x7A, 0x00, 0x00, 0x00, 0x00, 0xFD}, /* CMD58 */
    {0x69, 0x40, 0x00, 0x00, 0x00, 0x77}, /* ACMD41, HCS */
    {0x50, 0x00, 0x00, 0x02, 0x00, 0x15}, /* CMD16, 512 */
    {0x7B, 0x00, 0x00, 0x00, 0x01, 0x83}, /* CMD59, on */
    {0x57, 0x00, 0x00, 0x00, 0x08, 0xBF}, /* CMD23, 8 blocks */
};

static void crc7_of_known_frames(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(frames) / sizeof(*frames); i++) {
        const uint8_t got = sdsim_crc7_byte(frames[i], 5);
        if (got != frames[i][5]) {
            fail_msg("frame %zu (%02X...): %02X, not %02X", i, frames[i][0], got, frames[i][5]);
        }
        if (sdsim_crc7(frames[i], 5) != frames[i][5] >> 1) {
            fail_msg("frame %zu (%02X...): CRC7 itself", i, frames[i][0]);
        }
    }
}

struct block {
    const char *name;
    uint8_t even;  /* of the bytes at even places; */
    uint8_t odd;   /* at odd places; */
    uint8_t count; /* and this times the place is added */
    uint16_t crc;
    uint16_t lines[4]; /* DAT3 first, as printed */
};

static const struct block blocks[] = {
    {"all FF", 0xFF, 0xFF, 0, 0x7FA1, {0xEDA9, 0xEDA9, 0xEDA9, 0xEDA9}},
    {"all 00", 0x00, 0x00, 0, 0x0000, {0x0000, 0x0000, 0x0000, 0x0000}},
    {"00..FF twice", 0x00, 0x00, 1, 0x40DA, {0x7357, 0x10B5, 0xA97D, 0x6AA3}},
    {"55 AA", 0x55, 0xAA, 0, 0x7405, {0x36DD, 0xDB74, 0x36DD, 0xDB74}},
};

static void crc16_of_known_blocks(void **state)
{
    (void)state;
    for (size_t b = 0; b < sizeof(blocks) / sizeof(*blocks); b++) {
        const struct block *const block = &blocks[b];
        uint8_t bytes[512];
        for (size_t i = 0; i < sizeof(bytes); i++) {
            bytes[i] = (uint8_t)((i % 2 ? block->odd : block->even) + block->count * i);
        }
        if (sdsim_crc16(bytes, sizeof(bytes)) != block->crc) {
            fail_msg("%s: one line", block->name);
        }
        uint16_t lines[4];
        sdsim_crc16_lines(bytes, sizeof(bytes), lines);
        for (unsigned line = 0; line < 4; line++) {
            if (lines[line] != block->lines[3 - line]) {
                fail_msg("%s: DAT%u is %04X, not %04X", block->name, line, lines[line],
                         block->lines[3 - line]);
            }
        }
    }
}

/* Division by a polynomial of degree `degree`, one bit at a time, the leading term left out. */
struct divider {
    unsigned degree;
    uint32_t polynomial;
    uint32_t rest;
};

static void divide_bit(struct divider *divider, unsigned bit)
{
    const unsigned out = divider->rest >> (divider->degree - 1) & 1;
    divider->rest = divider->rest << 1 & ((1u << divider->degree) - 1);
    if (out != bit) {
        divider->rest ^= divider->polynomial;
    }
}

static void sums_equal_bitwise_division(void **state)
{
    (void)state;
    const uint64_t seed = 20240601;
    struct sdsim_rng rng;
    sdsim_rng_seed(&rng, seed);
    for (int round = 0; round < 500; round++) {
        static const size_t most[] = {20, 64, 512, 1600};
        uint8_t bytes[1601];
        const size_t size =
            round % 7 == 0 ? 512 : (size_t)sdsim_rng_below(&rng, most[round % 4] + 1);
        struct divider seven = {7, 0x09, 0};
        struct divider sixteen = {16, 0x1021, 0};
        struct divider lines[4];
        for (unsigned line = 0; line < 4; line++) {
            lines[line] = sixteen;
        }
        for (size_t i = 0; i < size; i++) {
            bytes[i] = (uint8_t)sdsim_rng_next(&rng);
            for (unsigned bit = 8; bit-- > 0;) {
                divide_bit(&seven, bytes[i] >> bit & 1);
                divide_bit(&sixteen, bytes[i] >> bit & 1);
                divide_bit(&lines[bit % 4], bytes[i] >> bit & 1);
            }
        }
        uint16_t crc[4];
        sdsim_crc16_lines(bytes, size, crc);
        bool good = (size > 64 || sdsim_crc7(bytes, size) == seven.rest) &&
                    sdsim_crc16(bytes, size) == sixteen.rest;
        for (unsigned line = 0; line < 4; line++) {
            good = good && crc[line] == lines[line].rest;
        }
        const uint64_t four = sdsim_crc16_four(bytes, size);
        for (unsigned i = 0; i < 64; i++) {
            good = good && (four >> i & 1) == (lines[i % 4].rest >> i / 4 & 1u);
        }
        if (!good) {
            fail_msg("seed %llu, round %d, %zu bytes", (unsigned long long)seed, round, size);
        }
    }
}

/* What a check sum is for: data followed by its CRC divides without rest, and no single flipped bit
 * goes unseen. */
static void every_flipped_bit_is_seen(void **state)
{
    (void)state;
    for (size_t i = 0; i < 40; i++) {
        uint8_t frame[5];
        memcpy(frame, frames[1], sizeof(frame));
        frame[i / 8] ^= (uint8_t)(1u << i % 8);
        assert_int_not_equal(sdsim_crc7_byte(frame, 5), frames[1][5]);
    }
    uint8_t block[514] = {0};
    for (size_t i = 0; i < 512; i++) {
        block[i] = (uint8_t)(i * 7);
    }
    const uint16_t crc = sdsim_crc16(block, 512);
    block[512] = (uint8_t)(crc >> 8);
    block[513] = (uint8_t)crc;
    assert_int_equal(sdsim_crc16(block, 514), 0);
    for (size_t i = 0; i < 514 * 8; i++) {
        block[i / 8] ^= (uint8_t)(1u << i % 8);
        if (sdsim_crc16(block, 514) == 0) {
            fail_msg("bit %zu", i);
        }
        block[i / 8] ^= (uint8_t)(1u << i % 8);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(crc7_of_known_frames),
        cmocka_unit_test(crc16_of_known_blocks),
        cmocka_unit_test(sums_equal_bitwise_division),
        cmocka_unit_test(every_flipped_bit_is_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
