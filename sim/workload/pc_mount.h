/*
 * What a PC reads when a card is plugged in behind USB: identification, partition table, boot
 * sector, and then whatever tells it how much is free - on FAT the whole first FAT, on exFAT the
 * bitmap - and the root directory.
 *
 *     Windows  fastfat, filesys/fastfat/allocsup.c of microsoft/Windows-driver-samples:
 *              FatSetupAllocationSupport counts the entries of the whole FAT at mount, on FAT32 with
 *              more than 65536 clusters as on the others. Requests of 64 KiB, the most Windows'
 *              usbstor moves at once if nobody set MaximumTransferLength. FSINFO is read but the
 *              count does not rest on it.
 *     Linux    fs/fat/fatent.c, fat_count_free_clusters: the first statfs reads the whole first FAT,
 *              128 KiB ahead (FAT_READA_SIZE), unless mounted with usefree; desktops and df ask at
 *              once. One SCSI command moves at most 240 sectors (drivers/usb/storage/scsiglue.c).
 *              fs/exfat/balloc.c and nls.c: the bitmap and the up-case table, sector by sector.
 *     macOS    msdosfs_fat.c of apple-open-source/macos: msdosfs_fat_init_vol fills a map of used
 *              clusters at mount, from the whole FAT, in blocks of a page (4 KiB).
 *
 * Assumed, since it is published nowhere we know of: exFAT of Windows and macOS reads bitmap,
 * up-case table and root like Linux, in its own requests; and of the identification only commands
 * every TinyUSB example sees (INQUIRY, TEST UNIT READY, READ CAPACITY, MODE SENSE) are counted, once
 * each. Indexers, thumbnails and virus scanners, which read more, are not.
 *
 * Limits: one volume; a damaged or dirty one, which makes macOS and Linux read both FATs, is not
 * modelled.
 */
#ifndef SDSIM_WORKLOAD_PC_MOUNT_H
#define SDSIM_WORKLOAD_PC_MOUNT_H

#include "fat/volume.h"
#include "workload/usb_storage.h"

/* What of a volume a PC reads, and how. */
struct sdsim_pc_mount {
    uint32_t fat_sectors;    /* read of FATs; exFAT: 0 */
    uint32_t bitmap_sectors; /* exFAT: of the bitmap and the up-case table */
    uint32_t root_sectors;
    uint64_t request; /* largest request for these, bytes */
};

/* "Windows", "Linux", "macOS". */
const char *sdsim_pc_name(enum sdsim_pc pc);

/* What the PC will read of a volume. */
struct sdsim_pc_mount sdsim_pc_mount_plan(enum sdsim_pc pc, const struct sdsim_geometry *geometry);

/* Does it, from *now on, through the device. */
enum sdsim_driver_error sdsim_pc_mount(struct sdsim_usb_storage *storage, sdsim_ps *now,
                                       enum sdsim_pc pc, const struct sdsim_geometry *geometry);

#endif
