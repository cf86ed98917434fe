#include <string.h>

#include "fat/bytes.h"
#include "fat/dir_fat.h"
#include "fat/sdfat.h"

#define LAST_PART    0x40u /* in the first slot of a long name, which has its last characters */
#define PART_MASK    0x1Fu
#define UNITS        13u /* of a long name in a slot */
#define UNIQUE_TRIES 98u

/* Where the units of a name lie in a long-name slot. */
static const uint8_t unit_offsets[UNITS] = {1, 3, 5, 7, 9, 14, 16, 18, 20, 22, 24, 28, 30};

static bool is_long_part(const uint8_t *slot)
{
    return slot[SDSIM_ENTRY_ATTRIBUTES] == SDSIM_ATTR_LONG_NAME;
}

static bool is_file_or_directory(const uint8_t *slot)
{
    return (slot[SDSIM_ENTRY_ATTRIBUTES] & SDSIM_ATTR_VOLUME) == 0;
}

static bool is_free(const uint8_t *slot)
{
    return slot[0] == 0 || slot[0] == SDSIM_ENTRY_DELETED;
}

static void rewind_directory(struct sdsim_file *directory)
{
    directory->position = 0;
    directory->cluster = 0;
}

static uint32_t slots_needed(const struct sdsim_sdfat_name *name)
{
    return (name->short_name.flags & SDSIM_NAME_LONG) != 0 ? 1 + name->parts : 1;
}

/* Remembers the first gap that is large enough, or the last one. */
static void note_gap(struct sdsim_sdfat_gap *gap, const uint8_t *slot, uint32_t offset,
                     uint32_t needed)
{
    if (gap->slots == needed) {
        return;
    }
    if (!is_free(slot)) {
        gap->slots = 0;
        return;
    }
    if (gap->slots == 0) {
        gap->offset = offset;
    }
    gap->slots++;
}

/* Compares the long name in front of the slot at `offset` with that in volume->name, going
 * backwards through its slots; *same tells. The directory's position stays. */
static enum sdsim_fat_result compare_parts(struct sdsim_file *directory, uint32_t offset,
                                           uint32_t parts, bool *same)
{
    const struct sdsim_volume *volume = directory->volume;
    const uint64_t position = directory->position;
    const uint32_t cluster = directory->cluster;
    const uint16_t *name = volume->name;
    enum sdsim_fat_result result = SDSIM_FAT_OK;
    bool ended = false;
    *same = true;
    for (uint32_t part = 1; part <= parts && *same && !ended; part++) {
        uint8_t *slot;
        result = sdsim_sdfat_slot_at(directory, offset - part * SDSIM_SLOT, &slot);
        if (result != SDSIM_FAT_OK) {
            break;
        }
        for (uint32_t i = 0; i < UNITS && *same && !ended; i++) {
            const uint16_t unit = sdsim_get16(slot + unit_offsets[i]);
            ended = *name == 0;
            *same = unit < 0x80 && sdsim_upcase(unit) == sdsim_upcase(*name);
            name += !ended;
        }
    }
    directory->position = position;
    directory->cluster = cluster;
    return result;
}

/* The long name that the slots passed by make up, as far as it can be the one looked for. */
struct run {
    uint8_t parts; /* 0: none */
    uint8_t part;  /* of the slot last met */
    uint8_t sum;
};

/* Takes a long-name slot at `offset`. */
static enum sdsim_fat_result follow_part(struct run *run, struct sdsim_file *directory,
                                         const struct sdsim_sdfat_name *name, uint32_t offset,
                                         const uint8_t *slot)
{
    if (run->parts == 0) {
        run->part = slot[0] & PART_MASK;
        if (run->part != name->parts || (slot[0] & LAST_PART) == 0) {
            return SDSIM_FAT_OK;
        }
        run->parts = run->part;
        run->sum = slot[13];
    } else if (slot[0] != --run->part || slot[13] != run->sum) {
        run->parts = 0;
        return SDSIM_FAT_OK;
    }
    if (run->part != 1) {
        return SDSIM_FAT_OK;
    }
    bool same;
    const enum sdsim_fat_result result =
        compare_parts(directory, offset + SDSIM_SLOT, run->parts, &same);
    run->parts = same ? run->parts : 0;
    return result;
}

/* Takes over what a short slot says that was just read. */
static void take_found(struct sdsim_file *file, const struct sdsim_file *directory, uint32_t offset,
                       const uint8_t *slot)
{
    file->volume = directory->volume;
    file->mount = directory->mount;
    file->place.cluster = directory->object.start;
    file->place.offset = offset;
    file->entry_lba = file->volume->window.lba;
    file->entry_offset = offset % SDSIM_SECTOR;
    file->attributes =
        slot[SDSIM_ENTRY_ATTRIBUTES] & (SDSIM_ATTR_MASK & (uint8_t)~SDSIM_ATTR_VOLUME);
    file->stamp = sdsim_get32(slot + SDSIM_ENTRY_MODIFIED);
    file->object.start = sdsim_entry_cluster(file->volume, slot);
}

/* Looks at a short slot at `offset`: true if it is the one, file->place says where then. */
static enum sdsim_fat_result check_short(struct sdsim_file *file,
                                         const struct sdsim_file *directory, const struct run *run,
                                         const struct sdsim_sdfat_name *name, uint32_t offset,
                                         const uint8_t *slot, struct sdsim_sdfat_gap *gap,
                                         bool *found)
{
    *found = false;
    if (run->parts != 0) {
        *found = run->part == 1 && sdsim_name_sum(slot) == run->sum;
        if (!*found) {
            return SDSIM_FAT_CORRUPT;
        }
    } else if (memcmp(slot, name->short_name.bytes, 11) == 0) {
        *found = (name->short_name.flags & SDSIM_NAME_LOST) == 0;
        gap->short_taken = !*found;
    }
    if (*found) {
        file->place.slots = run->parts;
        take_found(file, directory, offset, slot);
    }
    return SDSIM_FAT_OK;
}

enum sdsim_fat_result sdsim_sdfat_find_entry(struct sdsim_file *file, struct sdsim_file *directory,
                                             const struct sdsim_sdfat_name *name,
                                             struct sdsim_sdfat_gap *gap)
{
    const uint32_t needed = slots_needed(name);
    struct run run = {0};
    rewind_directory(directory);
    for (;;) {
        const uint32_t offset = (uint32_t)directory->position;
        uint8_t *slot;
        enum sdsim_fat_result result = sdsim_sdfat_next_slot(directory, &slot);
        if (result != SDSIM_FAT_OK) {
            return result;
        }
        if (slot == NULL) {
            gap->offset = gap->slots == 0 ? offset : gap->offset;
            return SDSIM_FAT_NO_FILE;
        }
        note_gap(gap, slot, offset, needed);
        if (slot[0] == 0) {
            return SDSIM_FAT_NO_FILE;
        }
        bool found = false;
        if (slot[0] == SDSIM_ENTRY_DELETED || slot[0] == '.') {
            run.parts = 0;
        } else if (is_long_part(slot)) {
            result = follow_part(&run, directory, name, offset, slot);
        } else if (is_file_or_directory(slot)) {
            result = check_short(file, directory, &run, name, offset, slot, gap, &found);
        } else {
            run.parts = 0;
        }
        if (result != SDSIM_FAT_OK || found) {
            return result;
        }
    }
}

/* ---- listing ---- */

enum sdsim_fat_result sdsim_sdfat_next_entry(struct sdsim_file *file, struct sdsim_file *directory)
{
    file->place.slots = 0;
    for (;;) {
        const uint32_t offset = (uint32_t)directory->position;
        uint8_t *slot;
        const enum sdsim_fat_result result = sdsim_sdfat_next_slot(directory, &slot);
        if (result != SDSIM_FAT_OK) {
            return result;
        }
        if (slot == NULL || slot[0] == 0) {
            return SDSIM_FAT_NO_FILE;
        }
        if (slot[0] == SDSIM_ENTRY_DELETED || slot[0] == '.') {
            file->place.slots = 0;
        } else if (is_long_part(slot)) {
            if ((slot[0] & LAST_PART) != 0) {
                file->place.slots = slot[0] & PART_MASK;
            }
        } else if (is_file_or_directory(slot)) {
            take_found(file, directory, offset, slot);
            file->object.size = sdsim_get32(slot + SDSIM_ENTRY_SIZE);
            return SDSIM_FAT_OK;
        } else {
            file->place.slots = 0;
        }
    }
}

/* The directory a file lies in, as if it were opened anew. */
static void open_home(const struct sdsim_file *file, struct sdsim_file *directory)
{
    sdsim_sdfat_open_root(directory, file->volume);
    directory->object.start = file->place.cluster;
}

enum sdsim_fat_result sdsim_sdfat_name_of_entry(struct sdsim_file *file)
{
    struct sdsim_volume *volume = file->volume;
    if (file->place.slots == 0) {
        const enum sdsim_fat_result result =
            sdsim_window_need(volume, file->entry_lba, SDSIM_FOR_DIRECTORY);
        if (result == SDSIM_FAT_OK) {
            sdsim_entry_short_name(volume, sdsim_window_at(volume, file->entry_offset));
        }
        return result;
    }
    struct sdsim_file directory;
    open_home(file, &directory);
    uint32_t used = 0;
    for (uint32_t part = 1; part <= file->place.slots; part++) {
        uint8_t *slot;
        const enum sdsim_fat_result result =
            sdsim_sdfat_slot_at(&directory, file->place.offset - part * SDSIM_SLOT, &slot);
        if (result != SDSIM_FAT_OK) {
            return result;
        }
        if (!is_long_part(slot) || (slot[0] & PART_MASK) != part) {
            return SDSIM_FAT_CORRUPT;
        }
        for (uint32_t i = 0; i < UNITS; i++) {
            volume->name[used] = sdsim_get16(slot + unit_offsets[i]);
            if (volume->name[used] == 0) {
                return SDSIM_FAT_OK;
            }
            if (used == SDSIM_NAME_MAX) {
                return SDSIM_FAT_CORRUPT;
            }
            used++;
        }
    }
    volume->name[used] = 0;
    return SDSIM_FAT_OK;
}

/* ---- making and removing ---- */

/* Whether the directory has the short name. */
static enum sdsim_fat_result has_short(struct sdsim_file *directory, const uint8_t *bytes,
                                       bool *found)
{
    *found = false;
    rewind_directory(directory);
    for (;;) {
        uint8_t *slot;
        const enum sdsim_fat_result result = sdsim_sdfat_next_slot(directory, &slot);
        if (result != SDSIM_FAT_OK || slot == NULL || slot[0] == 0) {
            return result;
        }
        if (is_file_or_directory(slot) && memcmp(slot, bytes, 11) == 0) {
            *found = true;
            return SDSIM_FAT_OK;
        }
    }
}

/* "BASE~1" is taken: up to three characters of the base and four hexadecimal digits instead, until
 * the directory has no such name. */
static enum sdsim_fat_result make_unique(struct sdsim_file *directory,
                                         struct sdsim_sdfat_name *name)
{
    uint8_t *bytes = name->short_name.bytes;
    const uint32_t tail = name->tail < 3 ? name->tail : 3;
    uint32_t number = sdsim_name_hash(directory->volume->name);
    for (uint32_t i = 0; i < UNIQUE_TRIES; i++, number += 0x9E37) {
        bytes[tail] = '~';
        for (uint32_t digit = 0; digit < 4; digit++) {
            bytes[tail + 1 + digit] =
                (uint8_t) "0123456789ABCDEF"[number >> (12 - 4 * digit) & 0xF];
        }
        bool found;
        const enum sdsim_fat_result result = has_short(directory, bytes, &found);
        if (result != SDSIM_FAT_OK || !found) {
            return result;
        }
    }
    return SDSIM_FAT_DENIED;
}

/* Writes the long name in front of the slot at `offset`, backwards; the directory's position
 * stays. */
static enum sdsim_fat_result write_parts(struct sdsim_file *directory, uint32_t offset,
                                         uint32_t parts, uint8_t sum)
{
    struct sdsim_volume *volume = directory->volume;
    const uint64_t position = directory->position;
    const uint32_t cluster = directory->cluster;
    const uint32_t length = sdsim_name_length(volume->name);
    enum sdsim_fat_result result = SDSIM_FAT_OK;
    for (uint32_t part = 1; part <= parts && result == SDSIM_FAT_OK; part++) {
        uint8_t *slot;
        result = sdsim_sdfat_slot_at(directory, offset - part * SDSIM_SLOT, &slot);
        if (result != SDSIM_FAT_OK) {
            break;
        }
        volume->window.dirty = true;
        memset(slot, 0, SDSIM_SLOT);
        slot[0] = (uint8_t)(part | (part == parts ? LAST_PART : 0));
        slot[SDSIM_ENTRY_ATTRIBUTES] = SDSIM_ATTR_LONG_NAME;
        slot[13] = sum;
        for (uint32_t i = 0; i < UNITS; i++) {
            const uint32_t at = (part - 1) * UNITS + i;
            sdsim_put16(slot + unit_offsets[i], at <= length ? volume->name[at] : 0xFFFF);
        }
    }
    directory->position = position;
    directory->cluster = cluster;
    return result;
}

/* Makes the gap as large as needed: slots behind it that were not looked at, then new clusters. */
static enum sdsim_fat_result widen(struct sdsim_file *directory, struct sdsim_sdfat_gap *gap,
                                   uint32_t needed)
{
    while (gap->slots < needed) {
        uint8_t *slot;
        const enum sdsim_fat_result result = sdsim_sdfat_next_slot(directory, &slot);
        if (result != SDSIM_FAT_OK) {
            return result;
        }
        if (slot == NULL) {
            break;
        }
        gap->slots++;
    }
    while (gap->slots < needed) {
        const enum sdsim_fat_result result =
            sdsim_sdfat_add_dir_cluster(directory, directory->object.start == 0);
        if (result != SDSIM_FAT_OK) {
            return result;
        }
        gap->slots += sdsim_cluster_bytes(directory->volume) / SDSIM_SLOT;
    }
    return SDSIM_FAT_OK;
}

enum sdsim_fat_result sdsim_sdfat_make_entry(struct sdsim_file *file, struct sdsim_file *directory,
                                             struct sdsim_sdfat_name *name,
                                             struct sdsim_sdfat_gap *gap)
{
    struct sdsim_volume *volume = directory->volume;
    const uint32_t needed = slots_needed(name);
    const uint32_t offset = gap->offset + (needed - 1) * SDSIM_SLOT;
    enum sdsim_fat_result result = widen(directory, gap, needed);
    if (result == SDSIM_FAT_OK && gap->short_taken) {
        result = make_unique(directory, name);
    }
    if (result == SDSIM_FAT_OK) {
        result = write_parts(directory, offset, needed - 1, sdsim_name_sum(name->short_name.bytes));
    }
    uint8_t *slot = NULL;
    if (result == SDSIM_FAT_OK) {
        result = sdsim_sdfat_slot_at(directory, offset, &slot);
    }
    if (result != SDSIM_FAT_OK) {
        return result;
    }
    volume->window.dirty = true;
    memset(slot, 0, SDSIM_SLOT);
    memcpy(slot, name->short_name.bytes, 11);
    slot[SDSIM_ENTRY_CASE] =
        name->short_name.flags & (SDSIM_NAME_LOWER_BODY | SDSIM_NAME_LOWER_EXT);
    sdsim_put32(slot + SDSIM_ENTRY_CREATED, sdsim_dir_clock(volume));
    sdsim_put16(slot + SDSIM_ENTRY_ACCESSED, sdsim_dir_clock(volume) >> 16);
    sdsim_put32(slot + SDSIM_ENTRY_MODIFIED, sdsim_dir_clock(volume));
    file->place.slots = (uint8_t)(needed - 1);
    take_found(file, directory, offset, slot);
    return SDSIM_FAT_OK;
}

enum sdsim_fat_result sdsim_sdfat_store_entry(struct sdsim_file *file)
{
    struct sdsim_volume *volume = file->volume;
    const enum sdsim_fat_result result =
        sdsim_window_need(volume, file->entry_lba, SDSIM_FOR_DIRECTORY);
    if (result != SDSIM_FAT_OK) {
        return result;
    }
    uint8_t *entry = sdsim_window_change(volume, file->entry_offset);
    if (!sdsim_sdfat_is_classic(volume)) {
        if (entry[0] == SDSIM_ENTRY_DELETED) {
            return SDSIM_FAT_INVALID_OBJECT;
        }
        entry[SDSIM_ENTRY_ATTRIBUTES] = file->attributes;
    }
    if ((file->attributes & SDSIM_ATTR_DIRECTORY) == 0) {
        sdsim_put32(entry + SDSIM_ENTRY_SIZE, (uint32_t)file->object.size);
    }
    sdsim_entry_set_cluster(volume, entry, file->object.start);
    return SDSIM_FAT_OK;
}

enum sdsim_fat_result sdsim_sdfat_remove_entry(struct sdsim_file *file)
{
    struct sdsim_volume *volume = file->volume;
    enum sdsim_fat_result result = sdsim_window_need(volume, file->entry_lba, SDSIM_FOR_DIRECTORY);
    if (result != SDSIM_FAT_OK) {
        return result;
    }
    uint8_t *entry = sdsim_window_change(volume, file->entry_offset);
    const uint8_t sum = sdsim_name_sum(entry);
    entry[0] = SDSIM_ENTRY_DELETED;
    result = sdsim_sdfat_flush(volume);
    if (result != SDSIM_FAT_OK || file->place.slots == 0) {
        return result;
    }
    struct sdsim_file directory;
    open_home(file, &directory);
    for (uint32_t part = 1; part <= file->place.slots; part++) {
        uint8_t *slot;
        result = sdsim_sdfat_slot_at(&directory, file->place.offset - part * SDSIM_SLOT, &slot);
        if (result != SDSIM_FAT_OK) {
            return result;
        }
        if (!is_long_part(slot) || (slot[0] & PART_MASK) != part || slot[13] != sum) {
            return SDSIM_FAT_CORRUPT;
        }
        slot[0] = SDSIM_ENTRY_DELETED;
        volume->window.dirty = true;
    }
    return sdsim_sdfat_flush(volume);
}
