/* Frames as bytes, and clock counts against the published and computed tables. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "bus/counts.h"
#include "bus/frame.h"
#include "core/clock.h"
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

static enum sdsim_frame_fault read_frame(bool response, const uint8_t bytes[6],
                                         struct sdsim_frame *frame)
{
    return response ? sdsim_frame_read_response(bytes, frame)
                    : sdsim_frame_read_command(bytes, frame);
}

static void known_frames_both_ways(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(frames); i++) {
        uint8_t bytes[SDSIM_FRAME_SIZE];
        (frames[i].response ? sdsim_frame_response : sdsim_frame_command)(&frames[i].frame, bytes);
        struct sdsim_frame frame;
        if (memcmp(bytes, frames[i].bytes, sizeof(bytes)) != 0 ||
            read_frame(frames[i].response, frames[i].bytes, &frame) != SDSIM_FRAME_OK ||
            frame.index != frames[i].frame.index || frame.argument != frames[i].frame.argument) {
            fail_msg("%s", frames[i].name);
        }
        if (read_frame(!frames[i].response, frames[i].bytes, &frame) != SDSIM_FRAME_DIRECTION) {
            fail_msg("%s: read as what it is not", frames[i].name);
        }
    }
}

static void every_flipped_bit_of_a_frame_has_its_fault(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(frames); i++) {
        for (unsigned bit = 0; bit < 48; bit++) {
            uint8_t bytes[SDSIM_FRAME_SIZE];
            memcpy(bytes, frames[i].bytes, sizeof(bytes));
            bytes[bit / 8] ^= (uint8_t)(0x80u >> bit % 8);
            const enum sdsim_frame_fault expected = bit == 0    ? SDSIM_FRAME_NO_START
                                                    : bit == 1  ? SDSIM_FRAME_DIRECTION
                                                    : bit == 47 ? SDSIM_FRAME_NO_END
                                                                : SDSIM_FRAME_CRC;
            struct sdsim_frame frame;
            if (read_frame(frames[i].response, bytes, &frame) != expected) {
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
        for (int response = 0; response < 2; response++) {
            uint8_t bytes[SDSIM_FRAME_SIZE];
            (response ? sdsim_frame_response : sdsim_frame_command)(&sent, bytes);
            struct sdsim_frame got;
            assert_int_equal(read_frame(response, bytes, &got), SDSIM_FRAME_OK);
            assert_int_equal(got.index, index);
            assert_true(got.argument == sent.argument);
            assert_int_equal(bytes[0] & 0xC0, response ? 0x00 : 0x40);
        }
    }
}

static void r3(void **state)
{
    (void)state;
    static const uint8_t expected[] = {0x3F, 0xC0, 0xFF, 0x80, 0x00, 0xFF};
    uint8_t bytes[SDSIM_FRAME_SIZE];
    sdsim_frame_r3(0xC0FF8000, bytes);
    assert_memory_equal(bytes, expected, sizeof(expected));
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
    uint8_t bytes[SDSIM_FRAME_R2_SIZE];
    sdsim_frame_r2(content, bytes);
    assert_int_equal(bytes[0], 0x3F);
    assert_memory_equal(bytes + 1, content, 15);
    assert_int_equal(bytes[16], sdsim_crc7_byte(content, 15)); /* not over the first byte */
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

static void spi_responses(void **state)
{
    (void)state;
    uint8_t two[SDSIM_SPI_R2_SIZE];
    sdsim_frame_spi_r2(SDSIM_SPI_R1_IDLE, 0x42, two);
    assert_memory_equal(two, ((const uint8_t[]){0x01, 0x42}), 2);
    uint8_t five[SDSIM_SPI_R3_SIZE];
    sdsim_frame_spi_r3(SDSIM_SPI_R1_IDLE, 0x1AA, five); /* R7 of CMD8 */
    assert_memory_equal(five, ((const uint8_t[]){0x01, 0x00, 0x00, 0x01, 0xAA}), 5);
    assert_true(sdsim_frame_read_spi_r3(five) == 0x1AA);
    sdsim_frame_spi_r3(0, 0xC0FF8000, five); /* R3 of CMD58 */
    assert_memory_equal(five, ((const uint8_t[]){0x00, 0xC0, 0xFF, 0x80, 0x00}), 5);
    assert_true(sdsim_frame_read_spi_r3(five) == 0xC0FF8000);
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

/* One row of a table of transactions: what the functions say with the least gaps, and what is
 * printed. */
struct count_row {
    const char *name;
    uint64_t counted;
    uint64_t printed;
};

static void check_counts(const struct count_row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (rows[i].counted != rows[i].printed) {
            fail_msg("%s: %llu, not %llu", rows[i].name, (unsigned long long)rows[i].counted,
                     (unsigned long long)rows[i].printed);
        }
    }
}

static void transactions_in_spi(void **state)
{
    (void)state;
    const enum sdsim_bus_mode spi = SDSIM_BUS_SPI;
    const struct sdsim_bus_gaps gaps = sdsim_bus_least_gaps(spi);
    struct sdsim_bus_gaps stop = gaps;
    stop.n_cr = 0; /* may be 0 behind the stuff byte */
    struct sdsim_bus_gaps slow_stop = gaps;
    slow_stop.n_br = 8;
    const uint64_t r1 = sdsim_bus_r1_clocks(spi, &gaps);
    const uint64_t prefix = sdsim_bus_prefix_clocks(spi, &gaps);
    const uint64_t least_stop = sdsim_bus_read_stop_clocks(spi, &stop, SDSIM_BUS_STOP_LATE);
    const struct count_row rows[] = {
        {"command, R1", r1, 64},
        {"command, R3 or R7", sdsim_bus_command_clocks(&gaps, SDSIM_BUS_SPI_R3), 96},
        {"CMD13", sdsim_bus_command_clocks(&gaps, SDSIM_BUS_SPI_R2), 72},
        {"CMD17", sdsim_bus_read_clocks(spi, &gaps, 512), 4192},
        {"CMD17 with trailing byte", sdsim_bus_read_clocks(spi, &gaps, 512) + SDSIM_BUS_TRAILING,
         4200},
        {"CMD18, each block", sdsim_bus_read_next_clocks(spi, &gaps), 4128},
        {"CMD18, stop", least_stop, 64},
        {"CMD18, 1 block", sdsim_bus_read_run_clocks(spi, &gaps, 1) + least_stop, 4256},
        {"CMD18, 8 blocks", sdsim_bus_read_run_clocks(spi, &gaps, 8) + least_stop, 33152},
        {"CMD18, 64 blocks", sdsim_bus_read_run_clocks(spi, &gaps, 64) + least_stop, 264320},
        {"CMD24", sdsim_bus_write_run_clocks(spi, &gaps, 1), 4200},
        {"CMD25, each block", sdsim_bus_write_next_clocks(spi, &gaps), 4136},
        {"CMD25, 8 blocks", sdsim_bus_write_run_clocks(spi, &gaps, 8), 64 + 8 * 4136},
        {"CMD25, stop", sdsim_bus_write_stop_clocks(spi, &gaps), 16},
        {"CMD25, slow stop", sdsim_bus_write_stop_clocks(spi, &slow_stop), 24},
        {"ACMD23 before CMD25", 2 * prefix, 144},
        {"CMD55 and ACMD", prefix + r1, 136},
        {"CMD9, CMD10", sdsim_bus_read_register_clocks(&gaps, 16), 216},
        {"CMD6", sdsim_bus_read_clocks(spi, &gaps, 64), 608},
        {"ACMD13", prefix + SDSIM_BUS_SPI_R1 + sdsim_bus_read_clocks(spi, &gaps, 64), 688},
    };
    check_counts(rows, COUNT(rows));
}

static void transactions_in_sd_mode(void **state)
{
    (void)state;
    for (int four = 0; four < 2; four++) {
        const enum sdsim_bus_mode mode = four ? SDSIM_BUS_SD4 : SDSIM_BUS_SD1;
        const struct sdsim_bus_gaps gaps = sdsim_bus_least_gaps(mode);
        const uint64_t r1 = sdsim_bus_r1_clocks(mode, &gaps);
        const uint64_t prefix = sdsim_bus_prefix_clocks(mode, &gaps);
        const uint64_t cmd17 = sdsim_bus_read_clocks(mode, &gaps, 512);
        const uint64_t next = sdsim_bus_read_next_clocks(mode, &gaps);
        const struct count_row rows[] = {
            {"command", r1, 98},
            {"command before another", prefix, 106},
            {"command, R2", sdsim_bus_command_clocks(&gaps, SDSIM_BUS_RESPONSE_R2), 186},
            {"CMD17", cmd17, four ? 1092 : 4164},
            {"CMD18, each further block", next, four ? 1044 : 4116},
            {"CMD18, 8 blocks", sdsim_bus_read_run_clocks(mode, &gaps, 8), cmd17 + 7 * next},
            {"CMD18, timed stop", sdsim_bus_read_stop_clocks(mode, &gaps, SDSIM_BUS_STOP_TIMED),
             50},
            {"CMD18, late stop", sdsim_bus_read_stop_clocks(mode, &gaps, SDSIM_BUS_STOP_LATE), 98},
            {"CMD24", sdsim_bus_write_run_clocks(mode, &gaps, 1), four ? 1149 : 4221},
            {"CMD25, each further block", sdsim_bus_write_next_clocks(mode, &gaps),
             four ? 1051 : 4123},
            {"CMD25, stop", sdsim_bus_write_stop_clocks(mode, &gaps), 98},
            {"CMD23 before CMD18 or CMD25", prefix, 106},
            {"ACMD23", 2 * prefix, 212},
            {"CMD6", sdsim_bus_read_clocks(mode, &gaps, 64), four ? 196 : 580},
            {"ACMD13", prefix + sdsim_bus_read_clocks(mode, &gaps, 64), four ? 302 : 686},
            {"CMD32, CMD33, CMD38", 3 * prefix, 318},
        };
        check_counts(rows, COUNT(rows));
    }
}

/* Each gap goes into the counts that its definition names, as often as it occurs there. */
static void gaps_count_where_they_are(void **state)
{
    (void)state;
    for (int m = 0; m < 3; m++) {
        const enum sdsim_bus_mode mode = (enum sdsim_bus_mode)m;
        const bool spi = mode == SDSIM_BUS_SPI;
        const struct sdsim_bus_gaps least = sdsim_bus_least_gaps(mode);
        struct sdsim_bus_gaps gaps = least;
        gaps.n_ac += 800;
        assert_int_equal(sdsim_bus_read_run_clocks(mode, &gaps, 10) -
                             sdsim_bus_read_run_clocks(mode, &least, 10),
                         8000);
        gaps = least;
        gaps.n_wr += 16;
        assert_int_equal(sdsim_bus_write_run_clocks(mode, &gaps, 10) -
                             sdsim_bus_write_run_clocks(mode, &least, 10),
                         160);
        gaps = least;
        gaps.n_cr += 8;
        assert_int_equal(sdsim_bus_r1_clocks(mode, &gaps), sdsim_bus_r1_clocks(mode, &least) + 8);
        assert_int_equal(sdsim_bus_write_run_clocks(mode, &gaps, 10) -
                             sdsim_bus_write_run_clocks(mode, &least, 10),
                         8);
        /* In SD mode the response is over long before the data, however late it is. */
        assert_int_equal(sdsim_bus_read_run_clocks(mode, &gaps, 10) -
                             sdsim_bus_read_run_clocks(mode, &least, 10),
                         spi ? 8 : 0);
    }
    /* A response that ends after the data: SCR over four lines, N_CR 64. */
    struct sdsim_bus_gaps late = sdsim_bus_least_gaps(SDSIM_BUS_SD4);
    late.n_cr = SDSIM_N_CR_MOST;
    assert_int_equal(sdsim_bus_read_clocks(SDSIM_BUS_SD4, &late, 8), 48 + 64 + 48);
}

/* Bus ceilings as printed: microseconds per block, or milliseconds below 1 MHz, and MB/s. */
static void ceilings(void **state)
{
    (void)state;
    static const struct {
        enum sdsim_bus_mode mode;
        uint64_t hz;
        const char *read, *read_rate, *write, *write_rate, *single;
    } rows[] = {
        {SDSIM_BUS_SPI, 400000, "10.32", "0.0496", "10.34", "0.0495", "10.48"},
        {SDSIM_BUS_SPI, 12500000, "330.2", "1.550", "330.9", "1.547", "335.4"},
        {SDSIM_BUS_SPI, 20000000, "206.4", "2.481", "206.8", "2.476", "209.6"},
        {SDSIM_BUS_SPI, 25000000, "165.1", "3.101", "165.4", "3.095", "167.7"},
        {SDSIM_BUS_SPI, 50000000, "82.6", "6.202", "82.7", "6.190", "83.8"},
        {SDSIM_BUS_SD1, 25000000, "164.6", "3.110", "164.9", "3.105", "166.9"},
        {SDSIM_BUS_SD1, 50000000, "82.3", "6.220", "82.5", "6.209", "83.4"},
        {SDSIM_BUS_SD4, 25000000, "41.8", "12.26", "42.0", "12.18", "44.0"},
        {SDSIM_BUS_SD4, 50000000, "20.9", "24.52", "21.0", "24.36", "22.0"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        const bool spi = rows[i].mode == SDSIM_BUS_SPI;
        const struct sdsim_bus_gaps gaps = sdsim_bus_least_gaps(rows[i].mode);
        struct sdsim_clock clock = {0};
        sdsim_clock_set(&clock, rows[i].hz, 1);
        const sdsim_ps spans[3] = {
            sdsim_clock_peek(&clock, sdsim_bus_read_next_clocks(rows[i].mode, &gaps)),
            sdsim_clock_peek(&clock, sdsim_bus_write_next_clocks(rows[i].mode, &gaps)),
            /* CMD17 again and again: in SPI the answer's end may be followed at once */
            sdsim_clock_peek(&clock, sdsim_bus_read_clocks(rows[i].mode, &gaps, 512) +
                                         (spi ? 0 : gaps.n_rc)),
        };
        const char *const times[3] = {rows[i].read, rows[i].write, rows[i].single};
        const char *const rates[2] = {rows[i].read_rate, rows[i].write_rate};
        for (size_t column = 0; column < 3; column++) {
            char printed[32];
            const bool slow = rows[i].hz < 1000000;
            snprintf(printed, sizeof(printed), slow ? "%.2f" : "%.1f",
                     (double)spans[column] / (slow ? 1e9 : 1e6));
            if (strcmp(printed, times[column]) != 0) {
                fail_msg("row %zu, column %zu: %s, not %s", i, column, printed, times[column]);
            }
            if (column == 2) {
                continue;
            }
            const double rate = 512.0 * 1e6 / (double)spans[column]; /* MB/s */
            const int digits = rate < 1.0 ? 4 : rate < 10.0 ? 3 : 2;
            snprintf(printed, sizeof(printed), "%.*f", digits, rate);
            if (strcmp(printed, rates[column]) != 0) {
                fail_msg("row %zu, rate %zu: %s, not %s", i, column, printed, rates[column]);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_frames_both_ways),
        cmocka_unit_test(every_flipped_bit_of_a_frame_has_its_fault),
        cmocka_unit_test(all_indices_go_there_and_back),
        cmocka_unit_test(r3),
        cmocka_unit_test(r2),
        cmocka_unit_test(spi_responses),
        cmocka_unit_test(tokens),
        cmocka_unit_test(packets),
        cmocka_unit_test(transactions_in_spi),
        cmocka_unit_test(transactions_in_sd_mode),
        cmocka_unit_test(gaps_count_where_they_are),
        cmocka_unit_test(ceilings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
