#include "fat/sdfat.h"

enum sdsim_fat_result sdsim_sdfat_flush(struct sdsim_volume *volume)
{
    /* Of two caches, exFAT writes that of the bitmap first, FAT that of the FAT last. */
    const bool second_first = volume->geometry.type == SDSIM_EXFAT;
    struct sdsim_sector *first = second_first ? &volume->second : &volume->window;
    struct sdsim_sector *last = second_first ? &volume->window : &volume->second;
    enum sdsim_fat_result result = sdsim_window_flush_one(volume, first);
    if (result == SDSIM_FAT_OK) {
        result = sdsim_window_flush_one(volume, last);
    }
    const struct sdsim_disk *disk = volume->disk;
    if (result == SDSIM_FAT_OK && !sdsim_sdfat_is_classic(volume) && disk->ops->sync != NULL) {
        result = sdsim_disk_result(disk->ops->sync(disk->context, volume->now));
    }
    return result;
}

enum sdsim_fat_result sdsim_sdfat_reserve(struct sdsim_volume *volume, uint32_t lba,
                                          enum sdsim_purpose purpose)
{
    if (volume->window.lba != lba) {
        const enum sdsim_fat_result result = sdsim_window_flush(volume);
        if (result != SDSIM_FAT_OK) {
            return result;
        }
        sdsim_sector_fresh(&volume->window, lba, purpose);
    }
    volume->window.dirty = true;
    return SDSIM_FAT_OK;
}

static bool is_cached(const struct sdsim_volume *volume, uint32_t lba, uint32_t count)
{
    return volume->window.lba - lba < count;
}

enum sdsim_fat_result sdsim_sdfat_read_past(struct sdsim_volume *volume, uint32_t lba,
                                            uint32_t count, void *out)
{
    const struct sdsim_disk *disk = volume->disk;
    if (is_cached(volume, lba, count)) {
        const enum sdsim_fat_result result = sdsim_window_flush(volume);
        if (result != SDSIM_FAT_OK) {
            return result;
        }
    }
    return sdsim_disk_result(
        disk->ops->read(disk->context, volume->now, lba, count, SDSIM_FOR_DATA, out));
}

enum sdsim_fat_result sdsim_sdfat_write_past(struct sdsim_volume *volume, uint32_t lba,
                                             uint32_t count, const struct sdsim_content *content)
{
    const struct sdsim_disk *disk = volume->disk;
    if (is_cached(volume, lba, count)) {
        volume->window.lba = SDSIM_NO_SECTOR;
        /* Classic forgets which sector it was but not that it is dirty: the next flush tries to
         * write it nowhere, fails, and so does every one after it. */
        volume->window.dirty = volume->window.dirty && sdsim_sdfat_is_classic(volume);
    }
    return sdsim_disk_result(
        disk->ops->write(disk->context, volume->now, lba, count, SDSIM_FOR_DATA, content));
}
