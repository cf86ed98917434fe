#include "fat/boot.h"

#include "fat/bytes.h"

/* Sectors of a FAT with an entry for each cluster. */
static uint64_t fat_sectors_needed(enum sdsim_fat_type type, uint32_t clusters)
{
    const uint64_t entries = (uint64_t)clusters + 2;
    const uint64_t bytes = type == SDSIM_FAT12   ? (entries * 3 + 1) / 2
                           : type == SDSIM_FAT16 ? entries * 2
                                                 : entries * 4;
    return (bytes + SDSIM_SECTOR - 1) / SDSIM_SECTOR;
}

bool sdsim_boot_read_fat(struct sdsim_geometry *g, const uint8_t *boot, uint32_t start)
{
    const uint32_t fat16 = sdsim_get16(boot + SDSIM_BOOT_FAT_SECTORS_16);
    const uint32_t sectors16 = sdsim_get16(boot + SDSIM_BOOT_SECTORS_16);
    const uint32_t reserved = sdsim_get16(boot + SDSIM_BOOT_RESERVED);
    g->start = start;
    g->fats = boot[SDSIM_BOOT_FATS];
    g->cluster_sectors = boot[SDSIM_BOOT_CLUSTER_SECTORS];
    g->root_entries = sdsim_get16(boot + SDSIM_BOOT_ROOT_ENTRIES);
    g->fat_sectors = fat16 != 0 ? fat16 : sdsim_get32(boot + SDSIM_BOOT_FAT_SECTORS_32);
    g->sectors = sectors16 != 0 ? sectors16 : sdsim_get32(boot + SDSIM_BOOT_SECTORS_32);
    if (sdsim_get16(boot + SDSIM_BOOT_SECTOR_BYTES) != SDSIM_SECTOR ||
        (g->fats != 1 && g->fats != 2) || !sdsim_is_power_of_two(g->cluster_sectors) ||
        g->root_entries % 16 != 0 || reserved == 0) {
        return false;
    }
    const uint64_t root_sectors = g->root_entries / 16;
    const uint64_t system = reserved + (uint64_t)g->fat_sectors * g->fats + root_sectors;
    if (g->sectors < system || (uint64_t)start + g->sectors > UINT32_MAX) {
        return false;
    }
    g->clusters = (uint32_t)((g->sectors - system) / g->cluster_sectors);
    if (g->clusters == 0 || g->clusters > SDSIM_FAT32_CLUSTERS_MAX) {
        return false;
    }
    g->type = g->clusters <= SDSIM_FAT12_CLUSTERS_MAX   ? SDSIM_FAT12
              : g->clusters <= SDSIM_FAT16_CLUSTERS_MAX ? SDSIM_FAT16
                                                        : SDSIM_FAT32;
    g->fat_start = start + reserved;
    g->data_start = start + (uint32_t)system;
    const bool fat32 = g->type == SDSIM_FAT32;
    g->root =
        fat32 ? sdsim_get32(boot + SDSIM_BOOT_FAT32_ROOT) : g->fat_start + g->fat_sectors * g->fats;
    if (fat32 && sdsim_get16(boot + SDSIM_BOOT_FAT32_VERSION) != 0) {
        return false;
    }
    g->has_fsinfo = fat32 && sdsim_get16(boot + SDSIM_BOOT_FAT32_FSINFO) == 1;
    return fat32 == (g->root_entries == 0) &&
           g->fat_sectors >= fat_sectors_needed(g->type, g->clusters);
}

bool sdsim_boot_read_exfat(struct sdsim_geometry *g, const uint8_t *boot, uint32_t start)
{
    for (uint32_t i = SDSIM_BOOT_SECTOR_BYTES; i < 64; i++) {
        if (boot[i] != 0) {
            return false;
        }
    }
    const uint64_t length = sdsim_get64(boot + SDSIM_EXFAT_LENGTH);
    if (sdsim_get16(boot + SDSIM_EXFAT_REVISION) != 0x0100 || boot[SDSIM_EXFAT_SECTOR_SHIFT] != 9 ||
        boot[SDSIM_EXFAT_FATS] != 1 || boot[SDSIM_EXFAT_CLUSTER_SHIFT] > 16 ||
        length > UINT32_MAX - (uint64_t)start) {
        return false;
    }
    const uint32_t fat_offset = sdsim_get32(boot + SDSIM_EXFAT_FAT_OFFSET);
    const uint32_t data_offset = sdsim_get32(boot + SDSIM_EXFAT_DATA_OFFSET);
    g->type = SDSIM_EXFAT;
    g->start = start;
    g->fats = 1;
    g->sectors = (uint32_t)length;
    g->cluster_sectors = 1u << boot[SDSIM_EXFAT_CLUSTER_SHIFT];
    g->clusters = sdsim_get32(boot + SDSIM_EXFAT_CLUSTERS);
    g->fat_sectors = sdsim_get32(boot + SDSIM_EXFAT_FAT_LENGTH);
    g->root = sdsim_get32(boot + SDSIM_EXFAT_ROOT);
    if (g->clusters == 0 || g->clusters > SDSIM_EXFAT_CLUSTERS_MAX || data_offset > g->sectors ||
        fat_offset > data_offset || g->fat_sectors > data_offset - fat_offset ||
        g->fat_sectors < fat_sectors_needed(SDSIM_EXFAT, g->clusters) ||
        (uint64_t)g->clusters * g->cluster_sectors > g->sectors - data_offset || g->root < 2 ||
        g->root >= g->clusters + 2) {
        return false;
    }
    g->fat_start = start + fat_offset;
    g->data_start = start + data_offset;
    return true;
}

uint32_t sdsim_boot_sum_exfat(uint32_t sum, const uint8_t *bytes, bool first)
{
    for (uint32_t i = 0; i < SDSIM_SECTOR; i++) {
        const bool changes =
            i == SDSIM_EXFAT_FLAGS || i == SDSIM_EXFAT_FLAGS + 1 || i == SDSIM_EXFAT_PERCENT;
        if (!first || !changes) {
            sum = (sum >> 1 | sum << 31) + bytes[i];
        }
    }
    return sum;
}
