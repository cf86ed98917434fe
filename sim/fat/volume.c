#include "fat/volume.h"

#include <string.h>

#include "fat/library.h"

const char *sdsim_fat_type_name(enum sdsim_fat_type type)
{
    static const char *const names[] = {"none", "FAT12", "FAT16", "FAT32", "exFAT"};
    return names[type];
}

bool sdsim_volume_config_mounts(const struct sdsim_volume_config *config, enum sdsim_fat_type type)
{
    return type == SDSIM_EXFAT ? config->exfat
                               : type != SDSIM_FAT12 || config->library == SDSIM_LIBRARY_FATFS;
}

enum sdsim_fat_result sdsim_volume_mount(struct sdsim_volume *volume, const struct sdsim_disk *disk,
                                         const struct sdsim_volume_config *config, sdsim_ps *now)
{
    const uint32_t mount = volume->mount + 1;
    memset(volume, 0, sizeof *volume);
    volume->config = *config;
    volume->disk = disk;
    volume->now = now;
    volume->mount = mount;
    volume->hint = SDSIM_UNKNOWN;
    volume->free_clusters = SDSIM_UNKNOWN;
    volume->library = sdsim_library(config->library);
    const enum sdsim_fat_result result = volume->library->mount(volume);
    if (result != SDSIM_FAT_OK) {
        sdsim_volume_unmount(volume);
    }
    return result;
}

void sdsim_volume_unmount(struct sdsim_volume *volume)
{
    volume->geometry.type = SDSIM_FAT_UNMOUNTED;
    volume->mount++;
    volume->now = NULL;
}

enum sdsim_fat_result sdsim_volume_enter(struct sdsim_volume *volume, sdsim_ps *now)
{
    if (volume->geometry.type == SDSIM_FAT_UNMOUNTED) {
        return SDSIM_FAT_NOT_MOUNTED;
    }
    volume->now = now;
    const struct sdsim_disk *disk = volume->disk;
    if (disk->ops->status != NULL && disk->ops->status(disk->context, now) != SDSIM_DISK_OK) {
        return SDSIM_FAT_NOT_READY;
    }
    return SDSIM_FAT_OK;
}
