/*
 * All directories, from the root down, each entry once.
 *
 * A directory is followed as a chain first, like a file, and then read cluster by cluster as far as
 * that chain went; so directories that contain themselves are met once and not entered again.
 */
#include <stdlib.h>
#include <string.h>

#include "core/utf8.h"
#include "fat/bytes.h"
#include "fat/dir_exfat.h"
#include "fat/dir_fat.h"
#include "fat/layout_internal.h"

#define LEVELS         128u
#define UNITS_PER_SLOT 13u
#define SECTORS_MAX    (1u << 19)
#define LAST_SLOT      0x40u /* marks the slot with the end of a long name, the first in order */

/* Types of exFAT slots (exFAT specification, section 7). */
enum {
    TYPE_BITMAP = 0x81,
    TYPE_UPCASE = 0x82,
    TYPE_LABEL = 0x83,
    TYPE_FILE = 0x85,
    TYPE_STREAM = 0xC0,
    TYPE_NAME = 0xC1,
    TYPE_IN_USE = 0x80,
    TYPE_SECONDARY = 0x40,
    STREAM_CONTIGUOUS = 0x02,
    SYSTEM_CLUSTER = 20, /* in bitmap and upcase entries */
    SYSTEM_SIZE = 24,
};

/* A directory being read. */
struct reader {
    uint32_t lba;      /* of the sector in `bytes` */
    uint32_t left;     /* sectors of this cluster (or fixed root) from `lba` on */
    uint32_t cluster;  /* 0: a fixed root */
    uint32_t clusters; /* of the directory that are still to come, behind this one */
    uint32_t sectors;  /* seen so far */
    bool contiguous;
    bool root;
    uint32_t offset; /* of the next slot in the sector */
    /* long name or entry set at hand */
    uint32_t expected;   /* FAT: ordinal of the next slot; exFAT: slots still missing */
    uint32_t slots;      /* seen of it */
    uint32_t set_length; /* exFAT, bytes */
    uint8_t sum;
    uint32_t begun_lba;  /* sector in which it begins */
    uint32_t faults;     /* ORPHANS or BROKEN_SET */
    uint32_t faults_lba; /* of the first */
    uint8_t bytes[SDSIM_SECTOR];
};

/* What an entry says, in the form all types share. */
struct entry {
    bool directory;
    bool contiguous;
    bool sized;
    uint32_t start;
    uint64_t size;
    uint64_t valid; /* exFAT */
};

static void walk(struct sdsim_survey *survey, struct reader *reader, uint32_t level);

/* ---- slots ---- */

/* The next sector of the directory; false at its end. */
static bool next_sector(struct sdsim_survey *survey, struct reader *reader)
{
    const struct sdsim_geometry *g = &survey->layout->geometry;
    if (--reader->left > 0) {
        reader->lba++;
        return true;
    }
    if (reader->clusters == 0) {
        return false;
    }
    uint32_t next = reader->cluster + 1;
    if (!reader->contiguous &&
        sdsim_survey_link(survey, reader->cluster, &next) != SDSIM_LINK_NEXT) {
        return false;
    }
    reader->clusters--;
    reader->cluster = next;
    reader->lba = sdsim_layout_lba(survey->layout, next);
    reader->left = g->cluster_sectors;
    return true;
}

/* The next slot; NULL at the end of the directory. Sectors that can't be read are passed over. No
 * directory is longer than exFAT's 256 MiB. */
static const uint8_t *next_slot(struct sdsim_survey *survey, struct reader *reader)
{
    while (reader->offset == SDSIM_SECTOR) {
        if (reader->sectors++ == SECTORS_MAX ||
            (reader->sectors > 1 && !next_sector(survey, reader))) {
            return NULL;
        }
        if (sdsim_survey_read(survey, reader->lba, 1, SDSIM_FOR_DIRECTORY, reader->bytes)) {
            reader->offset = 0;
        }
    }
    const uint8_t *slot = reader->bytes + reader->offset;
    reader->offset += SDSIM_SLOT;
    return slot;
}

/* ---- files ---- */

static uint64_t clusters_for(const struct sdsim_survey *survey, uint64_t size)
{
    const uint64_t bytes = (uint64_t)survey->layout->geometry.cluster_sectors * SDSIM_SECTOR;
    return size / bytes + (size % bytes != 0);
}

static bool copy_file(struct sdsim_survey *survey, const struct sdsim_layout_file *file,
                      struct sdsim_layout_file *copy)
{
    *copy = *file;
    copy->path = strdup(survey->path);
    survey->no_memory |= copy->path == NULL;
    return copy->path != NULL;
}

/* Keeps the files with the most fragments, sorted. */
static void rank_file(struct sdsim_survey *survey, const struct sdsim_layout_file *file)
{
    struct sdsim_layout_tree *tree = &survey->layout->tree;
    uint32_t place = tree->worst_count;
    while (place > 0 && tree->worst[place - 1].fragments < file->fragments) {
        place--;
    }
    struct sdsim_layout_file copy;
    if (place == SDSIM_LAYOUT_WORST || !copy_file(survey, file, &copy)) {
        return;
    }
    if (tree->worst_count == SDSIM_LAYOUT_WORST) {
        free(tree->worst[--tree->worst_count].path);
    }
    memmove(&tree->worst[place + 1], &tree->worst[place],
            (tree->worst_count - place) * sizeof tree->worst[0]);
    tree->worst[place] = copy;
    tree->worst_count++;
}

static void count_file(struct sdsim_survey *survey, const struct sdsim_layout_file *file)
{
    struct sdsim_layout_tree *tree = &survey->layout->tree;
    if (survey->hunting) {
        return;
    }
    if (file->directory) {
        tree->directories++;
        return;
    }
    tree->files++;
    tree->bytes += file->size;
    tree->file_clusters += file->clusters;
    tree->fragments += file->fragments;
    if (file->fragments > 1) {
        tree->fragmented_files++;
        rank_file(survey, file);
    }
}

/* Follows the chain of the file or directory at survey->path; returns how many clusters it has. */
static uint32_t take_file(struct sdsim_survey *survey, const struct entry *entry)
{
    struct sdsim_layout_chosen *chosen = &survey->layout->chosen;
    struct sdsim_survey_chain chain = {
        .start = entry->start,
        .contiguous = entry->contiguous,
        .sized = entry->sized,
        .wanted = entry->sized ? clusters_for(survey, entry->size) : 0,
    };
    survey->collecting = sdsim_survey_is_wanted(survey) && !chosen->found;
    sdsim_survey_follow(survey, &chain);
    const struct sdsim_layout_file file = {.directory = entry->directory,
                                           .contiguous = entry->contiguous,
                                           .size = entry->size,
                                           .clusters = chain.clusters,
                                           .fragments = chain.fragments};
    if (survey->collecting) {
        chosen->found = copy_file(survey, &file, &chosen->file);
        survey->collecting = false;
    }
    if (survey->path[1] != '\0') {
        count_file(survey, &file);
    }
    if (entry->valid > entry->size) {
        sdsim_survey_find(survey, true,
                          &(struct sdsim_finding){.kind = SDSIM_FINDING_VALID,
                                                  .lba = survey->entry_lba,
                                                  .said = entry->valid,
                                                  .found = entry->size});
    }
    return chain.clusters;
}

static void find_too_deep(struct sdsim_survey *survey)
{
    sdsim_survey_find(
        survey, true,
        &(struct sdsim_finding){.kind = SDSIM_FINDING_TOO_DEEP, .lba = survey->entry_lba});
}

/* A file or directory called `name` in the directory at survey->path, and all that is in it. */
static void take_entry(struct sdsim_survey *survey, const struct entry *entry, const char *name,
                       uint32_t level)
{
    const size_t length = strlen(survey->path);
    if (!sdsim_survey_push_name(survey, name)) {
        find_too_deep(survey);
        return;
    }
    const uint32_t clusters = take_file(survey, entry);
    if (entry->directory && clusters > 0) {
        struct reader reader = {.lba = sdsim_layout_lba(survey->layout, entry->start),
                                .left = survey->layout->geometry.cluster_sectors,
                                .cluster = entry->start,
                                .clusters = clusters - 1,
                                .contiguous = entry->contiguous,
                                .offset = SDSIM_SECTOR};
        walk(survey, &reader, level + 1);
    }
    survey->path[length] = '\0';
}

/* ---- FAT ---- */

/* Counts what is wrong with the directory; what begins in sector `lba`. */
static void count_faults(struct reader *reader, uint32_t lba, uint32_t count)
{
    reader->faults_lba = reader->faults == 0 ? lba : reader->faults_lba;
    reader->faults += count;
}

/* The slots of a long name at hand belong to no entry. */
static void drop_slots(struct reader *reader)
{
    if (reader->slots > 0) {
        count_faults(reader, reader->begun_lba, reader->slots);
        reader->slots = 0;
    }
}

/* Takes a slot of a long name; what doesn't continue the one at hand begins a new one. */
static void take_long_slot(struct sdsim_survey *survey, struct reader *reader, const uint8_t *slot)
{
    static const uint8_t offsets[UNITS_PER_SLOT] = {1, 3, 5, 7, 9, 14, 16, 18, 20, 22, 24, 28, 30};
    uint32_t ordinal = slot[0];
    if ((ordinal & LAST_SLOT) != 0) {
        drop_slots(reader);
        ordinal &= ~LAST_SLOT;
        reader->expected = ordinal;
        reader->sum = slot[13];
    }
    reader->begun_lba = reader->slots++ == 0 ? reader->lba : reader->begun_lba;
    if (ordinal == 0 || ordinal != reader->expected || reader->sum != slot[13] ||
        ordinal * UNITS_PER_SLOT > SDSIM_NAME_MAX + UNITS_PER_SLOT) {
        drop_slots(reader);
        reader->expected = 0;
        return;
    }
    uint16_t *units = survey->name + (ordinal - 1) * UNITS_PER_SLOT;
    for (uint32_t i = 0; i < UNITS_PER_SLOT; i++) {
        units[i] = sdsim_get16(slot + offsets[i]);
    }
    if ((slot[0] & LAST_SLOT) != 0) {
        units[UNITS_PER_SLOT] = 0;
    }
    reader->expected = ordinal - 1;
}

/* "NAME.EXT" from the 11 characters of a short entry, other than ASCII as '?'; in lower case where
 * the case byte says so. */
static void short_name(const uint8_t *slot, char out[13])
{
    const uint8_t flags = slot[SDSIM_ENTRY_CASE];
    size_t length = 0;
    for (uint32_t i = 0; i < 11; i++) {
        const bool lower = (flags & (i < 8 ? SDSIM_NAME_LOWER_BODY : SDSIM_NAME_LOWER_EXT)) != 0;
        uint8_t c = slot[i];
        if (c == ' ') {
            continue;
        }
        if (i >= 8 && memchr(out, '.', length) == NULL) {
            out[length++] = '.';
        }
        c = lower && c >= 'A' && c <= 'Z' ? (uint8_t)(c + 0x20) : c;
        out[length++] = c > ' ' && c < 0x7F ? (char)c : '?';
    }
    out[length] = '\0';
}

static void take_label(struct sdsim_survey *survey, const uint8_t *slot)
{
    char *label = survey->layout->label;
    for (uint32_t i = 0; i < 11; i++) {
        label[i] = slot[i] >= ' ' && slot[i] < 0x7F ? (char)slot[i] : '?';
    }
    size_t length = 11;
    while (length > 0 && label[length - 1] == ' ') {
        length--;
    }
    label[length] = '\0';
}

static void take_short_slot(struct sdsim_survey *survey, struct reader *reader, const uint8_t *slot,
                            uint32_t level)
{
    char name[SDSIM_NAME_MAX * 3 + 1];
    const struct sdsim_geometry *g = &survey->layout->geometry;
    const uint32_t high = g->type == SDSIM_FAT32 ? sdsim_get16(slot + SDSIM_ENTRY_CLUSTER_HIGH) : 0;
    const bool directory = (slot[SDSIM_ENTRY_ATTRIBUTES] & SDSIM_ATTR_DIRECTORY) != 0;
    const struct entry entry = {
        .directory = directory,
        .sized = !directory,
        .start = high << 16 | sdsim_get16(slot + SDSIM_ENTRY_CLUSTER_LOW),
        .size = directory ? 0 : sdsim_get32(slot + SDSIM_ENTRY_SIZE),
        .valid = 0,
    };
    if (reader->slots > 0 && reader->expected == 0 && reader->sum == sdsim_name_sum(slot)) {
        survey->name[SDSIM_NAME_MAX] = 0;
        sdsim_name_print(survey->name, name, sizeof name);
    } else {
        drop_slots(reader);
        short_name(slot, name);
    }
    reader->slots = 0;
    survey->entry_lba = reader->lba;
    take_entry(survey, &entry, name, level);
}

static void take_fat_slot(struct sdsim_survey *survey, struct reader *reader, const uint8_t *slot,
                          uint32_t level)
{
    const uint8_t attributes = slot[SDSIM_ENTRY_ATTRIBUTES] & SDSIM_ATTR_MASK;
    if (slot[0] != SDSIM_ENTRY_DELETED && attributes == SDSIM_ATTR_LONG_NAME) {
        take_long_slot(survey, reader, slot);
        return;
    }
    if (slot[0] != SDSIM_ENTRY_DELETED && (attributes & SDSIM_ATTR_VOLUME) == 0 && slot[0] != '.') {
        take_short_slot(survey, reader, slot, level);
        return;
    }
    if (slot[0] != SDSIM_ENTRY_DELETED && (attributes & SDSIM_ATTR_VOLUME) != 0 && reader->root) {
        take_label(survey, slot);
    }
    drop_slots(reader);
}

/* A directory begins with "." and "..", the root excepted. */
static bool is_dots(const uint8_t *slot, const char *name)
{
    return memcmp(slot, name, 11) == 0 &&
           (slot[SDSIM_ENTRY_ATTRIBUTES] & SDSIM_ATTR_DIRECTORY) != 0;
}

static void check_dots(struct sdsim_survey *survey, const struct reader *reader)
{
    if (!is_dots(reader->bytes, ".          ") ||
        !is_dots(reader->bytes + SDSIM_SLOT, "..         ")) {
        sdsim_survey_find(survey, true,
                          &(struct sdsim_finding){.kind = SDSIM_FINDING_NO_DOTS,
                                                  .lba = reader->lba,
                                                  .cluster = reader->cluster});
    }
}

/* ---- exFAT ---- */

static uint16_t sum_set(const uint8_t *set, uint32_t length)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < length; i++) {
        if (i != SDSIM_SET_SUM && i != SDSIM_SET_SUM + 1) {
            sum = (((sum >> 1 | sum << 15) & 0xFFFF) + set[i]) & 0xFFFF;
        }
    }
    return (uint16_t)sum;
}

/* The name in survey->set to survey->name; false if the set has no room for it. */
static bool set_name(struct sdsim_survey *survey, uint32_t length)
{
    const uint32_t units = survey->set[SDSIM_SET_NAME_LENGTH];
    const uint32_t slots = (units + 14) / 15;
    if (units == 0 || SDSIM_SET_NAMES + slots * SDSIM_SLOT > length) {
        return false;
    }
    for (uint32_t i = 0; i < units; i++) {
        const uint8_t *slot = survey->set + SDSIM_SET_NAMES + i / 15 * SDSIM_SLOT;
        if (slot[0] != TYPE_NAME) {
            return false;
        }
        survey->name[i] = sdsim_get16(slot + 2 + i % 15 * 2);
    }
    survey->name[units] = 0;
    return true;
}

/* A complete entry set in survey->set. False if it is none. */
static bool take_set(struct sdsim_survey *survey, const struct reader *reader, uint32_t level)
{
    const uint8_t *set = survey->set;
    const uint32_t length = reader->set_length;
    char name[SDSIM_NAME_MAX * 3 + 1];
    if (length < SDSIM_SET_NAMES + SDSIM_SLOT || set[SDSIM_SLOT] != TYPE_STREAM ||
        sum_set(set, length) != sdsim_get16(set + SDSIM_SET_SUM) || !set_name(survey, length)) {
        return false;
    }
    sdsim_name_print(survey->name, name, sizeof name);
    survey->entry_lba = reader->begun_lba;
    const struct entry entry = {
        .directory = (set[SDSIM_SET_ATTRIBUTES] & SDSIM_ATTR_DIRECTORY) != 0,
        .contiguous = (set[SDSIM_SET_FLAGS] & STREAM_CONTIGUOUS) != 0,
        .sized = true,
        .start = sdsim_get32(set + SDSIM_SET_CLUSTER),
        .size = sdsim_get64(set + SDSIM_SET_SIZE),
        .valid = sdsim_get64(set + SDSIM_SET_VALID_SIZE),
    };
    take_entry(survey, &entry, name, level);
    return true;
}

/* Bitmap and upcase table are chains on the FAT, known by no name. */
static void take_system(struct sdsim_survey *survey, const struct reader *reader,
                        const uint8_t *slot, const char *name)
{
    const struct entry entry = {.sized = true,
                                .start = sdsim_get32(slot + SYSTEM_CLUSTER),
                                .size = sdsim_get64(slot + SYSTEM_SIZE)};
    struct sdsim_survey_chain chain = {
        .start = entry.start, .sized = true, .wanted = clusters_for(survey, entry.size)};
    (void)strcpy(survey->path, name);
    survey->entry_lba = reader->lba;
    sdsim_survey_follow(survey, &chain);
    if (slot[0] == TYPE_BITMAP && chain.fragments > 1) {
        sdsim_survey_find(
            survey, false,
            &(struct sdsim_finding){.kind = SDSIM_FINDING_BITMAP_SPLIT,
                                    .lba = sdsim_survey_fat_lba(survey, chain.start)});
    }
    (void)strcpy(survey->path, "/");
}

static void take_exfat_label(struct sdsim_survey *survey, const uint8_t *slot)
{
    const uint32_t units = slot[1] < 11 ? slot[1] : 11;
    for (uint32_t i = 0; i < units; i++) {
        const uint16_t unit = sdsim_get16(slot + 2 + 2 * i);
        survey->name[i] = sdsim_utf8_is_control(unit) ? '?' : unit;
    }
    survey->name[units] = 0;
    sdsim_name_print(survey->name, survey->layout->label, sizeof survey->layout->label);
}

/* A set that was begun isn't finished. */
static void drop_set(struct reader *reader)
{
    if (reader->expected > 0) {
        count_faults(reader, reader->begun_lba, 1);
        reader->expected = 0;
    }
}

static void take_primary(struct sdsim_survey *survey, struct reader *reader, const uint8_t *slot)
{
    drop_set(reader);
    if (slot[0] == TYPE_FILE) {
        reader->begun_lba = reader->lba;
        reader->set_length = 0;
        reader->expected = slot[SDSIM_SET_SECONDARY] + 1u;
    } else if (reader->root && slot[0] == TYPE_BITMAP) {
        take_system(survey, reader, slot, "(allocation bitmap)");
    } else if (reader->root && slot[0] == TYPE_UPCASE) {
        take_system(survey, reader, slot, "(upcase table)");
    } else if (reader->root && slot[0] == TYPE_LABEL) {
        take_exfat_label(survey, slot);
    }
}

static void take_exfat_slot(struct sdsim_survey *survey, struct reader *reader, const uint8_t *slot,
                            uint32_t level)
{
    if ((slot[0] & TYPE_IN_USE) == 0 || (slot[0] & TYPE_SECONDARY) == 0) {
        take_primary(survey, reader, slot);
    }
    if (reader->expected == 0) {
        return;
    }
    if (reader->set_length == SDSIM_SET_MAX) {
        drop_set(reader);
        return;
    }
    memcpy(survey->set + reader->set_length, slot, SDSIM_SLOT);
    reader->set_length += SDSIM_SLOT;
    if (--reader->expected == 0) {
        if (!take_set(survey, reader, level)) {
            count_faults(reader, reader->begun_lba, 1);
        }
    }
}

/* ---- directories ---- */

/* Reads a directory to its first slot that was never used. */
static void walk(struct sdsim_survey *survey, struct reader *reader, uint32_t level)
{
    const bool exfat = survey->layout->geometry.type == SDSIM_EXFAT;
    const uint8_t *slot;
    if (level > LEVELS) {
        find_too_deep(survey);
        return;
    }
    while (!survey->no_memory && (slot = next_slot(survey, reader)) != NULL) {
        if (!exfat && !reader->root && reader->sectors == 1 && reader->offset == SDSIM_SLOT) {
            check_dots(survey, reader);
        }
        if (slot[0] == 0) {
            break;
        }
        if (exfat) {
            take_exfat_slot(survey, reader, slot, level);
        } else {
            take_fat_slot(survey, reader, slot, level);
        }
    }
    if (exfat) {
        drop_set(reader);
    } else {
        drop_slots(reader);
    }
    if (reader->faults > 0) {
        sdsim_survey_find(survey, true,
                          &(struct sdsim_finding){.kind = exfat ? SDSIM_FINDING_BROKEN_SET
                                                                : SDSIM_FINDING_ORPHANS,
                                                  .lba = reader->faults_lba,
                                                  .found = reader->faults});
    }
}

void sdsim_survey_tree(struct sdsim_survey *survey)
{
    const struct sdsim_geometry *g = &survey->layout->geometry;
    struct reader reader = {.root = true, .offset = SDSIM_SECTOR};
    (void)strcpy(survey->path, "/");
    survey->entry_lba = g->start;
    if (g->type == SDSIM_FAT12 || g->type == SDSIM_FAT16) {
        const struct entry entry = {.directory = true};
        (void)take_file(survey, &entry);
        reader.lba = g->root;
        reader.left = g->root_entries / 16;
    } else {
        const struct entry entry = {.directory = true, .start = g->root};
        const uint32_t clusters = take_file(survey, &entry);
        if (clusters == 0) {
            return;
        }
        reader.lba = sdsim_layout_lba(survey->layout, g->root);
        reader.left = g->cluster_sectors;
        reader.cluster = g->root;
        reader.clusters = clusters - 1;
    }
    walk(survey, &reader, 0);
}
