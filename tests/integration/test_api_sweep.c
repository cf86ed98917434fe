/*
 * Four SD APIs over call sizes from 1 byte to 64 KiB: the order in which the blog "SD Read and Write
 * Speeds on an ESP32" puts them, which has charts and words but no numbers. `sdsim sweep
 * esp32-audiokit-apis --vary workload.call=1B..64KiB*2 --picture FILE` draws the same.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "setup/simulate.h"

enum { SIZES = 17 }; /* 2^0 .. 2^16 */

enum api { SD, SDMMC, IDF_SPI, IDF_MMC, IDF_SPI_PSRAM, IDF_MMC_PSRAM, APIS };
enum direction { WRITES, READS };

static const char *const ids[APIS][2] = {
    [SD] = {"arduino-sd-write", "arduino-sd-read"},
    [SDMMC] = {"arduino-sdmmc-write", "arduino-sdmmc-read"},
    [IDF_SPI] = {"idf-sdspi-write", "idf-sdspi-read"},
    [IDF_MMC] = {"idf-sdmmc-write", "idf-sdmmc-read"},
    [IDF_SPI_PSRAM] = {"idf-sdspi-write-psram", NULL},
    [IDF_MMC_PSRAM] = {"idf-sdmmc-write-psram", NULL},
};

static double rates[APIS][2][SIZES];

static double predict(struct sdsim_config *config, const char *id, unsigned size)
{
    char call[64];
    struct sdsim_diags diags;
    struct sdsim_setup setup;
    struct sdsim_outcome_report report;
    double value = 0;
    snprintf(call, sizeof call, "workload.call=%luB", 1ul << size);
    const char *const overrides[] = {call, NULL};
    sdsim_diags_init(&diags);
    const struct sdsim_scenario *scenario =
        sdsim_scenario_load(config, "scenarios/esp32-audiokit-apis.yaml", overrides, &diags);
    assert_non_null(scenario);
    for (size_t i = 0; i < scenario->count; i++) {
        if (strcmp(scenario->runs[i].id, id) == 0) {
            assert_true(sdsim_setup_bind(config, &scenario->runs[i], 0, &setup, &diags));
            sdsim_simulate(&setup, NULL, &report);
            assert_string_equal(report.error, "");
            value = report.value;
        }
    }
    sdsim_diags_free(&diags);
    assert_true(value > 0);
    return value;
}

static int sweep(void **state)
{
    (void)state;
    struct sdsim_config *config = sdsim_config_create(".");
    for (int api = 0; api < APIS; api++) {
        for (int direction = 0; direction < 2; direction++) {
            for (unsigned size = 0; ids[api][direction] != NULL && size < SIZES; size++) {
                rates[api][direction][size] = predict(config, ids[api][direction], size);
            }
        }
    }
    sdsim_config_destroy(config);
    return 0;
}

/* At 2^size bytes `first` is at least as fast as `second`, to two percent: large writes of both SDMMC
 * stacks are the same commands. */
static void check_order(enum api first, enum api second, enum direction direction, unsigned size)
{
    const double a = rates[first][direction][size];
    const double b = rates[second][direction][size];
    if (a < 0.98 * b) {
        fail_msg("%s with %lu bytes: %.0f B/s, %s %.0f", ids[first][direction], 1ul << size, a,
                 ids[second][direction], b);
    }
}

/* "Depends on the call size; below 100 bytes a large overhead; tops out slightly above 0.4 MB/s, read
 * and write." */
static void arduino_sd_tops_out(void **state)
{
    (void)state;
    for (int direction = 0; direction < 2; direction++) {
        const double *rate = rates[SD][direction];
        assert_true(rate[SIZES - 1] > 0.40e6 && rate[SIZES - 1] < 0.46e6);
        for (unsigned size = 1; size < SIZES; size++) {
            assert_true(rate[size] >= 0.995 * rate[size - 1]);
            assert_true(size < 7 || rate[size] > 0.9 * rate[SIZES - 1]); /* 128 bytes */
        }
        assert_true(rate[4] < 0.8 * rate[SIZES - 1]); /* 16 bytes */
        assert_true(rate[0] < 0.25 * rate[SIZES - 1]);
    }
}

/* "Far faster, grows with the call size." */
static void sdmmc_grows_far_above_sd(void **state)
{
    (void)state;
    for (int direction = 0; direction < 2; direction++) {
        for (unsigned size = 0; size < SIZES; size++) {
            const double sdmmc = rates[SDMMC][direction][size];
            assert_true(size == 0 || sdmmc >= 0.995 * rates[SDMMC][direction][size - 1]);
            assert_true(sdmmc > (size < 5 ? 1.0 : 3.0) * rates[SD][direction][size]);
        }
    }
}

/* "Fastest of all except for very small calls (and, reading, very big ones)." */
static void sdmmc_is_first_between_very_small_and_very_big(void **state)
{
    (void)state;
    static const enum api others[] = {SD, IDF_SPI, IDF_MMC};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        for (unsigned size = 3; size < SIZES; size++) { /* writing, from 8 bytes on; IDF is alike */
            check_order(SDMMC, others[i], WRITES, size);
        }
        for (unsigned size = 3; size <= 11; size++) { /* reading, to 2 KiB */
            check_order(SDMMC, others[i], READS, size);
        }
    }
    /* Small calls: next to nothing is between them, at 64 bytes three times. */
    assert_true(rates[SDMMC][READS][0] < 1.25 * rates[IDF_MMC][READS][0]);
    assert_true(rates[SDMMC][READS][6] > 3 * rates[IDF_MMC][READS][6]);
    /* Very big reads: stdio refills 4 KiB at a time, a plain read doesn't. */
    for (unsigned size = 13; size < SIZES; size++) {
        check_order(IDF_MMC, SDMMC, READS, size);
        assert_true(rates[IDF_MMC][READS][size] > 1.3 * rates[SDMMC][READS][size]);
    }
}

/* "ESP-IDF SDSPI and SDMMC behind a plain VFS file: ... read rate grows with it; reads better than
 * Arduino SD." */
static void idf_reads_grow_and_beat_sd(void **state)
{
    (void)state;
    static const enum api idf[] = {IDF_SPI, IDF_MMC};
    for (size_t i = 0; i < 2; i++) {
        for (unsigned size = 0; size < SIZES; size++) {
            const double *rate = rates[idf[i]][READS];
            assert_true(size == 0 || rate[size] > rate[size - 1]);
            check_order(idf[i], SD, READS, size);
        }
    }
}

/* "Write rate constant in the call size": so it is with buffers DMA can't reach, from 16 bytes to 64
 * KiB within a tenth; with others it isn't. */
static void idf_writes_from_psram_are_constant(void **state)
{
    (void)state;
    static const enum api idf[][2] = {{IDF_SPI_PSRAM, IDF_SPI}, {IDF_MMC_PSRAM, IDF_MMC}};
    for (size_t i = 0; i < 2; i++) {
        const double *psram = rates[idf[i][0]][WRITES];
        for (unsigned size = 4; size < SIZES; size++) {
            assert_true(psram[size] > 0.9 * psram[SIZES - 1]);
            assert_true(psram[size] < 1.1 * psram[SIZES - 1]);
        }
        assert_true(rates[idf[i][1]][WRITES][SIZES - 1] > 5 * rates[idf[i][1]][WRITES][4]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arduino_sd_tops_out),
        cmocka_unit_test(sdmmc_grows_far_above_sd),
        cmocka_unit_test(sdmmc_is_first_between_very_small_and_very_big),
        cmocka_unit_test(idf_reads_grow_and_beat_sd),
        cmocka_unit_test(idf_writes_from_psram_are_constant),
    };
    return cmocka_run_group_tests(tests, sweep, NULL);
}
