/*
 * An SD driver as the disk below a file system: FatFs's diskio over the driver's calls.
 */
#ifndef SDSIM_FAT_DRIVER_DISK_H
#define SDSIM_FAT_DRIVER_DISK_H

#include "driver/driver.h"
#include "fat/disk.h"

/* The disk of an initialised driver, which must outlive it. */
struct sdsim_disk sdsim_driver_disk(struct sdsim_driver *driver);

#endif
