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
    (void)sdsim_card_check(run->card, &setup->card, diags);
    (void)check_filesystem(run, setup, diags);
    (void)check_file(run, setup, diags);
    if (sdsim_check_workload(run, setup, diags)) {
        (void)sdsim_check_measured(run, setup, diags);
    }
    return diags->errors == before;
}
