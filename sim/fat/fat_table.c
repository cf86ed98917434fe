#include "fat/fat_table.h"

#include "fat/bytes.h"
#include "fat/window.h"

static enum sdsim_fat_result need_fat(struct sdsim_volume *volume, uint64_t byte)
{
    return sdsim_window_need(volume, volume->geometry.fat_start + (uint32_t)(byte / SDSIM_SECTOR),
                             SDSIM_FOR_FAT);
}

/* The bytes of the FAT from `byte` on, once they were asked for; `change`: they will differ. */
static uint8_t *fat_at(struct sdsim_volume *volume, uint64_t byte, bool change)
{
    struct sdsim_sector *sector = sdsim_window_of(volume, SDSIM_FOR_FAT);
    sector->dirty = sector->dirty || change;
    return sdsim_sector_bytes(sector) + byte % SDSIM_SECTOR;
}

/* A 12-bit entry lies in two bytes that may lie in two sectors; FatFs asks for both in turn. */
static enum sdsim_fat_result get12(struct sdsim_volume *volume, uint32_t cluster, uint32_t *value)
{
    const uint64_t at = cluster + cluster / 2;
    enum sdsim_fat_result result = need_fat(volume, at);
    if (result != SDSIM_FAT_OK) {
        return result;
    }
    const uint32_t low = *fat_at(volume, at, false);
    result = need_fat(volume, at + 1);
    if (result != SDSIM_FAT_OK) {
        return result;
    }
    const uint32_t both = low | (uint32_t)*fat_at(volume, at + 1, false) << 8;
    *value = cluster % 2 != 0 ? both >> 4 : both & 0xFFF;
    return SDSIM_FAT_OK;
}

static enum sdsim_fat_result set12(struct sdsim_volume *volume, uint32_t cluster, uint32_t value)
{
    const uint64_t at = cluster + cluster / 2;
    const bool odd = cluster % 2 != 0;
    enum sdsim_fat_result result = need_fat(volume, at);
    if (result != SDSIM_FAT_OK) {
        return result;
    }
    uint8_t *byte = fat_at(volume, at, true);
    *byte = odd ? (uint8_t)((*byte & 0x0F) | (value & 0x0F) << 4) : (uint8_t)value;
    result = need_fat(volume, at + 1);
    if (result != SDSIM_FAT_OK) {
        return result;
    }
    byte = fat_at(volume, at + 1, true);
    *byte = odd ? (uint8_t)(value >> 4) : (uint8_t)((*byte & 0xF0) | (value >> 8 & 0x0F));
    return SDSIM_FAT_OK;
}

enum sdsim_fat_result sdsim_fat_get(struct sdsim_volume *volume, uint32_t cluster, uint32_t *value)
{
    const enum sdsim_fat_type type = volume->geometry.type;
    if (type == SDSIM_FAT12) {
        return get12(volume, cluster, value);
    }
    const uint64_t at = (uint64_t)cluster * (type == SDSIM_FAT16 ? 2 : 4);
    const enum sdsim_fat_result result = need_fat(volume, at);
    if (result != SDSIM_FAT_OK) {
        return result;
    }
    const uint8_t *entry = fat_at(volume, at, false);
    switch (type) {
    case SDSIM_FAT16:
        *value = sdsim_get16(entry);
        break;
    case SDSIM_FAT32:
        *value = sdsim_get32(entry) & 0x0FFFFFFF;
        break;
    default:
        *value = sdsim_get32(entry) & 0x7FFFFFFF;
        break;
    }
    return SDSIM_FAT_OK;
}

enum sdsim_fat_result sdsim_fat_set(struct sdsim_volume *volume, uint32_t cluster, uint32_t value)
{
    const enum sdsim_fat_type type = volume->geometry.type;
    if (type == SDSIM_FAT12) {
        return set12(volume, cluster, value);
    }
    const uint64_t at = (uint64_t)cluster * (type == SDSIM_FAT16 ? 2 : 4);
    const enum sdsim_fat_result result = need_fat(volume, at);
    if (result != SDSIM_FAT_OK) {
        return result;
    }
    uint8_t *entry = fat_at(volume, at, true);
    switch (type) {
    case SDSIM_FAT16:
        sdsim_put16(entry, value & 0xFFFF);
        break;
    case SDSIM_FAT32:
        sdsim_put32(entry, (value & 0x0FFFFFFF) | (sdsim_get32(entry) & 0xF0000000));
        break;
    default:
        sdsim_put32(entry, value);
        break;
    }
    return SDSIM_FAT_OK;
}

/* The entry of `cluster`, refusing the value 1, which no FAT may hold. */
static enum sdsim_fat_result look(struct sdsim_volume *volume, uint32_t cluster, uint32_t *value)
{
    const enum sdsim_fat_result result = sdsim_fat_get(volume, cluster, value);
    return result == SDSIM_FAT_OK && *value == 1 ? SDSIM_FAT_CORRUPT : result;
}

/* The first free cluster after `from`, searching up and round once; 0: none. */
static enum sdsim_fat_result find_free(struct sdsim_volume *volume, uint32_t from, uint32_t *found)
{
    const uint32_t limit = sdsim_cluster_limit(volume);
    uint32_t cluster = from;
    *found = 0;
    for (;;) {
        if (++cluster >= limit) {
            cluster = 2;
            if (cluster > from) {
                return SDSIM_FAT_OK;
            }
        }
        uint32_t value;
        const enum sdsim_fat_result result = look(volume, cluster, &value);
        if (result != SDSIM_FAT_OK) {
            return result;
        }
        if (value == 0) {
            *found = cluster;
            return SDSIM_FAT_OK;
        }
        if (cluster == from) {
            return SDSIM_FAT_OK;
        }
    }
}

/* The neighbour of `cluster` if it is free, else the next free one after the hint (or after it). */
static enum sdsim_fat_result find_next(struct sdsim_volume *volume, uint32_t cluster,
                                       uint32_t *found)
{
    const uint32_t neighbour = cluster + 1 < sdsim_cluster_limit(volume) ? cluster + 1 : 2;
    uint32_t value;
    const enum sdsim_fat_result result = look(volume, neighbour, &value);
    if (result != SDSIM_FAT_OK) {
        return result;
    }
    if (value == 0) {
        *found = neighbour;
        return SDSIM_FAT_OK;
    }
    const uint32_t from = sdsim_cluster_valid(volume, volume->hint) ? volume->hint : cluster;
    return find_free(volume, from, found);
}

enum sdsim_fat_result sdsim_fat_allocate(struct sdsim_volume *volume, uint32_t cluster,
                                         uint32_t *next)
{
    enum sdsim_fat_result result;
    if (cluster == 0) {
        const uint32_t hint = volume->hint;
        const bool usable = hint != 0 && hint < sdsim_cluster_limit(volume);
        result = find_free(volume, usable ? hint : 1, next);
    } else {
        result = find_next(volume, cluster, next);
    }
    if (result != SDSIM_FAT_OK || *next == 0) {
        return result;
    }
    result = sdsim_fat_set(volume, *next, UINT32_MAX);
    if (result == SDSIM_FAT_OK && cluster != 0) {
        result = sdsim_fat_set(volume, cluster, *next);
    }
    return result;
}

/* First of `count` free clusters in a row, from the hint up and round; SDSIM_FAT_DENIED if none. */
static enum sdsim_fat_result find_run(struct sdsim_volume *volume, uint32_t count, uint32_t *first)
{
    const uint32_t limit = sdsim_cluster_limit(volume);
    const uint32_t from = sdsim_cluster_valid(volume, volume->hint) ? volume->hint : 2;
    uint32_t cluster = from;
    uint32_t length = 0;
    *first = from;
    do {
        uint32_t value;
        const enum sdsim_fat_result result = look(volume, cluster, &value);
        if (result != SDSIM_FAT_OK) {
            return result;
        }
        cluster++;
        if (value == 0) {
            if (++length == count) {
                return SDSIM_FAT_OK;
            }
        }
        const bool wrapped = cluster >= limit;
        if (wrapped) {
            cluster = 2;
        }
        if (value != 0 || wrapped) { /* a run does not go on across the end */
            *first = cluster;
            length = 0;
        }
    } while (cluster != from);
    return SDSIM_FAT_DENIED;
}

enum sdsim_fat_result sdsim_fat_allocate_run(struct sdsim_volume *volume, uint32_t count,
                                             uint32_t *first)
{
    enum sdsim_fat_result result = find_run(volume, count, first);
    for (uint32_t i = 0; i < count && result == SDSIM_FAT_OK; i++) {
        const uint32_t cluster = *first + i;
        result = sdsim_fat_set(volume, cluster, i + 1 < count ? cluster + 1 : UINT32_MAX);
    }
    return result;
}

enum sdsim_fat_result sdsim_fat_count_free(struct sdsim_volume *volume, uint32_t *free_clusters)
{
    /* FAT12 is counted from entry 2 on, the others from entry 0. */
    const uint32_t limit = sdsim_cluster_limit(volume);
    uint32_t count = 0;
    for (uint32_t i = volume->geometry.type == SDSIM_FAT12 ? 2 : 0; i < limit; i++) {
        uint32_t value;
        const enum sdsim_fat_result result = sdsim_fat_get(volume, i, &value);
        if (result != SDSIM_FAT_OK) {
            return result;
        }
        count += value == 0;
    }
    *free_clusters = count;
    return SDSIM_FAT_OK;
}
