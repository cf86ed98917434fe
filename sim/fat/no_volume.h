/*
 * Why there is no volume on a disk that should have one.
 *
 * Where FatFs only answers "no file system", this goes the same way - sector 0, the partition
 * table, the first sectors of its partitions - and names the sector and the field that made it give
 * up: a size of clusters that is no power of two, a FAT too short for its clusters, a partition that
 * begins behind the end of the card.
 *
 * Limits: one reason, that of the boot sector that looks most like one; 512-byte sectors.
 */
#ifndef SDSIM_FAT_NO_VOLUME_H
#define SDSIM_FAT_NO_VOLUME_H

#include <stddef.h>

#include "fat/disk.h"

/* The reason as a sentence, for a disk on which sdsim_volume_mount (with exFAT and GPT) found
 * nothing. Returns `out`, cut at `size`. */
char *sdsim_no_volume_text(const struct sdsim_disk *disk, char *out, size_t size);

#endif
