#include "fat/file.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "fat/library.h"

/* Who is to answer: nobody if the file is not open on the volume as it is mounted now. */
static const struct sdsim_library *library_of(const struct sdsim_file *file)
{
    const bool open = file->volume != NULL && file->volume->mount == file->mount;
    return open ? file->volume->library : NULL;
}

enum sdsim_fat_result sdsim_file_open(struct sdsim_file *file, struct sdsim_volume *volume,
                                      sdsim_ps *now, const char *path, enum sdsim_open_mode mode)
{
    memset(file, 0, offsetof(struct sdsim_file, buffer));
    if (volume->geometry.type == SDSIM_FAT_UNMOUNTED) {
        return SDSIM_FAT_NOT_MOUNTED;
    }
    const enum sdsim_fat_result result = volume->library->open(file, volume, now, path, mode);
    if (result != SDSIM_FAT_OK) {
        sdsim_file_drop(file);
    }
    return result;
}

enum sdsim_fat_result sdsim_file_read(struct sdsim_file *file, sdsim_ps *now, uint64_t bytes,
                                      void *out, uint64_t *done)
{
    const struct sdsim_library *library = library_of(file);
    *done = 0;
    return library != NULL ? library->read(file, now, bytes, out, done) : SDSIM_FAT_INVALID_OBJECT;
}

enum sdsim_fat_result sdsim_file_write(struct sdsim_file *file, sdsim_ps *now,
                                       const struct sdsim_content *content, uint64_t bytes,
                                       uint64_t *done)
{
    const struct sdsim_library *library = library_of(file);
    *done = 0;
    return library != NULL ? library->write(file, now, content, bytes, done)
                           : SDSIM_FAT_INVALID_OBJECT;
}

enum sdsim_fat_result sdsim_file_seek(struct sdsim_file *file, sdsim_ps *now, uint64_t position)
{
    const struct sdsim_library *library = library_of(file);
    return library != NULL ? library->seek(file, now, position) : SDSIM_FAT_INVALID_OBJECT;
}

enum sdsim_fat_result sdsim_file_sync(struct sdsim_file *file, sdsim_ps *now)
{
    const struct sdsim_library *library = library_of(file);
    return library != NULL ? library->sync(file, now) : SDSIM_FAT_INVALID_OBJECT;
}

enum sdsim_fat_result sdsim_file_close(struct sdsim_file *file, sdsim_ps *now)
{
    const struct sdsim_library *library = library_of(file);
    if (library == NULL) {
        sdsim_file_drop(file);
        return SDSIM_FAT_INVALID_OBJECT;
    }
    return library->close(file, now);
}

enum sdsim_fat_result sdsim_file_truncate(struct sdsim_file *file, sdsim_ps *now)
{
    const struct sdsim_library *library = library_of(file);
    return library != NULL ? library->truncate(file, now) : SDSIM_FAT_INVALID_OBJECT;
}

enum sdsim_fat_result sdsim_file_expand(struct sdsim_file *file, sdsim_ps *now, uint64_t bytes)
{
    const struct sdsim_library *library = library_of(file);
    return library != NULL ? library->expand(file, now, bytes) : SDSIM_FAT_INVALID_OBJECT;
}

void sdsim_file_drop(struct sdsim_file *file)
{
    free(file->links);
    file->links = NULL;
    file->link_count = 0;
    file->volume = NULL;
}

uint64_t sdsim_file_size_max(const struct sdsim_volume *volume)
{
    return volume->geometry.type == SDSIM_EXFAT ? UINT64_MAX : UINT32_MAX;
}
