/* Faults on order through the library: what a driver sees of them over SPI, byte for byte. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdbool.h>
#include <string.h>

#include "slot_bench.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static const char cmd13[] = "4D 00 00 00 00 FF";
static const char cmd17[] = "51 00 00 00 05 FF";
static const char cmd24[] = "58 00 00 00 05 FF";
static const char block[] = "FE 5A*512 FF FF";

static void order(struct sdsim_slot *slot, uint32_t fault, uint32_t skip, uint32_t times,
                  uint32_t detail)
{
    assert_int_equal(sdsim_slot_inject(slot, fault, skip, times, detail), SDSIM_OK);
}

static bool stored(struct sdsim_slot *slot, uint32_t lba)
{
    uint8_t sector[512];
    assert_int_equal(sdsim_slot_read_sectors(slot, lba, 1, sector), SDSIM_OK);
    assert_true(sector[0] == sector[511]);
    return sector[0] == 0x5A;
}

static void bad_orders(void **state)
{
    (void)state;
    static const struct {
        uint32_t fault;
        uint32_t detail;
        int32_t result;
    } rows[] = {
        {SDSIM_INJECT_NO_RESPONSE, 0, SDSIM_OK},
        {SDSIM_INJECT_REMOVED, SDSIM_ANY_COMMAND, SDSIM_OK},
        {SDSIM_INJECT_REMOVED, 256, SDSIM_E_ARGUMENT},
        {SDSIM_INJECT_REMOVED + 1, 0, SDSIM_E_ARGUMENT},
        {UINT32_MAX, 0, SDSIM_E_ARGUMENT},
    };
    struct sdsim_slot *slot = sdsim_test_spi_slot();
    for (size_t i = 0; i < COUNT(rows); i++) {
        if (sdsim_slot_inject(slot, rows[i].fault, 0, 0, rows[i].detail) != rows[i].result) {
            fail_msg("row %zu", i);
        }
    }
    assert_non_null(strstr(sdsim_slot_error(slot), "there is no fault 4294967295"));
    assert_int_equal(sdsim_slot_struck(slot, UINT32_MAX), 0);
    assert_int_equal(sdsim_slot_struck(NULL, 0), 0);
    assert_int_equal(sdsim_slot_inject(NULL, 0, 0, 0, 0), SDSIM_E_ARGUMENT);
    sdsim_slot_destroy(slot);
    slot = sdsim_slot_create();
    assert_int_equal(sdsim_slot_inject(slot, 0, 0, 1, 0), SDSIM_E_EMPTY);
    sdsim_slot_destroy(slot);
}

static void no_response(void **state)
{
    (void)state;
    struct sdsim_slot *slot = sdsim_test_spi_slot();
    order(slot, SDSIM_INJECT_NO_RESPONSE, 1, 2, SDSIM_ANY_COMMAND);
    sdsim_test_exchange(slot, cmd13, "FF*7 00 00 FF");
    sdsim_test_exchange(slot, cmd13, "FF*20");
    sdsim_test_exchange(slot, cmd17, "FF*600");
    sdsim_test_exchange(slot, cmd13, "FF*7 00 00 FF");
    assert_int_equal(sdsim_slot_struck(slot, SDSIM_INJECT_NO_RESPONSE), 2);
    /* One command only; and no more when it is called off. */
    order(slot, SDSIM_INJECT_NO_RESPONSE, 0, SDSIM_FOREVER, 17);
    for (int i = 0; i < 3; i++) {
        sdsim_test_exchange(slot, cmd13, "FF*7 00 00 FF");
        sdsim_test_exchange(slot, cmd17, "FF*600");
    }
    order(slot, SDSIM_INJECT_NO_RESPONSE, 0, 0, 17);
    sdsim_test_exchange(slot, cmd17, "FF*7 00 FF*8 FE 00*514 FF*9");
    assert_int_equal(sdsim_slot_struck(slot, SDSIM_INJECT_NO_RESPONSE), 5);
    sdsim_slot_destroy(slot);
}

static void read_crc(void **state)
{
    (void)state;
    struct sdsim_slot *slot = sdsim_test_spi_slot();
    order(slot, SDSIM_INJECT_READ_CRC, 1, 1, 0);
    sdsim_test_exchange(slot, cmd17, "FF*7 00 FF*8 FE 00*512 00 00 FF*9");
    sdsim_test_exchange(slot, cmd17, "FF*7 00 FF*8 FE 00*512 00 01 FF*9");
    sdsim_test_exchange(slot, cmd17, "FF*7 00 FF*8 FE 00*512 00 00 FF*9");
    assert_int_equal(sdsim_slot_struck(slot, SDSIM_INJECT_READ_CRC), 1);
    sdsim_slot_destroy(slot);
}

static void read_error(void **state)
{
    (void)state;
    struct sdsim_slot *slot = sdsim_test_spi_slot();
    order(slot, SDSIM_INJECT_READ_ERROR, 0, 1, 0);
    sdsim_test_exchange(slot, cmd17, "FF*7 00 FF*8 04 FF*600");
    sdsim_test_exchange(slot, cmd13, "FF*7 00 10 FF"); /* card ECC failed */
    order(slot, SDSIM_INJECT_READ_ERROR, 0, 1, 0x02);
    sdsim_test_exchange(slot, cmd17, "FF*7 00 FF*8 02 FF*600");
    sdsim_test_exchange(slot, cmd17, "FF*7 00 FF*8 FE 00*514 FF*9");
    sdsim_slot_destroy(slot);
}

static void write_crc(void **state)
{
    (void)state;
    struct sdsim_slot *slot = sdsim_test_spi_slot();
    order(slot, SDSIM_INJECT_WRITE_CRC, 0, 1, 0);
    sdsim_test_exchange(slot, cmd24, "FF*7 00 FF");
    sdsim_test_exchange(slot, block, "FF*515 0B FF*30");
    assert_false(stored(slot, 5));
    sdsim_test_exchange(slot, cmd24, "FF*7 00 FF");
    sdsim_test_exchange(slot, block, "FF*515 05 00*19 FF*9");
    assert_true(stored(slot, 5));
    sdsim_slot_destroy(slot);
}

static void write_error(void **state)
{
    (void)state;
    struct sdsim_slot *slot = sdsim_test_spi_slot();
    order(slot, SDSIM_INJECT_WRITE_ERROR, 0, 1, 0);
    sdsim_test_exchange(slot, cmd24, "FF*7 00 FF");
    sdsim_test_exchange(slot, block, "FF*515 0D");
    sdsim_test_exchange(slot, "", "..*40 FF");
    assert_false(stored(slot, 5));
    sdsim_test_exchange(slot, cmd13, "FF*7 00 04 FF"); /* error */
    sdsim_test_exchange(slot, cmd13, "FF*7 00 00 FF"); /* it was told */
    sdsim_slot_destroy(slot);
}

static void stuck_busy(void **state)
{
    (void)state;
    struct sdsim_slot *slot = sdsim_test_spi_slot();
    order(slot, SDSIM_INJECT_STUCK_BUSY, 0, 1, 0);
    sdsim_test_exchange(slot, cmd24, "FF*7 00 FF");
    sdsim_test_exchange(slot, block, "FF*515 05 00*1000");
    assert_int_equal(sdsim_slot_advance(slot, UINT64_C(10000000000000)), SDSIM_OK);
    sdsim_test_exchange(slot, "", "00*1000");
    assert_int_equal(sdsim_slot_select(slot, 0), SDSIM_OK);
    sdsim_test_exchange(slot, "", ".. FF*3");
    assert_int_equal(sdsim_slot_select(slot, 1), SDSIM_OK);
    sdsim_test_exchange(slot, "", ".. 00*3");
    sdsim_test_exchange(slot, "40 00 00 00 00 95", "..*7 01 FF*3");
    sdsim_slot_destroy(slot);
}

/* Gone in the middle of a transfer, and back by the power. */
static void removed(void **state)
{
    (void)state;
    struct sdsim_slot *slot = sdsim_test_spi_slot();
    order(slot, SDSIM_INJECT_REMOVED, 0, 1, 12);
    sdsim_test_exchange(slot, "52 00 00 00 05 FF", "FF*7 00 FF*8 FE 00*100");
    sdsim_test_exchange(slot, "4C 00 00 00 00 FF", "00*6 FF*600");
    sdsim_test_exchange(slot, "40 00 00 00 00 95", "FF*20");
    assert_int_equal(sdsim_slot_struck(slot, SDSIM_INJECT_REMOVED), 1);
    assert_int_equal(sdsim_slot_power(slot, 0), SDSIM_OK);
    sdsim_test_exchange(slot, "40 00 00 00 00 95", "FF*20");
    assert_int_equal(sdsim_slot_power(slot, 1), SDSIM_OK);
    assert_int_equal(sdsim_slot_advance(slot, UINT64_C(1000000000)), SDSIM_OK);
    sdsim_test_exchange(slot, cmd13, "FF*20");
    sdsim_test_exchange(slot, "40 00 00 00 00 95", "FF*7 01 FF");
    sdsim_slot_destroy(slot);
}

/* What was ordered ends with the card, and with its power. */
static void forgotten(void **state)
{
    (void)state;
    struct sdsim_slot *slot = sdsim_test_spi_slot();
    order(slot, SDSIM_INJECT_NO_RESPONSE, 0, SDSIM_FOREVER, SDSIM_ANY_COMMAND);
    sdsim_test_exchange(slot, cmd13, "FF*20");
    assert_int_equal(sdsim_slot_power(slot, 0), SDSIM_OK);
    assert_int_equal(sdsim_slot_power(slot, 1), SDSIM_OK);
    assert_int_equal(sdsim_slot_advance(slot, UINT64_C(1000000000)), SDSIM_OK);
    sdsim_test_exchange(slot, "40 00 00 00 00 95", "FF*7 01 FF");
    assert_int_equal(sdsim_slot_struck(slot, SDSIM_INJECT_NO_RESPONSE), 1);
    order(slot, SDSIM_INJECT_NO_RESPONSE, 0, SDSIM_FOREVER, SDSIM_ANY_COMMAND);
    assert_int_equal(sdsim_slot_insert(slot, NULL, 1, 0), SDSIM_OK);
    assert_int_equal(sdsim_slot_advance(slot, UINT64_C(1000000000)), SDSIM_OK);
    sdsim_test_exchange(slot, "40 00 00 00 00 95", "FF*7 01 FF");
    assert_int_equal(sdsim_slot_struck(slot, SDSIM_INJECT_NO_RESPONSE), 0);
    sdsim_slot_destroy(slot);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_orders), cmocka_unit_test(no_response), cmocka_unit_test(read_crc),
        cmocka_unit_test(read_error), cmocka_unit_test(write_crc),   cmocka_unit_test(write_error),
        cmocka_unit_test(stuck_busy), cmocka_unit_test(removed),     cmocka_unit_test(forgotten),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
