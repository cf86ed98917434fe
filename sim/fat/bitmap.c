#include "fat/bitmap.h"

#include "fat/window.h"

#define BITS_PER_SECTOR (SDSIM_SECTOR * 8u)

static enum sdsim_fat_result need_bit(struct sdsim_volume *volume, uint32_t bit)
{
    return sdsim_window_need(volume, volume->geometry.bitmap_start + bit / BITS_PER_SECTOR,
                             SDSIM_FOR_BITMAP);
}

/* The bitmap sector that was asked for. */
static struct sdsim_sector *bitmap_sector(struct sdsim_volume *volume)
{
    return sdsim_window_of(volume, SDSIM_FOR_BITMAP);
}

static uint8_t mask_of(uint32_t bit)
{
    return (uint8_t)(1u << bit % 8);
}

enum sdsim_fat_result sdsim_bitmap_find(struct sdsim_volume *volume, uint32_t from, uint32_t count,
                                        uint32_t *first)
{
    const uint32_t bits = volume->geometry.clusters;
    const uint32_t origin = sdsim_cluster_valid(volume, from) ? from - 2 : 0;
    uint32_t bit = origin;
    uint32_t start = origin;
    uint32_t length = 0;
    *first = 0;
    do {
        const enum sdsim_fat_result result = need_bit(volume, bit);
        if (result != SDSIM_FAT_OK) {
            return result;
        }
        const uint8_t *bytes = sdsim_sector_bytes(bitmap_sector(volume));
        const uint32_t sector_end = bit - bit % BITS_PER_SECTOR + BITS_PER_SECTOR;
        const uint32_t stop = sector_end < bits ? sector_end : bits;
        do {
            const bool used = (bytes[bit % BITS_PER_SECTOR / 8] & mask_of(bit)) != 0;
            bit++;
            if (!used && ++length == count) {
                *first = start + 2;
                return SDSIM_FAT_OK;
            }
            if (used) {
                start = bit;
                length = 0;
            }
        } while (bit < stop && bit != origin);
        if (bit == bits) { /* a run does not go on across the end */
            bit = start = 0;
            length = 0;
        }
    } while (bit != origin);
    return SDSIM_FAT_OK;
}

enum sdsim_fat_result sdsim_bitmap_change(struct sdsim_volume *volume, uint32_t first,
                                          uint32_t count, bool used)
{
    if (!sdsim_cluster_valid(volume, first) || count > sdsim_cluster_limit(volume) - first) {
        return SDSIM_FAT_CORRUPT;
    }
    for (uint32_t bit = first - 2, end = bit + count; bit < end; bit++) {
        const enum sdsim_fat_result result = need_bit(volume, bit);
        if (result != SDSIM_FAT_OK) {
            return result;
        }
        uint8_t *byte = sdsim_sector_bytes(bitmap_sector(volume)) + bit / 8 % SDSIM_SECTOR;
        if (((*byte & mask_of(bit)) != 0) == used) {
            return SDSIM_FAT_CORRUPT;
        }
        *byte ^= mask_of(bit);
        bitmap_sector(volume)->dirty = true;
    }
    return SDSIM_FAT_OK;
}

enum sdsim_fat_result sdsim_bitmap_count_free(struct sdsim_volume *volume, uint32_t *free_clusters)
{
    uint32_t count = 0;
    for (uint32_t bit = 0; bit < volume->geometry.clusters; bit++) {
        const enum sdsim_fat_result result = need_bit(volume, bit);
        if (result != SDSIM_FAT_OK) {
            return result;
        }
        const uint8_t *byte = sdsim_sector_bytes(bitmap_sector(volume)) + bit / 8 % SDSIM_SECTOR;
        count += (*byte & mask_of(bit)) == 0;
    }
    *free_clusters = count;
    return SDSIM_FAT_OK;
}
