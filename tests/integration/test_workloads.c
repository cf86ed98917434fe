/*
 * What workloads and file APIs make of a run: the commands that reach the card, counted, and what
 * is timed and what counts as a call.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "scenario_bench.h"
#include "scratch.h"
#include "setup/simulate.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const char scenario_text[] =
    "kind: scenario\n"
    "host:\n"
    "  cpu: 240MHz\n"
    "  clocks:\n"
    "    spi: {rule: exact, source: 80MHz}\n"
    "    sdmmc: {rule: exact, source: 80MHz}\n"
    "  drivers:\n"
    "    generic-spi: {call: 10us, command: 10us, transfer: 1us, bulk: 10us}\n"
    "    linux-mmc: {call: 60us, command: 8us, wake: 20us}\n"
    "    p2-sd-driver: {transfer: 1us, bulk: 10us}\n"
    "  files: {posix: {call: 10us, copy_rate: 1MB/s}, sdfat: {call: 5us, engine: "
    "sdfat-small-avr},\n"
    "          stdio: {call: 15us, copy_rate: 50MB/s}, p2-file: {call: 16us}, linux: {call: 5us},\n"
    "          freertos-fat: {call: 10us}, micropython: {call: 60us}, arduino-classic: {call: "
    "5us}}\n"
    "driver: {code: generic-spi, clock: spi, default_clock: 20MHz}\n"
    "card: {type: sdhc, capacity: 4GB, high_speed_clock: 50MHz, rd1: 500us, page: 16KiB, w1: 2ms,\n"
    "       wstop: 1ms, wpg: 1ms}\n"
    "filesystem: {type: fat32, cluster: 32KiB}\n"
    "workload: {do: write, call: 4KiB, total: 64KiB}\n";

static int set_up(void **state)
{
    sdsim_test_write_text(sdsim_test_path("scenario.yaml"), scenario_text);
    return sdsim_test_scenarios_up(state);
}

/* Draw 0 of the scenario with changes. */
static struct sdsim_outcome_report simulate(struct sdsim_test_scenarios *bench,
                                            const char *const *changes)
{
    return sdsim_test_scenario_run(bench, sdsim_test_path("scenario.yaml"), NULL, changes);
}

/* ---- commands ---- */

struct row {
    const char *const changes[5];
    uint64_t read_one;   /* CMD17 */
    uint64_t read_many;  /* CMD18 */
    uint64_t write_one;  /* CMD24 */
    uint64_t write_many; /* CMD25 */
};

static const char linux_mmc[] =
    "driver={code: linux-mmc, clock: sdmmc, default_clock: 40MHz, most_blocks: 1024}";
static const char p2[] = "driver={code: p2-sd-driver, clock: spi, default_clock: 20MHz}";

static const struct row rows[] = {
    /* one command a call, wherever it goes */
    {{"workload={do: random-read, on: raw, call: 4KiB, total: 64KiB}"}, 0, 16, 0, 0},
    {{"workload={do: random-read, on: raw, call: 512B, total: 64KiB}"}, 128, 0, 0, 0},
    {{"workload={do: random-write, on: raw, call: 4KiB, total: 64KiB}"}, 0, 0, 0, 16},
    {{"workload={do: write, on: raw, call: 4KiB, total: 64KiB, streams: 3}"}, 0, 0, 0, 16},
    /* one cluster: no table is walked; 16 calls of whole sectors */
    {{"workload={do: random-read, call: 4KiB, total: 64KiB, span: 32KiB}"}, 0, 16, 0, 0},
    {{"workload={do: random-write, call: 4KiB, total: 64KiB, span: 32KiB}"}, 0, 0, 0, 16},
    /* 16 sectors to write: on a small AVR one by one, no table is read for the first cluster */
    {{"workload={do: random-write, call: 4KiB, total: 8KiB, span: 32KiB}", "file.api=sdfat"},
     0,
     0,
     16,
     0},
    /* create, write, close: both FATs, and the entry twice, read once; two sectors of data */
    {{"workload={do: write, call: 1KiB, total: 1KiB, timed: all}", "file.api=p2-file", p2},
     2,
     0,
     6,
     0},
    /* more than a 16-bit count of bytes in one call */
    {{"workload={do: read, call: 128KiB, total: 128KiB}", "file.api=p2-file", p2}, 256, 0, 0, 0},
    /* found ten times, read once */
    {{"workload={do: read, call: 4KiB, total: 4KiB, timed: passes, times: 10}", "file.api=p2-file",
      p2},
     81,
     0,
     0,
     0},
    /* Linux: 32 clusters of 32 KiB are two requests, and nothing else reaches the card */
    {{"workload={do: write, call: 1MiB, total: 1MiB, timed: all}", "file.api=linux", linux_mmc,
      "bus=sd4"},
     0,
     0,
     0,
     2},
    {{"workload={do: read, call: 1MiB, total: 4MiB, timed: all}", "file.api=linux", linux_mmc,
      "bus=sd4"},
     0,
     8,
     0,
     0},
    {{"workload={do: random-read, call: 64KiB, total: 1MiB, span: 4MiB}", "file.api=linux",
      linux_mmc, "bus=sd4"},
     0,
     16,
     0,
     0},
};

static void test_commands(void **state)
{
    unsigned wrong = 0;
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct row *row = &rows[i];
        const struct sdsim_outcome_report report = simulate(*state, row->changes);
        const uint64_t *sent = report.workload.counters.commands;
        if (sent[17] != row->read_one || sent[18] != row->read_many || sent[24] != row->write_one ||
            sent[25] != row->write_many) {
            print_error("%s: CMD17 %llu CMD18 %llu CMD24 %llu CMD25 %llu\n", row->changes[0],
                        (unsigned long long)sent[17], (unsigned long long)sent[18],
                        (unsigned long long)sent[24], (unsigned long long)sent[25]);
            wrong++;
        }
    }
    assert_int_equal(wrong, 0);
}

/* Every API reads, writes, and does both at random, and moves what it says. */
static void test_every_api(void **state)
{
    static const char *const actions[] = {"write", "read", "random-write", "random-read"};
    for (int api = 0; api < SDSIM_API_COUNT; api++) {
        for (size_t i = 0; i < COUNT(actions); i++) {
            char name[64];
            char workload[120];
            snprintf(name, sizeof name, "file.api=%s",
                     sdsim_file_api_name((enum sdsim_file_api)api));
            snprintf(workload, sizeof workload,
                     "workload={do: %s, call: 2KiB, total: 96KiB, timed: all}", actions[i]);
            const char *const changes[] = {workload, name, NULL};
            const struct sdsim_outcome_report report = simulate(*state, changes);
            assert_int_equal(report.workload.bytes, 96 * 1024);
            assert_int_equal(report.workload.calls, 48);
            assert_int_equal(sdsim_account_total(&report.workload.account),
                             report.workload.elapsed);
        }
    }
}

/* ---- what is timed, and what counts ---- */

static void test_first_call(void **state)
{
    static const char *const with[] = {"workload={do: write, call: 512B, total: 8KiB}", NULL};
    static const char *const without[] = {
        "workload={do: write, call: 512B, total: 8KiB, first_call: excluded}", NULL};
    static const char *const small[] = {
        "workload={do: write, call: 100B, total: 8KiB, first_call: excluded}", NULL};
    static const char *const only[] = {
        "workload={do: write, call: 8KiB, total: 8KiB, first_call: excluded}", NULL};
    const struct sdsim_outcome_report a = simulate(*state, with);
    const struct sdsim_outcome_report b = simulate(*state, without);
    /* The first call allocates, so it is the longest; the rate has it all the same. */
    assert_int_equal(a.workload.longest_call_index, 0);
    assert_true(b.workload.longest_call_index > 0);
    assert_true(b.workload.longest_call < a.workload.longest_call);
    assert_int_equal(a.workload.elapsed, b.workload.elapsed);
    assert_int_equal(a.workload.in_calls, b.workload.in_calls);
    assert_int_equal(a.workload.shortest_call, b.workload.shortest_call);
    /* Six calls of 100 bytes begin in the first sector. */
    const struct sdsim_outcome_report c = simulate(*state, small);
    assert_true(c.workload.longest_call_index >= 6);
    /* There must be something to tell, even if it doesn't count. */
    const struct sdsim_outcome_report d = simulate(*state, only);
    assert_int_equal(d.workload.longest_call, d.workload.elapsed);
    assert_int_equal(d.workload.shortest_call, d.workload.elapsed);
}

static void test_final_sync(void **state)
{
    static const char *const without[] = {"workload={do: write, call: 4KiB, total: 64KiB}", NULL};
    static const char *const with[] = {
        "workload={do: write, call: 4KiB, total: 64KiB, final_sync: yes}", NULL};
    const struct sdsim_outcome_report a = simulate(*state, without);
    const struct sdsim_outcome_report b = simulate(*state, with);
    assert_int_equal(a.workload.in_calls, a.workload.elapsed);
    assert_int_equal(a.workload.in_calls, b.workload.in_calls);
    assert_true(b.workload.elapsed > a.workload.elapsed);
    assert_int_equal(sdsim_account_total(&b.workload.account), b.workload.elapsed);
}

static void test_passes(void **state)
{
    static const char *const once[] = {"workload={do: write, call: 4KiB, total: 16KiB, timed: all}",
                                       NULL};
    static const char *const passes[] = {
        "workload={do: write, call: 4KiB, total: 16KiB, timed: passes, times: 5}", NULL};
    const struct sdsim_outcome_report a = simulate(*state, once);
    const struct sdsim_outcome_report b = simulate(*state, passes);
    assert_int_equal(b.workload.calls, 5);
    assert_int_equal(b.workload.bytes, 5 * a.workload.bytes);
    assert_int_equal(b.workload.in_calls, b.workload.elapsed);
    assert_true(b.workload.shortest_call <= b.workload.elapsed / 5);
    assert_true(b.workload.longest_call >= b.workload.elapsed / 5);
    /* one of them is what `all` times, but for where its clusters and its entry lie */
    assert_true(5 * a.workload.elapsed < 2 * b.workload.elapsed);
    assert_true(b.workload.elapsed < 10 * a.workload.elapsed);
}

static void test_measures(void **state)
{
    static const struct {
        const char *measure;
        enum sdsim_metric metric;
    } measures[] = {
        {"measure=throughput", SDSIM_METRIC_THROUGHPUT},
        {"measure=mean-latency", SDSIM_METRIC_MEAN_LATENCY},
        {"measure=min-latency", SDSIM_METRIC_MIN_LATENCY},
        {"measure=max-latency", SDSIM_METRIC_MAX_LATENCY},
    };
    for (size_t i = 0; i < COUNT(measures); i++) {
        const char *const changes[] = {"workload={do: random-read, call: 4KiB, total: 64KiB}",
                                       measures[i].measure, NULL};
        const struct sdsim_outcome_report report = simulate(*state, changes);
        const struct sdsim_workload_result *result = &report.workload;
        const double second = (double)SDSIM_S;
        const double values[] = {
            (double)result->bytes / ((double)result->elapsed / second),
            (double)result->in_calls / second / (double)result->calls,
            (double)result->shortest_call / second,
            (double)result->longest_call / second,
        };
        assert_int_equal(report.metric, measures[i].metric);
        assert_true(report.value == values[i]);
    }
}

/* What ends inside a sector is copied; whole sectors are not. */
static void test_copies(void **state)
{
    static const char *const whole[] = {"workload={do: write, call: 1KiB, total: 8KiB}", NULL};
    static const char *const parts[] = {"workload={do: write, call: 1000B, total: 8000B}", NULL};
    const struct sdsim_outcome_report a = simulate(*state, whole);
    const struct sdsim_outcome_report b = simulate(*state, parts);
    assert_int_equal(sdsim_account_kind(&a.workload.account, SDSIM_COPY), 0);
    /* at 1 MB/s: of the eight calls 0..1000, 1000..2000, ... all bytes outside of whole sectors */
    const uint64_t copied = 488 + (24 + 464) + (48 + 440) + (72 + 416) + (96 + 392) + (120 + 368) +
                            (144 + 344) + (168 + 320);
    assert_int_equal(sdsim_account_kind(&b.workload.account, SDSIM_COPY), copied * SDSIM_US);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_commands, set_up, sdsim_test_scenarios_down),
        cmocka_unit_test_setup_teardown(test_every_api, set_up, sdsim_test_scenarios_down),
        cmocka_unit_test_setup_teardown(test_first_call, set_up, sdsim_test_scenarios_down),
        cmocka_unit_test_setup_teardown(test_final_sync, set_up, sdsim_test_scenarios_down),
        cmocka_unit_test_setup_teardown(test_passes, set_up, sdsim_test_scenarios_down),
        cmocka_unit_test_setup_teardown(test_measures, set_up, sdsim_test_scenarios_down),
        cmocka_unit_test_setup_teardown(test_copies, set_up, sdsim_test_scenarios_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
