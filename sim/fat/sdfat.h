/*
 * SdFat (FatLib and ExFatLib) as a library of fat/library.h, and what the classic Arduino library
 * (fat/classic.h), which is an SdFat of 2009, has in common with it.
 *
 * How SdFat works. One cached sector, the window, serves the FAT, directories, the bitmap, and data
 * that is no whole sector; ARM builds have a second one, for the FAT (on exFAT for the bitmap). A
 * cached sector is written when another one is needed. Beside it stand four habits that FatFs does
 * not have:
 *
 *  - Data. Two whole sectors or more from a sector border on go to the disk in one call that ends
 *    at the cluster border; a single one in a call of its own; parts of sectors go to the window,
 *    which is written at once when the sector is full. Single-sector builds (small AVRs) never put
 *    two in a call.
 *  - The directory entry is written by sync and close only, and every sync and every close - also
 *    of files opened for reading, and of each directory on the way to a file - ends with
 *    syncDevice (CTRL_SYNC). FSINFO is neither read nor written, so the free clusters are searched
 *    for from the start of the FAT after each mount.
 *  - A file that was written in one go, or preallocated, is known to be contiguous as long as it is
 *    open: its FAT isn't read. On exFAT a contiguous file has no FAT, as usual.
 *  - Long-name slots are written from the short entry backwards; slots of a name with as many parts
 *    as the one that is looked for are read backwards once more to compare them.
 *
 * volume->hint: on FAT, all clusters up to this one are taken, as far as SdFat knows; on exFAT, the
 * first free cluster; classic: where the next file may begin.
 *
 * Checked against SdFat 2.3.1 and SD at the commits that tests/data/sdfat/README.md names, compiled
 * for a PC and run on a disk in memory: all block operations of its sequences are the same, and so
 * were those of some 400,000 random operations. Limits: long names on (USE_LONG_FILE_NAMES), no date
 * callback, no FAT12, ASCII names, no free count kept, as the library is by default. Where SdFat
 * takes milliseconds since the start to make a short name unique, a hash of the long name is taken.
 * A completely full exFAT volume, on which SdFat would search for ever, counts as full.
 */
#ifndef SDSIM_FAT_SDFAT_H
#define SDSIM_FAT_SDFAT_H

#include "fat/chain.h"
#include "fat/file.h"
#include "fat/tree.h"
#include "fat/window.h"

/* The calls; struct sdsim_library says what they get. Those on open files are classic's, too. */
enum sdsim_fat_result sdsim_sdfat_mount(struct sdsim_volume *volume);
enum sdsim_fat_result sdsim_sdfat_open(struct sdsim_file *file, struct sdsim_volume *volume,
                                       sdsim_ps *now, const char *path, enum sdsim_open_mode mode);
enum sdsim_fat_result sdsim_sdfat_read(struct sdsim_file *file, sdsim_ps *now, uint64_t bytes,
                                       void *out, uint64_t *done);
enum sdsim_fat_result sdsim_sdfat_write(struct sdsim_file *file, sdsim_ps *now,
                                        const struct sdsim_content *content, uint64_t bytes,
                                        uint64_t *done);
enum sdsim_fat_result sdsim_sdfat_seek(struct sdsim_file *file, sdsim_ps *now, uint64_t position);
enum sdsim_fat_result sdsim_sdfat_sync(struct sdsim_file *file, sdsim_ps *now);
enum sdsim_fat_result sdsim_sdfat_close(struct sdsim_file *file, sdsim_ps *now);
enum sdsim_fat_result sdsim_sdfat_truncate(struct sdsim_file *file, sdsim_ps *now);
enum sdsim_fat_result sdsim_sdfat_expand(struct sdsim_file *file, sdsim_ps *now, uint64_t bytes);
enum sdsim_fat_result sdsim_sdfat_mkdir(struct sdsim_volume *volume, sdsim_ps *now,
                                        const char *path);
enum sdsim_fat_result sdsim_sdfat_unlink(struct sdsim_volume *volume, sdsim_ps *now,
                                         const char *path);
enum sdsim_fat_result sdsim_sdfat_rename(struct sdsim_volume *volume, sdsim_ps *now,
                                         const char *from, const char *to);
enum sdsim_fat_result sdsim_sdfat_stat(struct sdsim_volume *volume, sdsim_ps *now, const char *path,
                                       struct sdsim_dir_info *entry);
enum sdsim_fat_result sdsim_sdfat_list_open(struct sdsim_dir_list *listing,
                                            struct sdsim_volume *volume, sdsim_ps *now,
                                            const char *path);
enum sdsim_fat_result sdsim_sdfat_list_next(struct sdsim_dir_list *listing, sdsim_ps *now,
                                            struct sdsim_dir_info *entry, bool *more);
enum sdsim_fat_result sdsim_sdfat_list_close(struct sdsim_dir_list *listing, sdsim_ps *now);
enum sdsim_fat_result sdsim_sdfat_count_free(struct sdsim_volume *volume, sdsim_ps *now,
                                             uint32_t *clusters);

static inline bool sdsim_sdfat_is_classic(const struct sdsim_volume *volume)
{
    return volume->config.library == SDSIM_LIBRARY_CLASSIC;
}

/* Finds the volume for classic and reads its geometry. */
enum sdsim_fat_result sdsim_sdfat_find_classic(struct sdsim_volume *volume);

/* ---- the cached sectors (sdfat_cache.c) ---- */

/* Writes what is dirty, and ends the transfer on the bus (classic: the former only). */
enum sdsim_fat_result sdsim_sdfat_flush(struct sdsim_volume *volume);

/* Makes the window sector `lba` without reading it, zero and dirty. */
enum sdsim_fat_result sdsim_sdfat_reserve(struct sdsim_volume *volume, uint32_t lba,
                                          enum sdsim_purpose purpose);

/* Reads or writes whole sectors past the window, which is written before or forgotten if it is
 * among them. Of a single sector that is read, the caller knows that it is not in the window. */
enum sdsim_fat_result sdsim_sdfat_read_past(struct sdsim_volume *volume, uint32_t lba,
                                            uint32_t count, void *out);
enum sdsim_fat_result sdsim_sdfat_write_past(struct sdsim_volume *volume, uint32_t lba,
                                             uint32_t count, const struct sdsim_content *content);

/* ---- clusters (sdfat_cluster.c) ---- */

/* The successor of a cluster; SDSIM_CHAIN_END at the end. SDSIM_FAT_CORRUPT if it is none. */
enum sdsim_fat_result sdsim_sdfat_next(struct sdsim_volume *volume, uint32_t cluster,
                                       uint32_t *next);

/* Adds a cluster behind file->cluster, which it becomes; without one the first. object.start is
 * left to the caller. *room false: the volume is full. */
enum sdsim_fat_result sdsim_sdfat_add_cluster(struct sdsim_file *file, bool *room);

/* The same for a directory, and clears it; position is the end then. SDSIM_FAT_DENIED if there is
 * no room or the directory can't grow. */
enum sdsim_fat_result sdsim_sdfat_add_dir_cluster(struct sdsim_file *directory, bool is_root);

/* Allocates `count` clusters in a row; *first 0: there is no such run. */
enum sdsim_fat_result sdsim_sdfat_allocate_run(struct sdsim_volume *volume, uint32_t count,
                                               uint32_t *first);

/* Frees a chain that is on the FAT, from `cluster` on. */
enum sdsim_fat_result sdsim_sdfat_free_chain(struct sdsim_volume *volume, uint32_t cluster);

/* exFAT: frees clusters in a row that are on no FAT. */
enum sdsim_fat_result sdsim_sdfat_free_run(struct sdsim_volume *volume, uint32_t first,
                                           uint32_t count);

/* exFAT: what is done at mount. */
enum sdsim_fat_result sdsim_sdfat_find_first_free(struct sdsim_volume *volume);

/* ---- positions (sdfat_io.c) ---- */

/* Goes to a position of a file or directory that it has, following the FAT where need be. */
enum sdsim_fat_result sdsim_sdfat_go_to(struct sdsim_file *file, uint64_t position);

/* ---- directories: open files, too (sdfat_dir.c) ---- */

/* Makes *directory the open root directory, without I/O. */
void sdsim_sdfat_open_root(struct sdsim_file *directory, struct sdsim_volume *volume);

/* The next slot of a directory, in the window; NULL at the end. */
enum sdsim_fat_result sdsim_sdfat_next_slot(struct sdsim_file *directory, uint8_t **slot);

/* The slot at a byte offset of a directory. SDSIM_FAT_CORRUPT if there is none. */
enum sdsim_fat_result sdsim_sdfat_slot_at(struct sdsim_file *directory, uint32_t offset,
                                          uint8_t **slot);

/* The part of a path that is looked for; its long form is in volume->name. */
struct sdsim_sdfat_name {
    struct sdsim_short_name short_name;
    uint32_t tail;  /* FAT: where '~' is put in it */
    uint32_t parts; /* FAT: slots that its long form takes */
    bool last;      /* of the path */
};

/* Takes the next part off a path. */
enum sdsim_fat_result sdsim_sdfat_take_name(struct sdsim_volume *volume, const char **path,
                                            struct sdsim_sdfat_name *name);

/* What open is to do. */
struct sdsim_sdfat_mode {
    bool reads;
    bool writes;
    bool creates;
    bool exclusive; /* must not exist */
    bool cuts;
    bool appends; /* seeks to the end before each write */
    bool at_end;
};

/* Opens a file or directory in a directory. SDSIM_FAT_NO_FILE, SDSIM_FAT_EXISTS, SDSIM_FAT_DENIED
 * for writing directories and read-only files. */
enum sdsim_fat_result sdsim_sdfat_open_in(struct sdsim_file *file, struct sdsim_file *directory,
                                          struct sdsim_sdfat_name *name,
                                          const struct sdsim_sdfat_mode *mode);

/* Follows a path to the directory of its last part, which it takes. SDSIM_FAT_INVALID_NAME if the
 * path is the root, SDSIM_FAT_NO_PATH if a directory is missing. */
enum sdsim_fat_result sdsim_sdfat_follow(struct sdsim_volume *volume, const char *path,
                                         struct sdsim_file *directory,
                                         struct sdsim_sdfat_name *name);

/* A new, empty file becomes a directory: gets a cluster, and its "." and ".." on FAT. */
enum sdsim_fat_result sdsim_sdfat_become_directory(struct sdsim_file *directory,
                                                   const struct sdsim_file *parent);

/* SDSIM_FAT_DENIED if a directory has an entry. */
enum sdsim_fat_result sdsim_sdfat_check_empty(struct sdsim_file *directory);

/* ---- FAT directories (sdfat_entry.c) and exFAT directories (sdfat_set.c) ---- */

/* What a look-up learnt about where a new entry can go. */
struct sdsim_sdfat_gap {
    uint32_t offset;  /* of its first slot, bytes */
    uint32_t cluster; /* exFAT: that this is in */
    uint32_t slots;   /* free ones in a row, as far as they are needed */
    bool short_taken; /* FAT: another file has the short name */
};

/* Looks for a name: file->place, attributes, object and valid_size say what was found. FAT: the
 * short slot is in the window. */
enum sdsim_fat_result sdsim_sdfat_find_entry(struct sdsim_file *file, struct sdsim_file *directory,
                                             const struct sdsim_sdfat_name *name,
                                             struct sdsim_sdfat_gap *gap);
enum sdsim_fat_result sdsim_sdfat_find_set(struct sdsim_file *file, struct sdsim_file *directory,
                                           const struct sdsim_sdfat_name *name,
                                           struct sdsim_sdfat_gap *gap);

/* The next file or directory of a directory. */
enum sdsim_fat_result sdsim_sdfat_next_entry(struct sdsim_file *file, struct sdsim_file *directory);
enum sdsim_fat_result sdsim_sdfat_next_set(struct sdsim_file *file, struct sdsim_file *directory);

/* The name of an open file, to volume->name. */
enum sdsim_fat_result sdsim_sdfat_name_of_entry(struct sdsim_file *file);
enum sdsim_fat_result sdsim_sdfat_name_of_set(struct sdsim_file *file);

/* Makes an entry for a name that was not found. FAT: it is in the window, dirty. exFAT: all but its
 * sum is. */
enum sdsim_fat_result sdsim_sdfat_make_entry(struct sdsim_file *file, struct sdsim_file *directory,
                                             struct sdsim_sdfat_name *name,
                                             struct sdsim_sdfat_gap *gap);
enum sdsim_fat_result sdsim_sdfat_make_set(struct sdsim_file *file, struct sdsim_file *directory,
                                           struct sdsim_sdfat_gap *gap);

/* Writes what the file knows to its entry (in the window) or set, and its sum. */
enum sdsim_fat_result sdsim_sdfat_store_entry(struct sdsim_file *file);
enum sdsim_fat_result sdsim_sdfat_store_set(struct sdsim_file *file);

/* Marks the slots of a file as deleted. FAT: flushes after the short one and after the last. */
enum sdsim_fat_result sdsim_sdfat_remove_entry(struct sdsim_file *file);
enum sdsim_fat_result sdsim_sdfat_remove_set(struct sdsim_file *file);

#endif
