#include "setup/simulate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/sorted.h"
#include "fat/driver_disk.h"
#include "fat/engines.h"
#include "fat/layout_text.h"
#include "fat/linux_disk.h"
#include "fat/medium_disk.h"
#include "fat/mkfs.h"
#include "fat/p2_disk.h"
#include "flash/image.h"
#include "port/scout.h"
#include "port/window.h"
#include "setup/held.h"

static const struct {
    const char *name;
    const char *unit;
} metrics[] = {
    [SDSIM_METRIC_THROUGHPUT] = {"throughput", "B/s"},
    [SDSIM_METRIC_LINES] = {"lines", "lines/s"},
    [SDSIM_METRIC_TIME] = {"time", "s"},
    [SDSIM_METRIC_MEAN_LATENCY] = {"mean-latency", "s"},
    [SDSIM_METRIC_MIN_LATENCY] = {"min-latency", "s"},
    [SDSIM_METRIC_MAX_LATENCY] = {"max-latency", "s"},
};

const char *sdsim_metric_name(enum sdsim_metric metric)
{
    return metrics[metric].name;
}

const char *sdsim_metric_unit(enum sdsim_metric metric)
{
    return metrics[metric].unit;
}

enum sdsim_metric sdsim_metric_of(const struct sdsim_run_params *run)
{
    static const enum sdsim_metric wished[] = {
        [SDSIM_MEASURE_THROUGHPUT] = SDSIM_METRIC_THROUGHPUT,
        [SDSIM_MEASURE_MEAN] = SDSIM_METRIC_MEAN_LATENCY,
        [SDSIM_MEASURE_MIN] = SDSIM_METRIC_MIN_LATENCY,
        [SDSIM_MEASURE_MAX] = SDSIM_METRIC_MAX_LATENCY,
    };
    const enum sdsim_action action = (enum sdsim_action)run->workload.action;
    if (run->measure != SDSIM_MEASURE_USUAL) {
        return wished[run->measure];
    }
    if (sdsim_workload_is_latency(action)) {
        return SDSIM_METRIC_TIME;
    }
    return action == SDSIM_DO_LOG ? SDSIM_METRIC_LINES : SDSIM_METRIC_THROUGHPUT;
}

/* All that is built for one run; big, so it lives on the heap. */
struct bench {
    struct sdsim_card card;
    struct sdsim_meter meter;
    struct sdsim_port *port; /* one of the three */
    struct sdsim_port fast;
    struct sdsim_scout scout;
    struct sdsim_window window;
    struct sdsim_driver driver;
    struct sdsim_disk disk;
    struct sdsim_linux_disk linux_disk; /* in front of it, under Linux */
    struct sdsim_p2_disk p2_disk;       /* and for the file layer of the P2 */
    struct sdsim_volume volume;
    bool unmounted; /* the volume is nobody's business */
};

static void fail(struct sdsim_outcome_report *report, enum sdsim_failure failure, const char *what,
                 const char *why)
{
    report->failure = failure;
    snprintf(report->error, sizeof report->error, "%s: %s", what, why);
}

/* Puts behind the reason what the volume itself tells: a file system only answers "corrupt". */
static void explain_damage(struct sdsim_outcome_report *report, enum sdsim_fat_result result,
                           struct sdsim_medium *medium)
{
    char why[400];
    const struct sdsim_disk disk = sdsim_medium_disk(medium);
    const bool damage = result == SDSIM_FAT_CORRUPT || result == SDSIM_FAT_DISK_ERROR ||
                        result == SDSIM_FAT_NO_FILE_SYSTEM;
    if (damage && sdsim_layout_explain(&disk, why, sizeof why)) {
        const size_t used = strlen(report->error);
        snprintf(report->error + used, sizeof report->error - used, ": %s", why);
    }
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

struct sdsim_volume_config sdsim_setup_volume_config(const struct sdsim_setup *setup)
{
    const enum sdsim_file_api api = (enum sdsim_file_api)setup->run.file.api;
    const char *of_run = setup->run.filesystem.engine;
    const char *name = of_run != NULL ? of_run : setup->host.files[api].engine;
    const struct sdsim_engine *engine = name != NULL ? sdsim_engine_find(name) : NULL;
    struct sdsim_volume_config config =
        engine != NULL ? engine->config : sdsim_stream_volume_config(api);
    config.exfat = config.exfat && setup->run.reads_exfat;
    return config;
}

/* Refuses an image that is damaged or was cut off: what is predicted from it would be worth nothing.
 */
static bool check_image(struct sdsim_medium *medium, const char *path,
                        struct sdsim_outcome_report *report)
{
    char why[400];
    struct sdsim_disk disk = sdsim_medium_disk(medium);
    struct sdsim_diags diags;
    sdsim_diags_init(&diags);
    struct sdsim_image *image = sdsim_image_open(path, &diags);
    sdsim_diags_free(&diags);
    if (image != NULL) {
        disk.sectors = (uint32_t)sdsim_image_sectors(image); /* it fits the card */
        sdsim_image_release(image);
    }
    const bool damaged = sdsim_layout_explain(&disk, why, sizeof why);
    if (damaged) {
        fail(report, SDSIM_FAILURE_INPUT, path, why);
    }
    return !damaged;
}

/* A fresh volume, or the image. */
static bool format(struct sdsim_medium *medium, const struct sdsim_setup *setup,
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
    const bool made = filesystem->image != NULL
                          ? sdsim_medium_load(medium, 0, filesystem->image, &diags)
                          : sdsim_mkfs(medium, &wishes, &diags);
    if (!made) {
        fail(report, diags.count > 0 ? SDSIM_FAILURE_INPUT : SDSIM_FAILURE_MEMORY,
             filesystem->image != NULL ? filesystem->image : "making the volume",
             diags.count > 0 ? diags.items[0].text : "out of memory");
    }
    sdsim_diags_free(&diags);
    return made && (filesystem->image == NULL || check_image(medium, filesystem->image, report));
}

static const char *why_not_prepared(enum sdsim_fat_result result,
                                    const struct sdsim_workload_params *workload)
{
    const enum sdsim_action action = (enum sdsim_action)workload->action;
    if (result == SDSIM_FAT_NO_FILE_SYSTEM) {
        return "it is of a kind, or lies in a GPT, that this firmware does not read: take another "
               "filesystem.type, or another engine";
    }
    if (result != SDSIM_FAT_DENIED) {
        return sdsim_fat_result_text(result);
    }
    return action == SDSIM_DO_OPEN || action == SDSIM_DO_CREATE || action == SDSIM_DO_LIST
               ? "there is not enough room, or too many files for one directory"
               : "there is not enough room";
}

/* Files and directories; all of it happened before and takes no time. */
static bool populate(struct sdsim_medium *medium, const struct sdsim_setup *setup,
                     struct sdsim_outcome_report *report)
{
    sdsim_ps no_time = 0;
    const struct sdsim_disk disk = sdsim_medium_disk(medium);
    struct sdsim_volume_config config = sdsim_setup_volume_config(setup);
    config.exfat = true; /* whoever made the volume could read it */
    struct sdsim_volume *volume = calloc(1, sizeof *volume);
    enum sdsim_fat_result result = SDSIM_FAT_NO_MEMORY;
    if (volume != NULL) {
        result = sdsim_volume_mount(volume, &disk, &config, &no_time);
    }
    if (result == SDSIM_FAT_OK) {
        struct sdsim_preparation preparation = setup->run.filesystem.preparation;
        preparation.seed = setup->run.seed;
        result = sdsim_workload_prepare(volume, &preparation, &setup->run.workload);
    }
    free(volume);
    if (result != SDSIM_FAT_OK) {
        fail(report, result == SDSIM_FAT_NO_MEMORY ? SDSIM_FAILURE_MEMORY : SDSIM_FAILURE_INPUT,
             "preparing the volume", why_not_prepared(result, &setup->run.workload));
        explain_damage(report, result, medium);
    }
    return result == SDSIM_FAT_OK;
}

struct sdsim_medium *sdsim_prepare_medium(const struct sdsim_setup *setup,
                                          struct sdsim_outcome_report *report)
{
    *report = (struct sdsim_outcome_report){.card_sectors = sdsim_csd_sectors(&setup->card)};
    struct sdsim_medium *medium = sdsim_medium_create(report->card_sectors, 0);
    if (medium == NULL) {
        fail(report, SDSIM_FAILURE_MEMORY, "setting up", "out of memory");
        return NULL;
    }
    if (setup->run.workload.target == SDSIM_ON_FILE &&
        !(format(medium, setup, report) && populate(medium, setup, report))) {
        sdsim_medium_destroy(medium);
        return NULL;
    }
    return medium;
}

/* ---- the run ---- */

/* The driver's own words, if it was the driver that failed; else `why`. */
static void fail_run(struct sdsim_outcome_report *report, const struct bench *bench,
                     const char *what, const char *why)
{
    char fault[200];
    if (bench->driver.fault.step != NULL) {
        sdsim_driver_explain_fault(&bench->driver, fault, sizeof fault);
        why = fault;
    }
    fail(report, SDSIM_FAILURE_RUN, what, why);
}

/* What the file API's system has between its file system and its driver. */
static struct sdsim_disk disk_of(struct bench *bench, enum sdsim_file_api api,
                                 struct sdsim_medium *medium)
{
    switch (api) {
    case SDSIM_API_LINUX:
        return sdsim_linux_disk(&bench->linux_disk, &bench->driver, medium);
    case SDSIM_API_P2_FILE:
        return sdsim_p2_disk(&bench->p2_disk, &bench->driver, medium);
    default:
        return sdsim_driver_disk(&bench->driver);
    }
}

/* The port everything goes through: as fast as can be, unless somebody wants to see a window. */
static void choose_port(struct bench *bench, enum sdsim_bus_mode mode,
                        const struct sdsim_view *view)
{
    struct sdsim_card *card = &bench->card;
    struct sdsim_meter *meter = &bench->meter;
    if (view == NULL) {
        sdsim_fast_init(&bench->fast, mode, card, meter);
        bench->port = &bench->fast;
    } else if (view->kind == SDSIM_VIEW_SCOUT) {
        sdsim_scout_init(&bench->scout, mode, card, meter, view->from, view->to);
        bench->port = &bench->scout.port;
    } else {
        const bool spans = view->kind == SDSIM_VIEW_SPANS;
        sdsim_window_init(&bench->window, mode, card, meter, view->first, view->to,
                          spans ? view->recorder : NULL, spans ? NULL : view->listener);
        bench->port = &bench->window.wire.port;
    }
}

static bool start(struct bench *bench, const struct sdsim_setup *setup, struct sdsim_medium *medium,
                  const struct sdsim_view *view, sdsim_ps *now, struct sdsim_outcome_report *report)
{
    sdsim_card_init(&bench->card, &setup->card, medium, setup->run.seed, setup->draw);
    bench->card.flash.recorder = bench->meter.recorder;
    sdsim_setup_hold(setup, medium, &bench->card);
    choose_port(bench, (enum sdsim_bus_mode)setup->run.bus, view);
    sdsim_driver_attach(&bench->driver, &setup->driver.params, &setup->costs, bench->port,
                        &setup->clocks, setup->run.usable_buffers);
    if (sdsim_driver_init(&bench->driver, now) != SDSIM_DRIVER_OK) {
        fail_run(report, bench, "initialising the card", "");
        return false;
    }
    if (setup->run.workload.target != SDSIM_ON_FILE || bench->unmounted) {
        return true;
    }
    bench->disk = disk_of(bench, (enum sdsim_file_api)setup->run.file.api, medium);
    const struct sdsim_volume_config config = sdsim_setup_volume_config(setup);
    const enum sdsim_fat_result mounted =
        sdsim_volume_mount(&bench->volume, &bench->disk, &config, now);
    if (mounted == SDSIM_FAT_NO_FILE_SYSTEM && !config.exfat) {
        fail_run(
            report, bench, "mounting the volume",
            setup->run.reads_exfat
                ? "there is none this firmware can read; if it is exFAT (cards over 32 GB), take "
                  "filesystem: {type: fat32}, or an engine built with exFAT"
                : "there is none this firmware can read; if it is exFAT (cards over 32 GB), build "
                  "the firmware with it (reads_exfat: yes) or take filesystem: {type: fat32}");
    } else if (mounted != SDSIM_FAT_OK) {
        fail_run(report, bench, "mounting the volume", sdsim_fat_result_text(mounted));
        explain_damage(report, mounted, medium);
    }
    return mounted == SDSIM_FAT_OK;
}

static double value_of(const struct sdsim_workload_result *workload, enum sdsim_metric metric)
{
    const double second = (double)SDSIM_S;
    const double seconds = (double)workload->elapsed / second;
    switch (metric) {
    case SDSIM_METRIC_LINES:
        return (double)workload->calls / seconds;
    case SDSIM_METRIC_TIME:
        return seconds / (double)workload->calls;
    case SDSIM_METRIC_MEAN_LATENCY:
        return (double)workload->in_calls / second / (double)workload->calls;
    case SDSIM_METRIC_MIN_LATENCY:
        return (double)workload->shortest_call / second;
    case SDSIM_METRIC_MAX_LATENCY:
        return (double)workload->longest_call / second;
    case SDSIM_METRIC_THROUGHPUT:
    default:
        return (double)workload->bytes / seconds;
    }
}

static void measure(const struct sdsim_setup *setup, const struct bench *bench,
                    struct sdsim_medium *medium, struct sdsim_outcome_report *report)
{
    const struct sdsim_workload_result *workload = &report->workload;
    if (workload->error != NULL) {
        fail_run(report, bench, "the workload stopped", workload->error);
        explain_damage(report, workload->failed, medium);
        return;
    }
    report->metric = sdsim_metric_of(&setup->run);
    report->value = value_of(workload, report->metric);
}

/* What the flash went through since it had been through `before`. */
static void flash_since(const struct sdsim_flash *before, const struct sdsim_flash *flash,
                        struct sdsim_outcome_report *report)
{
    const struct sdsim_flash_stats *a = &before->stats;
    const struct sdsim_flash_stats *b = &flash->stats;
    report->flash = (struct sdsim_flash_stats){
        .fresh_reads = b->fresh_reads - a->fresh_reads,
        .folded_reads = b->folded_reads - a->folded_reads,
        .buffer_hits = b->buffer_hits - a->buffer_hits,
        .folded_groups = b->folded_groups - a->folded_groups,
    };
    const struct sdsim_translation_stats *c = &before->translation.stats;
    const struct sdsim_translation_stats *d = &flash->translation.stats;
    report->translation = (struct sdsim_translation_stats){
        .opened = d->opened - c->opened,
        .merges = d->merges - c->merges,
        .merge_time = d->merge_time - c->merge_time,
        .small_writes = d->small_writes - c->small_writes,
        .out_of_order = d->out_of_order - c->out_of_order,
        .order_time = d->order_time - c->order_time,
    };
}

/* What a view has found out. */
static void leave_view(struct bench *bench, struct sdsim_view *view, sdsim_ps now)
{
    if (view != NULL && view->kind == SDSIM_VIEW_SCOUT) {
        sdsim_scout_finish(&bench->scout, now);
        view->first = bench->scout.first;
        view->clocks = bench->scout.clocks;
        view->found = bench->scout.found;
    }
    if (view != NULL) {
        view->cut = bench->scout.cut || bench->window.cut;
    }
}

/* What a cut does to the run is no error. */
static void forgive_cut(const struct sdsim_view *view, struct sdsim_outcome_report *report)
{
    if (view != NULL && view->cut && report->failure != SDSIM_FAILURE_MEMORY) {
        report->failure = SDSIM_FAILURE_NONE;
        report->error[0] = '\0';
    }
}

static void simulate(const struct sdsim_setup *setup, struct sdsim_medium *medium,
                     struct sdsim_recorder *recorder, struct sdsim_view *view,
                     struct sdsim_outcome_report *report)
{
    *report = (struct sdsim_outcome_report){.card_sectors = sdsim_csd_sectors(&setup->card)};
    struct bench *bench = calloc(1, sizeof *bench);
    if (bench == NULL) {
        fail(report, SDSIM_FAILURE_MEMORY, "setting up", "out of memory");
        return;
    }
    sdsim_ps now = 0;
    bench->meter.recorder = recorder;
    if (start(bench, setup, medium, view, &now, report)) {
        report->init_time = now;
        report->bus_hz = sdsim_clock_hz(&bench->port->clock);
        const struct sdsim_flash before = bench->card.flash;
        sdsim_workload_run(&setup->run.workload, &setup->run.file, &bench->driver, &bench->volume,
                           &bench->meter, &now, &report->workload);
        flash_since(&before, &bench->card.flash, report);
        measure(setup, bench, medium, report);
    }
    report->end = now;
    leave_view(bench, view, now);
    free(bench);
}

void sdsim_simulate_act(const struct sdsim_setup *setup, struct sdsim_medium *medium,
                        struct sdsim_recorder *recorder, struct sdsim_view *view, bool mounted,
                        sdsim_act *act, void *context, struct sdsim_outcome_report *report)
{
    *report = (struct sdsim_outcome_report){.card_sectors = sdsim_csd_sectors(&setup->card)};
    struct bench *bench = calloc(1, sizeof *bench);
    if (bench == NULL) {
        fail(report, SDSIM_FAILURE_MEMORY, "setting up", "out of memory");
        return;
    }
    sdsim_ps now = 0;
    bench->meter.recorder = view == NULL ? recorder : NULL;
    bench->unmounted = !mounted;
    if (start(bench, setup, medium, view, &now, report)) {
        report->init_time = now;
        report->bus_hz = sdsim_clock_hz(&bench->port->clock);
        const struct sdsim_stage stage = {
            .driver = &bench->driver, .volume = &bench->volume, .meter = &bench->meter};
        const struct sdsim_flash before = bench->card.flash;
        const char *error = act(context, &stage, &now);
        flash_since(&before, &bench->card.flash, report);
        if (error != NULL) {
            fail_run(report, bench, "the replay stopped", error);
        }
    }
    report->end = now;
    leave_view(bench, view, now);
    forgive_cut(view, report);
    free(bench);
}

void sdsim_simulate_on(const struct sdsim_setup *setup, struct sdsim_medium *medium,
                       struct sdsim_recorder *recorder, struct sdsim_outcome_report *report)
{
    simulate(setup, medium, recorder, NULL, report);
}

void sdsim_simulate_view(const struct sdsim_setup *setup, struct sdsim_medium *medium,
                         struct sdsim_view *view, struct sdsim_outcome_report *report)
{
    simulate(setup, medium, NULL, view, report);
    forgive_cut(view, report);
}

void sdsim_simulate(const struct sdsim_setup *setup, struct sdsim_recorder *recorder,
                    struct sdsim_outcome_report *report)
{
    struct sdsim_medium *medium = sdsim_prepare_medium(setup, report);
    if (medium != NULL) {
        sdsim_simulate_on(setup, medium, recorder, report);
    }
    sdsim_medium_destroy(medium);
}

/* ---- predictions ---- */

bool sdsim_predict_bind(struct sdsim_config *config, const struct sdsim_run *run, uint32_t draws,
                        struct sdsim_setup *setups, struct sdsim_diags *diags)
{
    return sdsim_setup_bind_draws(config, run, draws, setups, diags);
}

/* Simulates draw k on a copy of the medium. */
static void simulate_draw(const struct sdsim_setup *setup, const struct sdsim_medium *prepared,
                          struct sdsim_outcome_report *report)
{
    struct sdsim_medium *medium = sdsim_medium_copy(prepared);
    if (medium == NULL) {
        *report = (struct sdsim_outcome_report){.value = 0};
        fail(report, SDSIM_FAILURE_MEMORY, "setting up", "out of memory");
        return;
    }
    sdsim_simulate_on(setup, medium, NULL, report);
    sdsim_medium_destroy(medium);
}

/* Draws 1..draws around the typical value; the reason is left in it if one fails. */
static void spread(const struct sdsim_setup *setups, const struct sdsim_medium *prepared,
                   struct sdsim_prediction *prediction)
{
    struct sdsim_outcome_report *typical = &prediction->typical;
    const uint32_t draws = prediction->draws;
    double *values = malloc(draws * sizeof *values);
    if (values == NULL) {
        fail(typical, SDSIM_FAILURE_MEMORY, "drawing", "out of memory");
        return;
    }
    for (uint32_t k = 1; k <= draws && typical->error[0] == '\0'; k++) {
        struct sdsim_outcome_report report;
        simulate_draw(&setups[k], prepared, &report);
        values[k - 1] = report.value;
        if (report.error[0] != '\0') {
            typical->failure = report.failure;
            snprintf(typical->error, sizeof typical->error, "draw %u: %.560s", (unsigned)k,
                     report.error);
        }
    }
    if (typical->error[0] == '\0') {
        sdsim_sort(values, draws);
        const double low = sdsim_quantile(values, draws, 0.05);
        const double high = sdsim_quantile(values, draws, 0.95);
        prediction->low = low < typical->value ? low : typical->value;
        prediction->high = high > typical->value ? high : typical->value;
    }
    free(values);
}

void sdsim_predict_run(const struct sdsim_setup *setups, uint32_t draws,
                       struct sdsim_prediction *prediction)
{
    *prediction = (struct sdsim_prediction){.draws = draws};
    struct sdsim_outcome_report *typical = &prediction->typical;
    struct sdsim_medium *prepared = sdsim_prepare_medium(&setups[0], typical);
    if (prepared == NULL) {
        return;
    }
    simulate_draw(&setups[0], prepared, typical);
    prediction->low = typical->value;
    prediction->high = typical->value;
    if (draws > 0 && typical->error[0] == '\0') {
        spread(setups, prepared, prediction);
    }
    sdsim_medium_destroy(prepared);
}
