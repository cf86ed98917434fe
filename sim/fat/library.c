#include "fat/library.h"

#include "fat/classic.h"
#include "fat/fatfs.h"
#include "fat/sdfat.h"

static const struct sdsim_library libraries[SDSIM_LIBRARY_COUNT] = {
    [SDSIM_LIBRARY_FATFS] = {.mount = sdsim_fatfs_mount,
                             .open = sdsim_fatfs_open,
                             .read = sdsim_fatfs_read,
                             .write = sdsim_fatfs_write,
                             .seek = sdsim_fatfs_seek,
                             .sync = sdsim_fatfs_sync,
                             .close = sdsim_fatfs_close,
                             .truncate = sdsim_fatfs_truncate,
                             .expand = sdsim_fatfs_expand,
                             .mkdir = sdsim_fatfs_mkdir,
                             .unlink = sdsim_fatfs_unlink,
                             .rename = sdsim_fatfs_rename,
                             .stat = sdsim_fatfs_stat,
                             .list_open = sdsim_fatfs_list_open,
                             .list_next = sdsim_fatfs_list_next,
                             .list_close = sdsim_fatfs_list_close,
                             .count_free = sdsim_fatfs_count_free},
    [SDSIM_LIBRARY_SDFAT] = {.mount = sdsim_sdfat_mount,
                             .open = sdsim_sdfat_open,
                             .read = sdsim_sdfat_read,
                             .write = sdsim_sdfat_write,
                             .seek = sdsim_sdfat_seek,
                             .sync = sdsim_sdfat_sync,
                             .close = sdsim_sdfat_close,
                             .truncate = sdsim_sdfat_truncate,
                             .expand = sdsim_sdfat_expand,
                             .mkdir = sdsim_sdfat_mkdir,
                             .unlink = sdsim_sdfat_unlink,
                             .rename = sdsim_sdfat_rename,
                             .stat = sdsim_sdfat_stat,
                             .list_open = sdsim_sdfat_list_open,
                             .list_next = sdsim_sdfat_list_next,
                             .list_close = sdsim_sdfat_list_close,
                             .count_free = sdsim_sdfat_count_free},
    [SDSIM_LIBRARY_CLASSIC] = {.mount = sdsim_classic_mount,
                               .open = sdsim_classic_open,
                               .read = sdsim_sdfat_read,
                               .write = sdsim_sdfat_write,
                               .seek = sdsim_sdfat_seek,
                               .sync = sdsim_sdfat_sync,
                               .close = sdsim_sdfat_close,
                               .truncate = sdsim_sdfat_truncate,
                               .expand = sdsim_sdfat_expand,
                               .mkdir = sdsim_classic_mkdir,
                               .unlink = sdsim_classic_unlink,
                               .rename = sdsim_classic_rename,
                               .stat = sdsim_classic_stat,
                               .list_open = sdsim_classic_list_open,
                               .list_next = sdsim_classic_list_next,
                               .list_close = sdsim_sdfat_list_close,
                               .count_free = sdsim_classic_count_free},
};

const struct sdsim_library *sdsim_library(enum sdsim_fat_library library)
{
    return &libraries[library];
}
