/*
 * What a schema can't see: values that are fine each by itself but not together. All of it is told
 * at once, each with its place and the mend. Only typical values are checked; draws stay in their
 * ranges.
 */
#include <stdio.h>
#include <string.h>

#include "core/units.h"
#include "fat/engines.h"
#include "setup/check.h"
#include "setup/simulate.h"

#define GB  1000000000u
#define GIB 1073741824u

bool sdsim_complain(struct sdsim_diags *diags, const struct sdsim_node *map, const char *key,
                    const char *help, const char *text)
{
    const struct sdsim_node *node = sdsim_node_get(map, key);
    sdsim_node_diag(diags, SDSIM_ERROR, node != NULL ? node : map, help, "%s", text);
    return false;
}

static bool one_of(uint64_t value, const uint64_t *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (values[i] == value) {
            return true;
        }
    }
    return false;
}

/* ---- the card ---- */

static bool check_capacity(const struct sdsim_run *run, const struct sdsim_card_params *card,
                           struct sdsim_diags *diags)
{
    /* Physical Layer Specification, section 2: up to 2 GB, 32 GB, 2 TB; makers count in GB. */
    static const struct {
        uint64_t least;
        uint64_t most;
        const char *text;
    } limits[] = {
        [SDSIM_SDSC] = {0, (uint64_t)2 * GIB, "an SDSC card holds at most 2GB"},
        [SDSIM_SDHC] = {0, (uint64_t)32 * GIB, "an SDHC card holds at most 32GB"},
        [SDSIM_SDXC] = {(uint64_t)32 * GB, (uint64_t)2048 * GIB, "an SDXC card holds over 32GB"},
    };
    if (card->capacity >= limits[card->type].least && card->capacity <= limits[card->type].most) {
        return true;
    }
    return sdsim_complain(diags, run->card, "capacity", "change `type`, or the capacity",
                          limits[card->type].text);
}

static bool check_marks(const struct sdsim_run *run, const struct sdsim_card_params *card,
                        struct sdsim_diags *diags)
{
    static const uint64_t speed[] = {0, 2, 4, 6, 10};
    static const uint64_t uhs[] = {0, 1, 3};
    static const uint64_t video[] = {0, 6, 10, 30, 60, 90};
    bool fine = true;
    if (!one_of(card->speed_class, speed, sizeof speed / sizeof *speed)) {
        fine = sdsim_complain(diags, run->card, "speed_class", "0, 2, 4, 6 or 10",
                              "there is no such speed class");
    }
    if (!one_of(card->uhs_grade, uhs, sizeof uhs / sizeof *uhs)) {
        fine = sdsim_complain(diags, run->card, "uhs_grade", "0, 1 or 3",
                              "there is no such UHS grade");
    }
    if (!one_of(card->video_class, video, sizeof video / sizeof *video)) {
        fine = sdsim_complain(diags, run->card, "video_class", "0, 6, 10, 30, 60 or 90",
                              "there is no such video class");
    }
    if (card->type != SDSIM_SDSC && sdsim_card_version(card) < SDSIM_VERSION_2_00) {
        fine = sdsim_complain(diags, run->card, "version", "version: 2 or 3",
                              "high-capacity cards came with version 2");
    }
    if (card->high_hz > 0 && sdsim_card_version(card) < SDSIM_VERSION_1_10) {
        fine = sdsim_complain(diags, run->card, "high_speed_clock", "version: 1.1, or leave it out",
                              "high speed came with version 1.10");
    }
    if (card->oem != NULL && strlen(card->oem) > 2) {
        fine =
            sdsim_complain(diags, run->card, "oem", NULL, "an OEM ID has at most two characters");
    }
    if (card->product != NULL && strlen(card->product) > 5) {
        fine = sdsim_complain(diags, run->card, "product", NULL,
                              "a product name has at most five characters");
    }
    return fine;
}

static bool check_flash(const struct sdsim_run *run, const struct sdsim_flash_params *flash,
                        struct sdsim_diags *diags)
{
    bool fine = true;
    if (flash->page_bytes % SDSIM_SECTOR != 0) {
        fine = sdsim_complain(diags, run->card, "page", NULL, "a page group is a multiple of 512B");
    }
    if (flash->small_bytes % SDSIM_SECTOR != 0) {
        fine =
            sdsim_complain(diags, run->card, "small", NULL, "small writes are a multiple of 512B");
    }
    if (flash->pause_every > 0 && flash->pause_every < SDSIM_SECTOR) {
        fine = sdsim_complain(diags, run->card, "pause_every",
                              "leave it out for a card without pauses",
                              "a pause can't come more often than with each sector");
    }
    if (flash->rare_every > 0 && flash->rare_every < SDSIM_SECTOR) {
        fine =
            sdsim_complain(diags, run->card, "rare_every", "leave it out for a card without them",
                           "a pause can't come more often than with each sector");
    }
    return fine;
}

/* ---- volume and file ---- */

/* "one of: esp-idf, carlk3, ..." */
static const char *engine_names(char *out, size_t size)
{
    size_t used = (size_t)snprintf(out, size, "one of:");
    const struct sdsim_engine *engine;
    for (size_t i = 0; (engine = sdsim_engine_at(i)) != NULL && used < size; i++) {
        used += (size_t)snprintf(out + used, size - used, "%s %s", i > 0 ? "," : "", engine->name);
    }
    return out;
}

static bool check_filesystem(const struct sdsim_run *run, const struct sdsim_setup *setup,
                             struct sdsim_diags *diags)
{
    const struct sdsim_filesystem_params *filesystem = &setup->run.filesystem;
    const struct sdsim_node *node = sdsim_node_get(run->tree, "filesystem");
    const uint64_t cluster = filesystem->cluster;
    bool fine = true;
    if (filesystem->engine != NULL && sdsim_engine_find(filesystem->engine) == NULL) {
        char names[400];
        fine = sdsim_complain(diags, node, "engine", engine_names(names, sizeof names),
                              "there is no such engine");
    }
    const char *of_host = setup->host.files[setup->run.file.api].engine;
    if (of_host != NULL && sdsim_engine_find(of_host) == NULL) {
        char names[400];
        const struct sdsim_node *files = sdsim_node_get(run->host, "files");
        fine = sdsim_complain(
            diags,
            sdsim_node_get(files, sdsim_file_api_name((enum sdsim_file_api)setup->run.file.api)),
            "engine", engine_names(names, sizeof names), "there is no such engine");
    }
    if (cluster != 0 && (cluster < SDSIM_SECTOR || (cluster & (cluster - 1)) != 0)) {
        fine = sdsim_complain(diags, node, "cluster",
                              "512B, 1KiB, 2KiB, ... 32KiB, 64KiB, 128KiB, ...",
                              "a cluster is a power of two, at least 512B");
    }
    if (filesystem->image != NULL &&
        (cluster != 0 || filesystem->fats != 0 || filesystem->type != SDSIM_VOLUME_AUTO)) {
        fine =
            sdsim_complain(diags, node, "image", "leave out type, cluster and fats, or the image",
                           "an image brings its volume, which is not made anew");
    }
    if (filesystem->preparation.fragment > 0 && filesystem->preparation.fill == 0) {
        fine = sdsim_complain(diags, node, "fragment", "say how full the volume is: fill: 80%",
                              "an empty volume can't be fragmented");
    }
    return fine;
}

static bool check_file(const struct sdsim_run *run, const struct sdsim_setup *setup,
                       struct sdsim_diags *diags)
{
    const struct sdsim_stream_params *file = &setup->run.file;
    const struct sdsim_workload_params *workload = &setup->run.workload;
    const struct sdsim_node *node = sdsim_node_get(run->tree, "workload");
    const enum sdsim_fat_library library = sdsim_setup_volume_config(setup).library;
    bool fine = true;
    if (file->buffer > 0 && sdsim_stream_default_buffer((enum sdsim_file_api)file->api) == 0) {
        fine = sdsim_complain(diags, sdsim_node_get(run->tree, "file"), "buffer",
                              "api: stdio, or no buffer", "this file API has no buffer");
    }
    if (node == NULL || workload->target != SDSIM_ON_FILE) {
        return fine;
    }
    if (file->api == SDSIM_API_LINUX &&
        sdsim_workload_moves_data((enum sdsim_action)workload->action) &&
        (workload->call | workload->align | workload->offset) % SDSIM_SECTOR != 0) {
        const char *key = workload->call % SDSIM_SECTOR != 0    ? "call"
                          : workload->align % SDSIM_SECTOR != 0 ? "align"
                                                                : "offset";
        fine = sdsim_complain(diags, node, key, "use multiples of 512B, or api: posix",
                              "Linux moves whole sectors with O_DIRECT");
    }
    if (library == SDSIM_LIBRARY_CLASSIC && file->api != SDSIM_API_P2_FILE &&
        workload->call > UINT16_MAX) {
        fine = sdsim_complain(diags, node, "call", "smaller calls",
                              "the classic Arduino library counts the bytes of a call in 16 bits");
    }
    return fine;
}

bool sdsim_setup_check(const struct sdsim_run *run, const struct sdsim_setup *setup,
                       struct sdsim_diags *diags)
{
    const size_t before = diags->errors;
    (void)check_capacity(run, &setup->card, diags);
    (void)check_marks(run, &setup->card, diags);
    (void)check_flash(run, &setup->card.flash, diags);
    (void)check_filesystem(run, setup, diags);
    (void)check_file(run, setup, diags);
    if (sdsim_check_workload(run, setup, diags)) {
        (void)sdsim_check_measured(run, setup, diags);
    }
    return diags->errors == before;
}
