/*
 * A pause of 1 ms somewhere in an hour of logging, a million spans: it is seen in the picture of all of it,
 * however few columns that has, in its lane and in the whole run; going to it lands on it; and the list of
 * the longest begins with it. In memory and from a file.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scratch.h"
#include "timeline/find.h"
#include "timeline/query.h"
#include "timeline/read.h"
#include "timeline/write.h"
#include "view/explore.h"
#include "view/rows.h"

static const sdsim_ps hour = 3600 * SDSIM_S;
/* No round number, and not at the border of a block of spans. */
static const sdsim_ps at = 2111 * SDSIM_S + 123456789;

static void add(struct sdsim_timeline *timeline, enum sdsim_lane lane, sdsim_ps start,
                sdsim_ps duration, enum sdsim_kind kind, unsigned part)
{
    const struct sdsim_span span = {.start = start,
                                    .duration = duration,
                                    .count = 1,
                                    .lane = (uint8_t)lane,
                                    .kind = (uint8_t)kind,
                                    .part = (uint8_t)part};
    timeline->recorder.span(&timeline->recorder, &span);
}

/* A write every 20 ms: data, and 300 to 900 us of busy; one of them a pause of 1 ms. */
static void record(struct sdsim_timeline *timeline)
{
    uint32_t luck = 1;
    bool paused = false;
    for (sdsim_ps t = 0; t < hour; t += 20 * SDSIM_MS) {
        luck = luck * 1664525u + 1013904223u;
        const sdsim_ps busy = 300 * SDSIM_US + luck % 600 * SDSIM_US;
        add(timeline, SDSIM_LANE_TASK, t, 4 * SDSIM_MS, SDSIM_HOST, SDSIM_CALL_WRITE);
        add(timeline, SDSIM_LANE_BUS, t, 200 * SDSIM_US, SDSIM_PAYLOAD, SDSIM_PART_DATA);
        add(timeline, SDSIM_LANE_CARD, t + 200 * SDSIM_US, busy, SDSIM_BUSY, 0);
        if (!paused && t + 20 * SDSIM_MS > at) {
            add(timeline, SDSIM_LANE_CARD, at > t + 2 * SDSIM_MS ? at : t + 2 * SDSIM_MS, SDSIM_MS,
                SDSIM_PAUSE, 0);
            paused = true;
        }
    }
}

static void check(struct sdsim_timeline *timeline, const char *where)
{
    static const uint32_t widths[] = {100, 801, 1920, 3840};
    struct sdsim_store *card = &timeline->lanes[SDSIM_LANE_CARD];
    struct sdsim_quest quest;
    struct sdsim_place_in place;
    struct sdsim_span span;
    struct sdsim_long_one longest[3];
    char why[100];
    assert_true(sdsim_quest_read(timeline, "pause", &quest, why, sizeof why));
    assert_true(sdsim_quest_next(timeline, &quest, 0, true, &place));
    assert_int_equal(place.lane, SDSIM_LANE_CARD);
    assert_true(sdsim_store_span(card, place.number, &span));
    assert_int_equal(span.duration, SDSIM_MS);
    assert_true(span.start >= at && span.start < at + 20 * SDSIM_MS);
    const sdsim_ps start = span.start;
    const uint64_t number = place.number;
    assert_false(sdsim_quest_next(timeline, &quest, start, false, &place));
    assert_true(sdsim_quest_previous(timeline, &quest, hour, &place));
    assert_int_equal(place.number, number);
    assert_int_equal(sdsim_quest_longest(timeline, &quest, 3, longest), 1);
    assert_int_equal(longest[0].place.number, number);
    sdsim_quest_free(&quest);
    for (size_t w = 0; w < sizeof widths / sizeof *widths; w++) {
        const struct sdsim_axis axis = sdsim_axis_of(timeline->end, widths[w]);
        struct sdsim_column *columns = malloc(widths[w] * sizeof *columns);
        uint64_t picked;
        sdsim_lane_columns(card, 0, timeline->end, widths[w], columns);
        const int32_t x = sdsim_axis_pixel(&axis, start);
        if (columns[x].class != SDSIM_PAUSE) {
            fail_msg("%s: the pause is not seen in %" PRIu32 " columns", where, widths[w]);
        }
        unsigned others = 0;
        for (uint32_t c = 0; c < widths[w]; c++) {
            others += columns[c].class == SDSIM_PAUSE;
        }
        assert_true(others >= 1 && others <= 2); /* and nowhere else, but at its border */
        /* A click there selects it. */
        assert_true(sdsim_pick(card, &axis, x, 0, &picked));
        assert_int_equal(picked, number);
        sdsim_minimap(timeline, widths[w], columns);
        assert_int_equal(columns[x].class, SDSIM_PAUSE);
        free(columns);
    }
}

static void in_memory(void **state)
{
    (void)state;
    struct sdsim_timeline timeline;
    const char *why;
    sdsim_timeline_init(&timeline);
    record(&timeline);
    assert_true(sdsim_timeline_finish(&timeline, &why));
    check(&timeline, "in memory");
    sdsim_timeline_free(&timeline);
}

static void from_a_file(void **state)
{
    (void)state;
    struct sdsim_timeline timeline;
    struct sdsim_diags diags;
    char why[100];
    const char *path = sdsim_test_path("pause.sdtl");
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    sdsim_timeline_init(&timeline);
    struct sdsim_timeline_writer *writer =
        sdsim_timeline_writer_open(file, &timeline, why, sizeof why);
    assert_non_null(writer);
    record(&timeline);
    assert_true(sdsim_timeline_writer_close(writer, why, sizeof why));
    fclose(file);
    sdsim_timeline_free(&timeline);
    sdsim_diags_init(&diags);
    struct sdsim_timeline_reader *reader = sdsim_timeline_open(path, &timeline, &diags);
    assert_non_null(reader);
    check(&timeline, "from a file");
    sdsim_timeline_reader_close(reader);
    sdsim_timeline_free(&timeline);
    sdsim_diags_free(&diags);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_memory),
        cmocka_unit_test(from_a_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
