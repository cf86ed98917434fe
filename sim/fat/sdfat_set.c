#include <string.h>

#include "fat/bytes.h"
#include "fat/dir_exfat.h"
#include "fat/sdfat.h"

#define UNITS 15u /* of a name in a slot */

enum {
    TYPE_FILE = 0x85,
    TYPE_STREAM = 0xC0,
    TYPE_NAME = 0xC1,
    TYPE_USED = 0x80,
    FLAG_ALWAYS = 0x01,
    FLAG_CONTIGUOUS = 0x02,
    SLOT_NAME = 2, /* the first with a part of the name */
};

/* Offsets in a stream slot; SDSIM_SET_... are those in the set. */
enum {
    STREAM_FLAGS = SDSIM_SET_FLAGS - SDSIM_SLOT,
    STREAM_NAME_LENGTH = SDSIM_SET_NAME_LENGTH - SDSIM_SLOT,
    STREAM_NAME_HASH = SDSIM_SET_NAME_HASH - SDSIM_SLOT,
    STREAM_VALID_SIZE = SDSIM_SET_VALID_SIZE - SDSIM_SLOT,
    STREAM_CLUSTER = SDSIM_SET_CLUSTER - SDSIM_SLOT,
    STREAM_SIZE = SDSIM_SET_SIZE - SDSIM_SLOT,
};

/* The slot of a set that `i` others stand in front of, in the window. */
static enum sdsim_fat_result set_slot(struct sdsim_file *file, uint32_t i, uint8_t **slot)
{
    struct sdsim_volume *volume = file->volume;
    const uint32_t cluster_bytes = sdsim_cluster_bytes(volume);
    const uint32_t at = file->place.offset % cluster_bytes + i * SDSIM_SLOT;
    uint32_t cluster = file->place.cluster;
    for (uint32_t steps = at / cluster_bytes; steps > 0; steps--) {
        if (file->place.contiguous) {
            cluster++;
            continue;
        }
        const enum sdsim_fat_result result = sdsim_sdfat_next(volume, cluster, &cluster);
        if (result != SDSIM_FAT_OK) {
            return result;
        }
    }
    if (!sdsim_cluster_valid(volume, cluster)) {
        return SDSIM_FAT_CORRUPT;
    }
    const uint32_t lba = sdsim_cluster_lba(volume, cluster) + at % cluster_bytes / SDSIM_SECTOR;
    const enum sdsim_fat_result result = sdsim_window_need(volume, lba, SDSIM_FOR_DIRECTORY);
    *slot = sdsim_window_at(volume, at);
    return result;
}

/* ---- looking up ---- */

/* A look-up as far as it got. */
struct search {
    bool in_set;
    uint32_t matched; /* units of the name */
    uint32_t length;
    uint16_t hash;
};

/* The first slot of a set, at `offset` in the directory. */
static void take_file(struct sdsim_file *file, const struct sdsim_file *directory, uint32_t offset,
                      const uint8_t *slot)
{
    file->place = (struct sdsim_entry_place){
        .cluster = directory->cluster,
        .offset = offset,
        .slots = slot[SDSIM_SET_SECONDARY],
        .contiguous = directory->object.state == SDSIM_CHAIN_CONTIGUOUS,
    };
    file->attributes = slot[SDSIM_SET_ATTRIBUTES] & (SDSIM_ATTR_MASK & (uint8_t)~SDSIM_ATTR_VOLUME);
    file->stamp = sdsim_get32(slot + SDSIM_SET_MODIFIED);
}

/* The second. */
static void take_stream(struct sdsim_file *file, const uint8_t *slot)
{
    const bool contiguous = (slot[STREAM_FLAGS] & FLAG_CONTIGUOUS) != 0;
    file->object.start = sdsim_get32(slot + STREAM_CLUSTER);
    file->object.size = sdsim_get64(slot + STREAM_SIZE);
    file->object.state = contiguous ? SDSIM_CHAIN_CONTIGUOUS : SDSIM_CHAIN_LINKED;
    file->valid_size = sdsim_get64(slot + STREAM_VALID_SIZE);
}

/* Goes on with the name; false if it is another one. */
static bool match_part(struct search *search, const uint16_t *name, const uint8_t *slot)
{
    for (uint32_t i = 0; i < UNITS; i++) {
        const uint16_t unit = sdsim_get16(slot + 2 + i * 2);
        if (search->matched == search->length) {
            return unit == 0;
        }
        if (unit >= 0x7F || sdsim_upcase(unit) != sdsim_upcase(name[search->matched++])) {
            return false;
        }
    }
    return true;
}

/* A used slot; true if the set that it belongs to is the one looked for. */
static bool take_slot(struct search *search, struct sdsim_file *file,
                      const struct sdsim_file *directory, uint32_t offset, const uint8_t *slot)
{
    const struct sdsim_volume *volume = directory->volume;
    if (!search->in_set) {
        search->in_set = slot[0] == TYPE_FILE;
        if (search->in_set) {
            take_file(file, directory, offset, slot);
        }
        return false;
    }
    switch (slot[0]) {
    case TYPE_STREAM:
        take_stream(file, slot);
        search->matched = 0;
        search->in_set = search->length == slot[STREAM_NAME_LENGTH] &&
                         search->hash == sdsim_get16(slot + STREAM_NAME_HASH);
        return false;
    case TYPE_NAME:
        search->in_set = match_part(search, volume->name, slot);
        return search->in_set && search->matched == search->length;
    default:
        search->in_set = false;
        return false;
    }
}

static void rewind_directory(struct sdsim_file *directory)
{
    directory->position = 0;
    directory->cluster = 0;
}

/* Remembers the first gap that is large enough, or the last one. `offset` is of a slot that was
 * just read. */
static void note_free(struct sdsim_sdfat_gap *gap, const struct sdsim_file *directory,
                      uint32_t offset, uint32_t needed)
{
    if (gap->slots == 0) {
        gap->offset = offset;
        gap->cluster = directory->cluster;
    }
    gap->slots += gap->slots < needed;
}

static uint32_t slots_needed(const struct sdsim_volume *volume)
{
    return SLOT_NAME + (sdsim_name_length(volume->name) + UNITS - 1) / UNITS;
}

enum sdsim_fat_result sdsim_sdfat_find_set(struct sdsim_file *file, struct sdsim_file *directory,
                                           const struct sdsim_sdfat_name *name,
                                           struct sdsim_sdfat_gap *gap)
{
    const struct sdsim_volume *volume = directory->volume;
    const uint32_t needed = slots_needed(volume);
    struct search search = {.length = sdsim_name_length(volume->name),
                            .hash = sdsim_name_hash(volume->name)};
    (void)name;
    rewind_directory(directory);
    for (;;) {
        const uint32_t offset = (uint32_t)directory->position;
        uint8_t *slot;
        const enum sdsim_fat_result result = sdsim_sdfat_next_slot(directory, &slot);
        if (result != SDSIM_FAT_OK) {
            return result;
        }
        if (slot == NULL) {
            return SDSIM_FAT_NO_FILE;
        }
        if ((slot[0] & TYPE_USED) == 0) {
            note_free(gap, directory, offset, needed);
            if (slot[0] == 0) {
                return SDSIM_FAT_NO_FILE;
            }
            search.in_set = false;
            continue;
        }
        if (!search.in_set && gap->slots < needed) {
            gap->slots = 0;
        }
        if (take_slot(&search, file, directory, offset, slot)) {
            return SDSIM_FAT_OK;
        }
    }
}

/* ---- listing ---- */

enum sdsim_fat_result sdsim_sdfat_next_set(struct sdsim_file *file, struct sdsim_file *directory)
{
    bool in_set = false;
    file->volume = directory->volume;
    file->mount = directory->mount;
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
        if (in_set && slot[0] == TYPE_STREAM) {
            take_stream(file, slot);
            return SDSIM_FAT_OK;
        }
        in_set = slot[0] == TYPE_FILE;
        if (in_set) {
            take_file(file, directory, offset, slot);
        }
    }
}

enum sdsim_fat_result sdsim_sdfat_name_of_set(struct sdsim_file *file)
{
    uint16_t *name = file->volume->name;
    uint32_t used = 0;
    for (uint32_t i = SLOT_NAME; i <= file->place.slots; i++) {
        uint8_t *slot;
        const enum sdsim_fat_result result = set_slot(file, i, &slot);
        if (result != SDSIM_FAT_OK) {
            return result;
        }
        if (slot[0] != TYPE_NAME) {
            return SDSIM_FAT_CORRUPT;
        }
        for (uint32_t unit = 0; unit < UNITS; unit++) {
            name[used] = sdsim_get16(slot + 2 + unit * 2);
            if (name[used] == 0) {
                return SDSIM_FAT_OK;
            }
            if (used == SDSIM_NAME_MAX) {
                return SDSIM_FAT_CORRUPT;
            }
            used++;
        }
    }
    name[used] = 0;
    return SDSIM_FAT_OK;
}

/* ---- making, storing, removing ---- */

/* Makes the gap as large as needed; what is cleared for it counts. */
static enum sdsim_fat_result widen(struct sdsim_file *directory, struct sdsim_sdfat_gap *gap,
                                   uint32_t needed)
{
    while (gap->slots < needed) {
        const uint32_t offset = (uint32_t)directory->position;
        uint8_t *slot;
        enum sdsim_fat_result result = sdsim_sdfat_next_slot(directory, &slot);
        if (result == SDSIM_FAT_OK && slot == NULL) {
            const uint32_t cluster = directory->cluster;
            result = sdsim_sdfat_add_dir_cluster(directory, directory->object.start == 0);
            directory->cluster = cluster;
        } else if (result == SDSIM_FAT_OK) {
            note_free(gap, directory, offset, needed);
        }
        if (result != SDSIM_FAT_OK) {
            return result;
        }
    }
    return SDSIM_FAT_OK;
}

/* Fills in slot `i` of a new set: what can be told before anything is written to the file. */
static void fill_slot(const struct sdsim_volume *volume, uint32_t i, uint32_t needed, uint8_t *slot)
{
    const uint32_t length = sdsim_name_length(volume->name);
    memset(slot, 0, SDSIM_SLOT);
    if (i == 0) {
        slot[0] = TYPE_FILE;
        slot[SDSIM_SET_SECONDARY] = (uint8_t)(needed - 1);
        sdsim_put32(slot + SDSIM_SET_CREATED, sdsim_dir_clock(volume));
        sdsim_put32(slot + SDSIM_SET_MODIFIED, sdsim_dir_clock(volume));
        sdsim_put32(slot + SDSIM_SET_ACCESSED, sdsim_dir_clock(volume));
    } else if (i == 1) {
        slot[0] = TYPE_STREAM;
        slot[STREAM_FLAGS] = FLAG_ALWAYS;
        slot[STREAM_NAME_LENGTH] = (uint8_t)length;
        sdsim_put16(slot + STREAM_NAME_HASH, sdsim_name_hash(volume->name));
    } else {
        slot[0] = TYPE_NAME;
        for (uint32_t unit = 0; unit < UNITS; unit++) {
            const uint32_t at = (i - SLOT_NAME) * UNITS + unit;
            sdsim_put16(slot + 2 + unit * 2, at < length ? volume->name[at] : 0);
        }
    }
}

enum sdsim_fat_result sdsim_sdfat_make_set(struct sdsim_file *file, struct sdsim_file *directory,
                                           struct sdsim_sdfat_gap *gap)
{
    struct sdsim_volume *volume = directory->volume;
    const uint32_t needed = slots_needed(volume);
    enum sdsim_fat_result result = widen(directory, gap, needed);
    if (result != SDSIM_FAT_OK) {
        return result;
    }
    file->place = (struct sdsim_entry_place){
        .cluster = gap->cluster,
        .offset = gap->offset,
        .slots = (uint8_t)(needed - 1),
        .contiguous = directory->object.state == SDSIM_CHAIN_CONTIGUOUS,
    };
    file->attributes = 0;
    memset(&file->object, 0, sizeof file->object);
    file->valid_size = 0;
    for (uint32_t i = 0; i < needed; i++) {
        uint8_t *slot;
        result = set_slot(file, i, &slot);
        if (result != SDSIM_FAT_OK) {
            return result;
        }
        volume->window.dirty = true;
        if ((slot[0] & TYPE_USED) != 0) {
            return SDSIM_FAT_CORRUPT;
        }
        fill_slot(volume, i, needed, slot);
    }
    return SDSIM_FAT_OK;
}

/* Takes a slot into the sum over a set; bytes 2 and 3 of its first slot are left out. */
static uint16_t sum_slot(uint16_t sum, const uint8_t *slot)
{
    for (uint32_t i = 0; i < SDSIM_SLOT; i++) {
        if (slot[0] != TYPE_FILE || (i != SDSIM_SET_SUM && i != SDSIM_SET_SUM + 1)) {
            sum = (uint16_t)((sum >> 1 | (uint32_t)sum << 15) + slot[i]);
        }
    }
    return sum;
}

/* Writes what the file knows to a slot of its set; false if the slot is none of a set. */
static bool update_slot(const struct sdsim_file *file, struct sdsim_volume *volume, uint8_t *slot)
{
    switch (slot[0]) {
    case TYPE_FILE:
        sdsim_put16(slot + SDSIM_SET_ATTRIBUTES, file->attributes);
        volume->window.dirty = true;
        return true;
    case TYPE_STREAM:
        slot[STREAM_FLAGS] &= (uint8_t)~FLAG_CONTIGUOUS;
        slot[STREAM_FLAGS] |= file->object.state == SDSIM_CHAIN_CONTIGUOUS ? FLAG_CONTIGUOUS : 0;
        sdsim_put64(slot + STREAM_VALID_SIZE, file->valid_size);
        sdsim_put32(slot + STREAM_CLUSTER, file->object.start);
        sdsim_put64(slot + STREAM_SIZE, file->object.size);
        volume->window.dirty = true;
        return true;
    default:
        return slot[0] == TYPE_NAME;
    }
}

enum sdsim_fat_result sdsim_sdfat_store_set(struct sdsim_file *file)
{
    struct sdsim_volume *volume = file->volume;
    uint16_t sum = 0;
    uint8_t *slot;
    enum sdsim_fat_result result;
    file->modified = false;
    for (uint32_t i = 0; i <= file->place.slots; i++) {
        result = set_slot(file, i, &slot);
        if (result == SDSIM_FAT_OK && !update_slot(file, volume, slot)) {
            result = SDSIM_FAT_INVALID_OBJECT;
        }
        if (result != SDSIM_FAT_OK) {
            return result;
        }
        sum = sum_slot(sum, slot);
    }
    result = set_slot(file, 0, &slot);
    if (result != SDSIM_FAT_OK) {
        return result;
    }
    sdsim_put16(slot + SDSIM_SET_SUM, sum);
    volume->window.dirty = true;
    return sdsim_sdfat_flush(volume);
}

enum sdsim_fat_result sdsim_sdfat_remove_set(struct sdsim_file *file)
{
    struct sdsim_volume *volume = file->volume;
    for (uint32_t i = 0; i <= file->place.slots; i++) {
        uint8_t *slot;
        const enum sdsim_fat_result result = set_slot(file, i, &slot);
        if (result != SDSIM_FAT_OK) {
            return result;
        }
        slot[0] &= (uint8_t)~TYPE_USED;
        volume->window.dirty = true;
    }
    return sdsim_sdfat_flush(volume);
}
