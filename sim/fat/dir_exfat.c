#include "fat/dir_exfat.h"

#include <string.h>

#include "fat/bytes.h"

#define UNITS_PER_SLOT 15u

enum {
    TYPE_FILE = 0x85,
    TYPE_STREAM = 0xC0,
    TYPE_NAME = 0xC1,
};

static uint32_t set_bytes(const uint8_t *set)
{
    return (set[SDSIM_SET_SECONDARY] + 1u) * SDSIM_SLOT;
}

/* The sum over a set, bytes 2 and 3 left out. */
static uint16_t set_sum(const uint8_t *set)
{
    uint32_t sum = 0;
    const uint32_t size = set_bytes(set);
    for (uint32_t i = 0; i < size; i++) {
        if (i != SDSIM_SET_SUM && i != SDSIM_SET_SUM + 1) {
            sum = ((sum >> 1 | sum << 15) + set[i]) & 0xFFFF;
        }
    }
    return (uint16_t)sum;
}

static uint32_t slots_for(uint32_t units)
{
    return (units + UNITS_PER_SLOT - 1) / UNITS_PER_SLOT + 2;
}

/* Copies the slot at hand to byte `at` of the set if it has the type. */
static enum sdsim_fat_result load_slot(struct sdsim_volume *volume, const struct sdsim_dir *dir,
                                       uint32_t at, uint8_t type)
{
    const enum sdsim_fat_result result = sdsim_dir_need(volume, dir);
    if (result != SDSIM_FAT_OK) {
        return result;
    }
    const uint8_t *slot = sdsim_window_at(volume, dir->offset);
    if (slot[0] != type) {
        return SDSIM_FAT_CORRUPT;
    }
    memcpy(volume->set + at, slot, SDSIM_SLOT);
    return SDSIM_FAT_OK;
}

/* Loads the set whose first slot is at hand; ends at its last slot. SDSIM_FAT_CORRUPT if the slots
 * are no set or its sum is wrong. */
static enum sdsim_fat_result load_set(struct sdsim_volume *volume, struct sdsim_dir *dir)
{
    enum sdsim_fat_result result = load_slot(volume, dir, 0, TYPE_FILE);
    if (result != SDSIM_FAT_OK) {
        return result;
    }
    const uint32_t size = set_bytes(volume->set);
    if (size < 3 * SDSIM_SLOT || size > SDSIM_SET_MAX) {
        return SDSIM_FAT_CORRUPT;
    }
    for (uint32_t at = SDSIM_SLOT; at < size; at += SDSIM_SLOT) {
        result = sdsim_dir_step(volume, dir, false);
        if (result == SDSIM_FAT_OK) {
            result = load_slot(volume, dir, at, at == SDSIM_SLOT ? TYPE_STREAM : TYPE_NAME);
        }
        if (result != SDSIM_FAT_OK) {
            return result == SDSIM_FAT_NO_FILE ? SDSIM_FAT_CORRUPT : result;
        }
        if (at == SDSIM_SLOT && slots_for(volume->set[SDSIM_SET_NAME_LENGTH]) * SDSIM_SLOT > size) {
            return SDSIM_FAT_CORRUPT;
        }
    }
    return set_sum(volume->set) == sdsim_get16(volume->set + SDSIM_SET_SUM) ? SDSIM_FAT_OK
                                                                            : SDSIM_FAT_CORRUPT;
}

enum sdsim_fat_result sdsim_set_load_home(struct sdsim_volume *volume,
                                          const struct sdsim_home *home, struct sdsim_dir *dir)
{
    sdsim_dir_root(dir);
    dir->object = home->directory;
    dir->object.last_run = 0;
    dir->set_offset = home->offset;
    const enum sdsim_fat_result result = sdsim_dir_goto(volume, dir, home->offset);
    return result == SDSIM_FAT_OK ? load_set(volume, dir) : result;
}

enum sdsim_fat_result sdsim_set_store(struct sdsim_volume *volume, struct sdsim_dir *dir)
{
    sdsim_put16(volume->set + SDSIM_SET_SUM, set_sum(volume->set));
    enum sdsim_fat_result result = sdsim_dir_goto(volume, dir, dir->set_offset);
    const uint32_t size = set_bytes(volume->set);
    for (uint32_t at = 0; result == SDSIM_FAT_OK; result = sdsim_dir_step(volume, dir, false)) {
        result = sdsim_dir_need(volume, dir);
        if (result != SDSIM_FAT_OK) {
            return result;
        }
        memcpy(sdsim_window_change(volume, dir->offset), volume->set + at, SDSIM_SLOT);
        at += SDSIM_SLOT;
        if (at >= size) {
            return SDSIM_FAT_OK;
        }
    }
    return result == SDSIM_FAT_NO_FILE ? SDSIM_FAT_CORRUPT : result;
}

void sdsim_set_put_object(struct sdsim_volume *volume, const struct sdsim_object *object)
{
    volume->set[SDSIM_SET_FLAGS] = (uint8_t)(object->state | 1);
    sdsim_put32(volume->set + SDSIM_SET_CLUSTER, object->start);
    sdsim_put64(volume->set + SDSIM_SET_SIZE, object->size);
    sdsim_put64(volume->set + SDSIM_SET_VALID_SIZE, object->size);
}

/* Unit `i` of the name in the set. */
static uint16_t name_unit(const uint8_t *set, uint32_t i)
{
    const uint32_t slot = i / UNITS_PER_SLOT;
    return sdsim_get16(set + SDSIM_SET_NAMES + slot * SDSIM_SLOT + 2 + i % UNITS_PER_SLOT * 2);
}

void sdsim_set_name(struct sdsim_volume *volume)
{
    const uint32_t length = volume->set[SDSIM_SET_NAME_LENGTH];
    for (uint32_t i = 0; i < length; i++) {
        volume->name[i] = name_unit(volume->set, i);
    }
    volume->name[length] = 0;
}

enum sdsim_fat_result sdsim_set_read(struct sdsim_volume *volume, struct sdsim_dir *dir)
{
    enum sdsim_fat_result result = dir->lba == SDSIM_NO_SECTOR ? SDSIM_FAT_NO_FILE : SDSIM_FAT_OK;
    while (result == SDSIM_FAT_OK) {
        result = sdsim_dir_need(volume, dir);
        if (result != SDSIM_FAT_OK) {
            break;
        }
        const uint8_t type = *sdsim_window_at(volume, dir->offset);
        if (type == TYPE_FILE) {
            dir->set_offset = dir->offset;
            result = load_set(volume, dir);
            if (result == SDSIM_FAT_OK) {
                dir->attributes = volume->set[SDSIM_SET_ATTRIBUTES] & SDSIM_ATTR_MASK;
                return SDSIM_FAT_OK;
            }
            break;
        }
        result = type == 0 ? SDSIM_FAT_NO_FILE : sdsim_dir_step(volume, dir, false);
    }
    dir->lba = SDSIM_NO_SECTOR;
    return result;
}

static bool names_equal(const struct sdsim_volume *volume)
{
    const uint32_t length = volume->set[SDSIM_SET_NAME_LENGTH];
    for (uint32_t i = 0; i < length; i++) {
        if (volume->name[i] == 0 ||
            sdsim_upcase(name_unit(volume->set, i)) != sdsim_upcase(volume->name[i])) {
            return false;
        }
    }
    return volume->name[length] == 0;
}

enum sdsim_fat_result sdsim_set_find(struct sdsim_volume *volume, struct sdsim_dir *dir)
{
    const uint16_t hash = sdsim_name_hash(volume->name);
    enum sdsim_fat_result result = sdsim_dir_goto(volume, dir, 0);
    while (result == SDSIM_FAT_OK) {
        result = sdsim_set_read(volume, dir);
        if (result == SDSIM_FAT_OK && sdsim_get16(volume->set + SDSIM_SET_NAME_HASH) == hash &&
            names_equal(volume)) {
            return SDSIM_FAT_OK;
        }
    }
    return result;
}

/* Tells the entry set of a directory that it has grown. The root has none. */
static enum sdsim_fat_result record_stretch(struct sdsim_volume *volume, struct sdsim_dir *dir)
{
    dir->stretched = false;
    enum sdsim_fat_result result = sdsim_chain_settle_first(volume, &dir->object);
    if (result == SDSIM_FAT_OK) {
        result = sdsim_chain_settle_last(volume, &dir->object, dir->cluster, SDSIM_CHAIN_END);
    }
    if (result != SDSIM_FAT_OK || dir->object.start == 0) {
        return result;
    }
    struct sdsim_dir parent;
    result = sdsim_set_load_home(volume, &dir->home, &parent);
    if (result == SDSIM_FAT_OK) {
        sdsim_set_put_object(volume, &dir->object);
        result = sdsim_set_store(volume, &parent);
    }
    return result;
}

/* An entry set for the name at work, all but name and number of slots zero. */
static void create_set(struct sdsim_volume *volume)
{
    uint8_t *set = volume->set;
    const uint32_t length = sdsim_name_length(volume->name);
    const uint32_t slots = slots_for(length);
    memset(set, 0, SDSIM_SET_MAX);
    set[0] = TYPE_FILE;
    set[SDSIM_SLOT] = TYPE_STREAM;
    set[SDSIM_SET_SECONDARY] = (uint8_t)(slots - 1);
    set[SDSIM_SET_NAME_LENGTH] = (uint8_t)length;
    sdsim_put16(set + SDSIM_SET_NAME_HASH, sdsim_name_hash(volume->name));
    for (uint32_t slot = 0; slot + 2 < slots; slot++) {
        uint8_t *bytes = set + SDSIM_SET_NAMES + slot * SDSIM_SLOT;
        bytes[0] = TYPE_NAME;
        for (uint32_t i = 0; i < UNITS_PER_SLOT; i++) {
            const uint32_t at = slot * UNITS_PER_SLOT + i;
            sdsim_put16(bytes + 2 + i * 2, at < length ? volume->name[at] : 0);
        }
    }
}

enum sdsim_fat_result sdsim_set_register(struct sdsim_volume *volume, struct sdsim_dir *dir)
{
    const uint32_t slots = slots_for(sdsim_name_length(volume->name));
    enum sdsim_fat_result result = sdsim_dir_reserve(volume, dir, slots);
    if (result != SDSIM_FAT_OK) {
        return result;
    }
    dir->set_offset = dir->offset - (slots - 1) * SDSIM_SLOT;
    if (dir->stretched) {
        result = record_stretch(volume, dir);
    }
    if (result == SDSIM_FAT_OK) {
        create_set(volume);
    }
    return result;
}
