/*
 * A bare medium as a disk: reads and writes that take no time. For what happened before the
 * firmware starts, and for tools that look at images.
 */
#ifndef SDSIM_FAT_MEDIUM_DISK_H
#define SDSIM_FAT_MEDIUM_DISK_H

#include "fat/disk.h"
#include "flash/medium.h"

/* The medium must outlive the disk. */
struct sdsim_disk sdsim_medium_disk(struct sdsim_medium *medium);

#endif
