/*
 * The classic Arduino library ("SD" of the IDE, an SdFat of 2009 behind SD.open and File) as a
 * library of fat/library.h.
 *
 * What it does with open files is SdFat's (fat/sdfat.h), but for this: there is one cached sector
 * for everything, no call moves more than one sector, and there is no syncDevice. A sector that
 * becomes full in the cache stays there until another one is needed, so the head of an unaligned
 * write reaches the card behind the whole sectors of the same call. A call counts its bytes in 16
 * bits: one of 64 KiB does nothing. Nothing is known about contiguous files. The next cluster of a
 * file is looked for behind its last one, round the end of the FAT; the first behind the first one
 * of the file made before; after something was freed, from the start.
 *
 * What it does with names is its own: 8.3 only. Creating a file writes its entry at once. SD.open
 * measures the root directory (FAT32: by its chain) each time, and each directory on the way; it
 * closes those, which writes the cache. exists, mkdir, remove and rmdir start from a root that was
 * measured at mount. mkdir makes missing parents. Listing looks every entry up once more, from the
 * start of the directory.
 *
 * Writing a whole sector that is in the cache and dirty breaks it for good: it forgets which sector
 * is dirty, and from then on nothing can be read but what is in no need of the cache. That is so in
 * the library as well: write a part of a sector, seek to its start, write 512 bytes, sync.
 *
 * Checked and limits: see fat/sdfat.h. There is no rename and no free count; FAT12 and exFAT can't
 * be mounted.
 */
#ifndef SDSIM_FAT_CLASSIC_H
#define SDSIM_FAT_CLASSIC_H

#include "fat/file.h"
#include "fat/tree.h"

/* The calls; struct sdsim_library says what they get. The others are SdFat's. */
enum sdsim_fat_result sdsim_classic_mount(struct sdsim_volume *volume);
enum sdsim_fat_result sdsim_classic_open(struct sdsim_file *file, struct sdsim_volume *volume,
                                         sdsim_ps *now, const char *path,
                                         enum sdsim_open_mode mode);
enum sdsim_fat_result sdsim_classic_mkdir(struct sdsim_volume *volume, sdsim_ps *now,
                                          const char *path);
enum sdsim_fat_result sdsim_classic_unlink(struct sdsim_volume *volume, sdsim_ps *now,
                                           const char *path);
enum sdsim_fat_result sdsim_classic_rename(struct sdsim_volume *volume, sdsim_ps *now,
                                           const char *from, const char *to);
enum sdsim_fat_result sdsim_classic_stat(struct sdsim_volume *volume, sdsim_ps *now,
                                         const char *path, struct sdsim_dir_info *entry);
enum sdsim_fat_result sdsim_classic_list_open(struct sdsim_dir_list *listing,
                                              struct sdsim_volume *volume, sdsim_ps *now,
                                              const char *path);
enum sdsim_fat_result sdsim_classic_list_next(struct sdsim_dir_list *listing, sdsim_ps *now,
                                              struct sdsim_dir_info *entry, bool *more);
enum sdsim_fat_result sdsim_classic_count_free(struct sdsim_volume *volume, sdsim_ps *now,
                                               uint32_t *clusters);

#endif
