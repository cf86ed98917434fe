/*
 * Where calls go: every pattern over a table of geometries, and the order of a small one place by
 * place.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "workload/positions.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define KIB          ((uint64_t)1024)
#define MIB          ((uint64_t)1024 * 1024)

/* ---- at random ---- */

struct random_row {
    uint64_t start;
    uint64_t span;
    uint64_t call;
    uint64_t align; /* 0: the call */
    uint64_t offset;
    uint64_t places; /* there must be */
};

static const struct random_row random_rows[] = {
    {0, 4 * KIB, 4 * KIB, 0, 0, 1},
    {0, 16 * KIB, 4 * KIB, 0, 0, 4},
    {0, 16 * KIB, 4 * KIB, 512, 0, 25},
    {512, 16 * KIB + 511, 4 * KIB, 0, 0, 4},
    {16 * MIB, 64 * KIB, 1 * KIB, 16 * KIB, 15 * KIB, 4},       /* before a boundary */
    {16 * MIB, 64 * KIB, 1 * KIB, 16 * KIB, 15 * KIB + 512, 3}, /* across it: not the last */
    {0, 10000, 100, 0, 0, 100},
    {0, 10000, 100, 1, 0, 9901},
    {0, 10000, 100, 1, 9900, 1},
    {0, 64 * KIB, 16 * KIB, 24 * KIB, 0, 3},
};

static struct sdsim_workload_params random_params(const struct random_row *row)
{
    return (struct sdsim_workload_params){.action = SDSIM_DO_RANDOM_READ,
                                          .target = SDSIM_ON_RAW,
                                          .start = row->start,
                                          .span = row->span,
                                          .call = row->call,
                                          .align = row->align,
                                          .offset = row->offset,
                                          .seed = 7};
}

/* All within the span, aligned, and every place there is comes up. */
static void test_random(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(random_rows); i++) {
        const struct random_row *row = &random_rows[i];
        const struct sdsim_workload_params params = random_params(row);
        const uint64_t align = row->align > 0 ? row->align : row->call;
        struct sdsim_positions positions;
        sdsim_positions_init(&positions, &params);
        bool *seen = calloc(row->places, sizeof *seen);
        uint64_t found = 0;
        assert_non_null(seen);
        for (uint64_t call = 0; call < 20 * row->places; call++) {
            const uint64_t at = sdsim_position(&positions, call);
            assert_true(at >= row->start + row->offset);
            assert_true(at + row->call <= row->start + row->span);
            const uint64_t beside = at - row->start - row->offset;
            assert_int_equal(beside % align, 0);
            assert_true(beside / align < row->places);
            found += seen[beside / align] ? 0 : 1;
            seen[beside / align] = true;
        }
        assert_int_equal(found, row->places);
        free(seen);
    }
}

/* The same seed, the same places, in whatever order one asks; another seed, others. */
static void test_random_is_of_the_seed(void **state)
{
    (void)state;
    struct sdsim_workload_params params = random_params(&random_rows[7]);
    struct sdsim_positions first;
    struct sdsim_positions again;
    struct sdsim_positions other;
    sdsim_positions_init(&first, &params);
    sdsim_positions_init(&again, &params);
    params.seed = 8;
    sdsim_positions_init(&other, &params);
    unsigned differ = 0;
    for (uint64_t call = 0; call < 100; call++) {
        (void)sdsim_position(&again, 99 - call);
        assert_int_equal(sdsim_position(&first, call), sdsim_position(&again, call));
        differ += sdsim_position(&first, call) != sdsim_position(&other, call);
    }
    assert_true(differ > 90);
}

/* ---- in sequence ---- */

static void test_sequence(void **state)
{
    (void)state;
    struct sdsim_workload_params params = {
        .action = SDSIM_DO_WRITE, .target = SDSIM_ON_RAW, .start = 1 * MIB, .call = 4 * KIB};
    struct sdsim_positions positions;
    sdsim_positions_init(&positions, &params);
    assert_int_equal(sdsim_position(&positions, 0), 1 * MIB);
    assert_int_equal(sdsim_position(&positions, 1000000), 1 * MIB + 1000000 * 4 * KIB);
    params.span = 13 * KIB; /* three calls and a bit */
    sdsim_positions_init(&positions, &params);
    assert_int_equal(sdsim_position(&positions, 2), 1 * MIB + 8 * KIB);
    assert_int_equal(sdsim_position(&positions, 3), 1 * MIB);
}

/* A file has no start. */
static void test_files(void **state)
{
    (void)state;
    const struct sdsim_workload_params params = {.action = SDSIM_DO_RANDOM_WRITE,
                                                 .target = SDSIM_ON_FILE,
                                                 .start = 16 * MIB,
                                                 .span = 4 * KIB,
                                                 .call = 4 * KIB};
    struct sdsim_positions positions;
    sdsim_positions_init(&positions, &params);
    assert_int_equal(sdsim_position(&positions, 5), 0);
}

/* ---- in regions ---- */

/* Two streams of two places each, four calls apart: the sets move on into the gap, then past it. */
static void test_regions_place_by_place(void **state)
{
    (void)state;
    static const uint64_t expected[] = {
        0, 8,  1, 9,  /* the first set, in turns */
        2, 10, 3, 11, /* the places behind it */
        4, 12, 5, 13, /* and behind that; a fourth set would leave the span */
        0, 8,         /* the span is at its end */
    };
    const struct sdsim_workload_params params = {.action = SDSIM_DO_WRITE,
                                                 .target = SDSIM_ON_RAW,
                                                 .call = 512,
                                                 .streams = 2,
                                                 .region = 1024,
                                                 .stream_distance = 8 * 512,
                                                 .span = 14 * 512};
    struct sdsim_positions positions;
    sdsim_positions_init(&positions, &params);
    for (uint64_t call = 0; call < COUNT(expected); call++) {
        assert_int_equal(sdsim_position(&positions, call), 512 * expected[call]);
    }
}

/* With regions side by side, a set is followed by the next n regions. */
static void test_regions_move_on(void **state)
{
    (void)state;
    const struct sdsim_workload_params params = {.action = SDSIM_DO_WRITE,
                                                 .target = SDSIM_ON_RAW,
                                                 .call = 512,
                                                 .streams = 3,
                                                 .region = 1024,
                                                 .span = 100 * 512};
    struct sdsim_positions positions;
    sdsim_positions_init(&positions, &params);
    assert_int_equal(sdsim_position(&positions, 5), 512 * 5); /* the last of the first set */
    assert_int_equal(sdsim_position(&positions, 6), 512 * 6); /* the first of the next */
    assert_int_equal(sdsim_position(&positions, 7), 512 * 8);
    /* 16 sets of six sectors fit; then all begins again */
    assert_int_equal(sdsim_position(&positions, 96), 0);
}

struct region_row {
    int action;
    int order;
    uint64_t streams;
    uint64_t call;
    uint64_t region;
    uint64_t distance; /* 0: the region */
};

static const struct region_row region_rows[] = {
    {SDSIM_DO_WRITE, SDSIM_ORDER_LINEAR, 3, 512, 64 * KIB, 0},
    {SDSIM_DO_WRITE, SDSIM_ORDER_RANDOM, 3, 512, 64 * KIB, 0},
    {SDSIM_DO_WRITE, SDSIM_ORDER_RANDOM, 1, 512, 64 * KIB, 0},
    {SDSIM_DO_RANDOM_WRITE, SDSIM_ORDER_LINEAR, 5, 4 * KIB, 100 * KIB, 0},
    {SDSIM_DO_RANDOM_READ, SDSIM_ORDER_LINEAR, 2, 16 * KIB, 64 * KIB, 12 * 64 * KIB},
    {SDSIM_DO_READ, SDSIM_ORDER_RANDOM, 7, 64 * KIB, 64 * KIB, 0},
};

/* A set takes each place of each region once, in turns, and a shuffled one not in sequence. */
static void test_regions(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(region_rows); i++) {
        const struct region_row *row = &region_rows[i];
        const uint64_t distance = row->distance > 0 ? row->distance : row->region;
        const struct sdsim_workload_params params = {.action = row->action,
                                                     .target = SDSIM_ON_RAW,
                                                     .order = row->order,
                                                     .start = 16 * MIB,
                                                     .span = 1024 * MIB,
                                                     .call = row->call,
                                                     .streams = row->streams,
                                                     .region = row->region,
                                                     .stream_distance = row->distance,
                                                     .seed = 3};
        const uint64_t places = row->region / row->call;
        const bool shuffled = row->order == SDSIM_ORDER_RANDOM || row->action != SDSIM_DO_WRITE;
        struct sdsim_positions positions;
        sdsim_positions_init(&positions, &params);
        bool *seen = calloc(places * row->streams, sizeof *seen);
        unsigned out_of_order = 0;
        assert_non_null(seen);
        for (uint64_t call = 0; call < places * row->streams; call++) {
            const uint64_t stream = call % row->streams;
            const uint64_t from = 16 * MIB + stream * distance;
            const uint64_t at = sdsim_position(&positions, call);
            assert_true(at >= from && at + row->call <= from + row->region);
            assert_int_equal((at - from) % row->call, 0);
            const uint64_t place = (at - from) / row->call;
            assert_false(seen[stream * places + place]);
            seen[stream * places + place] = true;
            out_of_order += place != call / row->streams;
        }
        assert_true(shuffled && places > 2 ? out_of_order > 0 : true);
        assert_true(shuffled || out_of_order == 0);
        free(seen);
    }
}

static void test_permutations(void **state)
{
    (void)state;
    static const uint64_t counts[] = {1, 2, 3, 4, 5, 16, 17, 1000, 8192};
    for (size_t i = 0; i < COUNT(counts); i++) {
        bool *seen = calloc(counts[i], sizeof *seen);
        assert_non_null(seen);
        for (uint64_t index = 0; index < counts[i]; index++) {
            const uint64_t number = sdsim_permuted(42, counts[i], index);
            assert_true(number < counts[i]);
            assert_false(seen[number]);
            seen[number] = true;
        }
        free(seen);
    }
    /* A card's worth of sectors needs no table. */
    assert_true(sdsim_permuted(42, (uint64_t)1 << 32, 12345) < (uint64_t)1 << 32);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_random_is_of_the_seed),
        cmocka_unit_test(test_sequence),
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_regions_place_by_place),
        cmocka_unit_test(test_regions_move_on),
        cmocka_unit_test(test_regions),
        cmocka_unit_test(test_permutations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
