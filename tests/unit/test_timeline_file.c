/*
 * Timeline files that are cut off anywhere open up to the cut; damaged ones are refused with the place
 * of the damage, and nothing crashes.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "scratch.h"
#include "timeline/query.h"
#include "timeline/read.h"
#include "timeline/write.h"
#include "timeline_random.h"

/* A file of a timeline with two lanes: one of many blocks, one that fills slowly. */
struct sample {
    char *bytes;
    size_t size;
    struct sdsim_test_spans bus;
    uint64_t tasks;
};

static const struct sdsim_test_shape bus = {SDSIM_LANE_BUS, 620000, SDSIM_US, 30, 0, 0};

static struct sample make_sample(void)
{
    struct sample sample = {.bytes = NULL};
    struct sdsim_timeline timeline;
    struct sdsim_rng rng;
    char why[200];
    sdsim_rng_seed(&rng, 7);
    sdsim_timeline_init(&timeline);
    assert_true(sdsim_timeline_add_text(&timeline, "scenario", "x.yaml", 6));
    FILE *file = open_memstream(&sample.bytes, &sample.size);
    assert_non_null(file);
    struct sdsim_timeline_writer *writer =
        sdsim_timeline_writer_open(file, &timeline, why, sizeof why);
    assert_non_null(writer);
    for (int i = 0; i < 100; i++) {
        const struct sdsim_span span = {.start = (sdsim_ps)i * SDSIM_MS,
                                        .duration = (sdsim_ps)(i + 1) * SDSIM_US,
                                        .count = 1,
                                        .lane = SDSIM_LANE_TASK,
                                        .part = SDSIM_CALL_WRITE};
        timeline.recorder.span(&timeline.recorder, &span);
        sample.tasks++;
    }
    sample.bus = sdsim_test_fill_timeline(&timeline, &bus, &rng);
    assert_true(sdsim_timeline_writer_close(writer, why, sizeof why));
    sdsim_timeline_free(&timeline);
    fclose(file);
    return sample;
}

static void free_sample(struct sample *sample)
{
    free(sample->bytes);
    free(sample->bus.items);
}

/* Opens bytes as a file. */
static struct sdsim_timeline_reader *open_bytes(const char *bytes, size_t size,
                                                struct sdsim_timeline *timeline,
                                                struct sdsim_diags *diags)
{
    const char *path = sdsim_test_path("run.sdtl");
    (void)unlink(path); /* the file of a reader that is still open stays as it is */
    sdsim_test_write_file(path, bytes, size);
    sdsim_timeline_init(timeline);
    return sdsim_timeline_open(path, timeline, diags);
}

/* All spans of the bus that are there are those that were recorded. Returns how many. */
static uint64_t check_bus(const struct sample *sample, struct sdsim_timeline *timeline)
{
    struct sdsim_store *store = &timeline->lanes[SDSIM_LANE_BUS];
    uint64_t k = 0;
    for (uint64_t i = 0; i < store->count; i++) {
        struct sdsim_span span;
        assert_true(sdsim_store_span(store, i, &span));
        for (uint64_t n = 0; n < span.count; n++, k++) {
            const struct sdsim_span *item = &sample->bus.items[k];
            if (span.start + n * span.period != item->start || span.duration != item->duration ||
                span.detail != item->detail) {
                fail_msg("span %llu is not the one that was recorded", (unsigned long long)k);
            }
        }
    }
    return k;
}

static void cut_files(void **state)
{
    (void)state;
    struct sample sample = make_sample();
    uint64_t last = 0;
    bool slow_lane_seen = false;
    for (size_t parts = 0; parts <= 20; parts++) {
        struct sdsim_timeline timeline;
        struct sdsim_diags diags;
        const size_t size = 16 + (sample.size - 17 - 16) * parts / 20 + (parts == 20 ? 16 : 0);
        sdsim_diags_init(&diags);
        struct sdsim_timeline_reader *reader = open_bytes(sample.bytes, size, &timeline, &diags);
        if (reader == NULL) {
            fail_msg("cut after %zu of %zu bytes: %s", size, sample.size, diags.items[0].text);
        }
        assert_true(sdsim_timeline_reader_was_cut(reader));
        assert_int_equal(diags.warnings, 1);
        const uint64_t there = check_bus(&sample, &timeline);
        assert_true(there >= last);
        last = there;
        slow_lane_seen = slow_lane_seen || (there < sample.bus.count &&
                                            timeline.lanes[SDSIM_LANE_TASK].count == sample.tasks);
        struct sdsim_column columns[100];
        sdsim_lane_columns(&timeline.lanes[SDSIM_LANE_BUS], 0, timeline.end + 1, 100, columns);
        assert_true(there == 0 || columns[0].class != SDSIM_NO_CLASS);
        sdsim_timeline_reader_close(reader);
        sdsim_timeline_free(&timeline);
        sdsim_diags_free(&diags);
    }
    assert_int_equal(last, sample.bus.count); /* only the index was cut off */
    assert_true(slow_lane_seen);
    free_sample(&sample);
}

static void damaged_files(void **state)
{
    (void)state;
    struct sample sample = make_sample();
    struct sdsim_rng rng;
    sdsim_rng_seed(&rng, 11);
    char *copy = malloc(sample.size);
    assert_non_null(copy);
    size_t refused = 0;
    size_t later = 0;
    for (int round = 0; round < 200; round++) {
        struct sdsim_timeline timeline;
        struct sdsim_diags diags;
        /* Half of them near the ends, where heads, index and tail are. */
        const size_t near = sample.size < 4000 ? sample.size : 4000;
        const size_t at = round % 4 == 0   ? (size_t)sdsim_rng_below(&rng, near)
                          : round % 4 == 1 ? sample.size - 1 - (size_t)sdsim_rng_below(&rng, near)
                                           : (size_t)sdsim_rng_below(&rng, sample.size);
        const char bit = (char)(1 << sdsim_rng_below(&rng, 8));
        memcpy(copy, sample.bytes, sample.size);
        copy[at] = (char)(copy[at] ^ bit);
        sdsim_diags_init(&diags);
        struct sdsim_timeline_reader *reader = open_bytes(copy, sample.size, &timeline, &diags);
        if (reader == NULL) {
            refused++;
            assert_int_equal(diags.errors, 1);
            assert_non_null(strstr(diags.items[0].text, "offset "));
        } else {
            for (int lane = 0; lane < SDSIM_LANE_COUNT; lane++) {
                struct sdsim_span span;
                for (uint64_t i = 0; i < timeline.lanes[lane].count; i += 1000) {
                    sdsim_store_span(&timeline.lanes[lane], i, &span);
                }
            }
            const char *fault = sdsim_timeline_reader_fault(reader);
            later += fault != NULL ? 1 : 0;
            if (fault == NULL && !sdsim_timeline_reader_was_cut(reader)) {
                /* A flipped bit that nobody sees must be one nobody reads: of a block that a later
                 * one replaced. */
                assert_int_equal(check_bus(&sample, &timeline), sample.bus.count);
            }
        }
        sdsim_timeline_reader_close(reader);
        sdsim_timeline_free(&timeline);
        sdsim_diags_free(&diags);
    }
    free(copy);
    assert_true(refused > 40);
    assert_true(later > 40);
    free_sample(&sample);
}

static void no_timelines(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        size_t size;
        const char *says;
    } rows[] = {
        {"", 0, "offset 0: the file ends before"},
        {"sdsimTL", 7, "offset 7: the file ends before"},
        {"kind: scenario\nand more\n", 24, "no timeline"},
        {"sdsimTL\n\1\0\0\0\0\0\0\0", 16, "version"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct sdsim_timeline timeline;
        struct sdsim_diags diags;
        sdsim_diags_init(&diags);
        assert_null(open_bytes(rows[i].bytes, rows[i].size, &timeline, &diags));
        assert_non_null(strstr(diags.items[0].text, rows[i].says));
        sdsim_timeline_free(&timeline);
        sdsim_diags_free(&diags);
    }
    struct sdsim_timeline timeline;
    struct sdsim_diags diags;
    sdsim_diags_init(&diags);
    sdsim_timeline_init(&timeline);
    assert_null(sdsim_timeline_open("/nowhere/x.sdtl", &timeline, &diags));
    assert_int_equal(diags.errors, 1);
    sdsim_diags_free(&diags);
    sdsim_timeline_free(&timeline);
}

/* What doesn't fit into 16 bytes: long spans, runs, far starts. */
static void rare_spans(void **state)
{
    (void)state;
    static const struct sdsim_span spans[] = {
        {.start = 5, .duration = 7, .count = 1},
        {.start = 100, .duration = 10, .period = 15, .count = 1000000},
        {.start = 20 * SDSIM_S, .duration = SDSIM_S * 86400, .count = 1},
        {.start = SDSIM_S * 86400 * 100, .duration = 3, .count = 1},
        {.start = SDSIM_S * 86400 * 200, .duration = SDSIM_S, .count = 1},
    };
    struct sdsim_timeline timeline;
    const char *why;
    sdsim_timeline_init(&timeline);
    for (size_t i = 0; i < sizeof spans / sizeof *spans; i++) {
        timeline.recorder.span(&timeline.recorder, &spans[i]);
    }
    assert_true(sdsim_timeline_finish(&timeline, &why));
    size_t found = 0;
    for (uint64_t i = 0; i < timeline.lanes[0].count; i++) {
        struct sdsim_span span;
        if (sdsim_store_span(&timeline.lanes[0], i, &span)) {
            assert_memory_equal(&span, &spans[found], sizeof span);
            found++;
        }
    }
    assert_int_equal(found, sizeof spans / sizeof *spans);
    struct sdsim_range range;
    sdsim_lane_range(&timeline.lanes[0], 0, 100 + 15 * 10 + 4, &range);
    assert_int_equal(range.count[0], 1 + 11);
    assert_int_equal(range.busy, 7 + 10 * 10 + 4);
    sdsim_timeline_free(&timeline);
}

/* Equal spans in a row take no memory. */
static void equal_spans(void **state)
{
    (void)state;
    struct sdsim_timeline timeline;
    const char *why;
    sdsim_timeline_init(&timeline);
    for (uint64_t i = 0; i < 1000000; i++) {
        const struct sdsim_span span = {.start = i * 1000,
                                        .duration = 400,
                                        .count = 1,
                                        .lane = SDSIM_LANE_BUS,
                                        .kind = SDSIM_POLL};
        timeline.recorder.span(&timeline.recorder, &span);
    }
    assert_true(sdsim_timeline_finish(&timeline, &why));
    assert_int_equal(timeline.lanes[SDSIM_LANE_BUS].count, 1);
    struct sdsim_span span;
    assert_true(sdsim_store_span(&timeline.lanes[SDSIM_LANE_BUS], 0, &span));
    assert_int_equal(span.count, 1000000);
    assert_int_equal(span.period, 1000);
    assert_true(sdsim_timeline_memory(&timeline) < 10000);
    sdsim_timeline_free(&timeline);
}

static void out_of_order(void **state)
{
    (void)state;
    struct sdsim_timeline timeline;
    const char *why = NULL;
    sdsim_timeline_init(&timeline);
    const struct sdsim_span late = {.start = 10, .duration = 1, .count = 1};
    const struct sdsim_span early = {.start = 5, .duration = 1, .count = 1};
    timeline.recorder.span(&timeline.recorder, &late);
    timeline.recorder.span(&timeline.recorder, &early);
    assert_false(sdsim_timeline_finish(&timeline, &why));
    assert_non_null(strstr(why, "order"));
    sdsim_timeline_free(&timeline);
}

/* A pause of 1 ms in an hour of short spans is seen in a picture of all of it. */
static void short_pause_in_an_hour(void **state)
{
    (void)state;
    struct sdsim_timeline timeline;
    const char *why;
    const uint64_t spans = 2000000;
    const sdsim_ps step = 3600 * SDSIM_S / spans;
    sdsim_timeline_init(&timeline);
    for (uint64_t i = 0; i < spans; i++) {
        const bool pause = i == 1234567;
        const struct sdsim_span span = {.start = i * step,
                                        .duration = pause ? SDSIM_MS : SDSIM_US * (1 + i % 7),
                                        .count = 1,
                                        .lane = SDSIM_LANE_CARD,
                                        .kind = pause ? SDSIM_PAUSE : SDSIM_BUSY};
        timeline.recorder.span(&timeline.recorder, &span);
    }
    assert_true(sdsim_timeline_finish(&timeline, &why));
    struct sdsim_column columns[1280];
    sdsim_lane_columns(&timeline.lanes[SDSIM_LANE_CARD], 0, 3600 * SDSIM_S, 1280, columns);
    unsigned paused = 0;
    for (unsigned c = 0; c < 1280; c++) {
        if (columns[c].class == SDSIM_PAUSE) {
            assert_in_range(c, 1234567 * 1280 / spans - 1, 1234567 * 1280 / spans + 1);
            paused++;
        }
    }
    assert_in_range(paused, 1, 2);
    sdsim_timeline_free(&timeline);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cut_files),
        cmocka_unit_test(damaged_files),
        cmocka_unit_test(no_timelines),
        cmocka_unit_test(rare_spans),
        cmocka_unit_test(equal_spans),
        cmocka_unit_test(out_of_order),
        cmocka_unit_test(short_pause_in_an_hour),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
