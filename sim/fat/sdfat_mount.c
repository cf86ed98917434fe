#include <string.h>

#include "fat/boot.h"
#include "fat/bytes.h"
#include "fat/sdfat.h"

/* What one attempt to mount looks for. */
struct attempt {
    bool exfat;
    bool partition; /* the first one of the MBR; else the volume begins at sector 0 */
};

static enum sdsim_fat_result need_boot(struct sdsim_volume *volume, uint32_t lba)
{
    return sdsim_window_need(volume, lba, SDSIM_FOR_BOOT);
}

/* Where the first partition begins; SDSIM_FAT_NO_FILE_SYSTEM if the table has none that is good. */
static enum sdsim_fat_result find_partition(struct sdsim_volume *volume, uint32_t *start)
{
    const enum sdsim_fat_result result = need_boot(volume, 0);
    if (result != SDSIM_FAT_OK) {
        return result;
    }
    const uint8_t *entry = sdsim_window_at(volume, SDSIM_MBR_ENTRIES);
    const bool inactive = (entry[SDSIM_MBR_ENTRY_ACTIVE] & 0x7F) == 0;
    *start = sdsim_get32(entry + SDSIM_MBR_ENTRY_START);
    const bool sound = sdsim_sdfat_is_classic(volume)
                           ? *start != 0 && sdsim_get32(entry + SDSIM_MBR_ENTRY_SECTORS) >= 100
                           : entry[SDSIM_MBR_ENTRY_TYPE] != 0;
    return inactive && sound ? SDSIM_FAT_OK : SDSIM_FAT_NO_FILE_SYSTEM;
}

static bool read_geometry(struct sdsim_volume *volume, uint32_t start, bool exfat)
{
    const uint8_t *boot = sdsim_window_at(volume, 0);
    struct sdsim_geometry geometry = {0};
    bool good;
    if (exfat) {
        good = memcmp(boot + 3, "EXFAT", 5) == 0 && sdsim_boot_read_exfat(&geometry, boot, start);
        geometry.bitmap_start = geometry.data_start; /* it is not looked for */
    } else {
        good = sdsim_boot_read_fat(&geometry, boot, start) && geometry.type != SDSIM_FAT12;
    }
    if (good) {
        volume->geometry = geometry;
    }
    return good;
}

static enum sdsim_fat_result try_volume(struct sdsim_volume *volume, struct attempt attempt)
{
    uint32_t start = 0;
    enum sdsim_fat_result result = SDSIM_FAT_OK;
    if (attempt.partition) {
        result = find_partition(volume, &start);
    }
    if (result == SDSIM_FAT_OK) {
        result = need_boot(volume, start);
    }
    if (result == SDSIM_FAT_OK && !read_geometry(volume, start, attempt.exfat)) {
        result = SDSIM_FAT_NO_FILE_SYSTEM;
    }
    return result;
}

enum sdsim_fat_result sdsim_sdfat_mount(struct sdsim_volume *volume)
{
    static const struct attempt attempts[] = {
        {true, true}, {false, true}, {true, false}, {false, false}};
    const bool second = volume->config.second_cache;
    enum sdsim_fat_result verdict = SDSIM_FAT_NO_FILE_SYSTEM;
    for (size_t i = 0; i < sizeof attempts / sizeof attempts[0]; i++) {
        if (attempts[i].exfat && !volume->config.exfat) {
            continue;
        }
        sdsim_sector_reset(&volume->window);
        sdsim_sector_reset(&volume->second);
        const enum sdsim_fat_result result = try_volume(volume, attempts[i]);
        if (result == SDSIM_FAT_OK) {
            volume->has_second = second;
            volume->second_for = attempts[i].exfat ? SDSIM_FOR_BITMAP : SDSIM_FOR_FAT;
            volume->hint = 1;
            return attempts[i].exfat ? sdsim_sdfat_find_first_free(volume) : SDSIM_FAT_OK;
        }
        verdict = result == SDSIM_FAT_NO_FILE_SYSTEM ? verdict : result;
    }
    return verdict;
}

enum sdsim_fat_result sdsim_sdfat_find_classic(struct sdsim_volume *volume)
{
    sdsim_sector_reset(&volume->window);
    sdsim_sector_reset(&volume->second);
    const enum sdsim_fat_result result = try_volume(volume, (struct attempt){.partition = true});
    return result == SDSIM_FAT_NO_FILE_SYSTEM
               ? try_volume(volume, (struct attempt){.partition = false})
               : result;
}
