#include "fat/branch_disk.h"

#include <stdlib.h>
#include <string.h>

struct sdsim_branch_sector {
    uint32_t users; /* maps */
    struct sdsim_digest digest;
    uint8_t bytes[SDSIM_SECTOR];
};

struct sdsim_branch_map {
    uint32_t users; /* branches */
    uint32_t count;
    uint32_t room;
    struct sdsim_branch_row rows[];
};

/* ---- maps ---- */

/* The first row at or behind an LBA. */
static uint32_t row_of(const struct sdsim_branch_map *map, uint32_t lba)
{
    uint32_t low = 0;
    uint32_t high = map->count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (map->rows[middle].lba < lba) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static struct sdsim_branch_sector *find(const struct sdsim_branch *branch, uint32_t lba)
{
    if (branch->map == NULL) {
        return NULL;
    }
    const uint32_t row = row_of(branch->map, lba);
    const bool there = row < branch->map->count && branch->map->rows[row].lba == lba;
    return there ? branch->map->rows[row].sector : NULL;
}

static void drop_sector(struct sdsim_branch_sector *sector)
{
    if (--sector->users == 0) {
        free(sector);
    }
}

static void drop_map(struct sdsim_branch_map *map)
{
    if (map == NULL || --map->users > 0) {
        return;
    }
    for (uint32_t i = 0; i < map->count; i++) {
        drop_sector(map->rows[i].sector);
    }
    free(map);
}

/* Makes the map the branch's own, with room for one more row. False without memory. */
static bool own_map(struct sdsim_branch *branch)
{
    struct sdsim_branch_map *old = branch->map;
    const uint32_t count = old != NULL ? old->count : 0;
    if (old != NULL && old->users == 1 && count < old->room) {
        return true;
    }
    const uint32_t room = count + count / 2 + 8;
    struct sdsim_branch_map *map = malloc(sizeof *map + room * sizeof map->rows[0]);
    if (map == NULL) {
        return false;
    }
    *map = (struct sdsim_branch_map){.users = 1, .count = count, .room = room};
    for (uint32_t i = 0; i < count; i++) {
        map->rows[i] = old->rows[i];
        map->rows[i].sector->users++;
    }
    drop_map(old);
    branch->map = map;
    return true;
}

static struct sdsim_digest digest_of(uint32_t lba, const uint8_t bytes[SDSIM_SECTOR])
{
    struct sdsim_digest digest;
    sdsim_digest_start(&digest);
    sdsim_digest_add(&digest, lba);
    sdsim_digest_bytes(&digest, bytes, SDSIM_SECTOR);
    return digest;
}

/* Puts a sector, of which the caller has the only use, where it belongs. */
static void put(struct sdsim_branch *branch, uint32_t lba, struct sdsim_branch_sector *sector)
{
    struct sdsim_branch_map *map = branch->map;
    const uint32_t row = row_of(map, lba);
    if (row < map->count && map->rows[row].lba == lba) {
        branch->contents.a -= map->rows[row].sector->digest.a;
        branch->contents.b -= map->rows[row].sector->digest.b;
        drop_sector(map->rows[row].sector);
    } else {
        memmove(&map->rows[row + 1], &map->rows[row], (map->count - row) * sizeof map->rows[0]);
        map->count++;
    }
    map->rows[row] = (struct sdsim_branch_row){.lba = lba, .sector = sector};
    branch->contents.a += sector->digest.a;
    branch->contents.b += sector->digest.b;
}

static bool keep(struct sdsim_branch *branch, uint32_t lba, const struct sdsim_content *content,
                 uint64_t skip)
{
    struct sdsim_branch_sector *sector = malloc(sizeof *sector);
    if (sector == NULL || !own_map(branch)) {
        free(sector);
        return false;
    }
    sector->users = 1;
    sdsim_content_bytes(content, skip, sector->bytes, SDSIM_SECTOR);
    sector->digest = digest_of(lba, sector->bytes);
    put(branch, lba, sector);
    return true;
}

/* ---- the disk ---- */

static enum sdsim_disk_error disk_read(void *context, sdsim_ps *now, uint32_t lba, uint32_t count,
                                       enum sdsim_purpose purpose, void *out)
{
    const struct sdsim_branch *branch = context;
    const enum sdsim_disk_error error =
        branch->disk->ops->read(branch->disk->context, now, lba, count, purpose, out);
    for (uint32_t i = 0; error == SDSIM_DISK_OK && out != NULL && i < count; i++) {
        const struct sdsim_branch_sector *sector = find(branch, lba + i);
        if (sector != NULL) {
            memcpy((uint8_t *)out + (size_t)i * SDSIM_SECTOR, sector->bytes, SDSIM_SECTOR);
        }
    }
    return error;
}

static enum sdsim_disk_error disk_write(void *context, sdsim_ps *now, uint32_t lba, uint32_t count,
                                        enum sdsim_purpose purpose,
                                        const struct sdsim_content *content)
{
    struct sdsim_branch *branch = context;
    const enum sdsim_disk_error error =
        branch->disk->ops->write(branch->disk->context, now, lba, count, purpose, content);
    if (error != SDSIM_DISK_OK || purpose == SDSIM_FOR_DATA) {
        return error;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (!keep(branch, lba + i, content, (uint64_t)i * SDSIM_SECTOR)) {
            return SDSIM_DISK_NO_MEMORY;
        }
    }
    return SDSIM_DISK_OK;
}

static enum sdsim_disk_error disk_status(void *context, sdsim_ps *now)
{
    const struct sdsim_branch *branch = context;
    const struct sdsim_disk_ops *ops = branch->disk->ops;
    return ops->status != NULL ? ops->status(branch->disk->context, now) : SDSIM_DISK_OK;
}

static enum sdsim_disk_error disk_sync(void *context, sdsim_ps *now)
{
    const struct sdsim_branch *branch = context;
    const struct sdsim_disk_ops *ops = branch->disk->ops;
    return ops->sync != NULL ? ops->sync(branch->disk->context, now) : SDSIM_DISK_OK;
}

static enum sdsim_disk_error disk_settle(void *context, sdsim_ps *now)
{
    const struct sdsim_branch *branch = context;
    const struct sdsim_disk_ops *ops = branch->disk->ops;
    return ops->settle != NULL ? ops->settle(branch->disk->context, now) : SDSIM_DISK_OK;
}

static enum sdsim_disk_error disk_trim(void *context, sdsim_ps *now, uint32_t lba, uint32_t count)
{
    const struct sdsim_branch *branch = context;
    const struct sdsim_disk_ops *ops = branch->disk->ops;
    return ops->trim != NULL ? ops->trim(branch->disk->context, now, lba, count) : SDSIM_DISK_OK;
}

static const struct sdsim_disk_ops branch_ops = {
    .read = disk_read,
    .write = disk_write,
    .status = disk_status,
    .sync = disk_sync,
    .settle = disk_settle,
    .trim = disk_trim,
};

struct sdsim_disk sdsim_branch_disk(struct sdsim_branch *branch)
{
    return (struct sdsim_disk){
        .ops = &branch_ops, .context = branch, .sectors = branch->disk->sectors};
}

void sdsim_branch_copy(struct sdsim_branch *copy, const struct sdsim_branch *branch)
{
    *copy = *branch;
    if (copy->map != NULL) {
        copy->map->users++;
    }
}

void sdsim_branch_drop(struct sdsim_branch *branch)
{
    drop_map(branch->map);
    branch->map = NULL;
}

const uint8_t *sdsim_branch_sector_at(const struct sdsim_branch *branch, size_t index,
                                      uint32_t *lba)
{
    if (branch->map == NULL || index >= branch->map->count) {
        return NULL;
    }
    *lba = branch->map->rows[index].lba;
    return branch->map->rows[index].sector->bytes;
}
