#include "flash/cache.h"

void sdsim_cache_init(struct sdsim_cache *cache, const struct sdsim_flash_params *params)
{
    cache->blocks = params->cache_bytes / SDSIM_FLASH_SECTOR;
    cache->drain = params->drain_rate > 0 ? SDSIM_FLASH_SECTOR * SDSIM_S / params->drain_rate : 0;
}

/* The oldest `blocks` blocks are no longer held. */
static void release(struct sdsim_cache *cache, uint64_t blocks)
{
    while (blocks > 0 && cache->count > 0) {
        struct sdsim_cache_range *range = &cache->ranges[cache->oldest];
        if (range->count > blocks) {
            range->lba += (uint32_t)blocks;
            range->count -= (uint32_t)blocks;
            cache->held -= blocks;
            return;
        }
        blocks -= range->count;
        cache->held -= range->count;
        cache->oldest = (uint8_t)((cache->oldest + 1) % SDSIM_CACHE_RANGES);
        cache->count--;
    }
}

void sdsim_cache_idle(struct sdsim_cache *cache, sdsim_ps now)
{
    if (cache->drain == 0 || now <= cache->drained_at) {
        return;
    }
    const uint64_t most = (now - cache->drained_at) / cache->drain;
    const uint64_t waiting = cache->level > cache->held ? cache->level : cache->held;
    if (most >= waiting) {
        cache->drained_at = now;
    } else {
        cache->drained_at += most * cache->drain; /* the rest of a block is not lost */
    }
    cache->level -= most < cache->level ? most : cache->level;
    release(cache, most);
}

void sdsim_cache_hold(struct sdsim_cache *cache, uint32_t lba, uint32_t count)
{
    if (cache->blocks == 0 || count == 0) {
        return;
    }
    const unsigned newest = (unsigned)(cache->oldest + cache->count - 1) % SDSIM_CACHE_RANGES;
    struct sdsim_cache_range *range = &cache->ranges[newest];
    if (cache->count > 0 && range->lba + range->count == lba &&
        range->count <= UINT32_MAX - count) {
        range->count += count;
    } else {
        if (cache->count == SDSIM_CACHE_RANGES) {
            release(cache, cache->ranges[cache->oldest].count);
        }
        cache->ranges[(cache->oldest + cache->count) % SDSIM_CACHE_RANGES] =
            (struct sdsim_cache_range){lba, count};
        cache->count++;
    }
    cache->held += count;
    if (cache->held > cache->blocks) {
        release(cache, cache->held - cache->blocks);
    }
}

void sdsim_cache_settle(struct sdsim_cache *cache)
{
    if (cache->streamed == 0 || cache->blocks == 0) {
        cache->streamed = 0;
        return;
    }
    sdsim_cache_hold(cache, cache->stream, cache->streamed);
    cache->level += cache->streamed;
    if (cache->level > cache->blocks) {
        cache->level = cache->blocks;
    }
    cache->streamed = 0;
}

bool sdsim_cache_holds(const struct sdsim_cache *cache, uint32_t lba, uint32_t *span)
{
    *span = UINT32_MAX;
    for (unsigned i = 0; i < cache->count; i++) {
        const struct sdsim_cache_range *range =
            &cache->ranges[(cache->oldest + i) % SDSIM_CACHE_RANGES];
        if (lba >= range->lba && lba - range->lba < range->count) {
            *span = range->count - (lba - range->lba);
            return true;
        }
        if (range->lba > lba && range->lba - lba < *span) {
            *span = range->lba - lba;
        }
    }
    return false;
}
