/*
 * The lane of a queue: levels as spans, their tenths, and that nobody listening costs nothing.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "core/queue_lane.h"
#include "timeline/query.h"
#include "timeline/timeline.h"
#include "view/facts.h"

static void levels(void **state)
{
    (void)state;
    static const struct {
        sdsim_ps at;
        uint64_t level;
    } changes[] = {{100, 512},  {200, 1024}, {200, 4096}, {250, 4096},
                   {300, 8192}, {400, 9000}, {500, 0}};
    static const struct {
        sdsim_ps start;
        sdsim_ps duration;
        uint64_t level;
        unsigned tenths;
    } spans[] = {{50, 50, 0, 0},       {100, 100, 512, 0},   {200, 100, 4096, 5},
                 {300, 100, 8192, 10}, {400, 100, 9000, 10}, {500, 200, 0, 0}};
    struct sdsim_timeline timeline;
    struct sdsim_queue_lane lane;
    struct sdsim_facts facts;
    const char *why;
    sdsim_timeline_init(&timeline);
    const struct sdsim_meter meter = {.recorder = &timeline.recorder};
    sdsim_queue_lane_init(&lane, &meter, 50, 8192, "bytes");
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        sdsim_queue_lane_level(&lane, changes[i].at, changes[i].level);
    }
    sdsim_queue_lane_end(&lane, 700);
    assert_true(sdsim_timeline_finish(&timeline, &why));
    struct sdsim_store *store = &timeline.lanes[SDSIM_LANE_QUEUE];
    assert_int_equal(store->count, sizeof spans / sizeof *spans);
    for (size_t i = 0; i < store->count; i++) {
        struct sdsim_span span;
        assert_true(sdsim_store_span(store, i, &span));
        assert_int_equal(span.start, spans[i].start);
        assert_int_equal(span.duration, spans[i].duration);
        assert_int_equal(span.part, spans[i].tenths);
        const struct sdsim_detail detail = sdsim_details_get(&timeline.details, span.detail);
        assert_int_equal(detail.place, spans[i].level);
        assert_int_equal(detail.size, 8192);
        assert_string_equal(detail.name, "bytes");
    }
    assert_true(sdsim_facts_of(&timeline, SDSIM_LANE_QUEUE, 2, &facts));
    assert_string_equal(sdsim_fact(&facts, "level"), "4096 of 8192 bytes");
    assert_string_equal(sdsim_fact(&facts, "full to"), "50.0%");
    sdsim_timeline_free(&timeline);
}

/* Who listens only from some instant on hears the level that was there by then. */
static void heard_late(void **state)
{
    (void)state;
    struct sdsim_timeline timeline;
    struct sdsim_queue_lane lane;
    struct sdsim_meter meter = {.recorder = NULL};
    struct sdsim_span span;
    const char *why;
    sdsim_timeline_init(&timeline);
    sdsim_queue_lane_init(&lane, &meter, 0, 0, "bytes");
    sdsim_queue_lane_level(&lane, 5, 7);
    sdsim_queue_lane_level(&lane, 9, 70000);
    meter.recorder = &timeline.recorder;
    sdsim_queue_lane_level(&lane, 12, 0);
    assert_true(sdsim_timeline_finish(&timeline, &why));
    assert_int_equal(timeline.lanes[SDSIM_LANE_QUEUE].count, 1);
    assert_true(sdsim_store_span(&timeline.lanes[SDSIM_LANE_QUEUE], 0, &span));
    assert_int_equal(span.start, 9);
    assert_int_equal(span.duration, 3);
    assert_int_equal(span.part, 0);
    struct sdsim_facts facts;
    assert_true(sdsim_facts_of(&timeline, SDSIM_LANE_QUEUE, 0, &facts));
    assert_string_equal(sdsim_fact(&facts, "level"), "70000 bytes");
    assert_null(sdsim_fact(&facts, "full to"));
    sdsim_timeline_free(&timeline);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(levels), cmocka_unit_test(heard_late)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
