#include "fat/fatfs.h"

#include <string.h>

/* Sector of its cluster that the position is in. */
static uint32_t sector_in_cluster(const struct sdsim_file *file)
{
    const uint32_t sectors = file->volume->geometry.cluster_sectors;
    return (uint32_t)(file->position / SDSIM_SECTOR) & (sectors - 1);
}

/* Whole sectors of `bytes` that lie in the cluster at hand. */
static uint32_t sectors_at_once(const struct sdsim_file *file, uint64_t bytes, uint32_t sector)
{
    const uint64_t whole = bytes / SDSIM_SECTOR;
    const uint32_t room = file->volume->geometry.cluster_sectors - sector;
    return whole < room ? (uint32_t)whole : room;
}

/* Bytes of a piece that ends with the sector at the latest. */
static uint32_t piece_in_sector(const struct sdsim_file *file, uint64_t bytes)
{
    const uint32_t room = SDSIM_SECTOR - (uint32_t)(file->position % SDSIM_SECTOR);
    return bytes < room ? (uint32_t)bytes : room;
}

/* Reading, at the first byte of a cluster: makes it the current one. */
static enum sdsim_fat_result enter_cluster_to_read(struct sdsim_file *file)
{
    uint32_t cluster;
    if (file->position == 0) {
        cluster = file->object.start;
    } else if (file->links != NULL) {
        cluster = sdsim_fatfs_linked_cluster(file, file->position);
    } else {
        const enum sdsim_fat_result result =
            sdsim_chain_next(file->volume, &file->object, file->cluster, &cluster);
        if (result != SDSIM_FAT_OK) {
            return result;
        }
    }
    if (!sdsim_cluster_valid(file->volume, cluster)) {
        return SDSIM_FAT_CORRUPT;
    }
    file->cluster = cluster;
    return SDSIM_FAT_OK;
}

/* The buffered sector (the file's, or the window in tiny builds) that may be newer than the disk.
 */
static struct sdsim_sector *shared_buffer(struct sdsim_file *file)
{
    return file->volume->config.tiny ? &file->volume->window : &file->buffer;
}

/* Reads whole sectors straight to the caller; a dirty buffer among them is laid over. */
static enum sdsim_fat_result read_sectors(struct sdsim_file *file, uint32_t lba, uint32_t count,
                                          uint8_t *out)
{
    struct sdsim_volume *volume = file->volume;
    const enum sdsim_disk_error error = volume->disk->ops->read(volume->disk->context, volume->now,
                                                                lba, count, SDSIM_FOR_DATA, out);
    struct sdsim_sector *buffer = shared_buffer(file);
    if (error == SDSIM_DISK_OK && out != NULL && buffer->dirty && buffer->lba - lba < count) {
        memcpy(out + (size_t)(buffer->lba - lba) * SDSIM_SECTOR, sdsim_sector_bytes(buffer),
               SDSIM_SECTOR);
    }
    return sdsim_disk_result(error);
}

/* Copies out of the current sector. */
static enum sdsim_fat_result read_piece(struct sdsim_file *file, uint32_t count, uint8_t *out)
{
    struct sdsim_sector *source = shared_buffer(file);
    if (file->volume->config.tiny) {
        const enum sdsim_fat_result result =
            sdsim_window_need(file->volume, file->buffer.lba, SDSIM_FOR_DATA);
        if (result != SDSIM_FAT_OK) {
            return result;
        }
    }
    if (out != NULL) {
        memcpy(out, sdsim_sector_bytes(source) + file->position % SDSIM_SECTOR, count);
    }
    return SDSIM_FAT_OK;
}

/* One turn of a read: *count of the `bytes` asked for. */
static enum sdsim_fat_result read_turn(struct sdsim_file *file, uint64_t bytes, uint8_t *out,
                                       uint32_t *count)
{
    if (file->position % SDSIM_SECTOR == 0) {
        const uint32_t sector = sector_in_cluster(file);
        if (sector == 0) {
            const enum sdsim_fat_result result = enter_cluster_to_read(file);
            if (result != SDSIM_FAT_OK) {
                return result;
            }
        }
        const uint32_t lba = sdsim_cluster_lba(file->volume, file->cluster) + sector;
        const uint32_t sectors = sectors_at_once(file, bytes, sector);
        if (sectors > 0) {
            *count = sectors * SDSIM_SECTOR;
            return read_sectors(file, lba, sectors, out);
        }
        if (file->buffer.lba != lba) {
            const enum sdsim_fat_result result = sdsim_fatfs_load(file, lba);
            if (result != SDSIM_FAT_OK) {
                return result;
            }
        }
    }
    *count = piece_in_sector(file, bytes);
    return read_piece(file, *count, out);
}

enum sdsim_fat_result sdsim_fatfs_read(struct sdsim_file *file, sdsim_ps *now, uint64_t bytes,
                                       void *out, uint64_t *done)
{
    enum sdsim_fat_result result = sdsim_fatfs_enter(file, now);
    if (result != SDSIM_FAT_OK) {
        return result;
    }
    if (!file->readable) {
        return SDSIM_FAT_DENIED;
    }
    const uint64_t left = file->object.size - file->position;
    if (bytes > left) {
        bytes = left;
    }
    uint8_t *to = out;
    while (*done < bytes) {
        uint32_t count;
        result = read_turn(file, bytes - *done, to, &count);
        if (result != SDSIM_FAT_OK) {
            return sdsim_fatfs_fail(file, result);
        }
        file->position += count;
        *done += count;
        to = to != NULL ? to + count : NULL;
    }
    return SDSIM_FAT_OK;
}

/* Writing, at the first byte of a cluster: makes it the current one, allocating it if need be.
 * False in *room if the volume is full. */
static enum sdsim_fat_result enter_cluster_to_write(struct sdsim_file *file, bool *room)
{
    uint32_t cluster = file->object.start;
    if (file->position != 0 || cluster == 0) {
        const uint32_t before = file->position != 0 ? file->cluster : 0;
        const enum sdsim_fat_result result =
            sdsim_chain_extend(file->volume, &file->object, before, &cluster);
        if (result != SDSIM_FAT_OK) {
            return result;
        }
    }
    *room = cluster != 0;
    if (*room) {
        if (!sdsim_cluster_valid(file->volume, cluster)) {
            return SDSIM_FAT_CORRUPT;
        }
        file->cluster = cluster;
        if (file->object.start == 0) {
            file->object.start = cluster;
        }
    }
    return SDSIM_FAT_OK;
}

/* At a sector border: what is left in the buffer of the sector before goes out. */
static enum sdsim_fat_result leave_sector(struct sdsim_file *file)
{
    if (!file->volume->config.tiny) {
        return sdsim_fatfs_flush(file);
    }
    return file->volume->window.lba == file->buffer.lba ? sdsim_window_flush(file->volume)
                                                        : SDSIM_FAT_OK;
}

/* Writes whole sectors straight from the caller; a buffer among them takes the new bytes. */
static enum sdsim_fat_result write_sectors(struct sdsim_file *file, uint32_t lba, uint32_t count,
                                           const struct sdsim_content *content)
{
    struct sdsim_volume *volume = file->volume;
    const enum sdsim_disk_error error = volume->disk->ops->write(
        volume->disk->context, volume->now, lba, count, SDSIM_FOR_DATA, content);
    struct sdsim_sector *buffer = shared_buffer(file);
    if (error == SDSIM_DISK_OK && buffer->lba - lba < count) {
        sdsim_sector_put(buffer, 0, content, (uint64_t)(buffer->lba - lba) * SDSIM_SECTOR,
                         SDSIM_SECTOR);
        buffer->dirty = false;
    }
    return sdsim_disk_result(error);
}

/* Makes `lba` the current sector for a partial write. Its old bytes are read only if the file has
 * some there; in tiny builds then when the window is filled. */
static enum sdsim_fat_result enter_sector_to_write(struct sdsim_file *file, uint32_t lba)
{
    const bool is_new = file->position >= file->object.size;
    if (file->volume->config.tiny) {
        file->buffer.lba = lba;
        if (is_new) {
            const enum sdsim_fat_result result = sdsim_window_flush(file->volume);
            if (result != SDSIM_FAT_OK) {
                return result;
            }
            sdsim_sector_fresh(&file->volume->window, lba, SDSIM_FOR_DATA);
        }
        return SDSIM_FAT_OK;
    }
    if (file->buffer.lba == lba) {
        return SDSIM_FAT_OK;
    }
    if (is_new) {
        sdsim_sector_fresh(&file->buffer, lba, SDSIM_FOR_DATA);
        return SDSIM_FAT_OK;
    }
    return sdsim_fatfs_load(file, lba);
}

static enum sdsim_fat_result write_piece(struct sdsim_file *file, uint32_t count,
                                         const struct sdsim_content *content, uint64_t skip)
{
    struct sdsim_sector *target = shared_buffer(file);
    if (file->volume->config.tiny) {
        const enum sdsim_fat_result result =
            sdsim_window_need(file->volume, file->buffer.lba, SDSIM_FOR_DATA);
        if (result != SDSIM_FAT_OK) {
            return result;
        }
    }
    sdsim_sector_put(target, (uint32_t)(file->position % SDSIM_SECTOR), content, skip, count);
    target->dirty = true;
    return SDSIM_FAT_OK;
}

/* One turn of a write: *count bytes, 0 if the volume is full. */
static enum sdsim_fat_result write_turn(struct sdsim_file *file, uint64_t bytes,
                                        const struct sdsim_content *content, uint64_t skip,
                                        uint32_t *count)
{
    *count = 0;
    if (file->position % SDSIM_SECTOR == 0) {
        enum sdsim_fat_result result;
        const uint32_t sector = sector_in_cluster(file);
        if (sector == 0) {
            bool room;
            result = enter_cluster_to_write(file, &room);
            if (result != SDSIM_FAT_OK || !room) {
                return result;
            }
        }
        result = leave_sector(file);
        if (result != SDSIM_FAT_OK) {
            return result;
        }
        const uint32_t lba = sdsim_cluster_lba(file->volume, file->cluster) + sector;
        const uint32_t sectors = sectors_at_once(file, bytes, sector);
        if (sectors > 0) {
            const struct sdsim_content rest = sdsim_content_after(content, skip);
            *count = sectors * SDSIM_SECTOR;
            return write_sectors(file, lba, sectors, &rest);
        }
        result = enter_sector_to_write(file, lba);
        if (result != SDSIM_FAT_OK) {
            return result;
        }
    }
    *count = piece_in_sector(file, bytes);
    return write_piece(file, *count, content, skip);
}

enum sdsim_fat_result sdsim_fatfs_write(struct sdsim_file *file, sdsim_ps *now,
                                        const struct sdsim_content *content, uint64_t bytes,
                                        uint64_t *done)
{
    enum sdsim_fat_result result = SDSIM_FAT_OK;
    if (file->seeks_each_write) {
        result = sdsim_fatfs_seek(file, now, file->object.size);
    }
    if (result == SDSIM_FAT_OK) {
        result = sdsim_fatfs_enter(file, now);
    }
    if (result != SDSIM_FAT_OK) {
        return result;
    }
    if (!file->writable) {
        return SDSIM_FAT_DENIED;
    }
    const uint64_t room = sdsim_file_size_max(file->volume) - file->position;
    if (bytes > room) {
        bytes = room;
    }
    while (*done < bytes) {
        uint32_t count;
        result = write_turn(file, bytes - *done, content, *done, &count);
        if (result != SDSIM_FAT_OK) {
            return sdsim_fatfs_fail(file, result);
        }
        if (count == 0) {
            break;
        }
        file->position += count;
        *done += count;
        if (file->position > file->object.size) {
            file->object.size = file->position;
        }
    }
    file->modified = true;
    return SDSIM_FAT_OK;
}
