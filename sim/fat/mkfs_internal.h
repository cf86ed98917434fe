/*
 * Shared by the parts of mkfs (mkfs.c, mkfs_fat.c, mkfs_exfat.c); nobody else's business.
 */
#ifndef SDSIM_FAT_MKFS_INTERNAL_H
#define SDSIM_FAT_MKFS_INTERNAL_H

#include "fat/mkfs.h"

/* One sector of bytes, and `count` sectors of zeros, at `lba` of the device. */
bool sdsim_mkfs_put(struct sdsim_medium *medium, uint32_t lba, const uint8_t *bytes);
bool sdsim_mkfs_zero(struct sdsim_medium *medium, uint32_t lba, uint32_t count);

/* What differs between the types: finding the layout for a cluster size (false if it has no room
 * for a single cluster), and writing it. `unit` is the boundary unit in sectors. */
bool sdsim_mkfs_layout_fat(struct sdsim_mkfs_plan *plan, uint32_t unit);
bool sdsim_mkfs_layout_exfat(struct sdsim_mkfs_plan *plan, uint32_t unit);
bool sdsim_mkfs_write_fat(struct sdsim_medium *medium, const struct sdsim_mkfs_plan *plan);
bool sdsim_mkfs_write_exfat(struct sdsim_medium *medium, const struct sdsim_mkfs_plan *plan);

#endif
