/*
 * What the linter says, and what it keeps silent about: one clean scenario, and a table of changes
 * to it with the warning each must cause. And how fitted values are counted.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scenario_bench.h"
#include "scratch.h"
#include "setup/setup.h"

#include "diag_text.h"

static const char scenario_text[] =
    "kind: scenario\n"
    "host:\n"
    "  cpu: 240MHz\n"
    "  strapping_pins: [2, 12]\n"
    "  clocks:\n"
    "    spi: {rule: esp32-arduino, source: 80MHz}\n"
    "    spi-idf: {rule: esp-idf-spi, source: 80MHz}\n"
    "    sdmmc: {rule: esp-sdmmc, source: 160MHz}\n"
    "  drivers:\n"
    "    arduino-esp32-sd: {call: 15us, chunk: 64B,\n"
    "                       chunk_gap: {value: 5us, from: fitted, fit: headline}}\n"
    "    esp-idf-sdspi: {call: {value: 10us, from: fitted}}\n"
    "    esp-idf-sdmmc: {call: 10us}\n"
    "  files: {arduino: {call: 20us}, posix: {call: {value: 30us, from: fitted}}}\n"
    "driver: {code: arduino-esp32-sd, clock: spi, default_clock: 4MHz, status_after_write: 1}\n"
    "card: {type: sdhc, capacity: 4GB, high_speed_clock: 50MHz, rd1: 500us, page: 16KiB,\n"
    "       w1: {value: 2ms, from: fitted, fit: headline}, wstop: 1ms}\n"
    "wires: short\n"
    "clock: 20MHz\n"
    "file: {api: posix}\n"
    "workload: {do: write, call: 256KiB, total: 1MiB}\n";

static const char sdmmc[] = "driver={code: esp-idf-sdmmc, clock: sdmmc, default_clock: 20MHz, "
                            "bounce_blocks: 1}";
static const char sdspi[] = "driver={code: esp-idf-sdspi, clock: spi-idf, default_clock: 20MHz}";

static int set_up(void **state)
{
    sdsim_test_write_text(sdsim_test_path("scenario.yaml"), scenario_text);
    return sdsim_test_scenarios_up(state);
}

/* Loads the scenario with changes and lints it `times` times; errors fail the test. */
static void lint(struct sdsim_test_scenarios *bench, const char *const *changes, unsigned times)
{
    sdsim_test_scenario_bind(bench, sdsim_test_path("scenario.yaml"), NULL, changes);
    for (unsigned i = 0; i < times; i++) {
        sdsim_setup_lint(bench->run, &bench->setup, &bench->diags);
    }
}

/* ---- the warnings ---- */

struct row {
    const char *const changes[5];
    const char *text; /* part of the only warning; NULL: there must be none */
    const char *help; /* part of its help */
    const char *line; /* part of the source line it points at */
};

static const struct row rows[] = {
    {{NULL}, NULL, NULL, NULL},

    /* clocks */
    {{"clock=25MHz"}, NULL, NULL, NULL},
    {{"clock=30MHz"}, "26.667MHz on the wire are above the card's 25MHz", "ask for 25MHz", "30MHz"},
    {{"clock=80MHz"}, "80MHz on the wire", "ask for 25MHz", "80MHz"},
    {{"clock=40MHz", "card.clock=50MHz"}, NULL, NULL, NULL},
    {{sdspi, "clock=20MHz"}, NULL, NULL, NULL},
    {{sdspi, "clock=25MHz"},
     "25MHz asked for become 26.667MHz on the wire, above the card's 25MHz",
     "ask for 23MHz",
     "25MHz"},
    {{sdmmc, "bus=sd4", "clock=40MHz"}, NULL, NULL, NULL},

    /* wires */
    {{"wires=long"}, NULL, NULL, NULL},
    {{"wires=long", "clock=40MHz", "card.clock=50MHz"},
     "40MHz over long wires",
     "22 to 33 ohm",
     "long"},
    {{sdmmc, "bus=sd4", "clock=40MHz", "wires=long"}, "40MHz over long wires", "20MHz", "long"},
    {{sdmmc, "bus=sd4", "clock=40MHz", "wires=short"}, NULL, NULL, NULL},

    /* pins */
    {{"pins=[2, 12]"}, NULL, NULL, NULL},
    {{sdmmc, "bus=sd4", "pins=[14, 15, 2, 4, 12, 13]"},
     "hold GPIO2, GPIO12 at reset, when the chip samples them",
     "eFuse",
     "[14, 15"},
    {{sdmmc, "bus=sd1", "pins=[14, 15, 2]"},
     "GPIO2 at reset, when the chip samples it:",
     "pins",
     "[14, 15"},
    {{sdmmc, "bus=sd1", "pins=[14, 15, 4]"}, NULL, NULL, NULL},

    /* volumes */
    {{"card.capacity=64GB", "card.type=sdxc"}, NULL, NULL, NULL},
    {{"card.capacity=64GB", "card.type=sdxc", "reads_exfat=no"},
     "a card of more than 32GB comes as exFAT",
     "FAT32",
     NULL},
    {{"card.capacity=64GB", "card.type=sdxc", "reads_exfat=no", "filesystem={type: fat32}"},
     NULL,
     NULL,
     NULL},
    {{"card.capacity=32GB", "reads_exfat=no"}, NULL, NULL, NULL},
    {{"reads_exfat=no", "filesystem={type: exfat}"},
     "this firmware can't read exFAT",
     "FAT32",
     "exfat"},
    {{"card.capacity=64GB", "card.type=sdxc", "reads_exfat=no", "workload.on=raw"},
     NULL,
     NULL,
     NULL},

    /* calls */
    {{"workload.call=8KiB"}, NULL, NULL, NULL},
    {{"workload.call=4KiB"},
     "small calls: each write of 4KiB costs 1.044ms besides its sectors, which take 1.638ms on the "
     "wire; most of it is the card's programming",
     "with calls of 8KiB it is less than a third of that",
     "4KiB"},
    {{"workload.call=512B", "workload.on=raw"}, "each write of 512B costs", "of 8KiB", "512B"},
    {{"workload={do: read, call: 4KiB, on: raw}"}, NULL, NULL, NULL},
    {{"workload={do: read, call: 4KiB, on: raw}", "card.rd1=700us"},
     "each read of 4KiB costs 720.6us besides its sectors, which take 1.638ms on the wire; most of "
     "it is the card's access",
     "of 8KiB",
     "4KiB"},
    {{"workload={do: log, lines: 10}"}, NULL, NULL, NULL},
    /* where larger calls bring nothing: a buffer, clusters of one sector */
    {{"workload={do: read, call: 4KiB}", "file.api=arduino", "card.rd1=700us"}, NULL, NULL, NULL},
    {{"workload.call=4KiB", "filesystem={type: fat32, cluster: 512B}"}, NULL, NULL, NULL},
    /* a buffer makes large commands of small calls, but the host's part of each remains */
    {{"workload.call=1KiB", "file.api=arduino"}, NULL, NULL, NULL},
    {{"workload.call=100B", "file.api=arduino"},
     "each write of 100B costs 18.2us besides its sectors, which take 40us on the wire; most of it "
     "is the host's CPU time",
     "of 512B",
     "100B"},

    /* keys nobody uses; what was set by hand for one run is left alone */
    {{"workload={do: log, lines: 10, call: 16B}"},
     "do: log takes no notice of call",
     "do: write read",
     "call: 16B"},
    {{"workload={do: mount, files: 10}"},
     "do: mount takes no notice of files",
     "open open-each create list",
     "files: 10"},
    {{"workload={do: write, call: 256KiB, times: 3}"},
     "do: write takes no notice of times",
     "append",
     "times: 3"},
    {{"workload={do: write, call: 256KiB, timed: passes, times: 3}"}, NULL, NULL, NULL},
    {{"workload={do: write, call: 256KiB, start: 16MiB}"},
     "do: write on a file takes no notice of start",
     "on: raw",
     "start: 16MiB"},
    {{"workload={do: write, on: raw, call: 256KiB, start: 16MiB}"}, NULL, NULL, NULL},
    {{"workload.do=mount"}, NULL, NULL, NULL},
    {{"workload.times=3"}, NULL, NULL, NULL},

    /* file APIs */
    {{"file.api=sdfat"},
     "the host (inline) has no costs for the file API sdfat: its calls take no time of their own",
     "), or add an entry under `files`",
     "sdfat"},
    {{"file.api=sdfat", "workload.on=raw"}, NULL, NULL, NULL},
    {{"file.api=micropython", "card.capacity=64GB", "card.type=sdxc",
      "host.files={micropython: {call: 60us}}"},
     "a card of more than 32GB comes as exFAT",
     "FAT32",
     NULL},

    /* buffers */
    {{"usable_buffers=no"}, NULL, NULL, NULL}, /* this driver has no DMA */
    {{sdmmc, "bus=sd4", "usable_buffers=no"}, "every command moves 1 sector", "PSRAM", "no"},

    /* syncs */
    {{"workload.sync_every=2"}, NULL, NULL, NULL},
    {{"workload.sync_every=1"}, "a sync after every call writes directory", "once a second", "1"},
    {{"workload.sync_every=1", "workload.on=raw"}, "a sync after every call ends", "second", "1"},
    {{"workload={do: log, sync_every: 1}"}, "after every line", "second", "sync_every: 1"},
};

static void check_row(struct sdsim_test_scenarios *bench, const struct row *row, size_t number)
{
    lint(bench, row->changes, 1);
    const struct sdsim_diags *diags = &bench->diags;
    const struct sdsim_diag *diag = diags->count > 0 ? &diags->items[0] : NULL;
    char *text = sdsim_test_diag_text(diags);
    const bool right =
        row->text == NULL
            ? diag == NULL
            : diags->count == 1 && diag->severity == SDSIM_WARNING &&
                  strstr(diag->text, row->text) != NULL && diag->help != NULL &&
                  strstr(diag->help, row->help) != NULL && diag->source_line != NULL &&
                  (row->line == NULL || strstr(diag->source_line, row->line) != NULL);
    if (!right) {
        fail_msg("row %zu (%s): expected %s, got\n%s", number,
                 row->changes[0] != NULL ? row->changes[0] : "clean",
                 row->text != NULL ? row->text : "nothing", text);
    }
    free(text);
    sdsim_diags_free(&bench->diags);
}

static void test_warnings(void **state)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        check_row(*state, &rows[i], i);
    }
}

/* A warning that several runs share is given once. */
static void test_said_once(void **state)
{
    struct sdsim_test_scenarios *bench = *state;
    static const char *const changes[] = {"workload.sync_every=1", "workload.call=512B", NULL};
    lint(bench, changes, 3);
    assert_int_equal(bench->diags.count, 2);
}

/* ---- fitted values ---- */

struct fit_row {
    const char *const changes[4];
    size_t headline;
    size_t other;
};

static const struct fit_row fit_rows[] = {
    /* chunk_gap and w1; the posix call */
    {{NULL}, 2, 1},
    {{"file.api=arduino"}, 2, 0},
    {{"workload.on=raw"}, 2, 0},
    /* of another driver: w1; the posix call and that of sdspi */
    {{sdspi}, 1, 2},
    {{sdmmc, "bus=sd4"}, 1, 1},
    /* a value that was overridden is not fitted any more */
    {{"card.w1=1ms"}, 1, 1},
};

static void test_fits(void **state)
{
    struct sdsim_test_scenarios *bench = *state;
    for (size_t i = 0; i < sizeof fit_rows / sizeof *fit_rows; i++) {
        const struct fit_row *row = &fit_rows[i];
        const struct sdsim_scenario *scenario = sdsim_scenario_load(
            bench->config, sdsim_test_path("scenario.yaml"), row->changes, &bench->diags);
        assert_non_null(scenario);
        const struct sdsim_run *const runs[] = {&scenario->runs[0], &scenario->runs[0]};
        const struct sdsim_fit_count one = sdsim_fitted_values(runs, 1);
        const struct sdsim_fit_count two = sdsim_fitted_values(runs, 2);
        if (one.headline != row->headline || one.other != row->other) {
            fail_msg("row %zu: %zu and %zu, expected %zu and %zu", i, one.headline, one.other,
                     row->headline, row->other);
        }
        assert_int_equal(two.headline, one.headline);
        assert_int_equal(two.other, one.other);
    }
    const struct sdsim_fit_count none = sdsim_fitted_values(NULL, 0);
    assert_int_equal(none.headline + none.other, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_warnings, set_up, sdsim_test_scenarios_down),
        cmocka_unit_test_setup_teardown(test_said_once, set_up, sdsim_test_scenarios_down),
        cmocka_unit_test_setup_teardown(test_fits, set_up, sdsim_test_scenarios_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
