#include "fat/fatfs.h"

#include <string.h>

#include "fat/bytes.h"
#include "fat/dir_exfat.h"
#include "fat/dir_fat.h"

static bool is_exfat(const struct sdsim_volume *volume)
{
    return volume->geometry.type == SDSIM_EXFAT;
}

enum sdsim_fat_result sdsim_fatfs_fail(struct sdsim_file *file, enum sdsim_fat_result error)
{
    file->error = error;
    return error;
}

enum sdsim_fat_result sdsim_fatfs_enter(struct sdsim_file *file, sdsim_ps *now)
{
    const enum sdsim_fat_result result = sdsim_volume_enter(file->volume, now);
    return result == SDSIM_FAT_OK ? file->error : result;
}

enum sdsim_fat_result sdsim_fatfs_flush(struct sdsim_file *file)
{
    struct sdsim_volume *volume = file->volume;
    if (!file->buffer.dirty) {
        return SDSIM_FAT_OK;
    }
    file->buffer.dirty = false;
    return sdsim_disk_result(
        sdsim_sector_store(&file->buffer, volume->disk, volume->now, file->buffer.lba));
}

enum sdsim_fat_result sdsim_fatfs_load(struct sdsim_file *file, uint32_t lba)
{
    struct sdsim_volume *volume = file->volume;
    if (volume->config.tiny) {
        file->buffer.lba = lba;
        return SDSIM_FAT_OK;
    }
    const enum sdsim_fat_result result = sdsim_fatfs_flush(file);
    if (result != SDSIM_FAT_OK) {
        return result;
    }
    return sdsim_disk_result(
        sdsim_sector_load(&file->buffer, volume->disk, volume->now, lba, SDSIM_FOR_DATA));
}

/* Resets the entry found by `dir` to that of an empty file and frees its clusters. */
static enum sdsim_fat_result cut_fat(struct sdsim_volume *volume, struct sdsim_dir *dir)
{
    uint8_t *entry = sdsim_window_change(volume, dir->offset);
    const uint32_t start = sdsim_entry_cluster(volume, entry);
    entry[SDSIM_ENTRY_ATTRIBUTES] = SDSIM_ATTR_ARCHIVE;
    sdsim_put32(entry + SDSIM_ENTRY_CREATED, sdsim_dir_clock(volume));
    sdsim_put32(entry + SDSIM_ENTRY_MODIFIED, sdsim_dir_clock(volume));
    sdsim_entry_set_cluster(volume, entry, 0);
    sdsim_put32(entry + SDSIM_ENTRY_SIZE, 0);
    if (start == 0) {
        return SDSIM_FAT_OK;
    }
    struct sdsim_object object = {.start = start};
    enum sdsim_fat_result result = sdsim_chain_free(volume, &object, start, 0);
    if (result == SDSIM_FAT_OK) {
        result = sdsim_window_need(volume, dir->lba, SDSIM_FOR_DIRECTORY);
        volume->hint = start - 1; /* the hole is used again */
    }
    return result;
}

static enum sdsim_fat_result cut_exfat(struct sdsim_volume *volume, struct sdsim_dir *dir)
{
    struct sdsim_object object;
    sdsim_dir_object(volume, dir, &object);
    uint8_t *set = volume->set;
    memset(set + 2, 0, 30);
    memset(set + 38, 0, 26);
    set[SDSIM_SET_ATTRIBUTES] = SDSIM_ATTR_ARCHIVE;
    sdsim_put32(set + SDSIM_SET_CREATED, sdsim_dir_clock(volume));
    sdsim_put32(set + SDSIM_SET_MODIFIED, sdsim_dir_clock(volume));
    sdsim_put32(set + SDSIM_SET_ACCESSED, sdsim_dir_clock(volume));
    set[SDSIM_SET_FLAGS] = 1;
    enum sdsim_fat_result result = sdsim_set_store(volume, dir);
    if (result == SDSIM_FAT_OK && object.start != 0) {
        const uint32_t start = object.start;
        result = sdsim_chain_free(volume, &object, start, 0);
        volume->hint = start - 1;
    }
    return result;
}

/* What each mode asks for. */
static const struct {
    bool reads;
    bool writes;
    bool creates; /* if it does not exist */
    bool cuts;    /* if it does */
} modes[] = {
    [SDSIM_OPEN_READ] = {.reads = true},
    [SDSIM_OPEN_WRITE] = {.writes = true, .creates = true, .cuts = true},
    [SDSIM_OPEN_WRITE_READ] = {.reads = true, .writes = true, .creates = true, .cuts = true},
    [SDSIM_OPEN_UPDATE] = {.reads = true, .writes = true},
    [SDSIM_OPEN_UPDATE_CREATE] = {.reads = true, .writes = true, .creates = true},
    [SDSIM_OPEN_APPEND] = {.writes = true, .creates = true},
    [SDSIM_OPEN_APPEND_END] = {.writes = true, .creates = true},
};

/* Looks the file up, creating or cutting it as the mode says; `fresh` if it is empty now for that.
 */
static enum sdsim_fat_result find_or_make(struct sdsim_volume *volume, const char *path,
                                          enum sdsim_open_mode mode, struct sdsim_dir *dir,
                                          bool *fresh)
{
    enum sdsim_fat_result result = sdsim_dir_follow(volume, path, dir);
    if (result == SDSIM_FAT_OK && (dir->name.flags & SDSIM_NAME_ROOT) != 0) {
        return SDSIM_FAT_INVALID_NAME;
    }
    *fresh = false;
    if (!modes[mode].creates) {
        if (result != SDSIM_FAT_OK) {
            return result;
        }
        if ((dir->attributes & SDSIM_ATTR_DIRECTORY) != 0) {
            return SDSIM_FAT_NO_FILE;
        }
        const bool read_only = (dir->attributes & SDSIM_ATTR_READ_ONLY) != 0;
        return modes[mode].writes && read_only ? SDSIM_FAT_DENIED : SDSIM_FAT_OK;
    }
    if (result == SDSIM_FAT_OK) {
        if ((dir->attributes & (SDSIM_ATTR_READ_ONLY | SDSIM_ATTR_DIRECTORY)) != 0) {
            return SDSIM_FAT_DENIED;
        }
        *fresh = modes[mode].cuts;
    } else if (result == SDSIM_FAT_NO_FILE) {
        result = sdsim_dir_register(volume, dir);
        *fresh = true;
    }
    if (result == SDSIM_FAT_OK && *fresh) {
        result = is_exfat(volume) ? cut_exfat(volume, dir) : cut_fat(volume, dir);
    }
    return result;
}

/* FatFs's append flag: follows the chain to its end and reads the last sector if it is partial. */
static enum sdsim_fat_result go_to_end(struct sdsim_file *file)
{
    struct sdsim_volume *volume = file->volume;
    const uint32_t cluster_bytes = sdsim_cluster_bytes(volume);
    uint32_t cluster = file->object.start;
    uint64_t rest = file->object.size;
    if (rest == 0) {
        return SDSIM_FAT_OK;
    }
    if ((rest - 1) / cluster_bytes >= volume->geometry.clusters) {
        return SDSIM_FAT_CORRUPT;
    }
    file->position = rest;
    for (; rest > cluster_bytes; rest -= cluster_bytes) {
        const enum sdsim_fat_result result =
            sdsim_chain_next(volume, &file->object, cluster, &cluster);
        if (result != SDSIM_FAT_OK) {
            return result;
        }
    }
    if (!sdsim_cluster_valid(volume, cluster)) {
        return SDSIM_FAT_CORRUPT;
    }
    file->cluster = cluster;
    if (rest % SDSIM_SECTOR == 0) {
        return SDSIM_FAT_OK;
    }
    return sdsim_fatfs_load(file,
                            sdsim_cluster_lba(volume, cluster) + (uint32_t)(rest / SDSIM_SECTOR));
}

/* What a mode does once the file is open. */
static enum sdsim_fat_result prepare(struct sdsim_file *file, enum sdsim_open_mode mode,
                                     sdsim_ps *now)
{
    struct sdsim_volume *volume = file->volume;
    const bool at_open = volume->config.append == SDSIM_APPEND_SEEKS_AT_OPEN;
    switch (mode) {
    case SDSIM_OPEN_READ:
        return volume->config.fast_seek ? sdsim_fatfs_make_links(file, now) : SDSIM_FAT_OK;
    case SDSIM_OPEN_APPEND_END:
        return go_to_end(file);
    case SDSIM_OPEN_APPEND:
        file->seeks_each_write = volume->config.append == SDSIM_APPEND_SEEKS_EACH_WRITE;
        if (volume->config.append == SDSIM_APPEND_BY_FLAG) {
            return go_to_end(file);
        }
        return at_open ? sdsim_fatfs_seek(file, now, file->object.size) : SDSIM_FAT_OK;
    case SDSIM_OPEN_UPDATE_CREATE: /* CircuitPython's "a+" is this one */
        return at_open ? sdsim_fatfs_seek(file, now, file->object.size) : SDSIM_FAT_OK;
    default:
        return SDSIM_FAT_OK;
    }
}

enum sdsim_fat_result sdsim_fatfs_open(struct sdsim_file *file, struct sdsim_volume *volume,
                                       sdsim_ps *now, const char *path, enum sdsim_open_mode mode)
{
    enum sdsim_fat_result result = sdsim_volume_enter(volume, now);
    if (result != SDSIM_FAT_OK) {
        return result;
    }
    struct sdsim_dir dir;
    bool fresh;
    result = find_or_make(volume, path, mode, &dir, &fresh);
    if (result != SDSIM_FAT_OK) {
        return result;
    }
    file->volume = volume;
    file->mount = volume->mount;
    file->readable = modes[mode].reads;
    file->writable = modes[mode].writes;
    file->modified = fresh;
    file->entry_lba = volume->window.lba;
    file->entry_offset = dir.offset % SDSIM_SECTOR;
    file->home = sdsim_dir_home(&dir);
    sdsim_dir_object(volume, &dir, &file->object);
    sdsim_sector_reset(&file->buffer);
    return prepare(file, mode, now);
}

static enum sdsim_fat_result store_entry(struct sdsim_file *file)
{
    struct sdsim_volume *volume = file->volume;
    const enum sdsim_fat_result result =
        sdsim_window_need(volume, file->entry_lba, SDSIM_FOR_DIRECTORY);
    if (result != SDSIM_FAT_OK) {
        return result;
    }
    uint8_t *entry = sdsim_window_change(volume, file->entry_offset);
    entry[SDSIM_ENTRY_ATTRIBUTES] |= SDSIM_ATTR_ARCHIVE;
    sdsim_entry_set_cluster(volume, entry, file->object.start);
    sdsim_put32(entry + SDSIM_ENTRY_SIZE, (uint32_t)file->object.size);
    sdsim_put32(entry + SDSIM_ENTRY_MODIFIED, sdsim_dir_clock(volume));
    sdsim_put16(entry + SDSIM_ENTRY_ACCESSED, 0);
    return SDSIM_FAT_OK;
}

static enum sdsim_fat_result store_set(struct sdsim_file *file)
{
    struct sdsim_volume *volume = file->volume;
    enum sdsim_fat_result result = sdsim_chain_settle_first(volume, &file->object);
    if (result == SDSIM_FAT_OK) {
        result = sdsim_chain_settle_last(volume, &file->object, file->cluster, SDSIM_CHAIN_END);
    }
    struct sdsim_dir dir;
    if (result == SDSIM_FAT_OK) {
        result = sdsim_set_load_home(volume, &file->home, &dir);
    }
    if (result != SDSIM_FAT_OK) {
        return result;
    }
    volume->set[SDSIM_SET_ATTRIBUTES] |= SDSIM_ATTR_ARCHIVE;
    sdsim_set_put_object(volume, &file->object);
    sdsim_put32(volume->set + SDSIM_SET_MODIFIED, sdsim_dir_clock(volume));
    return sdsim_set_store(volume, &dir);
}

enum sdsim_fat_result sdsim_fatfs_sync(struct sdsim_file *file, sdsim_ps *now)
{
    enum sdsim_fat_result result = sdsim_volume_enter(file->volume, now);
    if (result != SDSIM_FAT_OK || !file->modified) {
        return result;
    }
    result = sdsim_fatfs_flush(file);
    if (result == SDSIM_FAT_OK) {
        result = is_exfat(file->volume) ? store_set(file) : store_entry(file);
    }
    if (result == SDSIM_FAT_OK) {
        result = sdsim_window_sync(file->volume);
        file->modified = false;
    }
    return result;
}

enum sdsim_fat_result sdsim_fatfs_close(struct sdsim_file *file, sdsim_ps *now)
{
    enum sdsim_fat_result result = sdsim_fatfs_sync(file, now);
    if (result == SDSIM_FAT_OK) {
        result = sdsim_volume_enter(file->volume, now); /* asks disk_status once more */
    }
    if (result == SDSIM_FAT_OK) {
        sdsim_file_drop(file);
    }
    return result;
}

static enum sdsim_fat_result cut_chain(struct sdsim_file *file)
{
    struct sdsim_volume *volume = file->volume;
    if (file->position == 0) {
        const uint32_t start = file->object.start;
        const enum sdsim_fat_result result = sdsim_chain_free(volume, &file->object, start, 0);
        file->object.start = 0;
        return result;
    }
    uint32_t next;
    const enum sdsim_fat_result result =
        sdsim_chain_next(volume, &file->object, file->cluster, &next);
    if (result != SDSIM_FAT_OK || next >= sdsim_cluster_limit(volume)) {
        return result;
    }
    return sdsim_chain_free(volume, &file->object, next, file->cluster);
}

enum sdsim_fat_result sdsim_fatfs_truncate(struct sdsim_file *file, sdsim_ps *now)
{
    enum sdsim_fat_result result = sdsim_fatfs_enter(file, now);
    if (result != SDSIM_FAT_OK) {
        return result;
    }
    if (!file->writable) {
        return SDSIM_FAT_DENIED;
    }
    if (file->position >= file->object.size) {
        return SDSIM_FAT_OK;
    }
    result = cut_chain(file);
    file->object.size = file->position;
    file->modified = true;
    if (result == SDSIM_FAT_OK) {
        result = sdsim_fatfs_flush(file);
    }
    return result == SDSIM_FAT_OK ? result : sdsim_fatfs_fail(file, result);
}

enum sdsim_fat_result sdsim_fatfs_expand(struct sdsim_file *file, sdsim_ps *now, uint64_t bytes)
{
    enum sdsim_fat_result result = sdsim_fatfs_enter(file, now);
    if (result != SDSIM_FAT_OK) {
        return result;
    }
    struct sdsim_volume *volume = file->volume;
    const uint32_t cluster_bytes = sdsim_cluster_bytes(volume);
    const uint64_t count = bytes / cluster_bytes + (bytes % cluster_bytes != 0);
    if (bytes == 0 || file->object.size != 0 || !file->writable ||
        bytes > sdsim_file_size_max(volume)) {
        return SDSIM_FAT_DENIED;
    }
    /* More clusters than there are can't be found; FatFs looks all the same. */
    const uint32_t limit = sdsim_cluster_limit(volume);
    result = sdsim_chain_expand(volume, &file->object, count < limit ? (uint32_t)count : limit);
    if (result == SDSIM_FAT_OK) {
        file->object.size = bytes;
        file->modified = true;
    }
    return result;
}
