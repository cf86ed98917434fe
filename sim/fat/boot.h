/*
 * Boot sectors: where their fields lie, and the geometry they give a volume.
 *
 * Microsoft's FAT specification, section 3; exFAT specification, section 3.1; and the partition
 * table of the MBR. A geometry is accepted only if its parts fit into the volume and the FAT has an
 * entry for each cluster, so whoever uses it need not check again.
 */
#ifndef SDSIM_FAT_BOOT_H
#define SDSIM_FAT_BOOT_H

#include "fat/volume.h"

/* FAT12, FAT16 and FAT32; the type is a text that only tells people, and old tools. */
enum sdsim_boot_offset {
    SDSIM_BOOT_NAME = 3,
    SDSIM_BOOT_SECTOR_BYTES = 11,
    SDSIM_BOOT_CLUSTER_SECTORS = 13,
    SDSIM_BOOT_RESERVED = 14,
    SDSIM_BOOT_FATS = 16,
    SDSIM_BOOT_ROOT_ENTRIES = 17,
    SDSIM_BOOT_SECTORS_16 = 19,
    SDSIM_BOOT_MEDIA = 21,
    SDSIM_BOOT_FAT_SECTORS_16 = 22,
    SDSIM_BOOT_TRACK_SECTORS = 24,
    SDSIM_BOOT_HEADS = 26,
    SDSIM_BOOT_HIDDEN = 28, /* sectors in front of the volume */
    SDSIM_BOOT_SECTORS_32 = 32,
    SDSIM_BOOT_FAT_SECTORS_32 = 36,
    SDSIM_BOOT_FAT32_VERSION = 42,
    SDSIM_BOOT_FAT32_ROOT = 44,
    SDSIM_BOOT_FAT32_FSINFO = 48,
    SDSIM_BOOT_FAT32_BACKUP = 50,
    SDSIM_BOOT_FAT16_TYPE = 54,
    SDSIM_BOOT_FAT32_TYPE = 82,
    SDSIM_BOOT_SIGNATURE = 510,
};

/* What stands at SDSIM_BOOT_SIGNATURE in boot sectors, FSINFO and MBR. */
#define SDSIM_BOOT_MARK 0xAA55

enum sdsim_exfat_offset {
    SDSIM_EXFAT_START = 64, /* sector of the device */
    SDSIM_EXFAT_LENGTH = 72,
    SDSIM_EXFAT_FAT_OFFSET = 80,
    SDSIM_EXFAT_FAT_LENGTH = 84,
    SDSIM_EXFAT_DATA_OFFSET = 88,
    SDSIM_EXFAT_CLUSTERS = 92,
    SDSIM_EXFAT_ROOT = 96,
    SDSIM_EXFAT_SERIAL = 100,
    SDSIM_EXFAT_REVISION = 104,
    SDSIM_EXFAT_FLAGS = 106,
    SDSIM_EXFAT_SECTOR_SHIFT = 108,
    SDSIM_EXFAT_CLUSTER_SHIFT = 109,
    SDSIM_EXFAT_FATS = 110,
    SDSIM_EXFAT_DRIVE = 111,
    SDSIM_EXFAT_PERCENT = 112, /* of the clusters, in use */
    SDSIM_EXFAT_CODE = 120,
};

/* Sectors of a boot region of exFAT; the last is full of the sum of the others. */
#define SDSIM_EXFAT_REGION 12u

/* The sector in which FAT32 keeps its number of free clusters. */
enum sdsim_fsinfo_offset {
    SDSIM_FSINFO_LEAD = 0,     /* "RRaA" */
    SDSIM_FSINFO_STRUCT = 484, /* "rrAa" */
    SDSIM_FSINFO_FREE = 488,
    SDSIM_FSINFO_NEXT = 492,
};

/* The most clusters a volume of a type has, by the lines FatFs draws. */
#define SDSIM_FAT12_CLUSTERS_MAX 4085u
#define SDSIM_FAT16_CLUSTERS_MAX 65525u
#define SDSIM_FAT32_CLUSTERS_MAX 0x0FFFFFF5u
#define SDSIM_EXFAT_CLUSTERS_MAX 0x7FFFFFFDu

/* The four entries of a partition table, and the fields of one. */
enum sdsim_mbr_offset {
    SDSIM_MBR_SERIAL = 440,
    SDSIM_MBR_ENTRIES = 446,
    SDSIM_MBR_ENTRY = 16,
    SDSIM_MBR_ENTRY_ACTIVE = 0,
    SDSIM_MBR_ENTRY_TYPE = 4,
    SDSIM_MBR_ENTRY_START = 8,
    SDSIM_MBR_ENTRY_SECTORS = 12,
};

static inline bool sdsim_is_power_of_two(uint32_t n)
{
    return n != 0 && (n & (n - 1)) == 0;
}

/* FAT12, FAT16 or FAT32, by the number of clusters. `start` is the sector of the device that `boot`
 * was read from. False: no sound volume of 512-byte sectors. */
bool sdsim_boot_read_fat(struct sdsim_geometry *geometry, const uint8_t *boot, uint32_t start);

/* exFAT; bitmap_start is left to the caller. */
bool sdsim_boot_read_exfat(struct sdsim_geometry *geometry, const uint8_t *boot, uint32_t start);

/* Goes on with the sum of a boot region of exFAT over a sector; in the first one three bytes don't
 * count, since they change while the volume is in use. */
uint32_t sdsim_boot_sum_exfat(uint32_t sum, const uint8_t *bytes, bool first);

#endif
