/*
 * Runs worked out together against runs stepped one by one: random streams through random stacks,
 * with a printed seed. Times to the picosecond, levels and losses to the byte, all cells of the
 * account, and every sector of metadata on the medium must be the same.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/tree.h"
#include "core/rng.h"
#include "flash/medium.h"
#include "sanitized.h"
#include "setup/cohort.h"
#include "setup/cohort_state.h"

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

enum { RUNS = 6, TRIALS = SDSIM_SANITIZED ? 25 : 150 };

struct trial {
    char text[1500];
    struct sdsim_config *config;
    struct sdsim_setup setup;
    struct sdsim_medium *prepared;
    struct sdsim_logger logger;
    struct sdsim_cohort_run runs[RUNS];
    struct sdsim_cohort_work work;
    struct sdsim_medium *stepped[RUNS]; /* what each run wrote, stepped */
    unsigned compared;                  /* runs whose medium was compared */
};

static uint64_t below(struct sdsim_rng *rng, uint64_t bound)
{
    return sdsim_rng_below(rng, bound);
}

/* ---- random scenarios ---- */

static const char *const drivers[] = {
    "generic-spi",
    "arduino-esp32-sd",
    "esp-idf-sdspi",
    "circuitpython-sdcardio",
    "sdfat-spi-dedicated",
    "sdfat-spi-shared",
    "carlk3-spi",
    "chan-mmc-spi",
    "nuttx-mmcsd-spi",
    "arduino-sd-classic",
    "mbed-sd",
    "esp-idf-sdmmc",
    "sdfat-teensy-sdio",
    "carlk3-sdio",
    "stm32-hal-sd",
    "nuttx-mmcsd-sdio",
    "circuitpython-sdioio-stm",
    "generic-sd-dma",
    "nxp-sdk-usdhc",
    "linux-mmc",
    "p2-sd-driver",
};

static const char *const cards[] = {
    "sdhc16g-c10", "sdhc4g-c4",    "sdhc8g-c4",         "sdsc2g",
    "sdhc32g-u1",  "sdxc64g-a2",   "sdhc32g-a1",        "lexar-play-128gb-a2",
    "sdsc64-slc",  "phison-sd8gb", "sandisk-su04g-4gb", "industrial-slc",
};

/* A pause in the flow {...} of keys that make events frequent, so that short runs have many. */
static void write_card(struct sdsim_rng *rng, FILE *out)
{
    fprintf(out, "card: {base: %s, pause_every: %lukB, rare_every: %lukB, rare_length: %lums}\n",
            cards[below(rng, COUNT_OF(cards))], (unsigned long)(50 + below(rng, 1000)),
            (unsigned long)(100 + below(rng, 3000)), (unsigned long)(20 + below(rng, 500)));
}

static void write_filesystem(struct sdsim_rng *rng, bool fat32, FILE *out)
{
    static const char *const clusters[] = {"4KiB", "16KiB", "32KiB"};
    static const char *const fills[] = {"", ", fill: 30%", ", fill: 50%, fragment: 256KiB"};
    fprintf(out, "filesystem: {%s%s%s}\n",
            fat32           ? "type: fat32, cluster: "
            : below(rng, 2) ? "type: exfat"
                            : "type: auto",
            fat32 ? clusters[below(rng, 3)] : "", fat32 ? fills[below(rng, 3)] : "");
}

static void write_arrivals(struct sdsim_rng *rng, uint64_t call, FILE *out)
{
    const unsigned long rate = (unsigned long)(10000 + below(rng, 400000));
    if (below(rng, 3) > 0) {
        fprintf(out, "rate: %luB/s, item: %luB", rate, (unsigned long)(call / 4));
        return;
    }
    fprintf(out, "burst: %luB, burst_every: %luus", (unsigned long)call / 2,
            (unsigned long)(call / 2 * 1000000 / rate));
}

static void write_workload(struct sdsim_rng *rng, bool raw, bool linux_api, FILE *out)
{
    static const unsigned calls[] = {512, 1024, 4096, 16384, 400, 1000};
    static const char *const queues[] = {"ring", "ping-pong", "items"};
    const unsigned call = calls[below(rng, raw || linux_api ? 4 : 6)];
    fprintf(out, "workload: {do: stream, on: %s, call: %uB, duration: %lums, ",
            raw ? "raw" : "file", call, (unsigned long)(2000 + below(rng, 20000)));
    write_arrivals(rng, call, out);
    fprintf(out, ", queue: %s", queues[below(rng, 3)]);
    if (below(rng, 2) > 0) {
        fprintf(out, ", ram: %luB", (unsigned long)call * 2 * (1 + (unsigned long)below(rng, 8)));
    }
    switch (below(rng, 4)) {
    case 0:
        fprintf(out, ", sync_interval: %lums", (unsigned long)(100 + below(rng, 2000)));
        break;
    case 1:
        fprintf(out, ", sync_every: %lu", (unsigned long)(1 + below(rng, 40)));
        break;
    case 2:
        fputs(", final_sync: yes", out);
        break;
    default:
        break;
    }
    if (!raw && below(rng, 4) == 0) {
        fprintf(out, ", preallocate: yes");
    }
    if (!raw && below(rng, 4) == 0) {
        fprintf(out, ", rotate_every: %luB",
                (unsigned long)call * (20 + (unsigned long)below(rng, 200)));
    }
    fputs("}\n", out);
}

static void write_scenario(struct sdsim_rng *rng, char *text, size_t size)
{
    static const char *const apis[] = {"posix", "fatfs",         "sdfat",          "arduino",
                                       "stdio", "circuitpython", "arduino-classic"};
    /* Some make clocks whose period is no whole number of picoseconds. */
    static const char *const hosts[] = {"unspecified", "unspecified", "rp2350",  "imxrt1062",
                                        "samd51",      "stm32f4",     "esp32s3", "stm32h7"};
    static const char *const clocks[] = {"20MHz", "25MHz", "10MHz"};
    FILE *out = fmemopen(text, size, "w");
    const char *driver = drivers[below(rng, COUNT_OF(drivers))];
    const bool raw = below(rng, 5) == 0;
    const bool linux_api = strcmp(driver, "linux-mmc") == 0;
    const bool p2 = strcmp(driver, "p2-sd-driver") == 0;
    const char *host = linux_api ? "linux-native" : p2 ? "p2" : hosts[below(rng, COUNT_OF(hosts))];
    fprintf(out, "kind: scenario\nhost: %s\ndriver: %s\nclock: %s\n", host, driver,
            clocks[below(rng, 3)]);
    fprintf(out, "file: {api: %s}\n",
            linux_api ? "linux"
            : p2      ? "p2-file"
                      : apis[below(rng, COUNT_OF(apis))]);
    write_card(rng, out);
    if (!raw) {
        write_filesystem(rng, below(rng, 3) > 0, out);
    }
    write_workload(rng, raw, linux_api, out);
    fprintf(out, "seed: %lu\n", (unsigned long)below(rng, 1000));
    fclose(out);
}

/* ---- one trial ---- */

static bool set_up(struct trial *trial)
{
    struct sdsim_diags diags;
    struct sdsim_outcome_report report;
    sdsim_diags_init(&diags);
    const struct sdsim_scenario *scenario =
        sdsim_scenario_of_text(trial->config, "trial", trial->text, NULL, &diags);
    bool fine = scenario != NULL &&
                sdsim_setup_bind(trial->config, &scenario->runs[0], 0, &trial->setup, &diags);
    if (getenv("SDSIM_COHORT_SHOW") != NULL && !fine) {
        fputs(trial->text, stderr);
        sdsim_diags_print(&diags, stderr);
    }
    if (fine) {
        const struct sdsim_workload_params *params = &trial->setup.run.workload;
        const struct sdsim_logger_writer writer = sdsim_workload_writer(params);
        fine = sdsim_logger_init(&trial->logger, &params->logger, &writer, &diags);
    }
    trial->prepared = fine ? sdsim_prepare_medium(&trial->setup, &report) : NULL;
    sdsim_diags_free(&diags);
    return trial->prepared != NULL;
}

/* All a run wrote besides data must be what it wrote when it was stepped. */
static void compare_medium(void *context, size_t run, const struct sdsim_cohort_state *state)
{
    struct trial *trial = context;
    uint32_t lba;
    const uint8_t *bytes;
    for (size_t i = 0; (bytes = sdsim_branch_sector_at(&state->branch, i, &lba)) != NULL; i++) {
        uint8_t stepped[SDSIM_SECTOR];
        sdsim_medium_read(trial->stepped[run], lba, 1, stepped);
        if (memcmp(stepped, bytes, sizeof stepped) != 0) {
            fail_msg("run %zu: sector %lu differs\n%s", run, (unsigned long)lba, trial->text);
        }
    }
    trial->compared++;
}

static void equal(const struct trial *trial, size_t run, const char *what, uint64_t a, uint64_t b)
{
    if (a != b) {
        fail_msg("run %zu: %s is %llu together and %llu stepped\n%s", run, what,
                 (unsigned long long)a, (unsigned long long)b, trial->text);
    }
}

static void compare_run(const struct trial *trial, size_t i,
                        const struct sdsim_outcome_report *stepped)
{
    const struct sdsim_cohort_run *run = &trial->runs[i];
    const struct sdsim_workload_result *workload = &stepped->workload;
    const struct sdsim_stream_result *stream = &workload->stream;
    if ((run->error != NULL) != (workload->error != NULL)) {
        fail_msg("run %zu: %s together, %s stepped\n%s", i,
                 run->error != NULL ? run->error : "fine",
                 workload->error != NULL ? workload->error : stepped->error, trial->text);
    }
    if (run->error != NULL) {
        assert_string_equal(run->error, workload->error);
        return;
    }
    equal(trial, i, "arrived", run->arrived, stream->arrived);
    equal(trial, i, "lost", run->lost, stream->lost);
    equal(trial, i, "lost_at", run->lost_at, stream->lost_at);
    equal(trial, i, "highest", run->highest, stream->highest);
    equal(trial, i, "highest_at", run->highest_at, stream->highest_at);
    equal(trial, i, "exposed", run->exposed, stream->exposed);
    equal(trial, i, "exposed_at", run->exposed_at, stream->exposed_at);
    equal(trial, i, "ended", run->ended, stream->ended);
    for (int p = 0; p < SDSIM_PURPOSE_COUNT; p++) {
        for (int k = 0; k < SDSIM_KIND_COUNT; k++) {
            char what[64];
            snprintf(what, sizeof what, "account %s of %s", sdsim_kind_name((enum sdsim_kind)k),
                     sdsim_purpose_name((enum sdsim_purpose)p));
            equal(trial, i, what, run->account.ps[p][k], workload->account.ps[p][k]);
        }
    }
}

static void step_all(struct trial *trial, struct sdsim_outcome_report reports[RUNS])
{
    for (uint32_t i = 0; i < RUNS; i++) {
        struct sdsim_setup setup = trial->setup;
        setup.draw = i;
        trial->stepped[i] = sdsim_medium_copy(trial->prepared);
        assert_non_null(trial->stepped[i]);
        sdsim_simulate_on(&setup, trial->stepped[i], NULL, &reports[i]);
    }
}

static void free_trial(struct trial *trial)
{
    for (size_t i = 0; i < RUNS; i++) {
        sdsim_medium_destroy(trial->stepped[i]);
    }
    sdsim_medium_destroy(trial->prepared);
    sdsim_logger_free(&trial->logger);
    sdsim_config_destroy(trial->config);
    free(trial);
}

/* In so much RAM as a run was found to need it loses nothing, and in a byte (an item) less it does. */
static void need_is_exact(struct trial *trial, const struct sdsim_cohort_plan *plan, size_t run)
{
    const uint64_t need = trial->runs[run].highest;
    const uint64_t least = trial->logger.shape.kind == SDSIM_QUEUE_ITEMS ? trial->logger.shape.item
                                                                         : trial->logger.shape.unit;
    struct sdsim_logger logger = trial->logger;
    struct sdsim_cohort_run alone;
    struct sdsim_outcome_report report;
    struct sdsim_cohort_plan one = *plan;
    logger.shape.arrivals = &logger.arrivals;
    one.logger = &logger;
    one.first = (uint32_t)run;
    one.count = 1;
    one.ended = NULL;
    for (int less = 0; less < 2; less++) {
        const uint64_t item = trial->logger.shape.item;
        if (trial->runs[run].error != NULL || need < least + (less ? item : 0)) {
            return;
        }
        logger.shape.capacity = less ? need - item : need;
        assert_true(sdsim_cohort_simulate(&one, &alone, NULL, &report));
        equal(trial, run, less ? "a loss with less" : "a loss with enough", alone.lost > 0,
              less != 0);
    }
}

/* Whether the scenario made sense. Adds up what was done. */
static bool try(uint64_t seed, struct sdsim_cohort_work *work)
{
    struct trial *trial = calloc(1, sizeof *trial);
    struct sdsim_outcome_report reports[RUNS];
    struct sdsim_outcome_report report;
    struct sdsim_rng rng;
    assert_non_null(trial);
    sdsim_rng_seed(&rng, seed);
    write_scenario(&rng, trial->text, sizeof trial->text);
    trial->config = sdsim_config_create(".");
    assert_non_null(trial->config);
    const bool sensible = set_up(trial);
    if (sensible) {
        const struct sdsim_cohort_plan plan = {
            .setup = &trial->setup,
            .prepared = trial->prepared,
            .logger = &trial->logger,
            .count = RUNS,
            .accounts = true,
            .ended = compare_medium,
            .context = trial,
        };
        step_all(trial, reports);
        if (sdsim_cohort_simulate(&plan, trial->runs, &trial->work, &report)) {
            for (size_t i = 0; i < RUNS; i++) {
                compare_run(trial, i, &reports[i]);
            }
            if (trial->logger.shape.capacity == SDSIM_QUEUE_UNLIMITED) {
                need_is_exact(trial, &plan, 1 + seed % (RUNS - 1));
            }
            work->calls += trial->work.calls;
            work->stepped += trial->work.stepped;
        } else if (reports[0].error[0] == '\0') {
            fail_msg("together: %s\n%s", report.error, trial->text);
        }
    }
    free_trial(trial);
    return sensible;
}

static void together_as_alone(void **state)
{
    (void)state;
    const char *given = getenv("SDSIM_TEST_SEED");
    const uint64_t seed = given != NULL ? strtoull(given, NULL, 10) : 20260301;
    struct sdsim_cohort_work work = {.calls = 0};
    unsigned sensible = 0;
    unsigned trials = 0;
    while (sensible < TRIALS) {
        assert_true(trials < 20 * TRIALS);
        const uint64_t of_trial = sdsim_hash_number(seed, trials++);
        print_message("seed %llu\n", (unsigned long long)of_trial);
        sensible += try(of_trial, &work) ? 1 : 0;
    }
    print_message("seed %llu: %u scenarios, %llu calls, %llu stepped\n", (unsigned long long)seed,
                  sensible, (unsigned long long)work.calls, (unsigned long long)work.stepped);
    assert_true(work.stepped < work.calls);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(together_as_alone)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
