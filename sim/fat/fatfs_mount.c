#include "fat/fatfs.h"

#include <string.h>

#include "fat/boot.h"
#include "fat/bytes.h"
#include "fat/gpt.h"
#include "fat/window.h"

/* The directory entry of the exFAT bitmap (exFAT specification, section 7.1). */
enum {
    BITMAP_TYPE = 0x81,
    BITMAP_CLUSTER = 20,
};

/* What a sector 0 turned out to be. */
enum boot_kind {
    BOOT_FAT,
    BOOT_EXFAT,
    BOOT_OTHER, /* signed, but no volume: perhaps an MBR */
    BOOT_UNSIGNED,
    BOOT_FAILED,
};

/* A boot sector of early DOS has no type string: it is known by sound values in its fields. */
static bool looks_like_fat(const uint8_t *boot)
{
    const uint32_t sector = sdsim_get16(boot + SDSIM_BOOT_SECTOR_BYTES);
    const uint8_t fats = boot[SDSIM_BOOT_FATS];
    return sdsim_is_power_of_two(sector) && sector >= 512 && sector <= 4096 &&
           sdsim_is_power_of_two(boot[SDSIM_BOOT_CLUSTER_SECTORS]) &&
           sdsim_get16(boot + SDSIM_BOOT_RESERVED) != 0 && (fats == 1 || fats == 2) &&
           sdsim_get16(boot + SDSIM_BOOT_ROOT_ENTRIES) != 0 &&
           (sdsim_get16(boot + SDSIM_BOOT_SECTORS_16) >= 128 ||
            sdsim_get32(boot + SDSIM_BOOT_SECTORS_32) >= 0x10000) &&
           sdsim_get16(boot + SDSIM_BOOT_FAT_SECTORS_16) != 0;
}

static enum boot_kind check_boot(struct sdsim_volume *volume, uint32_t lba)
{
    sdsim_sector_reset(&volume->window);
    if (sdsim_window_need(volume, lba, SDSIM_FOR_BOOT) != SDSIM_FAT_OK) {
        return BOOT_FAILED;
    }
    const uint8_t *boot = sdsim_window_at(volume, 0);
    const bool is_signed = sdsim_get16(boot + SDSIM_BOOT_SIGNATURE) == SDSIM_BOOT_MARK;
    if (is_signed && memcmp(boot,
                            "\xEB\x76\x90"
                            "EXFAT   ",
                            11) == 0) {
        return BOOT_EXFAT;
    }
    if (boot[0] == 0xEB || boot[0] == 0xE9 || boot[0] == 0xE8) {
        if (is_signed && memcmp(boot + SDSIM_BOOT_FAT32_TYPE, "FAT32   ", 8) == 0) {
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
        const uint8_t *entry = sdsim_window_at(volume, SDSIM_MBR_ENTRIES + i * SDSIM_MBR_ENTRY);
        starts[i] = sdsim_get32(entry + SDSIM_MBR_ENTRY_START);
        protective = protective || entry[SDSIM_MBR_ENTRY_TYPE] == SDSIM_MBR_PROTECTIVE;
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

static void read_fsinfo(struct sdsim_volume *volume)
{
    const uint32_t lba = volume->geometry.start + 1;
    if (sdsim_window_need(volume, lba, SDSIM_FOR_FSINFO) != SDSIM_FAT_OK) {
        return;
    }
    volume->keeps_summary = true;
    const uint8_t *bytes = sdsim_window_at(volume, 0);
    if (sdsim_get16(bytes + SDSIM_BOOT_SIGNATURE) != SDSIM_BOOT_MARK ||
        memcmp(bytes + SDSIM_FSINFO_LEAD, "RRaA", 4) != 0 ||
        memcmp(bytes + SDSIM_FSINFO_STRUCT, "rrAa", 4) != 0) {
        return;
    }
    if (!volume->config.distrust_free_count) {
        volume->free_clusters = sdsim_get32(bytes + SDSIM_FSINFO_FREE);
    }
    if (!volume->config.distrust_hint) {
        volume->hint = sdsim_get32(bytes + SDSIM_FSINFO_NEXT);
    }
}

static enum sdsim_fat_result mount_fat(struct sdsim_volume *volume, uint32_t start)
{
    struct sdsim_geometry geometry = {0};
    if (!sdsim_boot_read_fat(&geometry, sdsim_window_at(volume, 0), start)) {
        return SDSIM_FAT_NO_FILE_SYSTEM;
    }
    volume->geometry = geometry;
    const bool wanted = !volume->config.distrust_free_count || !volume->config.distrust_hint;
    if (geometry.has_fsinfo && wanted) {
        read_fsinfo(volume);
    }
    return SDSIM_FAT_OK;
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
    if (!sdsim_boot_read_exfat(&geometry, sdsim_window_at(volume, 0), start)) {
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

enum sdsim_fat_result sdsim_fatfs_mount(struct sdsim_volume *volume)
{
    uint32_t start;
    switch (find_boot(volume, &start)) {
    case BOOT_FAT:
        return mount_fat(volume, start);
    case BOOT_EXFAT:
        return volume->config.exfat && volume->config.long_names != SDSIM_LFN_NONE
                   ? mount_exfat(volume, start)
                   : SDSIM_FAT_NO_FILE_SYSTEM;
    case BOOT_FAILED:
        return SDSIM_FAT_DISK_ERROR;
    case BOOT_OTHER:
    case BOOT_UNSIGNED:
        break;
    }
    return SDSIM_FAT_NO_FILE_SYSTEM;
}
