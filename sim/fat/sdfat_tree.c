#include <stddef.h>
#include <string.h>

#include "fat/bytes.h"
#include "fat/dir_fat.h"
#include "fat/sdfat.h"

static const struct sdsim_sdfat_mode mode_read = {.reads = true};

static const struct sdsim_sdfat_mode mode_make = {
    .reads = true, .writes = true, .creates = true, .exclusive = true};

static bool is_exfat(const struct sdsim_volume *volume)
{
    return volume->geometry.type == SDSIM_EXFAT;
}

static bool is_directory(const struct sdsim_file *file)
{
    return (file->attributes & SDSIM_ATTR_DIRECTORY) != 0;
}

static void rewind_file(struct sdsim_file *file)
{
    file->position = 0;
    file->cluster = 0;
}

/* ---- making directories ---- */

/* The entries "." and ".." of a new FAT directory; its own entry is in the window. */
static enum sdsim_fat_result put_dots(struct sdsim_file *directory, const struct sdsim_file *parent)
{
    struct sdsim_volume *volume = directory->volume;
    enum sdsim_fat_result result =
        sdsim_window_need(volume, directory->entry_lba, SDSIM_FOR_DIRECTORY);
    if (result != SDSIM_FAT_OK) {
        return result;
    }
    uint8_t dot[SDSIM_SLOT];
    uint8_t *entry = sdsim_window_change(volume, directory->entry_offset);
    entry[SDSIM_ENTRY_ATTRIBUTES] = SDSIM_ATTR_DIRECTORY;
    memcpy(dot, entry, sizeof dot);
    memset(dot, ' ', 11);
    dot[0] = '.';
    const uint32_t lba = sdsim_cluster_lba(volume, directory->object.start);
    result = sdsim_window_need(volume, lba, SDSIM_FOR_DIRECTORY);
    if (result != SDSIM_FAT_OK) {
        return result;
    }
    memcpy(sdsim_window_change(volume, 0), dot, sizeof dot);
    dot[1] = '.';
    sdsim_entry_set_cluster(volume, dot, parent->object.start);
    memcpy(sdsim_window_change(volume, SDSIM_SLOT), dot, sizeof dot);
    return sdsim_sdfat_flush(volume);
}

enum sdsim_fat_result sdsim_sdfat_become_directory(struct sdsim_file *directory,
                                                   const struct sdsim_file *parent)
{
    struct sdsim_volume *volume = directory->volume;
    directory->writable = false;
    directory->attributes = SDSIM_ATTR_DIRECTORY | (is_exfat(volume) ? SDSIM_ATTR_ARCHIVE : 0);
    enum sdsim_fat_result result = sdsim_sdfat_add_dir_cluster(directory, false);
    if (result != SDSIM_FAT_OK) {
        return result;
    }
    directory->object.start = directory->cluster;
    rewind_file(directory);
    directory->modified = true;
    result = sdsim_sdfat_sync(directory, volume->now);
    return result == SDSIM_FAT_OK && !is_exfat(volume) ? put_dots(directory, parent) : result;
}

/* A new directory starts as a file. */
static enum sdsim_fat_result make_directory(struct sdsim_file *directory, struct sdsim_file *parent,
                                            struct sdsim_sdfat_name *name)
{
    const enum sdsim_fat_result result = sdsim_sdfat_open_in(directory, parent, name, &mode_make);
    return result == SDSIM_FAT_OK ? sdsim_sdfat_become_directory(directory, parent) : result;
}

/* Makes the last part of a path, and the others where they are missing if `all`. */
static enum sdsim_fat_result make_path(struct sdsim_volume *volume, const char *path, bool all,
                                       struct sdsim_file *directory)
{
    struct sdsim_file parent;
    struct sdsim_sdfat_name name;
    sdsim_sdfat_open_root(&parent, volume);
    while (*path == '/' || *path == '\\') {
        path++;
    }
    if (*path == '\0') {
        return SDSIM_FAT_INVALID_NAME;
    }
    for (;;) {
        enum sdsim_fat_result result = sdsim_sdfat_take_name(volume, &path, &name);
        if (result != SDSIM_FAT_OK) {
            return result;
        }
        if (name.last) {
            return make_directory(directory, &parent, &name);
        }
        result = sdsim_sdfat_open_in(directory, &parent, &name, &mode_read);
        if (result == SDSIM_FAT_NO_FILE) {
            result = all ? make_directory(directory, &parent, &name) : SDSIM_FAT_NO_PATH;
        }
        if (result == SDSIM_FAT_OK) {
            memcpy(&parent, directory, offsetof(struct sdsim_file, buffer));
            result = sdsim_sdfat_flush(volume); /* it is closed */
        }
        if (result != SDSIM_FAT_OK || !is_directory(&parent)) {
            return result != SDSIM_FAT_OK ? result : SDSIM_FAT_NO_PATH;
        }
    }
}

enum sdsim_fat_result sdsim_sdfat_mkdir(struct sdsim_volume *volume, sdsim_ps *now,
                                        const char *path)
{
    struct sdsim_file directory;
    volume->now = now;
    return make_path(volume, path, true, &directory);
}

/* ---- removing ---- */

/* Frees what the file has and marks its entry. */
static enum sdsim_fat_result remove_file(struct sdsim_file *file)
{
    struct sdsim_volume *volume = file->volume;
    const struct sdsim_object *object = &file->object;
    enum sdsim_fat_result result = SDSIM_FAT_OK;
    if (object->start != 0 && is_exfat(volume) && object->state == SDSIM_CHAIN_CONTIGUOUS) {
        const uint64_t last = object->size != 0 ? object->size - 1 : 0;
        const uint32_t count = (uint32_t)(last / sdsim_cluster_bytes(volume)) + 1;
        result = sdsim_sdfat_free_run(volume, object->start, count);
    } else if (object->start != 0) {
        result = sdsim_sdfat_free_chain(volume, object->start);
    }
    if (result == SDSIM_FAT_OK) {
        result = is_exfat(volume) ? sdsim_sdfat_remove_set(file) : sdsim_sdfat_remove_entry(file);
    }
    return result;
}

enum sdsim_fat_result sdsim_sdfat_check_empty(struct sdsim_file *directory)
{
    const bool exfat = is_exfat(directory->volume);
    rewind_file(directory);
    for (;;) {
        uint8_t *slot;
        const enum sdsim_fat_result result = sdsim_sdfat_next_slot(directory, &slot);
        if (result != SDSIM_FAT_OK || slot == NULL || slot[0] == 0) {
            return result;
        }
        const bool dots_or_gone = slot[0] == SDSIM_ENTRY_DELETED || slot[0] == '.';
        const bool other = (slot[SDSIM_ENTRY_ATTRIBUTES] & SDSIM_ATTR_VOLUME) != 0;
        if (exfat ? (slot[0] & 0x80) != 0 : !dots_or_gone && !other) {
            return SDSIM_FAT_DENIED;
        }
    }
}

/* Opens what is at a path. */
static enum sdsim_fat_result open_at(struct sdsim_volume *volume, const char *path,
                                     const struct sdsim_sdfat_mode *mode, struct sdsim_file *file)
{
    struct sdsim_file directory;
    struct sdsim_sdfat_name name;
    const enum sdsim_fat_result result = sdsim_sdfat_follow(volume, path, &directory, &name);
    return result == SDSIM_FAT_OK ? sdsim_sdfat_open_in(file, &directory, &name, mode) : result;
}

enum sdsim_fat_result sdsim_sdfat_unlink(struct sdsim_volume *volume, sdsim_ps *now,
                                         const char *path)
{
    struct sdsim_file file;
    volume->now = now;
    enum sdsim_fat_result result = open_at(volume, path, &mode_read, &file);
    if (result != SDSIM_FAT_OK) {
        return result;
    }
    if (is_directory(&file)) {
        result = sdsim_sdfat_check_empty(&file);
    } else if ((file.attributes & SDSIM_ATTR_READ_ONLY) != 0) {
        result = SDSIM_FAT_DENIED;
    }
    return result == SDSIM_FAT_OK ? remove_file(&file) : result;
}

/* ---- renaming ---- */

/* FAT: the new entry gets what the old one said but its name; a directory was made for it if it is
 * one, whose ".." is taken over before it goes again. */
static enum sdsim_fat_result carry_over(const struct sdsim_file *file,
                                        const struct sdsim_file *made, const uint8_t *old)
{
    struct sdsim_volume *volume = file->volume;
    enum sdsim_fat_result result = sdsim_window_need(volume, made->entry_lba, SDSIM_FOR_DIRECTORY);
    if (result != SDSIM_FAT_OK) {
        return result;
    }
    uint8_t *entry = sdsim_window_change(volume, made->entry_offset);
    memcpy(entry + 13, old + 13, SDSIM_SLOT - 13);
    entry[SDSIM_ENTRY_ATTRIBUTES] = old[SDSIM_ENTRY_ATTRIBUTES];
    if (!is_directory(file)) {
        return SDSIM_FAT_OK;
    }
    uint8_t dots[SDSIM_SLOT];
    result = sdsim_window_need(volume, sdsim_cluster_lba(volume, made->object.start),
                               SDSIM_FOR_DIRECTORY);
    if (result == SDSIM_FAT_OK) {
        memcpy(dots, sdsim_window_at(volume, SDSIM_SLOT), sizeof dots);
        result = sdsim_sdfat_free_chain(volume, made->object.start);
    }
    if (result == SDSIM_FAT_OK && !sdsim_cluster_valid(volume, file->object.start)) {
        result = SDSIM_FAT_CORRUPT;
    }
    if (result == SDSIM_FAT_OK) {
        result = sdsim_window_need(volume, sdsim_cluster_lba(volume, file->object.start),
                                   SDSIM_FOR_DIRECTORY);
    }
    if (result == SDSIM_FAT_OK) {
        memcpy(sdsim_window_change(volume, SDSIM_SLOT), dots, sizeof dots);
    }
    return result;
}

static enum sdsim_fat_result rename_fat(struct sdsim_file *file, const char *to)
{
    struct sdsim_volume *volume = file->volume;
    uint8_t old[SDSIM_SLOT];
    enum sdsim_fat_result result = sdsim_sdfat_sync(file, volume->now);
    if (result == SDSIM_FAT_OK) {
        result = sdsim_window_need(volume, file->entry_lba, SDSIM_FOR_DIRECTORY);
    }
    if (result != SDSIM_FAT_OK) {
        return result;
    }
    memcpy(old, sdsim_window_at(volume, file->entry_offset), sizeof old);
    struct sdsim_file made;
    result = is_directory(file) ? make_path(volume, to, false, &made)
                                : open_at(volume, to, &mode_make, &made);
    if (result == SDSIM_FAT_OK) {
        result = carry_over(file, &made, old);
    }
    if (result == SDSIM_FAT_OK) {
        result = sdsim_sdfat_remove_entry(file);
    }
    return result == SDSIM_FAT_OK ? sdsim_sdfat_flush(volume) : result;
}

static enum sdsim_fat_result rename_exfat(struct sdsim_file *file, const char *to)
{
    struct sdsim_file made;
    enum sdsim_fat_result result = open_at(file->volume, to, &mode_make, &made);
    if (result == SDSIM_FAT_OK) {
        const struct sdsim_entry_place old = file->place;
        file->place = made.place;
        result = sdsim_sdfat_store_set(file);
        file->place = old;
    }
    return result == SDSIM_FAT_OK ? sdsim_sdfat_remove_set(file) : result;
}

enum sdsim_fat_result sdsim_sdfat_rename(struct sdsim_volume *volume, sdsim_ps *now,
                                         const char *from, const char *to)
{
    struct sdsim_file file;
    volume->now = now;
    enum sdsim_fat_result result = open_at(volume, from, &mode_read, &file);
    if (result == SDSIM_FAT_OK) {
        result = is_exfat(volume) ? rename_exfat(&file, to) : rename_fat(&file, to);
    }
    return result;
}

/* ---- looking ---- */

/* What the open file and its name in volume->name say. */
static void describe(const struct sdsim_file *file, struct sdsim_dir_info *entry)
{
    if (entry == NULL) {
        return;
    }
    entry->size = is_directory(file) ? 0 : file->object.size;
    entry->start = file->object.start;
    entry->modified = file->stamp;
    entry->attributes = file->attributes;
    entry->contiguous = file->object.state == SDSIM_CHAIN_CONTIGUOUS;
    sdsim_name_print(file->volume->name, entry->name, sizeof entry->name);
}

enum sdsim_fat_result sdsim_sdfat_stat(struct sdsim_volume *volume, sdsim_ps *now, const char *path,
                                       struct sdsim_dir_info *entry)
{
    struct sdsim_file file;
    volume->now = now;
    const enum sdsim_fat_result result = open_at(volume, path, &mode_read, &file);
    if (result != SDSIM_FAT_OK) {
        return result;
    }
    describe(&file, entry);
    return sdsim_sdfat_flush(volume);
}

enum sdsim_fat_result sdsim_sdfat_list_open(struct sdsim_dir_list *listing,
                                            struct sdsim_volume *volume, sdsim_ps *now,
                                            const char *path)
{
    struct sdsim_file *directory = &listing->directory;
    volume->now = now;
    sdsim_sdfat_open_root(directory, volume);
    if (path[strspn(path, "/\\")] == '\0') {
        return SDSIM_FAT_OK;
    }
    enum sdsim_fat_result result = open_at(volume, path, &mode_read, directory);
    if (result == SDSIM_FAT_OK && !is_directory(directory)) {
        result = SDSIM_FAT_NO_PATH;
    }
    return result == SDSIM_FAT_NO_FILE ? SDSIM_FAT_NO_PATH : result;
}

enum sdsim_fat_result sdsim_sdfat_list_next(struct sdsim_dir_list *listing, sdsim_ps *now,
                                            struct sdsim_dir_info *entry, bool *more)
{
    struct sdsim_volume *volume = listing->volume;
    struct sdsim_file *directory = &listing->directory;
    struct sdsim_file file = {0};
    volume->now = now;
    enum sdsim_fat_result result = is_exfat(volume) ? sdsim_sdfat_next_set(&file, directory)
                                                    : sdsim_sdfat_next_entry(&file, directory);
    if (result != SDSIM_FAT_OK) {
        return result == SDSIM_FAT_NO_FILE ? SDSIM_FAT_OK : result;
    }
    result = is_exfat(volume) ? sdsim_sdfat_name_of_set(&file) : sdsim_sdfat_name_of_entry(&file);
    if (result != SDSIM_FAT_OK) {
        return result;
    }
    describe(&file, entry);
    *more = true;
    return sdsim_sdfat_flush(volume);
}

enum sdsim_fat_result sdsim_sdfat_list_close(struct sdsim_dir_list *listing, sdsim_ps *now)
{
    listing->volume->now = now;
    return sdsim_sdfat_flush(listing->volume);
}

/* exFAT: zero bits of the bitmap; read through the window, also where there is a cache for it. */
static enum sdsim_fat_result count_bits(struct sdsim_volume *volume, uint32_t *clusters)
{
    const struct sdsim_geometry *g = &volume->geometry;
    *clusters = 0;
    for (uint32_t bit = 0; bit < g->clusters; bit++) {
        const enum sdsim_fat_result result = sdsim_window_fill(
            volume, &volume->window, g->bitmap_start + bit / 8 / SDSIM_SECTOR, SDSIM_FOR_BITMAP);
        if (result != SDSIM_FAT_OK) {
            return result;
        }
        *clusters += (*sdsim_window_at(volume, bit / 8) >> bit % 8 & 1) == 0;
    }
    return SDSIM_FAT_OK;
}

enum sdsim_fat_result sdsim_sdfat_count_free(struct sdsim_volume *volume, sdsim_ps *now,
                                             uint32_t *clusters)
{
    volume->now = now;
    return is_exfat(volume) ? count_bits(volume, clusters)
                            : sdsim_chain_count_free(volume, clusters);
}
