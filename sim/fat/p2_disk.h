/*
 * The buffers of the Propeller 2's file layer (micro_sd_fat32_fs.spin2), put below the engine that
 * stands in for it: one sector each for the directory and the FAT. What is in a buffer is not read
 * again; a write through a buffer empties it.
 *
 * So a file that is opened again and again is found without a read, which is most of what its
 * published benchmarks measure of small files.
 */
#ifndef SDSIM_FAT_P2_DISK_H
#define SDSIM_FAT_P2_DISK_H

#include "driver/driver.h"
#include "fat/disk.h"

struct sdsim_p2_disk {
    struct sdsim_driver *driver;            /* not owned */
    struct sdsim_medium *medium;            /* not owned; the one of the driver's card */
    uint32_t buffered[SDSIM_PURPOSE_COUNT]; /* the sector in the buffer; SDSIM_NO_LBA: none */
};

/* Sets the context up and gives the disk over it; all must outlive the disk. */
struct sdsim_disk sdsim_p2_disk(struct sdsim_p2_disk *p2_disk, struct sdsim_driver *driver,
                                struct sdsim_medium *medium);

#endif
