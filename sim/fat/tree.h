/*
 * The directory tree of a volume: make, remove, rename, look at and list entries; the free count.
 *
 * Paths are absolute, UTF-8, with '/' or '\' between parts; case is ignored. Limits: no "." and
 * "..", no current directory, no volume label. The classic library can't rename and has no free
 * count (SDSIM_FAT_DENIED).
 */
#ifndef SDSIM_FAT_TREE_H
#define SDSIM_FAT_TREE_H

#include "fat/dir.h"
#include "fat/file.h"
#include "fat/volume.h"

/* UTF-8 bytes of the longest name, with its zero. */
#define SDSIM_NAME_BYTES (SDSIM_NAME_MAX * 3 + 1)

/* What a directory entry says. */
struct sdsim_dir_info {
    uint64_t size;      /* bytes; 0 for directories */
    uint32_t start;     /* first cluster, 0: none */
    uint32_t modified;  /* DOS date in the upper half, time in the lower */
    uint8_t attributes; /* of enum sdsim_attributes */
    bool contiguous;    /* exFAT: its chain has no FAT */
    char name[SDSIM_NAME_BYTES];
};

/* Makes an empty directory. */
enum sdsim_fat_result sdsim_tree_mkdir(struct sdsim_volume *volume, sdsim_ps *now,
                                       const char *path);

/* Removes a file or an empty directory; SDSIM_FAT_DENIED if it is not empty or read-only. */
enum sdsim_fat_result sdsim_tree_unlink(struct sdsim_volume *volume, sdsim_ps *now,
                                        const char *path);

/* Renames or moves a file or directory; SDSIM_FAT_EXISTS if `to` exists (and isn't `from`). */
enum sdsim_fat_result sdsim_tree_rename(struct sdsim_volume *volume, sdsim_ps *now,
                                        const char *from, const char *to);

/* Looks an entry up. `entry` may be NULL. The root has none: SDSIM_FAT_INVALID_NAME. */
enum sdsim_fat_result sdsim_tree_stat(struct sdsim_volume *volume, sdsim_ps *now, const char *path,
                                      struct sdsim_dir_info *entry);

/* An open directory. */
struct sdsim_dir_list {
    struct sdsim_volume *volume; /* NULL: not open */
    uint32_t mount;
    struct sdsim_dir dir;        /* FatFs */
    struct sdsim_file directory; /* SdFat, classic */
};

/*
 * Opens, reads and closes a directory. sdsim_dir_list_next leaves SDSIM_FAT_OK and false in *more
 * at the end; the entry is what was found, in the order of the directory, without "." and "..".
 */
enum sdsim_fat_result sdsim_dir_list_open(struct sdsim_dir_list *listing,
                                          struct sdsim_volume *volume, sdsim_ps *now,
                                          const char *path);
enum sdsim_fat_result sdsim_dir_list_next(struct sdsim_dir_list *listing, sdsim_ps *now,
                                          struct sdsim_dir_info *entry, bool *more);
enum sdsim_fat_result sdsim_dir_list_close(struct sdsim_dir_list *listing, sdsim_ps *now);

/* Free clusters: from memory if FatFs knows them, else by reading the whole FAT or bitmap. */
enum sdsim_fat_result sdsim_tree_free(struct sdsim_volume *volume, sdsim_ps *now,
                                      uint32_t *clusters);

#endif
