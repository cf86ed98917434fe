/*
 * What was written last: the cells that are fast to write, and the ranges that still lie in them.
 *
 * Cards write to single-level cells (or log blocks) first and fold the data into dense ones later.
 * Two things follow. Writing: `level` blocks wait to be folded; when they fill the cache, each new
 * page group has to wait until an old one is folded. While nothing is written the card folds by
 * itself; how much, is worked out when it is asked next. Reading: data that still lies here is read
 * without the extra work the dense cells need.
 *
 * Limits: at most SDSIM_CACHE_RANGES ranges are remembered, then the oldest counts as folded; a
 * block written twice counts twice; folding beside a write transfer that is left open is not
 * counted.
 */
#ifndef SDSIM_FLASH_CACHE_H
#define SDSIM_FLASH_CACHE_H

#include <stdbool.h>
#include <stdint.h>

#include "flash/flash_params.h"

#define SDSIM_CACHE_RANGES 32

struct sdsim_cache_range {
    uint32_t lba;
    uint32_t count;
};

struct sdsim_cache {
    uint64_t blocks; /* it holds; 0: there is none */
    uint64_t level;
    sdsim_ps drain;      /* to fold one block while nothing is written; 0: never */
    sdsim_ps drained_at; /* up to when that is counted */
    uint32_t stream;     /* LBA of the stream being written, */
    uint32_t streamed;   /* and its blocks */
    uint64_t held;       /* sum of the ranges */
    uint8_t oldest;      /* index of the ring */
    uint8_t count;
    struct sdsim_cache_range ranges[SDSIM_CACHE_RANGES];
};

void sdsim_cache_init(struct sdsim_cache *cache, const struct sdsim_flash_params *params);

/* The stream that is being written is held when it ends, or something else is asked. */
static inline bool sdsim_cache_full(const struct sdsim_cache *cache)
{
    return cache->level + cache->streamed >= cache->blocks;
}

/* Nothing was written from when that was last told until `now`. */
void sdsim_cache_idle(struct sdsim_cache *cache, sdsim_ps now);

/* Writing has gone on until `now`. */
static inline void sdsim_cache_wrote(struct sdsim_cache *cache, sdsim_ps now)
{
    cache->drained_at = now;
}

/* Blocks are held, as those written last. */
void sdsim_cache_hold(struct sdsim_cache *cache, uint32_t lba, uint32_t count);

/* Blocks were written, behind the last ones or, after sdsim_cache_settle(), anywhere. */
static inline void sdsim_cache_write(struct sdsim_cache *cache, uint32_t lba, uint32_t count)
{
    cache->stream = cache->streamed == 0 ? lba : cache->stream;
    cache->streamed += count;
}

/* The stream ends: its blocks are held, and to be folded. */
void sdsim_cache_settle(struct sdsim_cache *cache);

/* Whether block `lba` is held; *span is how many blocks from it on answer alike, UINT32_MAX for all.
 */
bool sdsim_cache_holds(const struct sdsim_cache *cache, uint32_t lba, uint32_t *span);

#endif
