#include "fat/classic.h"

#include <stddef.h>
#include <string.h>

#include "fat/bytes.h"
#include "fat/dir_fat.h"
#include "fat/sdfat.h"

static const struct sdsim_sdfat_mode mode_read = {.reads = true};
static const struct sdsim_sdfat_mode mode_make = {
    .reads = true, .writes = true, .creates = true, .exclusive = true};

static bool is_directory(const struct sdsim_file *file)
{
    return (file->attributes & SDSIM_ATTR_DIRECTORY) != 0;
}

static bool is_root(const struct sdsim_file *directory)
{
    return directory->object.start == 0;
}

/* The bytes of a directory, from its chain. */
static enum sdsim_fat_result measure(struct sdsim_volume *volume, uint32_t cluster, uint64_t *bytes)
{
    uint32_t count = 0;
    *bytes = 0;
    while (cluster != SDSIM_CHAIN_END) {
        const enum sdsim_fat_result result = sdsim_sdfat_next(volume, cluster, &cluster);
        if (result != SDSIM_FAT_OK) {
            return result;
        }
        if (++count > volume->geometry.clusters) { /* it runs in a circle */
            return SDSIM_FAT_CORRUPT;
        }
        *bytes += sdsim_cluster_bytes(volume);
    }
    return SDSIM_FAT_OK;
}

/* Opens the root and measures it. */
static enum sdsim_fat_result open_root(struct sdsim_file *directory, struct sdsim_volume *volume)
{
    const struct sdsim_geometry *g = &volume->geometry;
    sdsim_sdfat_open_root(directory, volume);
    if (g->type != SDSIM_FAT32) {
        directory->object.size = (uint64_t)g->root_entries * SDSIM_SLOT;
        return SDSIM_FAT_OK;
    }
    return measure(volume, g->root, &directory->object.size);
}

enum sdsim_fat_result sdsim_classic_mount(struct sdsim_volume *volume)
{
    struct sdsim_file root;
    enum sdsim_fat_result result = sdsim_sdfat_find_classic(volume);
    if (result == SDSIM_FAT_OK) {
        volume->hint = 2;
        result = open_root(&root, volume);
        volume->root_bytes = root.object.size;
    }
    return result;
}

/* ---- opening in a directory ---- */

/* Where a new entry can go: the first free slot. */
struct place {
    bool found;
    uint32_t lba;
    uint32_t offset; /* in the sector */
};

/* Takes over what an entry says that is in the window. */
static enum sdsim_fat_result open_entry(struct sdsim_file *file, uint32_t offset,
                                        const struct sdsim_sdfat_mode *mode)
{
    struct sdsim_volume *volume = file->volume;
    const uint8_t *entry = sdsim_window_at(volume, offset);
    const uint8_t attributes = entry[SDSIM_ENTRY_ATTRIBUTES];
    const uint8_t guarded = SDSIM_ATTR_READ_ONLY | SDSIM_ATTR_DIRECTORY;
    if ((attributes & SDSIM_ATTR_VOLUME) != 0 || (mode->writes && (attributes & guarded) != 0)) {
        return SDSIM_FAT_DENIED;
    }
    file->readable = mode->reads;
    file->writable = mode->writes;
    file->attributes = attributes & SDSIM_ATTR_MASK;
    file->entry_lba = volume->window.lba;
    file->entry_offset = offset;
    file->stamp = sdsim_get32(entry + SDSIM_ENTRY_MODIFIED);
    file->object.start = sdsim_entry_cluster(volume, entry);
    file->object.size = sdsim_get32(entry + SDSIM_ENTRY_SIZE);
    if (is_directory(file)) {
        return measure(volume, file->object.start, &file->object.size);
    }
    return mode->cuts ? sdsim_sdfat_truncate(file, volume->now) : SDSIM_FAT_OK;
}

static enum sdsim_fat_result find(struct sdsim_file *file, struct sdsim_file *directory,
                                  const struct sdsim_short_name *name,
                                  const struct sdsim_sdfat_mode *mode, struct place *place)
{
    directory->position = 0;
    directory->cluster = 0;
    for (;;) {
        const uint32_t offset = (uint32_t)(directory->position % SDSIM_SECTOR);
        uint8_t *slot;
        const enum sdsim_fat_result result = sdsim_sdfat_next_slot(directory, &slot);
        if (result != SDSIM_FAT_OK) {
            return result;
        }
        if (slot == NULL) {
            return SDSIM_FAT_NO_FILE;
        }
        if ((slot[0] == 0 || slot[0] == SDSIM_ENTRY_DELETED) && !place->found) {
            *place = (struct place){true, directory->volume->window.lba, offset};
        }
        if (slot[0] == 0) {
            return SDSIM_FAT_NO_FILE;
        }
        if (memcmp(slot, name->bytes, 11) == 0) {
            return mode->exclusive ? SDSIM_FAT_EXISTS : open_entry(file, offset, mode);
        }
    }
}

/* Makes an entry and writes it. */
static enum sdsim_fat_result create(struct sdsim_file *file, struct sdsim_file *directory,
                                    const struct sdsim_short_name *name,
                                    const struct sdsim_sdfat_mode *mode, const struct place *place)
{
    struct sdsim_volume *volume = directory->volume;
    enum sdsim_fat_result result = place->found
                                       ? sdsim_window_need(volume, place->lba, SDSIM_FOR_DIRECTORY)
                                       : sdsim_sdfat_add_dir_cluster(directory, is_root(directory));
    if (result != SDSIM_FAT_OK) {
        return result;
    }
    uint8_t *entry = sdsim_window_change(volume, place->offset);
    memset(entry, 0, SDSIM_SLOT);
    memcpy(entry, name->bytes, 11);
    sdsim_put32(entry + SDSIM_ENTRY_CREATED, sdsim_dir_clock(volume));
    sdsim_put16(entry + SDSIM_ENTRY_ACCESSED, sdsim_dir_clock(volume) >> 16);
    sdsim_put32(entry + SDSIM_ENTRY_MODIFIED, sdsim_dir_clock(volume));
    result = sdsim_sdfat_flush(volume);
    return result == SDSIM_FAT_OK ? open_entry(file, place->offset, mode) : result;
}

static enum sdsim_fat_result open_in(struct sdsim_file *file, struct sdsim_file *directory,
                                     const struct sdsim_short_name *name,
                                     const struct sdsim_sdfat_mode *mode)
{
    struct place place = {0};
    if (!is_directory(directory)) {
        return SDSIM_FAT_NO_PATH;
    }
    memset(file, 0, offsetof(struct sdsim_file, buffer));
    file->volume = directory->volume;
    file->mount = directory->mount;
    const enum sdsim_fat_result result = find(file, directory, name, mode, &place);
    return result == SDSIM_FAT_NO_FILE && mode->creates
               ? create(file, directory, name, mode, &place)
               : result;
}

static void become(struct sdsim_file *directory, const struct sdsim_file *part)
{
    memcpy(directory, part, offsetof(struct sdsim_file, buffer));
}

/* Moves *path over leading separators; SDSIM_FAT_INVALID_NAME if nothing is left. */
static enum sdsim_fat_result start_path(const char **path)
{
    *path += strspn(*path, "/\\");
    return **path == '\0' ? SDSIM_FAT_INVALID_NAME : SDSIM_FAT_OK;
}

/* ---- SD.open and what is made of it ---- */

/* *name is that of the last part. */
static enum sdsim_fat_result open_path(struct sdsim_file *file, struct sdsim_volume *volume,
                                       const char *path, const struct sdsim_sdfat_mode *mode,
                                       struct sdsim_short_name *name)
{
    struct sdsim_file directory;
    enum sdsim_fat_result result = start_path(&path);
    if (result == SDSIM_FAT_OK) {
        result = open_root(&directory, volume);
    }
    while (result == SDSIM_FAT_OK) {
        result = sdsim_name_take_short(&path, name);
        const bool last = (name->flags & SDSIM_NAME_LAST) != 0;
        if (result == SDSIM_FAT_OK) {
            result = open_in(file, &directory, name, last ? mode : &mode_read);
        }
        if (result == SDSIM_FAT_OK) {
            result = sdsim_sdfat_flush(volume); /* the directory is closed */
        }
        if (result != SDSIM_FAT_OK || last) {
            return result == SDSIM_FAT_NO_FILE && !last ? SDSIM_FAT_NO_PATH : result;
        }
        become(&directory, file);
    }
    return result;
}

enum sdsim_fat_result sdsim_classic_open(struct sdsim_file *file, struct sdsim_volume *volume,
                                         sdsim_ps *now, const char *path, enum sdsim_open_mode mode)
{
    static const struct sdsim_sdfat_mode modes[] = {
        [SDSIM_OPEN_READ] = {.reads = true},
        [SDSIM_OPEN_WRITE] = {.writes = true, .creates = true, .cuts = true},
        [SDSIM_OPEN_WRITE_READ] = {.reads = true, .writes = true, .creates = true, .cuts = true},
        [SDSIM_OPEN_UPDATE] = {.reads = true, .writes = true},
        [SDSIM_OPEN_UPDATE_CREATE] = {.reads = true, .writes = true, .creates = true},
        [SDSIM_OPEN_APPEND] = {.writes = true, .creates = true, .appends = true, .at_end = true},
        [SDSIM_OPEN_APPEND_END] = {.writes = true, .creates = true, .at_end = true},
    };
    struct sdsim_short_name name;
    volume->now = now;
    enum sdsim_fat_result result = open_path(file, volume, path, &modes[mode], &name);
    if (result == SDSIM_FAT_OK && is_directory(file)) {
        return SDSIM_FAT_NO_FILE;
    }
    if (result == SDSIM_FAT_OK && modes[mode].at_end) {
        result = sdsim_sdfat_go_to(file, file->object.size);
    }
    file->seeks_each_write = modes[mode].appends;
    return result;
}

static void describe(const struct sdsim_file *file, const struct sdsim_short_name *name,
                     struct sdsim_dir_info *entry)
{
    struct sdsim_volume *volume = file->volume;
    if (entry == NULL) {
        return;
    }
    uint8_t slot[SDSIM_SLOT] = {0};
    memcpy(slot, name->bytes, sizeof name->bytes);
    sdsim_entry_short_name(volume, slot);
    entry->size = is_directory(file) ? 0 : file->object.size;
    entry->start = file->object.start;
    entry->modified = file->stamp;
    entry->attributes = file->attributes;
    entry->contiguous = false;
    sdsim_name_print(volume->name, entry->name, sizeof entry->name);
}

enum sdsim_fat_result sdsim_classic_stat(struct sdsim_volume *volume, sdsim_ps *now,
                                         const char *path, struct sdsim_dir_info *entry)
{
    struct sdsim_file file;
    struct sdsim_short_name name;
    volume->now = now;
    const enum sdsim_fat_result result = open_path(&file, volume, path, &mode_read, &name);
    if (result != SDSIM_FAT_OK) {
        return result;
    }
    describe(&file, &name, entry);
    return sdsim_sdfat_flush(volume);
}

enum sdsim_fat_result sdsim_classic_list_open(struct sdsim_dir_list *listing,
                                              struct sdsim_volume *volume, sdsim_ps *now,
                                              const char *path)
{
    struct sdsim_file *directory = &listing->directory;
    struct sdsim_short_name name;
    volume->now = now;
    if (path[strspn(path, "/\\")] == '\0') {
        return open_root(directory, volume);
    }
    const enum sdsim_fat_result result = open_path(directory, volume, path, &mode_read, &name);
    if (result == SDSIM_FAT_OK && !is_directory(directory)) {
        return SDSIM_FAT_NO_PATH;
    }
    return result == SDSIM_FAT_NO_FILE ? SDSIM_FAT_NO_PATH : result;
}

enum sdsim_fat_result sdsim_classic_list_next(struct sdsim_dir_list *listing, sdsim_ps *now,
                                              struct sdsim_dir_info *entry, bool *more)
{
    struct sdsim_volume *volume = listing->volume;
    struct sdsim_file *directory = &listing->directory;
    volume->now = now;
    uint8_t *slot;
    do {
        const enum sdsim_fat_result result = sdsim_sdfat_next_slot(directory, &slot);
        if (result != SDSIM_FAT_OK || slot == NULL || slot[0] == 0) {
            return result;
        }
    } while (slot[0] == SDSIM_ENTRY_DELETED || slot[0] == '.' ||
             (slot[SDSIM_ENTRY_ATTRIBUTES] & SDSIM_ATTR_VOLUME) != 0);
    struct sdsim_short_name name = {.flags = 0};
    struct sdsim_file file;
    memcpy(name.bytes, slot, sizeof name.bytes);
    enum sdsim_fat_result result = open_in(&file, directory, &name, &mode_read);
    if (result != SDSIM_FAT_OK) {
        return result;
    }
    describe(&file, &name, entry);
    *more = true;
    return sdsim_sdfat_flush(volume);
}

/* ---- mkdir, remove, rmdir: from the root that was opened at mount ---- */

/* Closes a directory on the way, which writes the cache; that root stays open. */
static enum sdsim_fat_result leave(struct sdsim_file *directory, enum sdsim_fat_result result)
{
    if (is_root(directory)) {
        return result;
    }
    const enum sdsim_fat_result closed = sdsim_sdfat_flush(directory->volume);
    return result == SDSIM_FAT_OK ? closed : result;
}

/* Goes down to a part of the path: *directory becomes it. */
static enum sdsim_fat_result enter(struct sdsim_file *directory,
                                   const struct sdsim_short_name *name)
{
    struct sdsim_file part;
    const enum sdsim_fat_result found = open_in(&part, directory, name, &mode_read);
    const enum sdsim_fat_result result = leave(directory, found);
    if (result == SDSIM_FAT_OK) {
        become(directory, &part);
    }
    return result == SDSIM_FAT_NO_FILE ? SDSIM_FAT_NO_PATH : result;
}

/* Makes a directory, unless it exists. */
static enum sdsim_fat_result make_part(struct sdsim_file *directory,
                                       const struct sdsim_short_name *name, bool *existed)
{
    struct sdsim_volume *volume = directory->volume;
    struct sdsim_file part;
    enum sdsim_fat_result result = open_in(&part, directory, name, &mode_read);
    *existed = result == SDSIM_FAT_OK;
    if (*existed) {
        return sdsim_sdfat_flush(volume);
    }
    const uint64_t position = directory->position;
    result = open_in(&part, directory, name, &mode_make);
    if (is_root(directory) && directory->position > position) {
        volume->root_bytes += sdsim_cluster_bytes(volume); /* it had to be stretched */
    }
    return result == SDSIM_FAT_OK ? sdsim_sdfat_become_directory(&part, directory) : result;
}

enum sdsim_fat_result sdsim_classic_mkdir(struct sdsim_volume *volume, sdsim_ps *now,
                                          const char *path)
{
    struct sdsim_file directory;
    struct sdsim_short_name name;
    bool existed = false;
    volume->now = now;
    sdsim_sdfat_open_root(&directory, volume);
    enum sdsim_fat_result result = start_path(&path);
    while (result == SDSIM_FAT_OK) {
        result = sdsim_name_take_short(&path, &name);
        if (result == SDSIM_FAT_OK) {
            result = make_part(&directory, &name, &existed);
        }
        if (result != SDSIM_FAT_OK || (name.flags & SDSIM_NAME_LAST) != 0) {
            result = leave(&directory, result);
            return result == SDSIM_FAT_OK && existed ? SDSIM_FAT_EXISTS : result;
        }
        result = enter(&directory, &name);
    }
    return result;
}

static enum sdsim_fat_result remove_part(struct sdsim_file *directory,
                                         const struct sdsim_short_name *name)
{
    struct sdsim_volume *volume = directory->volume;
    struct sdsim_file file;
    enum sdsim_fat_result result = open_in(&file, directory, name, &mode_read);
    if (result == SDSIM_FAT_OK && is_directory(&file)) {
        result = sdsim_sdfat_check_empty(&file);
        file.attributes = 0; /* it is removed like a file */
        file.position = 0;
        file.cluster = 0;
    } else if (result == SDSIM_FAT_OK && (file.attributes & SDSIM_ATTR_READ_ONLY) != 0) {
        result = SDSIM_FAT_DENIED;
    }
    file.writable = true;
    if (result == SDSIM_FAT_OK) {
        result = sdsim_sdfat_truncate(&file, volume->now);
    }
    if (result == SDSIM_FAT_OK) {
        result = sdsim_window_need(volume, file.entry_lba, SDSIM_FOR_DIRECTORY);
    }
    if (result == SDSIM_FAT_OK) {
        *sdsim_window_change(volume, file.entry_offset) = SDSIM_ENTRY_DELETED;
        result = sdsim_sdfat_flush(volume);
    }
    return result;
}

enum sdsim_fat_result sdsim_classic_unlink(struct sdsim_volume *volume, sdsim_ps *now,
                                           const char *path)
{
    struct sdsim_file directory;
    struct sdsim_short_name name;
    volume->now = now;
    sdsim_sdfat_open_root(&directory, volume);
    enum sdsim_fat_result result = start_path(&path);
    while (result == SDSIM_FAT_OK) {
        result = sdsim_name_take_short(&path, &name);
        if (result == SDSIM_FAT_OK && (name.flags & SDSIM_NAME_LAST) != 0) {
            return leave(&directory, remove_part(&directory, &name));
        }
        if (result == SDSIM_FAT_OK) {
            result = enter(&directory, &name);
        }
    }
    return result;
}

/* ---- what it lacks ---- */

enum sdsim_fat_result sdsim_classic_rename(struct sdsim_volume *volume, sdsim_ps *now,
                                           const char *from, const char *to)
{
    (void)volume;
    (void)now;
    (void)from;
    (void)to;
    return SDSIM_FAT_DENIED;
}

enum sdsim_fat_result sdsim_classic_count_free(struct sdsim_volume *volume, sdsim_ps *now,
                                               uint32_t *clusters)
{
    (void)volume;
    (void)now;
    (void)clusters;
    return SDSIM_FAT_DENIED;
}
