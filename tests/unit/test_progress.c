/*
 * How many bytes were moved until when: against the sum over all calls, one by one, for calls at random, in
 * windows at random. Where nodes of the pyramid are taken instead of calls, the sums at their borders are
 * still exact, so it is off by no more than one node's bytes.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "core/rng.h"
#include "timeline/query.h"
#include "timeline/timeline.h"

enum { WIDTH = 120 };

struct call {
    sdsim_ps start;
    sdsim_ps end;
    double bytes;
};

static void record(struct sdsim_timeline *timeline, struct call *calls, size_t count, uint64_t seed)
{
    struct sdsim_rng rng;
    sdsim_ps now = 0;
    const char *why;
    sdsim_rng_seed(&rng, seed);
    sdsim_timeline_init(timeline);
    for (size_t i = 0; i < count; i++) {
        const bool moves = sdsim_rng_below(&rng, 4) > 0;
        const uint32_t size = (uint32_t)(1 + sdsim_rng_below(&rng, 5000));
        const struct sdsim_detail detail = {
            .kind = SDSIM_DETAIL_CALL, .place = i, .size = size, .name = "/A"};
        now += sdsim_rng_below(&rng, 3 * SDSIM_US);
        const sdsim_ps duration = 1 + sdsim_rng_below(&rng, 9 * SDSIM_US);
        const struct sdsim_span span = {
            .start = now,
            .duration = duration,
            .count = 1,
            .lane = SDSIM_LANE_TASK,
            .part = moves ? SDSIM_CALL_WRITE : SDSIM_CALL_SEEK,
            .detail = timeline->recorder.detail(&timeline->recorder, &detail),
        };
        timeline->recorder.span(&timeline->recorder, &span);
        calls[i] =
            (struct call){.start = now, .end = now + duration, .bytes = moves ? (double)size : 0};
        now += duration;
    }
    assert_true(sdsim_timeline_finish(timeline, &why));
}

static double until(const struct call *calls, size_t count, sdsim_ps at)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        if (calls[i].end <= at) {
            sum += calls[i].bytes;
        } else if (calls[i].start < at) {
            sum += calls[i].bytes * (double)(at - calls[i].start) /
                   (double)(calls[i].end - calls[i].start);
        }
    }
    return sum;
}

static void check(size_t count, unsigned windows, double slack, uint64_t seed)
{
    struct sdsim_timeline timeline;
    struct sdsim_rng rng;
    double values[WIDTH + 1];
    struct call *calls = malloc(count * sizeof *calls);
    assert_non_null(calls);
    record(&timeline, calls, count, seed);
    sdsim_rng_seed(&rng, seed + 1);
    for (unsigned w = 0; w < windows; w++) {
        const sdsim_ps length = (timeline.end >> sdsim_rng_below(&rng, 6)) + 1;
        const sdsim_ps from = w == 0 ? 0 : sdsim_rng_below(&rng, timeline.end);
        const sdsim_ps to = from + (w == 0 ? timeline.end : length);
        sdsim_lane_progress(&timeline.lanes[SDSIM_LANE_TASK], from, to, WIDTH, values);
        for (uint32_t c = 0; c <= WIDTH; c += 7) {
            const sdsim_ps at = c < WIDTH ? sdsim_column_start(from, to, WIDTH, c) : to;
            const double expected = until(calls, count, at);
            if (fabs(values[c] - expected) > slack) {
                fail_msg("seed %" PRIu64 ", %zu calls: %f bytes by %" PRIu64 " ps, not %f", seed,
                         count, values[c], at, expected);
            }
        }
        for (uint32_t c = 1; c <= WIDTH; c++) {
            assert_true(values[c] >= values[c - 1]);
        }
    }
    sdsim_timeline_free(&timeline);
    free(calls);
}

static void exact(void **state)
{
    (void)state;
    check(1, 20, 1e-6, 1);
    check(17, 50, 1e-6, 2);
    check(300, 50, 1e-6, 3);
    check(470, 50, 1e-3, 4);
}

static void by_nodes(void **state)
{
    (void)state;
    check(1700, 50, 256 * 5000.0, 6);
    check(40000, 12, 256 * 5000.0, 5);
}

static void nothing(void **state)
{
    (void)state;
    struct sdsim_timeline timeline;
    double values[WIDTH + 1];
    const char *why;
    sdsim_timeline_init(&timeline);
    assert_true(sdsim_timeline_finish(&timeline, &why));
    sdsim_lane_progress(&timeline.lanes[SDSIM_LANE_TASK], 0, 100, WIDTH, values);
    assert_true(values[0] == 0 && values[WIDTH] == 0);
    sdsim_timeline_free(&timeline);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact),
        cmocka_unit_test(by_nodes),
        cmocka_unit_test(nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
