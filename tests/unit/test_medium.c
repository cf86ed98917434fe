/* The medium against an array of bytes, and its promises about memory and failure. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "core/rng.h"
#include "flash/medium.h"
#include "unit/medium_fixture.h"

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

/* The model: what the medium should hold, as plain bytes. */
enum { SECTORS = 400 };

struct model {
    uint8_t erased;
    bool written[SECTORS];
    uint8_t bytes[SECTORS * SDSIM_SECTOR];
};

static void model_init(struct model *model, uint8_t erased)
{
    *model = (struct model){.erased = erased};
    memset(model->bytes, erased, sizeof(model->bytes));
}

static void model_write(struct model *model, uint32_t lba, uint32_t count,
                        const struct sdsim_content *content)
{
    sdsim_content_bytes(content, 0, model->bytes + (size_t)lba * SDSIM_SECTOR,
                        (size_t)count * SDSIM_SECTOR);
    memset(model->written + lba, true, count);
}

static void model_erase(struct model *model, uint32_t lba, uint32_t count)
{
    memset(model->bytes + (size_t)lba * SDSIM_SECTOR, model->erased, (size_t)count * SDSIM_SECTOR);
    memset(model->written + lba, false, count);
}

static uint64_t model_written(const struct model *model)
{
    uint64_t n = 0;
    for (size_t i = 0; i < SECTORS; i++) {
        n += model->written[i];
    }
    return n;
}

static bool same_as_model(const struct sdsim_medium *medium, const struct model *model)
{
    static uint8_t bytes[SECTORS * SDSIM_SECTOR];
    sdsim_medium_read(medium, 0, SECTORS, bytes);
    return memcmp(bytes, model->bytes, sizeof(bytes)) == 0 &&
           sdsim_medium_usage(medium).written == model_written(model);
}

/* Some content, to be written at `lba`. `pool` holds one sector more than a medium, of anything. */
static struct sdsim_content some_content(struct sdsim_rng *rng, const uint8_t *pool, uint32_t lba)
{
    static const uint8_t fills[] = {0x00, 0xFF, 0x55};
    switch (sdsim_rng_below(rng, 3)) {
    case 0:
        return (struct sdsim_content){.kind = SDSIM_CONTENT_BYTES,
                                      .bytes = pool + sdsim_rng_below(rng, 64)};
    case 1:
        return (struct sdsim_content){.kind = SDSIM_CONTENT_FILL,
                                      .fill = fills[sdsim_rng_below(rng, COUNT(fills))]};
    default:
        /* Few streams, tied to the place, so that neighbours and overlaps often continue; two of
         * them are the same stream under other numbers, and one is not aligned to words. */
        return (const struct sdsim_content[]){
            {.kind = SDSIM_CONTENT_GENERATED, .seed = 100, .offset = (uint64_t)lba * 512},
            {.kind = SDSIM_CONTENT_GENERATED, .seed = 101, .offset = (uint64_t)lba * 512 + 792},
            {.kind = SDSIM_CONTENT_GENERATED, .seed = 200, .offset = (uint64_t)lba * 512 + 800},
            {.kind = SDSIM_CONTENT_GENERATED, .seed = 300, .offset = (uint64_t)lba * 512 + 13},
            {.kind = SDSIM_CONTENT_GENERATED, .seed = 100, .offset = 800},
        }[sdsim_rng_below(rng, 5)];
    }
}

/* A range, mostly short, often from `last_end`, where the one before ended. */
static void some_range(struct sdsim_rng *rng, uint32_t *lba, uint32_t *count, uint32_t last_end)
{
    *lba = last_end < SECTORS && sdsim_rng_below(rng, 3) == 0
               ? last_end
               : (uint32_t)sdsim_rng_below(rng, SECTORS);
    const uint64_t most = sdsim_rng_below(rng, 8) == 0 ? SECTORS : 9;
    *count = (uint32_t)sdsim_rng_below(rng, most + 1);
    if (*count > SECTORS - *lba) {
        *count = SECTORS - *lba;
    }
}

static uint8_t *new_pool(struct sdsim_rng *rng)
{
    uint8_t *const pool = malloc((SECTORS + 1) * SDSIM_SECTOR);
    assert_non_null(pool);
    for (size_t i = 0; i < (SECTORS + 1) * SDSIM_SECTOR; i++) {
        pool[i] = (uint8_t)sdsim_rng_next(rng);
    }
    return pool;
}

static void random_changes_equal_the_model(void **state)
{
    (void)state;
    static struct model model;
    for (uint64_t seed = 1; seed <= 12; seed++) {
        struct sdsim_rng rng;
        sdsim_rng_seed(&rng, seed);
        uint8_t *const pool = new_pool(&rng);
        const uint8_t erased = seed % 2 ? 0x00 : 0xFF;
        struct sdsim_medium *medium = sdsim_medium_create(SECTORS, erased);
        assert_non_null(medium);
        model_init(&model, erased);
        uint32_t end = 0;
        for (int step = 0; step < 1500; step++) {
            uint32_t lba, count;
            some_range(&rng, &lba, &count, end);
            if (sdsim_rng_below(&rng, 5) == 0) {
                assert_true(sdsim_medium_erase(medium, lba, count));
                model_erase(&model, lba, count);
            } else {
                const struct sdsim_content content = some_content(&rng, pool, lba);
                assert_true(sdsim_medium_write(medium, lba, count, &content));
                model_write(&model, lba, count, &content);
            }
            end = lba + count;
            if (sdsim_rng_below(&rng, 50) == 0) { /* go on with a copy */
                struct sdsim_medium *const copy = sdsim_medium_copy(medium);
                assert_non_null(copy);
                assert_true(sdsim_medium_equal(copy, medium));
                sdsim_medium_destroy(medium);
                medium = copy;
            }
            uint8_t bytes[16 * SDSIM_SECTOR];
            some_range(&rng, &lba, &count, end);
            count = count < 16 ? count : 16;
            sdsim_medium_read(medium, lba, count, bytes);
            const bool good = memcmp(bytes, model.bytes + (size_t)lba * SDSIM_SECTOR,
                                     (size_t)count * SDSIM_SECTOR) == 0;
            if (!good || (step % 10 == 0 && !same_as_model(medium, &model))) {
                fail_msg("seed %llu, step %d", (unsigned long long)seed, step);
            }
        }
        if (!same_as_model(medium, &model)) {
            fail_msg("seed %llu, end", (unsigned long long)seed);
        }
        sdsim_medium_destroy(medium);
        free(pool);
    }
}

/* Thousands of extents that come and go, singly and by the thousand, so that the map's chunks are
 * split, emptied and joined. The model is one number per sector. */
static void many_extents_equal_the_model(void **state)
{
    (void)state;
    enum { MANY = 30000 };
    static uint32_t tags[MANY]; /* the seed of the stream that lies there; 0: erased */
    const uint64_t seed = 2718;
    struct sdsim_rng rng;
    sdsim_rng_seed(&rng, seed);
    struct sdsim_medium *const medium = sdsim_medium_create(MANY, 0xFF);
    for (int step = 1; step <= 40000; step++) {
        const uint32_t lba = (uint32_t)sdsim_rng_below(&rng, MANY);
        const bool large = sdsim_rng_below(&rng, 2000) == 0;
        uint32_t count = 1 + (uint32_t)sdsim_rng_below(&rng, large ? 12000 : 3);
        count = count < MANY - lba ? count : MANY - lba;
        const uint32_t tag = sdsim_rng_below(&rng, 4) == 0 ? 0 : (uint32_t)step;
        if (tag == 0) {
            assert_true(sdsim_medium_erase(medium, lba, count));
        } else {
            sdsim_test_write_generated(medium, lba, count, (uint64_t)tag << 32, lba);
        }
        for (uint32_t i = 0; i < count; i++) {
            tags[lba + i] = tag;
        }
        if (step % 4000 != 0) {
            continue;
        }
        uint64_t written = 0;
        for (uint32_t at = 0; at < MANY; at++) {
            uint8_t got[SDSIM_SECTOR];
            uint8_t expected[SDSIM_SECTOR];
            sdsim_medium_read(medium, at, 1, got);
            memset(expected, 0xFF, sizeof(expected));
            if (tags[at] != 0) {
                sdsim_generate((uint64_t)tags[at] << 32, (uint64_t)at * SDSIM_SECTOR, expected,
                               sizeof(expected));
                written++;
            }
            if (memcmp(got, expected, sizeof(got)) != 0) {
                fail_msg("seed %llu, step %d, sector %lu", (unsigned long long)seed, step,
                         (unsigned long)at);
            }
        }
        const struct sdsim_medium_usage usage = sdsim_medium_usage(medium);
        assert_true(usage.written == written);
        assert_true(usage.bytes < usage.extents * 160 + 16384);
    }
    assert_true(sdsim_medium_usage(medium).extents > 3000);
    sdsim_medium_destroy(medium);
}

/* Two media that were filled in different ways are equal if their bytes are, and only then. */
static void equality_is_that_of_bytes(void **state)
{
    (void)state;
    static struct model model;
    for (uint64_t seed = 50; seed < 60; seed++) {
        struct sdsim_rng rng;
        sdsim_rng_seed(&rng, seed);
        uint8_t *const pool = new_pool(&rng);
        struct sdsim_medium *const medium = sdsim_medium_create(SECTORS, 0xFF);
        struct sdsim_medium *const twin = sdsim_medium_create(SECTORS, 0xFF);
        model_init(&model, 0xFF);
        for (int step = 0; step < 200; step++) {
            uint32_t lba, count;
            some_range(&rng, &lba, &count, 0);
            const struct sdsim_content content = some_content(&rng, pool, lba);
            assert_true(sdsim_medium_write(medium, lba, count, &content));
            model_write(&model, lba, count, &content);
        }
        /* The twin gets nothing but bytes. */
        for (uint32_t lba = 0; lba < SECTORS;) {
            uint32_t count = 1 + (uint32_t)sdsim_rng_below(&rng, 70);
            count = count < SECTORS - lba ? count : SECTORS - lba;
            const struct sdsim_content bytes = {.kind = SDSIM_CONTENT_BYTES,
                                                .bytes = model.bytes + (size_t)lba * SDSIM_SECTOR};
            assert_true(sdsim_medium_write(twin, lba, count, &bytes));
            lba += count;
        }
        if (!sdsim_medium_equal(medium, twin) || !sdsim_medium_equal(twin, medium)) {
            fail_msg("seed %llu: equal bytes are not equal", (unsigned long long)seed);
        }
        for (int round = 0; round < 20; round++) {
            const uint32_t lba = (uint32_t)sdsim_rng_below(&rng, SECTORS);
            uint8_t sector[SDSIM_SECTOR];
            sdsim_medium_read(twin, lba, 1, sector);
            const size_t at = (size_t)sdsim_rng_below(&rng, sizeof(sector));
            sector[at] ^= 1;
            const struct sdsim_content bytes = {.kind = SDSIM_CONTENT_BYTES, .bytes = sector};
            assert_true(sdsim_medium_write(twin, lba, 1, &bytes));
            if (sdsim_medium_equal(medium, twin)) {
                fail_msg("seed %llu: byte %zu of sector %lu is not seen", (unsigned long long)seed,
                         at, (unsigned long)lba);
            }
            sector[at] ^= 1;
            assert_true(sdsim_medium_write(twin, lba, 1, &bytes));
        }
        assert_true(sdsim_medium_equal(medium, twin));
        sdsim_medium_destroy(medium);
        sdsim_medium_destroy(twin);
        free(pool);
    }
}

static void equality_of_unlike_media(void **state)
{
    (void)state;
    struct sdsim_medium *const zeros = sdsim_medium_create(100, 0x00);
    struct sdsim_medium *const ones = sdsim_medium_create(100, 0xFF);
    struct sdsim_medium *const longer = sdsim_medium_create(101, 0x00);
    assert_false(sdsim_medium_equal(zeros, ones));
    assert_false(sdsim_medium_equal(zeros, longer));
    const struct sdsim_content fill = {.kind = SDSIM_CONTENT_FILL, .fill = 0x00};
    assert_true(sdsim_medium_write(ones, 0, 100, &fill));
    assert_true(sdsim_medium_equal(zeros, ones)); /* written zeros read like erased ones */
    assert_true(sdsim_medium_usage(ones).written == 100);
    assert_true(sdsim_medium_usage(zeros).written == 0);
    sdsim_medium_destroy(zeros);
    sdsim_medium_destroy(ones);
    sdsim_medium_destroy(longer);
    sdsim_medium_destroy(NULL);
}

static void generated_content_is_splitmix64(void **state)
{
    (void)state;
    uint8_t bytes[100];
    for (uint64_t offset = 0; offset < 20; offset++) {
        for (size_t count = 0; count <= 40; count++) {
            memset(bytes, 0xEE, sizeof(bytes));
            sdsim_generate(7, offset, bytes + 1, count);
            for (size_t i = 0; i < count; i++) {
                const uint64_t o = offset + i;
                if (bytes[1 + i] != (uint8_t)(sdsim_mix(7 + o / 8) >> 8 * (o % 8))) {
                    fail_msg("offset %llu, byte %zu", (unsigned long long)offset, i);
                }
            }
            assert_int_equal(bytes[0], 0xEE);
            assert_int_equal(bytes[1 + count], 0xEE);
        }
    }
}

static void content_after_skips(void **state)
{
    (void)state;
    static const uint8_t raw[64] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13};
    const struct sdsim_content contents[] = {
        {.kind = SDSIM_CONTENT_BYTES, .bytes = raw},
        {.kind = SDSIM_CONTENT_GENERATED, .seed = 9, .offset = 1000003},
        {.kind = SDSIM_CONTENT_FILL, .fill = 0xA7},
    };
    for (size_t c = 0; c < COUNT(contents); c++) {
        for (uint64_t skip = 0; skip < 32; skip++) {
            uint8_t whole[64];
            uint8_t rest[32];
            uint8_t later[32];
            sdsim_content_bytes(&contents[c], 0, whole, sizeof(whole));
            sdsim_content_bytes(&contents[c], skip, rest, sizeof(rest));
            const struct sdsim_content after = sdsim_content_after(&contents[c], skip);
            sdsim_content_bytes(&after, 0, later, sizeof(later));
            assert_memory_equal(rest, whole + skip, sizeof(rest));
            assert_memory_equal(later, whole + skip, sizeof(later));
        }
    }
}

/* A change that finds no memory changes nothing, and a later try succeeds. */
static void failing_changes_change_nothing(void **state)
{
    (void)state;
    static struct model model;
    static struct model before;
    const uint64_t seed = 8;
    struct sdsim_rng rng;
    sdsim_rng_seed(&rng, seed);
    uint8_t *const pool = new_pool(&rng);
    struct sdsim_medium *const medium = sdsim_medium_create(SECTORS, 0xFF);
    model_init(&model, 0xFF);
    size_t failures = 0;
    for (int step = 0; step < 600; step++) {
        uint32_t lba, count;
        some_range(&rng, &lba, &count, 0);
        const bool erase = sdsim_rng_below(&rng, 4) == 0;
        const struct sdsim_content content = some_content(&rng, pool, lba);
        before = model;
        if (erase) {
            model_erase(&model, lba, count);
        } else {
            model_write(&model, lba, count, &content);
        }
        for (size_t n = 1;; n++) {
            sdsim_test_fail_allocation(n);
            const bool done = erase ? sdsim_medium_erase(medium, lba, count)
                                    : sdsim_medium_write(medium, lba, count, &content);
            const bool failed = sdsim_test_allocation_failed();
            failures += !done;
            if (!done && !failed) {
                fail_msg("seed %llu, step %d: fails without a reason", (unsigned long long)seed,
                         step);
            }
            if (!same_as_model(medium, done ? &model : &before)) {
                fail_msg("seed %llu, step %d, allocation %zu", (unsigned long long)seed, step, n);
            }
            if (done) {
                break; /* it may do without a join that needs memory */
            }
        }
    }
    assert_true(failures > 200);
    sdsim_test_copy_without_memory(medium);
    sdsim_medium_destroy(medium);
    free(pool);
    sdsim_test_fail_allocation(1);
    assert_null(sdsim_medium_create(10, 0));
    assert_true(sdsim_test_allocation_failed());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_changes_equal_the_model),
        cmocka_unit_test(many_extents_equal_the_model),
        cmocka_unit_test(equality_is_that_of_bytes),
        cmocka_unit_test(equality_of_unlike_media),
        cmocka_unit_test(generated_content_is_splitmix64),
        cmocka_unit_test(content_after_skips),
        cmocka_unit_test(failing_changes_change_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
