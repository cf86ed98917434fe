/*
 * What a recorder hears of a stream's queue: its level without a gap from the first wait to the last
 * unit, never above what the run says was the highest, and once as high.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "setup/simulate.h"
#include "timeline/timeline.h"

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

struct levels {
    uint64_t spans;
    uint64_t highest;
    sdsim_ps begun;
    sdsim_ps end; /* of the last span */
    uint8_t most_tenths;
};

/* Reads the lane of the queue, as the viewer does. */
static struct levels levels_in(struct sdsim_timeline *timeline, uint64_t capacity)
{
    struct sdsim_store *store = &timeline->lanes[SDSIM_LANE_QUEUE];
    struct levels levels = {.spans = 0};
    for (uint64_t i = 0; i < store->count; i++) {
        struct sdsim_span span;
        assert_true(sdsim_store_span(store, i, &span));
        const struct sdsim_detail detail = sdsim_details_get(&timeline->details, span.detail);
        assert_int_equal(detail.kind, SDSIM_DETAIL_LEVEL);
        assert_int_equal(detail.size, capacity);
        assert_string_equal(detail.name, "bytes");
        if (i == 0) {
            levels.begun = span.start;
        } else {
            assert_int_equal(span.start, levels.end);
        }
        assert_true(span.duration > 0);
        levels.spans += span.count;
        levels.end = sdsim_span_end(&span);
        levels.highest = detail.place > levels.highest ? detail.place : levels.highest;
        levels.most_tenths = span.part > levels.most_tenths ? span.part : levels.most_tenths;
    }
    return levels;
}

static void levels_without_gaps(void **state)
{
    (void)state;
    static const struct {
        const char *overrides[6];
        uint64_t capacity; /* 0: without limit */
        uint8_t tenths;    /* at the highest level */
    } rows[] = {
        {{"workload.duration=50s", NULL}, 0, 0},
        {{"workload.duration=50s", "workload.ram=48KiB", NULL}, 49152, 4},
        {{"workload.duration=50s", "workload.ram=16KiB", NULL}, 16384, 10},
        {{"workload.duration=50s", "workload.queue=ping-pong", "workload.ram=32KiB", NULL},
         32768,
         10},
        {{"workload.duration=50s", "workload.queue=items", "workload.item=64B",
          "workload.ram=32KiB", NULL},
         32768,
         6},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct sdsim_config *config = sdsim_config_create(".");
        struct sdsim_diags diags;
        struct sdsim_setup setup;
        struct sdsim_outcome_report report;
        struct sdsim_timeline timeline;
        const char *why = "";
        sdsim_timeline_init(&timeline);
        sdsim_diags_init(&diags);
        const struct sdsim_scenario *scenario = sdsim_scenario_load(
            config, "scenarios/log-pause-200ms.yaml", rows[i].overrides, &diags);
        assert_non_null(scenario);
        assert_true(sdsim_setup_bind(config, &scenario->runs[0], 0, &setup, &diags));
        sdsim_simulate(&setup, &timeline.recorder, &report);
        assert_string_equal(report.error, "");
        if (!sdsim_timeline_finish(&timeline, &why)) {
            fail_msg("row %zu: %s", i, why);
        }
        const struct sdsim_stream_result *stream = &report.workload.stream;
        const struct levels levels = levels_in(&timeline, rows[i].capacity);
        assert_true(levels.spans > 500);
        assert_int_equal(levels.begun, report.workload.started);
        assert_int_equal(levels.end, report.workload.started + stream->ended);
        assert_int_equal(levels.highest, stream->highest);
        assert_int_equal(levels.most_tenths, rows[i].tenths);
        sdsim_timeline_free(&timeline);
        sdsim_diags_free(&diags);
        sdsim_config_destroy(config);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(levels_without_gaps)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
