#include <string.h>

#include "fat/boot.h"
#include "fat/bytes.h"
#include "fat/mkfs_internal.h"

#define RESERVED_MIN_FAT32 32u
#define RESERVED_MIN       1u
#define ROOT_ENTRIES       512u
#define SECTORS_MIN        128u /* FatFs takes a smaller FAT12 or FAT16 volume for none */
#define FSINFO_SECTOR      1u
#define BACKUP_SECTOR      6u
#define CLOCK              ((45u << 9 | 1u << 5 | 1u) << 16) /* 2025-01-01 00:00 */

static uint32_t round_up(uint32_t value, uint32_t unit)
{
    return (value + unit - 1) / unit * unit;
}

/* Sectors of a FAT for `clusters` clusters. */
static uint32_t fat_sectors_for(enum sdsim_fat_type type, uint32_t clusters)
{
    const uint64_t entries = (uint64_t)clusters + 2;
    const uint64_t bytes = type == SDSIM_FAT12   ? (entries * 3 + 1) / 2
                           : type == SDSIM_FAT16 ? entries * 2
                                                 : entries * 4;
    return (uint32_t)((bytes + SDSIM_SECTOR - 1) / SDSIM_SECTOR);
}

bool sdsim_mkfs_layout_fat(struct sdsim_mkfs_plan *plan, uint32_t unit)
{
    const bool fat32 = plan->type == SDSIM_FAT32;
    const uint32_t reserved = fat32 ? RESERVED_MIN_FAT32 : RESERVED_MIN;
    plan->root_entries = fat32 ? 0 : ROOT_ENTRIES;
    const uint32_t root_sectors = plan->root_entries / 16;
    plan->sectors = plan->partition;
    plan->fat_sectors = 1;
    if (plan->sectors < SECTORS_MIN) {
        return false;
    }
    for (;;) { /* a longer FAT leaves fewer clusters, so this settles */
        const uint64_t system =
            round_up(reserved + plan->fats * plan->fat_sectors + root_sectors, unit);
        if (system + plan->cluster_sectors > plan->sectors) {
            return false;
        }
        plan->data_offset = (uint32_t)system;
        plan->clusters = (plan->sectors - plan->data_offset) / plan->cluster_sectors;
        const uint32_t needed = fat_sectors_for(plan->type, plan->clusters);
        if (needed <= plan->fat_sectors) {
            break;
        }
        plan->fat_sectors = needed;
    }
    plan->fat_offset = plan->data_offset - root_sectors - plan->fats * plan->fat_sectors;
    return true;
}

/* The label as directories and boot sectors hold it: 11 characters, blanks behind. */
static void put_label(uint8_t *out, const char *label)
{
    memset(out, ' ', 11);
    memcpy(out, label, strlen(label));
}

/* The part of a boot sector that follows the common fields: at 36, or at 64 on FAT32. */
static void put_boot_tail(uint8_t *tail, const struct sdsim_mkfs_plan *plan)
{
    tail[0] = 0x80; /* drive number */
    tail[2] = 0x29; /* serial, label and type follow */
    sdsim_put32(tail + 3, plan->serial);
    put_label(tail + 7, plan->label[0] != '\0' ? plan->label : "NO NAME");
    char type[9] = "        ";
    memcpy(type, sdsim_fat_type_name(plan->type), 5);
    memcpy(tail + 18, type, 8);
}

static void make_boot(uint8_t *boot, const struct sdsim_mkfs_plan *plan)
{
    const bool fat32 = plan->type == SDSIM_FAT32;
    memset(boot, 0, SDSIM_SECTOR);
    memcpy(boot, fat32 ? "\xEB\x58\x90MSDOS5.0" : "\xEB\x3C\x90MSDOS5.0", 11);
    sdsim_put16(boot + SDSIM_BOOT_SECTOR_BYTES, SDSIM_SECTOR);
    boot[SDSIM_BOOT_CLUSTER_SECTORS] = (uint8_t)plan->cluster_sectors;
    sdsim_put16(boot + SDSIM_BOOT_RESERVED, plan->fat_offset);
    boot[SDSIM_BOOT_FATS] = plan->fats;
    sdsim_put16(boot + SDSIM_BOOT_ROOT_ENTRIES, plan->root_entries);
    const bool small = plan->sectors < 65536 && !fat32;
    sdsim_put16(boot + SDSIM_BOOT_SECTORS_16, small ? plan->sectors : 0);
    boot[SDSIM_BOOT_MEDIA] = plan->media;
    sdsim_put16(boot + SDSIM_BOOT_FAT_SECTORS_16, fat32 ? 0 : plan->fat_sectors);
    sdsim_put16(boot + SDSIM_BOOT_TRACK_SECTORS, 63);
    sdsim_put16(boot + SDSIM_BOOT_HEADS, 255);
    sdsim_put32(boot + SDSIM_BOOT_HIDDEN, plan->start);
    sdsim_put32(boot + SDSIM_BOOT_SECTORS_32, small ? 0 : plan->sectors);
    if (fat32) {
        sdsim_put32(boot + SDSIM_BOOT_FAT_SECTORS_32, plan->fat_sectors);
        sdsim_put32(boot + SDSIM_BOOT_FAT32_ROOT, 2); /* cluster */
        sdsim_put16(boot + SDSIM_BOOT_FAT32_FSINFO, FSINFO_SECTOR);
        sdsim_put16(boot + SDSIM_BOOT_FAT32_BACKUP, BACKUP_SECTOR);
    }
    put_boot_tail(boot + (fat32 ? 64 : 36), plan);
    sdsim_put16(boot + SDSIM_BOOT_SIGNATURE, SDSIM_BOOT_MARK);
}

static void make_fsinfo(uint8_t *bytes, const struct sdsim_mkfs_plan *plan)
{
    memset(bytes, 0, SDSIM_SECTOR);
    memcpy(bytes + SDSIM_FSINFO_LEAD, "RRaA", 4);
    memcpy(bytes + SDSIM_FSINFO_STRUCT, "rrAa", 4);
    sdsim_put32(bytes + SDSIM_FSINFO_FREE, plan->clusters - 1); /* free: all but the root's */
    sdsim_put32(bytes + SDSIM_FSINFO_NEXT, 2);                  /* last allocated */
    sdsim_put16(bytes + SDSIM_BOOT_SIGNATURE, SDSIM_BOOT_MARK);
}

/* Boot sector, on FAT32 with FSINFO and the copies of both; the rest of the reserved area is zero.
 */
static bool write_reserved(struct sdsim_medium *medium, const struct sdsim_mkfs_plan *plan)
{
    uint8_t boot[SDSIM_SECTOR];
    make_boot(boot, plan);
    bool good = sdsim_mkfs_zero(medium, plan->start, plan->data_offset) &&
                sdsim_mkfs_put(medium, plan->start, boot);
    if (good && plan->type == SDSIM_FAT32) {
        uint8_t fsinfo[SDSIM_SECTOR];
        make_fsinfo(fsinfo, plan);
        good = sdsim_mkfs_put(medium, plan->start + FSINFO_SECTOR, fsinfo) &&
               sdsim_mkfs_put(medium, plan->start + BACKUP_SECTOR, boot) &&
               sdsim_mkfs_put(medium, plan->start + BACKUP_SECTOR + FSINFO_SECTOR, fsinfo);
    }
    return good;
}

/* Entries 0 and 1 are no clusters; on FAT32 entry 2 is the root directory. */
static bool write_fats(struct sdsim_medium *medium, const struct sdsim_mkfs_plan *plan)
{
    uint8_t bytes[SDSIM_SECTOR] = {0};
    switch (plan->type) {
    case SDSIM_FAT12:
        sdsim_put16(bytes, 0xFF00u | plan->media);
        bytes[2] = 0xFF;
        break;
    case SDSIM_FAT16:
        sdsim_put32(bytes, 0xFFFFFF00u | plan->media);
        break;
    default:
        sdsim_put32(bytes, 0x0FFFFF00u | plan->media);
        sdsim_put32(bytes + 4, 0x0FFFFFFF);
        sdsim_put32(bytes + 8, 0x0FFFFFFF);
        break;
    }
    bool good = true;
    for (uint32_t i = 0; i < plan->fats && good; i++) {
        good =
            sdsim_mkfs_put(medium, plan->start + plan->fat_offset + i * plan->fat_sectors, bytes);
    }
    return good;
}

bool sdsim_mkfs_write_fat(struct sdsim_medium *medium, const struct sdsim_mkfs_plan *plan)
{
    const bool fat32 = plan->type == SDSIM_FAT32;
    const uint32_t root = plan->start + plan->data_offset - plan->root_entries / 16;
    const uint32_t root_sectors = fat32 ? plan->cluster_sectors : 0;
    bool good = write_reserved(medium, plan) && write_fats(medium, plan) &&
                sdsim_mkfs_zero(medium, root, root_sectors);
    if (good && plan->label[0] != '\0') {
        uint8_t bytes[SDSIM_SECTOR] = {0};
        put_label(bytes, plan->label);
        bytes[11] = 0x08; /* volume label */
        sdsim_put32(bytes + 22, CLOCK);
        good = sdsim_mkfs_put(medium, root, bytes);
    }
    return good;
}
