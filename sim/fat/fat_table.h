/*
 * The FAT itself: reading and writing single entries of 12, 16 and 32 bits, and finding free ones.
 */
#ifndef SDSIM_FAT_FAT_TABLE_H
#define SDSIM_FAT_FAT_TABLE_H

#include "fat/volume.h"

/* The entry of a valid cluster, as it stands (FAT32: its 28 bits; exFAT: 31). */
enum sdsim_fat_result sdsim_fat_get(struct sdsim_volume *volume, uint32_t cluster, uint32_t *value);

/* Sets the entry of a valid cluster in the window. Excess bits of `value` are cut; the reserved
 * four bits of a FAT32 entry stay. */
enum sdsim_fat_result sdsim_fat_set(struct sdsim_volume *volume, uint32_t cluster, uint32_t value);

/* Finds a free cluster (FAT volumes) after `cluster`, or for a new chain if it is 0; marks it as an
 * end and links it. *next 0: full. */
enum sdsim_fat_result sdsim_fat_allocate(struct sdsim_volume *volume, uint32_t cluster,
                                         uint32_t *next);

/* Finds `count` free clusters in a row (FAT volumes), from the hint on, and chains them. */
enum sdsim_fat_result sdsim_fat_allocate_run(struct sdsim_volume *volume, uint32_t count,
                                             uint32_t *first);

/* Counts zero entries over the whole FAT (FAT volumes). */
enum sdsim_fat_result sdsim_fat_count_free(struct sdsim_volume *volume, uint32_t *free_clusters);

#endif
