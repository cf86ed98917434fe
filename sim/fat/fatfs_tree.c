#include "fat/fatfs.h"

#include <string.h>

#include "fat/bytes.h"
#include "fat/dir_exfat.h"
#include "fat/dir_fat.h"

static bool is_exfat(const struct sdsim_volume *volume)
{
    return volume->geometry.type == SDSIM_EXFAT;
}

/* sdsim_dir_follow, refusing the root itself. */
static enum sdsim_fat_result follow_entry(struct sdsim_volume *volume, const char *path,
                                          struct sdsim_dir *dir)
{
    const enum sdsim_fat_result result = sdsim_dir_follow(volume, path, dir);
    const bool root = (dir->name.flags & SDSIM_NAME_ROOT) != 0;
    return result == SDSIM_FAT_OK && root ? SDSIM_FAT_INVALID_NAME : result;
}

/* The entries "." and ".." of a new FAT directory, whose first sector is the window. */
static void put_dots(struct sdsim_volume *volume, uint32_t cluster, uint32_t parent)
{
    uint8_t *dot = sdsim_window_change(volume, 0);
    memset(dot, ' ', 11);
    dot[0] = '.';
    dot[SDSIM_ENTRY_ATTRIBUTES] = SDSIM_ATTR_DIRECTORY;
    sdsim_put32(dot + SDSIM_ENTRY_MODIFIED, sdsim_dir_clock(volume));
    sdsim_entry_set_cluster(volume, dot, cluster);
    uint8_t *dots = dot + SDSIM_SLOT;
    memcpy(dots, dot, SDSIM_SLOT);
    dots[1] = '.';
    sdsim_entry_set_cluster(volume, dots, parent);
}

/* Fills in the entry of a new directory that was just registered. */
static enum sdsim_fat_result fill_in_directory(struct sdsim_volume *volume, struct sdsim_dir *dir,
                                               const struct sdsim_object *object)
{
    if (is_exfat(volume)) {
        sdsim_put32(volume->set + SDSIM_SET_CREATED, sdsim_dir_clock(volume));
        sdsim_put32(volume->set + SDSIM_SET_MODIFIED, sdsim_dir_clock(volume));
        sdsim_put32(volume->set + SDSIM_SET_ACCESSED, sdsim_dir_clock(volume));
        volume->set[SDSIM_SET_ATTRIBUTES] = SDSIM_ATTR_DIRECTORY;
        sdsim_set_put_object(volume, object);
        return sdsim_set_store(volume, dir);
    }
    uint8_t *entry = sdsim_window_change(volume, dir->offset);
    sdsim_put32(entry + SDSIM_ENTRY_MODIFIED, sdsim_dir_clock(volume));
    sdsim_entry_set_cluster(volume, entry, object->start);
    entry[SDSIM_ENTRY_ATTRIBUTES] = SDSIM_ATTR_DIRECTORY;
    return SDSIM_FAT_OK;
}

enum sdsim_fat_result sdsim_fatfs_mkdir(struct sdsim_volume *volume, sdsim_ps *now,
                                        const char *path)
{
    enum sdsim_fat_result result = sdsim_volume_enter(volume, now);
    if (result != SDSIM_FAT_OK) {
        return result;
    }
    struct sdsim_dir dir;
    result = sdsim_dir_follow(volume, path, &dir);
    if (result != SDSIM_FAT_NO_FILE) {
        return result == SDSIM_FAT_OK ? SDSIM_FAT_EXISTS : result;
    }
    struct sdsim_object object = {.size = sdsim_cluster_bytes(volume)};
    result = sdsim_chain_extend(volume, &object, 0, &object.start);
    if (result != SDSIM_FAT_OK) {
        return result;
    }
    if (object.start == 0) {
        return SDSIM_FAT_DENIED;
    }
    result = sdsim_dir_clear(volume, object.start);
    if (result == SDSIM_FAT_OK) {
        if (!is_exfat(volume)) {
            put_dots(volume, object.start, dir.object.start);
        }
        result = sdsim_dir_register(volume, &dir);
    }
    if (result != SDSIM_FAT_OK) { /* no room for the entry: the cluster is given back */
        (void)sdsim_chain_free(volume, &object, object.start, 0);
        return result;
    }
    result = fill_in_directory(volume, &dir, &object);
    return result == SDSIM_FAT_OK ? sdsim_window_sync(volume) : result;
}

/* SDSIM_FAT_DENIED if the directory has an entry. */
static enum sdsim_fat_result check_empty(struct sdsim_volume *volume,
                                         const struct sdsim_object *object)
{
    struct sdsim_dir dir;
    sdsim_dir_root(&dir);
    dir.object = *object;
    enum sdsim_fat_result result = sdsim_dir_goto(volume, &dir, 0);
    if (result == SDSIM_FAT_OK) {
        result = sdsim_dir_read(volume, &dir);
    }
    if (result == SDSIM_FAT_OK) {
        return SDSIM_FAT_DENIED;
    }
    return result == SDSIM_FAT_NO_FILE ? SDSIM_FAT_OK : result;
}

enum sdsim_fat_result sdsim_fatfs_unlink(struct sdsim_volume *volume, sdsim_ps *now,
                                         const char *path)
{
    enum sdsim_fat_result result = SDSIM_FAT_OK;
    if (volume->config.unlink_stats_first) {
        result = sdsim_fatfs_stat(volume, now, path, NULL);
    }
    if (result == SDSIM_FAT_OK) {
        result = sdsim_volume_enter(volume, now);
    }
    if (result != SDSIM_FAT_OK) {
        return result;
    }
    struct sdsim_dir dir;
    result = follow_entry(volume, path, &dir);
    if (result != SDSIM_FAT_OK) {
        return result;
    }
    if ((dir.attributes & SDSIM_ATTR_READ_ONLY) != 0) {
        return SDSIM_FAT_DENIED;
    }
    struct sdsim_object object;
    sdsim_dir_object(volume, &dir, &object);
    if ((dir.attributes & SDSIM_ATTR_DIRECTORY) != 0) {
        result = check_empty(volume, &object);
    }
    if (result == SDSIM_FAT_OK) {
        result = sdsim_dir_remove(volume, &dir);
    }
    if (result == SDSIM_FAT_OK && object.start != 0) {
        result = sdsim_chain_free(volume, &object, object.start, 0);
    }
    return result == SDSIM_FAT_OK ? sdsim_window_sync(volume) : result;
}

/* A moved FAT directory: its ".." must name the new parent. */
static enum sdsim_fat_result repoint_parent(struct sdsim_volume *volume, uint32_t directory,
                                            uint32_t parent)
{
    if (!sdsim_cluster_valid(volume, directory)) {
        return SDSIM_FAT_CORRUPT;
    }
    const enum sdsim_fat_result result =
        sdsim_window_need(volume, sdsim_cluster_lba(volume, directory), SDSIM_FOR_DIRECTORY);
    if (result == SDSIM_FAT_OK && sdsim_window_at(volume, SDSIM_SLOT)[1] == '.') {
        sdsim_entry_set_cluster(volume, sdsim_window_change(volume, SDSIM_SLOT), parent);
    }
    return result;
}

/* The new entry was registered: gives it what the old one said, `old` being its first 64 bytes. */
static enum sdsim_fat_result carry_over(struct sdsim_volume *volume, const struct sdsim_dir *from,
                                        struct sdsim_dir *to, const uint8_t *old)
{
    const uint8_t at = is_exfat(volume) ? SDSIM_SET_ATTRIBUTES : SDSIM_ENTRY_ATTRIBUTES;
    const bool directory = (old[at] & SDSIM_ATTR_DIRECTORY) != 0;
    const uint8_t attributes = directory ? old[at] : (uint8_t)(old[at] | SDSIM_ATTR_ARCHIVE);
    if (is_exfat(volume)) {
        uint8_t *set = volume->set;
        memcpy(set + 2, old + 2, SDSIM_SET_NAME_LENGTH - 2); /* all but number of slots ... */
        memcpy(set + 38, old + 38, 2 * SDSIM_SLOT - 38); /* ... and length and hash of the name */
        set[at] = attributes;
        return sdsim_set_store(volume, to);
    }
    uint8_t *entry = sdsim_window_change(volume, to->offset);
    memcpy(entry + 13, old + 13, SDSIM_SLOT - 13);
    entry[at] = attributes;
    if (directory && from->object.start != to->object.start) {
        return repoint_parent(volume, sdsim_entry_cluster(volume, entry), to->object.start);
    }
    return SDSIM_FAT_OK;
}

enum sdsim_fat_result sdsim_fatfs_rename(struct sdsim_volume *volume, sdsim_ps *now,
                                         const char *from, const char *to)
{
    enum sdsim_fat_result result = SDSIM_FAT_OK;
    if (volume->config.rename_stats_first) {
        result = sdsim_fatfs_stat(volume, now, from, NULL);
    }
    if (result == SDSIM_FAT_OK) {
        result = sdsim_volume_enter(volume, now);
    }
    struct sdsim_dir old_dir;
    if (result == SDSIM_FAT_OK) {
        result = follow_entry(volume, from, &old_dir);
    }
    if (result != SDSIM_FAT_OK) {
        return result;
    }
    uint8_t old[2 * SDSIM_SLOT];
    if (is_exfat(volume)) {
        memcpy(old, volume->set, sizeof old);
    } else {
        memcpy(old, sdsim_window_at(volume, old_dir.offset), SDSIM_SLOT);
    }
    struct sdsim_dir new_dir;
    result = sdsim_dir_follow(volume, to, &new_dir);
    if (result == SDSIM_FAT_OK) {
        /* The same entry under another case is no other entry. */
        const bool same = new_dir.object.start == old_dir.object.start &&
                          new_dir.offset == old_dir.offset &&
                          (new_dir.name.flags & SDSIM_NAME_ROOT) == 0;
        result = same ? SDSIM_FAT_NO_FILE : SDSIM_FAT_EXISTS;
    }
    if (result != SDSIM_FAT_NO_FILE) {
        return result;
    }
    result = sdsim_dir_register(volume, &new_dir);
    if (result == SDSIM_FAT_OK) {
        result = carry_over(volume, &old_dir, &new_dir, old);
    }
    if (result == SDSIM_FAT_OK) {
        result = sdsim_dir_remove(volume, &old_dir);
    }
    return result == SDSIM_FAT_OK ? sdsim_window_sync(volume) : result;
}

/* Copies out the entry found. FAT: a long name is in volume->name already. */
static void describe(struct sdsim_volume *volume, const struct sdsim_dir *dir,
                     struct sdsim_dir_info *entry)
{
    struct sdsim_object object;
    sdsim_dir_object(volume, dir, &object);
    const bool directory = (dir->attributes & SDSIM_ATTR_DIRECTORY) != 0;
    entry->size = directory ? 0 : object.size;
    entry->start = object.start;
    entry->attributes = dir->attributes;
    entry->contiguous = object.state == SDSIM_CHAIN_CONTIGUOUS;
    if (is_exfat(volume)) {
        entry->modified = sdsim_get32(volume->set + SDSIM_SET_MODIFIED);
        sdsim_set_name(volume);
    } else {
        const uint8_t *bytes = sdsim_window_at(volume, dir->offset);
        entry->modified = sdsim_get32(bytes + SDSIM_ENTRY_MODIFIED);
        if (dir->set_offset == SDSIM_NO_OFFSET) {
            sdsim_entry_short_name(volume, bytes);
        }
    }
    sdsim_name_print(volume->name, entry->name, sizeof entry->name);
}

enum sdsim_fat_result sdsim_fatfs_stat(struct sdsim_volume *volume, sdsim_ps *now, const char *path,
                                       struct sdsim_dir_info *entry)
{
    enum sdsim_fat_result result = sdsim_volume_enter(volume, now);
    if (result != SDSIM_FAT_OK) {
        return result;
    }
    struct sdsim_dir dir;
    result = follow_entry(volume, path, &dir);
    if (result == SDSIM_FAT_OK && entry != NULL) {
        describe(volume, &dir, entry);
    }
    return result;
}

enum sdsim_fat_result sdsim_fatfs_list_open(struct sdsim_dir_list *listing,
                                            struct sdsim_volume *volume, sdsim_ps *now,
                                            const char *path)
{
    enum sdsim_fat_result result = sdsim_volume_enter(volume, now);
    if (result != SDSIM_FAT_OK) {
        return result;
    }
    struct sdsim_dir *dir = &listing->dir;
    result = sdsim_dir_follow(volume, path, dir);
    if (result == SDSIM_FAT_OK && (dir->name.flags & SDSIM_NAME_ROOT) == 0) {
        if ((dir->attributes & SDSIM_ATTR_DIRECTORY) == 0) {
            return SDSIM_FAT_NO_PATH;
        }
        sdsim_dir_object(volume, dir, &dir->object);
        result = sdsim_dir_goto(volume, dir, 0);
    }
    return result == SDSIM_FAT_NO_FILE ? SDSIM_FAT_NO_PATH : result;
}

enum sdsim_fat_result sdsim_fatfs_list_next(struct sdsim_dir_list *listing, sdsim_ps *now,
                                            struct sdsim_dir_info *entry, bool *more)
{
    struct sdsim_volume *volume = listing->volume;
    enum sdsim_fat_result result = sdsim_volume_enter(volume, now);
    if (result != SDSIM_FAT_OK) {
        return result;
    }
    result = sdsim_dir_read(volume, &listing->dir);
    if (result == SDSIM_FAT_OK) {
        *more = true;
        if (entry != NULL) {
            describe(volume, &listing->dir, entry);
        }
        result = sdsim_dir_step(volume, &listing->dir, false);
    }
    if (result == SDSIM_FAT_NO_FILE) {
        return SDSIM_FAT_OK;
    }
    *more = *more && result == SDSIM_FAT_OK;
    return result;
}

enum sdsim_fat_result sdsim_fatfs_list_close(struct sdsim_dir_list *listing, sdsim_ps *now)
{
    return sdsim_volume_enter(listing->volume, now);
}

enum sdsim_fat_result sdsim_fatfs_count_free(struct sdsim_volume *volume, sdsim_ps *now,
                                             uint32_t *clusters)
{
    enum sdsim_fat_result result = sdsim_volume_enter(volume, now);
    if (result != SDSIM_FAT_OK) {
        return result;
    }
    if (volume->free_clusters <= volume->geometry.clusters) {
        *clusters = volume->free_clusters;
        return SDSIM_FAT_OK;
    }
    result = sdsim_chain_count_free(volume, clusters);
    if (result == SDSIM_FAT_OK) {
        volume->free_clusters = *clusters;
        volume->changed = true;
    }
    return result;
}
