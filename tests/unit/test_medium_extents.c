/* How many extents and how much memory a medium takes for what is written to it. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <string.h>

#include "core/rng.h"
#include "unit/medium_fixture.h"

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

enum { SECTORS = 400 };

static void a_terabyte_is_one_extent(void **state)
{
    (void)state;
    const uint32_t sectors = 0x80000000; /* 1 TiB */
    const uint32_t call = 1u << 16;
    struct sdsim_medium *const medium = sdsim_medium_create(sectors, 0xFF);
    for (uint32_t lba = 0; lba < sectors; lba += call) {
        sdsim_test_write_generated(medium, lba, call, 1, lba);
    }
    struct sdsim_medium_usage usage = sdsim_medium_usage(medium);
    assert_int_equal(usage.extents, 1);
    assert_true(usage.bytes < 16384);
    assert_true(usage.written == sectors);
    /* Once more over it, in calls of another size: as small at every time. */
    struct sdsim_medium *const twin = sdsim_medium_copy(medium);
    assert_true(sdsim_medium_equal(medium, twin));
    for (uint32_t lba = 0; lba < sectors; lba += call * 2) {
        sdsim_test_write_generated(medium, lba, call * 2, 2, lba);
        assert_true(sdsim_medium_usage(medium).extents <= 2);
    }
    usage = sdsim_medium_usage(medium);
    assert_int_equal(usage.extents, 1);
    assert_true(usage.bytes < 16384);
    assert_false(sdsim_medium_equal(medium, twin));
    sdsim_medium_destroy(twin);
    sdsim_medium_destroy(medium);
}

static void the_largest_medium(void **state)
{
    (void)state;
    struct sdsim_medium *const medium = sdsim_medium_create(UINT32_MAX, 0x00);
    assert_true(sdsim_medium_sectors(medium) == UINT32_MAX);
    sdsim_test_write_generated(medium, 0, UINT32_MAX, 5, 0);
    sdsim_test_write_generated(medium, UINT32_MAX - 1, 1, 6, 0);
    sdsim_test_write_generated(medium, 0, 1, 7, 0);
    assert_true(sdsim_medium_usage(medium).written == UINT32_MAX);
    assert_int_equal(sdsim_medium_usage(medium).extents, 3);
    uint8_t got[2 * SDSIM_SECTOR];
    uint8_t expected[2 * SDSIM_SECTOR];
    sdsim_medium_read(medium, UINT32_MAX - 2, 2, got);
    sdsim_generate(5, (uint64_t)(UINT32_MAX - 2) * SDSIM_SECTOR, expected, SDSIM_SECTOR);
    sdsim_generate(6, 0, expected + SDSIM_SECTOR, SDSIM_SECTOR);
    assert_memory_equal(got, expected, sizeof(got));
    assert_true(sdsim_medium_erase(medium, 0, UINT32_MAX));
    assert_int_equal(sdsim_medium_usage(medium).extents, 0);
    sdsim_medium_destroy(medium);
}

static void neighbours_are_joined(void **state)
{
    (void)state;
    struct sdsim_medium *const medium = sdsim_medium_create(SECTORS, 0x00);
    /* Every second sector, then the others in between, from the back. */
    for (uint32_t lba = 0; lba < 200; lba += 2) {
        sdsim_test_write_generated(medium, lba, 1, 3, lba);
    }
    assert_int_equal(sdsim_medium_usage(medium).extents, 100);
    for (uint32_t lba = 199; lba < 200; lba -= 2) {
        sdsim_test_write_generated(medium, lba, 1, 3, lba);
    }
    assert_int_equal(sdsim_medium_usage(medium).extents, 1);
    /* One sector of something else splits it, the right content heals it. */
    sdsim_test_write_generated(medium, 77, 1, 4, 0);
    assert_int_equal(sdsim_medium_usage(medium).extents, 3);
    sdsim_test_write_generated(medium, 77, 1, 3, 77);
    assert_int_equal(sdsim_medium_usage(medium).extents, 1);
    assert_true(sdsim_medium_erase(medium, 50, 10));
    assert_int_equal(sdsim_medium_usage(medium).extents, 2);
    /* The same bytes under another name: stream 4 is stream 3 without its first eight bytes. */
    const struct sdsim_content alias = {
        .kind = SDSIM_CONTENT_GENERATED, .seed = 4, .offset = 50 * SDSIM_SECTOR - 8};
    assert_true(sdsim_medium_write(medium, 50, 10, &alias));
    assert_int_equal(sdsim_medium_usage(medium).extents, 1);

    assert_true(sdsim_medium_erase(medium, 0, SECTORS));
    const struct sdsim_content zeros = {.kind = SDSIM_CONTENT_FILL, .fill = 0x00};
    for (uint32_t lba = 0; lba < 100; lba++) {
        assert_true(sdsim_medium_write(medium, lba, 1, &zeros));
    }
    assert_int_equal(sdsim_medium_usage(medium).extents, 1);
    assert_true(sdsim_medium_usage(medium).written == 100);

    /* Bytes sector by sector become few extents, in whatever order they come. */
    static const uint8_t sector[SDSIM_SECTOR] = {1};
    const struct sdsim_content bytes = {.kind = SDSIM_CONTENT_BYTES, .bytes = sector};
    for (uint32_t i = 0; i < SECTORS; i++) {
        assert_true(sdsim_medium_write(medium, i * 147 % SECTORS, 1, &bytes));
    }
    assert_true(sdsim_medium_usage(medium).written == SECTORS);
    assert_in_range(sdsim_medium_usage(medium).extents, SECTORS / 32, SECTORS / 8);
    assert_true(sdsim_medium_usage(medium).bytes < 2 * SECTORS * SDSIM_SECTOR + 16384);
    sdsim_medium_destroy(medium);
}

/* Every second sector of many, then the others in any order: all gaps close, also those between two
 * chunks of the map, and in the end it is one extent. */
static void gaps_close_everywhere(void **state)
{
    (void)state;
    const uint32_t gaps = 4999; /* a prime, so that multiples of any number reach all */
    static const uint32_t strides[] = {1, 4998, 7, 1234};
    for (size_t s = 0; s < COUNT(strides); s++) {
        struct sdsim_medium *const medium = sdsim_medium_create(2 * gaps, 0xFF);
        for (uint32_t i = 0; i < gaps; i++) {
            sdsim_test_write_generated(medium, 2 * i, 1, 3, 2 * i);
        }
        for (uint32_t i = 0; i < gaps; i++) {
            const uint32_t lba = 2 * (uint32_t)((uint64_t)i * strides[s] % gaps) + 1;
            sdsim_test_write_generated(medium, lba, 1, 3, lba);
        }
        const struct sdsim_medium_usage usage = sdsim_medium_usage(medium);
        if (usage.extents != 1 || usage.written != 2 * gaps) {
            fail_msg("stride %lu: %zu extents", (unsigned long)strides[s], usage.extents);
        }
        sdsim_medium_destroy(medium);
    }
}

static void scattered_writes(void **state)
{
    (void)state;
    const uint64_t seed = 4711;
    struct sdsim_rng rng;
    sdsim_rng_seed(&rng, seed);
    const uint32_t sectors = 62521344; /* a 32 GB card */
    struct sdsim_medium *const medium = sdsim_medium_create(sectors, 0xFF);
    for (int i = 0; i < 100000; i++) {
        const uint32_t lba = (uint32_t)sdsim_rng_below(&rng, sectors);
        sdsim_test_write_generated(medium, lba, 1, lba, 0);
    }
    const struct sdsim_medium_usage usage = sdsim_medium_usage(medium);
    assert_in_range(usage.extents, 99000, 100000);
    assert_true(usage.written == usage.extents);
    assert_true(usage.bytes < usage.extents * 64); /* chunks are at least nearly half full */
    sdsim_rng_seed(&rng, seed);
    for (int i = 0; i < 100000; i++) {
        const uint32_t lba = (uint32_t)sdsim_rng_below(&rng, sectors);
        uint8_t got[SDSIM_SECTOR];
        uint8_t expected[SDSIM_SECTOR];
        sdsim_medium_read(medium, lba, 1, got);
        sdsim_generate(lba, 0, expected, sizeof(expected));
        if (memcmp(got, expected, sizeof(got)) != 0) {
            fail_msg("seed %llu, write %d", (unsigned long long)seed, i);
        }
    }
    /* Erasing most of it gives most of the memory back, in whatever order it happens. */
    for (uint32_t lba = 0; lba < sectors - 100000; lba += 50000) {
        assert_true(sdsim_medium_erase(medium, lba, 49900));
    }
    const struct sdsim_medium_usage left = sdsim_medium_usage(medium);
    assert_in_range(left.extents, 100, 1000);
    assert_true(left.bytes < 200000);
    sdsim_medium_destroy(medium);
}

/* Descending and ascending single writes leave well-filled chunks. */
static void orderly_single_writes(void **state)
{
    (void)state;
    for (int descending = 0; descending < 2; descending++) {
        struct sdsim_medium *const medium = sdsim_medium_create(200000, 0xFF);
        for (uint32_t i = 0; i < 50000; i++) {
            const uint32_t place = descending ? 49999 - i : i;
            sdsim_test_write_generated(medium, place * 4, 1, place, 0);
        }
        const struct sdsim_medium_usage usage = sdsim_medium_usage(medium);
        assert_int_equal(usage.extents, 50000);
        assert_true(usage.bytes < 50000 * 64);
        sdsim_medium_destroy(medium);
    }
}

/* A file system's metadata is rewritten in place and takes no more memory for it. */
static void rewriting_bytes_costs_nothing(void **state)
{
    (void)state;
    struct sdsim_medium *const medium = sdsim_medium_create(100000, 0x00);
    uint8_t cluster[8 * SDSIM_SECTOR] = {0};
    const struct sdsim_content bytes = {.kind = SDSIM_CONTENT_BYTES, .bytes = cluster};
    assert_true(sdsim_medium_write(medium, 1000, 8, &bytes));
    sdsim_test_write_generated(medium, 2000, 1, 1, 0);
    const size_t before = sdsim_medium_usage(medium).bytes;
    for (int i = 1; i < 1000; i++) {
        cluster[0] = (uint8_t)i;
        assert_true(sdsim_medium_write(medium, 1000 + (uint32_t)(i % 8), 1, &bytes));
        sdsim_test_write_generated(medium, 2000 + (uint32_t)i, 1, 1, (uint64_t)i);
    }
    const struct sdsim_medium_usage usage = sdsim_medium_usage(medium);
    assert_int_equal(usage.extents, 2);
    assert_true(usage.bytes == before);
    sdsim_medium_destroy(medium);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_terabyte_is_one_extent),
        cmocka_unit_test(the_largest_medium),
        cmocka_unit_test(neighbours_are_joined),
        cmocka_unit_test(gaps_close_everywhere),
        cmocka_unit_test(scattered_writes),
        cmocka_unit_test(orderly_single_writes),
        cmocka_unit_test(rewriting_bytes_costs_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
