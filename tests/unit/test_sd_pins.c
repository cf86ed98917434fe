/* The card's lines in SD mode, clock by clock: frames, gaps, blocks from the card, check sums, faults. */
#include "unit/sd_pins_bench.h"

/* ---- CMD ---- */

static void frames_that_are_wrong(void **state)
{
    (void)state;
    struct sd_pins_bench bench;
    bench_ready(&bench, 4);
    const uint32_t idle = bench_command(&bench, 13, bench.rca);
    assert_int_equal(idle, 0x900); /* transfer, ready for data */
    bench_silent(&bench, 13, bench.rca, 0x02);
    assert_int_equal(bench_command(&bench, 13, bench.rca), idle | SDSIM_STATUS_COM_CRC);
    assert_int_equal(bench_command(&bench, 13, bench.rca), idle);
    bench_silent(&bench, 13, bench.rca, 0x01); /* no end bit */
    assert_int_equal(bench_command(&bench, 13, bench.rca), idle | SDSIM_STATUS_COM_CRC);
    bench_silent(&bench, 58, 0, 0);
    assert_int_equal(bench_command(&bench, 13, bench.rca), idle | SDSIM_STATUS_ILLEGAL);
    assert_int_equal(bench_command(&bench, 13, bench.rca), idle);
    /* What another card responds is no command, were it the address of this one. */
    uint8_t other[6] = {0x0D, (uint8_t)(bench.rca >> 24), (uint8_t)(bench.rca >> 16), 0x09};
    other[5] = sdsim_crc7_byte(other, 5);
    for (unsigned i = 0; i < 48; i++) {
        (void)bench_lines(&bench, other[i / 8] >> (7 - i % 8) & 1, 0xF);
    }
    assert_int_equal(bench_until_low(&bench, true), BENCH_MOST);
    assert_int_equal(bench_command(&bench, 13, bench.rca), idle);
    /* The response of section 4.5 of the specification. */
    uint8_t r[17];
    bench_frame(&bench, 17, 0, 0);
    bench_response(&bench, BENCH_N_CR, 48, r);
    const uint8_t example[6] = {0x11, 0x00, 0x00, 0x09, 0x00, 0x67};
    assert_memory_equal(r, example, sizeof example);
    bench_power_down(&bench);
}

/* CMD0 with DAT3 low makes it an SPI card, and these lines silent - if it was idle (section 7.2.1). */
static void into_spi_mode(void **state)
{
    (void)state;
    struct sd_pins_bench bench;
    bench_power_up(&bench, &bench_card);
    static const uint8_t frame[] = {0x40, 0, 0, 0, 0, 0x95};
    for (unsigned i = 0; i < 48; i++) {
        (void)bench_lines(&bench, frame[i / 8] >> (7 - i % 8) & 1, 0x7);
    }
    assert_true(bench.card.spi);
    bench_silent(&bench, 8, 0x1AA, 0);
    bench_power_down(&bench);

    bench_ready(&bench, 1);
    for (unsigned i = 0; i < 48; i++) {
        (void)bench_lines(&bench, frame[i / 8] >> (7 - i % 8) & 1, 0x7);
    }
    assert_false(bench.card.spi);
    bench_clocks(&bench, 8);
    assert_int_equal(bench_command(&bench, 8, 0x1AA), 0x1AA);
    bench_power_down(&bench);
}

/* ---- blocks from the card ---- */

/* The CRC of a vector, as it goes out. */
static size_t expected_crc(size_t vector, bool four, uint8_t out[8])
{
    memset(out, 0, 8);
    if (!four) {
        out[0] = (uint8_t)(bench_blocks[vector].one >> 8);
        out[1] = (uint8_t)bench_blocks[vector].one;
        return 2;
    }
    for (unsigned bit = 0; bit < 64; bit++) {
        const unsigned line = bit % 4; /* DAT3 first */
        const unsigned value = (unsigned)bench_blocks[vector].lines[line] >> (15 - bit / 4) & 1u;
        out[bit / 8] = (uint8_t)((unsigned)out[bit / 8] << 1 | value);
    }
    return 8;
}

static void read_blocks(void **state)
{
    (void)state;
    for (unsigned width = 1; width <= 4; width += 3) {
        for (size_t v = 0; v < sizeof bench_blocks / sizeof *bench_blocks; v++) {
            struct sd_pins_bench bench;
            uint8_t block[SDSIM_SECTOR];
            uint8_t got[SDSIM_SECTOR + 8];
            uint8_t crc[8];
            bench_ready(&bench, width);
            bench_fill(v, block);
            const struct sdsim_content content = {.kind = SDSIM_CONTENT_BYTES, .bytes = block};
            assert_true(sdsim_medium_write(bench.medium, 3, 1, &content));
            bench_frame(&bench, 17, 3, 0);
            /* The access is longer than the response. */
            assert_int_equal(bench_until_low(&bench, false), 100);
            bench_take_block(&bench, SDSIM_SECTOR, got);
            const size_t size = expected_crc(v, width == 4, crc);
            if (memcmp(got, block, sizeof block) != 0 ||
                memcmp(got + SDSIM_SECTOR, crc, size) != 0) {
                fail_msg("%s on %u lines", bench_blocks[v].name, width);
            }
            assert_int_equal(bench_until_low(&bench, false), BENCH_MOST);
            bench_power_down(&bench);
        }
    }
}

/* With N_AC = 2 and N_CR = 2 start bit and response begin with the same clock. */
static void data_beside_the_response(void **state)
{
    (void)state;
    struct sd_pins_bench bench;
    bench_ready(&bench, 4);
    bench.params.n_cr_clocks = 2;
    bench.params.flash.rd1 = 0;
    bench_frame(&bench, 17, 0, 0);
    bench_clocks(&bench, 2);
    const struct sdsim_sd_lines both = bench_lines(&bench, 1, 0xF);
    assert_int_equal(both.cmd, 0);
    assert_int_equal(both.dat, 0x0);
    bench_power_down(&bench);
}

/* CMD12 lets two more clocks of data pass. */
static void stop_in_the_middle(void **state)
{
    (void)state;
    struct sd_pins_bench bench;
    bench_ready(&bench, 4);
    bench_frame(&bench, 18, 0, 0);
    assert_int_equal(bench_until_low(&bench, false), 100);
    uint8_t block[SDSIM_SECTOR + 8];
    bench_take_block(&bench, SDSIM_SECTOR, block);
    assert_int_equal(bench_until_low(&bench, false), 20); /* rdn, of which N_AC is part */
    bench_clocks(&bench, 100);
    bench_frame(&bench, 12, 0, 0);
    assert_int_equal(bench_lines(&bench, 1, 0xF).dat, 0x0);
    assert_int_equal(bench_lines(&bench, 1, 0xF).dat, 0x0);
    assert_int_equal(bench_lines(&bench, 1, 0xF).dat, 0xF);
    assert_int_equal(bench_until_low(&bench, true), BENCH_N_CR - 3);
    bench_clocks(&bench, 60);
    assert_int_equal(bench_until_low(&bench, false), BENCH_MOST);
    assert_int_equal(bench_command(&bench, 13, bench.rca), 0x900);
    bench_power_down(&bench);
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
        struct sd_pins_bench bench;
        uint8_t got[72];
        bench_ready(&bench, 4);
        if (rows[i].app) {
            (void)bench_command(&bench, 55, bench.rca);
        }
        bench_frame(&bench, rows[i].index, rows[i].argument, 0);
        assert_int_equal(bench_until_low(&bench, false), 2);
        bench_take_block(&bench, rows[i].bytes, got);
        assert_memory_equal(got, bench.card.block, rows[i].bytes);
        uint64_t crc = 0;
        for (unsigned b = 0; b < 8; b++) {
            crc = crc << 8 | got[rows[i].bytes + b];
        }
        assert_true(crc == sdsim_crc16_four(got, rows[i].bytes));
        bench_power_down(&bench);
    }
}

/* ---- faults on order ---- */

static void faults(void **state)
{
    (void)state;
    struct sd_pins_bench bench;
    uint8_t block[SDSIM_SECTOR];
    uint8_t got[SDSIM_SECTOR + 8];
    bench_ready(&bench, 4);
    bench_fill(1, block);
    sdsim_faults_arm(&bench.faults, SDSIM_FAULT_NO_RESPONSE, 1, 1, 13);
    assert_int_equal(bench_command(&bench, 13, bench.rca), 0x900);
    (void)bench_command(&bench, 16, 512);
    bench_silent(&bench, 13, bench.rca, 0);
    assert_int_equal(bench_command(&bench, 13, bench.rca), 0x900);
    assert_int_equal(bench.faults.struck[SDSIM_FAULT_NO_RESPONSE], 1);

    sdsim_faults_arm(&bench.faults, SDSIM_FAULT_READ_CRC, 0, 1, 0);
    for (unsigned i = 0; i < 2; i++) {
        bench_frame(&bench, 17, 0, 0);
        assert_int_equal(bench_until_low(&bench, false), 100);
        bench_take_block(&bench, SDSIM_SECTOR, got);
        assert_int_equal(got[SDSIM_SECTOR + 7], i == 0 ? 0x01 : 0x00); /* of zeros; DAT0 */
    }

    sdsim_faults_arm(&bench.faults, SDSIM_FAULT_READ_ERROR, 0, 1, 0);
    bench_frame(&bench, 17, 0, 0);
    assert_int_equal(bench_until_low(&bench, false), BENCH_MOST);
    assert_int_equal(bench_command(&bench, 13, bench.rca), 0x900 | SDSIM_STATUS_ECC_FAILED);

    sdsim_faults_arm(&bench.faults, SDSIM_FAULT_WRITE_CRC, 0, 1, 0);
    sdsim_faults_arm(&bench.faults, SDSIM_FAULT_WRITE_ERROR, 0, 1, 0);
    for (unsigned i = 0; i < 2; i++) {
        (void)bench_command(&bench, 24, 9);
        bench_send_block(&bench, block, 0);
        assert_int_equal(bench_crc_status(&bench), i == 0 ? 0x0B : 0x05);
        bench_clocks(&bench, 100);
        assert_int_equal(bench_command(&bench, 13, bench.rca),
                         i == 0 ? 0x900 : 0x900 | SDSIM_STATUS_ERROR);
    }

    sdsim_faults_arm(&bench.faults, SDSIM_FAULT_STUCK_BUSY, 0, 1, 0);
    (void)bench_command(&bench, 24, 9);
    bench_send_block(&bench, block, 0);
    assert_int_equal(bench_crc_status(&bench), 0x05);
    bench.now += 100 * SDSIM_S;
    assert_int_equal(bench_lines(&bench, 1, 0xF).dat, 0xE);
    assert_int_equal(bench_command(&bench, 13, bench.rca), 0xE00);

    sdsim_faults_arm(&bench.faults, SDSIM_FAULT_REMOVED, 0, 1, SDSIM_FAULT_ANY_COMMAND);
    bench_silent(&bench, 13, bench.rca, 0);
    assert_int_equal(bench_lines(&bench, 1, 0xF).dat, 0xF);
    bench_silent(&bench, 0, 0, 0);
    sdsim_faults_insert(&bench.faults);
    sdsim_card_power_up(&bench.card, bench.now);
    assert_int_equal(bench_command(&bench, 8, 0x1AA), 0x1AA);
    bench_power_down(&bench);
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
        cmocka_unit_test(faults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
