#include "fat/bitmap.h"
#include "fat/fat_table.h"
#include "fat/sdfat.h"

/* SdFat makes no larger directories. */
#define FAT_DIRECTORY_MAX   (512u * 4095u)
#define EXFAT_DIRECTORY_MAX 0x4000000u

static bool is_exfat(const struct sdsim_volume *volume)
{
    return volume->geometry.type == SDSIM_EXFAT;
}

enum sdsim_fat_result sdsim_sdfat_next(struct sdsim_volume *volume, uint32_t cluster,
                                       uint32_t *next)
{
    if (!sdsim_cluster_valid(volume, cluster)) {
        return SDSIM_FAT_CORRUPT;
    }
    const enum sdsim_fat_result result = sdsim_fat_get(volume, cluster, next);
    if (result == SDSIM_FAT_OK && *next >= sdsim_cluster_limit(volume)) {
        *next = SDSIM_CHAIN_END;
    }
    return result;
}

/* Marks first .. last as a chain, from its end backwards. */
static enum sdsim_fat_result link_run(struct sdsim_volume *volume, uint32_t first, uint32_t last)
{
    enum sdsim_fat_result result = sdsim_fat_set(volume, last, UINT32_MAX);
    for (; last > first && result == SDSIM_FAT_OK; last--) {
        result = sdsim_fat_set(volume, last - 1, last);
    }
    return result;
}

/*
 * The first free cluster: behind `current` if that is beyond the hint, else behind the hint, to the
 * end of the FAT; then from the hint to `current`. Below the hint there are none.
 */
static enum sdsim_fat_result find_free(struct sdsim_volume *volume, uint32_t current,
                                       uint32_t *found)
{
    const uint32_t limit = sdsim_cluster_limit(volume);
    bool from_hint = volume->hint >= current;
    uint32_t cluster = from_hint ? volume->hint : current;
    *found = 0;
    for (;;) {
        cluster++;
        if (cluster >= limit) {
            if (from_hint) {
                return SDSIM_FAT_OK;
            }
            from_hint = true;
            cluster = volume->hint;
            continue;
        }
        if (cluster == current) {
            return SDSIM_FAT_OK;
        }
        uint32_t value;
        const enum sdsim_fat_result result = sdsim_fat_get(volume, cluster, &value);
        if (result != SDSIM_FAT_OK) {
            return result;
        }
        if (value == 0) {
            break;
        }
    }
    if (from_hint) {
        volume->hint = cluster;
    }
    *found = cluster;
    return SDSIM_FAT_OK;
}

/*
 * Classic: the first `count` free clusters in a row behind `current`, or from the hint if that is
 * 0, to the end and round; as many entries are looked at as there are clusters.
 */
static enum sdsim_fat_result find_run_classic(struct sdsim_volume *volume, uint32_t current,
                                              uint32_t count, uint32_t *first)
{
    uint32_t begin = current != 0 ? current + 1 : volume->hint;
    uint32_t end = begin;
    *first = 0;
    for (uint32_t seen = 0; seen < volume->geometry.clusters; seen++, end++) {
        if (end >= sdsim_cluster_limit(volume)) {
            begin = end = 2;
        }
        uint32_t value;
        const enum sdsim_fat_result result = sdsim_fat_get(volume, end, &value);
        if (result != SDSIM_FAT_OK) {
            return result;
        }
        if (value != 0) {
            begin = end + 1;
        } else if (end - begin + 1 == count) {
            *first = begin;
            return SDSIM_FAT_OK;
        }
    }
    return SDSIM_FAT_OK;
}

/* A free cluster, marked as the end of a chain and linked to `current`; *found 0: there is none. */
static enum sdsim_fat_result allocate(struct sdsim_volume *volume, uint32_t current,
                                      uint32_t *found)
{
    const bool classic = sdsim_sdfat_is_classic(volume);
    enum sdsim_fat_result result =
        classic ? find_run_classic(volume, current, 1, found) : find_free(volume, current, found);
    if (result != SDSIM_FAT_OK || *found == 0) {
        return result;
    }
    result = sdsim_fat_set(volume, *found, UINT32_MAX);
    if (result == SDSIM_FAT_OK && current != 0) {
        result = sdsim_fat_set(volume, current, *found);
    }
    if (classic && current == 0) {
        volume->hint = *found + 1;
    }
    return result;
}

static enum sdsim_fat_result add_fat_cluster(struct sdsim_file *file, bool *room)
{
    const uint32_t before = file->cluster;
    uint32_t found;
    const enum sdsim_fat_result result = allocate(file->volume, before, &found);
    *room = found != 0;
    if (result != SDSIM_FAT_OK || !*room) {
        return result;
    }
    if (!sdsim_sdfat_is_classic(file->volume)) {
        if (before == 0) {
            file->object.state = SDSIM_CHAIN_CONTIGUOUS;
        } else if (found != before + 1) {
            file->object.state = SDSIM_CHAIN_LINKED;
        }
        file->modified = true;
    } else if (file->object.start == 0) {
        file->modified = true;
    }
    file->cluster = found;
    return SDSIM_FAT_OK;
}

/* exFAT: the hint after `count` clusters from `first` were taken, or given back. */
static void move_hint(struct sdsim_volume *volume, uint32_t first, uint32_t count, bool taken)
{
    const uint32_t end = first + count;
    if (!taken) {
        volume->hint = first < volume->hint ? first : volume->hint;
    } else if (first <= volume->hint && volume->hint < end) {
        volume->hint = end < sdsim_cluster_limit(volume) ? end : 2;
    }
}

/* exFAT: takes `count` clusters in a row, from cluster `from` on, or from the hint if that is 0. */
static enum sdsim_fat_result take_run(struct sdsim_volume *volume, uint32_t from, uint32_t count,
                                      uint32_t *first)
{
    enum sdsim_fat_result result =
        sdsim_bitmap_find(volume, from != 0 ? from : volume->hint, count, first);
    if (result != SDSIM_FAT_OK || *first == 0) {
        return result;
    }
    if (from == 0 && count == 1) {
        volume->hint = *first;
    }
    move_hint(volume, *first, count, true);
    return sdsim_bitmap_change(volume, *first, count, true);
}

/* exFAT: `found` comes behind the current cluster; puts on the FAT what that makes necessary. */
static enum sdsim_fat_result link_found(struct sdsim_file *file, uint32_t found)
{
    struct sdsim_volume *volume = file->volume;
    const uint32_t before = file->cluster;
    enum sdsim_fat_result result = SDSIM_FAT_OK;
    if (file->object.state == SDSIM_CHAIN_CONTIGUOUS) {
        if (found == before + 1) {
            return SDSIM_FAT_OK;
        }
        file->object.state = SDSIM_CHAIN_LINKED;
        for (uint32_t i = file->object.start; i < before && result == SDSIM_FAT_OK; i++) {
            result = sdsim_fat_set(volume, i, i + 1);
        }
    }
    if (result == SDSIM_FAT_OK) {
        result = sdsim_fat_set(volume, found, UINT32_MAX);
    }
    return result == SDSIM_FAT_OK ? sdsim_fat_set(volume, before, found) : result;
}

static enum sdsim_fat_result add_exfat_cluster(struct sdsim_file *file, bool *room)
{
    const uint32_t before = file->cluster;
    uint32_t found;
    enum sdsim_fat_result result = take_run(file->volume, before != 0 ? before + 1 : 0, 1, &found);
    *room = found != 0;
    if (result != SDSIM_FAT_OK || !*room) {
        return result;
    }
    if (before == 0) {
        file->object.state = SDSIM_CHAIN_CONTIGUOUS;
    } else {
        result = link_found(file, found);
    }
    file->cluster = found;
    return result;
}

enum sdsim_fat_result sdsim_sdfat_add_cluster(struct sdsim_file *file, bool *room)
{
    return is_exfat(file->volume) ? add_exfat_cluster(file, room) : add_fat_cluster(file, room);
}

/* Fills a new directory cluster with zeros, sector by sector; classic from its end backwards. What
 * is done last stays in the window. */
static enum sdsim_fat_result clear_cluster(struct sdsim_volume *volume, uint32_t cluster)
{
    const uint32_t sectors = volume->geometry.cluster_sectors;
    const uint32_t lba = sdsim_cluster_lba(volume, cluster);
    enum sdsim_fat_result result = SDSIM_FAT_OK;
    for (uint32_t i = 0; i < sectors && result == SDSIM_FAT_OK; i++) {
        const uint32_t sector = sdsim_sdfat_is_classic(volume) ? sectors - 1 - i : i;
        result = sdsim_sdfat_reserve(volume, lba + sector, SDSIM_FOR_DIRECTORY);
    }
    return result;
}

/* exFAT: the root has no entry that tells its size, so its chain is followed. */
static enum sdsim_fat_result measure_root(struct sdsim_volume *volume, uint64_t *bytes)
{
    uint32_t cluster = volume->geometry.root;
    *bytes = 0;
    while (cluster != SDSIM_CHAIN_END) {
        const enum sdsim_fat_result result = sdsim_sdfat_next(volume, cluster, &cluster);
        if (result != SDSIM_FAT_OK) {
            return result;
        }
        *bytes += sdsim_cluster_bytes(volume);
        if (*bytes > EXFAT_DIRECTORY_MAX) {
            return SDSIM_FAT_DENIED;
        }
    }
    return SDSIM_FAT_OK;
}

/* Whether a directory may have one more cluster. */
static enum sdsim_fat_result check_growth(struct sdsim_file *directory, bool is_root)
{
    struct sdsim_volume *volume = directory->volume;
    if (!is_exfat(volume)) {
        const bool fixed = is_root && volume->geometry.root_entries != 0;
        return fixed || directory->position >= FAT_DIRECTORY_MAX ? SDSIM_FAT_DENIED : SDSIM_FAT_OK;
    }
    uint64_t bytes = directory->object.size;
    const enum sdsim_fat_result result = is_root ? measure_root(volume, &bytes) : SDSIM_FAT_OK;
    if (result != SDSIM_FAT_OK) {
        return result;
    }
    return bytes + sdsim_cluster_bytes(volume) < EXFAT_DIRECTORY_MAX ? SDSIM_FAT_OK
                                                                     : SDSIM_FAT_DENIED;
}

enum sdsim_fat_result sdsim_sdfat_add_dir_cluster(struct sdsim_file *directory, bool is_root)
{
    struct sdsim_volume *volume = directory->volume;
    const uint32_t cluster_bytes = sdsim_cluster_bytes(volume);
    enum sdsim_fat_result result = check_growth(directory, is_root);
    bool room = true;
    if (result == SDSIM_FAT_OK) {
        result = sdsim_sdfat_add_cluster(directory, &room);
    }
    if (result == SDSIM_FAT_OK) {
        result = room ? clear_cluster(volume, directory->cluster) : SDSIM_FAT_DENIED;
    }
    if (result != SDSIM_FAT_OK) {
        return result;
    }
    if (!is_exfat(volume)) {
        directory->position += cluster_bytes;
        return SDSIM_FAT_OK;
    }
    if (is_root) {
        return sdsim_sdfat_flush(volume);
    }
    directory->object.size += cluster_bytes;
    directory->valid_size += cluster_bytes;
    return sdsim_sdfat_store_set(directory);
}

/* SdFat: the first `count` free clusters in a row behind the hint; it doesn't begin again. */
static enum sdsim_fat_result find_run(struct sdsim_volume *volume, uint32_t count, uint32_t *first)
{
    uint32_t begin = volume->hint + 1;
    bool nothing_passed = true; /* no free cluster before the run */
    *first = 0;
    for (uint32_t end = begin; end < sdsim_cluster_limit(volume); end++) {
        uint32_t value;
        const enum sdsim_fat_result result = sdsim_fat_get(volume, end, &value);
        if (result != SDSIM_FAT_OK) {
            return result;
        }
        if (value != 0) {
            nothing_passed = nothing_passed && begin == end;
            begin = end + 1;
        } else if (end - begin + 1 == count) {
            if (nothing_passed) {
                volume->hint = end;
            }
            *first = begin;
            return SDSIM_FAT_OK;
        }
    }
    return SDSIM_FAT_OK;
}

enum sdsim_fat_result sdsim_sdfat_allocate_run(struct sdsim_volume *volume, uint32_t count,
                                               uint32_t *first)
{
    if (is_exfat(volume)) {
        return take_run(volume, 0, count, first);
    }
    const bool classic = sdsim_sdfat_is_classic(volume);
    const enum sdsim_fat_result result =
        classic ? find_run_classic(volume, 0, count, first) : find_run(volume, count, first);
    if (result != SDSIM_FAT_OK || *first == 0) {
        return result;
    }
    if (classic && count == 1) {
        volume->hint = *first + 1;
    }
    return link_run(volume, *first, *first + count - 1);
}

enum sdsim_fat_result sdsim_sdfat_free_run(struct sdsim_volume *volume, uint32_t first,
                                           uint32_t count)
{
    move_hint(volume, first, count, false);
    return sdsim_bitmap_change(volume, first, count, false);
}

enum sdsim_fat_result sdsim_sdfat_free_chain(struct sdsim_volume *volume, uint32_t cluster)
{
    uint32_t first = cluster; /* of the run at hand, exFAT */
    if (sdsim_sdfat_is_classic(volume)) {
        volume->hint = 2;
    }
    for (;;) {
        uint32_t next;
        enum sdsim_fat_result result = sdsim_sdfat_next(volume, cluster, &next);
        if (result == SDSIM_FAT_OK) {
            result = sdsim_fat_set(volume, cluster, 0);
        }
        if (result == SDSIM_FAT_OK && is_exfat(volume) && next != cluster + 1) {
            result = sdsim_sdfat_free_run(volume, first, cluster - first + 1);
            first = next;
        }
        if (result != SDSIM_FAT_OK) {
            return result;
        }
        if (!is_exfat(volume) && !sdsim_sdfat_is_classic(volume) && cluster < volume->hint) {
            volume->hint = cluster - 1;
        }
        if (next == SDSIM_CHAIN_END) {
            return SDSIM_FAT_OK;
        }
        cluster = next;
    }
}

enum sdsim_fat_result sdsim_sdfat_find_first_free(struct sdsim_volume *volume)
{
    uint32_t first;
    volume->hint = 2;
    const enum sdsim_fat_result result = sdsim_bitmap_find(volume, volume->hint, 1, &first);
    if (result == SDSIM_FAT_OK && first != 0) {
        volume->hint = first;
    }
    return result;
}
