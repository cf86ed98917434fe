/*
 * Directories: walking their 32-byte slots, looking names up, making and removing entries.
 *
 * A look-up goes through the slots from the first one and asks the window for each, so a directory
 * costs one read per sector unless it is in the window. Nothing else about directories is cached.
 * FAT entries are single slots with long-name slots in front; exFAT entries are sets of slots,
 * loaded whole into volume->set.
 */
#ifndef SDSIM_FAT_DIR_H
#define SDSIM_FAT_DIR_H

#include "fat/chain.h"
#include "fat/names.h"
#include "fat/volume.h"
#include "fat/window.h"

#define SDSIM_SLOT 32u

/* Attributes of an entry (the same bits on FAT and exFAT). */
enum sdsim_attributes {
    SDSIM_ATTR_READ_ONLY = 0x01,
    SDSIM_ATTR_HIDDEN = 0x02,
    SDSIM_ATTR_SYSTEM = 0x04,
    SDSIM_ATTR_VOLUME = 0x08,
    SDSIM_ATTR_LONG_NAME = 0x0F,
    SDSIM_ATTR_DIRECTORY = 0x10,
    SDSIM_ATTR_ARCHIVE = 0x20,
    SDSIM_ATTR_MASK = 0x3F,
};

/* Where a directory entry lies: which directory, and the byte offset of its first slot. */
struct sdsim_home {
    struct sdsim_object directory;
    uint32_t offset;
};

#define SDSIM_NO_OFFSET UINT32_MAX

/* A directory and a place in it. */
struct sdsim_dir {
    struct sdsim_object object;
    struct sdsim_home home; /* exFAT: of the directory itself, when it is no root */
    uint32_t offset;        /* byte offset of the slot at hand */
    uint32_t cluster;       /* that the slot is in; 0 in a fixed root */
    uint32_t lba;           /* of the slot; SDSIM_NO_SECTOR behind the end */
    uint32_t set_offset;    /* of the first slot of the entry found; FAT: SDSIM_NO_OFFSET if it is
                               a single slot */
    uint8_t attributes;     /* of the entry found */
    bool stretched;         /* exFAT: got a cluster that its own entry doesn't tell of yet */
    struct sdsim_short_name name; /* what is looked for */
};

/* Makes `dir` the root directory, without I/O. */
void sdsim_dir_root(struct sdsim_dir *dir);

/* Goes to the slot at `offset`: FAT look-ups from the directory's first cluster, no directory I/O.
 */
enum sdsim_fat_result sdsim_dir_goto(struct sdsim_volume *volume, struct sdsim_dir *dir,
                                     uint32_t offset);

/*
 * Goes to the next slot. SDSIM_FAT_NO_FILE at the end of the table; with `stretch` a cluster is
 * added there and cleared instead, or SDSIM_FAT_DENIED if the volume is full.
 */
enum sdsim_fat_result sdsim_dir_step(struct sdsim_volume *volume, struct sdsim_dir *dir,
                                     bool stretch);

/* Brings the slot at hand into the window; sdsim_window_at(volume, dir->offset) is its bytes. */
enum sdsim_fat_result sdsim_dir_need(struct sdsim_volume *volume, const struct sdsim_dir *dir);

/* Finds `slots` free slots in a row, stretching the directory if need be; ends at the last. */
enum sdsim_fat_result sdsim_dir_reserve(struct sdsim_volume *volume, struct sdsim_dir *dir,
                                        uint32_t slots);

/* Fills a new directory cluster with zeros; the window is its first sector afterwards, clean. */
enum sdsim_fat_result sdsim_dir_clear(struct sdsim_volume *volume, uint32_t cluster);

/* The next file or directory from the slot at hand on, as sdsim_dir_find leaves it; its long name,
 * if it has one, in volume->name. SDSIM_FAT_NO_FILE at the end. */
enum sdsim_fat_result sdsim_dir_read(struct sdsim_volume *volume, struct sdsim_dir *dir);

/* Makes an entry for the name at work. FAT: its short entry is in the window, dirty, all but its
 * name zero; exFAT: its set is in volume->set, to be filled in and stored with sdsim_set_store. */
enum sdsim_fat_result sdsim_dir_register(struct sdsim_volume *volume, struct sdsim_dir *dir);

/* Marks the slots of the entry found as deleted. */
enum sdsim_fat_result sdsim_dir_remove(struct sdsim_volume *volume, struct sdsim_dir *dir);

/*
 * Follows an absolute path from the root. The result is that of the last look-up; SDSIM_FAT_NO_PATH
 * if an earlier part is missing or no directory. An empty path gives SDSIM_FAT_OK with the flag
 * SDSIM_NAME_ROOT.
 */
enum sdsim_fat_result sdsim_dir_follow(struct sdsim_volume *volume, const char *path,
                                       struct sdsim_dir *dir);

/* What the entry found says about its chain (exFAT: from volume->set, FAT: from the window). */
void sdsim_dir_object(struct sdsim_volume *volume, const struct sdsim_dir *dir,
                      struct sdsim_object *object);

/* Where the entry found lies. */
struct sdsim_home sdsim_dir_home(const struct sdsim_dir *dir);

/* The time stamp for entries, FAT form. */
uint32_t sdsim_dir_clock(const struct sdsim_volume *volume);

#endif
