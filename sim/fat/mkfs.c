#include "fat/mkfs.h"

#include <string.h>

#include "core/rng.h"
#include "fat/boot.h"
#include "fat/bytes.h"
#include "fat/mkfs_internal.h"

#define MIB_SECTORS 2048u

/* Cluster size and boundary unit by capacity, in sectors. */
static const struct capacity_class {
    uint64_t sectors_max;
    uint32_t cluster;
    uint32_t unit;
    enum sdsim_fat_type type; /* SDSIM_FAT16: FAT12 if it has few clusters */
} capacity_classes[] = {
    {8 * MIB_SECTORS, 16, 16, SDSIM_FAT16},     {64 * MIB_SECTORS, 32, 32, SDSIM_FAT16},
    {256 * MIB_SECTORS, 32, 64, SDSIM_FAT16},   {1024 * MIB_SECTORS, 32, 128, SDSIM_FAT16},
    {2048 * MIB_SECTORS, 64, 128, SDSIM_FAT16}, {32768ull * MIB_SECTORS, 64, 8192, SDSIM_FAT32},
    {UINT32_MAX, 256, 32768, SDSIM_EXFAT},
};

/* Clusters a volume of each type may have. One less than the limits of Microsoft's specification
 * and FatFs, which read the border cases differently. exFAT's limit is its 32-bit FAT. */
static const struct {
    uint32_t min;
    uint32_t max;
    uint32_t cluster_max; /* sectors */
} type_limits[] = {
    [SDSIM_FAT12] = {1, 4084, 128},
    [SDSIM_FAT16] = {4087, 65524, 128},
    [SDSIM_FAT32] = {65527, 0x0FFFFFF4, 128},
    [SDSIM_EXFAT] = {64, 0x7FFFFFFD, 65536},
};

bool sdsim_mkfs_put(struct sdsim_medium *medium, uint32_t lba, const uint8_t *bytes)
{
    const struct sdsim_content content = {.kind = SDSIM_CONTENT_BYTES, .bytes = bytes};
    return sdsim_medium_write(medium, lba, 1, &content);
}

bool sdsim_mkfs_zero(struct sdsim_medium *medium, uint32_t lba, uint32_t count)
{
    const struct sdsim_content content = {.kind = SDSIM_CONTENT_FILL, .fill = 0};
    return count == 0 || sdsim_medium_write(medium, lba, count, &content);
}

static const struct capacity_class *class_of(uint32_t sectors)
{
    const struct capacity_class *class = capacity_classes;
    while (sectors > class->sectors_max) {
        class ++;
    }
    return class;
}

static bool take_label(struct sdsim_mkfs_plan *plan, const char *label, struct sdsim_diags *diags)
{
    const size_t length = label != NULL ? strlen(label) : 0;
    bool good = length <= 11;
    for (size_t i = 0; i < length && good; i++) {
        const char c = label[i];
        good = c >= ' ' && c < 0x7F && strchr("\"*+,./:;<=>?[\\]|", c) == NULL;
        const bool lower = plan->type != SDSIM_EXFAT && c >= 'a' && c <= 'z';
        plan->label[i] = (char)(lower ? c - 0x20 : c);
    }
    if (!good) {
        sdsim_error(diags, NULL,
                    "volume label '%s' must be up to 11 ASCII characters without "
                    "\"*+,./:;<=>?[\\]|",
                    label);
    }
    return good;
}

static bool layout(struct sdsim_mkfs_plan *plan, uint32_t unit)
{
    return plan->type == SDSIM_EXFAT ? sdsim_mkfs_layout_exfat(plan, unit)
                                     : sdsim_mkfs_layout_fat(plan, unit);
}

/* A few clusters too many for the type are left out rather than doubling the size of all. */
static void leave_out_rest(struct sdsim_mkfs_plan *plan, uint32_t max)
{
    if (plan->clusters > max && plan->clusters - max <= max / 64) {
        plan->clusters = max;
        plan->sectors = plan->data_offset + max * plan->cluster_sectors;
    }
}

/* Lays the volume out; without a wish the cluster size is moved until the type is right. */
static bool fit_clusters(struct sdsim_mkfs_plan *plan, const struct sdsim_mkfs *wishes,
                         uint32_t unit, struct sdsim_diags *diags)
{
    const uint32_t min = type_limits[plan->type].min;
    const uint32_t max = type_limits[plan->type].max;
    bool fits = layout(plan, unit);
    leave_out_rest(plan, max);
    while (wishes->cluster_bytes == 0 && fits && plan->clusters > max &&
           plan->cluster_sectors < type_limits[plan->type].cluster_max) {
        plan->cluster_sectors *= 2;
        fits = layout(plan, unit);
        leave_out_rest(plan, max);
    }
    while (wishes->cluster_bytes == 0 && (!fits || plan->clusters < min) &&
           plan->cluster_sectors > 1) {
        plan->cluster_sectors /= 2;
        fits = layout(plan, unit);
    }
    const char *name = sdsim_fat_type_name(plan->type);
    if (!fits) {
        sdsim_error(diags, NULL, "the device is too small for %s", name);
        return false;
    }
    if (plan->clusters < min || plan->clusters > max) {
        sdsim_error(diags, NULL,
                    "%s needs %u to %u clusters, and %u-byte clusters make %u on this device", name,
                    min, max, plan->cluster_sectors * SDSIM_SECTOR, plan->clusters);
        return false;
    }
    return true;
}

static uint8_t mbr_type_of(const struct sdsim_mkfs_plan *plan)
{
    switch (plan->type) {
    case SDSIM_FAT12:
        return 0x01;
    case SDSIM_FAT16:
        return plan->sectors < 65536 ? 0x04 : 0x06;
    case SDSIM_FAT32:
        return 0x0C;
    default:
        return 0x07;
    }
}

/* Checks what needs no layout: cluster size and number of FATs. */
static bool check_wishes(const struct sdsim_mkfs *wishes, struct sdsim_diags *diags)
{
    const uint32_t bytes = wishes->cluster_bytes;
    if (bytes != 0 && (bytes < SDSIM_SECTOR || (bytes & (bytes - 1)) != 0)) {
        sdsim_error(diags, NULL, "cluster size %u is no power of two from 512 on", bytes);
        return false;
    }
    if (wishes->fats > 2) {
        sdsim_error(diags, NULL, "%u FATs: a volume has 1 or 2", wishes->fats);
        return false;
    }
    return true;
}

bool sdsim_mkfs_plan(struct sdsim_mkfs_plan *plan, const struct sdsim_mkfs *wishes,
                     uint32_t sectors, struct sdsim_diags *diags)
{
    if (!check_wishes(wishes, diags)) {
        return false;
    }
    const struct capacity_class *class = class_of(sectors);
    const bool automatic = wishes->type == SDSIM_FAT_UNMOUNTED;
    memset(plan, 0, sizeof *plan);
    plan->type = automatic ? class->type : wishes->type;
    if (plan->type == SDSIM_EXFAT && wishes->fats == 2) {
        sdsim_error(diags, NULL, "an exFAT volume has one FAT");
        return false;
    }
    plan->fats = plan->type == SDSIM_EXFAT ? 1 : wishes->fats != 0 ? wishes->fats : 2;
    plan->media = 0xF8;
    plan->serial = (uint32_t)sdsim_mix(wishes->seed);
    plan->start = wishes->no_partition ? 0 : class->unit;
    if (sectors <= plan->start) {
        sdsim_error(diags, NULL, "the device is too small for a partition");
        return false;
    }
    plan->partition = sectors - plan->start;
    const uint32_t cluster_max = type_limits[plan->type].cluster_max;
    plan->cluster_sectors = class->cluster < cluster_max ? class->cluster : cluster_max;
    if (wishes->cluster_bytes != 0) {
        plan->cluster_sectors = wishes->cluster_bytes / SDSIM_SECTOR;
    }
    if (plan->cluster_sectors > cluster_max) {
        sdsim_error(diags, NULL, "clusters of %uKiB are too large for %s: they have %uKiB at most",
                    wishes->cluster_bytes / 1024, sdsim_fat_type_name(plan->type),
                    cluster_max * SDSIM_SECTOR / 1024);
        return false;
    }
    if (automatic && plan->type == SDSIM_FAT16 && layout(plan, class->unit) &&
        plan->clusters < type_limits[SDSIM_FAT16].min) {
        plan->type = SDSIM_FAT12;
    }
    if (!take_label(plan, wishes->label, diags) ||
        !fit_clusters(plan, wishes, class->unit, diags)) {
        return false;
    }
    plan->mbr_type = mbr_type_of(plan);
    return true;
}

static bool write_mbr(struct sdsim_medium *medium, const struct sdsim_mkfs_plan *plan)
{
    uint8_t bytes[SDSIM_SECTOR] = {0};
    uint8_t *entry = bytes + SDSIM_MBR_ENTRIES;
    sdsim_put32(bytes + SDSIM_MBR_SERIAL, plan->serial);
    memcpy(entry + 1, "\xFE\xFF\xFF", 3); /* cylinder, head, sector: "see below" */
    entry[SDSIM_MBR_ENTRY_TYPE] = plan->mbr_type;
    memcpy(entry + 5, "\xFE\xFF\xFF", 3);
    sdsim_put32(entry + SDSIM_MBR_ENTRY_START, plan->start);
    sdsim_put32(entry + SDSIM_MBR_ENTRY_SECTORS, plan->partition);
    sdsim_put16(bytes + SDSIM_BOOT_SIGNATURE, SDSIM_BOOT_MARK);
    return sdsim_mkfs_put(medium, 0, bytes);
}

bool sdsim_mkfs_write(struct sdsim_medium *medium, const struct sdsim_mkfs_plan *plan)
{
    if (plan->start != 0 && !write_mbr(medium, plan)) {
        return false;
    }
    return plan->type == SDSIM_EXFAT ? sdsim_mkfs_write_exfat(medium, plan)
                                     : sdsim_mkfs_write_fat(medium, plan);
}

bool sdsim_mkfs(struct sdsim_medium *medium, const struct sdsim_mkfs *wishes,
                struct sdsim_diags *diags)
{
    struct sdsim_mkfs_plan plan;
    if (!sdsim_mkfs_plan(&plan, wishes, sdsim_medium_sectors(medium), diags)) {
        return false;
    }
    if (!sdsim_mkfs_write(medium, &plan)) {
        sdsim_error(diags, NULL, "out of memory");
        return false;
    }
    return true;
}
