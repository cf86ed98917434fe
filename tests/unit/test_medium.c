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

static void write_generated(struct sdsim_medium *medium, uint32_t lba, uint32_t count,
                            uint64_t seed, uint64_t first_sector)
{
    const struct sdsim_content content = {
        .kind = SDSIM_CONTENT_GENERATED, .seed = seed, .offset = first_sector * SDSIM_SECTOR};
    assert_true(sdsim_medium_write(medium, lba, count, &content));
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
            write_generated(medium, lba, count, (uint64_t)tag << 32, lba);
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

static void a_terabyte_is_one_extent(void **state)
{
    (void)state;
    const uint32_t sectors = 0x80000000; /* 1 TiB */
    const uint32_t call = 1u << 16;
    struct sdsim_medium *const medium = sdsim_medium_create(sectors, 0xFF);
    for (uint32_t lba = 0; lba < sectors; lba += call) {
        write_generated(medium, lba, call, 1, lba);
    }
    struct sdsim_medium_usage usage = sdsim_medium_usage(medium);
    assert_int_equal(usage.extents, 1);
    assert_true(usage.bytes < 16384);
    assert_true(usage.written == sectors);
    /* Once more over it, in calls of another size: as small at every time. */
    struct sdsim_medium *const twin = sdsim_medium_copy(medium);
    assert_true(sdsim_medium_equal(medium, twin));
    for (uint32_t lba = 0; lba < sectors; lba += call * 2) {
        write_generated(medium, lba, call * 2, 2, lba);
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
    write_generated(medium, 0, UINT32_MAX, 5, 0);
    write_generated(medium, UINT32_MAX - 1, 1, 6, 0);
    write_generated(medium, 0, 1, 7, 0);
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
        write_generated(medium, lba, 1, 3, lba);
    }
    assert_int_equal(sdsim_medium_usage(medium).extents, 100);
    for (uint32_t lba = 199; lba < 200; lba -= 2) {
        write_generated(medium, lba, 1, 3, lba);
    }
    assert_int_equal(sdsim_medium_usage(medium).extents, 1);
    /* One sector of something else splits it, the right content heals it. */
    write_generated(medium, 77, 1, 4, 0);
    assert_int_equal(sdsim_medium_usage(medium).extents, 3);
    write_generated(medium, 77, 1, 3, 77);
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
            write_generated(medium, 2 * i, 1, 3, 2 * i);
        }
        for (uint32_t i = 0; i < gaps; i++) {
            const uint32_t lba = 2 * (uint32_t)((uint64_t)i * strides[s] % gaps) + 1;
            write_generated(medium, lba, 1, 3, lba);
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
        write_generated(medium, lba, 1, lba, 0);
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
            write_generated(medium, place * 4, 1, place, 0);
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
    write_generated(medium, 2000, 1, 1, 0);
    const size_t before = sdsim_medium_usage(medium).bytes;
    for (int i = 1; i < 1000; i++) {
        cluster[0] = (uint8_t)i;
        assert_true(sdsim_medium_write(medium, 1000 + (uint32_t)(i % 8), 1, &bytes));
        write_generated(medium, 2000 + (uint32_t)i, 1, 1, (uint64_t)i);
    }
    const struct sdsim_medium_usage usage = sdsim_medium_usage(medium);
    assert_int_equal(usage.extents, 2);
    assert_true(usage.bytes == before);
    sdsim_medium_destroy(medium);
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
    for (size_t n = 1;; n++) {
        sdsim_test_fail_allocation(n);
        struct sdsim_medium *const copy = sdsim_medium_copy(medium);
        if (!sdsim_test_allocation_failed()) {
            assert_true(sdsim_medium_equal(copy, medium));
            sdsim_medium_destroy(copy);
            break;
        }
        assert_null(copy);
    }
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
        cmocka_unit_test(a_terabyte_is_one_extent),
        cmocka_unit_test(the_largest_medium),
        cmocka_unit_test(neighbours_are_joined),
        cmocka_unit_test(gaps_close_everywhere),
        cmocka_unit_test(scattered_writes),
        cmocka_unit_test(orderly_single_writes),
        cmocka_unit_test(rewriting_bytes_costs_nothing),
        cmocka_unit_test(failing_changes_change_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
