#include "fat/window.h"

#include <string.h>

#include "fat/boot.h"
#include "fat/bytes.h"

enum sdsim_fat_result sdsim_disk_result(enum sdsim_disk_error error)
{
    return error == SDSIM_DISK_OK ? SDSIM_FAT_OK : SDSIM_FAT_DISK_ERROR;
}

enum sdsim_fat_result sdsim_window_flush_one(struct sdsim_volume *volume,
                                             struct sdsim_sector *window)
{
    if (!window->dirty) {
        return SDSIM_FAT_OK;
    }
    if (sdsim_sector_store(window, volume->disk, volume->now, window->lba) != SDSIM_DISK_OK) {
        return SDSIM_FAT_DISK_ERROR;
    }
    window->dirty = false;
    const struct sdsim_geometry *g = &volume->geometry;
    if (g->fats == 2 && window->lba - g->fat_start < g->fat_sectors) {
        /* A failure of the mirror is ignored. */
        (void)sdsim_sector_store(window, volume->disk, volume->now, window->lba + g->fat_sectors);
    }
    return SDSIM_FAT_OK;
}

enum sdsim_fat_result sdsim_window_flush(struct sdsim_volume *volume)
{
    return sdsim_window_flush_one(volume, &volume->window);
}

enum sdsim_fat_result sdsim_window_fill(struct sdsim_volume *volume, struct sdsim_sector *window,
                                        uint32_t lba, enum sdsim_purpose purpose)
{
    if (window->lba == lba) {
        return SDSIM_FAT_OK;
    }
    const enum sdsim_fat_result result = sdsim_window_flush_one(volume, window);
    if (result != SDSIM_FAT_OK) {
        return result;
    }
    return sdsim_disk_result(sdsim_sector_load(window, volume->disk, volume->now, lba, purpose));
}

enum sdsim_fat_result sdsim_window_need(struct sdsim_volume *volume, uint32_t lba,
                                        enum sdsim_purpose purpose)
{
    return sdsim_window_fill(volume, sdsim_window_of(volume, purpose), lba, purpose);
}

static enum sdsim_fat_result write_fsinfo(struct sdsim_volume *volume)
{
    struct sdsim_sector *window = &volume->window;
    sdsim_sector_fresh(window, volume->geometry.start + 1, SDSIM_FOR_FSINFO);
    uint8_t *bytes = sdsim_sector_bytes(window);
    memcpy(bytes + SDSIM_FSINFO_LEAD, "RRaA", 4);
    memcpy(bytes + SDSIM_FSINFO_STRUCT, "rrAa", 4);
    sdsim_put32(bytes + SDSIM_FSINFO_FREE, volume->free_clusters);
    sdsim_put32(bytes + SDSIM_FSINFO_NEXT, volume->hint);
    sdsim_put16(bytes + SDSIM_BOOT_SIGNATURE, SDSIM_BOOT_MARK);
    /* FatFs ignores a failure here: FSINFO is advisory. */
    (void)sdsim_sector_store(window, volume->disk, volume->now, window->lba);
    return SDSIM_FAT_OK;
}

static enum sdsim_fat_result write_percent(struct sdsim_volume *volume)
{
    struct sdsim_sector *window = &volume->window;
    const uint32_t clusters = volume->geometry.clusters;
    if (sdsim_sector_load(window, volume->disk, volume->now, volume->geometry.start,
                          SDSIM_FOR_BOOT) != SDSIM_DISK_OK) {
        return SDSIM_FAT_DISK_ERROR;
    }
    uint8_t percent = 0xFF; /* not known */
    if (volume->free_clusters <= clusters) {
        percent = (uint8_t)((uint64_t)(clusters - volume->free_clusters) * 100 / clusters);
    }
    if (window->bytes[SDSIM_EXFAT_PERCENT] != percent) {
        window->bytes[SDSIM_EXFAT_PERCENT] = percent;
        (void)sdsim_sector_store(window, volume->disk, volume->now, window->lba);
    }
    return SDSIM_FAT_OK;
}

enum sdsim_fat_result sdsim_window_sync(struct sdsim_volume *volume)
{
    enum sdsim_fat_result result = sdsim_window_flush(volume);
    if (result == SDSIM_FAT_OK && volume->changed && volume->keeps_summary) {
        volume->changed = false;
        result =
            volume->geometry.type == SDSIM_EXFAT ? write_percent(volume) : write_fsinfo(volume);
    }
    if (result == SDSIM_FAT_OK && volume->disk->ops->sync != NULL) {
        result = sdsim_disk_result(volume->disk->ops->sync(volume->disk->context, volume->now));
    }
    return result;
}

void sdsim_window_count(struct sdsim_volume *volume, uint32_t count, bool freed)
{
    const bool known = volume->free_clusters <= volume->geometry.clusters;
    if (freed) {
        /* A count that is at its top already stays there, and nothing is marked. */
        if (volume->free_clusters < volume->geometry.clusters) {
            volume->free_clusters += count;
            volume->changed = true;
        }
    } else {
        if (known) {
            volume->free_clusters -= count;
        }
        if (known || !volume->config.since_r015a) {
            volume->changed = true;
        }
    }
}
