/*
 * Directory entries of FAT12, FAT16 and FAT32: one 32-byte slot, with long-name slots in front of
 * it.
 */
#ifndef SDSIM_FAT_DIR_FAT_H
#define SDSIM_FAT_DIR_FAT_H

#include "fat/dir.h"

/* Offsets in an entry (Microsoft's FAT specification, section 6). */
enum sdsim_entry_offset {
    SDSIM_ENTRY_ATTRIBUTES = 11,
    SDSIM_ENTRY_CASE = 12,
    SDSIM_ENTRY_CREATED = 14,
    SDSIM_ENTRY_ACCESSED = 18,
    SDSIM_ENTRY_CLUSTER_HIGH = 20,
    SDSIM_ENTRY_MODIFIED = 22,
    SDSIM_ENTRY_CLUSTER_LOW = 26,
    SDSIM_ENTRY_SIZE = 28,
};

#define SDSIM_ENTRY_DELETED 0xE5

/* The first cluster in an entry; only FAT32 has the upper half. */
uint32_t sdsim_entry_cluster(const struct sdsim_volume *volume, const uint8_t *entry);
void sdsim_entry_set_cluster(const struct sdsim_volume *volume, uint8_t *entry, uint32_t cluster);

/* The short name of an entry, in the case its flags say, to volume->name. */
void sdsim_entry_short_name(struct sdsim_volume *volume, const uint8_t *entry);

/* The FAT halves of sdsim_dir_find, _read and _register. */
enum sdsim_fat_result sdsim_entry_find(struct sdsim_volume *volume, struct sdsim_dir *dir);
enum sdsim_fat_result sdsim_entry_read(struct sdsim_volume *volume, struct sdsim_dir *dir);
enum sdsim_fat_result sdsim_entry_register(struct sdsim_volume *volume, struct sdsim_dir *dir);

#endif
