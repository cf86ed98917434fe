#include <string.h>

#include "fat/sdfat.h"

static bool is_exfat(const struct sdsim_volume *volume)
{
    return volume->geometry.type == SDSIM_EXFAT;
}

static bool is_contiguous(const struct sdsim_file *file)
{
    return file->object.state == SDSIM_CHAIN_CONTIGUOUS;
}

/* The sector the position is in. */
static uint32_t sector_at_hand(const struct sdsim_file *file)
{
    const uint32_t sectors = file->volume->geometry.cluster_sectors;
    return sdsim_cluster_lba(file->volume, file->cluster) +
           ((uint32_t)(file->position / SDSIM_SECTOR) & (sectors - 1));
}

/* Whole sectors of `bytes`, up to the end of the cluster; where only single ones are moved, one. */
static uint32_t sectors_at_once(const struct sdsim_file *file, uint64_t bytes)
{
    const struct sdsim_volume *volume = file->volume;
    const uint32_t sectors = volume->geometry.cluster_sectors;
    const uint32_t room = sectors - ((uint32_t)(file->position / SDSIM_SECTOR) & (sectors - 1));
    const uint64_t whole = bytes / SDSIM_SECTOR;
    const bool single = volume->config.single_sectors || sdsim_sdfat_is_classic(volume);
    return single ? 1 : whole < room ? (uint32_t)whole : room;
}

static bool at_cluster_border(const struct sdsim_file *file)
{
    return file->position % sdsim_cluster_bytes(file->volume) == 0;
}

enum sdsim_fat_result sdsim_sdfat_go_to(struct sdsim_file *file, uint64_t position)
{
    struct sdsim_volume *volume = file->volume;
    const uint32_t cluster_bytes = sdsim_cluster_bytes(volume);
    uint32_t cluster = 0;
    if (position == file->position) {
        return SDSIM_FAT_OK;
    }
    if (position != 0 && is_contiguous(file)) {
        cluster = file->object.start + (uint32_t)((position - 1) / cluster_bytes);
    } else if (position != 0) {
        uint64_t steps = (position - 1) / cluster_bytes;
        const uint64_t done = file->position == 0 ? 0 : (file->position - 1) / cluster_bytes;
        if (file->position == 0 || steps < done) {
            cluster = file->object.start != 0 ? file->object.start : volume->geometry.root;
        } else {
            cluster = file->cluster;
            steps -= done;
        }
        for (; steps > 0; steps--) {
            const enum sdsim_fat_result result = sdsim_sdfat_next(volume, cluster, &cluster);
            if (result != SDSIM_FAT_OK) {
                return result;
            }
        }
    }
    if (cluster == SDSIM_CHAIN_END) {
        return SDSIM_FAT_CORRUPT;
    }
    file->cluster = cluster;
    file->position = position;
    file->preallocated = false;
    return SDSIM_FAT_OK;
}

enum sdsim_fat_result sdsim_sdfat_seek(struct sdsim_file *file, sdsim_ps *now, uint64_t position)
{
    file->volume->now = now;
    if (position == file->position) {
        return SDSIM_FAT_OK;
    }
    return position > file->object.size ? SDSIM_FAT_INVALID_ARGUMENT
                                        : sdsim_sdfat_go_to(file, position);
}

/* ---- reading ---- */

/* At the first byte of a cluster: makes it the current one. */
static enum sdsim_fat_result enter_cluster_to_read(struct sdsim_file *file)
{
    uint32_t cluster;
    if (file->position == 0) {
        cluster = file->object.start;
    } else if (is_contiguous(file)) {
        cluster = file->cluster + 1;
    } else {
        const enum sdsim_fat_result result =
            sdsim_sdfat_next(file->volume, file->cluster, &cluster);
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

/* One turn of a read: *count of the `bytes` asked for. */
static enum sdsim_fat_result read_turn(struct sdsim_file *file, uint64_t bytes, uint8_t *out,
                                       uint32_t *count)
{
    struct sdsim_volume *volume = file->volume;
    if (at_cluster_border(file)) {
        const enum sdsim_fat_result result = enter_cluster_to_read(file);
        if (result != SDSIM_FAT_OK) {
            return result;
        }
    }
    const uint32_t lba = sector_at_hand(file);
    const uint32_t offset = (uint32_t)(file->position % SDSIM_SECTOR);
    if (offset == 0 && bytes >= SDSIM_SECTOR && lba != volume->window.lba) {
        const uint32_t sectors = sectors_at_once(file, bytes);
        *count = sectors * SDSIM_SECTOR;
        return sdsim_sdfat_read_past(volume, lba, sectors, out);
    }
    const uint32_t room = SDSIM_SECTOR - offset;
    *count = bytes < room ? (uint32_t)bytes : room;
    const enum sdsim_fat_result result = sdsim_window_need(volume, lba, SDSIM_FOR_DATA);
    if (result == SDSIM_FAT_OK && out != NULL) {
        memcpy(out, sdsim_window_at(volume, offset), *count);
    }
    return result;
}

/* What one call of the library can ask for: classic counts bytes in 16 bits. */
static uint64_t bytes_of_call(const struct sdsim_file *file, uint64_t bytes)
{
    return sdsim_sdfat_is_classic(file->volume) ? bytes & 0xFFFF : bytes;
}

/* Bytes from the position on to `end`. */
static uint64_t bytes_up_to(const struct sdsim_file *file, uint64_t end)
{
    return end > file->position ? end - file->position : 0;
}

/* exFAT: bytes behind the valid ones are zeros, without a look at the disk. */
static enum sdsim_fat_result read_zeros(struct sdsim_file *file, uint64_t bytes, uint8_t *out)
{
    if (bytes == 0) {
        return SDSIM_FAT_OK;
    }
    if (out != NULL) {
        memset(out, 0, (size_t)bytes);
    }
    return sdsim_sdfat_go_to(file, file->position + bytes);
}

enum sdsim_fat_result sdsim_sdfat_read(struct sdsim_file *file, sdsim_ps *now, uint64_t bytes,
                                       void *out, uint64_t *done)
{
    file->volume->now = now;
    if (!file->readable) {
        return SDSIM_FAT_DENIED;
    }
    const uint64_t left = bytes_up_to(file, file->object.size);
    bytes = bytes_of_call(file, bytes);
    bytes = bytes < left ? bytes : left;
    uint64_t valid = bytes;
    if (is_exfat(file->volume)) {
        const uint64_t valid_left = bytes_up_to(file, file->valid_size);
        valid = bytes < valid_left ? bytes : valid_left;
    }
    uint8_t *to = out;
    while (*done < valid) {
        uint32_t count;
        const enum sdsim_fat_result result = read_turn(file, valid - *done, to, &count);
        if (result != SDSIM_FAT_OK) {
            return result;
        }
        file->position += count;
        *done += count;
        to = to != NULL ? to + count : NULL;
    }
    const enum sdsim_fat_result result = read_zeros(file, bytes - valid, to);
    *done = bytes;
    return result;
}

/* ---- writing ---- */

/* Whether the file is known to have a cluster behind the current one, which is the next then. */
static bool has_next(const struct sdsim_file *file)
{
    if (!is_contiguous(file)) {
        return false;
    }
    const uint64_t size = file->object.size;
    if (!is_exfat(file->volume)) {
        return size > file->position;
    }
    const uint64_t last = size != 0 ? (size - 1) / sdsim_cluster_bytes(file->volume) : 0;
    return file->cluster - file->object.start < last;
}

/* At the first byte of a cluster: makes it the current one, allocating it if need be. False in
 * *room if the volume is full. */
static enum sdsim_fat_result enter_cluster_to_write(struct sdsim_file *file, bool *room)
{
    *room = true;
    if (file->cluster == 0 && file->object.start != 0) {
        file->cluster = file->object.start;
        return SDSIM_FAT_OK;
    }
    if (file->cluster == 0) {
        const enum sdsim_fat_result result = sdsim_sdfat_add_cluster(file, room);
        file->object.start = file->cluster;
        return result;
    }
    if (has_next(file)) {
        file->cluster++;
        return SDSIM_FAT_OK;
    }
    uint32_t next = SDSIM_CHAIN_END;
    if (!is_exfat(file->volume) || !is_contiguous(file)) {
        const enum sdsim_fat_result result = sdsim_sdfat_next(file->volume, file->cluster, &next);
        if (result != SDSIM_FAT_OK) {
            return result;
        }
    }
    if (next == SDSIM_CHAIN_END) {
        return sdsim_sdfat_add_cluster(file, room);
    }
    file->cluster = next;
    return SDSIM_FAT_OK;
}

/* Writes a part of a sector to the window, and on to the disk if that is full then. */
static enum sdsim_fat_result write_piece(struct sdsim_file *file, uint32_t count,
                                         const struct sdsim_content *content)
{
    struct sdsim_volume *volume = file->volume;
    const uint32_t lba = sector_at_hand(file);
    const uint32_t offset = (uint32_t)(file->position % SDSIM_SECTOR);
    const uint64_t used = is_exfat(volume) ? file->valid_size : file->object.size;
    const bool fresh = file->position >= used || (file->preallocated && !is_exfat(volume));
    const enum sdsim_fat_result result = offset == 0 && fresh
                                             ? sdsim_sdfat_reserve(volume, lba, SDSIM_FOR_DATA)
                                             : sdsim_window_need(volume, lba, SDSIM_FOR_DATA);
    if (result != SDSIM_FAT_OK) {
        return result;
    }
    sdsim_sector_put(&volume->window, offset, content, 0, count);
    volume->window.dirty = true;
    const bool full = offset + count == SDSIM_SECTOR;
    return full && !sdsim_sdfat_is_classic(volume) ? sdsim_window_flush(volume) : SDSIM_FAT_OK;
}

/* One turn of a write: *count of the bytes, 0 if the volume is full. `filling`: through the window
 * only. */
static enum sdsim_fat_result write_turn(struct sdsim_file *file, uint64_t bytes, bool filling,
                                        const struct sdsim_content *content, uint32_t *count)
{
    *count = 0;
    if (at_cluster_border(file)) {
        bool room;
        const enum sdsim_fat_result result = enter_cluster_to_write(file, &room);
        if (result != SDSIM_FAT_OK || !room) {
            return result;
        }
    }
    const uint32_t offset = (uint32_t)(file->position % SDSIM_SECTOR);
    if (offset == 0 && bytes >= SDSIM_SECTOR && !filling) {
        const uint32_t sectors = sectors_at_once(file, bytes);
        *count = sectors * SDSIM_SECTOR;
        return sdsim_sdfat_write_past(file->volume, sector_at_hand(file), sectors, content);
    }
    const uint32_t room = SDSIM_SECTOR - offset;
    *count = bytes < room ? (uint32_t)bytes : room;
    return write_piece(file, *count, content);
}

/* Moves on behind what was written. */
static void advance(struct sdsim_file *file, uint32_t count)
{
    file->position += count;
    if (is_exfat(file->volume) && file->position > file->valid_size) {
        file->valid_size = file->position;
        file->modified = true;
    }
}

/* exFAT: zeros from the end of what is valid to the position. */
static enum sdsim_fat_result fill_gap(struct sdsim_file *file, bool *room)
{
    const struct sdsim_content zeros = {.kind = SDSIM_CONTENT_FILL, .fill = 0};
    *room = true;
    if (!is_exfat(file->volume) || file->position <= file->valid_size) {
        return SDSIM_FAT_OK;
    }
    const uint64_t target = file->position;
    enum sdsim_fat_result result = sdsim_sdfat_go_to(file, file->valid_size);
    while (result == SDSIM_FAT_OK && *room && file->position < target) {
        uint32_t count;
        result = write_turn(file, target - file->position, true, &zeros, &count);
        *room = count != 0;
        if (result == SDSIM_FAT_OK) {
            advance(file, count);
        }
    }
    return result;
}

enum sdsim_fat_result sdsim_sdfat_write(struct sdsim_file *file, sdsim_ps *now,
                                        const struct sdsim_content *content, uint64_t bytes,
                                        uint64_t *done)
{
    file->volume->now = now;
    bytes = bytes_of_call(file, bytes);
    if (!file->writable) {
        return SDSIM_FAT_DENIED;
    }
    enum sdsim_fat_result result = SDSIM_FAT_OK;
    if (file->seeks_each_write) {
        result = sdsim_sdfat_go_to(file, file->object.size);
    }
    bool room = bytes <= sdsim_file_size_max(file->volume) - file->position;
    if (result == SDSIM_FAT_OK && room && bytes > 0) {
        result = fill_gap(file, &room);
    }
    for (uint64_t written = 0; result == SDSIM_FAT_OK && room && written < bytes;) {
        const struct sdsim_content rest = sdsim_content_after(content, written);
        uint32_t count;
        result = write_turn(file, bytes - written, false, &rest, &count);
        room = count != 0;
        if (result == SDSIM_FAT_OK) {
            advance(file, count);
            written += count;
        }
    }
    if (result != SDSIM_FAT_OK || !room) {
        return result;
    }
    *done = bytes;
    if (file->position > file->object.size) {
        file->object.size = file->position;
        file->modified = true;
    }
    return SDSIM_FAT_OK;
}
