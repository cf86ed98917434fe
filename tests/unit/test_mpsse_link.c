/*
 * The simulated card behind the MPSSE engine, spoken to through a link: what the card answers, what it
 * is told bit by bit, its guard, and what the link counts and reports.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <string.h>

#include "ftdi/card_slave.h"
#include "ftdi/engine_link.h"
#include "slot_bench.h"
#include "core/crc.h"

struct bench {
    struct sdsim_slot *slot;
    struct sdsim_card_slave card;
    struct sdsim_engine engine;
    struct sdsim_link *link;
};

static void set_up_pins(struct sdsim_link *link)
{
    /* 15 MHz; SCK low, MOSI and CS high, all three outputs */
    static const uint8_t batch[] = {0x8A, 0x97, 0x8D, 0x86, 0x01, 0x00, 0x80, 0x0A, 0x0B};
    assert_true(sdsim_link_submit(link, batch, sizeof batch, 0));
}

static int up(void **state)
{
    static struct bench bench;
    bench.slot = sdsim_test_slot();
    sdsim_card_slave_init(&bench.card, bench.slot);
    sdsim_engine_init(&bench.engine, SDSIM_FT232H, &bench.card.slave);
    bench.link = sdsim_engine_link(&bench.engine, 250 * SDSIM_US);
    assert_non_null(bench.link);
    set_up_pins(bench.link);
    *state = &bench;
    return 0;
}

static int down(void **state)
{
    struct bench *bench = *state;
    sdsim_link_close(bench->link);
    sdsim_slot_destroy(bench->slot);
    return 0;
}

/* ---- commands over the link ---- */

/* Sends a command and looks for its R1 in the eight bytes behind it, which are in `answer`. */
static uint8_t command(struct sdsim_link *link, uint8_t index, uint32_t argument, uint8_t answer[8])
{
    uint8_t batch[] = {0x80, 0x02, 0x0B, 0x11, 5,    0,    0, 0, 0,   0,
                       0,    0,    0x80, 0x02, 0x0B, 0x20, 7, 0, 0x87};
    batch[6] = (uint8_t)(0x40 | index);
    for (int i = 0; i < 4; i++) {
        batch[7 + i] = (uint8_t)(argument >> (24 - 8 * i));
    }
    batch[11] = sdsim_crc7_byte(batch + 6, 5);
    assert_true(sdsim_link_ask(link, batch, sizeof batch, answer, 8, SDSIM_LINK_PATIENCE));
    for (int i = 0; i < 8; i++) {
        if (answer[i] != 0xFF) {
            return answer[i];
        }
    }
    return 0xFF;
}

static void deselect(struct sdsim_link *link)
{
    static const uint8_t batch[] = {0x80, 0x0A, 0x0B, 0x8F, 0x00, 0x00};
    assert_true(sdsim_link_submit(link, batch, sizeof batch, 0));
}

static void identify(struct sdsim_link *link)
{
    static const uint8_t clocks[] = {0x8F, 0x09, 0x00};
    uint8_t answer[8];
    assert_true(sdsim_link_submit(link, clocks, sizeof clocks, 0));
    assert_int_equal(command(link, 0, 0, answer), 0x01);
    assert_int_equal(command(link, 8, 0x1AA, answer), 0x01);
    assert_int_equal(command(link, 59, 1, answer), 0x01);
    uint8_t r1 = 0x01;
    for (int i = 0; i < 1000 && r1 == 0x01; i++) {
        assert_int_equal(command(link, 55, 0, answer), r1);
        r1 = command(link, 41, 0x40000000, answer);
    }
    assert_int_equal(r1, 0x00);
    deselect(link);
}

static void test_identify(void **state)
{
    struct bench *bench = *state;
    identify(bench->link);
    assert_int_equal(bench->engine.now, sdsim_slot_now(bench->slot));
    /* the card was initialised by clocks alone: about a millisecond, in 14 byte times each */
    assert_in_range(bench->engine.now, SDSIM_MS, 2 * SDSIM_MS);
}

/* A block written and read, in one batch each. */
static void write_block(struct sdsim_link *link, uint32_t lba, const uint8_t *data,
                        uint8_t *response)
{
    uint8_t batch[600] = {0x11, 0x03, 0x02, 0xFF, 0xFE};
    uint8_t answer[8];
    assert_int_equal(command(link, 24, lba, answer), 0);
    memcpy(batch + 5, data, 512);
    const uint16_t crc = sdsim_crc16(data, 512);
    const uint8_t rest[] = {
        (uint8_t)(crc >> 8), (uint8_t)crc, 0x80, 0x02, 0x0B, 0x20, 0x3F, 0, 0x87};
    memcpy(batch + 5 + 512, rest, sizeof rest);
    uint8_t busy[64];
    assert_true(sdsim_link_ask(link, batch, 5 + 512 + sizeof rest, busy, 64, SDSIM_LINK_PATIENCE));
    *response = busy[0] & 0x1F;
    assert_int_equal(busy[1], 0x00); /* 20 us of busy are 37.5 bytes */
    assert_int_equal(busy[37], 0x00);
    assert_int_equal(busy[40], 0xFF);
    deselect(link);
}

static void read_block(struct sdsim_link *link, uint32_t lba, uint8_t *data)
{
    static const uint8_t batch[] = {0x20, 0x3F, 0x02, 0x87};
    uint8_t answer[8];
    uint8_t bytes[576];
    assert_int_equal(command(link, 17, lba, answer), 0);
    assert_true(
        sdsim_link_ask(link, batch, sizeof batch, bytes, sizeof bytes, SDSIM_LINK_PATIENCE));
    const uint8_t *token = memchr(bytes, 0xFE, 40);
    assert_non_null(token);
    memcpy(data, token + 1, 512);
    assert_int_equal(sdsim_crc16(data, 512), token[513] << 8 | token[514]);
    deselect(link);
}

static void test_blocks(void **state)
{
    struct bench *bench = *state;
    uint8_t data[512];
    uint8_t back[512];
    uint8_t response;
    identify(bench->link);
    sdsim_card_slave_guard(&bench->card, 100, 102);
    for (uint32_t lba = 100; lba < 104; lba++) {
        sdsim_test_fill(data, sizeof data, lba);
        write_block(bench->link, lba, data, &response);
        assert_int_equal(response, 0x05);
        read_block(bench->link, lba, back);
        assert_memory_equal(data, back, sizeof data);
    }
    const struct sdsim_write_guard *guard = &bench->card.guard;
    assert_int_equal(guard->written, 4);
    assert_int_equal(guard->outside, 2);
    assert_int_equal(guard->first, 102);
    assert_int_equal(guard->lowest, 100);
    assert_int_equal(guard->highest, 103);
}

static void test_guard_of_erases(void **state)
{
    struct bench *bench = *state;
    uint8_t answer[8];
    identify(bench->link);
    sdsim_card_slave_guard(&bench->card, 100, 200);
    assert_int_equal(command(bench->link, 32, 150, answer), 0);
    assert_int_equal(command(bench->link, 33, 249, answer), 0);
    assert_int_equal(command(bench->link, 38, 0, answer), 0);
    assert_int_equal(bench->card.guard.erased, 100);
    assert_int_equal(bench->card.guard.outside, 50);
    assert_int_equal(bench->card.guard.first, 200);
}

/* The same command bit by bit, in odd pieces. */
static void test_bits(void **state)
{
    struct bench *bench = *state;
    static const uint8_t batch[] = {
        0x8F, 0x09, 0x00, 0x80, 0x02, 0x0B,             /* clocks, CS */
        0x13, 0x02, 0x40, 0x13, 0x04, 0x00,             /* 010 00000 */
        0x11, 0x03, 0x00, 0x00, 0x00, 0x00, 0x00, 0x95, /* four zeros; to be overwritten below */
    };
    uint8_t bytes[64];
    uint8_t answer[4];
    memcpy(bytes, batch, 19);
    static const uint8_t tail[] = {0x13, 0x07, 0x95, 0x80, 0x02, 0x0B, 0x22, 0x03,
                                   0x22, 0x03, 0x22, 0x07, 0x20, 0x00, 0x00, 0x87};
    memcpy(bytes + 19, tail, sizeof tail);
    assert_true(
        sdsim_link_ask(bench->link, bytes, 19 + sizeof tail, answer, 4, SDSIM_LINK_PATIENCE));
    static const uint8_t expected[] = {0x0F, 0x0F, 0x01, 0xFF}; /* N_CR is one byte */
    assert_memory_equal(answer, expected, sizeof expected);
}

static void test_power_switch(void **state)
{
    struct bench *bench = *state;
    static const uint8_t off[] = {0x80, 0x00, 0x00, 0x82, 0x01, 0x01};
    static const uint8_t on[] = {0x82, 0x00, 0x01};
    uint8_t answer[8];
    identify(bench->link);
    assert_true(sdsim_link_submit(bench->link, off, sizeof off, 0));
    set_up_pins(bench->link);
    assert_int_equal(command(bench->link, 13, 0, answer), 0xFF);
    assert_true(sdsim_link_submit(bench->link, on, sizeof on, 0));
    deselect(bench->link);
    assert_int_equal(command(bench->link, 13, 0, answer), 0xFF); /* not in SPI mode any more */
    deselect(bench->link);
    identify(bench->link);
}

static void test_bit_errors(void **state)
{
    struct bench *bench = *state;
    static const uint8_t batch[] = {0x80, 0x02, 0x0B, 0x20, 0xFF, 0x03, 0x87};
    uint8_t bytes[1024];
    identify(bench->link);
    bench->card.errors = (struct sdsim_bit_errors){.skip = 100, .period = 200, .left = 3};
    assert_true(sdsim_link_ask(bench->link, batch, sizeof batch, bytes, 1024, SDSIM_LINK_PATIENCE));
    for (size_t i = 0; i < sizeof bytes; i++) {
        const uint8_t bit = i == 100 ? 0x01 : i == 300 ? 0x02 : i == 500 ? 0x04 : 0;
        assert_int_equal(bytes[i], 0xFF ^ bit);
    }
    assert_int_equal(bench->card.errors.made, 3);
}

/* ---- what the link counts and reports ---- */

static void test_counters(void **state)
{
    struct bench *bench = *state;
    static const uint8_t eight[] = {0x20, 0x07, 0x00, 0x87};
    struct sdsim_link *link = bench->link;
    uint8_t bytes[16];
    assert_true(sdsim_link_submit(link, eight, sizeof eight, 8));
    assert_true(sdsim_link_submit(link, eight, sizeof eight, 8));
    assert_int_equal(link->counters.round_trips, 0);
    assert_true(sdsim_link_collect(link, bytes, 4, SDSIM_LINK_PATIENCE));
    assert_true(
        sdsim_link_submit(link, eight, sizeof eight, 8)); /* one: it may depend on those 4 */
    assert_true(sdsim_link_submit(link, eight, sizeof eight, 8));
    assert_int_equal(link->counters.round_trips, 1);
    assert_true(sdsim_link_collect(link, bytes, 16, SDSIM_LINK_PATIENCE));
    assert_true(sdsim_link_collect(link, bytes, 12, SDSIM_LINK_PATIENCE));
    assert_int_equal(link->expected, 0);
    assert_int_equal(link->counters.bytes_in, 32);
    assert_int_equal(link->counters.bytes_out, 9 + 16);
    assert_int_equal(sdsim_link_host_time(link), bench->engine.now + 250 * SDSIM_US);
}

static void test_faults(void **state)
{
    struct bench *bench = *state;
    struct sdsim_link *link = bench->link;
    static const uint8_t eight[] = {0x20, 0x07, 0x00, 0x87};
    static const uint8_t wait[] = {0x89, 0x20, 0x07, 0x00, 0x87};
    uint8_t bytes[16];
    /* less than was said */
    assert_true(sdsim_link_submit(link, eight, sizeof eight, 9));
    assert_false(sdsim_link_collect(link, bytes, 9, SDSIM_LINK_PATIENCE));
    assert_int_equal(link->fault, SDSIM_LINK_TIMEOUT);
    assert_false(sdsim_link_submit(link, eight, sizeof eight, 8));
    assert_true(sdsim_link_recover(link));
    /* more than was said */
    assert_true(sdsim_link_submit(link, eight, sizeof eight, 7));
    assert_false(sdsim_link_collect(link, bytes, 7, SDSIM_LINK_PATIENCE));
    assert_int_equal(link->fault, SDSIM_LINK_OUT_OF_STEP);
    assert_true(sdsim_link_recover(link));
    /* a pin that never comes */
    assert_true(sdsim_link_submit(link, wait, sizeof wait, 8));
    assert_false(sdsim_link_collect(link, bytes, 8, SDSIM_LINK_PATIENCE));
    assert_int_equal(link->fault, SDSIM_LINK_TIMEOUT);
    assert_true(sdsim_link_recover(link));
    /* on order */
    sdsim_engine_link_break(link, SDSIM_LINK_UNPLUGGED);
    assert_true(sdsim_link_submit(link, eight, sizeof eight, 8));
    assert_false(sdsim_link_collect(link, bytes, 8, SDSIM_LINK_PATIENCE));
    assert_false(sdsim_link_recover(link));
    assert_int_equal(link->counters.recoveries, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_identify, up, down),
        cmocka_unit_test_setup_teardown(test_blocks, up, down),
        cmocka_unit_test_setup_teardown(test_guard_of_erases, up, down),
        cmocka_unit_test_setup_teardown(test_bits, up, down),
        cmocka_unit_test_setup_teardown(test_power_switch, up, down),
        cmocka_unit_test_setup_teardown(test_bit_errors, up, down),
        cmocka_unit_test_setup_teardown(test_counters, up, down),
        cmocka_unit_test_setup_teardown(test_faults, up, down),
    };
    return cmocka_run_group_tests_name("mpsse_link", tests, NULL, NULL);
}
