/* The library over SPI: bytes on the wire, and when they are there. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <string.h>

#include "slot_bench.h"

#define BYTE UINT64_C(1000000) /* ps */

static void initialise(void **state)
{
    (void)state;
    struct sdsim_slot *slot = sdsim_test_spi_slot();
    /* OCR: ready, block addresses, 2.7 V to 3.6 V. */
    sdsim_test_exchange(slot, "7A 00 00 00 00 FF", "FF*7 00 C0 FF 80 00 FF");
    sdsim_slot_destroy(slot);
}

static void write_and_read(void **state)
{
    (void)state;
    struct sdsim_slot *slot = sdsim_test_spi_slot();
    uint8_t block[512];
    uint8_t read[512];
    sdsim_test_fill(block, sizeof block, 1);

    sdsim_test_exchange(slot, "58 00 00 00 05 FF", "FF*7 00 FF");
    sdsim_test_exchange(slot, "FE", "FF");
    assert_int_equal(sdsim_slot_exchange(slot, block, NULL, sizeof block), SDSIM_OK);
    sdsim_test_exchange(slot, "12 34", "FF FF"); /* CRC is off */
    const uint64_t end = sdsim_slot_now(slot);
    sdsim_test_exchange(slot, "", "05 00*19 FF"); /* w1 is 20 us, from the end of the CRC */
    assert_int_equal(sdsim_slot_now(slot) - end, 21 * BYTE);
    assert_int_equal(sdsim_slot_read_sectors(slot, 5, 1, read), SDSIM_OK);
    assert_memory_equal(read, block, sizeof block);

    /* rd1 is 10 us, from the end of the frame: 2 bytes of response, 8 of waiting */
    sdsim_test_exchange(slot, "51 00 00 00 05 FF", "FF*7 00 FF*8 FE");
    assert_int_equal(sdsim_slot_exchange(slot, NULL, read, sizeof read), SDSIM_OK);
    assert_memory_equal(read, block, sizeof block);
    sdsim_test_exchange(slot, "", ".. .. FF*20");
    sdsim_slot_destroy(slot);
}

/* One call or one for each byte, into another buffer or the same one: the same bytes and time. */
static void split_calls(void **state)
{
    (void)state;
    static const uint8_t start[] = {0x51, 0, 0, 0, 9, 0xFF};
    uint8_t host[560];
    uint8_t whole[560];
    uint8_t single[560];
    uint8_t same[560];
    struct sdsim_slot *slots[3];
    memset(host, 0xFF, sizeof host);
    memcpy(host, start, sizeof start);
    memcpy(same, host, sizeof host);
    for (int i = 0; i < 3; i++) {
        uint8_t block[512];
        sdsim_test_fill(block, sizeof block, 3);
        slots[i] = sdsim_test_spi_slot();
        assert_int_equal(sdsim_slot_write_sectors(slots[i], 9, 1, block), SDSIM_OK);
        assert_int_equal(sdsim_slot_set_clock(slots[i], 80000000, 7), SDSIM_OK);
    }
    assert_int_equal(sdsim_slot_exchange(slots[0], host, whole, sizeof host), SDSIM_OK);
    for (size_t i = 0; i < sizeof host; i++) {
        assert_int_equal(sdsim_slot_exchange(slots[1], host + i, single + i, 1), SDSIM_OK);
    }
    assert_int_equal(sdsim_slot_exchange(slots[2], same, same, sizeof same), SDSIM_OK);
    assert_memory_equal(single, whole, sizeof whole);
    assert_memory_equal(same, whole, sizeof whole);
    const uint64_t now = sdsim_slot_now(slots[0]);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(sdsim_slot_now(slots[i]), now);
        sdsim_slot_destroy(slots[i]);
    }
}

/* Nothing is sent when nothing is asked for, and what is sent need not be looked at. */
static void nothing(void **state)
{
    (void)state;
    struct sdsim_slot *slot = sdsim_test_spi_slot();
    const uint64_t now = sdsim_slot_now(slot);
    assert_int_equal(sdsim_slot_exchange(slot, NULL, NULL, 0), SDSIM_OK);
    assert_int_equal(sdsim_slot_now(slot), now);
    assert_int_equal(sdsim_slot_exchange(slot, NULL, NULL, 2), SDSIM_OK);
    assert_int_equal(sdsim_slot_now(slot), now + 2 * BYTE);
    sdsim_slot_destroy(slot);
}

static void chip_select(void **state)
{
    (void)state;
    struct sdsim_slot *slot = sdsim_test_spi_slot();
    assert_int_equal(sdsim_slot_select(slot, 0), SDSIM_OK);
    sdsim_test_exchange(slot, "FF", "FF"); /* the card lets go of the line */
    sdsim_test_exchange(slot, "4D 00 00 00 00 FF", "FF*20");
    assert_int_equal(sdsim_slot_select(slot, 77), SDSIM_OK); /* anything but 0 */
    sdsim_test_exchange(slot, "4D 00 00 00 00 FF", "FF*7 00 00 FF");
    sdsim_slot_destroy(slot);
}

/* Another card, or the same one after its power was off, knows nothing of what was before. */
static void power(void **state)
{
    (void)state;
    struct sdsim_slot *slot = sdsim_test_spi_slot();
    uint8_t block[512];
    uint8_t read[512];
    sdsim_test_fill(block, sizeof block, 4);
    assert_int_equal(sdsim_slot_write_sectors(slot, 7, 1, block), SDSIM_OK);
    const uint64_t now = sdsim_slot_now(slot);

    assert_int_equal(sdsim_slot_power(slot, 0), SDSIM_OK);
    sdsim_test_exchange(slot, "4D 00 00 00 00 FF", "FF*20");
    assert_int_equal(sdsim_slot_now(slot), now + 20 * BYTE);
    assert_int_equal(sdsim_slot_sectors(slot), SDSIM_TEST_SECTORS);
    assert_int_equal(sdsim_slot_power(slot, 1), SDSIM_OK);
    assert_int_equal(sdsim_slot_advance(slot, 1000 * BYTE), SDSIM_OK);
    sdsim_test_exchange(slot, "4D 00 00 00 00 FF", "FF*20"); /* it is in SD mode */
    sdsim_test_exchange(slot, "40 00 00 00 00 95", "FF*7 01 FF");
    assert_int_equal(sdsim_slot_power(slot, 1), SDSIM_OK); /* it is on already */
    sdsim_test_exchange(slot, "4D 00 00 00 00 FF", "FF*7 .. ..");
    assert_int_equal(sdsim_slot_read_sectors(slot, 7, 1, read), SDSIM_OK);
    assert_memory_equal(read, block, sizeof block);

    assert_int_equal(
        sdsim_slot_insert_text(slot, "x", SDSIM_TEST_CARD, strlen(SDSIM_TEST_CARD), 1, 0),
        SDSIM_OK);
    assert_int_equal(sdsim_slot_advance(slot, 1000 * BYTE), SDSIM_OK);
    sdsim_test_exchange(slot, "4D 00 00 00 00 FF", "FF*20");
    assert_int_equal(sdsim_slot_read_sectors(slot, 7, 1, read), SDSIM_OK);
    assert_int_equal(read[0] | read[511], 0);
    sdsim_slot_destroy(slot);
}

/* Two slots have nothing to do with each other. */
static void two_slots(void **state)
{
    (void)state;
    struct sdsim_slot *a = sdsim_test_spi_slot();
    struct sdsim_slot *b = sdsim_test_slot();
    sdsim_test_exchange(b, "", "FF*10");
    sdsim_test_exchange(a, "4D 00 00", "FF*3");
    assert_int_equal(sdsim_slot_select(b, 1), SDSIM_OK);
    sdsim_test_exchange(b, "40 00 00 00 00 95", "FF*7 01 FF");
    sdsim_test_exchange(a, "00 00 FF", "FF*4 00 00 FF");
    sdsim_slot_destroy(b);
    sdsim_test_exchange(a, "4D 00 00 00 00 FF", "FF*7 00 00 FF");
    sdsim_slot_destroy(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(initialise),  cmocka_unit_test(write_and_read),
        cmocka_unit_test(split_calls), cmocka_unit_test(nothing),
        cmocka_unit_test(chip_select), cmocka_unit_test(power),
        cmocka_unit_test(two_slots),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
