/*
 * A driver as it is in firmware (tests/mmc_driver.h) does its work on the library: on every kind of
 * card, with the right content afterwards, in the time that the card's profile says, and with the
 * faults that a driver must notice.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "mmc_driver.h"
#include "sanitized.h"
#include "slot_bench.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])
#define MS           UINT64_C(1000000000)

enum { BLOCKS = 64, ROUNDS = SDSIM_SANITIZED ? 40 : 300 };

/* ---- the board ---- */

/* A driver reaches its hardware without a handle, so this is a global. */
static struct sdsim_slot *slot;

uint8_t board_xchg_spi(uint8_t byte)
{
    uint8_t miso = 0;
    assert_int_equal(sdsim_slot_exchange(slot, &byte, &miso, 1), SDSIM_OK);
    return miso;
}

void board_rcvr_spi(uint8_t *bytes, unsigned count)
{
    assert_int_equal(sdsim_slot_exchange(slot, NULL, bytes, count), SDSIM_OK);
}

void board_xmit_spi(const uint8_t *bytes, unsigned count)
{
    assert_int_equal(sdsim_slot_exchange(slot, bytes, NULL, count), SDSIM_OK);
}

void board_cs(int high)
{
    assert_int_equal(sdsim_slot_select(slot, !high), SDSIM_OK);
}

void board_spi_hz(uint32_t hz)
{
    assert_int_equal(sdsim_slot_set_clock(slot, hz, 1), SDSIM_OK);
}

uint32_t board_ms(void)
{
    return (uint32_t)(sdsim_slot_now(slot) / MS);
}

static void insert(const char *profile, uint32_t draw)
{
    slot = sdsim_slot_create();
    assert_non_null(slot);
    assert_int_equal(sdsim_slot_set_data_dir(slot, "."), SDSIM_OK);
    if (sdsim_slot_insert(slot, profile, 1, draw) != SDSIM_OK) {
        fail_msg("%s", sdsim_slot_error(slot));
    }
    assert_int_equal(sdsim_slot_advance(slot, 2 * MS), SDSIM_OK);
}

/* ---- tests ---- */

static uint32_t next_random(uint32_t *seed, uint32_t bound)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (uint32_t)(((uint64_t)*seed * bound) >> 32);
}

/* Reads and writes at random, held against a copy in memory, then against the medium itself. */
static void exercise(const char *profile)
{
    static uint8_t copy[BLOCKS][512];
    static uint8_t buffer[BLOCKS][512];
    uint32_t seed = 1;
    uint32_t sectors;
    assert_int_equal(disk_sector_count(&sectors), DISK_OK);
    assert_int_equal(sectors, sdsim_slot_sectors(slot));
    const uint32_t first = sectors - BLOCKS; /* to the very end of the card */
    memset(copy, 0, sizeof copy);
    for (uint32_t round = 0; round < ROUNDS; round++) {
        const uint32_t at = next_random(&seed, BLOCKS);
        const uint32_t count = 1 + next_random(&seed, BLOCKS - at);
        if (next_random(&seed, 2) == 0) {
            sdsim_test_fill(copy[at], (size_t)count * 512, round);
            assert_int_equal(disk_write(copy[at], first + at, count), DISK_OK);
        } else {
            assert_int_equal(disk_read(buffer[at], first + at, count), DISK_OK);
            if (memcmp(buffer[at], copy[at], (size_t)count * 512) != 0) {
                fail_msg("%s, round %u: other data came", profile, (unsigned)round);
            }
        }
    }
    assert_int_equal(disk_sync(), DISK_OK);
    assert_int_equal(sdsim_slot_read_sectors(slot, first, BLOCKS, buffer), SDSIM_OK);
    assert_memory_equal(buffer, copy, sizeof copy);
}

static void every_kind_of_card(void **state)
{
    (void)state;
    static const char *const profiles[] = {NULL,           "sdsc64-slc",  "sdsc2g",
                                           "sdhc4g-c4",    "sdhc32g-a1",  "sdxc64g-a2",
                                           "sdxc128g-v30", "memorex-2gb", "fake-limbo"};
    for (size_t i = 0; i < COUNT(profiles); i++) {
        for (uint32_t draw = 0; draw < 2; draw++) {
            insert(profiles[i], draw);
            if (disk_initialize() != DISK_OK) {
                fail_msg("%s can't be initialised", profiles[i]);
            }
            if (profiles[i] == NULL || strcmp(profiles[i], "fake-limbo") != 0) {
                exercise(profiles[i] != NULL ? profiles[i] : "the plain card");
            }
            sdsim_slot_destroy(slot);
        }
    }
}

/* A block of the plain card: 250 us to its data, 800 us of busy; 515 bytes at 20 MHz are 206 us. The
 * commands and looks around it are some ten bytes of 0.4 us each. */
static void times(void **state)
{
    (void)state;
    uint8_t block[512] = {1};
    insert(NULL, 0);
    assert_int_equal(disk_initialize(), DISK_OK);
    uint64_t start = sdsim_slot_now(slot);
    assert_int_equal(disk_write(block, 1000, 1), DISK_OK);
    assert_int_equal(disk_sync(), DISK_OK);
    const uint64_t write = sdsim_slot_now(slot) - start;
    assert_in_range(write, 1006 * MS / 1000, 1016 * MS / 1000);
    start = sdsim_slot_now(slot);
    assert_int_equal(disk_read(block, 1000, 1), DISK_OK);
    assert_in_range(sdsim_slot_now(slot) - start, 456 * MS / 1000, 466 * MS / 1000);
    sdsim_slot_destroy(slot);
}

static void no_card(void **state)
{
    (void)state;
    uint8_t block[512];
    slot = sdsim_slot_create();
    assert_int_equal(disk_initialize(), DISK_NOT_READY);
    assert_int_equal(disk_read(block, 0, 1), DISK_NOT_READY);
    sdsim_slot_destroy(slot);
}

/* A fake card takes everything and has kept nothing: a driver can't tell, a comparison does. */
static void fake_card(void **state)
{
    (void)state;
    uint8_t written[512];
    uint8_t read[512];
    sdsim_test_fill(written, sizeof written, 1);
    insert("fake-limbo", 0);
    assert_int_equal(disk_initialize(), DISK_OK);
    const uint32_t last = sdsim_slot_sectors(slot) - 1;
    assert_int_equal(disk_write(written, last, 1), DISK_OK);
    assert_int_equal(disk_read(read, last, 1), DISK_OK);
    assert_memory_not_equal(read, written, sizeof read);
    sdsim_slot_destroy(slot);
}

static void beyond_the_end(void **state)
{
    (void)state;
    uint8_t blocks[2][512] = {{0}};
    insert("sdhc4g-c4", 0);
    assert_int_equal(disk_initialize(), DISK_OK);
    const uint32_t sectors = sdsim_slot_sectors(slot);
    assert_int_equal(disk_read(blocks[0], sectors, 1), DISK_ERROR);
    assert_int_equal(disk_read(blocks[0], sectors - 1, 2), DISK_ERROR);
    assert_int_equal(disk_write(blocks[0], sectors, 1), DISK_ERROR);
    assert_int_equal(disk_read(blocks[0], sectors - 1, 1), DISK_OK);
    sdsim_slot_destroy(slot);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_of_card),
        cmocka_unit_test(times),
        cmocka_unit_test(no_card),
        cmocka_unit_test(fake_card),
        cmocka_unit_test(beyond_the_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
