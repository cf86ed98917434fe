/*
 * Shared by the parts of the file layer (file.c, file_io.c, file_seek.c); nobody else's business.
 */
#ifndef SDSIM_FAT_FILE_INTERNAL_H
#define SDSIM_FAT_FILE_INTERNAL_H

#include "fat/file.h"

/* The start of a call on a file: it must be open and without error, and disk_status is asked. */
enum sdsim_fat_result sdsim_file_enter(struct sdsim_file *file, sdsim_ps *now);

/* Makes an error stick to the file; hands it back. */
enum sdsim_fat_result sdsim_file_fail(struct sdsim_file *file, enum sdsim_fat_result error);

/* Writes the file's buffer if it is dirty. Nothing in tiny builds. */
enum sdsim_fat_result sdsim_file_flush(struct sdsim_file *file);

/* Makes `lba` the current sector, with its bytes read into the buffer where there is one. */
enum sdsim_fat_result sdsim_file_load(struct sdsim_file *file, uint32_t lba);

/* Builds the fast-seek table, walking the chain twice. */
enum sdsim_fat_result sdsim_file_make_links(struct sdsim_file *file, sdsim_ps *now);

/* The cluster that byte `position` lies in, from the fast-seek table; 0 if it is beyond. */
uint32_t sdsim_file_linked_cluster(const struct sdsim_file *file, uint64_t position);

#endif
