/*
 * Recording a run: it changes nothing, the spans add up to the account and to the commands that were
 * counted, and the file holds all it takes to simulate the run again.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "program.h"
#include "same_report.h"
#include "scenario_bench.h"
#include "scratch.h"
#include "timeline/find.h"
#include "timeline/query.h"
#include "timeline/read.h"

/* ---- against the account ---- */

/* Time of a kind in the timed part, from the lanes that are booked. All looks of a wait are one more
 * span of the bus, which is not. */
static sdsim_ps recorded(struct sdsim_timeline *timeline, enum sdsim_kind kind,
                         const struct sdsim_workload_result *result)
{
    static const enum sdsim_lane lanes[] = {SDSIM_LANE_CPU, SDSIM_LANE_BUS, SDSIM_LANE_CARD};
    sdsim_ps sum = 0;
    for (size_t i = 0; i < sizeof lanes / sizeof *lanes; i++) {
        struct sdsim_range range;
        if (kind == SDSIM_POLL && lanes[i] == SDSIM_LANE_BUS) {
            continue;
        }
        sdsim_lane_range(&timeline->lanes[lanes[i]], result->started,
                         result->started + result->elapsed, &range);
        sum += range.sum[kind];
    }
    return sum;
}

/* Commands in the timed part, by their frames on the bus. */
static void check_commands(const char *name, struct sdsim_timeline *timeline,
                           const struct sdsim_workload_result *result)
{
    struct sdsim_store *bus = &timeline->lanes[SDSIM_LANE_BUS];
    uint64_t commands[64] = {0};
    for (uint64_t i = sdsim_lane_before(bus, result->started); i < bus->count; i++) {
        struct sdsim_span span;
        if (!sdsim_store_span(bus, i, &span) || span.start >= result->started + result->elapsed) {
            continue;
        }
        const struct sdsim_detail detail = sdsim_details_get(&timeline->details, span.detail);
        if (span.part == SDSIM_PART_COMMAND && span.kind == SDSIM_PROTOCOL) {
            assert_int_equal(detail.kind, SDSIM_DETAIL_COMMAND);
            commands[detail.code & 63] += span.count;
        }
    }
    for (int i = 0; i < 64; i++) {
        /* CMD13s of a wait are looks. */
        if (i != 13 && commands[i] != result->counters.commands[i]) {
            fail_msg("%s: %llu CMD%d were recorded, %llu counted", name,
                     (unsigned long long)commands[i], i,
                     (unsigned long long)result->counters.commands[i]);
        }
    }
}

static bool check_run(const struct sdsim_run *run, const struct sdsim_setup *setup)
{
    char name[200];
    struct sdsim_outcome_report plain;
    struct sdsim_outcome_report watched;
    struct sdsim_timeline timeline;
    const char *why;
    if (setup->run.workload.total > 4 << 20) {
        return false;
    }
    snprintf(name, sizeof name, "%s/%s", run->scenario, run->id);
    sdsim_simulate(setup, NULL, &plain);
    sdsim_timeline_init(&timeline);
    sdsim_simulate(setup, &timeline.recorder, &watched);
    sdsim_test_same_report(&plain, &watched);
    if (!sdsim_timeline_finish(&timeline, &why)) {
        fail_msg("%s: %s", name, why);
    }
    const struct sdsim_workload_result *result = &watched.workload;
    for (int kind = 0; kind < SDSIM_KIND_COUNT; kind++) {
        const sdsim_ps booked = sdsim_account_kind(&result->account, (enum sdsim_kind)kind);
        const sdsim_ps heard = recorded(&timeline, (enum sdsim_kind)kind, result);
        if (booked != heard) {
            fail_msg("%s: %s was booked for %llu ps, recorded for %llu ps", name,
                     sdsim_kind_name((enum sdsim_kind)kind), (unsigned long long)booked,
                     (unsigned long long)heard);
        }
    }
    check_commands(name, &timeline, result);
    /* The application's own calls move what the result says. */
    struct sdsim_range range;
    sdsim_lane_range(&timeline.lanes[SDSIM_LANE_TASK], result->started,
                     result->started + result->elapsed, &range);
    const int action = setup->run.workload.action;
    if (action != SDSIM_DO_SEEK && range.bytes != result->bytes) {
        fail_msg("%s: calls of %llu bytes were recorded, %llu bytes moved", name,
                 (unsigned long long)range.bytes, (unsigned long long)result->bytes);
    }
    assert_true(range.busy > 0 && range.busy <= result->elapsed);
    sdsim_timeline_free(&timeline);
    return true;
}

static void every_scenario(void **state)
{
    (void)state;
    assert_true(sdsim_test_each_run(1, check_run) >= 15);
}

/* ---- the file ---- */

static void make_folders(char *path)
{
    for (char *slash = strchr(path + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(path, 0777);
        *slash = '/';
    }
}

/* Writes the files of a timeline into a folder. */
static size_t extract(const struct sdsim_timeline *timeline, const char *folder)
{
    size_t count = 0;
    for (size_t i = 0; i < timeline->text_count; i++) {
        const struct sdsim_setup_text *text = &timeline->texts[i];
        if (strncmp(text->name, "file ", 5) != 0) {
            continue;
        }
        char path[1000];
        snprintf(path, sizeof path, "%s/%s", folder, text->name + 5);
        assert_null(strstr(text->name, ".."));
        make_folders(path);
        sdsim_test_write_file(path, text->text, text->size);
        count++;
    }
    return count;
}

static struct sdsim_test_result record(const char *scenario, const char *run, const char *path,
                                       const char *data)
{
    char of_data[1100];
    snprintf(of_data, sizeof of_data, data != NULL ? "SDSIM_DATA_DIR=%s" : "SDSIM_DATA_DIR", data);
    return sdsim_test_run((const char *[]){"run", scenario, run, "--set", "workload.total=64KiB",
                                           "--seed", "7", "--draws", "0", "--record", path, NULL},
                          (const char *[]){of_data, NULL});
}

/* The spans of two timelines are the same. */
static void assert_same(struct sdsim_timeline *a, struct sdsim_timeline *b)
{
    assert_true(sdsim_timeline_spans(a) > 1000);
    for (int lane = 0; lane < SDSIM_LANE_COUNT; lane++) {
        assert_int_equal(a->lanes[lane].count, b->lanes[lane].count);
        for (uint64_t i = 0; i < a->lanes[lane].count; i++) {
            struct sdsim_span x;
            struct sdsim_span y;
            assert_true(sdsim_store_span(&a->lanes[lane], i, &x));
            assert_true(sdsim_store_span(&b->lanes[lane], i, &y));
            assert_memory_equal(&x, &y, sizeof x);
        }
    }
}

static void simulated_again(void **state)
{
    (void)state;
    if (!sdsim_test_has_program()) {
        skip();
    }
    const char *first = sdsim_test_path("first.sdtl");
    const char *second = sdsim_test_path("second.sdtl");
    const char *data = sdsim_test_path("data");
    char scenario[400];
    struct sdsim_test_result result = record("esp32-arduino-sd", "write-4k", first, NULL);
    sdsim_test_expect_code(&result, 0);
    sdsim_test_result_free(&result);

    struct sdsim_timeline a;
    struct sdsim_timeline b;
    struct sdsim_diags diags;
    sdsim_diags_init(&diags);
    sdsim_timeline_init(&a);
    sdsim_timeline_init(&b);
    struct sdsim_timeline_reader *reader = sdsim_timeline_open(first, &a, &diags);
    assert_non_null(reader);
    assert_string_equal(sdsim_timeline_text(&a, "run")->text, "write-4k");
    assert_string_equal(sdsim_timeline_text(&a, "set 0")->text, "workload.total=64KiB");
    assert_string_equal(sdsim_timeline_text(&a, "set 1")->text, "seed=7");
    assert_true(extract(&a, data) >= 4); /* scenario, board, host, driver, card */
    snprintf(scenario, sizeof scenario, "%s/%s", data, sdsim_timeline_text(&a, "scenario")->text);
    result = record(scenario, "write-4k", second, data);
    sdsim_test_expect_code(&result, 0);
    sdsim_test_result_free(&result);
    struct sdsim_timeline_reader *again = sdsim_timeline_open(second, &b, &diags);
    assert_non_null(again);
    assert_same(&a, &b);
    sdsim_timeline_reader_close(reader);
    sdsim_timeline_reader_close(again);
    sdsim_timeline_free(&a);
    sdsim_timeline_free(&b);
    sdsim_diags_free(&diags);
}

/* What is wrong on the command line leaves no file. */
static void refused(void **state)
{
    (void)state;
    if (!sdsim_test_has_program()) {
        skip();
    }
    const char *none = sdsim_test_path("none.sdtl");
    struct sdsim_test_result several =
        sdsim_test_run((const char *[]){"run", "esp32-arduino-sd", "--record", none, NULL}, NULL);
    assert_int_equal(several.code, 2);
    assert_non_null(strstr(several.err, "--record takes one run"));
    assert_int_equal(access(none, F_OK), -1);
    sdsim_test_result_free(&several);
    struct sdsim_test_result nowhere = sdsim_test_run(
        (const char *[]){"run", "esp32-arduino-sd", "read-4k", "--record", "/nowhere/x.sdtl", NULL},
        NULL);
    assert_int_equal(nowhere.code, 3);
    assert_string_equal(nowhere.out, "");
    sdsim_test_result_free(&nowhere);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_scenario),
        cmocka_unit_test(simulated_again),
        cmocka_unit_test(refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
