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

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

struct listener {
    struct sdsim_recorder base;
    uint64_t spans;
    uint64_t highest;
    sdsim_ps end; /* of the last span; 0: there was none */
    sdsim_ps begun;
    uint8_t most_tenths;
};

static void hear(struct sdsim_recorder *recorder, const struct sdsim_span *span)
{
    struct listener *listener = (struct listener *)recorder;
    if (span->lane != SDSIM_LANE_QUEUE) {
        return;
    }
    if (listener->spans == 0) {
        listener->begun = span->start;
    } else {
        assert_int_equal(span->start, listener->end);
    }
    assert_true(span->duration > 0);
    assert_true(span->part <= 10);
    listener->spans++;
    listener->end = span->start + span->duration;
    listener->highest = span->detail > listener->highest ? span->detail : listener->highest;
    listener->most_tenths = span->part > listener->most_tenths ? span->part : listener->most_tenths;
}

static void levels_without_gaps(void **state)
{
    (void)state;
    static const struct {
        const char *overrides[6];
        uint8_t tenths; /* at the highest level */
    } rows[] = {
        {{"workload.duration=50s", NULL}, 0},
        {{"workload.duration=50s", "workload.ram=48KiB", NULL}, 4},
        {{"workload.duration=50s", "workload.ram=16KiB", NULL}, 10},
        {{"workload.duration=50s", "workload.queue=ping-pong", "workload.ram=32KiB", NULL}, 10},
        {{"workload.duration=50s", "workload.queue=items", "workload.item=64B",
          "workload.ram=32KiB", NULL},
         6},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct sdsim_config *config = sdsim_config_create(".");
        struct sdsim_diags diags;
        struct sdsim_setup setup;
        struct sdsim_outcome_report report;
        struct listener listener = {.base = {.span = hear}};
        sdsim_diags_init(&diags);
        const struct sdsim_scenario *scenario = sdsim_scenario_load(
            config, "scenarios/log-pause-200ms.yaml", rows[i].overrides, &diags);
        assert_non_null(scenario);
        assert_true(sdsim_setup_bind(config, &scenario->runs[0], 0, &setup, &diags));
        sdsim_simulate(&setup, &listener.base, &report);
        assert_string_equal(report.error, "");
        const struct sdsim_stream_result *stream = &report.workload.stream;
        assert_true(listener.spans > 500);
        assert_int_equal(listener.begun, report.workload.started);
        assert_int_equal(listener.end, report.workload.started + stream->ended);
        assert_int_equal(listener.highest, stream->highest);
        assert_int_equal(listener.most_tenths, rows[i].tenths);
        sdsim_diags_free(&diags);
        sdsim_config_destroy(config);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(levels_without_gaps)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
