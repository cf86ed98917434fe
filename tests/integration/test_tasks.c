/*
 * Workloads with deadlines, several files, another device on the bus, and mixed accesses: what reaches
 * the card, what is counted, and what is printed.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "golden.h"
#include "program.h"
#include "scenario_bench.h"
#include "setup/simulate.h"

static struct sdsim_outcome_report run(struct sdsim_test_scenarios *bench, const char *scenario,
                                       const char *id, const char *const *overrides)
{
    const struct sdsim_outcome_report report =
        sdsim_test_scenario_run(bench, scenario, id, overrides);
    assert_true(sdsim_account_total(&report.workload.account) == report.workload.elapsed);
    return report;
}

/* ---- players ---- */

static void players_run_dry_when_the_card_is_too_slow(void **state)
{
    const struct sdsim_outcome_report one = run(*state, "audio-player", "one", NULL);
    const struct sdsim_outcome_report eight = run(*state, "audio-player", "eight", NULL);
    assert_int_equal(one.workload.play.chunks, 1024);
    assert_int_equal(one.workload.play.underruns, 0);
    assert_int_equal(one.workload.bytes, 4194304);
    /* A player sets the pace: 176400 bytes a second, less what the buffers bring at the start. */
    assert_true(one.value > 176400 && one.value < 1.01 * 176400);
    assert_true(sdsim_account_kind(&one.workload.account, SDSIM_IDLE) > one.workload.elapsed / 3);
    /* Eight times that is more than the bus carries at 4 MHz. */
    assert_true(eight.workload.play.underruns > 500);
    assert_true(eight.workload.play.silent > eight.workload.play.worst);
    assert_true(eight.value < 0.45e6);
    /* No buffer helps but one that holds nearly all of it. */
    assert_true(eight.workload.play.enough > 64);
}

/* A buffer less than enough runs dry, enough doesn't: simulated again, not worked out. */
static void enough_buffers_are_enough(void **state)
{
    static const char *const base[] = {"workload.play.rate=400kB/s",
                                       "filesystem={type: fat32, fill: 90%, fragment: 32KiB}"};
    const char *const first[] = {base[0], base[1], "workload.play.buffers=1", NULL};
    const struct sdsim_outcome_report report = run(*state, "audio-player", "one", first);
    const uint64_t enough = report.workload.play.enough;
    assert_true(enough > 1 && enough < 1024);
    char buffers[48];
    const char *const other[] = {base[0], base[1], buffers, NULL};
    snprintf(buffers, sizeof buffers, "workload.play.buffers=%llu", (unsigned long long)enough);
    assert_int_equal(run(*state, "audio-player", "one", other).workload.play.underruns, 0);
    snprintf(buffers, sizeof buffers, "workload.play.buffers=%llu",
             (unsigned long long)(enough - 1));
    assert_true(run(*state, "audio-player", "one", other).workload.play.underruns > 0);
}

/* ---- several files ---- */

static void several_files_get_the_same_data_and_more_entries(void **state)
{
    const struct sdsim_outcome_report one = run(*state, "several-files", "one", NULL);
    const struct sdsim_outcome_report eight = run(*state, "several-files", "eight", NULL);
    assert_int_equal(one.workload.bytes, eight.workload.bytes);
    assert_int_equal(one.workload.calls, eight.workload.calls);
    /* 16 syncs of 8 entries each. */
    assert_true(eight.workload.counters.blocks_written >
                one.workload.counters.blocks_written + 16 * 7);
    assert_true(eight.value < one.value);
    /* Without syncs the chains are all there is to keep. */
    const char *const never[] = {"workload.sync_every=0", NULL};
    assert_true(run(*state, "several-files", "eight", never).value > eight.value);
    /* Reading them back in turns. */
    const char *const read[] = {"workload.do=read", "workload.sync_every=0", NULL};
    const struct sdsim_outcome_report back = run(*state, "several-files", "eight", read);
    assert_int_equal(back.workload.bytes, 4194304);
    assert_true(back.workload.counters.blocks_read >= 8192);
}

/* ---- another device ---- */

static void a_shared_bus_costs_both_sides(void **state)
{
    const char *const alone[] = {"workload.other_device.bytes=1B",
                                 "workload.other_device.every=1000s", NULL};
    const struct sdsim_outcome_report small = run(*state, "shared-bus", "calls-of-4k", NULL);
    const struct sdsim_outcome_report large = run(*state, "shared-bus", "calls-of-64k", NULL);
    const struct sdsim_sharer_result *device = &small.workload.other_device;
    /* 4 KiB at 20 MHz take 1.64 ms of every 50. */
    const double share = (double)sdsim_account_kind(&small.workload.account, SDSIM_OUTSIDE) /
                         (double)small.workload.elapsed;
    assert_true(share > 0.02 && share < 0.035);
    /* Opening and closing the file had to wait, too, and aren't timed. */
    assert_true(device->card_waited >= sdsim_account_kind(&small.workload.account, SDSIM_OUTSIDE));
    assert_true(device->card_waits > 0 && device->turns >= device->device_waits);
    /* Two turns at most are due when a call comes: one of its own time and one that was late. */
    assert_true(device->card_longest <= 2 * 1659 * SDSIM_US);
    const double without = run(*state, "shared-bus", "calls-of-4k", alone).value;
    assert_true(small.value < without && small.value > 0.955 * without);
    /* The display's view: calls of 64 KiB hold it off longer, on average. */
    const struct sdsim_sharer_result *held = &large.workload.other_device;
    assert_true(held->device_waited / held->turns > 2 * (device->device_waited / device->turns));
    assert_true(large.value > small.value);
}

/* ---- mixed accesses ---- */

static void mixed_accesses_are_counted_apart(void **state)
{
    const struct sdsim_outcome_report ten = run(*state, "database", "ten", NULL);
    const struct sdsim_mixed_result *mixed = &ten.workload.mixed;
    assert_int_equal(mixed->reads + mixed->writes, 1024);
    assert_true(mixed->reads > 650 && mixed->reads < 780); /* 70 % */
    assert_true(mixed->in_reads + mixed->in_writes < ten.workload.elapsed);
    const struct sdsim_outcome_report each = run(*state, "database", "each", NULL);
    assert_int_equal(each.workload.mixed.reads, mixed->reads);
    assert_true(each.value < ten.value);
    static const struct {
        const char *reads;
        uint64_t count;
    } rows[] = {{"workload.reads=0%", 0}, {"workload.reads=100%", 1024}};
    for (size_t i = 0; i < 2; i++) {
        const char *const overrides[] = {rows[i].reads, NULL};
        assert_int_equal(run(*state, "database", "ten", overrides).workload.mixed.reads,
                         rows[i].count);
    }
    /* On raw sectors, too; all reads there are random-read. */
    const char *const raw[] = {"workload.reads=100%", "workload.on=raw", "workload.sync_every=0",
                               NULL};
    const char *const reads[] = {"workload.do=random-read", "workload.on=raw",
                                 "workload.sync_every=0", NULL};
    assert_true(run(*state, "database", "ten", raw).value ==
                run(*state, "database", "ten", reads).value);
}

/* ---- directories ---- */

static void opening_each_by_path_is_quadratic(void **state)
{
    uint64_t sectors[2];
    static const char *const files[] = {"workload.files=100", "workload.files=200"};
    for (size_t i = 0; i < 2; i++) {
        const char *const overrides[] = {"workload.do=open-each", "workload.times=1",
                                         "workload.name_length=60", files[i], NULL};
        const struct sdsim_outcome_report report =
            run(*state, "effect-directory", "of-10", overrides);
        assert_int_equal(report.workload.calls, i == 0 ? 100 : 200);
        sectors[i] = report.workload.counters.blocks_read;
    }
    assert_true(sectors[1] > 35 * sectors[0] / 10 && sectors[1] < 45 * sectors[0] / 10);
}

/* ---- what is printed ---- */

static void outputs(void **state)
{
    (void)state;
    static const struct {
        const char *golden;
        const char *arguments[8];
    } rows[] = {
        {"run-usb-write.txt", {"run", "scenarios/esp32s3-usb.yaml", "sd4-write"}},
        {"run-usb-lazy.txt", {"run", "scenarios/esp32s3-usb.yaml", "spi-lazy-write"}},
        {"run-usb-mount.txt", {"run", "scenarios/usb-mount.yaml", "windows"}},
        {"run-usb-exfat.json", {"run", "scenarios/usb-mount.yaml", "exfat", "--json"}},
        {"run-play.txt", {"run", "scenarios/audio-player.yaml", "eight"}},
        {"run-play.json", {"run", "scenarios/audio-player.yaml", "one", "--json"}},
        {"run-shared-bus.txt", {"run", "scenarios/shared-bus.yaml", "calls-of-64k"}},
        {"run-database.txt", {"run", "scenarios/database.yaml", "ten"}},
    };
    bool same = true;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char path[64];
        const char *arguments[12] = {NULL};
        size_t count = 0;
        while (rows[i].arguments[count] != NULL) {
            arguments[count] = rows[i].arguments[count];
            count++;
        }
        arguments[count++] = "--draws";
        arguments[count] = "8";
        struct sdsim_test_result result = sdsim_test_run(arguments, NULL);
        assert_int_equal(result.code, 0);
        snprintf(path, sizeof path, "tests/golden/%s", rows[i].golden);
        same = sdsim_test_golden(path, result.out) && same;
        sdsim_test_result_free(&result);
    }
    assert_true(same);
}

#define TEST(name)                                                                                 \
    cmocka_unit_test_setup_teardown(name, sdsim_test_scenarios_up, sdsim_test_scenarios_down)

int main(void)
{
    sdsim_test_need_program();
    const struct CMUnitTest tests[] = {
        TEST(players_run_dry_when_the_card_is_too_slow),
        TEST(enough_buffers_are_enough),
        TEST(several_files_get_the_same_data_and_more_entries),
        TEST(a_shared_bus_costs_both_sides),
        TEST(mixed_accesses_are_counted_apart),
        TEST(opening_each_by_path_is_quadratic),
        TEST(outputs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
