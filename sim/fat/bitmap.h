/*
 * The allocation bitmap of exFAT: one bit per cluster, cluster 2 first.
 */
#ifndef SDSIM_FAT_BITMAP_H
#define SDSIM_FAT_BITMAP_H

#include "fat/volume.h"

/*
 * Finds `count` free clusters in a row, starting at the bit of cluster `from` itself (from the
 * first bit if that is no valid cluster), up and round once. *first 0: there are none.
 */
enum sdsim_fat_result sdsim_bitmap_find(struct sdsim_volume *volume, uint32_t from, uint32_t count,
                                        uint32_t *first);

/* Sets (or clears) the bits of `count` clusters from `first`. SDSIM_FAT_CORRUPT if one is so
 * already or the run leaves the volume. */
enum sdsim_fat_result sdsim_bitmap_change(struct sdsim_volume *volume, uint32_t first,
                                          uint32_t count, bool used);

/* Counts the clear bits by reading the whole bitmap. */
enum sdsim_fat_result sdsim_bitmap_count_free(struct sdsim_volume *volume, uint32_t *free_clusters);

#endif
