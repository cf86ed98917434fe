#include <stddef.h>
#include <string.h>

#include "fat/bytes.h"
#include "fat/dir_fat.h"
#include "fat/sdfat.h"

static bool is_exfat(const struct sdsim_volume *volume)
{
    return volume->geometry.type == SDSIM_EXFAT;
}

static bool is_fixed_root(const struct sdsim_file *directory)
{
    return directory->object.start == 0 && directory->volume->geometry.root_entries != 0;
}

void sdsim_sdfat_open_root(struct sdsim_file *directory, struct sdsim_volume *volume)
{
    memset(directory, 0, offsetof(struct sdsim_file, buffer));
    directory->volume = volume;
    directory->mount = volume->mount;
    directory->readable = true;
    directory->attributes = SDSIM_ATTR_DIRECTORY;
    directory->object.size = volume->root_bytes;
}

/* exFAT: a directory whose clusters follow each other, so that its FAT is not read. */
static bool is_contiguous(const struct sdsim_file *directory)
{
    return is_exfat(directory->volume) && directory->object.state == SDSIM_CHAIN_CONTIGUOUS;
}

/* A chain with more clusters than the volume runs in a circle. */
static bool runs_in_circle(const struct sdsim_file *directory)
{
    const struct sdsim_volume *volume = directory->volume;
    return directory->position / sdsim_cluster_bytes(volume) >= volume->geometry.clusters;
}

/* At the first byte of a cluster of a directory: makes it the current one; *more false: the end. */
static enum sdsim_fat_result enter_cluster(struct sdsim_file *directory, bool *more)
{
    struct sdsim_volume *volume = directory->volume;
    const struct sdsim_object *object = &directory->object;
    uint32_t cluster;
    if (directory->position == 0) {
        cluster = object->start != 0 ? object->start : volume->geometry.root;
    } else if (is_contiguous(directory)) {
        cluster = directory->cluster + 1;
    } else {
        const enum sdsim_fat_result result = sdsim_sdfat_next(volume, directory->cluster, &cluster);
        if (result != SDSIM_FAT_OK) {
            return result;
        }
    }
    *more = cluster != SDSIM_CHAIN_END;
    if (!*more) {
        return SDSIM_FAT_OK;
    }
    if (!sdsim_cluster_valid(volume, cluster) || runs_in_circle(directory)) {
        return SDSIM_FAT_CORRUPT;
    }
    directory->cluster = cluster;
    return SDSIM_FAT_OK;
}

/* Whether the directory's size, where it is known, leaves another slot. */
static bool within_size(const struct sdsim_file *directory)
{
    const struct sdsim_volume *volume = directory->volume;
    if (is_fixed_root(directory)) {
        return directory->position < (uint64_t)volume->geometry.root_entries * SDSIM_SLOT;
    }
    const bool sized = sdsim_sdfat_is_classic(volume) || is_contiguous(directory);
    return !sized || directory->position < directory->object.size;
}

enum sdsim_fat_result sdsim_sdfat_next_slot(struct sdsim_file *directory, uint8_t **slot)
{
    struct sdsim_volume *volume = directory->volume;
    const uint32_t cluster_bytes = sdsim_cluster_bytes(volume);
    uint32_t lba = volume->geometry.root + (uint32_t)(directory->position / SDSIM_SECTOR);
    *slot = NULL;
    if (!within_size(directory)) {
        return SDSIM_FAT_OK;
    }
    if (!is_fixed_root(directory)) {
        const uint32_t in_cluster = (uint32_t)(directory->position % cluster_bytes);
        bool more = true;
        if (in_cluster == 0) {
            const enum sdsim_fat_result result = enter_cluster(directory, &more);
            if (result != SDSIM_FAT_OK || !more) {
                return result;
            }
        }
        lba = sdsim_cluster_lba(volume, directory->cluster) + in_cluster / SDSIM_SECTOR;
    }
    const enum sdsim_fat_result result = sdsim_window_need(volume, lba, SDSIM_FOR_DIRECTORY);
    if (result == SDSIM_FAT_OK) {
        *slot = sdsim_window_at(volume, directory->position);
        directory->position += SDSIM_SLOT;
    }
    return result;
}

enum sdsim_fat_result sdsim_sdfat_slot_at(struct sdsim_file *directory, uint32_t offset,
                                          uint8_t **slot)
{
    enum sdsim_fat_result result = SDSIM_FAT_OK;
    if (is_fixed_root(directory)) {
        directory->position = offset;
    } else {
        result = sdsim_sdfat_go_to(directory, offset);
    }
    if (result == SDSIM_FAT_OK) {
        result = sdsim_sdfat_next_slot(directory, slot);
    }
    return result == SDSIM_FAT_OK && *slot == NULL ? SDSIM_FAT_CORRUPT : result;
}

/* ---- names ---- */

/* What a field of a short name was made of. */
struct letters {
    bool upper;
    bool lower;
};

/* A character as a short name has it, '_' for one that it can't; *fits false then. */
static uint8_t short_char(uint16_t unit, struct letters *letters, bool *fits)
{
    if (unit <= ' ' || unit >= 0x7F || strchr("\"|[]\\*+,./:;<=>?", unit) != NULL) {
        *fits = false;
        return '_';
    }
    if (unit >= 'a' && unit <= 'z') {
        letters->lower = true;
        return (uint8_t)(unit - 0x20);
    }
    letters->upper = letters->upper || (unit >= 'A' && unit <= 'Z');
    return (uint8_t)unit;
}

/* Fills bytes[at..end) of the short name from name[from..to), *fits false if that is too much. */
static uint32_t fill_field(struct sdsim_short_name *result, const uint16_t *name, uint32_t from,
                           uint32_t to, uint32_t at, uint32_t end, struct letters *letters,
                           bool *fits)
{
    for (uint32_t i = from; i < to; i++) {
        bool good = true;
        const uint8_t c = short_char(name[i], letters, &good);
        *fits = *fits && good && at < end;
        if (at == end) {
            break;
        }
        result->bytes[at++] = c;
    }
    return at;
}

/*
 * SdFat's short form of a name. One that isn't 8.3 gets "~1" behind up to six characters of its
 * base; no other numbers follow, see sdfat_entry.c.
 */
static void make_short(const uint16_t *name, struct sdsim_sdfat_name *result)
{
    struct sdsim_short_name *out = &result->short_name;
    memset(out->bytes, ' ', sizeof out->bytes);
    const uint32_t length = sdsim_name_length(name);
    uint32_t start = 0;
    while (name[start] == '.') {
        start++;
    }
    bool fits = start == 0;
    uint32_t dot = length - 1; /* the last one; in front of everything it is none */
    while (dot > start && name[dot] != '.') {
        dot--;
    }
    const bool has_dot = dot > start;
    struct letters base = {0};
    struct letters extension = {0};
    const uint32_t used = fill_field(out, name, start, has_dot ? dot : length, 0, 8, &base, &fits);
    if (has_dot) {
        (void)fill_field(out, name, dot + 1, length, 8, 11, &extension, &fits);
    }
    out->flags = 0;
    if (!fits) {
        out->flags = SDSIM_NAME_LOST | SDSIM_NAME_LONG;
        result->tail = used < 6 ? used : 6;
        out->bytes[result->tail] = '~';
        out->bytes[result->tail + 1] = '1';
    } else if ((base.lower && base.upper) || (extension.lower && extension.upper)) {
        out->flags = SDSIM_NAME_LONG;
    } else {
        out->flags |= base.lower ? SDSIM_NAME_LOWER_BODY : 0;
        out->flags |= extension.lower ? SDSIM_NAME_LOWER_EXT : 0;
    }
}

enum sdsim_fat_result sdsim_sdfat_take_name(struct sdsim_volume *volume, const char **path,
                                            struct sdsim_sdfat_name *name)
{
    while (**path == ' ') {
        ++*path;
    }
    enum sdsim_fat_result result = sdsim_name_take(path, volume->name, &name->short_name);
    if (result != SDSIM_FAT_OK) {
        return result;
    }
    for (const uint16_t *unit = volume->name; *unit != 0; unit++) {
        if (*unit >= 0x80) {
            return SDSIM_FAT_INVALID_NAME;
        }
    }
    name->last = (name->short_name.flags & SDSIM_NAME_LAST) != 0;
    name->parts = (sdsim_name_length(volume->name) + 12) / 13;
    name->tail = 0;
    make_short(volume->name, name);
    return SDSIM_FAT_OK;
}

/* ---- opening ---- */

/* FAT: what remains of opening an entry, which is in the window. */
static enum sdsim_fat_result take_entry(struct sdsim_file *file,
                                        const struct sdsim_sdfat_mode *mode)
{
    const uint8_t *entry = sdsim_window_at(file->volume, file->entry_offset);
    const uint32_t start = file->object.start;
    if (!mode->cuts) {
        file->object.size = sdsim_get32(entry + SDSIM_ENTRY_SIZE);
        return SDSIM_FAT_OK;
    }
    file->object.start = 0;
    file->modified = true;
    return start != 0 ? sdsim_sdfat_free_chain(file->volume, start) : SDSIM_FAT_OK;
}

static enum sdsim_fat_result open_found(struct sdsim_file *file,
                                        const struct sdsim_sdfat_mode *mode)
{
    struct sdsim_volume *volume = file->volume;
    if (mode->exclusive) {
        return SDSIM_FAT_EXISTS;
    }
    const uint8_t guarded = SDSIM_ATTR_READ_ONLY | SDSIM_ATTR_DIRECTORY;
    if (mode->writes && (file->attributes & guarded) != 0) {
        return SDSIM_FAT_DENIED;
    }
    file->readable = mode->reads;
    file->writable = mode->writes;
    file->attributes |= mode->writes ? SDSIM_ATTR_ARCHIVE : 0;
    enum sdsim_fat_result result = SDSIM_FAT_OK;
    if (!is_exfat(volume)) {
        result = take_entry(file, mode);
    } else if (mode->cuts) {
        result = sdsim_sdfat_truncate(file, volume->now);
    }
    if (result == SDSIM_FAT_OK && mode->at_end) {
        result = sdsim_sdfat_go_to(file, file->object.size);
    }
    file->seeks_each_write = mode->appends;
    return result;
}

static enum sdsim_fat_result create(struct sdsim_file *file, struct sdsim_file *directory,
                                    struct sdsim_sdfat_name *name,
                                    const struct sdsim_sdfat_mode *mode,
                                    struct sdsim_sdfat_gap *gap)
{
    enum sdsim_fat_result result = is_exfat(file->volume)
                                       ? sdsim_sdfat_make_set(file, directory, gap)
                                       : sdsim_sdfat_make_entry(file, directory, name, gap);
    file->readable = mode->reads;
    file->writable = true;
    file->attributes |= SDSIM_ATTR_ARCHIVE;
    file->seeks_each_write = mode->appends;
    if (result == SDSIM_FAT_OK && is_exfat(file->volume)) {
        result = sdsim_sdfat_store_set(file);
    } else if (mode->cuts) {
        file->modified = true;
    }
    return result;
}

enum sdsim_fat_result sdsim_sdfat_open_in(struct sdsim_file *file, struct sdsim_file *directory,
                                          struct sdsim_sdfat_name *name,
                                          const struct sdsim_sdfat_mode *mode)
{
    struct sdsim_volume *volume = directory->volume;
    struct sdsim_sdfat_gap gap = {0};
    memset(file, 0, offsetof(struct sdsim_file, buffer));
    file->volume = volume;
    file->mount = volume->mount;
    const enum sdsim_fat_result result = is_exfat(volume)
                                             ? sdsim_sdfat_find_set(file, directory, name, &gap)
                                             : sdsim_sdfat_find_entry(file, directory, name, &gap);
    if (result == SDSIM_FAT_OK) {
        return open_found(file, mode);
    }
    return result == SDSIM_FAT_NO_FILE && mode->creates ? create(file, directory, name, mode, &gap)
                                                        : result;
}

enum sdsim_fat_result sdsim_sdfat_follow(struct sdsim_volume *volume, const char *path,
                                         struct sdsim_file *directory,
                                         struct sdsim_sdfat_name *name)
{
    static const struct sdsim_sdfat_mode plain = {.reads = true};
    sdsim_sdfat_open_root(directory, volume);
    while (*path == '/' || *path == '\\') {
        path++;
    }
    if (*path == '\0') {
        return SDSIM_FAT_INVALID_NAME;
    }
    for (;;) {
        enum sdsim_fat_result result = sdsim_sdfat_take_name(volume, &path, name);
        if (result != SDSIM_FAT_OK || name->last) {
            return result;
        }
        struct sdsim_file part;
        result = sdsim_sdfat_open_in(&part, directory, name, &plain);
        if (result == SDSIM_FAT_OK) {
            result = sdsim_sdfat_flush(volume); /* the directory is closed, but still of use */
        }
        if (result != SDSIM_FAT_OK) {
            return result == SDSIM_FAT_NO_FILE ? SDSIM_FAT_NO_PATH : result;
        }
        if ((part.attributes & SDSIM_ATTR_DIRECTORY) == 0) {
            return SDSIM_FAT_NO_PATH;
        }
        memcpy(directory, &part, offsetof(struct sdsim_file, buffer));
    }
}

enum sdsim_fat_result sdsim_sdfat_open(struct sdsim_file *file, struct sdsim_volume *volume,
                                       sdsim_ps *now, const char *path, enum sdsim_open_mode mode)
{
    static const struct sdsim_sdfat_mode modes[] = {
        [SDSIM_OPEN_READ] = {.reads = true},
        [SDSIM_OPEN_WRITE] = {.writes = true, .creates = true, .cuts = true},
        [SDSIM_OPEN_WRITE_READ] = {.reads = true, .writes = true, .creates = true, .cuts = true},
        [SDSIM_OPEN_UPDATE] = {.reads = true, .writes = true},
        [SDSIM_OPEN_UPDATE_CREATE] = {.reads = true, .writes = true, .creates = true},
        [SDSIM_OPEN_APPEND] = {.writes = true, .creates = true, .appends = true},
        [SDSIM_OPEN_APPEND_END] = {.writes = true, .creates = true, .at_end = true},
    };
    struct sdsim_file directory;
    struct sdsim_sdfat_name name;
    volume->now = now;
    enum sdsim_fat_result result = sdsim_sdfat_follow(volume, path, &directory, &name);
    if (result == SDSIM_FAT_OK) {
        result = sdsim_sdfat_open_in(file, &directory, &name, &modes[mode]);
    }
    if (result == SDSIM_FAT_OK && (file->attributes & SDSIM_ATTR_DIRECTORY) != 0) {
        result = SDSIM_FAT_NO_FILE;
    }
    return result;
}
