/*
 * FatFs as a library of fat/library.h: its calls, and what the parts of its file layer
 * (fatfs_file.c, fatfs_io.c, fatfs_seek.c) share.
 *
 * Whole sectors go straight between the caller and the disk, in calls that end at cluster borders;
 * parts of sectors go through the file's buffer, or through the volume's window in tiny builds. A
 * full buffer is not written when it becomes full but when the next access leaves it. Every call
 * asks disk_status first, closing a file does so twice.
 *
 * A file that met a disk error or a corrupt structure refuses all further calls with that result
 * but sync and close.
 */
#ifndef SDSIM_FAT_FATFS_H
#define SDSIM_FAT_FATFS_H

#include "fat/file.h"
#include "fat/tree.h"

/* The calls; struct sdsim_library says what they get. */
enum sdsim_fat_result sdsim_fatfs_mount(struct sdsim_volume *volume);
enum sdsim_fat_result sdsim_fatfs_open(struct sdsim_file *file, struct sdsim_volume *volume,
                                       sdsim_ps *now, const char *path, enum sdsim_open_mode mode);
enum sdsim_fat_result sdsim_fatfs_read(struct sdsim_file *file, sdsim_ps *now, uint64_t bytes,
                                       void *out, uint64_t *done);
enum sdsim_fat_result sdsim_fatfs_write(struct sdsim_file *file, sdsim_ps *now,
                                        const struct sdsim_content *content, uint64_t bytes,
                                        uint64_t *done);
enum sdsim_fat_result sdsim_fatfs_seek(struct sdsim_file *file, sdsim_ps *now, uint64_t position);
enum sdsim_fat_result sdsim_fatfs_sync(struct sdsim_file *file, sdsim_ps *now);
enum sdsim_fat_result sdsim_fatfs_close(struct sdsim_file *file, sdsim_ps *now);
enum sdsim_fat_result sdsim_fatfs_truncate(struct sdsim_file *file, sdsim_ps *now);
enum sdsim_fat_result sdsim_fatfs_expand(struct sdsim_file *file, sdsim_ps *now, uint64_t bytes);
enum sdsim_fat_result sdsim_fatfs_mkdir(struct sdsim_volume *volume, sdsim_ps *now,
                                        const char *path);
enum sdsim_fat_result sdsim_fatfs_unlink(struct sdsim_volume *volume, sdsim_ps *now,
                                         const char *path);
enum sdsim_fat_result sdsim_fatfs_rename(struct sdsim_volume *volume, sdsim_ps *now,
                                         const char *from, const char *to);
enum sdsim_fat_result sdsim_fatfs_stat(struct sdsim_volume *volume, sdsim_ps *now, const char *path,
                                       struct sdsim_dir_info *entry);
enum sdsim_fat_result sdsim_fatfs_list_open(struct sdsim_dir_list *listing,
                                            struct sdsim_volume *volume, sdsim_ps *now,
                                            const char *path);
enum sdsim_fat_result sdsim_fatfs_list_next(struct sdsim_dir_list *listing, sdsim_ps *now,
                                            struct sdsim_dir_info *entry, bool *more);
enum sdsim_fat_result sdsim_fatfs_list_close(struct sdsim_dir_list *listing, sdsim_ps *now);
enum sdsim_fat_result sdsim_fatfs_count_free(struct sdsim_volume *volume, sdsim_ps *now,
                                             uint32_t *clusters);

/* The start of a call on a file: disk_status is asked, and the file must be without error. */
enum sdsim_fat_result sdsim_fatfs_enter(struct sdsim_file *file, sdsim_ps *now);

/* Makes an error stick to the file; hands it back. */
enum sdsim_fat_result sdsim_fatfs_fail(struct sdsim_file *file, enum sdsim_fat_result error);

/* Writes the file's buffer if it is dirty. Nothing in tiny builds. */
enum sdsim_fat_result sdsim_fatfs_flush(struct sdsim_file *file);

/* Makes `lba` the current sector, with its bytes read into the buffer where there is one. */
enum sdsim_fat_result sdsim_fatfs_load(struct sdsim_file *file, uint32_t lba);

/* Builds the fast-seek table, walking the chain twice. */
enum sdsim_fat_result sdsim_fatfs_make_links(struct sdsim_file *file, sdsim_ps *now);

/* The cluster that byte `position` lies in, from the fast-seek table; 0 if it is beyond. */
uint32_t sdsim_fatfs_linked_cluster(const struct sdsim_file *file, uint64_t position);

#endif
