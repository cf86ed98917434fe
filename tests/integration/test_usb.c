/*
 * A PC in front of the card: what was published about it (the ESP32-S3 mass-storage test, the mount
 * delay of the CircuitPython guide), with the causes, and the books of the device.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report/readings.h"
#include "report/usb_report.h"
#include "report/waterfall.h"
#include "scenario_bench.h"
#include "setup/simulate.h"

/* ---- the ESP32-S3 test ---- */

static const char *const h3[] = {
    "single-write", "single-read",    "spi-write",     "spi-read",       "sd4-write",
    "sd4-read",     "spi-lazy-write", "spi-lazy-read", "sd4-lazy-write", "sd4-lazy-read"};

static void ten_published_rates_within_15_percent(void **state)
{
    for (size_t i = 0; i < sizeof h3 / sizeof *h3; i++) {
        const struct sdsim_outcome_report report =
            sdsim_test_scenario_run(*state, "esp32s3-usb", h3[i], NULL);
        const struct sdsim_test_scenarios *bench = *state;
        const struct sdsim_quantity *measured = &bench->setup.run.measured;
        assert_true(measured->given && bench->setup.run.headline);
        const double error = report.value / measured->low - 1;
        if (error < -0.15 || error > 0.15) {
            fail_msg("%s: %.0f B/s, measured %.0f", h3[i], report.value, measured->low);
        }
    }
}

static void count_fits(void *context, enum sdsim_profile_kind kind,
                       const struct sdsim_value_info *info)
{
    size_t *counts = context;
    if (info->origin == SDSIM_FROM_FITTED && info->fit_headline) {
        counts[kind == SDSIM_PROFILE_HOST && strncmp(info->path, "usb.", 4) == 0 ? 0 : 1]++;
    }
}

/* At most two fitted values of USB (it is one), the same for all runs; everything else is what the
 * raw rows use, and those don't use USB's. */
static void few_fitted_values_of_usb(void **state)
{
    struct sdsim_test_scenarios *bench = *state;
    for (size_t i = 0; i < sizeof h3 / sizeof *h3; i++) {
        size_t counts[2] = {0, 0};
        sdsim_test_scenario_bind(bench, "esp32s3-usb", h3[i], NULL);
        sdsim_run_values(bench->run, count_fits, counts);
        assert_int_equal(counts[0], 1);
        const bool arduino = strncmp(h3[i], "single", 6) == 0;
        if (!arduino) {
            char raw[16];
            size_t raw_counts[2] = {0, 0};
            snprintf(raw, sizeof raw, "%.3s-%s", h3[i],
                     strstr(h3[i], "write") != NULL ? "write" : "read");
            sdsim_test_scenario_bind(bench, "esp32s3-raw", raw, NULL);
            sdsim_run_values(bench->run, count_fits, raw_counts);
            assert_int_equal(raw_counts[0], 0);
            assert_int_equal(raw_counts[1], counts[1]);
        }
    }
}

/* Time a byte: the card's and USB's add up, so the raw rows and a link alone give the rates. */
static void legs_add_up_unless_the_writer_is_lazy(void **state)
{
    static const struct {
        const char *raw;
        const char *usb;
        const char *lazy;
    } rows[] = {{"spi-write", "spi-write", "spi-lazy-write"},
                {"sd4-write", "sd4-write", "sd4-lazy-write"}};
    for (size_t i = 0; i < 2; i++) {
        const double raw = sdsim_test_scenario_run(*state, "esp32s3-raw", rows[i].raw, NULL).value;
        const struct sdsim_outcome_report direct =
            sdsim_test_scenario_run(*state, "esp32s3-usb", rows[i].usb, NULL);
        const struct sdsim_outcome_report lazy =
            sdsim_test_scenario_run(*state, "esp32s3-usb", rows[i].lazy, NULL);
        const double usb = 1 / (1 / direct.value - 1 / raw);
        assert_true(usb > 0.97 * lazy.value && usb < 1.03 * lazy.value);
        /* The real cause: as many commands and sectors, as much time of the card, but at once. */
        assert_int_equal(direct.workload.counters.blocks_written,
                         lazy.workload.counters.blocks_written);
        const double card = (double)lazy.workload.usb.card / (double)direct.workload.usb.card;
        assert_true(card > 0.98 && card < 1.02);
        assert_true(direct.workload.usb.pending_most == 0);
        assert_true(lazy.workload.usb.pending_most >= 4096);
        assert_true(lazy.workload.usb.pending_longest > 0);
    }
    /* Reads have nothing to overlap with. */
    assert_true(sdsim_test_scenario_run(*state, "esp32s3-usb", "spi-read", NULL).value ==
                sdsim_test_scenario_run(*state, "esp32s3-usb", "spi-lazy-read", NULL).value);
}

static bool says(const struct sdsim_readings *readings, const char *what)
{
    for (size_t i = 0; i < readings->count; i++) {
        if (strstr(readings->text[i], what) != NULL) {
            return true;
        }
    }
    return false;
}

static struct sdsim_readings readings_of(struct sdsim_test_scenarios *bench, const char *scenario,
                                         const char *id)
{
    struct sdsim_readings readings;
    struct sdsim_run_report report = {
        .prediction = {.typical = sdsim_test_scenario_run(bench, scenario, id, NULL)}};
    report.scenario = bench->scenario;
    report.run = bench->run;
    report.setup = &bench->setup;
    sdsim_run_report_complete(&report, true);
    sdsim_readings(&report, &readings);
    return readings;
}

static void the_output_names_the_cause(void **state)
{
    const struct sdsim_readings lazy = readings_of(*state, "esp32s3-usb", "spi-lazy-write");
    assert_true(says(&lazy, "so USB alone sets the rate"));
    assert_true(says(&lazy, "one after the other it would be 4"));
    assert_true(says(&lazy, "a power cut then loses them"));
    const struct sdsim_readings direct = readings_of(*state, "esp32s3-usb", "spi-write");
    assert_true(says(&direct, "both would work at once: 929.6kB/s"));
    assert_true(says(&direct, "whatever the card"));
    const struct sdsim_readings mount = readings_of(*state, "usb-mount", "windows");
    assert_true(says(&mount, "Windows counts free clusters by reading the whole FAT"));
}

/* ---- a lazy writer ---- */

/* A queue that is always full: the card sets the rate, whatever the queue's size. */
static void a_slow_card_fills_the_queue(void **state)
{
    static const char *const queues[] = {"workload.usb.lazy=1", "workload.usb.lazy=10",
                                         "workload.usb.lazy=200"};
    const double raw =
        sdsim_test_scenario_run(*state, "esp32s3-raw", "spi-write",
                                (const char *const[]){"clock=4MHz", "workload.total=8MiB", NULL})
            .value;
    for (size_t i = 0; i < 3; i++) {
        const char *const overrides[] = {"clock=4MHz", "workload.total=8MiB", queues[i],
                                         "workload.final_sync=yes", NULL};
        const struct sdsim_outcome_report report =
            sdsim_test_scenario_run(*state, "esp32s3-usb", "spi-write", overrides);
        const struct sdsim_usb_result *usb = &report.workload.usb;
        assert_true(usb->queue_full > report.workload.elapsed / 4);
        if (report.value < 0.97 * raw || report.value > 1.01 * raw) {
            fail_msg("%s: %.0f B/s, the card alone %.0f", queues[i], report.value, raw);
        }
        /* What is promised is in the queue or in hand. */
        assert_true(usb->pending_most <= (i == 0 ? 2 : i == 1 ? 11 : 201) * 4096u);
    }
}

/* The account of the front end is all of its time, whatever the mode and the kind of request. */
static void accounts_sum_to_the_time(void **state)
{
    static const struct {
        const char *scenario;
        const char *id;
        const char *overrides[4];
    } rows[] = {
        {"esp32s3-usb", "single-write", {"workload.total=1MiB"}},
        {"esp32s3-usb", "sd4-lazy-write", {"workload.total=4MiB"}},
        {"esp32s3-usb", "sd4-lazy-write", {"workload.total=4MiB", "workload.timed=all"}},
        {"esp32s3-usb", "sd4-lazy-write", {"workload.total=4MiB", "workload.final_sync=yes"}},
        {"esp32s3-usb", "spi-lazy-read", {"workload.total=4MiB", "workload.call=3KiB"}},
        {"esp32s3-usb", "spi-write", {"workload.do=random-write", "workload.total=2MiB"}},
        {"usb-mount", "linux", {NULL}},
        {"usb-mount", "exfat", {NULL}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct sdsim_outcome_report report =
            sdsim_test_scenario_run(*state, rows[i].scenario, rows[i].id, rows[i].overrides);
        const struct sdsim_workload_result *result = &report.workload;
        assert_true(sdsim_account_total(&result->account) == result->elapsed);
        assert_true(result->usb.link + result->usb.gaps >=
                    sdsim_account_kind(&result->account, SDSIM_OUTSIDE));
        assert_true(result->usb.traffic.packets > 0);
    }
}

/* The waterfall has USB as a step of its own, and its last ceiling is the prediction. */
static void waterfalls_end_at_the_prediction(void **state)
{
    static const char *const ids[] = {"spi-write", "sd4-lazy-write", "single-read"};
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        const char *const overrides[] = {"workload.total=4MiB", NULL};
        const struct sdsim_outcome_report report =
            sdsim_test_scenario_run(*state, "esp32s3-usb", ids[i], overrides);
        const struct sdsim_test_scenarios *bench = *state;
        struct sdsim_waterfall waterfall;
        sdsim_waterfall(&bench->setup, &report, &waterfall);
        const struct sdsim_waterfall_step *last = &waterfall.steps[waterfall.count - 1];
        assert_true(waterfall.total == report.workload.elapsed);
        assert_true(last->until == waterfall.total);
        assert_true(last->ceiling > 0.999 * report.value && last->ceiling < 1.001 * report.value);
        const struct sdsim_waterfall_step *usb =
            sdsim_waterfall_step(&waterfall, SDSIM_LOSS_OUTSIDE);
        assert_non_null(usb);
        assert_true(usb->time == sdsim_account_kind(&report.workload.account, SDSIM_OUTSIDE));
        assert_non_null(strstr(usb->rule, "full-speed USB"));
    }
}

/* 128 KiB are 2048 packets, a command block and a status block. */
static void packets_are_counted(void **state)
{
    const struct sdsim_outcome_report report = sdsim_test_scenario_run(
        *state, "esp32s3-usb", "spi-read", (const char *const[]){"workload.total=1MiB", NULL});
    assert_int_equal(report.workload.usb.requests, 8);
    assert_int_equal(report.workload.usb.pieces, 8 * 32);
    assert_int_equal(report.workload.usb.traffic.packets, 8 * (2048 + 2));
}

/* ---- mounting ---- */

static void mount_delays_of_the_guide(void **state)
{
    static const char *const fat32[] = {"windows", "linux", "macos", "arduino"};
    for (size_t i = 0; i < sizeof fat32 / sizeof *fat32; i++) {
        const struct sdsim_outcome_report report =
            sdsim_test_scenario_run(*state, "usb-mount", fat32[i], NULL);
        const struct sdsim_workload_result *result = &report.workload;
        if (report.value < 10 || report.value > 20) {
            fail_msg("%s: %.2f s", fat32[i], report.value);
        }
        /* As large as the FAT that mkfs.fat makes for this card, 7616 sectors, to a percent. */
        assert_true(result->mounted.fat_sectors > 7540 && result->mounted.fat_sectors < 7692);
        assert_int_equal(result->volume.cluster_sectors, 64);
        assert_int_equal(result->volume.fats, 2);
        /* Sector by sector. */
        assert_int_equal(result->counters.commands[18], 0);
        assert_int_equal(result->counters.commands[17], result->counters.blocks_read);
    }
    static const char *const quick[] = {"exfat", "fat16"};
    for (size_t i = 0; i < 2; i++) {
        assert_true(sdsim_test_scenario_run(*state, "usb-mount", quick[i], NULL).value < 2);
    }
}

/* A device of 62333952 sectors with one FAT32 partition, as mkfs.fat of dosfstools 4.2 makes it. False
 * if that isn't here. */
static bool make_volume(const char *path, int file)
{
    static const uint8_t entry[16] = {0, 0xFE, 0xFF, 0xFF, 0x0C, 0xFE, 0xFF, 0xFF,
                                      0, 0x20, 0,    0,    0,    0x04, 0xB7, 0x03};
    static const uint8_t signature[2] = {0x55, 0xAA};
    char command[300];
    snprintf(command, sizeof command,
             "PATH=$PATH:/usr/sbin:/sbin mkfs.fat -F 32 -s 64 -i F0320002 -n FAT32BIG --invariant "
             "-h 8192 --offset 8192 %s 31162880 >/dev/null 2>&1",
             path);
    assert_int_equal(ftruncate(file, 62333952ll * 512), 0);
    assert_int_equal(pwrite(file, entry, sizeof entry, 446), sizeof entry);
    assert_int_equal(pwrite(file, signature, sizeof signature, 510), sizeof signature);
    return system(command) == 0;
}

static void the_32_gb_volume_of_mkfs_fat(void **state)
{
    char path[] = "/tmp/sdsim-usb-XXXXXX";
    char image[80];
    const int file = mkstemp(path);
    assert_true(file >= 0);
    const bool made = make_volume(path, file);
    close(file);
    if (!made) {
        unlink(path);
        puts("there is no mkfs.fat that knows --offset");
        skip();
    }
    snprintf(image, sizeof image, "filesystem={image: %s}", path);
    static const char *const ids[] = {"windows", "linux", "macos", "arduino"};
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        const char *const overrides[] = {image, NULL};
        const struct sdsim_outcome_report report =
            sdsim_test_scenario_run(*state, "usb-mount", ids[i], overrides);
        assert_true(report.value > 10 && report.value < 20);
        assert_int_equal(report.workload.volume.clusters, 973600);
        assert_int_equal(report.workload.volume.fats, 2);
        assert_int_equal(report.workload.mounted.fat_sectors, 7616);
    }
    unlink(path);
}

static void what_is_read_depends_on_volume_and_pc(void **state)
{
    const struct sdsim_outcome_report exfat =
        sdsim_test_scenario_run(*state, "usb-mount", "exfat", NULL);
    assert_int_equal(exfat.workload.mounted.fat_sectors, 0);
    /* 487096 bits are 119 sectors; with the up-case table 131. */
    assert_int_equal(exfat.workload.mounted.bitmap_sectors, 131);
    const struct sdsim_outcome_report fat16 =
        sdsim_test_scenario_run(*state, "usb-mount", "fat16", NULL);
    assert_true(fat16.workload.mounted.fat_sectors > 110 &&
                fat16.workload.mounted.fat_sectors < 130);
    static const struct {
        const char *id;
        uint64_t request;
    } rows[] = {{"windows", 65536}, {"linux", 122880}, {"macos", 4096}};
    for (size_t i = 0; i < 3; i++) {
        const struct sdsim_outcome_report report =
            sdsim_test_scenario_run(*state, "usb-mount", rows[i].id, NULL);
        assert_true(report.workload.mounted.request == rows[i].request);
        const uint64_t least = report.workload.mounted.fat_sectors * 512ull / rows[i].request;
        assert_true(report.workload.usb.requests > least &&
                    report.workload.usb.requests < least + 30);
    }
    /* A buffer of 4 KiB in one call of the driver halves it. */
    const char *const larger[] = {"workload.usb.buffer=4KiB", NULL};
    assert_true(sdsim_test_scenario_run(*state, "usb-mount", "windows", larger).value <
                0.75 * sdsim_test_scenario_run(*state, "usb-mount", "windows", NULL).value);
}

#define TEST(name)                                                                                 \
    cmocka_unit_test_setup_teardown(name, sdsim_test_scenarios_up, sdsim_test_scenarios_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(ten_published_rates_within_15_percent),
        TEST(few_fitted_values_of_usb),
        TEST(legs_add_up_unless_the_writer_is_lazy),
        TEST(the_output_names_the_cause),
        TEST(a_slow_card_fills_the_queue),
        TEST(accounts_sum_to_the_time),
        TEST(waterfalls_end_at_the_prediction),
        TEST(packets_are_counted),
        TEST(mount_delays_of_the_guide),
        TEST(the_32_gb_volume_of_mkfs_fat),
        TEST(what_is_read_depends_on_volume_and_pc),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
