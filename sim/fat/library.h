/*
 * A library that accesses FAT volumes, as a table of what it does for each call.
 *
 * The libraries share everything that is a fact of the volume: the geometry, the buffered sectors
 * (fat/window.h), the entries of the FAT, the bits of the bitmap, the form of directory entries.
 * They differ in what they keep in memory, in which order they touch what, and in when they write.
 * sdsim_volume_mount chooses the table by the configuration; the calls of fat/file.h and fat/tree.h
 * look the function up and hand their arguments on. A file that is not open, or whose volume was
 * unmounted or mounted anew, never gets this far.
 *
 * What a library lacks gives SDSIM_FAT_DENIED. FatFs: fat/fatfs.h. SdFat: fat/sdfat.h. The classic
 * Arduino library: fat/classic.h.
 */
#ifndef SDSIM_FAT_LIBRARY_H
#define SDSIM_FAT_LIBRARY_H

#include "fat/file.h"
#include "fat/tree.h"

struct sdsim_library {
    /* The volume is reset and has its disk and time; geometry is to be filled in. */
    enum sdsim_fat_result (*mount)(struct sdsim_volume *volume);

    /* *file is all zero but its buffer. On error it is dropped by the caller. */
    enum sdsim_fat_result (*open)(struct sdsim_file *file, struct sdsim_volume *volume,
                                  sdsim_ps *now, const char *path, enum sdsim_open_mode mode);
    /* *done is 0 at the start. */
    enum sdsim_fat_result (*read)(struct sdsim_file *file, sdsim_ps *now, uint64_t bytes, void *out,
                                  uint64_t *done);
    enum sdsim_fat_result (*write)(struct sdsim_file *file, sdsim_ps *now,
                                   const struct sdsim_content *content, uint64_t bytes,
                                   uint64_t *done);
    enum sdsim_fat_result (*seek)(struct sdsim_file *file, sdsim_ps *now, uint64_t position);
    enum sdsim_fat_result (*sync)(struct sdsim_file *file, sdsim_ps *now);
    /* Drops the file if it is closed. */
    enum sdsim_fat_result (*close)(struct sdsim_file *file, sdsim_ps *now);
    enum sdsim_fat_result (*truncate)(struct sdsim_file *file, sdsim_ps *now);
    enum sdsim_fat_result (*expand)(struct sdsim_file *file, sdsim_ps *now, uint64_t bytes);

    enum sdsim_fat_result (*mkdir)(struct sdsim_volume *volume, sdsim_ps *now, const char *path);
    enum sdsim_fat_result (*unlink)(struct sdsim_volume *volume, sdsim_ps *now, const char *path);
    enum sdsim_fat_result (*rename)(struct sdsim_volume *volume, sdsim_ps *now, const char *from,
                                    const char *to);
    enum sdsim_fat_result (*stat)(struct sdsim_volume *volume, sdsim_ps *now, const char *path,
                                  struct sdsim_dir_info *entry);
    /* Sets what it needs of *listing but volume and mount. */
    enum sdsim_fat_result (*list_open)(struct sdsim_dir_list *listing, struct sdsim_volume *volume,
                                       sdsim_ps *now, const char *path);
    /* *more is false at the start; `entry` may be NULL. */
    enum sdsim_fat_result (*list_next)(struct sdsim_dir_list *listing, sdsim_ps *now,
                                       struct sdsim_dir_info *entry, bool *more);
    enum sdsim_fat_result (*list_close)(struct sdsim_dir_list *listing, sdsim_ps *now);
    enum sdsim_fat_result (*count_free)(struct sdsim_volume *volume, sdsim_ps *now,
                                        uint32_t *clusters);
};

/* The table of a library. */
const struct sdsim_library *sdsim_library(enum sdsim_fat_library library);

#endif
