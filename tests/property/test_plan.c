/*
 * Records of random words and numbers end as a run or as a reason, and every run can be forecast.
 *
 *     test_plan [SEED [RECORDS]]      another seed, more of them
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

#include "core/rng.h"
#include "measure/forecast.h"
#include "unit/plan_bench.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static uint64_t random_seed = 5;
static unsigned random_records = 2000;

static const char *pick(struct sdsim_rng *rng, const char *const *words, size_t count)
{
    return words[sdsim_rng_below(rng, count)];
}

#define PICK(rng, words) pick(rng, words, COUNT(words))

/* Numbers small, usual and huge. */
static uint64_t random_count(struct sdsim_rng *rng)
{
    static const uint64_t special[] = {1,           2,
                                       511,         512,
                                       513,         1000,
                                       4096,        65536,
                                       1048576,     4194304,
                                       8388608,     1000000000,
                                       10000000000, UINT64_C(1) << 40,
                                       1000000,     25000000,
                                       400000000,   240000000,
                                       2022,        1000000000000000};
    if (sdsim_rng_below(rng, 3) > 0) {
        return special[sdsim_rng_below(rng, COUNT(special))];
    }
    const uint64_t any = sdsim_rng_next(rng) >> (14 + sdsim_rng_below(rng, 50));
    return any > 1000000000000000 ? 1 : any;
}

static void print_words(FILE *out, struct sdsim_rng *rng)
{
    static const char *const hosts[] = {
        "esp32",   "esp32s3",      "esp32c3",          "rp2040",      "rp2350",   "imxrt1062",
        "stm32f4", "stm32h7",      "atmega328p",       "samd51",      "sams70",   "p2",
        "ra4m1",   "linux-native", "linux-usb-reader", "unspecified", "teensy36", "nonsense"};
    static const char *const drivers[] = {"sdfat-sdio",       "sdfat-spi-dedicated",
                                          "sdfat-spi-shared", "arduino-esp32-sd",
                                          "esp-idf-sdmmc",    "esp-idf-sdspi",
                                          "stm32-hal-sd",     "micropython-sdcard",
                                          "nuttx-mmcsd-sdio", "circuitpython-sdcardio",
                                          "chan-mmc-spi",     "carlk3-spi",
                                          "carlk3-sdio",      "linux-mmc",
                                          "usb-reader",       "p2-sd-driver",
                                          "generic-sd-dma",   "arduino-sd-classic",
                                          "own-hsmci",        "nonsense"};
    static const char *const buses[] = {"spi", "sd1", "sd4"};
    static const char *const ops[] = {"read", "write", "append", "random-read", "random-write"};
    static const char *const metrics[] = {"throughput_Bps", "latency_mean_s", "latency_min_s",
                                          "latency_max_s"};
    static const char *const apis[] = {"raw",   "arduino-file", "sdfat-file",    "fatfs",  "stdio",
                                       "posix", "micropython",  "circuitpython", "python", "x"};
    static const char *const volumes[] = {"raw", "fat12", "fat16", "fat32", "exfat", "x"};
    static const char *const classes[] = {"sdsc2g", "sdhc8g-c4",    "sdhc32g-u1", "sdxc64g-a2",
                                          "fake",   "sdsc64-slc",   "unknown",    "x",
                                          "emmc",   "sdnand-csnp4g"};
    static const char *const cards[] = {"Memorex microSD 2GB", "X class 10", "A1", "eMMC chip"};
    const char *host = PICK(rng, hosts); /* one by one: arguments have no order */
    const char *driver = PICK(rng, drivers);
    const char *bus = PICK(rng, buses);
    const char *op = PICK(rng, ops);
    const char *metric = PICK(rng, metrics);
    fprintf(out, "\"host\":\"%s\",\"driver\":\"%s\",\"bus\":\"%s\",\"op\":\"%s\",\"metric\":\"%s\"",
            host, driver, bus, op, metric);
    if (sdsim_rng_below(rng, 2) > 0) {
        fprintf(out, ",\"api\":\"%s\"", PICK(rng, apis));
    }
    if (sdsim_rng_below(rng, 2) > 0) {
        fprintf(out, ",\"fs\":\"%s\"", PICK(rng, volumes));
    }
    if (sdsim_rng_below(rng, 3) > 0) {
        fprintf(out, ",\"card_class\":\"%s\"", PICK(rng, classes));
    }
    if (sdsim_rng_below(rng, 4) == 0) {
        fprintf(out, ",\"card\":\"%s\"", PICK(rng, cards));
    }
}

static void print_numbers(FILE *out, struct sdsim_rng *rng)
{
    static const struct {
        const char *name;
        unsigned one_in;
    } counts[] = {{"year", 3},       {"cpu_hz", 4},        {"clock_requested_hz", 3},
                  {"clock_hz", 3},   {"cluster_bytes", 6}, {"chunk_bytes", 1},
                  {"total_bytes", 2}};
    static const char *const answers[] = {"dma", "preallocated", "sync_per_write"};
    for (size_t i = 0; i < COUNT(counts); i++) {
        if (sdsim_rng_below(rng, counts[i].one_in) == 0) {
            fprintf(out, ",\"%s\":%" PRIu64, counts[i].name, random_count(rng));
        }
    }
    for (size_t i = 0; i < COUNT(answers); i++) {
        if (sdsim_rng_below(rng, 3) == 0) {
            fprintf(out, ",\"%s\":%s", answers[i], sdsim_rng_below(rng, 2) > 0 ? "true" : "false");
        }
    }
}

static void print_assumptions(FILE *out, struct sdsim_rng *rng)
{
    static const char *const plain[] = {"stream=per-call",
                                        "multi_block=0",
                                        "buffer=unaligned",
                                        "includes=open",
                                        "includes=fsync",
                                        "state=used",
                                        "includes=create,close",
                                        "first_call=excluded",
                                        "state=new",
                                        "state=full",
                                        "state=housekeeping",
                                        "order=random",
                                        "crosses=none",
                                        "crosses=16KiB",
                                        "crosses=4MiB",
                                        "n=1",
                                        "range=low",
                                        "range=high",
                                        "random sector positions",
                                        "spi_transfer=byte",
                                        "open_aus=",
                                        "start_offset=-1",
                                        "f_sync after each call",
                                        "machine.SDCard"};
    static const char *const counted[] = {"open_aus", "start_offset"};
    const uint64_t count = sdsim_rng_below(rng, 4);
    fputs(",\"assumptions\":[", out);
    for (uint64_t i = 0; i < count; i++) {
        fputs(i > 0 ? "," : "", out);
        if (sdsim_rng_below(rng, 4) > 0) {
            fprintf(out, "\"%s\"", PICK(rng, plain));
        } else {
            const char *name = PICK(rng, counted);
            fprintf(out, "\"%s=%" PRIu64 "\"", name, random_count(rng));
        }
    }
    fputc(']', out);
}

/* A run that no test should wait for: its size, not what it is, makes it slow. */
static bool is_slow(const struct sdsim_setup *setup)
{
    return setup->run.workload.total > UINT64_C(1) << 24;
}

/* Numbers that make sense for any run. */
static void check_forecast(const struct sdsim_setup *setup, const struct sdsim_forecast *forecast,
                           const struct sdsim_plan *plan)
{
    const struct sdsim_workload_params *workload = &setup->run.workload;
    const double *value = forecast->value;
    bool fine = true;
    for (int m = 0; m < SDSIM_MEASURED_COUNT; m++) {
        fine = fine && value[m] < 1e15 && value[m] > 0.0;
    }
    /* The mean holds also what is in no call, and first calls that are left out. */
    if (workload->timed == SDSIM_TIMED_CALLS && !workload->final_sync &&
        workload->first_call == SDSIM_FIRST_CALL_INCLUDED) {
        fine = fine && value[SDSIM_MEASURED_MIN] <= value[SDSIM_MEASURED_MEAN] * (1.0 + 1e-9) &&
               value[SDSIM_MEASURED_MEAN] <= value[SDSIM_MEASURED_MAX] * (1.0 + 1e-9);
    }
    if (!fine) {
        fail_msg("seed %" PRIu64 ", %s: %g B/s, calls of %g, %g, %g s in\n%s", random_seed,
                 plan->measurement->id, value[SDSIM_MEASURED_THROUGHPUT], value[SDSIM_MEASURED_MIN],
                 value[SDSIM_MEASURED_MEAN], value[SDSIM_MEASURED_MAX], plan->text);
    }
}

/* Forecasts without draws what can be; for the rest there is a reason. */
static void check_plan(struct sdsim_plan_bench *bench, size_t index, size_t *modelled,
                       size_t *forecasts)
{
    const struct sdsim_plan *plan = &bench->plans.items[index];
    if (plan->reason != NULL) {
        assert_true(plan->reason[0] != '\0');
        return;
    }
    *modelled += 1;
    if (plan->same != index) {
        return;
    }
    struct sdsim_setup *setup = calloc(1, sizeof *setup);
    assert_non_null(setup);
    if (!sdsim_setup_bind(bench->f.config, &plan->run, 0, setup, &bench->f.diags)) {
        fail_msg("seed %" PRIu64 ", record %zu can't be bound:\n%s", random_seed, index,
                 plan->text);
    }
    if (!is_slow(setup)) {
        struct sdsim_forecast forecast;
        sdsim_forecast_run(setup, 0, &forecast);
        if (forecast.error[0] == '\0') {
            check_forecast(setup, &forecast, plan);
            *forecasts += 1;
        }
    }
    free(setup);
}

static void test_random(void **state)
{
    (void)state;
    struct sdsim_plan_bench bench;
    struct sdsim_rng rng;
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    sdsim_rng_seed(&rng, random_seed);
    for (unsigned i = 0; i < random_records; i++) {
        fprintf(out, "{\"id\":\"r%u\",\"value\":1,", i);
        print_words(out, &rng);
        print_numbers(out, &rng);
        print_assumptions(out, &rng);
        fputs("}\n", out);
    }
    assert_int_equal(fclose(out), 0);
    sdsim_plan_bench_open(&bench, text, size, NULL);
    free(text);
    size_t modelled = 0;
    size_t forecasts = 0;
    for (size_t i = 0; i < bench.plans.count; i++) {
        check_plan(&bench, i, &modelled, &forecasts);
    }
    print_message("seed %" PRIu64 ": %u records, %zu can be modelled, %zu forecasts\n", random_seed,
                  random_records, modelled, forecasts);
    assert_true(modelled > random_records / 20); /* else the words are too wild to test much */
    assert_true(forecasts > random_records / 40);
    sdsim_plan_bench_close(&bench);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random),
    };
    random_seed = argc > 1 ? strtoull(argv[1], NULL, 10) : random_seed;
    random_records = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : random_records;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
