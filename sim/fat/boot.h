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

enum sdsim_boot_offset {
    SDSIM_BOOT_SECTOR_BYTES = 11,
    SDSIM_BOOT_CLUSTER_SECTORS = 13,
    SDSIM_BOOT_RESERVED = 14,
    SDSIM_BOOT_FATS = 16,
    SDSIM_BOOT_ROOT_ENTRIES = 17,
    SDSIM_BOOT_SECTORS_16 = 19,
    SDSIM_BOOT_FAT_SECTORS_16 = 22,
    SDSIM_BOOT_SECTORS_32 = 32,
    SDSIM_BOOT_FAT_SECTORS_32 = 36,
    SDSIM_BOOT_FAT32_VERSION = 42,
    SDSIM_BOOT_FAT32_ROOT = 44,
    SDSIM_BOOT_FAT32_FSINFO = 48,
    SDSIM_BOOT_FAT32_TYPE = 82,
    SDSIM_BOOT_SIGNATURE = 510,
};

/* The four entries of a partition table, and the fields of one. */
enum sdsim_mbr_offset {
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

/* FAT12, FAT16 or FAT32, by the number of clusters as FatFs draws the lines (at 4085 and 65525
 * clusters). `start` is the sector of the device that `boot` was read from. False: no sound volume
 * of 512-byte sectors. */
bool sdsim_boot_read_fat(struct sdsim_geometry *geometry, const uint8_t *boot, uint32_t start);

/* exFAT; bitmap_start is left to the caller. */
bool sdsim_boot_read_exfat(struct sdsim_geometry *geometry, const uint8_t *boot, uint32_t start);

#endif
