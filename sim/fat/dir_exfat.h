/*
 * Entry sets of exFAT: a file entry (0x85), a stream entry (0xC0) and name entries (0xC1), loaded
 * and stored as a whole in volume->set.
 */
#ifndef SDSIM_FAT_DIR_EXFAT_H
#define SDSIM_FAT_DIR_EXFAT_H

#include "fat/dir.h"

/* Offsets in a set (exFAT specification, sections 7.4, 7.6 and 7.7). */
enum sdsim_set_offset {
    SDSIM_SET_SECONDARY = 1,
    SDSIM_SET_SUM = 2,
    SDSIM_SET_ATTRIBUTES = 4,
    SDSIM_SET_CREATED = 8,
    SDSIM_SET_MODIFIED = 12,
    SDSIM_SET_ACCESSED = 16,
    SDSIM_SET_FLAGS = 33,
    SDSIM_SET_NAME_LENGTH = 35,
    SDSIM_SET_NAME_HASH = 36,
    SDSIM_SET_VALID_SIZE = 40,
    SDSIM_SET_CLUSTER = 52,
    SDSIM_SET_SIZE = 56,
    SDSIM_SET_NAMES = 64,
};

/* Goes to `home` and loads the set there; `dir` gets the directory. */
enum sdsim_fat_result sdsim_set_load_home(struct sdsim_volume *volume,
                                          const struct sdsim_home *home, struct sdsim_dir *dir);

/* Stores the set at dir->set_offset, slot by slot, with a new sum. */
enum sdsim_fat_result sdsim_set_store(struct sdsim_volume *volume, struct sdsim_dir *dir);

/* Writes first cluster, sizes and chain flag into volume->set. */
void sdsim_set_put_object(struct sdsim_volume *volume, const struct sdsim_object *object);

/* The name in volume->set to volume->name. */
void sdsim_set_name(struct sdsim_volume *volume);

/* The exFAT halves of sdsim_dir_find, _read and _register. */
enum sdsim_fat_result sdsim_set_find(struct sdsim_volume *volume, struct sdsim_dir *dir);
enum sdsim_fat_result sdsim_set_read(struct sdsim_volume *volume, struct sdsim_dir *dir);
enum sdsim_fat_result sdsim_set_register(struct sdsim_volume *volume, struct sdsim_dir *dir);

#endif
