#include "fat/chain.h"

#include "fat/bitmap.h"
#include "fat/fat_table.h"
#include "fat/window.h"

static bool is_exfat(const struct sdsim_volume *volume)
{
    return volume->geometry.type == SDSIM_EXFAT;
}

/* exFAT: the successor where it can be told without the FAT; false if it can't. */
static bool next_computed(const struct sdsim_volume *volume, const struct sdsim_object *object,
                          uint32_t cluster, uint32_t *next)
{
    const uint32_t offset = cluster - object->start;
    if (object->state == SDSIM_CHAIN_CONTIGUOUS) {
        const uint64_t last = (object->size - 1) / sdsim_cluster_bytes(volume);
        *next = offset == last ? SDSIM_CHAIN_END : cluster + 1;
        return offset <= last;
    }
    if (object->state == SDSIM_CHAIN_SPLIT && offset < object->first_run) {
        *next = cluster + 1;
        return true;
    }
    if (object->last_run != 0) { /* the growing edge: its entries are still to be written */
        *next = SDSIM_CHAIN_END;
        return true;
    }
    return false;
}

enum sdsim_fat_result sdsim_chain_next(struct sdsim_volume *volume,
                                       const struct sdsim_object *object, uint32_t cluster,
                                       uint32_t *next)
{
    if (!sdsim_cluster_valid(volume, cluster)) {
        return SDSIM_FAT_CORRUPT;
    }
    if (is_exfat(volume)) {
        const bool has_chain = object->size != 0 && object->start != 0;
        if (!has_chain && object->state != SDSIM_CHAIN_LINKED) {
            return SDSIM_FAT_CORRUPT;
        }
        if (next_computed(volume, object, cluster, next)) {
            return SDSIM_FAT_OK;
        }
        if (object->state == SDSIM_CHAIN_CONTIGUOUS) {
            return SDSIM_FAT_CORRUPT;
        }
    }
    const enum sdsim_fat_result result = sdsim_fat_get(volume, cluster, next);
    return result == SDSIM_FAT_OK && *next == 1 ? SDSIM_FAT_CORRUPT : result;
}

/* exFAT: what the new cluster `next` after `cluster` makes of the chain's state. */
static enum sdsim_fat_result note_growth(struct sdsim_volume *volume, struct sdsim_object *object,
                                         uint32_t cluster, uint32_t next)
{
    if (cluster == 0) {
        object->state = SDSIM_CHAIN_CONTIGUOUS;
        return SDSIM_FAT_OK;
    }
    if (object->state == SDSIM_CHAIN_CONTIGUOUS) {
        if (next == cluster + 1) {
            return SDSIM_FAT_OK;
        }
        object->first_run = cluster - object->start;
        object->state = SDSIM_CHAIN_SPLIT;
    }
    if (next == cluster + 1) {
        /* The first to be counted brings the old last cluster with it. */
        object->last_run = object->last_run != 0 ? object->last_run + 1 : 2;
        return SDSIM_FAT_OK;
    }
    if (object->last_run == 0) {
        object->last_run = 1;
    }
    const enum sdsim_fat_result result = sdsim_chain_settle_last(volume, object, cluster, next);
    if (result == SDSIM_FAT_OK) {
        object->last_run = 1;
    }
    return result;
}

static enum sdsim_fat_result allocate_exfat(struct sdsim_volume *volume,
                                            struct sdsim_object *object, uint32_t cluster,
                                            uint32_t *next)
{
    const uint32_t from = cluster != 0 ? cluster : volume->hint;
    enum sdsim_fat_result result = sdsim_bitmap_find(volume, from, 1, next);
    if (result != SDSIM_FAT_OK || *next == 0) {
        return result;
    }
    result = sdsim_bitmap_change(volume, *next, 1, true);
    return result == SDSIM_FAT_OK ? note_growth(volume, object, cluster, *next) : result;
}

enum sdsim_fat_result sdsim_chain_extend(struct sdsim_volume *volume, struct sdsim_object *object,
                                         uint32_t cluster, uint32_t *next)
{
    enum sdsim_fat_result result;
    if (cluster != 0) {
        result = sdsim_chain_next(volume, object, cluster, next);
        if (result != SDSIM_FAT_OK) {
            return result;
        }
        if (*next < sdsim_cluster_limit(volume)) {
            return *next >= 2 ? SDSIM_FAT_OK : SDSIM_FAT_CORRUPT;
        }
    }
    *next = 0;
    if (volume->free_clusters == 0) {
        return SDSIM_FAT_OK;
    }
    result = is_exfat(volume) ? allocate_exfat(volume, object, cluster, next)
                              : sdsim_fat_allocate(volume, cluster, next);
    if (result == SDSIM_FAT_OK && *next != 0) {
        volume->hint = *next;
        sdsim_window_count(volume, 1, false);
    }
    return result;
}

/* Gives back a contiguous run: the bits of exFAT, and CTRL_TRIM. */
static enum sdsim_fat_result release_run(struct sdsim_volume *volume, uint32_t first,
                                         uint32_t count)
{
    if (is_exfat(volume)) {
        const enum sdsim_fat_result result = sdsim_bitmap_change(volume, first, count, false);
        if (result != SDSIM_FAT_OK) {
            return result;
        }
    }
    if (volume->config.trim && volume->disk->ops->trim != NULL) {
        /* FatFs ignores what the disk says to it. */
        (void)volume->disk->ops->trim(volume->disk->context, volume->now,
                                      sdsim_cluster_lba(volume, first),
                                      count * volume->geometry.cluster_sectors);
    }
    return SDSIM_FAT_OK;
}

static enum sdsim_fat_result release_chain(struct sdsim_volume *volume, struct sdsim_object *object,
                                           uint32_t cluster)
{
    uint32_t first = cluster;
    uint32_t last = cluster;
    do {
        uint32_t next;
        enum sdsim_fat_result result = sdsim_chain_next(volume, object, cluster, &next);
        if (result != SDSIM_FAT_OK) {
            return result;
        }
        if (next == 0) { /* free already: the chain is broken here */
            return SDSIM_FAT_OK;
        }
        if (!is_exfat(volume)) {
            result = sdsim_fat_set(volume, cluster, 0);
            if (result != SDSIM_FAT_OK) {
                return result;
            }
        }
        sdsim_window_count(volume, 1, true);
        if (next == last + 1 && sdsim_cluster_valid(volume, next)) {
            last = next;
        } else {
            result = release_run(volume, first, last - first + 1);
            if (result != SDSIM_FAT_OK) {
                return result;
            }
            first = last = next;
        }
        cluster = next;
    } while (cluster < sdsim_cluster_limit(volume));
    return SDSIM_FAT_OK;
}

/* exFAT: a chain that was cut after `last` may be contiguous again. */
static enum sdsim_fat_result reconsider(struct sdsim_volume *volume, struct sdsim_object *object,
                                        uint32_t last)
{
    if (last == 0) {
        object->state = SDSIM_CHAIN_LINKED;
        return SDSIM_FAT_OK;
    }
    if (object->state == SDSIM_CHAIN_SPLIT) {
        if (last >= object->start && last <= object->start + object->first_run) {
            object->state = SDSIM_CHAIN_CONTIGUOUS;
        }
        return SDSIM_FAT_OK;
    }
    if (object->state != SDSIM_CHAIN_LINKED) {
        return SDSIM_FAT_OK;
    }
    uint32_t cluster = object->start;
    while (cluster != last) {
        uint32_t next;
        const enum sdsim_fat_result result = sdsim_chain_next(volume, object, cluster, &next);
        if (result != SDSIM_FAT_OK) {
            return result;
        }
        if (next < 2) {
            return SDSIM_FAT_CORRUPT;
        }
        if (next != cluster + 1) {
            return SDSIM_FAT_OK;
        }
        cluster = next;
    }
    object->state = SDSIM_CHAIN_CONTIGUOUS;
    return SDSIM_FAT_OK;
}

enum sdsim_fat_result sdsim_chain_free(struct sdsim_volume *volume, struct sdsim_object *object,
                                       uint32_t cluster, uint32_t before)
{
    if (!sdsim_cluster_valid(volume, cluster)) {
        return SDSIM_FAT_CORRUPT;
    }
    enum sdsim_fat_result result = SDSIM_FAT_OK;
    const bool on_fat = !is_exfat(volume) || object->state != SDSIM_CHAIN_CONTIGUOUS;
    if (before != 0 && on_fat) {
        result = sdsim_fat_set(volume, before, UINT32_MAX);
    }
    if (result == SDSIM_FAT_OK) {
        result = release_chain(volume, object, cluster);
    }
    if (result == SDSIM_FAT_OK && is_exfat(volume)) {
        result = reconsider(volume, object, before);
    }
    return result;
}

enum sdsim_fat_result sdsim_chain_expand(struct sdsim_volume *volume, struct sdsim_object *object,
                                         uint32_t count)
{
    uint32_t first = 0;
    enum sdsim_fat_result result;
    if (is_exfat(volume)) {
        result = sdsim_bitmap_find(volume, volume->hint, count, &first);
        if (result == SDSIM_FAT_OK) {
            result =
                first == 0 ? SDSIM_FAT_DENIED : sdsim_bitmap_change(volume, first, count, true);
        }
    } else {
        result = sdsim_fat_allocate_run(volume, count, &first);
    }
    if (result != SDSIM_FAT_OK) {
        return result;
    }
    volume->hint = first + count - 1;
    if (volume->free_clusters <= volume->geometry.clusters) {
        sdsim_window_count(volume, count, false);
    }
    object->start = first;
    object->state = is_exfat(volume) ? SDSIM_CHAIN_CONTIGUOUS : SDSIM_CHAIN_LINKED;
    return SDSIM_FAT_OK;
}

enum sdsim_fat_result sdsim_chain_settle_first(struct sdsim_volume *volume,
                                               struct sdsim_object *object)
{
    if (object->state != SDSIM_CHAIN_SPLIT) {
        return SDSIM_FAT_OK;
    }
    for (uint32_t i = 0; i < object->first_run; i++) {
        const uint32_t cluster = object->start + i;
        const enum sdsim_fat_result result = sdsim_fat_set(volume, cluster, cluster + 1);
        if (result != SDSIM_FAT_OK) {
            return result;
        }
    }
    object->state = SDSIM_CHAIN_LINKED;
    return SDSIM_FAT_OK;
}

enum sdsim_fat_result sdsim_chain_settle_last(struct sdsim_volume *volume,
                                              struct sdsim_object *object, uint32_t last,
                                              uint32_t end)
{
    while (object->last_run > 0) {
        const uint32_t cluster = last - object->last_run + 1;
        if (!sdsim_cluster_valid(volume, cluster)) {
            return SDSIM_FAT_CORRUPT;
        }
        const enum sdsim_fat_result result =
            sdsim_fat_set(volume, cluster, object->last_run > 1 ? cluster + 1 : end);
        if (result != SDSIM_FAT_OK) {
            return result;
        }
        object->last_run--;
    }
    return SDSIM_FAT_OK;
}

enum sdsim_fat_result sdsim_chain_count_free(struct sdsim_volume *volume, uint32_t *free_clusters)
{
    return is_exfat(volume) ? sdsim_bitmap_count_free(volume, free_clusters)
                            : sdsim_fat_count_free(volume, free_clusters);
}
