/*
 * A capture looked at, against the run it was made from: a window of a run is exported as a VCD, and what
 * is found in that has the same commands, waits and bits at the same instants, but for the VCD's tick.
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

#include "program.h"
#include "scratch.h"
#include "setup/simulate.h"
#include "timeline/query.h"
#include "timeline/timeline.h"
#include "view/capture_spans.h"
#include "view/waves.h"

static const char *path; /* the VCD */

enum { SLACK = 50000 /* ps: some ticks of the VCD */ };

/* So slow that a VCD has samples enough for what reads it. */
static const char *const slow[] = {"clock=4MHz", NULL};

static const char scenario[] = "esp32-audiokit-apis";

/* Exports from <= t < to of a run. */
static bool export_window(const char *run, const char *window)
{
    struct sdsim_test_result result =
        sdsim_test_run((const char *const[]){"export", scenario, run, "--window", window, "-o",
                                             path, "--set", slow[0], NULL},
                       (const char *const[]){"SDSIM_DATA_DIR", NULL});
    const bool fine = result.code == 0;
    sdsim_test_result_free(&result);
    return fine;
}

static void record(const char *id, struct sdsim_timeline *timeline)
{
    struct sdsim_diags diags;
    struct sdsim_outcome_report report;
    const char *why;
    sdsim_diags_init(&diags);
    struct sdsim_config *config = sdsim_config_create(".");
    struct sdsim_setup *setup = calloc(1, sizeof *setup);
    const struct sdsim_scenario *loaded =
        sdsim_scenario_load(config, "scenarios/esp32-audiokit-apis.yaml", slow, &diags);
    assert_non_null(loaded);
    for (size_t i = 0; i < loaded->count; i++) {
        if (strcmp(loaded->runs[i].id, id) == 0) {
            assert_true(sdsim_setup_bind(config, &loaded->runs[i], 0, setup, &diags));
        }
    }
    sdsim_timeline_init(timeline);
    sdsim_simulate(setup, &timeline->recorder, &report);
    assert_true(sdsim_timeline_finish(timeline, &why));
    free(setup);
    sdsim_diags_free(&diags);
    sdsim_config_destroy(config);
}

static bool near(sdsim_ps a, sdsim_ps b)
{
    return (a > b ? a - b : b - a) <= SLACK;
}

/* The command frames of a lane of the bus from an instant on, one after the other. */
static bool next_command(struct sdsim_timeline *timeline, uint64_t *number, struct sdsim_span *span,
                         struct sdsim_detail *detail)
{
    struct sdsim_store *bus = &timeline->lanes[SDSIM_LANE_BUS];
    while (*number < bus->count) {
        if (sdsim_store_span(bus, (*number)++, span) && span->part == SDSIM_PART_COMMAND &&
            span->kind == SDSIM_PROTOCOL) {
            *detail = sdsim_details_get(&timeline->details, span->detail);
            if (detail->code == 13) { /* those of a wait are looks in the run */
                continue;
            }
            return true;
        }
    }
    return false;
}

static sdsim_ps card_time(struct sdsim_timeline *timeline, sdsim_ps from, sdsim_ps to,
                          enum sdsim_kind kind)
{
    struct sdsim_range range;
    sdsim_lane_range(&timeline->lanes[SDSIM_LANE_CARD], from, to, &range);
    return range.sum[kind];
}

static void compare(const char *run, sdsim_ps from, sdsim_ps to, enum sdsim_kind wait)
{
    struct sdsim_timeline simulated;
    struct sdsim_timeline captured;
    struct sdsim_diags diags;
    char window[64];
    size_t commands = 0;
    snprintf(window, sizeof window, "%" PRIu64 "ms..%" PRIu64 "ms", from / SDSIM_MS, to / SDSIM_MS);
    assert_true(export_window(run, window));
    record(run, &simulated);
    sdsim_diags_init(&diags);
    sdsim_timeline_init(&captured);
    assert_true(sdsim_capture_spans(path, NULL, &captured, &diags));
    uint64_t a = sdsim_lane_before(&simulated.lanes[SDSIM_LANE_BUS], from);
    uint64_t b = 0;
    struct sdsim_span span;
    struct sdsim_span other;
    struct sdsim_detail detail;
    struct sdsim_detail seen;
    while (next_command(&captured, &b, &other, &seen)) {
        assert_true(next_command(&simulated, &a, &span, &detail));
        /* In SD mode the run's span holds the gaps around the frame, too. */
        const bool inside = other.start + from + SLACK >= span.start &&
                            sdsim_span_end(&other) + from <= sdsim_span_end(&span) + SLACK;
        if (!inside || (seen.code & 63) != (detail.code & 63) || seen.place != detail.place) {
            fail_msg("%s: CMD%d %" PRIu64 " at %" PRIu64 " ps was CMD%d %" PRIu64 " at %" PRIu64
                     " ps",
                     run, seen.code & 63, seen.place, other.start + from, detail.code & 63,
                     detail.place, span.start);
        }
        commands++;
    }
    assert_true(commands >= 3);
    /* Waits: a capture can't tell the card's part from the look that found it ready. */
    const sdsim_ps real = card_time(&simulated, from, to, wait);
    const sdsim_ps found = card_time(&captured, 0, to - from, wait);
    if (real == 0 || found < real - real / 10 || found > real + real / 10) {
        fail_msg("%s: the card's %s is %" PRIu64 " ps, in the capture %" PRIu64 " ps", run,
                 sdsim_kind_name(wait), real, found);
    }
    /* Calls of the driver that lie in the window. */
    assert_true(captured.lanes[SDSIM_LANE_DISK].count > 0);
    sdsim_timeline_free(&simulated);
    sdsim_timeline_free(&captured);
    sdsim_diags_free(&diags);
}

static void spans(void **state)
{
    (void)state;
    compare("idf-sdspi-read", 130 * SDSIM_MS, 170 * SDSIM_MS, SDSIM_ACCESS);
    compare("idf-sdspi-write", 138 * SDSIM_MS, 190 * SDSIM_MS, SDSIM_BUSY);
    compare("idf-sdmmc-read", 125 * SDSIM_MS, 140 * SDSIM_MS, SDSIM_ACCESS);
}

/* A busy longer than any program is shown as the pause it was; the others stay busy. */
static void pauses(void **state)
{
    (void)state;
    static const struct {
        const char *length;
        size_t pauses;
        size_t busy;
    } rows[] = {{"card.pause_length=30ms", 1, 1}, {"card.pause_length=18ms", 0, 2}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct sdsim_timeline captured;
        struct sdsim_diags diags;
        struct sdsim_test_result result = sdsim_test_run(
            (const char *const[]){"export", "log-pause-200ms", "ring", "--call", "8", "-o", path,
                                  "--set", "clock=1MHz", "--set", "workload.rate=20kB/s", "--set",
                                  "workload.duration=5s", "--set", "card.pause_every=64KiB",
                                  "--set", rows[i].length, NULL},
            (const char *const[]){"SDSIM_DATA_DIR", NULL});
        assert_int_equal(result.code, 0);
        sdsim_test_result_free(&result);
        sdsim_diags_init(&diags);
        sdsim_timeline_init(&captured);
        assert_true(sdsim_capture_spans(path, NULL, &captured, &diags));
        struct sdsim_range range;
        sdsim_lane_range(&captured.lanes[SDSIM_LANE_CARD], 0, captured.end + 1, &range);
        assert_int_equal(range.count[SDSIM_PAUSE], rows[i].pauses);
        assert_int_equal(range.count[SDSIM_BUSY], rows[i].busy);
        if (rows[i].pauses > 0) {
            assert_true(range.sum[SDSIM_PAUSE] > 29900 * SDSIM_US &&
                        range.sum[SDSIM_PAUSE] < 30100 * SDSIM_US);
        }
        sdsim_timeline_free(&captured);
        sdsim_diags_free(&diags);
    }
}

/* The fields of a window out of the capture are those of all of it, at the same instants. */
static void windows(void **state)
{
    (void)state;
    static const char *const runs[] = {"idf-sdspi-read", "idf-sdmmc-read"};
    for (size_t r = 0; r < 2; r++) {
        struct sdsim_waves all;
        struct sdsim_waves part;
        struct sdsim_diags diags;
        sdsim_diags_init(&diags);
        assert_true(export_window(runs[r], "130ms..145ms"));
        assert_true(sdsim_waves_of_capture(&all, path, NULL, 0, 15 * SDSIM_MS, &diags));
        const sdsim_ps from = 7 * SDSIM_MS;
        const sdsim_ps to = from + 400 * SDSIM_US;
        assert_true(sdsim_waves_of_capture(&part, path, NULL, from, to, &diags));
        size_t k = 0;
        size_t compared = 0;
        for (size_t i = 0; i < part.piece_count; i++) {
            const struct sdsim_bus_piece *piece = &part.pieces[i];
            while (k < all.piece_count && (all.pieces[k].to < piece->to ||
                                           (all.pieces[k].to == piece->to &&
                                            memcmp(&all.pieces[k], piece, sizeof *piece) != 0))) {
                k++;
            }
            if (k == all.piece_count || memcmp(&all.pieces[k], piece, sizeof *piece) != 0) {
                fail_msg("%s: %s at %" PRIu64 " ps is not in all of it", runs[r], piece->text,
                         piece->from);
            }
            compared++;
        }
        assert_true(compared > 50);
        assert_true(part.edge_count > 500 && part.edges[0].at == from);
        assert_true(part.edges[part.edge_count - 1].at < to);
        assert_true(near(part.edges[part.edge_count - 1].at, to) || part.edge_count > 500);
        sdsim_waves_free(&all);
        sdsim_waves_free(&part);
        sdsim_diags_free(&diags);
    }
}

/* What can't be looked at is said, and nothing is left behind. */
static void refusals(void **state)
{
    (void)state;
    struct sdsim_timeline timeline;
    struct sdsim_waves waves;
    struct sdsim_diags diags;
    sdsim_diags_init(&diags);
    sdsim_timeline_init(&timeline);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("$timescale 1ns $end\n$var wire 1 ! CLK $end\n$enddefinitions $end\n#0\n0!\n", file);
    fclose(file);
    assert_false(sdsim_capture_spans(path, NULL, &timeline, &diags));
    assert_false(sdsim_waves_of_capture(&waves, path, NULL, 0, 1000, &diags));
    assert_null(waves.edges);
    assert_true(diags.errors >= 2);
    sdsim_timeline_free(&timeline);
    sdsim_diags_free(&diags);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spans),
        cmocka_unit_test(pauses),
        cmocka_unit_test(windows),
        cmocka_unit_test(refusals),
    };
    sdsim_test_need_program();
    path = sdsim_test_path("x.vcd");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
