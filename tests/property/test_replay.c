/*
 * Export, import and replay of one run give back the same operations at the same times: every run of
 * every scenario is recorded as block operations and as file operations, as text and in binary, and
 * replayed from that on the same set-up with the recorded times. Each call must then begin and end at
 * the picosecond it did.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "setup/replay.h"
#include "trace/binary.h"
#include "trace/blocks_text.h"
#include "trace/record.h"

/* Runs that take longer are left out: the shorter ones show everything they would. */
#define LONGEST (20 * SDSIM_S)

enum form { TEXT, BINARY, OPS };

struct check {
    struct sdsim_replay_listener base;
    uint64_t rows;
    uint64_t wrong;
    char first[200];
};

static void check_row(struct sdsim_replay_listener *listener, const struct sdsim_replay_row *row)
{
    struct check *check = (struct check *)listener;
    check->rows++;
    if (row->failed || !row->has_recorded || row->start != row->recorded_start ||
        row->duration != row->recorded) {
        if (check->wrong++ == 0) {
            snprintf(check->first, sizeof check->first,
                     "call %" PRIu64 " %s: %" PRIu64 "+%" PRIu64 ", recorded %" PRIu64 "+%" PRIu64,
                     row->number,
                     row->op != NULL
                         ? sdsim_op_name(row->op->kind)
                         : sdsim_trace_kind_name((enum sdsim_trace_kind)row->block->kind),
                     row->start, row->duration, row->recorded_start, row->recorded);
        }
    }
}

/* The trace of a run in memory; the caller frees it. */
static char *record(const struct sdsim_setup *setup, enum form form, size_t *size,
                    struct sdsim_outcome_report *report)
{
    char *bytes = NULL;
    FILE *out = open_memstream(&bytes, size);
    struct sdsim_trace_info *info = sdsim_trace_info_new();
    assert_non_null(out);
    assert_non_null(info);
    assert_true(sdsim_trace_set_header(info, "origin", "power-up"));
    if (form == OPS) {
        struct sdsim_op_recorder recorder;
        sdsim_ops_text_headers(out, info);
        sdsim_op_recorder_init(&recorder, out);
        sdsim_simulate(setup, &recorder.base, report);
        assert_false(recorder.unknown);
    } else {
        struct sdsim_block_sink *sink =
            form == TEXT ? sdsim_blocks_text_sink(out) : sdsim_binary_sink(out);
        struct sdsim_block_recorder recorder;
        assert_non_null(sink);
        sdsim_block_recorder_init(&recorder, sink, info);
        sdsim_simulate(setup, &recorder.base, report);
        assert_true(sink->finish(sink));
    }
    sdsim_trace_info_free(info);
    assert_int_equal(fclose(out), 0);
    return bytes;
}

/* Records and replays; the number of calls. */
static uint64_t round_trip(const struct sdsim_run *run, const struct sdsim_setup *setup,
                           enum form form)
{
    static const char *const names[] = {"text", "binary", "file operations"};
    const struct sdsim_replay_options options = {.think = true};
    struct sdsim_outcome_report report;
    size_t size = 0;
    char *bytes = record(setup, form, &size, &report);
    struct sdsim_diags diags;
    struct sdsim_trace trace;
    struct sdsim_replay_result result;
    struct check check = {.base = {.row = check_row}};
    sdsim_diags_init(&diags);
    struct sdsim_medium *medium = sdsim_replay_prepare(setup, NULL, NULL, 0, &result);
    assert_non_null(medium);
    assert_true(
        sdsim_trace_open(&trace, sdsim_input_memory("run", bytes, size, &diags), NULL, NULL));
    sdsim_replay(setup, medium, &trace, &options, NULL, &check.base, &result);
    if (sdsim_trace_failed(&trace)) {
        sdsim_diags_print(&diags, stderr);
    }
    if (sdsim_trace_failed(&trace) || result.error[0] != '\0' || check.wrong > 0) {
        fail_msg("%s %s as %s: %" PRIu64 " of %" PRIu64 " calls differ (%s) %s", run->scenario,
                 run->id, names[form], check.wrong, check.rows, check.first, result.error);
    }
    sdsim_trace_close(&trace);
    sdsim_replay_result_free(&result);
    sdsim_medium_destroy(medium);
    sdsim_diags_free(&diags);
    free(bytes);
    return check.rows;
}

/* One run in all forms it has. */
static uint64_t check_run(struct sdsim_config *config, const struct sdsim_run *run,
                          struct sdsim_diags *diags)
{
    struct sdsim_setup setup;
    struct sdsim_outcome_report report;
    uint64_t rows = 0;
    assert_true(sdsim_setup_bind(config, run, 0, &setup, diags));
    sdsim_simulate(&setup, NULL, &report);
    if (report.error[0] != '\0' || report.workload.elapsed > LONGEST) {
        return 0;
    }
    rows += round_trip(run, &setup, TEXT);
    rows += round_trip(run, &setup, BINARY);
    if (setup.run.workload.target == SDSIM_ON_FILE && setup.run.workload.action != SDSIM_DO_SEEK) {
        rows += round_trip(run, &setup, OPS);
    }
    return rows;
}

static void check_folder(const char *folder, size_t least)
{
    struct dirent **entries;
    const int count = scandir(folder, &entries, NULL, alphasort);
    uint64_t rows = 0;
    size_t runs = 0;
    assert_true(count > 0);
    for (int i = 0; i < count; i++) {
        char path[512];
        const char *dot = strrchr(entries[i]->d_name, '.');
        snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
        if (dot != NULL && strcmp(dot, ".yaml") == 0) {
            struct sdsim_config *config = sdsim_config_create(".");
            struct sdsim_diags diags;
            sdsim_diags_init(&diags);
            struct sdsim_scenario *scenario = sdsim_scenario_load(config, path, NULL, &diags);
            assert_non_null(scenario);
            for (size_t r = 0; r < scenario->count; r++) {
                const uint64_t got = check_run(config, &scenario->runs[r], &diags);
                rows += got;
                runs += got > 0;
            }
            sdsim_diags_free(&diags);
            sdsim_config_destroy(config);
        }
        free(entries[i]);
    }
    free(entries);
    print_message("%s: %zu runs, %" PRIu64 " calls\n", folder, runs, rows);
    assert_true(runs >= least);
}

static void test_scenarios(void **state)
{
    (void)state;
    check_folder("scenarios", 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scenarios),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
