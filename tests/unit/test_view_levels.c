/*
 * Levels of a queue as bars: those of one with a capacity against it, those of one without limit against
 * the highest, which is seen at every zoom.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "core/queue_lane.h"
#include "view/levels.h"

enum { WIDTH = 100, CHANGES = 50000 };

/* Levels of 0 to 99, each for a microsecond, and one of 800 in the middle. */
static void record(struct sdsim_timeline *timeline, uint64_t capacity)
{
    struct sdsim_queue_lane lane;
    const struct sdsim_meter meter = {.recorder = &timeline->recorder};
    const char *why;
    sdsim_timeline_init(timeline);
    sdsim_queue_lane_init(&lane, &meter, 0, capacity, "buffers");
    for (uint64_t i = 0; i < CHANGES; i++) {
        sdsim_queue_lane_level(&lane, i * SDSIM_US, i == CHANGES / 2 ? 800 : 1 + i * 37 % 99);
    }
    sdsim_queue_lane_end(&lane, CHANGES * SDSIM_US);
    assert_true(sdsim_timeline_finish(timeline, &why));
}

static void bars(void **state)
{
    (void)state;
    static const struct {
        uint64_t capacity;
        uint64_t from; /* us */
        uint64_t to;
        uint64_t top;
        int32_t highest; /* of the bars, and of those in the first half */
        int32_t before;
    } rows[] = {
        {0, 0, CHANGES, 800, 1000, 123},                           /* 99 of 800 */
        {0, CHANGES / 2 - 40, CHANGES / 2 + 40, 800, 1000, 122},   /* a span a column */
        {1600, 0, CHANGES, 1600, 500, 0},                          /* to the tenth */
        {1600, CHANGES / 2 - 40, CHANGES / 2 + 40, 1600, 500, 61}, /* exactly: 98 of 1600 */
        {400, 0, CHANGES, 400, 1000, 200},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct sdsim_timeline timeline;
        struct sdsim_column columns[WIDTH];
        int32_t levels[WIDTH];
        int32_t highest = 0;
        int32_t before = 0;
        record(&timeline, rows[i].capacity);
        const struct sdsim_level_scale scale = sdsim_level_scale(&timeline);
        assert_int_equal(scale.top, rows[i].top);
        assert_int_equal(scale.limited, rows[i].capacity > 0);
        assert_string_equal(scale.unit, "buffers");
        sdsim_lane_columns(&timeline.lanes[SDSIM_LANE_QUEUE], rows[i].from * SDSIM_US,
                           rows[i].to * SDSIM_US, WIDTH, columns);
        sdsim_levels(&timeline, &scale, columns, WIDTH, levels);
        for (int32_t c = 0; c < WIDTH; c++) {
            highest = levels[c] > highest ? levels[c] : highest;
            before = c < WIDTH / 2 - 2 && levels[c] > before ? levels[c] : before;
        }
        if (highest != rows[i].highest || before != rows[i].before) {
            fail_msg("row %zu: %d, before it %d", i, (int)highest, (int)before);
        }
        sdsim_timeline_free(&timeline);
    }
}

static void nothing(void **state)
{
    (void)state;
    struct sdsim_timeline timeline;
    const struct sdsim_column column = {.class = 0};
    int32_t level = 7;
    sdsim_timeline_init(&timeline);
    const struct sdsim_level_scale scale = sdsim_level_scale(&timeline);
    assert_int_equal(scale.top, 0);
    sdsim_levels(&timeline, &scale, &column, 1, &level);
    assert_int_equal(level, -1);
    sdsim_timeline_free(&timeline);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(bars), cmocka_unit_test(nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
