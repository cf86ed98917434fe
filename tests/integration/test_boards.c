/*
 * Every board there is: its file is faultless, its clock is one the chip can make, its pins are as many
 * as its bus has wires, it reads and writes in small and large calls, and never faster than the wire
 * carries blocks.
 *
 * What the dividers make of the clock asked for is worked out here by hand, board by board, so that a
 * board that moves to another host or driver has to be thought through again.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/clock_rule.h"
#include "program.h"
#include "setup/clocks.h"
#include "setup/simulate.h"
#include "unit/config_fixture.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

#define FOLDER "scenarios/boards"
#define MHZ    1e6

static const struct board {
    const char *name;
    double hz;        /* on the wire */
    const char *warn; /* what check warns of, with large calls; NULL: nothing */
} boards[] = {
    {"due-sdfat", 84 * MHZ / 4, NULL},
    {"esp32-audiokit-sdmmc", 160 * MHZ / 8, "GPIO2, GPIO12"},
    {"esp32-audiokit-spi", 80 * MHZ / 20, NULL},
    {"esp32-devkit-v1-spi", 80 * MHZ / 20, NULL},
    {"esp32c3-devkit-spi", 80 * MHZ / 4, NULL},
    {"esp32s3-devkit-sdmmc", 160 * MHZ / 8, NULL},
    {"esp32s3-devkit-spi", 80 * MHZ / 4, NULL},
    {"esp32s3-devkitc-spi", 80 * MHZ / 4, NULL},
    {"feather-esp32s3-sdio", 160 * MHZ / 4, NULL},
    {"feather-m0-adalogger", 48 * MHZ / 4, NULL},
    {"feather-nrf52840-wing", 64 * MHZ / 4, NULL},
    {"feather-rp2040-adalogger", 125 * MHZ / 6, NULL},
    {"feather-rp2350-wing", 150 * MHZ / 8, NULL},
    {"grand-central-m4-sdio", 12 * MHZ / 2, NULL}, /* the card has high speed */
    {"grand-central-m4-spi", 48 * MHZ / 6, NULL},
    {"mega2560-sd-module", 16 * MHZ / 4, NULL},
    {"memento-camera", 80 * MHZ / 4, NULL},
    {"metro-rp2350", 150 * MHZ / 6, NULL},
    {"mkr-zero", 48 * MHZ / 12, NULL},
    {"nano-33-ble", 64 * MHZ / 8, NULL},
    {"nrf52840-dk-zephyr", 64 * MHZ / 4, NULL},
    {"nucleo-f446re-spi", 90 * MHZ / 4, NULL},
    {"pico-carlk3-sdio", 125 * MHZ / 5, NULL},
    {"pico-carlk3-spi", 125 * MHZ / 6, NULL},
    {"pico-sdfat-spi", 125 * MHZ / 6, NULL},
    {"pico2-carlk3-sdio", 150 * MHZ / 6, NULL},
    {"pico2-sdfat-sdio", 150 * MHZ / 4, NULL},
    {"pixhawk-6x", 240 * MHZ / 10, NULL},
    {"pyportal-m4", 48 * MHZ / 2, NULL},
    {"raspberry-pi-4", 100 * MHZ, "small calls"}, /* DDR50, as one edge a clock */
    {"stm32f407ve-black-sdio", 48 * MHZ / 2, NULL},
    {"stm32f746-disco-sdmmc", 48 * MHZ / 2, NULL},
    {"teensy36-sdio", 180 * MHZ / 4, NULL},
    {"teensy40-spi", 240 * MHZ / 10, NULL},
    {"teensy41-sdio", 198 * MHZ / 4, NULL},
    {"uno-r4-sdfat", 48 * MHZ / 2, NULL},
    {"uno-sd-shield", 16 * MHZ / 4, NULL},
    {"uno-sdfat", 16 * MHZ / 2, NULL},
    {"weact-h743-sdmmc", 200 * MHZ / 8, NULL},
    {"xiao-nrf52840-expansion", 64 * MHZ / 16, NULL},
};

static const char *const small_call = "512B";
static const char *const large_call = "32KiB"; /* the classic library counts in 16 bits */

/* A run of a board as `init` would write it. */
static const struct sdsim_run *load(struct sdsim_test_config *f, const char *board,
                                    const char *action, const char *call, struct sdsim_setup *setup)
{
    char text[400];
    snprintf(text, sizeof text,
             "kind: scenario\nboard: %s\ncard: sdhc32g-a1\n"
             "workload: {do: %s, call: %s, total: 1MiB}\n",
             board, action, call);
    const struct sdsim_scenario *scenario =
        sdsim_scenario_of_text(f->config, board, text, NULL, &f->diags);
    if (scenario == NULL || scenario->count != 1 ||
        !sdsim_setup_bind(f->config, &scenario->runs[0], 0, setup, &f->diags)) {
        sdsim_diags_print(&f->diags, stderr);
        fail_msg("%s: %s in calls of %s can't be made", board, action, call);
    }
    return &scenario->runs[0];
}

/* ---- the files ---- */

static bool has_row(const char *name)
{
    for (size_t i = 0; i < COUNT(boards); i++) {
        if (strcmp(boards[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}

/* A row for each file, a file for each row. */
static void test_none_forgotten(void **state)
{
    (void)state;
    DIR *folder = opendir(FOLDER);
    const struct dirent *entry;
    size_t count = 0;
    assert_non_null(folder);
    while ((entry = readdir(folder)) != NULL) {
        char name[256];
        snprintf(name, sizeof name, "%s", entry->d_name);
        char *end = strstr(name, ".yaml");
        if (end == NULL) {
            continue;
        }
        *end = '\0';
        count++;
        if (!has_row(name)) {
            fail_msg("no row for %s", name);
        }
    }
    closedir(folder);
    assert_int_equal(count, COUNT(boards));
}

static void test_faultless(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(boards); i++) {
        char path[300];
        snprintf(path, sizeof path, FOLDER "/%s.yaml", boards[i].name);
        const char *const words[] = {"check", path, NULL};
        struct sdsim_test_result result = sdsim_test_run(words, NULL);
        if (result.code != 0 || result.err[0] != '\0') {
            fail_msg("%s: exit code %d: %s", path, result.code, result.err);
        }
        sdsim_test_result_free(&result);
    }
}

/* What check warns of is known: nothing that a better board file would mend. */
static void test_warnings(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(boards); i++) {
        struct sdsim_test_config f;
        sdsim_test_config_set_up(&f, ".");
        struct sdsim_setup setup;
        const struct sdsim_run *run = load(&f, boards[i].name, "write", large_call, &setup);
        sdsim_setup_lint(run, &setup, &f.diags);
        const char *said = f.diags.count > 0 ? f.diags.items[0].text : NULL;
        const bool known = boards[i].warn == NULL
                               ? said == NULL
                               : f.diags.count == 1 && strstr(said, boards[i].warn) != NULL;
        if (!known) {
            sdsim_diags_print(&f.diags, stderr);
            fail_msg("%s: %zu warnings, not %s", boards[i].name, f.diags.count,
                     boards[i].warn != NULL ? boards[i].warn : "none");
        }
        sdsim_test_config_tear_down(&f);
    }
}

/* ---- wires ---- */

static void test_pins(void **state)
{
    (void)state;
    static const size_t wires[] = {[SDSIM_BUS_SPI] = 4, [SDSIM_BUS_SD1] = 3, [SDSIM_BUS_SD4] = 6};
    for (size_t i = 0; i < COUNT(boards); i++) {
        struct sdsim_test_config f;
        sdsim_test_config_set_up(&f, ".");
        struct sdsim_setup setup;
        load(&f, boards[i].name, "write", large_call, &setup);
        const struct sdsim_list *list = &setup.run.pins;
        const uint64_t *pins = list->items;
        if (list->count > 0 && list->count != wires[setup.run.bus]) {
            fail_msg("%s: %zu pins", boards[i].name, list->count);
        }
        for (size_t a = 0; a < list->count; a++) {
            for (size_t b = 0; b < a; b++) {
                if (pins[a] == pins[b]) {
                    fail_msg("%s: pin %d twice", boards[i].name, (int)pins[a]);
                }
            }
        }
        sdsim_test_config_tear_down(&f);
    }
}

/* ---- runs ---- */

/* The rate the blocks of one long transfer allow, in bytes a second: start token and CRC16 around 512
 * bytes over SPI; start bit, CRC16 and end bit of each line on the SD bus. */
static double ceiling(int bus, double hz)
{
    static const double clocks[] = {[SDSIM_BUS_SPI] = 8 * 515,
                                    [SDSIM_BUS_SD1] = 1 + 4096 + 16 + 1,
                                    [SDSIM_BUS_SD4] = 1 + 1024 + 16 + 1};
    return 512 * hz / clocks[bus];
}

static void check_clock(const struct board *board, const struct sdsim_setup *setup, double hz)
{
    const struct sdsim_clock_source source = sdsim_setup_clock_source(setup);
    if (fabs(hz - board->hz) > 1) {
        fail_msg("%s: %.3f MHz on the wire, not %.3f", board->name, hz / MHZ, board->hz / MHZ);
    }
    if (hz > (double)setup->asked_hz + 1) {
        fail_msg("%s: %.3f MHz on the wire, %.3f asked", board->name, hz / MHZ,
                 (double)setup->asked_hz / MHZ);
    }
    if (hz > (double)source.source_hz) {
        fail_msg("%s: %.3f MHz of a source of %.3f", board->name, hz / MHZ,
                 (double)source.source_hz / MHZ);
    }
}

static double rate(struct sdsim_test_config *f, const struct board *board, const char *action,
                   const char *call)
{
    struct sdsim_setup setup;
    struct sdsim_outcome_report report;
    load(f, board->name, action, call, &setup);
    sdsim_simulate(&setup, NULL, &report);
    if (report.error[0] != '\0' || report.metric != SDSIM_METRIC_THROUGHPUT) {
        fail_msg("%s, %s in calls of %s: %s", board->name, action, call, report.error);
    }
    check_clock(board, &setup, report.bus_hz);
    const double most = ceiling(setup.run.bus, report.bus_hz);
    if (report.value <= 0 || report.value >= most) {
        fail_msg("%s, %s in calls of %s: %.0f B/s, the wire carries %.0f", board->name, action,
                 call, report.value, most);
    }
    return report.value;
}

/* Larger calls cost nothing: what a call costs besides its sectors is there once for more of them. */
static void test_runs(void **state)
{
    (void)state;
    static const char *const actions[] = {"write", "read"};
    for (size_t i = 0; i < COUNT(boards); i++) {
        struct sdsim_test_config f;
        sdsim_test_config_set_up(&f, ".");
        for (size_t a = 0; a < COUNT(actions); a++) {
            const double small = rate(&f, &boards[i], actions[a], small_call);
            const double large = rate(&f, &boards[i], actions[a], large_call);
            if (large < 0.99 * small) {
                fail_msg("%s, %s: %.0f B/s in calls of %s, %.0f in calls of %s", boards[i].name,
                         actions[a], large, large_call, small, small_call);
            }
        }
        sdsim_test_config_tear_down(&f);
    }
}

/* Published by others, and nothing of the profiles was fitted to it. */
static void test_published(void **state)
{
    (void)state;
    static const struct {
        const char *board;
        const char *action;
        double low; /* bytes a second */
        double high;
        double tolerance;
        const char *source;
    } rows[] = {
        {"nano-33-ble", "write", 46000, 46850, 0.05, "SdFat issue 383, SdFat-beta issue 36"},
        {"nano-33-ble", "read", 45830, 47280, 0.05, "SdFat issue 383, SdFat-beta issue 36"},
        {"pico2-sdfat-sdio", "write", 15014050, 15289540, 0.1, "README of SdFat 2.3.1"},
        {"pico2-sdfat-sdio", "read", 15624000, 15624000, 0.1, "README of SdFat 2.3.1"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct sdsim_test_config f;
        sdsim_test_config_set_up(&f, ".");
        for (size_t b = 0; b < COUNT(boards); b++) {
            if (strcmp(boards[b].name, rows[i].board) != 0) {
                continue;
            }
            const double value = rate(&f, &boards[b], rows[i].action, small_call);
            if (value < rows[i].low * (1 - rows[i].tolerance) ||
                value > rows[i].high * (1 + rows[i].tolerance)) {
                fail_msg("%s %s: %.0f B/s, %.0f to %.0f in %s", rows[i].board, rows[i].action,
                         value, rows[i].low, rows[i].high, rows[i].source);
            }
        }
        sdsim_test_config_tear_down(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_none_forgotten), cmocka_unit_test(test_faultless),
        cmocka_unit_test(test_warnings),       cmocka_unit_test(test_pins),
        cmocka_unit_test(test_runs),           cmocka_unit_test(test_published),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
