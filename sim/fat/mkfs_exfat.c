#include <string.h>

#include "fat/boot.h"
#include "fat/bytes.h"
#include "fat/mkfs_internal.h"
#include "fat/names.h"

#define FAT_OFFSET    16384u
#define UPCASE_SYMBOL 0xFFFFu /* the next unit counts units that are their own upper case */

/* Clusters of the three files every volume begins with. */
struct system_files {
    uint32_t bitmap_bytes;
    uint32_t bitmap;
    uint32_t upcase_bytes;
    uint32_t upcase;
    uint32_t root;
};

static uint32_t round_up(uint32_t value, uint32_t unit)
{
    return (value + unit - 1) / unit * unit;
}

bool sdsim_mkfs_layout_exfat(struct sdsim_mkfs_plan *plan, uint32_t unit)
{
    /* The FAT lies half a unit in where units are large, close behind the boot regions else. */
    const uint32_t fat_offset = unit / 2 >= FAT_OFFSET ? unit / 2 : 2 * SDSIM_EXFAT_REGION + 104;
    plan->sectors = plan->partition;
    plan->fat_offset = fat_offset;
    plan->fat_sectors = 1;
    for (;;) {
        const uint32_t data = round_up(fat_offset + plan->fat_sectors, unit);
        if ((uint64_t)data + 3ull * plan->cluster_sectors > plan->sectors) {
            return false;
        }
        plan->data_offset = data;
        plan->clusters = (plan->sectors - data) / plan->cluster_sectors;
        const uint32_t needed =
            (uint32_t)((((uint64_t)plan->clusters + 2) * 4 + SDSIM_SECTOR - 1) / SDSIM_SECTOR);
        if (needed <= plan->fat_sectors) {
            return true;
        }
        plan->fat_sectors = needed;
    }
}

/* The upcase table in its compressed form, byte by byte; `emit` may be NULL to count only. */
struct upcase_sink {
    struct sdsim_medium *medium; /* NULL: count and sum only */
    uint32_t lba;
    uint32_t bytes;
    uint32_t sum;
    bool failed;
    uint8_t sector[SDSIM_SECTOR];
};

static void upcase_flush(struct upcase_sink *sink)
{
    if (sink->medium != NULL && !sdsim_mkfs_put(sink->medium, sink->lba, sink->sector)) {
        sink->failed = true;
    }
    sink->lba++;
    memset(sink->sector, 0, sizeof sink->sector);
}

static void upcase_byte(struct upcase_sink *sink, uint8_t byte)
{
    sink->sector[sink->bytes % SDSIM_SECTOR] = byte;
    sink->sum = (sink->sum >> 1 | sink->sum << 31) + byte;
    if (++sink->bytes % SDSIM_SECTOR == 0) {
        upcase_flush(sink);
    }
}

static void upcase_unit(struct upcase_sink *sink, uint32_t unit)
{
    upcase_byte(sink, (uint8_t)unit);
    upcase_byte(sink, (uint8_t)(unit >> 8));
}

/* Units from `from` on that are their own upper case. */
static uint32_t identity_run(uint32_t from)
{
    uint32_t unit = from;
    while (unit < 0x10000 && sdsim_upcase((uint16_t)unit) == unit) {
        unit++;
    }
    return unit - from;
}

static void upcase_table(struct upcase_sink *sink)
{
    uint32_t unit = 0;
    while (unit < 0x10000) {
        const uint32_t run = identity_run(unit);
        /* The first 128 are always spelled out; short runs gain nothing by compression. */
        if (unit >= 0x80 && run > 2) {
            upcase_unit(sink, UPCASE_SYMBOL);
            upcase_unit(sink, run);
            unit += run;
        } else {
            upcase_unit(sink, sdsim_upcase((uint16_t)unit));
            unit++;
        }
    }
    if (sink->bytes % SDSIM_SECTOR != 0) {
        upcase_flush(sink);
    }
}

static uint32_t clusters_for(const struct sdsim_mkfs_plan *plan, uint32_t bytes)
{
    const uint32_t cluster_bytes = plan->cluster_sectors * SDSIM_SECTOR;
    return (bytes + cluster_bytes - 1) / cluster_bytes;
}

static struct system_files place_files(const struct sdsim_mkfs_plan *plan, uint32_t upcase_bytes)
{
    struct system_files files = {.bitmap = 2, .upcase_bytes = upcase_bytes};
    files.bitmap_bytes = (plan->clusters + 7) / 8;
    files.upcase = files.bitmap + clusters_for(plan, files.bitmap_bytes);
    files.root = files.upcase + clusters_for(plan, upcase_bytes);
    return files;
}

static uint32_t cluster_lba(const struct sdsim_mkfs_plan *plan, uint32_t cluster)
{
    return plan->start + plan->data_offset + (cluster - 2) * plan->cluster_sectors;
}

static void make_boot(uint8_t *boot, const struct sdsim_mkfs_plan *plan,
                      const struct system_files *files)
{
    uint8_t shift = 0;
    while (1u << shift < plan->cluster_sectors) {
        shift++;
    }
    memset(boot, 0, SDSIM_SECTOR);
    memcpy(boot,
           "\xEB\x76\x90"
           "EXFAT   ",
           11);
    sdsim_put64(boot + SDSIM_EXFAT_START, plan->start);
    sdsim_put64(boot + SDSIM_EXFAT_LENGTH, plan->sectors);
    sdsim_put32(boot + SDSIM_EXFAT_FAT_OFFSET, plan->fat_offset);
    sdsim_put32(boot + SDSIM_EXFAT_FAT_LENGTH, plan->fat_sectors);
    sdsim_put32(boot + SDSIM_EXFAT_DATA_OFFSET, plan->data_offset);
    sdsim_put32(boot + SDSIM_EXFAT_CLUSTERS, plan->clusters);
    sdsim_put32(boot + SDSIM_EXFAT_ROOT, files->root);
    sdsim_put32(boot + SDSIM_EXFAT_SERIAL, plan->serial);
    sdsim_put16(boot + SDSIM_EXFAT_REVISION, 0x0100);
    boot[SDSIM_EXFAT_SECTOR_SHIFT] = 9;
    boot[SDSIM_EXFAT_CLUSTER_SHIFT] = shift;
    boot[SDSIM_EXFAT_FATS] = 1;
    boot[SDSIM_EXFAT_DRIVE] = 0x80;
    boot[SDSIM_EXFAT_PERCENT] = (uint8_t)((uint64_t)(files->root - 1) * 100 / plan->clusters);
    memset(boot + SDSIM_EXFAT_CODE, 0xF4,
           SDSIM_BOOT_SIGNATURE - SDSIM_EXFAT_CODE); /* boot code: halt */
    sdsim_put16(boot + SDSIM_BOOT_SIGNATURE, SDSIM_BOOT_MARK);
}

/* Boot sector, eight extended boot sectors, OEM parameters, one reserved, and the sum of these. */
static bool write_boot_region(struct sdsim_medium *medium, uint32_t lba,
                              const struct sdsim_mkfs_plan *plan, const struct system_files *files)
{
    uint8_t bytes[SDSIM_SECTOR];
    make_boot(bytes, plan, files);
    uint32_t sum = 0;
    bool good = true;
    for (uint32_t i = 0; i < SDSIM_EXFAT_REGION - 1 && good; i++) {
        if (i > 0) {
            memset(bytes, 0, sizeof bytes);
            sdsim_put32(bytes + 508, i <= 8 ? 0xAA550000 : 0);
        }
        sum = sdsim_boot_sum_exfat(sum, bytes, i == 0);
        good = sdsim_mkfs_put(medium, lba + i, bytes);
    }
    for (uint32_t at = 0; at < SDSIM_SECTOR; at += 4) {
        sdsim_put32(bytes + at, sum);
    }
    return good && sdsim_mkfs_put(medium, lba + SDSIM_EXFAT_REGION - 1, bytes);
}

/* Entries of the three files, which are chains of adjacent clusters; the rest is zero. */
static bool write_fat(struct sdsim_medium *medium, const struct sdsim_mkfs_plan *plan,
                      const struct system_files *files)
{
    const uint32_t lba = plan->start + plan->fat_offset;
    uint8_t bytes[SDSIM_SECTOR] = {0};
    bool good = sdsim_mkfs_zero(medium, lba, plan->fat_sectors);
    for (uint32_t i = 0; i <= files->root && good; i++) {
        const bool ends = i == files->upcase - 1 || i == files->root - 1 || i == files->root;
        const uint32_t value = i == 0 ? 0xFFFFFFF8 : i == 1 || ends ? UINT32_MAX : i + 1;
        sdsim_put32(bytes + i * 4 % SDSIM_SECTOR, value);
        if (i % 128 == 127 || i == files->root) {
            good = sdsim_mkfs_put(medium, lba + i / 128, bytes);
            memset(bytes, 0, sizeof bytes);
        }
    }
    return good;
}

/* One bit for each cluster up to the root's; the rest of the bitmap's clusters is zero. */
static bool write_bitmap(struct sdsim_medium *medium, const struct sdsim_mkfs_plan *plan,
                         const struct system_files *files)
{
    const uint32_t lba = cluster_lba(plan, files->bitmap);
    const uint32_t used = files->root - 1;
    bool good =
        sdsim_mkfs_zero(medium, lba, (files->upcase - files->bitmap) * plan->cluster_sectors);
    uint8_t bytes[SDSIM_SECTOR] = {0};
    for (uint32_t bit = 0; bit < used && good; bit++) {
        const uint32_t byte = bit / 8 % SDSIM_SECTOR;
        bytes[byte] = (uint8_t)(bytes[byte] | 1u << bit % 8);
        if (bit % (SDSIM_SECTOR * 8) == SDSIM_SECTOR * 8 - 1 || bit == used - 1) {
            good = sdsim_mkfs_put(medium, lba + bit / (SDSIM_SECTOR * 8), bytes);
            memset(bytes, 0, sizeof bytes);
        }
    }
    return good;
}

/* The root directory: label, bitmap, upcase table. */
static bool write_root(struct sdsim_medium *medium, const struct sdsim_mkfs_plan *plan,
                       const struct system_files *files, uint32_t upcase_sum)
{
    const uint32_t lba = cluster_lba(plan, files->root);
    uint8_t bytes[SDSIM_SECTOR] = {0};
    const size_t length = strlen(plan->label);
    bytes[0] = length != 0 ? 0x83 : 0x03; /* an unused label entry has its top bit clear */
    bytes[1] = (uint8_t)length;
    for (size_t i = 0; i < length; i++) {
        sdsim_put16(bytes + 2 + 2 * i, (uint8_t)plan->label[i]);
    }
    bytes[32] = 0x81;
    sdsim_put32(bytes + 32 + 20, files->bitmap);
    sdsim_put64(bytes + 32 + 24, files->bitmap_bytes);
    bytes[64] = 0x82;
    sdsim_put32(bytes + 64 + 4, upcase_sum);
    sdsim_put32(bytes + 64 + 20, files->upcase);
    sdsim_put64(bytes + 64 + 24, files->upcase_bytes);
    return sdsim_mkfs_zero(medium, lba, plan->cluster_sectors) &&
           sdsim_mkfs_put(medium, lba, bytes);
}

bool sdsim_mkfs_write_exfat(struct sdsim_medium *medium, const struct sdsim_mkfs_plan *plan)
{
    struct upcase_sink sink = {0};
    upcase_table(&sink);
    const struct system_files files = place_files(plan, sink.bytes);
    const uint32_t upcase_sum = sink.sum;
    const uint32_t upcase_lba = cluster_lba(plan, files.upcase);
    sink = (struct upcase_sink){.medium = medium, .lba = upcase_lba};
    if (!sdsim_mkfs_zero(medium, plan->start, plan->fat_offset) ||
        !sdsim_mkfs_zero(medium, upcase_lba, (files.root - files.upcase) * plan->cluster_sectors)) {
        return false;
    }
    upcase_table(&sink);
    return !sink.failed && write_boot_region(medium, plan->start, plan, &files) &&
           write_boot_region(medium, plan->start + SDSIM_EXFAT_REGION, plan, &files) &&
           write_fat(medium, plan, &files) && write_bitmap(medium, plan, &files) &&
           write_root(medium, plan, &files, upcase_sum);
}
