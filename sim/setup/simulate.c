#include "setup/simulate.h"

#include <stdio.h>
#include <stdlib.h>

#include "fat/driver_disk.h"
#include "fat/medium_disk.h"
#include "fat/mkfs.h"

const char *sdsim_metric_name(enum sdsim_metric metric)
{
    return metric == SDSIM_METRIC_LINES ? "lines" : "throughput";
}

const char *sdsim_metric_unit(enum sdsim_metric metric)
{
    return metric == SDSIM_METRIC_LINES ? "lines/s" : "B/s";
}

/* All that is built for one run; big, so it lives on the heap. */
struct bench {
    struct sdsim_medium *medium;
    struct sdsim_card card;
    struct sdsim_meter meter;
    struct sdsim_port port;
    struct sdsim_driver driver;
    struct sdsim_disk disk;
    struct sdsim_volume volume;
};

static void fail(struct sdsim_outcome_report *report, const char *what, const char *why)
{
    snprintf(report->error, sizeof report->error, "%s: %s", what, why);
}

/* ---- the card as it is when the firmware starts ---- */

static enum sdsim_fat_type volume_type(enum sdsim_volume_choice choice)
{
    static const enum sdsim_fat_type types[] = {
        [SDSIM_VOLUME_AUTO] = SDSIM_FAT_UNMOUNTED, [SDSIM_VOLUME_NONE] = SDSIM_FAT_UNMOUNTED,
        [SDSIM_VOLUME_FAT12] = SDSIM_FAT12,        [SDSIM_VOLUME_FAT16] = SDSIM_FAT16,
        [SDSIM_VOLUME_FAT32] = SDSIM_FAT32,        [SDSIM_VOLUME_EXFAT] = SDSIM_EXFAT,
    };
    return types[choice];
}

static struct sdsim_volume_config volume_config(const struct sdsim_setup *setup)
{
    struct sdsim_volume_config config =
        sdsim_stream_volume_config((enum sdsim_file_api)setup->run.file.api);
    config.exfat = setup->run.reads_exfat;
    return config;
}

/* Makes the volume, and the file that will be read. Takes no time: it happened before. */
static bool format(struct bench *bench, const struct sdsim_setup *setup,
                   struct sdsim_outcome_report *report)
{
    const struct sdsim_filesystem_params *filesystem = &setup->run.filesystem;
    const struct sdsim_mkfs wishes = {
        .type = volume_type((enum sdsim_volume_choice)filesystem->type),
        .cluster_bytes = (uint32_t)filesystem->cluster,
        .fats = (uint8_t)filesystem->fats,
        .seed = setup->run.seed,
    };
    struct sdsim_diags diags;
    sdsim_diags_init(&diags);
    const bool made = sdsim_mkfs(bench->medium, &wishes, &diags);
    if (!made) {
        fail(report, "making the volume", diags.count > 0 ? diags.items[0].text : "out of memory");
    }
    sdsim_diags_free(&diags);
    return made;
}

static bool prepare(struct bench *bench, const struct sdsim_setup *setup,
                    struct sdsim_outcome_report *report)
{
    const struct sdsim_workload_params *workload = &setup->run.workload;
    if (workload->target != SDSIM_ON_FILE) {
        return true;
    }
    if (!format(bench, setup, report)) {
        return false;
    }
    if (workload->action != SDSIM_DO_READ) {
        return true;
    }
    sdsim_ps no_time = 0;
    const struct sdsim_disk disk = sdsim_medium_disk(bench->medium);
    const struct sdsim_volume_config config = volume_config(setup);
    enum sdsim_fat_result result = sdsim_volume_mount(&bench->volume, &disk, &config, &no_time);
    if (result == SDSIM_FAT_OK) {
        result = sdsim_workload_prepare(workload, &bench->volume);
    }
    sdsim_volume_unmount(&bench->volume);
    if (result != SDSIM_FAT_OK) {
        fail(report, "putting the file on the card", sdsim_fat_result_text(result));
    }
    return result == SDSIM_FAT_OK;
}

/* ---- the run ---- */

static bool start(struct bench *bench, const struct sdsim_setup *setup,
                  struct sdsim_recorder *recorder, sdsim_ps *now,
                  struct sdsim_outcome_report *report)
{
    sdsim_card_init(&bench->card, &setup->card, bench->medium, setup->run.seed, setup->draw);
    bench->meter.recorder = recorder;
    sdsim_fast_init(&bench->port, (enum sdsim_bus_mode)setup->run.bus, &bench->card, &bench->meter);
    sdsim_driver_attach(&bench->driver, &setup->driver.params,
                        &setup->host.drivers[setup->driver.params.code].costs, &bench->port,
                        &setup->clocks, setup->run.usable_buffers);
    if (sdsim_driver_init(&bench->driver, now) != SDSIM_DRIVER_OK) {
        char why[200];
        sdsim_driver_explain_fault(&bench->driver, why, sizeof why);
        fail(report, "initialising the card", why);
        return false;
    }
    if (setup->run.workload.target != SDSIM_ON_FILE) {
        return true;
    }
    bench->disk = sdsim_driver_disk(&bench->driver);
    const struct sdsim_volume_config config = volume_config(setup);
    const enum sdsim_fat_result mounted =
        sdsim_volume_mount(&bench->volume, &bench->disk, &config, now);
    if (mounted != SDSIM_FAT_OK) {
        fail(report, "mounting the volume", sdsim_fat_result_text(mounted));
    }
    return mounted == SDSIM_FAT_OK;
}

static void measure(const struct sdsim_setup *setup, const struct bench *bench,
                    struct sdsim_outcome_report *report)
{
    const struct sdsim_workload_result *workload = &report->workload;
    if (workload->error != NULL) {
        if (bench->driver.fault.step != NULL) {
            char why[200];
            sdsim_driver_explain_fault(&bench->driver, why, sizeof why);
            fail(report, workload->error, why);
        } else {
            fail(report, "the workload stopped", workload->error);
        }
        return;
    }
    const bool lines = setup->run.workload.action == SDSIM_DO_LOG;
    const double seconds = (double)workload->elapsed / (double)SDSIM_S;
    report->metric = lines ? SDSIM_METRIC_LINES : SDSIM_METRIC_THROUGHPUT;
    report->value = (double)(lines ? workload->calls : workload->bytes) / seconds;
}

void sdsim_simulate(const struct sdsim_setup *setup, struct sdsim_recorder *recorder,
                    struct sdsim_outcome_report *report)
{
    *report = (struct sdsim_outcome_report){.card_sectors = sdsim_csd_sectors(&setup->card)};
    struct bench *bench = calloc(1, sizeof *bench);
    struct sdsim_medium *medium = sdsim_medium_create(report->card_sectors, 0);
    if (bench == NULL || medium == NULL) {
        fail(report, "setting up", "out of memory");
    } else {
        sdsim_ps now = 0;
        bench->medium = medium;
        if (prepare(bench, setup, report) && start(bench, setup, recorder, &now, report)) {
            report->init_time = now;
            report->bus_hz = sdsim_clock_hz(&bench->port.clock);
            sdsim_workload_run(&setup->run.workload, &setup->run.file, &bench->driver,
                               &bench->volume, &bench->meter, &now, &report->workload);
            measure(setup, bench, report);
        }
    }
    sdsim_medium_destroy(medium);
    free(bench);
}

/* ---- predictions ---- */

bool sdsim_predict_bind(struct sdsim_config *config, const struct sdsim_run *run, uint32_t draws,
                        struct sdsim_setup *setups, struct sdsim_diags *diags)
{
    for (uint32_t k = 0; k <= draws; k++) {
        if (!sdsim_setup_bind(config, run, k, &setups[k], diags)) {
            return false;
        }
    }
    return true;
}

static int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* The value below which `share` of the sorted ones lie, to the nearest rank. */
static double quantile(const double *sorted, uint32_t count, double share)
{
    return sorted[(uint32_t)(share * (double)(count - 1) + 0.5)];
}

void sdsim_predict_run(const struct sdsim_setup *setups, uint32_t draws,
                       struct sdsim_prediction *prediction)
{
    *prediction = (struct sdsim_prediction){.draws = draws};
    struct sdsim_outcome_report *typical = &prediction->typical;
    sdsim_simulate(&setups[0], NULL, typical);
    prediction->low = typical->value;
    prediction->high = typical->value;
    if (draws == 0 || typical->error[0] != '\0') {
        return;
    }
    double *values = malloc(draws * sizeof *values);
    if (values == NULL) {
        fail(typical, "drawing", "out of memory");
        return;
    }
    for (uint32_t k = 1; k <= draws && typical->error[0] == '\0'; k++) {
        struct sdsim_outcome_report report;
        sdsim_simulate(&setups[k], NULL, &report);
        values[k - 1] = report.value;
        if (report.error[0] != '\0') {
            snprintf(typical->error, sizeof typical->error, "draw %u: %.200s", (unsigned)k,
                     report.error);
        }
    }
    qsort(values, draws, sizeof *values, compare_doubles);
    const double low = quantile(values, draws, 0.05);
    const double high = quantile(values, draws, 0.95);
    prediction->low = low < typical->value ? low : typical->value;
    prediction->high = high > typical->value ? high : typical->value;
    free(values);
}
