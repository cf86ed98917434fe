#include "fat/fat_table.h"
#include "fat/sdfat.h"

static bool is_exfat(const struct sdsim_volume *volume)
{
    return volume->geometry.type == SDSIM_EXFAT;
}

/* Clusters that the size of a file takes. */
static uint32_t clusters_of(const struct sdsim_volume *volume, uint64_t bytes)
{
    return bytes != 0 ? (uint32_t)((bytes - 1) / sdsim_cluster_bytes(volume)) + 1 : 0;
}

enum sdsim_fat_result sdsim_sdfat_sync(struct sdsim_file *file, sdsim_ps *now)
{
    struct sdsim_volume *volume = file->volume;
    volume->now = now;
    if (file->modified && is_exfat(volume)) {
        return sdsim_sdfat_store_set(file);
    }
    if (file->modified) {
        const enum sdsim_fat_result result = sdsim_sdfat_store_entry(file);
        if (result != SDSIM_FAT_OK) {
            return result;
        }
        file->modified = false;
    }
    return sdsim_sdfat_flush(volume);
}

enum sdsim_fat_result sdsim_sdfat_close(struct sdsim_file *file, sdsim_ps *now)
{
    const enum sdsim_fat_result result = sdsim_sdfat_sync(file, now);
    sdsim_file_drop(file);
    return result;
}

/* The chain behind the position is freed; classic frees before it marks the new end. */
static enum sdsim_fat_result cut_chain(struct sdsim_file *file)
{
    struct sdsim_volume *volume = file->volume;
    const uint32_t start = file->object.start;
    if (file->cluster == 0) {
        file->object.start = 0;
        return sdsim_sdfat_free_chain(volume, start);
    }
    uint32_t next;
    enum sdsim_fat_result result = sdsim_sdfat_next(volume, file->cluster, &next);
    if (result != SDSIM_FAT_OK || next == SDSIM_CHAIN_END) {
        return result;
    }
    if (sdsim_sdfat_is_classic(volume)) {
        result = sdsim_sdfat_free_chain(volume, next);
        return result == SDSIM_FAT_OK ? sdsim_fat_set(volume, file->cluster, UINT32_MAX) : result;
    }
    result = sdsim_fat_set(volume, file->cluster, UINT32_MAX);
    return result == SDSIM_FAT_OK ? sdsim_sdfat_free_chain(volume, next) : result;
}

/* exFAT: the same for clusters in a row. */
static enum sdsim_fat_result cut_run(struct sdsim_file *file)
{
    const uint32_t count = clusters_of(file->volume, file->object.size);
    uint32_t first = file->object.start;
    uint32_t kept = 0;
    if (file->cluster != 0) {
        kept = file->cluster - first + 1;
        first = file->cluster + 1;
    } else {
        file->object.start = 0;
    }
    return count > kept ? sdsim_sdfat_free_run(file->volume, first, count - kept) : SDSIM_FAT_OK;
}

enum sdsim_fat_result sdsim_sdfat_truncate(struct sdsim_file *file, sdsim_ps *now)
{
    struct sdsim_volume *volume = file->volume;
    volume->now = now;
    if (!file->writable) {
        return SDSIM_FAT_DENIED;
    }
    const bool classic = sdsim_sdfat_is_classic(volume);
    if (classic && file->position > file->object.size) {
        return SDSIM_FAT_INVALID_ARGUMENT; /* after a write that found no room */
    }
    if (classic ? file->object.size == 0 : file->object.start == 0) {
        return SDSIM_FAT_OK;
    }
    const bool contiguous = file->object.state == SDSIM_CHAIN_CONTIGUOUS;
    const enum sdsim_fat_result result =
        is_exfat(volume) && contiguous ? cut_run(file) : cut_chain(file);
    if (result != SDSIM_FAT_OK) {
        return result;
    }
    if (file->valid_size > file->position) {
        file->valid_size = file->position;
    }
    file->object.size = file->position;
    file->modified = true;
    return sdsim_sdfat_sync(file, now);
}

enum sdsim_fat_result sdsim_sdfat_expand(struct sdsim_file *file, sdsim_ps *now, uint64_t bytes)
{
    struct sdsim_volume *volume = file->volume;
    volume->now = now;
    if (bytes == 0 || !file->writable || file->object.start != 0 ||
        bytes > sdsim_file_size_max(volume)) {
        return SDSIM_FAT_DENIED;
    }
    const uint64_t count = (bytes - 1) / sdsim_cluster_bytes(volume) + 1;
    const uint32_t limit = sdsim_cluster_limit(volume);
    uint32_t first;
    const enum sdsim_fat_result result =
        sdsim_sdfat_allocate_run(volume, count < limit ? (uint32_t)count : limit, &first);
    if (result != SDSIM_FAT_OK || first == 0) {
        return result == SDSIM_FAT_OK ? SDSIM_FAT_DENIED : result;
    }
    file->object.start = first;
    file->object.size = bytes;
    if (!sdsim_sdfat_is_classic(volume)) {
        file->object.state = SDSIM_CHAIN_CONTIGUOUS;
        file->preallocated = true;
    }
    file->modified = true;
    return sdsim_sdfat_sync(file, now);
}
