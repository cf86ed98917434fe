/* The arithmetic of a view: nothing drifts, labels are right, limits hold. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <string.h>

#include "core/rng.h"
#include "timeline/query.h"
#include "view/axis.h"
#include "view/markers.h"
#include "view/ruler.h"

/* Each pixel begins where the one before it ends, and an instant is in the pixel that begins last. */
static void pixels(void **state)
{
    (void)state;
    struct sdsim_rng rng;
    const uint64_t seed = 3;
    sdsim_rng_seed(&rng, seed);
    print_message("SDSIM_SEED=%llu\n", (unsigned long long)seed);
    for (int round = 0; round < 2000; round++) {
        const uint32_t width = 1 + (uint32_t)sdsim_rng_below(&rng, 4000);
        const sdsim_ps end = 1 + (sdsim_rng_next(&rng) >> sdsim_rng_below(&rng, 60));
        struct sdsim_axis axis = sdsim_axis_of(end, width);
        sdsim_axis_set(&axis, sdsim_rng_below(&rng, end),
                       sdsim_rng_below(&rng, end) + sdsim_rng_below(&rng, end));
        const int32_t x = (int32_t)sdsim_rng_below(&rng, width);
        const sdsim_ps from = sdsim_axis_time(&axis, x);
        const sdsim_ps to = sdsim_axis_time(&axis, x + 1);
        assert_true(to > from);
        assert_int_equal(sdsim_axis_pixel(&axis, from), x);
        assert_int_equal(sdsim_axis_pixel(&axis, to - 1), x);
        assert_int_equal(sdsim_axis_time(&axis, 0), axis.from);
        assert_int_equal(sdsim_axis_time(&axis, (int32_t)width), axis.from + axis.length);
        assert_int_equal(sdsim_axis_pixel(&axis, axis.from + axis.length), (int32_t)width);
        if (axis.from > 0) {
            assert_int_equal(sdsim_axis_pixel(&axis, axis.from - 1), -1);
        }
    }
}

/* In and out again, many times, at the same place: the very same view. */
static void zooming(void **state)
{
    (void)state;
    struct sdsim_axis axis = sdsim_axis_of(3600 * SDSIM_S, 1920);
    sdsim_axis_zoom(&axis, 8, 700); /* onto the ladder, away from the limits */
    const struct sdsim_axis before = axis;
    const sdsim_ps held = sdsim_axis_time(&axis, 700);
    for (int round = 0; round < 100; round++) {
        for (int i = 0; i < 60; i++) {
            sdsim_axis_zoom(&axis, 1, 700);
            assert_int_equal(sdsim_axis_time(&axis, 700), held);
        }
        assert_true(axis.length < before.length / 16384);
        for (int i = 0; i < 60; i++) {
            sdsim_axis_zoom(&axis, -1, 700);
            assert_int_equal(sdsim_axis_time(&axis, 700), held);
        }
        assert_memory_equal(&axis, &before, sizeof axis);
    }
    for (int i = 0; i < 1000; i++) {
        sdsim_axis_zoom(&axis, 1, 0);
    }
    assert_int_equal(axis.length, 1920); /* a picosecond a pixel */
    for (int i = 0; i < 1000; i++) {
        sdsim_axis_zoom(&axis, -1, 0);
    }
    assert_int_equal(axis.from, 0);
    assert_int_equal(axis.length, 3600 * SDSIM_S / 4 * 5);
}

/* A drag there and back, pixel by pixel, ends where it began. */
static void dragging(void **state)
{
    (void)state;
    struct sdsim_axis axis = sdsim_axis_of(1000 * SDSIM_S, 1000);
    sdsim_axis_set(&axis, 100 * SDSIM_S, 100 * SDSIM_S + 1234567);
    const struct sdsim_axis before = axis;
    const sdsim_ps grabbed = sdsim_axis_time(&axis, 500);
    for (int32_t x = 500; x > 13; x--) {
        sdsim_axis_anchor(&axis, grabbed, x);
        assert_int_equal(sdsim_axis_time(&axis, x), grabbed);
    }
    for (int32_t x = 13; x <= 500; x++) {
        sdsim_axis_anchor(&axis, grabbed, x);
    }
    assert_memory_equal(&axis, &before, sizeof axis);
    sdsim_axis_pan(&axis, -10000000);
    assert_true(axis.from < before.from);
    sdsim_axis_set(&axis, 0, SDSIM_S);
    sdsim_axis_pan(&axis, -500);
    assert_int_equal(axis.from, 0);
    sdsim_axis_pan(&axis, INT32_MAX);
    assert_true(axis.from < axis.end && axis.from + axis.length > axis.end);
}

static void showing(void **state)
{
    (void)state;
    struct sdsim_axis axis = sdsim_axis_of(1000 * SDSIM_S, 1000);
    sdsim_axis_show(&axis, 500 * SDSIM_S, 501 * SDSIM_S);
    assert_in_range(sdsim_axis_pixel(&axis, 500 * SDSIM_S), 60, 110);
    assert_in_range(sdsim_axis_pixel(&axis, 501 * SDSIM_S), 890, 940);
    sdsim_axis_show(&axis, 7, 7); /* no length at all */
    assert_in_range(sdsim_axis_pixel(&axis, 7), 0, 999);
    sdsim_axis_set(&axis, 10 * SDSIM_S, 20 * SDSIM_S);
    const struct sdsim_axis before = axis;
    sdsim_axis_reach(&axis, 12 * SDSIM_S, 13 * SDSIM_S);
    assert_memory_equal(&axis, &before, sizeof axis);
    sdsim_axis_reach(&axis, 52 * SDSIM_S, 53 * SDSIM_S);
    assert_int_equal(axis.length, before.length);
    assert_in_range(sdsim_axis_pixel(&axis, 52 * SDSIM_S), 400, 500);
    sdsim_axis_reach(&axis, 100 * SDSIM_S, 400 * SDSIM_S); /* longer than the view: its beginning */
    assert_in_range(sdsim_axis_pixel(&axis, 100 * SDSIM_S), 0, 200);
    /* An empty run has a view, too. */
    struct sdsim_axis empty = sdsim_axis_of(0, 0);
    assert_int_equal(empty.width, 1);
    sdsim_axis_zoom(&empty, 5, 0);
    assert_true(empty.length >= 1);
}

static void times(void **state)
{
    (void)state;
    static const struct {
        sdsim_ps time;
        const char *text;
    } rows[] = {
        {0, "0s"},
        {1, "1ps"},
        {999, "999ps"},
        {1000, "1ns"},
        {1250000000, "1.25ms"},
        {12345678901234, "12.345678901234s"},
        {SDSIM_S, "1s"},
        {SDSIM_S + 1, "1.000000000001s"},
        {UINT64_MAX, "18446744.073709551615s"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[48];
        assert_string_equal(sdsim_time_print(rows[i].time, text, sizeof text), rows[i].text);
    }
}

static void rulers(void **state)
{
    (void)state;
    static const struct {
        sdsim_ps from;
        sdsim_ps to;
        sdsim_ps step;
        const char *base;
        const char *first; /* label that is there */
    } rows[] = {
        {0, 10 * SDSIM_S, SDSIM_S, "", "3s"},
        {0, 20 * SDSIM_MS, 2 * SDSIM_MS, "", "14ms"},
        {12 * SDSIM_S + 345 * SDSIM_MS, 12 * SDSIM_S + 355 * SDSIM_MS, SDSIM_MS, "12s", "+350ms"},
        {5 * SDSIM_S + 123456 * SDSIM_NS, 5 * SDSIM_S + 123656 * SDSIM_NS, 20 * SDSIM_NS,
         "5.000123s", "+460ns"},
        {0, 1000, 100, "", "500ps"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        static struct sdsim_ruler ruler;
        struct sdsim_axis axis = sdsim_axis_of(100 * SDSIM_S, 1000);
        sdsim_axis_set(&axis, rows[i].from, rows[i].to);
        sdsim_ruler_make(&axis, 90, &ruler);
        assert_int_equal(ruler.step, rows[i].step);
        assert_string_equal(ruler.base_label, rows[i].base);
        bool there = false;
        int32_t last = -100;
        for (uint32_t k = 0; k < ruler.count; k++) {
            const struct sdsim_tick *tick = &ruler.ticks[k];
            assert_int_equal(sdsim_axis_pixel(&axis, tick->at), tick->x);
            assert_int_equal(tick->major, tick->label[0] != '\0');
            if (tick->major) {
                assert_true(tick->x - last >= 90 || last < 0);
                last = tick->x;
                there = there || strcmp(tick->label, rows[i].first) == 0;
            }
        }
        if (!there) {
            fail_msg("row %zu: no label %s", i, rows[i].first);
        }
    }
}

static void markers(void **state)
{
    (void)state;
    static struct sdsim_markers markers;
    assert_null(sdsim_markers_next(&markers, 0));
    assert_true(sdsim_markers_set(&markers, 50, "b"));
    assert_true(sdsim_markers_set(&markers, 10, "a"));
    assert_true(sdsim_markers_set(&markers, 90, "c"));
    assert_true(sdsim_markers_set(&markers, 50, "B"));
    assert_int_equal(markers.count, 3);
    assert_string_equal(sdsim_markers_next(&markers, 10)->label, "B");
    assert_string_equal(sdsim_markers_previous(&markers, 90)->label, "B");
    assert_null(sdsim_markers_previous(&markers, 10));
    assert_null(sdsim_markers_next(&markers, 90));
    assert_true(sdsim_markers_remove(&markers, 50));
    assert_false(sdsim_markers_remove(&markers, 50));
    assert_string_equal(sdsim_markers_next(&markers, 10)->label, "c");
    for (uint32_t i = 0; i < SDSIM_MARKERS_MOST - 2; i++) {
        assert_true(sdsim_markers_set(&markers, 1000 + i, "x"));
    }
    assert_false(sdsim_markers_set(&markers, 5, "x"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pixels),  cmocka_unit_test(zooming), cmocka_unit_test(dragging),
        cmocka_unit_test(showing), cmocka_unit_test(times),   cmocka_unit_test(rulers),
        cmocka_unit_test(markers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
