/*
 * The window of a volume: the one sector through which metadata passes.
 *
 * A dirty window is written when another sector is needed or at a sync, never earlier. A sector of
 * the first FAT is written to the second FAT at the same moment; the second FAT is never read. So
 * do all three libraries; SdFat can have a second window for FAT or bitmap.
 */
#ifndef SDSIM_FAT_WINDOW_H
#define SDSIM_FAT_WINDOW_H

#include "fat/volume.h"

/* The buffered sector that sectors for `purpose` go through: the window, or SdFat's second cache.
 */
static inline struct sdsim_sector *sdsim_window_of(struct sdsim_volume *volume,
                                                   enum sdsim_purpose purpose)
{
    return volume->has_second && purpose == volume->second_for ? &volume->second : &volume->window;
}

/* Writes a buffered sector of the volume if it is dirty, and its mirror. */
enum sdsim_fat_result sdsim_window_flush_one(struct sdsim_volume *volume,
                                             struct sdsim_sector *window);

/* The same for the window. */
enum sdsim_fat_result sdsim_window_flush(struct sdsim_volume *volume);

/* Makes a buffered sector of the volume sector `lba`: nothing if it is, else flush and read. */
enum sdsim_fat_result sdsim_window_fill(struct sdsim_volume *volume, struct sdsim_sector *window,
                                        uint32_t lba, enum sdsim_purpose purpose);

/* The same for the buffered sector that goes with the purpose. */
enum sdsim_fat_result sdsim_window_need(struct sdsim_volume *volume, uint32_t lba,
                                        enum sdsim_purpose purpose);

/* The bytes of the window, and the bytes from `offset` (taken modulo 512). */
static inline uint8_t *sdsim_window_at(struct sdsim_volume *volume, uint64_t offset)
{
    return sdsim_sector_bytes(&volume->window) + offset % SDSIM_SECTOR;
}

/* The same, and the window is dirty from now on. */
static inline uint8_t *sdsim_window_change(struct sdsim_volume *volume, uint64_t offset)
{
    volume->window.dirty = true;
    return sdsim_window_at(volume, offset);
}

/*
 * The end of every call that changes metadata: flush, then the summary if it changed (FAT32:
 * FSINFO, composed without reading; exFAT since R0.15a: the boot sector is read and, if the
 * percentage in use differs, written), then CTRL_SYNC.
 */
enum sdsim_fat_result sdsim_window_sync(struct sdsim_volume *volume);

/* Transfers of whole sectors past the window, for file data and clearing. */
enum sdsim_fat_result sdsim_disk_result(enum sdsim_disk_error error);

/* The allocation summary after `count` clusters were allocated or freed (`freed`). */
void sdsim_window_count(struct sdsim_volume *volume, uint32_t count, bool freed);

#endif
