#include "fat/tree.h"

#include <stddef.h>

#include "fat/library.h"

static bool is_mounted(const struct sdsim_volume *volume)
{
    return volume->geometry.type != SDSIM_FAT_UNMOUNTED;
}

enum sdsim_fat_result sdsim_tree_mkdir(struct sdsim_volume *volume, sdsim_ps *now, const char *path)
{
    return is_mounted(volume) ? volume->library->mkdir(volume, now, path) : SDSIM_FAT_NOT_MOUNTED;
}

enum sdsim_fat_result sdsim_tree_unlink(struct sdsim_volume *volume, sdsim_ps *now,
                                        const char *path)
{
    return is_mounted(volume) ? volume->library->unlink(volume, now, path) : SDSIM_FAT_NOT_MOUNTED;
}

enum sdsim_fat_result sdsim_tree_rename(struct sdsim_volume *volume, sdsim_ps *now,
                                        const char *from, const char *to)
{
    return is_mounted(volume) ? volume->library->rename(volume, now, from, to)
                              : SDSIM_FAT_NOT_MOUNTED;
}

enum sdsim_fat_result sdsim_tree_stat(struct sdsim_volume *volume, sdsim_ps *now, const char *path,
                                      struct sdsim_dir_info *entry)
{
    return is_mounted(volume) ? volume->library->stat(volume, now, path, entry)
                              : SDSIM_FAT_NOT_MOUNTED;
}

enum sdsim_fat_result sdsim_tree_free(struct sdsim_volume *volume, sdsim_ps *now,
                                      uint32_t *clusters)
{
    return is_mounted(volume) ? volume->library->count_free(volume, now, clusters)
                              : SDSIM_FAT_NOT_MOUNTED;
}

enum sdsim_fat_result sdsim_dir_list_open(struct sdsim_dir_list *listing,
                                          struct sdsim_volume *volume, sdsim_ps *now,
                                          const char *path)
{
    listing->volume = NULL;
    if (!is_mounted(volume)) {
        return SDSIM_FAT_NOT_MOUNTED;
    }
    const enum sdsim_fat_result result = volume->library->list_open(listing, volume, now, path);
    if (result == SDSIM_FAT_OK) {
        listing->volume = volume;
        listing->mount = volume->mount;
    }
    return result;
}

static bool is_open(const struct sdsim_dir_list *listing)
{
    return listing->volume != NULL && listing->volume->mount == listing->mount;
}

enum sdsim_fat_result sdsim_dir_list_next(struct sdsim_dir_list *listing, sdsim_ps *now,
                                          struct sdsim_dir_info *entry, bool *more)
{
    *more = false;
    return is_open(listing) ? listing->volume->library->list_next(listing, now, entry, more)
                            : SDSIM_FAT_INVALID_OBJECT;
}

enum sdsim_fat_result sdsim_dir_list_close(struct sdsim_dir_list *listing, sdsim_ps *now)
{
    enum sdsim_fat_result result = SDSIM_FAT_INVALID_OBJECT;
    if (is_open(listing)) {
        result = listing->volume->library->list_close(listing, now);
    }
    if (result == SDSIM_FAT_OK || result == SDSIM_FAT_INVALID_OBJECT) {
        listing->volume = NULL;
    }
    return result;
}
