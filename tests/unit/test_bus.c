/* Frames as bytes, and the clocks of data packets. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdbool.h>
#include <string.h>

#include "bus/counts.h"
#include "bus/frame.h"
#include "core/crc.h"
#include "core/rng.h"

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

static const struct {
    const char *name;
    struct sdsim_frame frame;
    bool response;
    uint8_t bytes[6];
} frames[] = {
    {"CMD0", {0, 0}, false, {0x40, 0x00, 0x00, 0x00, 0x00, 0x95}},
    {"CMD8", {8, 0x1AA}, false, {0x48, 0x00, 0x00, 0x01, 0xAA, 0x87}},
    {"CMD17", {17, 0}, false, {0x51, 0x00, 0x00, 0x00, 0x00, 0x55}},
    {"answer to CMD17", {17, 0x900}, true, {0x11, 0x00, 0x00, 0x09, 0x00, 0x67}},
    {"ACMD41", {41, 0x40000000}, false, {0x69, 0x40, 0x00, 0x00, 0x00, 0x77}},
    {"CMD59", {59, 1}, false, {0x7B, 0x00, 0x00, 0x00, 0x01, 0x83}},
    {"CMD23", {23, 8}, false, {0x57, 0x00, 0x00, 0x00, 0x08, 0xBF}},
    {"CMD58", {58, 0}, false, {0x7A, 0x00, 0x00, 0x00, 0x00, 0xFD}},
};

static void commands_are_built_as_known(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(frames); i++) {
        uint8_t bytes[SDSIM_FRAME_SIZE];
        sdsim_frame_command(&frames[i].frame, bytes);
        if (!frames[i].response && memcmp(bytes, frames[i].bytes, sizeof(bytes)) != 0) {
            fail_msg("%s", frames[i].name);
        }
        struct sdsim_frame frame;
        if (!frames[i].response &&
            sdsim_frame_read_response(frames[i].bytes, &frame) != SDSIM_FRAME_DIRECTION) {
            fail_msg("%s: read as a response", frames[i].name);
        }
    }
}

/* The response with the card's direction bit that has the same index and argument. */
static void response_of(const struct sdsim_frame *frame, uint8_t bytes[SDSIM_FRAME_SIZE])
{
    sdsim_frame_command(frame, bytes);
    bytes[0] &= 0x3F;
    bytes[5] = sdsim_crc7_byte(bytes, 5);
}

static void every_flipped_bit_of_a_frame_has_its_fault(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(frames); i++) {
        for (unsigned bit = 0; bit < 48; bit++) {
            uint8_t bytes[SDSIM_FRAME_SIZE];
            response_of(&frames[i].frame, bytes);
            bytes[bit / 8] ^= (uint8_t)(0x80u >> bit % 8);
            const enum sdsim_frame_fault expected = bit == 0    ? SDSIM_FRAME_NO_START
                                                    : bit == 1  ? SDSIM_FRAME_DIRECTION
                                                    : bit == 47 ? SDSIM_FRAME_NO_END
                                                                : SDSIM_FRAME_CRC;
            struct sdsim_frame frame;
            if (sdsim_frame_read_response(bytes, &frame) != expected) {
                fail_msg("%s, bit %u", frames[i].name, bit);
            }
            /* What can be read is read: a card without CRC check goes on with it. */
            const bool argument = bit >= 8 && bit < 40;
            if ((frame.argument == frames[i].frame.argument) == argument) {
                fail_msg("%s, bit %u: argument %08lX", frames[i].name, bit,
                         (unsigned long)frame.argument);
            }
        }
    }
}

static void all_indices_go_there_and_back(void **state)
{
    (void)state;
    struct sdsim_rng rng;
    sdsim_rng_seed(&rng, 1);
    for (unsigned index = 0; index < 64; index++) {
        const struct sdsim_frame sent = {(uint8_t)index, (uint32_t)sdsim_rng_next(&rng)};
        uint8_t bytes[SDSIM_FRAME_SIZE];
        struct sdsim_frame got;
        response_of(&sent, bytes);
        assert_int_equal(sdsim_frame_read_response(bytes, &got), SDSIM_FRAME_OK);
        assert_int_equal(got.index, index);
        assert_true(got.argument == sent.argument);
        sdsim_frame_command(&sent, bytes);
        assert_int_equal(bytes[0], 0x40 | index);
    }
}

static void r3(void **state)
{
    (void)state;
    uint8_t bytes[SDSIM_FRAME_SIZE] = {0x3F, 0xC0, 0xFF, 0x80, 0x00, 0xFF};
    uint32_t ocr;
    assert_int_equal(sdsim_frame_read_r3(bytes, &ocr), SDSIM_FRAME_OK);
    assert_true(ocr == 0xC0FF8000);
    for (unsigned bit = 0; bit < 48; bit++) {
        bytes[bit / 8] ^= (uint8_t)(0x80u >> bit % 8);
        const enum sdsim_frame_fault fault = bit == 0               ? SDSIM_FRAME_NO_START
                                             : bit == 1             ? SDSIM_FRAME_DIRECTION
                                             : bit == 47            ? SDSIM_FRAME_NO_END
                                             : bit < 8 || bit >= 40 ? SDSIM_FRAME_RESERVED
                                                                    : SDSIM_FRAME_OK;
        if (sdsim_frame_read_r3(bytes, &ocr) != fault) {
            fail_msg("bit %u", bit);
        }
        bytes[bit / 8] ^= (uint8_t)(0x80u >> bit % 8);
    }
}

static void r2(void **state)
{
    (void)state;
    uint8_t content[SDSIM_REGISTER_SIZE];
    for (size_t i = 0; i < sizeof(content); i++) {
        content[i] = (uint8_t)(0x10 * i + 3);
    }
    uint8_t bytes[SDSIM_FRAME_R2_SIZE] = {0x3F};
    memcpy(bytes + 1, content, 15);
    bytes[16] = sdsim_crc7_byte(content, 15); /* not over the first byte */
    uint8_t got[SDSIM_REGISTER_SIZE];
    assert_int_equal(sdsim_frame_read_r2(bytes, got), SDSIM_FRAME_OK);
    assert_memory_equal(got, content, 15);
    assert_int_equal(got[15], bytes[16]);
    for (unsigned bit = 0; bit < 136; bit++) {
        bytes[bit / 8] ^= (uint8_t)(0x80u >> bit % 8);
        const enum sdsim_frame_fault fault = bit == 0     ? SDSIM_FRAME_NO_START
                                             : bit == 1   ? SDSIM_FRAME_DIRECTION
                                             : bit == 135 ? SDSIM_FRAME_NO_END
                                             : bit < 8    ? SDSIM_FRAME_RESERVED
                                                          : SDSIM_FRAME_CRC;
        if (sdsim_frame_read_r2(bytes, got) != fault) {
            fail_msg("bit %u", bit);
        }
        bytes[bit / 8] ^= (uint8_t)(0x80u >> bit % 8);
    }
}

static void flags_of_spi(void **state)
{
    (void)state;
    /* The seven flags are seven bits, and none is the top one. */
    assert_int_equal(SDSIM_SPI_R1_IDLE | SDSIM_SPI_R1_ERASE_RESET | SDSIM_SPI_R1_ILLEGAL |
                         SDSIM_SPI_R1_CRC | SDSIM_SPI_R1_ERASE_SEQUENCE | SDSIM_SPI_R1_ADDRESS |
                         SDSIM_SPI_R1_PARAMETER,
                     0x7F);
}

static void tokens(void **state)
{
    (void)state;
    assert_int_equal(SDSIM_TOKEN_START, 0xFE);
    assert_int_equal(SDSIM_TOKEN_START_MULTI, 0xFC);
    assert_int_equal(SDSIM_TOKEN_STOP, 0xFD);
    assert_int_equal(0xE5 & SDSIM_DATA_RESPONSE_MASK, SDSIM_DATA_ACCEPTED);
    assert_int_equal(0xEB & SDSIM_DATA_RESPONSE_MASK, SDSIM_DATA_CRC_ERROR);
    assert_int_equal(0xED & SDSIM_DATA_RESPONSE_MASK, SDSIM_DATA_WRITE_ERROR);
    assert_int_equal(SDSIM_DATA_ERROR | SDSIM_DATA_ERROR_CC | SDSIM_DATA_ERROR_ECC |
                         SDSIM_DATA_ERROR_RANGE,
                     0x0F);
    for (unsigned byte = 0; byte < 256; byte++) {
        const bool expected = byte >= 1 && byte <= 15;
        assert_int_equal(sdsim_data_error_token((uint8_t)byte), expected);
    }
}

static void packets(void **state)
{
    (void)state;
    static const struct {
        uint32_t bytes;
        uint32_t clocks[3]; /* SPI, SD 1-bit, SD 4-bit */
    } rows[] = {
        {512, {4120, 4114, 1042}}, /* a block */
        {64, {536, 530, 146}},     /* CMD6, ACMD13 */
        {8, {88, 82, 34}},         /* SCR */
        {16, {152, 146, 50}},      /* CSD and CID in SPI */
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        for (int mode = 0; mode < 3; mode++) {
            if (sdsim_bus_packet_clocks((enum sdsim_bus_mode)mode, rows[i].bytes) !=
                rows[i].clocks[mode]) {
                fail_msg("%lu bytes in mode %d", (unsigned long)rows[i].bytes, mode);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(commands_are_built_as_known),
        cmocka_unit_test(every_flipped_bit_of_a_frame_has_its_fault),
        cmocka_unit_test(all_indices_go_there_and_back),
        cmocka_unit_test(r3),
        cmocka_unit_test(r2),
        cmocka_unit_test(flags_of_spi),
        cmocka_unit_test(tokens),
        cmocka_unit_test(packets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
