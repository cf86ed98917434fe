#include "timeline_random.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdlib.h>

uint64_t sdsim_test_size(struct sdsim_rng *rng, uint64_t most)
{
    unsigned bits = 0;
    while (bits < 63 && most >> bits > 0) {
        bits++;
    }
    const uint64_t limit = (uint64_t)1 << sdsim_rng_below(rng, bits + 1);
    return sdsim_rng_below(rng, limit < most ? limit : most + 1);
}

static struct sdsim_span random_span(const struct sdsim_test_shape *shape, struct sdsim_rng *rng,
                                     uint32_t details)
{
    const struct sdsim_lane_info *info = sdsim_lane_info(shape->lane);
    struct sdsim_span span = {.count = 1, .lane = (uint8_t)shape->lane};
    span.duration = sdsim_test_size(rng, shape->longest);
    span.kind = (uint8_t)sdsim_rng_below(rng, SDSIM_KIND_COUNT);
    if (span.kind == SDSIM_PAUSE && sdsim_rng_below(rng, 50) != 0) {
        span.kind = SDSIM_PAYLOAD; /* rare things are what pictures must not lose */
    }
    span.purpose = (uint8_t)sdsim_rng_below(rng, SDSIM_PURPOSE_COUNT);
    const unsigned parts = info->by == SDSIM_BY_PART ? info->classes : 7;
    span.part = (uint8_t)sdsim_rng_below(rng, parts);
    span.detail = (uint32_t)sdsim_rng_below(rng, details + 1);
    return span;
}

struct sdsim_test_spans sdsim_test_fill_timeline(struct sdsim_timeline *timeline,
                                                 const struct sdsim_test_shape *shape,
                                                 struct sdsim_rng *rng)
{
    struct sdsim_test_spans spans = {
        .items = calloc(shape->count > 0 ? shape->count : 1, sizeof *spans.items)};
    assert_non_null(spans.items);
    uint32_t details = 0;
    for (int i = 0; i < 20; i++) {
        const struct sdsim_detail detail = {
            .kind = SDSIM_DETAIL_CALL,
            .place = sdsim_rng_next(rng),
            .size = (uint32_t)sdsim_rng_below(rng, 100000),
            .name = i % 2 == 0 ? "/DATA.BIN" : "/LOG.TXT",
        };
        const uint32_t number = timeline->recorder.detail(&timeline->recorder, &detail);
        details = number > details ? number : details;
    }
    sdsim_ps now = sdsim_test_size(rng, shape->longest);
    while (spans.count < shape->count) {
        if (sdsim_rng_below(rng, 100) < shape->gaps) {
            const bool far = sdsim_rng_below(rng, 10000) < shape->far;
            now += far ? SDSIM_S * 3600 * (1 + sdsim_rng_below(rng, 9))
                       : sdsim_test_size(rng, shape->longest);
        }
        struct sdsim_span span = random_span(shape, rng, details);
        uint64_t repeats = 1;
        sdsim_ps period = span.duration;
        if (sdsim_rng_below(rng, 100) < shape->runs) {
            repeats = 1 + sdsim_rng_below(rng, 40);
            period += sdsim_test_size(rng, span.duration);
        }
        for (uint64_t i = 0; i < repeats && spans.count < shape->count; i++) {
            span.start = now;
            spans.items[spans.count++] = span;
            timeline->recorder.span(&timeline->recorder, &span);
            now += period;
        }
    }
    return spans;
}
