/* Blocks from the host on a card's lines in SD mode: CRC status, where busy begins and ends, streams. */
#include "unit/sd_pins_bench.h"

static void write_blocks(void **state)
{
    (void)state;
    for (unsigned width = 1; width <= 4; width += 3) {
        struct sd_pins_bench bench;
        uint8_t block[SDSIM_SECTOR];
        uint8_t stored[SDSIM_SECTOR];
        bench_ready(&bench, width);
        bench_fill(2, block);
        (void)bench_command(&bench, 24, 9);
        bench_send_block(&bench, block, 0x01);
        assert_int_equal(bench_crc_status(&bench), 0x0B);
        assert_int_equal(bench_while_busy(&bench), 0);
        sdsim_medium_read(bench.medium, 9, 1, stored);
        assert_int_equal(stored[1], 0x00);
        assert_int_equal(bench_command(&bench, 13, bench.rca), 0x900);
        (void)bench_command(&bench, 24, 9);
        bench_send_block(&bench, block, 0);
        assert_int_equal(bench_crc_status(&bench), 0x05);
        /* Busy from the clock behind the status on, for w1 since the end bit. */
        assert_int_equal(bench_while_busy(&bench), 50 - 7);
        sdsim_medium_read(bench.medium, 9, 1, stored);
        assert_memory_equal(stored, block, sizeof block);
        /* While it programs, a read is an illegal command. */
        (void)bench_command(&bench, 24, 10);
        bench_send_block(&bench, block, 0);
        assert_int_equal(bench_crc_status(&bench), 0x05);
        bench.card.busy.at = bench.now + SDSIM_MS;
        bench_silent(&bench, 17, 0, 0);
        assert_int_equal(bench_command(&bench, 13, bench.rca), 0xE00 | SDSIM_STATUS_ILLEGAL);
        bench_power_down(&bench);
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
        struct sd_pins_bench bench;
        uint8_t block[SDSIM_SECTOR];
        bench_ready(&bench, width);
        bench.params.n_br_clocks = 1;
        bench_fill(2, block);
        (void)bench_command(&bench, 25, 9);
        bench_send_block(&bench, block, 0);
        assert_int_equal(bench_crc_status(&bench), 0x05);
        assert_int_equal(sdsim_sd_look(&bench.pins, bench.now).dat, 0xF);
        assert_int_equal(bench_lines(&bench, 1, 0xF).dat, 0xF);
        assert_int_equal(sdsim_sd_look(&bench.pins, bench.now).dat, 0xE);
        assert_int_equal(bench_while_busy(&bench), 10 - 8);
        /* A start bit before busy shows is not heard. */
        bench_send_block(&bench, block, 0);
        assert_int_equal(bench_crc_status(&bench), 0x05);
        bench.card.busy.at = bench.now + 100 * BENCH_CLOCK;
        (void)bench_lines(&bench, 1, width == 4 ? 0x0 : 0xE);
        assert_false(bench.pins.in_block);
        assert_int_equal(bench_while_busy(&bench), 100 - 1);
        assert_int_equal(bench.card.lba, 11);
        bench_power_down(&bench);
    }
}

/* A CMD13 that ends beside the CRC status brings the late busy neither forward nor back. */
static void command_beside_the_status(void **state)
{
    (void)state;
    for (unsigned n_br = 0; n_br <= 1; n_br++) {
        struct sd_pins_bench bench;
        bench_ready(&bench, 1);
        bench.params.n_br_clocks = n_br;
        (void)bench_command(&bench, 24, 9);
        uint8_t frame[6] = {0x40 | 13, (uint8_t)(bench.rca >> 24), (uint8_t)(bench.rca >> 16), 0,
                            0};
        frame[5] = sdsim_crc7_byte(frame, 5);
        const unsigned block = 1 + 8 * SDSIM_SECTOR + 16 + 1;
        const unsigned first = block + 5 - 48;
        for (unsigned at = 0; at < block + 7; at++) {
            const unsigned bit = at - first;
            const bool driven = at >= first && bit < 48;
            (void)bench_lines(&bench, driven ? frame[bit / 8] >> (7 - bit % 8) & 1 : 1, zeros(at));
        }
        assert_int_equal(bench.card.lba, 10);
        for (unsigned i = 0; i < n_br; i++) {
            assert_int_equal(bench_lines(&bench, 1, 0xF).dat, 0xF);
        }
        assert_int_equal(bench_while_busy(&bench), 50 - 7 - n_br);
        bench_power_down(&bench);
    }
}

static void write_streams(void **state)
{
    (void)state;
    struct sd_pins_bench bench;
    uint8_t block[SDSIM_SECTOR];
    bench_ready(&bench, 4);
    bench_fill(3, block);
    (void)bench_command(&bench, 25, bench.card.sectors - 2);
    for (unsigned i = 0; i < 2; i++) {
        bench_send_block(&bench, block, 0);
        assert_int_equal(bench_crc_status(&bench), 0x05);
        assert_int_equal(bench_while_busy(&bench), 10 - 7);
    }
    bench_send_block(&bench, block, 0); /* beyond the end: no status */
    assert_int_equal(bench_crc_status(&bench), 0x1F);
    bench_send_block(&bench, block, 0x01); /* nor for what comes behind it, right or wrong */
    assert_int_equal(bench_crc_status(&bench), 0x1F);
    /* CMD12: busy two clocks behind it, beside the response. */
    bench_frame(&bench, 12, 0, 0);
    bench_clocks(&bench, 2);
    assert_int_equal(bench_lines(&bench, 1, 0xF).dat, 0xE);
    assert_int_equal(bench_while_busy(&bench), 30 - 3);
    bench_clocks(&bench, 60);
    assert_int_equal(bench_command(&bench, 13, bench.rca), 0x900);
    bench_power_down(&bench);
}

/* A stream is over with the first block that is refused, until CMD12. */
static void refused_streams(void **state)
{
    (void)state;
    for (unsigned width = 1; width <= 4; width += 3) {
        struct sd_pins_bench bench;
        uint8_t block[SDSIM_SECTOR];
        uint8_t stored[SDSIM_SECTOR];
        bench_ready(&bench, width);
        bench_fill(3, block);
        (void)bench_command(&bench, 25, 9);
        bench_send_block(&bench, block, 0x01);
        assert_int_equal(bench_crc_status(&bench), 0x0B);
        bench_send_block(&bench, block, 0);
        assert_int_equal(bench_crc_status(&bench), 0x1F);
        assert_int_equal(bench_command(&bench, 13, bench.rca), 0xD00);
        bench_send_block(&bench, block, 0);
        assert_int_equal(bench_crc_status(&bench), 0x1F);
        assert_int_equal(bench_command(&bench, 12, 0), 0xD00);
        (void)bench_while_busy(&bench);
        sdsim_medium_read(bench.medium, 9, 1, stored);
        assert_int_equal(stored[1], 0x00);
        (void)bench_command(&bench, 25, 9);
        bench_send_block(&bench, block, 0);
        assert_int_equal(bench_crc_status(&bench), 0x05);
        bench_power_down(&bench);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(write_blocks),
        cmocka_unit_test(late_busy),
        cmocka_unit_test(command_beside_the_status),
        cmocka_unit_test(write_streams),
        cmocka_unit_test(refused_streams),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
