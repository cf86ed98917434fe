#include "fat/dir.h"

#include <string.h>

#include "fat/bytes.h"
#include "fat/dir_exfat.h"
#include "fat/dir_fat.h"

/* No directory is longer; what goes on beyond is taken for a broken chain. */
#define FAT_DIRECTORY_MAX   0x200000u
#define EXFAT_DIRECTORY_MAX 0x10000000u

/* Clearing a directory with a buffer from the heap is done in pieces of this many sectors. */
#define CLEAR_PIECE_SECTORS 64u

#define DEFAULT_CLOCK ((45u << 9 | 1u << 5 | 1u) << 16) /* 2025-01-01 00:00 */

static bool is_exfat(const struct sdsim_volume *volume)
{
    return volume->geometry.type == SDSIM_EXFAT;
}

static uint32_t directory_max(const struct sdsim_volume *volume)
{
    return is_exfat(volume) ? EXFAT_DIRECTORY_MAX : FAT_DIRECTORY_MAX;
}

/* A chain with more clusters than the volume runs in a circle. */
static bool runs_in_circle(const struct sdsim_volume *volume, uint32_t offset)
{
    return offset / sdsim_cluster_bytes(volume) >= volume->geometry.clusters;
}

uint32_t sdsim_dir_clock(const struct sdsim_volume *volume)
{
    return volume->config.clock != 0 ? volume->config.clock : DEFAULT_CLOCK;
}

void sdsim_dir_root(struct sdsim_dir *dir)
{
    memset(dir, 0, sizeof *dir);
    dir->lba = SDSIM_NO_SECTOR;
    dir->set_offset = SDSIM_NO_OFFSET;
}

/* The successor of a directory's cluster, which must exist or, at the end, be >= the limit. */
static enum sdsim_fat_result next_cluster(struct sdsim_volume *volume, const struct sdsim_dir *dir,
                                          uint32_t cluster, uint32_t *next)
{
    const enum sdsim_fat_result result = sdsim_chain_next(volume, &dir->object, cluster, next);
    return result == SDSIM_FAT_OK && *next < 2 ? SDSIM_FAT_CORRUPT : result;
}

static enum sdsim_fat_result goto_chained(struct sdsim_volume *volume, struct sdsim_dir *dir,
                                          uint32_t cluster)
{
    uint32_t rest = dir->offset;
    for (const uint32_t size = sdsim_cluster_bytes(volume); rest >= size; rest -= size) {
        const enum sdsim_fat_result result = next_cluster(volume, dir, cluster, &cluster);
        if (result != SDSIM_FAT_OK) {
            return result;
        }
        if (cluster >= sdsim_cluster_limit(volume)) {
            return SDSIM_FAT_CORRUPT;
        }
    }
    if (!sdsim_cluster_valid(volume, cluster)) {
        return SDSIM_FAT_CORRUPT;
    }
    dir->cluster = cluster;
    dir->lba = sdsim_cluster_lba(volume, cluster) + rest / SDSIM_SECTOR;
    return SDSIM_FAT_OK;
}

enum sdsim_fat_result sdsim_dir_goto(struct sdsim_volume *volume, struct sdsim_dir *dir,
                                     uint32_t offset)
{
    const struct sdsim_geometry *g = &volume->geometry;
    if (offset >= directory_max(volume) || offset % SDSIM_SLOT != 0) {
        return SDSIM_FAT_CORRUPT;
    }
    dir->offset = offset;
    if (dir->object.start != 0) {
        return goto_chained(volume, dir, dir->object.start);
    }
    if (g->root_entries == 0) {
        dir->object.state = SDSIM_CHAIN_LINKED;
        return goto_chained(volume, dir, g->root);
    }
    if (offset / SDSIM_SLOT >= g->root_entries) {
        return SDSIM_FAT_CORRUPT;
    }
    dir->cluster = 0;
    dir->lba = g->root + offset / SDSIM_SECTOR;
    return SDSIM_FAT_OK;
}

/* Adds a cluster behind the last one and clears it. */
static enum sdsim_fat_result stretch_directory(struct sdsim_volume *volume, struct sdsim_dir *dir,
                                               uint32_t *cluster)
{
    enum sdsim_fat_result result = sdsim_chain_extend(volume, &dir->object, dir->cluster, cluster);
    if (result == SDSIM_FAT_OK && *cluster == 0) {
        result = SDSIM_FAT_DENIED;
    }
    if (result == SDSIM_FAT_OK) {
        result = sdsim_dir_clear(volume, *cluster);
    }
    if (result == SDSIM_FAT_OK && is_exfat(volume)) {
        dir->stretched = true;
        if (dir->object.start != 0) {
            dir->object.size += sdsim_cluster_bytes(volume);
        }
    }
    return result;
}

/* Moves from the last sector of a cluster to the first of the next. */
static enum sdsim_fat_result step_cluster(struct sdsim_volume *volume, struct sdsim_dir *dir,
                                          bool stretch)
{
    if (runs_in_circle(volume, dir->offset)) {
        return SDSIM_FAT_CORRUPT;
    }
    uint32_t cluster;
    enum sdsim_fat_result result = next_cluster(volume, dir, dir->cluster, &cluster);
    if (result == SDSIM_FAT_OK && cluster >= sdsim_cluster_limit(volume)) {
        if (!stretch) {
            dir->lba = SDSIM_NO_SECTOR;
            return SDSIM_FAT_NO_FILE;
        }
        result = stretch_directory(volume, dir, &cluster);
    }
    if (result == SDSIM_FAT_OK) {
        dir->cluster = cluster;
        dir->lba = sdsim_cluster_lba(volume, cluster);
    }
    return result;
}

enum sdsim_fat_result sdsim_dir_step(struct sdsim_volume *volume, struct sdsim_dir *dir,
                                     bool stretch)
{
    const struct sdsim_geometry *g = &volume->geometry;
    const uint32_t offset = dir->offset + SDSIM_SLOT;
    const bool fixed = dir->cluster == 0;
    if (offset >= directory_max(volume) || (fixed && offset / SDSIM_SLOT >= g->root_entries)) {
        dir->lba = SDSIM_NO_SECTOR;
    }
    if (dir->lba == SDSIM_NO_SECTOR) {
        return SDSIM_FAT_NO_FILE;
    }
    if (offset % SDSIM_SECTOR == 0) {
        if (!fixed && offset / SDSIM_SECTOR % g->cluster_sectors == 0) {
            const enum sdsim_fat_result result = step_cluster(volume, dir, stretch);
            if (result != SDSIM_FAT_OK) {
                return result;
            }
        } else {
            dir->lba++;
        }
    }
    dir->offset = offset;
    return SDSIM_FAT_OK;
}

enum sdsim_fat_result sdsim_dir_need(struct sdsim_volume *volume, const struct sdsim_dir *dir)
{
    return sdsim_window_need(volume, dir->lba, SDSIM_FOR_DIRECTORY);
}

enum sdsim_fat_result sdsim_dir_reserve(struct sdsim_volume *volume, struct sdsim_dir *dir,
                                        uint32_t slots)
{
    uint32_t run = 0;
    enum sdsim_fat_result result = sdsim_dir_goto(volume, dir, 0);
    while (result == SDSIM_FAT_OK) {
        result = sdsim_dir_need(volume, dir);
        if (result != SDSIM_FAT_OK) {
            return result;
        }
        const uint8_t type = *sdsim_window_at(volume, dir->offset);
        const bool unused =
            is_exfat(volume) ? (type & 0x80) == 0 : type == 0 || type == SDSIM_ENTRY_DELETED;
        run = unused ? run + 1 : 0;
        if (run == slots) {
            return SDSIM_FAT_OK;
        }
        result = sdsim_dir_step(volume, dir, true);
    }
    return result == SDSIM_FAT_NO_FILE ? SDSIM_FAT_DENIED : result;
}

enum sdsim_fat_result sdsim_dir_clear(struct sdsim_volume *volume, uint32_t cluster)
{
    enum sdsim_fat_result result = sdsim_window_flush(volume);
    if (result != SDSIM_FAT_OK) {
        return result;
    }
    const struct sdsim_disk *disk = volume->disk;
    const struct sdsim_content zeros = {.kind = SDSIM_CONTENT_FILL, .fill = 0};
    const uint32_t sectors = volume->geometry.cluster_sectors;
    const uint32_t lba = sdsim_cluster_lba(volume, cluster);
    uint32_t piece = 1;
    if (volume->config.long_names == SDSIM_LFN_HEAP) {
        piece = sectors < CLEAR_PIECE_SECTORS ? sectors : CLEAR_PIECE_SECTORS;
    }
    sdsim_sector_fresh(&volume->window, lba, SDSIM_FOR_DIRECTORY);
    for (uint32_t i = 0; i < sectors && result == SDSIM_FAT_OK; i += piece) {
        result = sdsim_disk_result(disk->ops->write(disk->context, volume->now, lba + i, piece,
                                                    SDSIM_FOR_DIRECTORY, &zeros));
    }
    return result;
}

/* Looks for dir->name / volume->name from the first slot. SDSIM_FAT_OK: found; FAT: the short entry
 * is in the window, exFAT: the set is loaded. SDSIM_FAT_NO_FILE: not there. */
static enum sdsim_fat_result find(struct sdsim_volume *volume, struct sdsim_dir *dir)
{
    return is_exfat(volume) ? sdsim_set_find(volume, dir) : sdsim_entry_find(volume, dir);
}

enum sdsim_fat_result sdsim_dir_read(struct sdsim_volume *volume, struct sdsim_dir *dir)
{
    return is_exfat(volume) ? sdsim_set_read(volume, dir) : sdsim_entry_read(volume, dir);
}

enum sdsim_fat_result sdsim_dir_register(struct sdsim_volume *volume, struct sdsim_dir *dir)
{
    if ((dir->name.flags & SDSIM_NAME_ROOT) != 0) {
        return SDSIM_FAT_INVALID_NAME;
    }
    return is_exfat(volume) ? sdsim_set_register(volume, dir) : sdsim_entry_register(volume, dir);
}

enum sdsim_fat_result sdsim_dir_remove(struct sdsim_volume *volume, struct sdsim_dir *dir)
{
    const uint32_t last = dir->offset;
    enum sdsim_fat_result result = SDSIM_FAT_OK;
    if (dir->set_offset != SDSIM_NO_OFFSET) {
        result = sdsim_dir_goto(volume, dir, dir->set_offset);
    }
    while (result == SDSIM_FAT_OK) {
        result = sdsim_dir_need(volume, dir);
        if (result != SDSIM_FAT_OK) {
            return result;
        }
        uint8_t *type = sdsim_window_change(volume, dir->offset);
        *type = is_exfat(volume) ? *type & 0x7F : SDSIM_ENTRY_DELETED;
        if (dir->offset >= last) {
            return SDSIM_FAT_OK;
        }
        result = sdsim_dir_step(volume, dir, false);
    }
    return result == SDSIM_FAT_NO_FILE ? SDSIM_FAT_CORRUPT : result;
}

void sdsim_dir_object(struct sdsim_volume *volume, const struct sdsim_dir *dir,
                      struct sdsim_object *object)
{
    memset(object, 0, sizeof *object);
    if (is_exfat(volume)) {
        object->start = sdsim_get32(volume->set + SDSIM_SET_CLUSTER);
        object->size = sdsim_get64(volume->set + SDSIM_SET_SIZE);
        object->state =
            (volume->set[SDSIM_SET_FLAGS] & 2) != 0 ? SDSIM_CHAIN_CONTIGUOUS : SDSIM_CHAIN_LINKED;
        return;
    }
    const uint8_t *entry = sdsim_window_at(volume, dir->offset);
    object->start = sdsim_entry_cluster(volume, entry);
    object->size = sdsim_get32(entry + SDSIM_ENTRY_SIZE);
}

struct sdsim_home sdsim_dir_home(const struct sdsim_dir *dir)
{
    return (struct sdsim_home){.directory = dir->object, .offset = dir->set_offset};
}

static enum sdsim_fat_result take_part(struct sdsim_volume *volume, const char **path,
                                       struct sdsim_dir *dir)
{
    if (volume->config.long_names == SDSIM_LFN_NONE) {
        return sdsim_name_take_short(path, &dir->name);
    }
    return sdsim_name_take(path, volume->name, &dir->name);
}

/* Makes `dir` the directory whose entry was found in it. */
static void descend(struct sdsim_volume *volume, struct sdsim_dir *dir)
{
    dir->home = sdsim_dir_home(dir);
    sdsim_dir_object(volume, dir, &dir->object);
}

enum sdsim_fat_result sdsim_dir_follow(struct sdsim_volume *volume, const char *path,
                                       struct sdsim_dir *dir)
{
    sdsim_dir_root(dir);
    while (*path == '/' || *path == '\\') {
        path++;
    }
    if ((unsigned char)*path < ' ') {
        dir->name.flags = SDSIM_NAME_ROOT;
        return sdsim_dir_goto(volume, dir, 0);
    }
    for (;;) {
        enum sdsim_fat_result result = take_part(volume, &path, dir);
        if (result != SDSIM_FAT_OK) {
            return result;
        }
        const bool last = (dir->name.flags & SDSIM_NAME_LAST) != 0;
        result = find(volume, dir);
        if (result != SDSIM_FAT_OK || last) {
            return result == SDSIM_FAT_NO_FILE && !last ? SDSIM_FAT_NO_PATH : result;
        }
        if ((dir->attributes & SDSIM_ATTR_DIRECTORY) == 0) {
            return SDSIM_FAT_NO_PATH;
        }
        descend(volume, dir);
    }
}
