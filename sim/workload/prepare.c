#include "workload/prepare.h"

#include <stdio.h>
#include <string.h>

#include "core/rng.h"
#include "fat/file.h"
#include "fat/tree.h"
#include "workload/several.h"

static const uint64_t billion = 1000000000;

/* What is written at once; the classic Arduino library takes less than 64 KiB in a call. */
static const uint64_t piece_bytes = 32768;

/* One of the files that fill a volume; when it is as large as a file may be, the next one begins.
 */
struct filler {
    struct sdsim_volume *volume;
    const char *pattern; /* of its path, with the number */
    unsigned number;
    bool open;
    struct sdsim_file file;
};

static enum sdsim_fat_result filler_close(struct filler *filler)
{
    sdsim_ps no_time = 0;
    if (!filler->open) {
        return SDSIM_FAT_OK;
    }
    filler->open = false;
    return sdsim_file_close(&filler->file, &no_time);
}

static void filler_path(const struct filler *filler, unsigned number, char *path, size_t size)
{
    snprintf(path, size, "/%s%04u.BIN", filler->pattern, number);
}

/* Grows by whole clusters, without data: a seek beyond the end allocates. *room false: none left.
 */
static enum sdsim_fat_result filler_grow(struct filler *filler, uint64_t clusters, bool *room)
{
    sdsim_ps no_time = 0;
    const uint64_t bytes = clusters * sdsim_cluster_bytes(filler->volume);
    if (filler->open && filler->file.position > sdsim_file_size_max(filler->volume) - bytes) {
        const enum sdsim_fat_result closed = filler_close(filler);
        if (closed != SDSIM_FAT_OK) {
            return closed;
        }
    }
    if (!filler->open) {
        char path[32];
        filler_path(filler, filler->number++, path, sizeof path);
        const enum sdsim_fat_result opened =
            sdsim_file_open(&filler->file, filler->volume, &no_time, path, SDSIM_OPEN_WRITE);
        if (opened != SDSIM_FAT_OK) {
            return opened;
        }
        filler->open = true;
    }
    const uint64_t target = filler->file.position + bytes;
    const enum sdsim_fat_result result = sdsim_file_seek(&filler->file, &no_time, target);
    *room = filler->file.position == target;
    return result;
}

static enum sdsim_fat_result filler_delete(struct filler *filler)
{
    sdsim_ps no_time = 0;
    for (unsigned i = 0; i < filler->number; i++) {
        char path[32];
        filler_path(filler, i, path, sizeof path);
        const enum sdsim_fat_result result = sdsim_tree_unlink(filler->volume, &no_time, path);
        if (result != SDSIM_FAT_OK) {
            return result;
        }
    }
    return SDSIM_FAT_OK;
}

/* ---- filling ---- */

static uint64_t share_of(uint64_t clusters, uint64_t share)
{
    return clusters / billion * share + clusters % billion * share / billion;
}

static enum sdsim_fat_result fill_in_one(struct sdsim_volume *volume, uint64_t clusters)
{
    struct filler used = {.volume = volume, .pattern = "FILL"};
    const uint64_t most = sdsim_file_size_max(volume) / sdsim_cluster_bytes(volume);
    enum sdsim_fat_result result = SDSIM_FAT_OK;
    bool room = true;
    while (clusters > 0 && room && result == SDSIM_FAT_OK) {
        const uint64_t part = clusters < most ? clusters : most;
        result = filler_grow(&used, part, &room);
        clusters -= part;
    }
    const enum sdsim_fat_result closed = filler_close(&used);
    return result != SDSIM_FAT_OK ? result : closed;
}

/* A piece of about `mean` clusters. */
static uint64_t piece(struct sdsim_rng *rng, uint64_t mean)
{
    const uint64_t size = mean / 2 + sdsim_rng_below(rng, mean + 1);
    return size > 0 ? size : 1;
}

static enum sdsim_fat_result fill_in_pieces(struct sdsim_volume *volume,
                                            const struct sdsim_preparation *preparation)
{
    struct filler used = {.volume = volume, .pattern = "FILL"};
    struct filler holes = {.volume = volume, .pattern = "HOLE"};
    struct sdsim_rng rng;
    sdsim_rng_seed(&rng, sdsim_hash_text(preparation->seed, "fragment"));
    const uint64_t bytes = sdsim_cluster_bytes(volume);
    const uint64_t mean = preparation->fragment > bytes ? preparation->fragment / bytes : 1;
    enum sdsim_fat_result result = SDSIM_FAT_OK;
    bool room = true;
    uint64_t used_clusters = 0;
    uint64_t all_clusters = 0;
    while (room && result == SDSIM_FAT_OK) {
        /* Whichever kind is behind its share comes next. */
        const bool use = used_clusters <= share_of(all_clusters, preparation->fill);
        const uint64_t size = piece(&rng, mean);
        result = filler_grow(use ? &used : &holes, size, &room);
        used_clusters += use ? size : 0;
        all_clusters += size;
    }
    const enum sdsim_fat_result closed_used = filler_close(&used);
    const enum sdsim_fat_result closed_holes = filler_close(&holes);
    if (result == SDSIM_FAT_OK) {
        result = closed_used != SDSIM_FAT_OK ? closed_used : closed_holes;
    }
    return result != SDSIM_FAT_OK ? result : filler_delete(&holes);
}

static enum sdsim_fat_result fill(struct sdsim_volume *volume,
                                  const struct sdsim_preparation *preparation)
{
    if (preparation->fill == 0) {
        return SDSIM_FAT_OK;
    }
    if (preparation->fragment > 0) {
        return fill_in_pieces(volume, preparation);
    }
    return fill_in_one(volume, share_of(volume->geometry.clusters, preparation->fill));
}

/* ---- what the workload needs ---- */

static enum sdsim_fat_result make_file(struct sdsim_volume *volume, enum sdsim_writer writer,
                                       const char *path, uint64_t bytes)
{
    struct sdsim_file file;
    sdsim_ps no_time = 0;
    enum sdsim_fat_result result = sdsim_file_open(&file, volume, &no_time, path, SDSIM_OPEN_WRITE);
    if (result != SDSIM_FAT_OK) {
        return result;
    }
    if (writer == SDSIM_WRITER_PC && bytes > 0) {
        const enum sdsim_fat_result expanded = sdsim_file_expand(&file, &no_time, bytes);
        /* No run is long enough: then a PC takes what there is, too. */
        result = expanded == SDSIM_FAT_DENIED ? SDSIM_FAT_OK : expanded;
    }
    const struct sdsim_content content = {.kind = SDSIM_CONTENT_GENERATED,
                                          .seed = SDSIM_WORKLOAD_SEED};
    for (uint64_t at = 0; at < bytes && result == SDSIM_FAT_OK;) {
        const uint64_t part = bytes - at < piece_bytes ? bytes - at : piece_bytes;
        const struct sdsim_content rest = sdsim_content_after(&content, at);
        uint64_t done = 0;
        result = sdsim_file_write(&file, &no_time, &rest, part, &done);
        result = result == SDSIM_FAT_OK && done < part ? SDSIM_FAT_DENIED : result;
        at += part;
    }
    const enum sdsim_fat_result closed = sdsim_file_close(&file, &no_time);
    return result != SDSIM_FAT_OK ? result : closed;
}

/* One behind the other, as somebody copied them. */
static enum sdsim_fat_result make_several(struct sdsim_volume *volume, enum sdsim_writer writer,
                                          const struct sdsim_workload_params *params)
{
    enum sdsim_fat_result result = SDSIM_FAT_OK;
    for (uint64_t i = 0; i < params->parallel && result == SDSIM_FAT_OK; i++) {
        char path[24];
        result = make_file(volume, writer, sdsim_several_path(i, path), sdsim_several_size(params));
    }
    return result;
}

static enum sdsim_fat_result make_directory(struct sdsim_volume *volume, uint64_t files,
                                            uint64_t name_length)
{
    sdsim_ps no_time = 0;
    enum sdsim_fat_result result = sdsim_tree_mkdir(volume, &no_time, SDSIM_WORKLOAD_DIRECTORY);
    if (result == SDSIM_FAT_EXISTS) { /* an image may have it */
        result = SDSIM_FAT_OK;
    }
    for (uint64_t i = 0; i < files && result == SDSIM_FAT_OK; i++) {
        struct sdsim_file file;
        char path[SDSIM_MEMBER_SIZE];
        result = sdsim_file_open(&file, volume, &no_time,
                                 sdsim_workload_member(i, name_length, path), SDSIM_OPEN_WRITE);
        if (result == SDSIM_FAT_OK) {
            result = sdsim_file_close(&file, &no_time);
        }
    }
    return result;
}

/* Free count and hint of FSINFO become "unknown", as some formatters and cameras leave them. */
static enum sdsim_fat_result forget_fsinfo(struct sdsim_volume *volume)
{
    enum { FREE_COUNT = 488, HINT_END = 496 };
    const struct sdsim_disk *disk = volume->disk;
    const uint32_t lba = volume->geometry.start + 1;
    uint8_t sector[SDSIM_SECTOR];
    sdsim_ps no_time = 0;
    if (!volume->geometry.has_fsinfo) {
        return SDSIM_FAT_OK;
    }
    if (disk->ops->read(disk->context, &no_time, lba, 1, SDSIM_FOR_FSINFO, sector) !=
        SDSIM_DISK_OK) {
        return SDSIM_FAT_DISK_ERROR;
    }
    memset(sector + FREE_COUNT, 0xFF, HINT_END - FREE_COUNT);
    const struct sdsim_content content = {.kind = SDSIM_CONTENT_BYTES, .bytes = sector};
    return disk->ops->write(disk->context, &no_time, lba, 1, SDSIM_FOR_FSINFO, &content) ==
                   SDSIM_DISK_OK
               ? SDSIM_FAT_OK
               : SDSIM_FAT_DISK_ERROR;
}

static enum sdsim_fat_result make_what_is_needed(struct sdsim_volume *volume,
                                                 const struct sdsim_preparation *preparation,
                                                 const struct sdsim_workload_params *params)
{
    const enum sdsim_writer writer = (enum sdsim_writer)preparation->writer;
    switch ((enum sdsim_action)params->action) {
    case SDSIM_DO_READ:
    case SDSIM_DO_PLAY:
        return sdsim_workload_is_several(params)
                   ? make_several(volume, writer, params)
                   : make_file(volume, writer, SDSIM_WORKLOAD_FILE, params->total);
    case SDSIM_DO_SEEK:
    case SDSIM_DO_APPEND:
        return make_file(volume, writer, SDSIM_WORKLOAD_FILE, params->total);
    case SDSIM_DO_RANDOM_WRITE:
    case SDSIM_DO_RANDOM_READ:
    case SDSIM_DO_RANDOM_MIXED:
        return make_file(volume, writer, SDSIM_WORKLOAD_FILE, params->span);
    case SDSIM_DO_OPEN:
    case SDSIM_DO_OPEN_EACH:
    case SDSIM_DO_CREATE:
    case SDSIM_DO_LIST:
        return make_directory(volume, params->files, params->name_length);
    default:
        return SDSIM_FAT_OK;
    }
}

enum sdsim_fat_result sdsim_workload_prepare(struct sdsim_volume *volume,
                                             const struct sdsim_preparation *preparation,
                                             const struct sdsim_workload_params *params)
{
    enum sdsim_fat_result result = fill(volume, preparation);
    if (result == SDSIM_FAT_OK) {
        result = make_what_is_needed(volume, preparation, params);
    }
    if (result == SDSIM_FAT_OK && !preparation->fsinfo) {
        result = forget_fsinfo(volume);
    }
    return result;
}
