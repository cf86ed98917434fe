#include "fat/fatfs.h"

#include <stdlib.h>

/* Walks the chain once, counting its runs of adjacent clusters and noting up to `capacity` of them.
 */
static enum sdsim_fat_result walk_links(struct sdsim_file *file, uint32_t capacity, uint32_t *count)
{
    struct sdsim_volume *volume = file->volume;
    const uint32_t limit = sdsim_cluster_limit(volume);
    uint32_t cluster = file->object.start;
    uint32_t walked = 0;
    *count = 0;
    while (cluster != 0 && cluster < limit) {
        struct sdsim_link link = {.first = cluster};
        uint32_t before;
        do {
            before = cluster;
            link.count++;
            /* A chain longer than the volume runs in a circle. */
            if (++walked > volume->geometry.clusters) {
                return SDSIM_FAT_CORRUPT;
            }
            const enum sdsim_fat_result result =
                sdsim_chain_next(volume, &file->object, cluster, &cluster);
            if (result != SDSIM_FAT_OK) {
                return result;
            }
            if (cluster < 2) {
                return SDSIM_FAT_CORRUPT;
            }
        } while (cluster == before + 1 && cluster < limit);
        if (*count < capacity) {
            file->links[*count] = link;
        }
        ++*count;
    }
    return SDSIM_FAT_OK;
}

enum sdsim_fat_result sdsim_fatfs_make_links(struct sdsim_file *file, sdsim_ps *now)
{
    /* CircuitPython asks for the size of the table first and then for the table. */
    uint32_t count;
    enum sdsim_fat_result result = sdsim_fatfs_enter(file, now);
    if (result == SDSIM_FAT_OK) {
        result = walk_links(file, 0, &count);
    }
    if (result != SDSIM_FAT_OK) {
        return result;
    }
    file->links = calloc(count > 0 ? count : 1, sizeof *file->links);
    if (file->links == NULL) {
        return SDSIM_FAT_NO_MEMORY;
    }
    file->link_count = count;
    result = sdsim_fatfs_enter(file, now);
    return result == SDSIM_FAT_OK ? walk_links(file, count, &count) : result;
}

uint32_t sdsim_fatfs_linked_cluster(const struct sdsim_file *file, uint64_t position)
{
    uint64_t index = position / sdsim_cluster_bytes(file->volume);
    for (uint32_t i = 0; i < file->link_count; i++) {
        if (index < file->links[i].count) {
            return file->links[i].first + (uint32_t)index;
        }
        index -= file->links[i].count;
    }
    return 0;
}

/* A seek by the fast-seek table: no FAT. */
static enum sdsim_fat_result seek_linked(struct sdsim_file *file, uint64_t position)
{
    struct sdsim_volume *volume = file->volume;
    if (position > file->object.size) {
        position = file->object.size;
    }
    file->position = position;
    if (position == 0) {
        return SDSIM_FAT_OK;
    }
    file->cluster = sdsim_fatfs_linked_cluster(file, position - 1);
    if (!sdsim_cluster_valid(volume, file->cluster)) {
        return SDSIM_FAT_CORRUPT;
    }
    const uint32_t sector =
        (uint32_t)((position - 1) / SDSIM_SECTOR) & (volume->geometry.cluster_sectors - 1);
    const uint32_t lba = sdsim_cluster_lba(volume, file->cluster) + sector;
    if (position % SDSIM_SECTOR == 0 || lba == file->buffer.lba) {
        return SDSIM_FAT_OK;
    }
    return sdsim_fatfs_load(file, lba);
}

static void grow_to(struct sdsim_file *file, uint64_t size)
{
    if (size > file->object.size) {
        file->object.size = size;
        file->modified = true;
    }
}

/*
 * Finds where the walk along the chain begins: the current cluster if the target is in it or
 * behind, else the first. *base is the position of that cluster, *cluster is 0 if there is none.
 */
static enum sdsim_fat_result start_walk(struct sdsim_file *file, uint64_t from, uint64_t position,
                                        uint64_t *base, uint32_t *cluster)
{
    const uint32_t cluster_bytes = sdsim_cluster_bytes(file->volume);
    *base = 0;
    if (from > 0 && (position - 1) / cluster_bytes >= (from - 1) / cluster_bytes) {
        *base = (from - 1) / cluster_bytes * cluster_bytes;
        *cluster = file->cluster;
        return SDSIM_FAT_OK;
    }
    *cluster = file->object.start;
    if (*cluster == 0) {
        const enum sdsim_fat_result result =
            sdsim_chain_extend(file->volume, &file->object, 0, cluster);
        if (result != SDSIM_FAT_OK) {
            return result;
        }
        file->object.start = *cluster;
    }
    file->cluster = *cluster;
    return SDSIM_FAT_OK;
}

/* Goes along the chain, allocating in writable files; *reached is where it got. */
static enum sdsim_fat_result walk_to(struct sdsim_file *file, uint64_t position, uint64_t base,
                                     uint32_t cluster, uint64_t *reached)
{
    struct sdsim_volume *volume = file->volume;
    const uint32_t cluster_bytes = sdsim_cluster_bytes(volume);
    while (position - base > cluster_bytes) {
        base += cluster_bytes;
        if (base / cluster_bytes > volume->geometry.clusters) { /* the chain runs in a circle */
            return SDSIM_FAT_CORRUPT;
        }
        enum sdsim_fat_result result;
        if (file->writable) {
            /* A contiguous chain without a FAT ends by its size, which must be true meanwhile. */
            if (volume->config.exfat) {
                grow_to(file, base);
            }
            result = sdsim_chain_extend(volume, &file->object, cluster, &cluster);
            if (result == SDSIM_FAT_OK && cluster == 0) { /* full: as far as it goes */
                *reached = base;
                return SDSIM_FAT_OK;
            }
        } else {
            result = sdsim_chain_next(volume, &file->object, cluster, &cluster);
        }
        if (result != SDSIM_FAT_OK) {
            return result;
        }
        if (!sdsim_cluster_valid(volume, cluster)) {
            return SDSIM_FAT_CORRUPT;
        }
        file->cluster = cluster;
    }
    *reached = position;
    return SDSIM_FAT_OK;
}

static enum sdsim_fat_result seek_walking(struct sdsim_file *file, uint64_t position)
{
    struct sdsim_volume *volume = file->volume;
    const uint64_t size_max = sdsim_file_size_max(volume);
    if (position > size_max) {
        position = size_max;
    }
    if (position > file->object.size && !file->writable) {
        position = file->object.size;
    }
    const uint64_t from = file->position;
    file->position = 0;
    if (position == 0) {
        return SDSIM_FAT_OK;
    }
    uint64_t base;
    uint32_t cluster;
    enum sdsim_fat_result result = start_walk(file, from, position, &base, &cluster);
    if (result != SDSIM_FAT_OK || cluster == 0) {
        return result;
    }
    result = walk_to(file, position, base, cluster, &file->position);
    if (result != SDSIM_FAT_OK) {
        return result;
    }
    grow_to(file, file->position);
    if (file->position % SDSIM_SECTOR == 0) {
        return SDSIM_FAT_OK;
    }
    if (!sdsim_cluster_valid(volume, file->cluster)) {
        return SDSIM_FAT_CORRUPT;
    }
    const uint32_t in_cluster = (uint32_t)(file->position % sdsim_cluster_bytes(volume));
    const uint32_t lba = sdsim_cluster_lba(volume, file->cluster) + in_cluster / SDSIM_SECTOR;
    return lba == file->buffer.lba ? SDSIM_FAT_OK : sdsim_fatfs_load(file, lba);
}

enum sdsim_fat_result sdsim_fatfs_seek(struct sdsim_file *file, sdsim_ps *now, uint64_t position)
{
    enum sdsim_fat_result result = sdsim_fatfs_enter(file, now);
    if (result == SDSIM_FAT_OK) {
        result =
            sdsim_chain_settle_last(file->volume, &file->object, file->cluster, SDSIM_CHAIN_END);
    }
    if (result == SDSIM_FAT_OK) {
        result = file->links != NULL ? seek_linked(file, position) : seek_walking(file, position);
        if (result != SDSIM_FAT_OK) {
            (void)sdsim_fatfs_fail(file, result);
        }
    }
    return result;
}
