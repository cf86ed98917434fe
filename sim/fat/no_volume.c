#include "fat/no_volume.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "fat/boot.h"
#include "fat/bytes.h"
#include "fat/gpt.h"
#include "fat/volume.h"

#define FAT_SECTORS_MIN 128u /* FatFs takes a smaller FAT12 or FAT16 volume for none */

/* The search, and what it says. */
struct search {
    const struct sdsim_disk *disk;
    char *out;
    size_t size;
    bool said; /* a boot sector was found that has something wrong */
    uint8_t sector[SDSIM_SECTOR];
};

__attribute__((format(printf, 4, 5))) static void
say(struct search *search, uint32_t lba, const char *structure, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    (void)snprintf(search->out, search->size, "sector %" PRIu32 " (%s): ", lba, structure);
    const size_t used = strlen(search->out);
    (void)vsnprintf(search->out + used, search->size - used, format, arguments);
    va_end(arguments);
    search->said = true;
}

/* Reads into search->sector. */
static bool read_sector(struct search *search, uint32_t lba)
{
    const struct sdsim_disk *disk = search->disk;
    sdsim_ps now = 0;
    return lba < disk->sectors && disk->ops->read(disk->context, &now, lba, 1, SDSIM_FOR_BOOT,
                                                  search->sector) == SDSIM_DISK_OK;
}

static bool power_of_two(uint32_t n)
{
    return n != 0 && (n & (n - 1)) == 0;
}

/* ---- boot sectors ---- */

static const char boot_sector[] = "boot sector";

/* What the boot sector of a FAT volume says. */
struct fat_boot {
    uint32_t lba;
    uint32_t cluster;
    uint32_t reserved;
    uint32_t fats;
    uint32_t root_entries;
    uint32_t fat_sectors;
    uint32_t sectors;
    uint64_t clusters;
};

/* The sizes of the volume and its parts, of which each field by itself is sound. */
static void judge_fat_sizes(struct search *search, const struct fat_boot *boot)
{
    const bool fat32 = boot->clusters > SDSIM_FAT16_CLUSTERS_MAX;
    const uint64_t bytes = boot->clusters <= SDSIM_FAT12_CLUSTERS_MAX
                               ? ((boot->clusters + 2) * 3 + 1) / 2
                           : fat32 ? (boot->clusters + 2) * 4
                                   : (boot->clusters + 2) * 2;
    const char *type = boot->clusters <= SDSIM_FAT12_CLUSTERS_MAX ? "FAT12"
                       : fat32                                    ? "FAT32"
                                                                  : "FAT16";
    if (boot->clusters == 0 || boot->clusters > SDSIM_FAT32_CLUSTERS_MAX) {
        say(search, boot->lba, boot_sector, "%" PRIu64 " clusters", boot->clusters);
    } else if (fat32 != (boot->root_entries == 0)) {
        say(search, boot->lba, boot_sector,
            "%" PRIu64 " clusters make it %s, which doesn't go with %" PRIu32
            " entries in the root directory",
            boot->clusters, type, boot->root_entries);
    } else if (boot->fat_sectors < (bytes + SDSIM_SECTOR - 1) / SDSIM_SECTOR) {
        say(search, boot->lba, boot_sector,
            "a FAT of %" PRIu32 " sectors is too short for %" PRIu64 " clusters of %s",
            boot->fat_sectors, boot->clusters, type);
    } else {
        say(search, boot->lba, boot_sector, "it is of a kind FatFs does not read");
    }
}

static void judge_fat_fields(struct search *search, struct fat_boot *boot, const uint8_t *bytes)
{
    const uint32_t lba = boot->lba;
    const uint64_t system =
        boot->reserved + (uint64_t)boot->fat_sectors * boot->fats + boot->root_entries / 16;
    const bool fat32 = boot->root_entries == 0;
    if (sdsim_get16(bytes + SDSIM_BOOT_SECTOR_BYTES) != SDSIM_SECTOR) {
        say(search, lba, boot_sector, "%" PRIu32 " bytes a sector instead of 512",
            (uint32_t)sdsim_get16(bytes + SDSIM_BOOT_SECTOR_BYTES));
    } else if (!power_of_two(boot->cluster)) {
        say(search, lba, boot_sector, "%" PRIu32 " sectors a cluster, which is no power of two",
            boot->cluster);
    } else if (boot->reserved == 0) {
        say(search, lba, boot_sector, "no reserved sectors, not even itself");
    } else if (boot->fats != 1 && boot->fats != 2) {
        say(search, lba, boot_sector, "%" PRIu32 " FATs instead of 1 or 2", boot->fats);
    } else if (boot->root_entries % 16 != 0) {
        say(search, lba, boot_sector, "%" PRIu32 " root entries, which fill no whole sectors",
            boot->root_entries);
    } else if (boot->sectors < system || (!fat32 && boot->sectors < FAT_SECTORS_MIN)) {
        say(search, lba, boot_sector,
            "a volume of %" PRIu32 " sectors, of which FATs and what is in front of them take "
            "%" PRIu64,
            boot->sectors, system);
    } else if ((uint64_t)lba + boot->sectors > UINT32_MAX) {
        say(search, lba, boot_sector, "its %" PRIu32 " sectors reach beyond 2TiB", boot->sectors);
    } else {
        boot->clusters = (boot->sectors - system) / boot->cluster;
        judge_fat_sizes(search, boot);
    }
}

static void judge_fat(struct search *search, uint32_t lba)
{
    const uint8_t *bytes = search->sector;
    const bool fat32 = memcmp(bytes + SDSIM_BOOT_FAT32_TYPE, "FAT32   ", 8) == 0;
    const uint32_t fat16_sectors = sdsim_get16(bytes + SDSIM_BOOT_FAT_SECTORS_16);
    const uint32_t sectors16 = sdsim_get16(bytes + SDSIM_BOOT_SECTORS_16);
    struct fat_boot boot = {
        .lba = lba,
        .cluster = bytes[SDSIM_BOOT_CLUSTER_SECTORS],
        .reserved = sdsim_get16(bytes + SDSIM_BOOT_RESERVED),
        .fats = bytes[SDSIM_BOOT_FATS],
        .root_entries = sdsim_get16(bytes + SDSIM_BOOT_ROOT_ENTRIES),
        .fat_sectors =
            fat16_sectors != 0 ? fat16_sectors : sdsim_get32(bytes + SDSIM_BOOT_FAT_SECTORS_32),
        .sectors = sectors16 != 0 ? sectors16 : sdsim_get32(bytes + SDSIM_BOOT_SECTORS_32),
    };
    if (bytes[0] != 0xEB && bytes[0] != 0xE9 && bytes[0] != 0xE8) {
        say(search, lba, boot_sector, "it begins with %02X instead of a jump, EB or E9", bytes[0]);
    } else if (fat32 && sdsim_get16(bytes + SDSIM_BOOT_SIGNATURE) != SDSIM_BOOT_MARK) {
        say(search, lba, boot_sector, "it does not end with the signature 55 AA");
    } else if (fat32 && sdsim_get16(bytes + SDSIM_BOOT_FAT32_VERSION) != 0) {
        say(search, lba, boot_sector, "FAT32 of version %04X, which nobody knows",
            (unsigned)sdsim_get16(bytes + SDSIM_BOOT_FAT32_VERSION));
    } else {
        judge_fat_fields(search, &boot, bytes);
    }
}

/* Where the parts of an exFAT volume lie. */
static void judge_exfat_places(struct search *search, uint32_t lba)
{
    const uint8_t *bytes = search->sector;
    const uint64_t length = sdsim_get64(bytes + SDSIM_EXFAT_LENGTH);
    const uint32_t fat = sdsim_get32(bytes + SDSIM_EXFAT_FAT_OFFSET);
    const uint32_t fat_sectors = sdsim_get32(bytes + SDSIM_EXFAT_FAT_LENGTH);
    const uint32_t data = sdsim_get32(bytes + SDSIM_EXFAT_DATA_OFFSET);
    const uint32_t clusters = sdsim_get32(bytes + SDSIM_EXFAT_CLUSTERS);
    const uint32_t root = sdsim_get32(bytes + SDSIM_EXFAT_ROOT);
    const uint64_t needed = (((uint64_t)clusters + 2) * 4 + SDSIM_SECTOR - 1) / SDSIM_SECTOR;
    if (length > UINT32_MAX - (uint64_t)lba) {
        say(search, lba, boot_sector, "its %" PRIu64 " sectors reach beyond 2TiB", length);
    } else if (clusters == 0 || clusters > SDSIM_EXFAT_CLUSTERS_MAX) {
        say(search, lba, boot_sector, "%" PRIu32 " clusters", clusters);
    } else if (data > length || fat > data || fat_sectors > data - fat) {
        say(search, lba, boot_sector,
            "a FAT of %" PRIu32 " sectors at +%" PRIu32 " and clusters at +%" PRIu32
            " in a volume of %" PRIu64 ": they overlap or lie outside",
            fat_sectors, fat, data, length);
    } else if (fat_sectors < needed) {
        say(search, lba, boot_sector,
            "a FAT of %" PRIu32 " sectors is too short for %" PRIu32 " clusters", fat_sectors,
            clusters);
    } else if (((uint64_t)clusters << bytes[SDSIM_EXFAT_CLUSTER_SHIFT]) > length - data) {
        say(search, lba, boot_sector, "%" PRIu32 " clusters are more than the volume has room for",
            clusters);
    } else if (root < 2 || root >= clusters + 2) {
        say(search, lba, boot_sector, "a root directory in cluster %" PRIu32 ", which there is not",
            root);
    } else {
        say(search, lba, boot_sector, "it is of a kind FatFs does not read");
    }
}

static void judge_exfat(struct search *search, uint32_t lba)
{
    const uint8_t *bytes = search->sector;
    const uint32_t revision = sdsim_get16(bytes + SDSIM_EXFAT_REVISION);
    uint32_t must_be_zero = 0;
    for (uint32_t i = SDSIM_BOOT_SECTOR_BYTES; i < 64; i++) {
        must_be_zero |= bytes[i];
    }
    if (sdsim_get16(bytes + SDSIM_BOOT_SIGNATURE) != SDSIM_BOOT_MARK) {
        say(search, lba, boot_sector, "it does not end with the signature 55 AA");
    } else if (memcmp(bytes, "\xEB\x76\x90", 3) != 0) {
        say(search, lba, boot_sector,
            "it begins with %02X %02X %02X instead of exFAT's jump, EB 76 90", bytes[0], bytes[1],
            bytes[2]);
    } else if (must_be_zero != 0) {
        say(search, lba, boot_sector, "bytes 11 to 63 are not zero, as they are on exFAT");
    } else if (revision != 0x0100) {
        say(search, lba, boot_sector, "exFAT of revision %04" PRIX32 " instead of 0100", revision);
    } else if (bytes[SDSIM_EXFAT_SECTOR_SHIFT] != 9) {
        say(search, lba, boot_sector, "sectors of 2^%u bytes instead of 512",
            bytes[SDSIM_EXFAT_SECTOR_SHIFT]);
    } else if (bytes[SDSIM_EXFAT_CLUSTER_SHIFT] > 16) {
        say(search, lba, boot_sector, "clusters of 2^%u sectors, more than 32MiB",
            bytes[SDSIM_EXFAT_CLUSTER_SHIFT]);
    } else if (bytes[SDSIM_EXFAT_FATS] != 1) {
        say(search, lba, boot_sector, "%u FATs instead of 1", bytes[SDSIM_EXFAT_FATS]);
    } else {
        judge_exfat_places(search, lba);
    }
}

/* Says what is wrong with a boot sector, if the sector is meant to be one. */
static void judge(struct search *search, uint32_t lba)
{
    const uint8_t *bytes = search->sector;
    if (memcmp(bytes + SDSIM_BOOT_NAME, "EXFAT   ", 8) == 0) {
        judge_exfat(search, lba);
    } else if (memcmp(bytes + SDSIM_BOOT_NAME, "NTFS    ", 8) == 0) {
        say(search, lba, boot_sector, "of an NTFS volume");
    } else if (memcmp(bytes + SDSIM_BOOT_FAT32_TYPE, "FAT32   ", 8) == 0 ||
               memcmp(bytes + SDSIM_BOOT_FAT16_TYPE, "FAT", 3) == 0) {
        judge_fat(search, lba);
    }
}

/* ---- partition tables ---- */

/* A partition that a table names; `table` is where. Says what is wrong with it. */
static void judge_partition(struct search *search, uint32_t table, const char *structure,
                            uint32_t number, uint32_t start)
{
    if (start >= search->disk->sectors) {
        say(search, table, structure,
            "partition %" PRIu32 " begins at sector %" PRIu32 ", but there are only %" PRIu32,
            number, start, search->disk->sectors);
    } else if (!read_sector(search, start)) {
        say(search, start, boot_sector, "it can't be read");
    } else {
        judge(search, start);
        if (!search->said && search->out[0] == '\0') {
            say(search, start, boot_sector,
                "no boot sector of FAT or exFAT, although partition %" PRIu32 " begins here",
                number);
            search->said = false; /* another partition may be more of a volume */
        }
    }
}

static void judge_gpt(struct search *search)
{
    const uint32_t sectors = search->disk->sectors;
    struct sdsim_gpt gpt;
    if (!read_sector(search, 1) || !sdsim_gpt_header(search->sector, 1, sectors, &gpt)) {
        say(search, 1, "GPT header", "it is damaged");
        return;
    }
    for (uint32_t i = 0; i < gpt.entry_count && !search->said; i++) {
        const uint32_t lba = sdsim_gpt_entry_lba(&gpt, i);
        uint32_t start;
        uint32_t count;
        if (read_sector(search, lba) &&
            sdsim_gpt_partition(search->sector + sdsim_gpt_entry_offset(&gpt, i), sectors, &start,
                                &count)) {
            judge_partition(search, lba, "GPT", i + 1, start);
        }
    }
    if (search->out[0] == '\0') {
        say(search, gpt.entries_lba, "GPT", "it has no partition on this card");
    }
}

static void judge_mbr(struct search *search)
{
    static const char table[] = "partition table";
    uint8_t mbr[SDSIM_SECTOR];
    memcpy(mbr, search->sector, sizeof mbr);
    for (uint32_t i = 0; i < 4; i++) {
        if (mbr[SDSIM_MBR_ENTRIES + i * SDSIM_MBR_ENTRY + SDSIM_MBR_ENTRY_TYPE] ==
            SDSIM_MBR_PROTECTIVE) {
            judge_gpt(search);
            return;
        }
    }
    for (uint32_t i = 0; i < 4 && !search->said; i++) {
        const uint32_t start =
            sdsim_get32(mbr + SDSIM_MBR_ENTRIES + i * SDSIM_MBR_ENTRY + SDSIM_MBR_ENTRY_START);
        if (start != 0) {
            judge_partition(search, 0, table, i + 1, start);
        }
    }
    if (search->out[0] == '\0') {
        say(search, 0, table, "it is empty");
    }
}

char *sdsim_no_volume_text(const struct sdsim_disk *disk, char *out, size_t size)
{
    struct search search = {.disk = disk, .out = out, .size = size};
    out[0] = '\0';
    if (!read_sector(&search, 0)) {
        say(&search, 0, boot_sector, "it can't be read");
        return out;
    }
    judge(&search, 0);
    if (!search.said && sdsim_get16(search.sector + SDSIM_BOOT_SIGNATURE) != SDSIM_BOOT_MARK) {
        say(&search, 0, "boot sector or partition table",
            "it does not end with the signature 55 AA");
    }
    if (!search.said) {
        judge_mbr(&search);
    }
    return out;
}
