/*
 * What the next operations of a FAT library depend on, apart from what is on the disk.
 */
#ifndef SDSIM_FAT_VOLUME_STATE_H
#define SDSIM_FAT_VOLUME_STATE_H

#include "core/digest.h"
#include "fat/file.h"

/* Of a mounted volume. What never changes while it is mounted is left out. */
void sdsim_volume_digest(const struct sdsim_volume *volume, struct sdsim_digest *digest);

/* Of an open file without a fast-seek table. */
void sdsim_file_digest(const struct sdsim_file *file, struct sdsim_digest *digest);

#endif
