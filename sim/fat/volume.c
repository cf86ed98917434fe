#include "fat/volume.h"

#include <string.h>

#include "fat/bytes.h"
#include "fat/gpt.h"
#include "fat/window.h"

/* Offsets in boot sectors (Microsoft's FAT specification, section 3; exFAT specification, 3.1) and
 * in the MBR. */
enum {
    BOOT_SECTOR_BYTES = 11,
    BOOT_CLUSTER_SECTORS = 13,
    BOOT_RESERVED = 14,
    BOOT_FATS = 16,
    BOOT_ROOT_ENTRIES = 17,
    BOOT_SECTORS_16 = 19,
    BOOT_FAT_SECTORS_16 = 22,
    BOOT_SECTORS_32 = 32,
    BOOT_FAT_SECTORS_32 = 36,
    BOOT_FAT32_VERSION = 42,
    BOOT_FAT32_ROOT = 44,
    BOOT_FAT32_FSINFO = 48,
    BOOT_FAT32_TYPE = 82,
    BOOT_SIGNATURE = 510,
    EXFAT_LENGTH = 72,
    EXFAT_FAT_OFFSET = 80,
    EXFAT_FAT_LENGTH = 84,
    EXFAT_DATA_OFFSET = 88,
    EXFAT_CLUSTERS = 92,
    EXFAT_ROOT = 96,
    EXFAT_REVISION = 104,
    EXFAT_SECTOR_SHIFT = 108,
    EXFAT_CLUSTER_SHIFT = 109,
    EXFAT_FATS = 110,
    MBR_ENTRIES = 446,
    MBR_ENTRY = 16,
    MBR_ENTRY_TYPE = 4,
    MBR_ENTRY_START = 8,
    BITMAP_TYPE = 0x81,
    BITMAP_CLUSTER = 20,
};

#define FAT12_CLUSTERS_MAX 4085u
#define FAT16_CLUSTERS_MAX 65525u
#define FAT32_CLUSTERS_MAX 0x0FFFFFF5u
#define EXFAT_CLUSTERS_MAX 0x7FFFFFFDu

/* What a sector 0 turned out to be. */
enum boot_kind {
    BOOT_FAT,
    BOOT_EXFAT,
    BOOT_OTHER, /* signed, but no volume: perhaps an MBR */
    BOOT_UNSIGNED,
    BOOT_FAILED,
};

struct sdsim_volume_config sdsim_volume_config_esp_idf(void)
{
    return (struct sdsim_volume_config){
        .exfat = true,
        .trim = true,
        .since_r015a = true,
        .long_names = SDSIM_LFN_HEAP,
        .append = SDSIM_APPEND_SEEKS_EACH_WRITE,
    };
}

struct sdsim_volume_config sdsim_volume_config_circuitpython(void)
{
    return (struct sdsim_volume_config){
        .tiny = true,
        .exfat = true,
        .fast_seek = true,
        .unlink_stats_first = true,
        .rename_stats_first = true,
        .long_names = SDSIM_LFN_STATIC,
        .append = SDSIM_APPEND_SEEKS_AT_OPEN,
    };
}

const char *sdsim_fat_type_name(enum sdsim_fat_type type)
{
    static const char *const names[] = {"none", "FAT12", "FAT16", "FAT32", "exFAT"};
    return names[type];
}

static bool power_of_two(uint32_t n)
{
    return n != 0 && (n & (n - 1)) == 0;
}

/* A boot sector of early DOS has no type string: it is known by sound values in its fields. */
static bool looks_like_fat(const uint8_t *boot)
{
    const uint32_t sector = sdsim_get16(boot + BOOT_SECTOR_BYTES);
    const uint8_t fats = boot[BOOT_FATS];
    return power_of_two(sector) && sector >= 512 && sector <= 4096 &&
           power_of_two(boot[BOOT_CLUSTER_SECTORS]) && sdsim_get16(boot + BOOT_RESERVED) != 0 &&
           (fats == 1 || fats == 2) && sdsim_get16(boot + BOOT_ROOT_ENTRIES) != 0 &&
           (sdsim_get16(boot + BOOT_SECTORS_16) >= 128 ||
            sdsim_get32(boot + BOOT_SECTORS_32) >= 0x10000) &&
           sdsim_get16(boot + BOOT_FAT_SECTORS_16) != 0;
}

static enum boot_kind check_boot(struct sdsim_volume *volume, uint32_t lba)
{
    sdsim_sector_reset(&volume->window);
    if (sdsim_window_need(volume, lba, SDSIM_FOR_BOOT) != SDSIM_FAT_OK) {
        return BOOT_FAILED;
    }
    const uint8_t *boot = sdsim_window_at(volume, 0);
    const bool is_signed = sdsim_get16(boot + BOOT_SIGNATURE) == 0xAA55;
    if (is_signed && memcmp(boot,
                            "\xEB\x76\x90"
                            "EXFAT   ",
                            11) == 0) {
        return BOOT_EXFAT;
    }
    if (boot[0] == 0xEB || boot[0] == 0xE9 || boot[0] == 0xE8) {
        if (is_signed && memcmp(boot + BOOT_FAT32_TYPE, "FAT32   ", 8) == 0) {
            return BOOT_FAT;
        }
        if (looks_like_fat(boot)) {
            return BOOT_FAT;
        }
    }
    return is_signed ? BOOT_OTHER : BOOT_UNSIGNED;
}

/* The first GPT partition that is a volume; BOOT_OTHER if there is no table. */
static enum boot_kind find_gpt_boot(struct sdsim_volume *volume, uint32_t *start)
{
    const uint32_t sectors = volume->disk->sectors;
    struct sdsim_gpt gpt;
    if (sdsim_window_need(volume, 1, SDSIM_FOR_BOOT) != SDSIM_FAT_OK) {
        return BOOT_FAILED;
    }
    if (!sdsim_gpt_header(sdsim_window_at(volume, 0), 1, sectors, &gpt)) {
        return BOOT_OTHER;
    }
    for (uint32_t i = 0; i < gpt.entry_count; i++) {
        if (sdsim_window_need(volume, sdsim_gpt_entry_lba(&gpt, i), SDSIM_FOR_BOOT) !=
            SDSIM_FAT_OK) {
            return BOOT_FAILED;
        }
        uint32_t count;
        if (!sdsim_gpt_partition(sdsim_window_at(volume, sdsim_gpt_entry_offset(&gpt, i)), sectors,
                                 start, &count)) {
            continue;
        }
        const enum boot_kind kind = check_boot(volume, *start);
        if (kind == BOOT_FAT || kind == BOOT_EXFAT) {
            return kind;
        }
    }
    return BOOT_OTHER;
}

/* Sector 0 if it is a volume, else the first partition that is one. */
static enum boot_kind find_boot(struct sdsim_volume *volume, uint32_t *start)
{
    *start = 0;
    enum boot_kind kind = check_boot(volume, 0);
    if (kind != BOOT_OTHER) {
        return kind;
    }
    uint32_t starts[4];
    bool protective = false;
    for (uint32_t i = 0; i < 4; i++) {
        const uint8_t *entry = sdsim_window_at(volume, MBR_ENTRIES + i * MBR_ENTRY);
        starts[i] = sdsim_get32(entry + MBR_ENTRY_START);
        protective = protective || entry[MBR_ENTRY_TYPE] == SDSIM_MBR_PROTECTIVE;
    }
    if (protective && volume->config.gpt) {
        return find_gpt_boot(volume, start);
    }
    bool failed = false; /* better said than "no file system" if nothing else is found */
    for (uint32_t i = 0; i < 4; i++) {
        *start = starts[i];
        kind = starts[i] != 0 ? check_boot(volume, starts[i]) : BOOT_UNSIGNED;
        if (kind == BOOT_FAT || kind == BOOT_EXFAT) {
            return kind;
        }
        failed = failed || (kind == BOOT_FAILED && starts[i] < volume->disk->sectors);
    }
    return failed ? BOOT_FAILED : kind;
}

/* Sectors of a FAT with an entry for each cluster. */
static uint64_t fat_sectors_needed(enum sdsim_fat_type type, uint32_t clusters)
{
    const uint64_t entries = (uint64_t)clusters + 2;
    const uint64_t bytes = type == SDSIM_FAT12   ? (entries * 3 + 1) / 2
                           : type == SDSIM_FAT16 ? entries * 2
                                                 : entries * 4;
    return (bytes + SDSIM_SECTOR - 1) / SDSIM_SECTOR;
}

static bool read_fat_geometry(struct sdsim_geometry *g, const uint8_t *boot, uint32_t start)
{
    const uint32_t fat16 = sdsim_get16(boot + BOOT_FAT_SECTORS_16);
    const uint32_t sectors16 = sdsim_get16(boot + BOOT_SECTORS_16);
    const uint32_t reserved = sdsim_get16(boot + BOOT_RESERVED);
    g->start = start;
    g->fats = boot[BOOT_FATS];
    g->cluster_sectors = boot[BOOT_CLUSTER_SECTORS];
    g->root_entries = sdsim_get16(boot + BOOT_ROOT_ENTRIES);
    g->fat_sectors = fat16 != 0 ? fat16 : sdsim_get32(boot + BOOT_FAT_SECTORS_32);
    g->sectors = sectors16 != 0 ? sectors16 : sdsim_get32(boot + BOOT_SECTORS_32);
    if (sdsim_get16(boot + BOOT_SECTOR_BYTES) != SDSIM_SECTOR || (g->fats != 1 && g->fats != 2) ||
        !power_of_two(g->cluster_sectors) || g->root_entries % 16 != 0 || reserved == 0) {
        return false;
    }
    const uint64_t root_sectors = g->root_entries / 16;
    const uint64_t system = reserved + (uint64_t)g->fat_sectors * g->fats + root_sectors;
    if (g->sectors < system || (uint64_t)start + g->sectors > UINT32_MAX) {
        return false;
    }
    g->clusters = (uint32_t)((g->sectors - system) / g->cluster_sectors);
    if (g->clusters == 0 || g->clusters > FAT32_CLUSTERS_MAX) {
        return false;
    }
    g->type = g->clusters <= FAT12_CLUSTERS_MAX   ? SDSIM_FAT12
              : g->clusters <= FAT16_CLUSTERS_MAX ? SDSIM_FAT16
                                                  : SDSIM_FAT32;
    g->fat_start = start + reserved;
    g->data_start = start + (uint32_t)system;
    const bool fat32 = g->type == SDSIM_FAT32;
    g->root = fat32 ? sdsim_get32(boot + BOOT_FAT32_ROOT) : g->fat_start + g->fat_sectors * g->fats;
    if (fat32 && sdsim_get16(boot + BOOT_FAT32_VERSION) != 0) {
        return false;
    }
    g->has_fsinfo = fat32 && sdsim_get16(boot + BOOT_FAT32_FSINFO) == 1;
    return fat32 == (g->root_entries == 0) &&
           g->fat_sectors >= fat_sectors_needed(g->type, g->clusters);
}

static void read_fsinfo(struct sdsim_volume *volume)
{
    const uint32_t lba = volume->geometry.start + 1;
    if (sdsim_window_need(volume, lba, SDSIM_FOR_FSINFO) != SDSIM_FAT_OK) {
        return;
    }
    volume->keeps_summary = true;
    const uint8_t *bytes = sdsim_window_at(volume, 0);
    if (sdsim_get16(bytes + BOOT_SIGNATURE) != 0xAA55 || memcmp(bytes, "RRaA", 4) != 0 ||
        memcmp(bytes + 484, "rrAa", 4) != 0) {
        return;
    }
    if (!volume->config.distrust_free_count) {
        volume->free_clusters = sdsim_get32(bytes + 488);
    }
    if (!volume->config.distrust_hint) {
        volume->hint = sdsim_get32(bytes + 492);
    }
}

static enum sdsim_fat_result mount_fat(struct sdsim_volume *volume, uint32_t start)
{
    struct sdsim_geometry geometry = {0};
    if (!read_fat_geometry(&geometry, sdsim_window_at(volume, 0), start)) {
        return SDSIM_FAT_NO_FILE_SYSTEM;
    }
    volume->geometry = geometry;
    const bool wanted = !volume->config.distrust_free_count || !volume->config.distrust_hint;
    if (geometry.has_fsinfo && wanted) {
        read_fsinfo(volume);
    }
    return SDSIM_FAT_OK;
}

static bool read_exfat_geometry(struct sdsim_geometry *g, const uint8_t *boot, uint32_t start)
{
    for (uint32_t i = BOOT_SECTOR_BYTES; i < 64; i++) {
        if (boot[i] != 0) {
            return false;
        }
    }
    const uint64_t length = sdsim_get64(boot + EXFAT_LENGTH);
    if (sdsim_get16(boot + EXFAT_REVISION) != 0x0100 || boot[EXFAT_SECTOR_SHIFT] != 9 ||
        boot[EXFAT_FATS] != 1 || boot[EXFAT_CLUSTER_SHIFT] > 16 ||
        length > UINT32_MAX - (uint64_t)start) {
        return false;
    }
    const uint32_t fat_offset = sdsim_get32(boot + EXFAT_FAT_OFFSET);
    const uint32_t data_offset = sdsim_get32(boot + EXFAT_DATA_OFFSET);
    g->type = SDSIM_EXFAT;
    g->start = start;
    g->fats = 1;
    g->sectors = (uint32_t)length;
    g->cluster_sectors = 1u << boot[EXFAT_CLUSTER_SHIFT];
    g->clusters = sdsim_get32(boot + EXFAT_CLUSTERS);
    g->fat_sectors = sdsim_get32(boot + EXFAT_FAT_LENGTH);
    g->root = sdsim_get32(boot + EXFAT_ROOT);
    if (g->clusters == 0 || g->clusters > EXFAT_CLUSTERS_MAX || data_offset > g->sectors ||
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

/* Looks through the first cluster of the root directory for the bitmap's entry. */
static enum sdsim_fat_result find_bitmap(struct sdsim_volume *volume, uint32_t *cluster)
{
    const struct sdsim_geometry *g = &volume->geometry;
    const uint32_t root = sdsim_cluster_lba(volume, g->root);
    for (uint32_t sector = 0; sector < g->cluster_sectors; sector++) {
        const enum sdsim_fat_result result =
            sdsim_window_need(volume, root + sector, SDSIM_FOR_DIRECTORY);
        if (result != SDSIM_FAT_OK) {
            return result;
        }
        const uint8_t *bytes = sdsim_window_at(volume, 0);
        for (uint32_t at = 0; at < SDSIM_SECTOR; at += 32) {
            if (bytes[at] == BITMAP_TYPE) {
                *cluster = sdsim_get32(bytes + at + BITMAP_CLUSTER);
                return sdsim_cluster_valid(volume, *cluster) ? SDSIM_FAT_OK
                                                             : SDSIM_FAT_NO_FILE_SYSTEM;
            }
        }
    }
    return SDSIM_FAT_NO_FILE_SYSTEM;
}

static enum sdsim_fat_result mount_exfat(struct sdsim_volume *volume, uint32_t start)
{
    struct sdsim_geometry geometry = {0};
    if (!read_exfat_geometry(&geometry, sdsim_window_at(volume, 0), start)) {
        return SDSIM_FAT_NO_FILE_SYSTEM;
    }
    volume->geometry = geometry;
    uint32_t cluster;
    enum sdsim_fat_result result = find_bitmap(volume, &cluster);
    if (result != SDSIM_FAT_OK) {
        return result;
    }
    volume->geometry.bitmap_start = sdsim_cluster_lba(volume, cluster);
    /* The bitmap has to be contiguous; its chain on the FAT is followed to see that it is. */
    for (;;) {
        const uint64_t at = (uint64_t)cluster * 4;
        result = sdsim_window_need(volume, geometry.fat_start + (uint32_t)(at / SDSIM_SECTOR),
                                   SDSIM_FOR_FAT);
        if (result != SDSIM_FAT_OK) {
            return result;
        }
        const uint32_t next = sdsim_get32(sdsim_window_at(volume, at));
        if (next == UINT32_MAX) {
            break;
        }
        if (next != ++cluster || !sdsim_cluster_valid(volume, cluster)) {
            return SDSIM_FAT_NO_FILE_SYSTEM;
        }
    }
    volume->keeps_summary = volume->config.since_r015a;
    return SDSIM_FAT_OK;
}

enum sdsim_fat_result sdsim_volume_mount(struct sdsim_volume *volume, const struct sdsim_disk *disk,
                                         const struct sdsim_volume_config *config, sdsim_ps *now)
{
    const uint32_t mount = volume->mount + 1;
    memset(volume, 0, sizeof *volume);
    volume->config = *config;
    volume->disk = disk;
    volume->now = now;
    volume->mount = mount;
    volume->hint = SDSIM_UNKNOWN;
    volume->free_clusters = SDSIM_UNKNOWN;
    uint32_t start;
    enum sdsim_fat_result result = SDSIM_FAT_NO_FILE_SYSTEM;
    switch (find_boot(volume, &start)) {
    case BOOT_FAT:
        result = mount_fat(volume, start);
        break;
    case BOOT_EXFAT:
        if (config->exfat && config->long_names != SDSIM_LFN_NONE) {
            result = mount_exfat(volume, start);
        }
        break;
    case BOOT_FAILED:
        result = SDSIM_FAT_DISK_ERROR;
        break;
    case BOOT_OTHER:
    case BOOT_UNSIGNED:
        break;
    }
    if (result != SDSIM_FAT_OK) {
        sdsim_volume_unmount(volume);
    }
    return result;
}

void sdsim_volume_unmount(struct sdsim_volume *volume)
{
    volume->geometry.type = SDSIM_FAT_UNMOUNTED;
    volume->mount++;
    volume->now = NULL;
}

enum sdsim_fat_result sdsim_volume_enter(struct sdsim_volume *volume, sdsim_ps *now)
{
    if (volume->geometry.type == SDSIM_FAT_UNMOUNTED) {
        return SDSIM_FAT_NOT_MOUNTED;
    }
    volume->now = now;
    const struct sdsim_disk *disk = volume->disk;
    if (disk->ops->status != NULL && disk->ops->status(disk->context, now) != SDSIM_DISK_OK) {
        return SDSIM_FAT_NOT_READY;
    }
    return SDSIM_FAT_OK;
}
