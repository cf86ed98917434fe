/*
 * One buffered sector: the window of a volume, or the buffer of an open file.
 *
 * Small writes of generated content are not turned into bytes at once (flash/lazy_bytes.h).
 */
#ifndef SDSIM_FAT_SECTOR_H
#define SDSIM_FAT_SECTOR_H

#include <stdbool.h>
#include <stdint.h>

#include "core/account.h"
#include "core/time.h"
#include "fat/disk.h"
#include "flash/lazy_bytes.h"

/* The LBA of a buffer that holds no sector. */
#define SDSIM_NO_SECTOR UINT32_MAX

struct sdsim_sector {
    uint32_t lba; /* SDSIM_NO_SECTOR: none */
    bool dirty;   /* differs from the disk and has to be written */
    enum sdsim_purpose purpose;

    struct sdsim_lazy_bytes lazy; /* of `bytes` */
    uint8_t bytes[SDSIM_SECTOR];
};

/* An empty buffer, clean, of no sector. */
void sdsim_sector_reset(struct sdsim_sector *sector);

/* Makes the buffer the sector `lba` with all bytes zero, clean, without reading. */
void sdsim_sector_fresh(struct sdsim_sector *sector, uint32_t lba, enum sdsim_purpose purpose);

/* Reads sector `lba` into the buffer, which is clean then. On error it holds no sector. */
enum sdsim_disk_error sdsim_sector_load(struct sdsim_sector *sector, const struct sdsim_disk *disk,
                                        sdsim_ps *now, uint32_t lba, enum sdsim_purpose purpose);

/* Writes the buffer to sector `lba` (its own, or a mirror). Does not touch the dirty mark. */
enum sdsim_disk_error sdsim_sector_store(struct sdsim_sector *sector, const struct sdsim_disk *disk,
                                         sdsim_ps *now, uint32_t lba);

/* All 512 bytes, generated ones made. Valid until the next change of the buffer. */
uint8_t *sdsim_sector_bytes(struct sdsim_sector *sector);

/* Replaces `count` bytes from byte `at` with content, taken `skip` bytes in. The range lies in the
 * buffer. Does not touch the dirty mark. */
void sdsim_sector_put(struct sdsim_sector *sector, uint32_t at, const struct sdsim_content *content,
                      uint64_t skip, uint32_t count);

#endif
