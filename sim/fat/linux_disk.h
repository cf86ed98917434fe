/*
 * What a file system of Linux does to the requests of an application that reads and writes with
 * O_DIRECT, put below the FAT engine that says which sectors a file has.
 *
 * Data goes to the card as it comes, joined: the pieces of one call that lie one behind the other
 * become one request of up to 512 KiB, whatever the clusters (the block layer's plug, and ext4's
 * extents). Everything else - FAT, directory, bitmap - is in the page cache: reading and changing it
 * costs no time. So a file on FAT behaves as one on ext4 does between two commits of the journal.
 *
 * Limits: what the page cache and the journal write back later, or at an fsync, is not modelled, nor
 * are reads ahead and requests in parallel.
 */
#ifndef SDSIM_FAT_LINUX_DISK_H
#define SDSIM_FAT_LINUX_DISK_H

#include "driver/driver.h"
#include "fat/disk.h"

struct sdsim_linux_disk {
    struct sdsim_driver *driver; /* not owned */
    struct sdsim_medium *medium; /* not owned; the one of the driver's card */
    uint32_t lba;                /* of the request that is being joined */
    uint32_t count;              /* its sectors; 0: there is none */
    bool writes;
    struct sdsim_content content; /* of a write; generated */
};

/* Sets the context up and gives the disk over it; all must outlive the disk. */
struct sdsim_disk sdsim_linux_disk(struct sdsim_linux_disk *linux_disk, struct sdsim_driver *driver,
                                   struct sdsim_medium *medium);

#endif
