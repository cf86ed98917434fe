/* The library's slot: versions, results, NULL, clock and time, switching the card on and off. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <string.h>

#include "alloc.h"
#include "core/version.h"
#include "sdsim/sdsim.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])
#define DAY          UINT64_C(86400000000000000)

static void versions(void **state)
{
    (void)state;
    assert_string_equal(sdsim_version(), SDSIM_VERSION);
    assert_int_equal(sdsim_abi_version(), SDSIM_ABI_VERSION);
}

static void result_texts(void **state)
{
    (void)state;
    static const struct {
        int32_t result;
        const char *text;
    } rows[] = {
        {SDSIM_OK, "no error"},
        {SDSIM_E_ARGUMENT, "invalid argument"},
        {SDSIM_E_MEMORY, "out of memory"},
        {SDSIM_E_PROFILE, "bad card profile"},
        {SDSIM_E_IMAGE, "bad image file"},
        {SDSIM_E_EMPTY, "no card in the slot"},
        {SDSIM_E_TIME, "end of virtual time"},
        {SDSIM_E_NO_RESPONSE, "no response"},
        {SDSIM_E_CRC, "wrong check sum"},
        {SDSIM_E_REFUSED, "block refused"},
        {SDSIM_E_BUSY, "card is busy"},
        {SDSIM_E_READ, "image file can't be read"},
        {SDSIM_E_READ - 1, "unknown result"},
        {1, "unknown result"},
        {INT32_MIN, "unknown result"},
        {INT32_MAX, "unknown result"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        assert_string_equal(sdsim_result_text(rows[i].result), rows[i].text);
    }
}

/* Without a slot nothing happens, and nothing crashes. */
static void no_slot(void **state)
{
    (void)state;
    uint8_t bytes[512];
    const int32_t results[] = {
        sdsim_slot_set_data_dir(NULL, "x"),
        sdsim_slot_insert(NULL, NULL, 0, 0),
        sdsim_slot_insert_text(NULL, "x", "x", 1, 0, 0),
        sdsim_slot_power(NULL, 1),
        sdsim_slot_load_image(NULL, "x"),
        sdsim_slot_save_image(NULL, "x"),
        sdsim_slot_read_sectors(NULL, 0, 1, bytes),
        sdsim_slot_write_sectors(NULL, 0, 1, bytes),
        sdsim_slot_erase_sectors(NULL, 0, 1),
        sdsim_slot_set_clock(NULL, 1, 1),
        sdsim_slot_advance(NULL, 1),
        sdsim_slot_select(NULL, 1),
        sdsim_slot_exchange(NULL, NULL, bytes, 1),
    };
    for (size_t i = 0; i < COUNT(results); i++) {
        if (results[i] != SDSIM_E_ARGUMENT) {
            fail_msg("row %zu: %ld", i, (long)results[i]);
        }
    }
    assert_int_equal(sdsim_slot_now(NULL), 0);
    assert_int_equal(sdsim_slot_sectors(NULL), 0);
    assert_int_equal(sdsim_slot_rated_clock(NULL, 0), 0);
    assert_string_equal(sdsim_slot_error(NULL), "");
    sdsim_slot_destroy(NULL);
}

/* A slot without a card is wires with pull-ups, and a clock. */
static void empty_slot(void **state)
{
    (void)state;
    struct sdsim_slot *slot = sdsim_slot_create();
    uint8_t bytes[512] = {0};
    assert_non_null(slot);
    assert_string_equal(sdsim_slot_error(slot), "");
    const int32_t results[] = {
        sdsim_slot_power(slot, 1),
        sdsim_slot_load_image(slot, "x"),
        sdsim_slot_save_image(slot, "x"),
        sdsim_slot_read_sectors(slot, 0, 1, bytes),
        sdsim_slot_write_sectors(slot, 0, 1, bytes),
        sdsim_slot_erase_sectors(slot, 0, 1),
    };
    for (size_t i = 0; i < COUNT(results); i++) {
        if (results[i] != SDSIM_E_EMPTY) {
            fail_msg("row %zu: %ld", i, (long)results[i]);
        }
    }
    assert_string_equal(sdsim_slot_error(slot), "no card in the slot");
    assert_int_equal(sdsim_slot_sectors(slot), 0);
    assert_int_equal(sdsim_slot_rated_clock(slot, 0), 0);
    assert_int_equal(sdsim_slot_select(slot, 1), SDSIM_OK);
    assert_int_equal(sdsim_slot_exchange(slot, bytes, bytes, 3), SDSIM_OK);
    assert_memory_equal(bytes, "\xFF\xFF\xFF\x00", 4);
    assert_int_equal(sdsim_slot_now(slot), 3 * 8 * UINT64_C(2500000)); /* at 400 kHz */
    sdsim_slot_destroy(slot);
}

static void clocks(void **state)
{
    (void)state;
    static const struct {
        uint32_t num;
        uint32_t den;
        int32_t result;
        uint64_t three_bytes; /* ps */
    } rows[] = {
        {1, 1, SDSIM_OK, UINT64_C(24000000000000)},
        {400000, 1, SDSIM_OK, 60000000},
        {20000000, 1, SDSIM_OK, 1200000},
        {80000000, 3, SDSIM_OK, 900000},
        {150000000, 7, SDSIM_OK, 1120000},
        {84000000, 1, SDSIM_OK, 285714}, /* 24 periods of 11904.76 ps */
        {1000000000, 1, SDSIM_OK, 24000},
        {4294967295u, 4294967295u, SDSIM_OK, UINT64_C(24000000000000)},
        {0, 1, SDSIM_E_ARGUMENT, 0},
        {1, 0, SDSIM_E_ARGUMENT, 0},
        {0, 0, SDSIM_E_ARGUMENT, 0},
        {1, 2, SDSIM_E_ARGUMENT, 0},
        {1000000001, 1, SDSIM_E_ARGUMENT, 0},
        {4294967295u, 4, SDSIM_E_ARGUMENT, 0},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct sdsim_slot *slot = sdsim_slot_create();
        assert_non_null(slot);
        if (sdsim_slot_set_clock(slot, rows[i].num, rows[i].den) != rows[i].result) {
            fail_msg("row %zu", i);
        }
        if (rows[i].result == SDSIM_OK) {
            assert_int_equal(sdsim_slot_exchange(slot, NULL, NULL, 3), SDSIM_OK);
            if (sdsim_slot_now(slot) != rows[i].three_bytes) {
                fail_msg("row %zu: %llu ps", i, (unsigned long long)sdsim_slot_now(slot));
            }
        } else {
            assert_non_null(strstr(sdsim_slot_error(slot), "1 Hz to 1 GHz"));
        }
        sdsim_slot_destroy(slot);
    }
}

/* However bytes are split into calls, and whatever stands between them, they take as long. */
static void split_calls(void **state)
{
    (void)state;
    struct sdsim_slot *slots[2] = {sdsim_slot_create(), sdsim_slot_create()};
    for (int i = 0; i < 2; i++) {
        assert_int_equal(sdsim_slot_insert(slots[i], NULL, 1, 0), SDSIM_OK);
        assert_int_equal(sdsim_slot_set_clock(slots[i], 84000000, 1), SDSIM_OK);
    }
    assert_int_equal(sdsim_slot_exchange(slots[0], NULL, NULL, 1001), SDSIM_OK);
    assert_int_equal(sdsim_slot_advance(slots[0], 1001 * 7), SDSIM_OK);
    for (int i = 0; i < 1001; i++) {
        assert_int_equal(sdsim_slot_exchange(slots[1], NULL, NULL, 1), SDSIM_OK);
        assert_int_equal(sdsim_slot_advance(slots[1], 7), SDSIM_OK);
        assert_int_equal(sdsim_slot_set_clock(slots[1], 168000000, 2), SDSIM_OK); /* the same */
    }
    assert_int_equal(sdsim_slot_now(slots[0]), sdsim_slot_now(slots[1]));
    assert_int_equal(sdsim_slot_now(slots[0]), 1001 * 7 + 95333333); /* 8008 / 84 MHz */
    sdsim_slot_destroy(slots[0]);
    sdsim_slot_destroy(slots[1]);
}

static void end_of_time(void **state)
{
    (void)state;
    struct sdsim_slot *slot = sdsim_slot_create();
    assert_int_equal(sdsim_slot_advance(slot, 200 * DAY + 1), SDSIM_E_TIME);
    assert_int_equal(sdsim_slot_advance(slot, UINT64_MAX), SDSIM_E_TIME);
    assert_int_equal(sdsim_slot_now(slot), 0);
    assert_int_equal(sdsim_slot_advance(slot, 200 * DAY - 40000000), SDSIM_OK);
    assert_int_equal(sdsim_slot_exchange(slot, NULL, NULL, 3), SDSIM_E_TIME);
    assert_int_equal(sdsim_slot_exchange(slot, NULL, NULL, SIZE_MAX), SDSIM_E_TIME);
    assert_int_equal(sdsim_slot_exchange(slot, NULL, NULL, 2), SDSIM_OK);
    assert_int_equal(sdsim_slot_now(slot), 200 * DAY);
    assert_int_equal(sdsim_slot_advance(slot, 0), SDSIM_OK);
    assert_int_equal(sdsim_slot_advance(slot, 1), SDSIM_E_TIME);
    assert_string_equal(sdsim_slot_error(slot), "virtual time would pass 200 days");
    sdsim_slot_destroy(slot);
}

static void out_of_memory(void **state)
{
    (void)state;
    sdsim_test_fail_allocation(1);
    assert_null(sdsim_slot_create());
    assert_true(sdsim_test_allocation_failed());

    struct sdsim_slot *slot = sdsim_slot_create();
    sdsim_test_fail_allocation(1);
    assert_int_equal(sdsim_slot_set_data_dir(slot, "somewhere"), SDSIM_E_MEMORY);
    assert_true(sdsim_test_allocation_failed());
    assert_string_equal(sdsim_slot_error(slot), "out of memory");
    assert_int_equal(sdsim_slot_set_data_dir(slot, "somewhere"), SDSIM_OK);
    assert_int_equal(sdsim_slot_set_data_dir(slot, NULL), SDSIM_OK);
    sdsim_slot_destroy(slot);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(versions),    cmocka_unit_test(result_texts),
        cmocka_unit_test(no_slot),     cmocka_unit_test(empty_slot),
        cmocka_unit_test(clocks),      cmocka_unit_test(split_calls),
        cmocka_unit_test(end_of_time), cmocka_unit_test(out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
