/*
 * What stands in front of the files: partition table, boot sectors, FSINFO, the two FATs.
 */
#include <stdlib.h>
#include <string.h>

#include "fat/boot.h"
#include "fat/bytes.h"
#include "fat/gpt.h"
#include "fat/layout_internal.h"

/* What is of interest to nobody but a survey (Microsoft's FAT specification, section 3; exFAT
 * specification, 3.1). The state byte at 37 or 65 is that of Windows NT and Linux. */
enum {
    FAT16_STATE = 37,
    FAT16_SERIAL = 39,
    FAT32_MIRROR = 40,
    FAT32_STATE = 65,
    FAT32_SERIAL = 67,
    STATE_DIRTY = 0x01,
    STATE_MEDIA = 0x02,
    MIRROR_OFF = 0x80,
    EXFAT_DIRTY = 0x02,
    EXFAT_MEDIA = 0x04,
};

#define CHUNK_SECTORS 128u

static void add(struct sdsim_survey *survey, enum sdsim_finding_kind kind, uint32_t lba,
                uint64_t said, uint64_t found)
{
    sdsim_survey_find(
        survey, false,
        &(struct sdsim_finding){.kind = kind, .lba = lba, .said = said, .found = found});
}

/* ---- partition tables ---- */

/* Sum over all entries, for as far as they can be read. */
static uint32_t sum_entries(struct sdsim_survey *survey, const struct sdsim_gpt *gpt)
{
    uint8_t sector[SDSIM_SECTOR];
    uint32_t left = gpt->entry_count * gpt->entry_bytes;
    uint32_t sum = 0;
    for (uint32_t i = 0; left > 0; i++) {
        const uint32_t part = left < SDSIM_SECTOR ? left : SDSIM_SECTOR;
        if (!sdsim_survey_read(survey, gpt->entries_lba + i, 1, SDSIM_FOR_BOOT, sector)) {
            break;
        }
        sum = sdsim_gpt_sum(sum, sector, part);
        left -= part;
    }
    return sum;
}

static void check_gpt(struct sdsim_survey *survey, const struct sdsim_gpt *gpt)
{
    uint8_t sector[SDSIM_SECTOR];
    const uint32_t sectors = survey->disk->sectors;
    struct sdsim_gpt other;
    if (!gpt->sum_right || sum_entries(survey, gpt) != gpt->entries_sum) {
        add(survey, SDSIM_FINDING_GPT_SUM, 1, 0, 0);
    }
    if (gpt->other_lba >= sectors ||
        !sdsim_survey_read(survey, (uint32_t)gpt->other_lba, 1, SDSIM_FOR_BOOT, sector) ||
        !sdsim_gpt_header(sector, (uint32_t)gpt->other_lba, sectors, &other) || !other.sum_right) {
        add(survey, SDSIM_FINDING_GPT_BACKUP, 1, gpt->other_lba, 0);
    }
}

static void find_in_gpt(struct sdsim_survey *survey)
{
    struct sdsim_layout *layout = survey->layout;
    const uint32_t sectors = survey->disk->sectors;
    uint8_t sector[SDSIM_SECTOR];
    struct sdsim_gpt gpt;
    if (!sdsim_survey_read(survey, 1, 1, SDSIM_FOR_BOOT, sector) ||
        !sdsim_gpt_header(sector, 1, sectors, &gpt)) {
        return;
    }
    for (uint32_t i = 0; i < gpt.entry_count && layout->partition.number == 0; i++) {
        uint32_t start;
        uint32_t count;
        const uint32_t lba = sdsim_gpt_entry_lba(&gpt, i);
        if (sdsim_survey_read(survey, lba, 1, SDSIM_FOR_BOOT, sector) &&
            sdsim_gpt_partition(sector + sdsim_gpt_entry_offset(&gpt, i), sectors, &start,
                                &count) &&
            start == layout->geometry.start) {
            layout->partition = (struct sdsim_partition){
                .table = SDSIM_TABLE_GPT, .number = i + 1, .lba = lba, .sectors = count};
        }
    }
    check_gpt(survey, &gpt);
}

/* The entry that the volume was found through. */
static void find_partition(struct sdsim_survey *survey)
{
    struct sdsim_layout *layout = survey->layout;
    uint8_t sector[SDSIM_SECTOR];
    layout->partition.sectors = layout->device_sectors;
    if (layout->geometry.start == 0 || !sdsim_survey_read(survey, 0, 1, SDSIM_FOR_BOOT, sector)) {
        return;
    }
    bool protective = false;
    for (uint32_t i = 0; i < 4; i++) {
        const uint8_t *entry = sector + SDSIM_MBR_ENTRIES + i * SDSIM_MBR_ENTRY;
        protective = protective || entry[SDSIM_MBR_ENTRY_TYPE] == SDSIM_MBR_PROTECTIVE;
        if (sdsim_get32(entry + SDSIM_MBR_ENTRY_START) == layout->geometry.start &&
            layout->partition.number == 0) {
            layout->partition =
                (struct sdsim_partition){.table = SDSIM_TABLE_MBR,
                                         .number = i + 1,
                                         .type = entry[SDSIM_MBR_ENTRY_TYPE],
                                         .sectors = sdsim_get32(entry + SDSIM_MBR_ENTRY_SECTORS)};
        }
    }
    if (protective) {
        layout->partition = (struct sdsim_partition){.sectors = layout->device_sectors};
        find_in_gpt(survey);
    }
}

static void check_ends(struct sdsim_survey *survey)
{
    const struct sdsim_layout *layout = survey->layout;
    const struct sdsim_geometry *g = &layout->geometry;
    const uint64_t end = (uint64_t)g->start + g->sectors;
    if (end > layout->device_sectors) {
        add(survey, SDSIM_FINDING_TRUNCATED, g->start, end, layout->device_sectors);
    }
    if (layout->partition.table != SDSIM_TABLE_NONE && layout->partition.sectors < g->sectors) {
        add(survey, SDSIM_FINDING_PARTITION, layout->partition.lba, layout->partition.sectors,
            g->sectors);
    }
}

/* ---- boot sectors ---- */

static void note_state(struct sdsim_survey *survey, uint32_t lba, bool dirty, bool media)
{
    if (dirty) {
        add(survey, SDSIM_FINDING_DIRTY, lba, 0, 0);
    }
    if (media) {
        add(survey, SDSIM_FINDING_MEDIA_ERROR, lba, 0, 0);
    }
}

/* Entry 1 of a FAT16 or FAT32 has two bits that are 1 while all is well. */
static void check_fat_state(struct sdsim_survey *survey, uint8_t state)
{
    const struct sdsim_geometry *g = &survey->layout->geometry;
    uint8_t sector[SDSIM_SECTOR];
    const bool dirty = (state & STATE_DIRTY) != 0;
    const bool media = (state & STATE_MEDIA) != 0;
    note_state(survey, g->start, dirty, media);
    if (g->type != SDSIM_FAT12 &&
        sdsim_survey_read(survey, g->fat_start, 1, SDSIM_FOR_FAT, sector)) {
        const bool fat32 = g->type == SDSIM_FAT32;
        const uint32_t flags = fat32 ? sdsim_get32(sector + 4) >> 26 : sector[3] >> 6;
        note_state(survey, g->fat_start, !dirty && (flags & 2) == 0, !media && (flags & 1) == 0);
    }
}

static bool same_boot(const uint8_t *a, const uint8_t *b, uint32_t volatile_byte)
{
    return memcmp(a, b, volatile_byte) == 0 && memcmp(a + volatile_byte + 1, b + volatile_byte + 1,
                                                      SDSIM_SECTOR - volatile_byte - 1) == 0;
}

static void check_fat_boot(struct sdsim_survey *survey, const uint8_t *boot)
{
    struct sdsim_layout *layout = survey->layout;
    const bool fat32 = layout->geometry.type == SDSIM_FAT32;
    const uint32_t backup = sdsim_get16(boot + SDSIM_BOOT_FAT32_BACKUP);
    uint8_t copy[SDSIM_SECTOR];
    layout->serial = sdsim_get32(boot + (fat32 ? FAT32_SERIAL : FAT16_SERIAL));
    check_fat_state(survey, boot[fat32 ? FAT32_STATE : FAT16_STATE]);
    if (fat32 && backup != 0 && backup < layout->geometry.fat_start - layout->geometry.start &&
        sdsim_survey_read(survey, layout->geometry.start + backup, 1, SDSIM_FOR_BOOT, copy) &&
        !same_boot(boot, copy, FAT32_STATE)) {
        add(survey, SDSIM_FINDING_BOOT_BACKUP, layout->geometry.start + backup, 0, 0);
    }
}

/* Whether the boot region at `lba` has the sum that stands in its last sector. */
static bool region_is_sound(struct sdsim_survey *survey, uint32_t lba)
{
    uint8_t bytes[SDSIM_SECTOR];
    uint32_t sum = 0;
    for (uint32_t i = 0; i < SDSIM_EXFAT_REGION; i++) {
        if (!sdsim_survey_read(survey, lba + i, 1, SDSIM_FOR_BOOT, bytes)) {
            return false;
        }
        if (i < SDSIM_EXFAT_REGION - 1) {
            sum = sdsim_boot_sum_exfat(sum, bytes, i == 0);
        }
    }
    return sdsim_get32(bytes) == sum;
}

static void check_exfat_boot(struct sdsim_survey *survey, const uint8_t *boot)
{
    struct sdsim_layout *layout = survey->layout;
    const uint32_t start = layout->geometry.start;
    layout->serial = sdsim_get32(boot + SDSIM_EXFAT_SERIAL);
    note_state(survey, start, (boot[SDSIM_EXFAT_FLAGS] & EXFAT_DIRTY) != 0,
               (boot[SDSIM_EXFAT_FLAGS] & EXFAT_MEDIA) != 0);
    if (!region_is_sound(survey, start)) {
        add(survey, SDSIM_FINDING_BOOT_SUM, start, 0, 0);
    }
    if (!region_is_sound(survey, start + SDSIM_EXFAT_REGION)) {
        add(survey, SDSIM_FINDING_BOOT_BACKUP, start + SDSIM_EXFAT_REGION, 0, 0);
    }
}

/* ---- the two FATs ---- */

/* Compares a piece; counts sectors that differ and notes the first. */
static void compare_chunk(const uint8_t *a, const uint8_t *b, uint32_t count, uint32_t at,
                          uint32_t *first, uint32_t *differ)
{
    for (uint32_t i = 0; i < count; i++) {
        if (memcmp(a + i * SDSIM_SECTOR, b + i * SDSIM_SECTOR, SDSIM_SECTOR) != 0) {
            *first = *differ == 0 ? at + i : *first;
            ++*differ;
        }
    }
}

static void compare_fats(struct sdsim_survey *survey)
{
    const struct sdsim_geometry *g = &survey->layout->geometry;
    const uint32_t size = CHUNK_SECTORS * SDSIM_SECTOR;
    uint8_t *both = malloc(2 * (size_t)size);
    uint32_t first = 0;
    uint32_t differ = 0;
    if (both == NULL) {
        survey->no_memory = true;
        return;
    }
    for (uint32_t at = 0; at < g->fat_sectors; at += CHUNK_SECTORS) {
        const uint32_t left = g->fat_sectors - at;
        const uint32_t count = left < CHUNK_SECTORS ? left : CHUNK_SECTORS;
        const uint32_t lba = g->fat_start + at;
        if (!sdsim_survey_read(survey, lba, count, SDSIM_FOR_FAT, both) ||
            !sdsim_survey_read(survey, lba + g->fat_sectors, count, SDSIM_FOR_FAT, both + size)) {
            break;
        }
        if (memcmp(both, both + size, (size_t)count * SDSIM_SECTOR) != 0) {
            compare_chunk(both, both + size, count, at, &first, &differ);
        }
    }
    free(both);
    if (differ > 0) {
        add(survey, SDSIM_FINDING_FATS_DIFFER, g->fat_start + first, first, differ);
    }
}

void sdsim_survey_boot(struct sdsim_survey *survey)
{
    const struct sdsim_geometry *g = &survey->layout->geometry;
    uint8_t boot[SDSIM_SECTOR];
    find_partition(survey);
    check_ends(survey);
    if (!sdsim_survey_read(survey, g->start, 1, SDSIM_FOR_BOOT, boot)) {
        return;
    }
    if (g->type == SDSIM_EXFAT) {
        check_exfat_boot(survey, boot);
    } else {
        check_fat_boot(survey, boot);
    }
    const bool mirrored = g->type != SDSIM_FAT32 || (boot[FAT32_MIRROR] & MIRROR_OFF) == 0;
    if (g->fats == 2 && mirrored) {
        compare_fats(survey);
    }
}

/* ---- what is counted twice ---- */

static void check_fsinfo(struct sdsim_survey *survey)
{
    const struct sdsim_layout *layout = survey->layout;
    const uint32_t lba = layout->geometry.start + 1;
    uint8_t bytes[SDSIM_SECTOR];
    if (!sdsim_survey_read(survey, lba, 1, SDSIM_FOR_FSINFO, bytes)) {
        return;
    }
    if (memcmp(bytes + SDSIM_FSINFO_LEAD, "RRaA", 4) != 0 ||
        memcmp(bytes + SDSIM_FSINFO_STRUCT, "rrAa", 4) != 0 ||
        sdsim_get16(bytes + SDSIM_BOOT_SIGNATURE) != SDSIM_BOOT_MARK) {
        add(survey, SDSIM_FINDING_FSINFO, lba, 0, 0);
        return;
    }
    const uint32_t said = sdsim_get32(bytes + SDSIM_FSINFO_FREE);
    if (said != SDSIM_UNKNOWN && said != layout->space.free) {
        add(survey, SDSIM_FINDING_FREE_COUNT, lba, said, layout->space.free);
    }
}

/* Rounding is left to the writer: one percent more or less is no finding. */
static void check_percent(struct sdsim_survey *survey)
{
    const struct sdsim_layout *layout = survey->layout;
    uint8_t boot[SDSIM_SECTOR];
    if (!sdsim_survey_read(survey, layout->geometry.start, 1, SDSIM_FOR_BOOT, boot)) {
        return;
    }
    const uint32_t said = boot[SDSIM_EXFAT_PERCENT];
    const uint32_t found =
        (uint32_t)((uint64_t)layout->space.used * 100 / layout->geometry.clusters);
    if (said != 0xFF && said + 1 != found && said != found && said != found + 1) {
        add(survey, SDSIM_FINDING_PERCENT, layout->geometry.start, said, found);
    }
}

void sdsim_survey_summary(struct sdsim_survey *survey)
{
    const struct sdsim_geometry *g = &survey->layout->geometry;
    if (g->has_fsinfo) {
        check_fsinfo(survey);
    } else if (g->type == SDSIM_EXFAT && survey->has_bitmap) {
        check_percent(survey);
    }
    if (survey->unreadable > 0) {
        add(survey, SDSIM_FINDING_UNREADABLE, survey->unreadable_lba, survey->unreadable_lba,
            survey->unreadable);
    }
}
