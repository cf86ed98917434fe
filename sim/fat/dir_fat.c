#include "fat/dir_fat.h"

#include <string.h>

#include "fat/bytes.h"

#define UNITS_PER_SLOT 13u
#define LAST_SLOT      0x40u /* marks the slot with the end of a long name, the first in order */
#define NUMBERED_TRIES 99u

/* Where the 13 units of a name lie in a long-name slot. */
static const uint8_t unit_offsets[UNITS_PER_SLOT] = {1, 3, 5, 7, 9, 14, 16, 18, 20, 22, 24, 28, 30};

uint32_t sdsim_entry_cluster(const struct sdsim_volume *volume, const uint8_t *entry)
{
    uint32_t cluster = sdsim_get16(entry + SDSIM_ENTRY_CLUSTER_LOW);
    if (volume->geometry.type == SDSIM_FAT32) {
        cluster |= (uint32_t)sdsim_get16(entry + SDSIM_ENTRY_CLUSTER_HIGH) << 16;
    }
    return cluster;
}

void sdsim_entry_set_cluster(const struct sdsim_volume *volume, uint8_t *entry, uint32_t cluster)
{
    sdsim_put16(entry + SDSIM_ENTRY_CLUSTER_LOW, cluster & 0xFFFF);
    if (volume->geometry.type == SDSIM_FAT32) {
        sdsim_put16(entry + SDSIM_ENTRY_CLUSTER_HIGH, cluster >> 16);
    }
}

/* The run of long-name slots in front of an entry, as far as it was followed. */
struct long_run {
    uint8_t expected; /* ordinal of the next slot, 0: complete, 0xFF: none or broken */
    uint8_t sum;
};

#define BROKEN 0xFF

/* Takes the next long-name slot; false if it doesn't continue the run. */
static bool follow_slot(struct long_run *run, struct sdsim_dir *dir, const uint8_t *slot,
                        uint8_t *ordinal)
{
    *ordinal = slot[0];
    if ((*ordinal & LAST_SLOT) != 0) {
        run->sum = slot[13];
        *ordinal = (uint8_t)(*ordinal & ~LAST_SLOT);
        run->expected = *ordinal;
        dir->set_offset = dir->offset;
    }
    return *ordinal == run->expected && *ordinal != 0 && run->sum == slot[13];
}

/*
 * The units of a slot: how many, with the zero that ends the name if there is one. 0: it is not that
 * of a name, for something other than padding follows the zero, or there is a cluster.
 */
static uint32_t slot_units(const uint8_t *slot, uint16_t units[UNITS_PER_SLOT])
{
    uint32_t count = 0;
    bool ended = false;
    for (uint32_t i = 0; i < UNITS_PER_SLOT; i++) {
        const uint16_t unit = sdsim_get16(slot + unit_offsets[i]);
        if (!ended) {
            units[count++] = unit;
        } else if (unit != 0xFFFF) {
            return 0;
        }
        ended = ended || unit == 0;
    }
    return sdsim_get16(slot + SDSIM_ENTRY_CLUSTER_LOW) == 0 ? count : 0;
}

/* True if the units of a slot with this ordinal are those of `name`. */
static bool slot_matches(const uint8_t *slot, uint8_t ordinal, const uint16_t *name)
{
    uint16_t units[UNITS_PER_SLOT];
    const uint32_t count = slot_units(slot, units);
    const uint32_t first = (ordinal - 1u) * UNITS_PER_SLOT;
    for (uint32_t i = 0; i < count; i++) {
        if (first + i > SDSIM_NAME_MAX || sdsim_upcase(units[i]) != sdsim_upcase(name[first + i])) {
            return false;
        }
    }
    /* The last slot of the run must be the last of the name as well. */
    return count > 0 &&
           ((slot[0] & LAST_SLOT) == 0 || units[count - 1] == 0 || name[first + count] == 0);
}

/* Copies the units of a slot to their place in `name`; false if they don't fit or end early. */
static bool slot_copy(const uint8_t *slot, uint8_t ordinal, uint16_t *name)
{
    uint16_t units[UNITS_PER_SLOT];
    const uint32_t count = slot_units(slot, units);
    const uint32_t first = (ordinal - 1u) * UNITS_PER_SLOT;
    const bool ended = count > 0 && units[count - 1] == 0;
    const uint32_t length = ended ? count - 1 : count;
    if (count == 0 || first + length > SDSIM_NAME_MAX) {
        return false;
    }
    memcpy(name + first, units, length * sizeof *name);
    if (ended || (slot[0] & LAST_SLOT) != 0) {
        name[first + length] = 0;
    }
    return true;
}

/* The slot at hand; its type goes to dir->attributes. */
static const uint8_t *slot_at_hand(struct sdsim_volume *volume, struct sdsim_dir *dir)
{
    const uint8_t *slot = sdsim_window_at(volume, dir->offset);
    dir->attributes = slot[SDSIM_ENTRY_ATTRIBUTES] & SDSIM_ATTR_MASK;
    return slot;
}

/* One slot of a look-up: true if it is the short entry looked for. */
static bool find_in_slot(struct sdsim_volume *volume, struct sdsim_dir *dir, const uint8_t *slot,
                         struct long_run *run)
{
    const uint8_t flags = dir->name.flags;
    const bool volume_entry = (dir->attributes & SDSIM_ATTR_VOLUME) != 0;
    if (slot[0] != SDSIM_ENTRY_DELETED && dir->attributes == SDSIM_ATTR_LONG_NAME &&
        volume->config.long_names != SDSIM_LFN_NONE) {
        if ((flags & SDSIM_NAME_SHORT_ONLY) == 0) {
            uint8_t ordinal;
            const bool matches =
                follow_slot(run, dir, slot, &ordinal) && slot_matches(slot, ordinal, volume->name);
            run->expected = matches ? (uint8_t)(ordinal - 1) : BROKEN;
        }
        return false;
    }
    if (slot[0] != SDSIM_ENTRY_DELETED && !volume_entry) {
        if (run->expected == 0 && run->sum == sdsim_name_sum(slot)) {
            return true;
        }
        /* By the short name; with a long run in front of it that is kept as the set. */
        if ((flags & SDSIM_NAME_LOST) == 0 && memcmp(slot, dir->name.bytes, 11) == 0) {
            return true;
        }
    }
    run->expected = BROKEN;
    dir->set_offset = SDSIM_NO_OFFSET;
    return false;
}

enum sdsim_fat_result sdsim_entry_find(struct sdsim_volume *volume, struct sdsim_dir *dir)
{
    struct long_run run = {.expected = BROKEN, .sum = BROKEN};
    enum sdsim_fat_result result = sdsim_dir_goto(volume, dir, 0);
    dir->set_offset = SDSIM_NO_OFFSET;
    while (result == SDSIM_FAT_OK) {
        result = sdsim_dir_need(volume, dir);
        if (result != SDSIM_FAT_OK) {
            return result;
        }
        const uint8_t *slot = slot_at_hand(volume, dir);
        if (slot[0] == 0) {
            return SDSIM_FAT_NO_FILE;
        }
        if (find_in_slot(volume, dir, slot, &run)) {
            return SDSIM_FAT_OK;
        }
        result = sdsim_dir_step(volume, dir, false);
    }
    return result;
}

void sdsim_entry_short_name(struct sdsim_volume *volume, const uint8_t *slot)
{
    uint32_t used = 0;
    bool dotted = false;
    for (uint32_t i = 0; i < 11; i++) {
        const uint8_t lower = i < 8 ? SDSIM_NAME_LOWER_BODY : SDSIM_NAME_LOWER_EXT;
        const uint8_t c = i == 0 && slot[i] == 0x05 ? SDSIM_ENTRY_DELETED : slot[i];
        if (c == ' ') {
            continue;
        }
        if (i >= 8 && !dotted) {
            volume->name[used++] = '.';
            dotted = true;
        }
        const bool to_lower = (slot[SDSIM_ENTRY_CASE] & lower) != 0 && c >= 'A' && c <= 'Z';
        volume->name[used++] = (uint16_t)(to_lower ? c + 0x20 : c);
    }
    volume->name[used] = 0;
}

enum sdsim_fat_result sdsim_entry_read(struct sdsim_volume *volume, struct sdsim_dir *dir)
{
    struct long_run run = {.expected = BROKEN, .sum = BROKEN};
    enum sdsim_fat_result result = dir->lba == SDSIM_NO_SECTOR ? SDSIM_FAT_NO_FILE : SDSIM_FAT_OK;
    while (result == SDSIM_FAT_OK) {
        result = sdsim_dir_need(volume, dir);
        if (result != SDSIM_FAT_OK) {
            break;
        }
        const uint8_t *slot = slot_at_hand(volume, dir);
        if (slot[0] == 0) {
            result = SDSIM_FAT_NO_FILE;
            break;
        }
        if (slot[0] == SDSIM_ENTRY_DELETED || slot[0] == '.' ||
            (dir->attributes & ~SDSIM_ATTR_ARCHIVE) == SDSIM_ATTR_VOLUME) {
            run.expected = BROKEN;
        } else if (dir->attributes == SDSIM_ATTR_LONG_NAME) {
            uint8_t ordinal;
            const bool good = volume->config.long_names != SDSIM_LFN_NONE &&
                              follow_slot(&run, dir, slot, &ordinal) &&
                              slot_copy(slot, ordinal, volume->name);
            run.expected = good ? (uint8_t)(ordinal - 1) : BROKEN;
        } else {
            if (run.expected != 0 || run.sum != sdsim_name_sum(slot)) {
                dir->set_offset = SDSIM_NO_OFFSET;
            }
            return SDSIM_FAT_OK;
        }
        result = sdsim_dir_step(volume, dir, false);
    }
    dir->lba = SDSIM_NO_SECTOR;
    return result;
}

/* Tries numbered short names until one is not in the directory. */
static enum sdsim_fat_result number_name(struct sdsim_volume *volume, struct sdsim_dir *dir)
{
    const struct sdsim_short_name base = dir->name;
    for (uint32_t number = 1; number <= NUMBERED_TRIES; number++) {
        sdsim_name_number(&base, volume->name, number, &dir->name);
        dir->name.flags = SDSIM_NAME_SHORT_ONLY;
        const enum sdsim_fat_result result = sdsim_entry_find(volume, dir);
        if (result != SDSIM_FAT_OK) {
            dir->name.flags = base.flags;
            return result == SDSIM_FAT_NO_FILE ? SDSIM_FAT_OK : result;
        }
    }
    return SDSIM_FAT_DENIED;
}

static void fill_slot(uint8_t *slot, const uint16_t *name, uint32_t ordinal, bool last, uint8_t sum)
{
    memset(slot, 0, SDSIM_SLOT);
    slot[0] = (uint8_t)(ordinal | (last ? LAST_SLOT : 0));
    slot[SDSIM_ENTRY_ATTRIBUTES] = SDSIM_ATTR_LONG_NAME;
    slot[13] = sum;
    const uint32_t length = sdsim_name_length(name);
    for (uint32_t i = 0; i < UNITS_PER_SLOT; i++) {
        const uint32_t at = (ordinal - 1) * UNITS_PER_SLOT + i;
        sdsim_put16(slot + unit_offsets[i], at <= length ? name[at] : 0xFFFF);
    }
}

/* Writes the `count` long-name slots that lead to the slot at hand, and returns to that. */
static enum sdsim_fat_result write_long_name(struct sdsim_volume *volume, struct sdsim_dir *dir,
                                             uint32_t count)
{
    const uint8_t sum = sdsim_name_sum(dir->name.bytes);
    enum sdsim_fat_result result = sdsim_dir_goto(volume, dir, dir->offset - count * SDSIM_SLOT);
    for (uint32_t ordinal = count; ordinal > 0 && result == SDSIM_FAT_OK; ordinal--) {
        result = sdsim_dir_need(volume, dir);
        if (result == SDSIM_FAT_OK) {
            fill_slot(sdsim_window_change(volume, dir->offset), volume->name, ordinal,
                      ordinal == count, sum);
            result = sdsim_dir_step(volume, dir, false);
        }
    }
    return result;
}

enum sdsim_fat_result sdsim_entry_register(struct sdsim_volume *volume, struct sdsim_dir *dir)
{
    enum sdsim_fat_result result = SDSIM_FAT_OK;
    if ((dir->name.flags & SDSIM_NAME_LOST) != 0) {
        result = number_name(volume, dir);
    }
    uint32_t long_slots = 0;
    if ((dir->name.flags & SDSIM_NAME_LONG) != 0) {
        long_slots = (sdsim_name_length(volume->name) + UNITS_PER_SLOT - 1) / UNITS_PER_SLOT;
    }
    if (result == SDSIM_FAT_OK) {
        result = sdsim_dir_reserve(volume, dir, long_slots + 1);
    }
    if (result == SDSIM_FAT_OK && long_slots != 0) {
        result = write_long_name(volume, dir, long_slots);
    }
    if (result == SDSIM_FAT_OK) {
        result = sdsim_dir_need(volume, dir);
    }
    if (result == SDSIM_FAT_OK) {
        uint8_t *entry = sdsim_window_change(volume, dir->offset);
        memset(entry, 0, SDSIM_SLOT);
        memcpy(entry, dir->name.bytes, 11);
        entry[SDSIM_ENTRY_CASE] = dir->name.flags & (SDSIM_NAME_LOWER_BODY | SDSIM_NAME_LOWER_EXT);
    }
    return result;
}
