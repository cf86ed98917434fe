#include "flash/flash_state.h"

static const uint64_t never = UINT64_MAX;

struct sdsim_flash_luck sdsim_flash_luck_of(const struct sdsim_flash *flash)
{
    return (struct sdsim_flash_luck){
        .rng = flash->rng,
        .typical = flash->typical,
        .blocks_written = flash->blocks_written,
        .next_pause = flash->next_pause,
        .next_rare = flash->next_rare,
        .next_start = flash->next_start,
        .starts_left = flash->starts_left,
        .slow_phase = flash->slow_phase,
    };
}

void sdsim_flash_set_luck(struct sdsim_flash *flash, const struct sdsim_flash_luck *luck)
{
    flash->rng = luck->rng;
    flash->typical = luck->typical;
    flash->blocks_written = luck->blocks_written;
    flash->next_pause = luck->next_pause;
    flash->next_rare = luck->next_rare;
    flash->next_start = luck->next_start;
    flash->starts_left = luck->starts_left;
    flash->slow_phase = luck->slow_phase;
}

void sdsim_flash_no_luck(struct sdsim_flash *flash)
{
    flash->next_pause = never;
    flash->next_rare = never;
    flash->next_start = never;
}

bool sdsim_flash_reads_need_luck(const struct sdsim_flash *flash)
{
    return flash->params->slow_share > 0;
}

/* ---- digests ---- */

/* Which slot an AU has does not matter, only which was written before which. */
static uint64_t recency(const struct sdsim_au_table *aus, const struct sdsim_open_au *open)
{
    const uint32_t age = aus->clock - open->used;
    uint64_t later = 0;
    for (int i = 0; i < aus->count; i++) {
        later += aus->clock - aus->open[i].used < age;
    }
    return later;
}

static void digest_au(const struct sdsim_au_table *aus, const struct sdsim_open_au *open,
                      struct sdsim_digest *digest)
{
    sdsim_digest_add(digest, (uint64_t)open->au << 32 | open->next);
    sdsim_digest_add(digest, (uint64_t)open->log_next << 32 | open->high);
    sdsim_digest_add(digest, (uint64_t)open->written << 2 | (uint64_t)open->scattered << 1 |
                                 (uint64_t)open->erased);
    sdsim_digest_add(digest, recency(aus, open));
}

static void digest_aus(const struct sdsim_au_table *aus, struct sdsim_digest *digest)
{
    struct sdsim_digest sum = {0, 0};
    for (int i = 0; i < aus->count; i++) {
        struct sdsim_digest one;
        sdsim_digest_start(&one);
        digest_au(aus, &aus->open[i], &one);
        sum.a += one.a;
        sum.b += one.b;
    }
    sdsim_digest_add(digest, (uint64_t)aus->count << 8 | aus->erased_count);
    sdsim_digest_add(digest, sum.a);
    sdsim_digest_add(digest, sum.b);
    for (unsigned i = 0; i < aus->erased_count; i++) {
        sdsim_digest_add(digest, (uint64_t)aus->erased[i].from << 32 | aus->erased[i].end);
    }
}

static void digest_translation(const struct sdsim_translation *translation,
                               struct sdsim_digest *digest)
{
    if (!translation->tracks && translation->fat_blocks == 0) {
        return;
    }
    sdsim_digest_add(digest, (uint64_t)translation->piece << 2 |
                                 (uint64_t)translation->in_fat << 1 | (uint64_t)translation->first);
    if (translation->piece != SDSIM_PIECE_NONE) {
        sdsim_digest_add(digest, (uint64_t)translation->lba << 32 | translation->blocks);
        sdsim_digest_add(digest, (uint64_t)translation->left << 32 | translation->settle_after);
    }
    const bool in_slot = translation->slot >= 0 && (translation->piece == SDSIM_PIECE_LINEAR ||
                                                    translation->piece == SDSIM_PIECE_LOG ||
                                                    translation->piece == SDSIM_PIECE_OUT_OF_ORDER);
    sdsim_digest_add(digest, in_slot ? translation->aus.open[translation->slot].au : never);
    sdsim_digest_add(digest, translation->small_next);
    sdsim_digest_add(digest, translation->log_blocks);
    sdsim_digest_add(digest, translation->params->rand_full > translation->params->rand
                                 ? translation->scattered
                                 : 0);
    digest_aus(&translation->aus, digest);
}

static void digest_cache(const struct sdsim_cache *cache, sdsim_ps now, struct sdsim_digest *digest)
{
    if (cache->blocks == 0) {
        return;
    }
    sdsim_digest_add(digest, cache->level);
    sdsim_digest_add(digest, cache->held);
    sdsim_digest_add(digest,
                     (uint64_t)cache->streamed << 32 | (cache->streamed > 0 ? cache->stream : 0));
    if (cache->drain > 0 && (cache->level > 0 || cache->held > 0 || cache->streamed > 0)) {
        sdsim_digest_add(digest, now - cache->drained_at);
    }
    sdsim_digest_add(digest, cache->count);
    for (unsigned i = 0; i < cache->count; i++) {
        const struct sdsim_cache_range *range =
            &cache->ranges[(cache->oldest + i) % SDSIM_CACHE_RANGES];
        sdsim_digest_add(digest, (uint64_t)range->lba << 32 | range->count);
    }
}

void sdsim_flash_digest(const struct sdsim_flash *flash, sdsim_ps now, struct sdsim_digest *digest)
{
    const bool streams = flash->stream_blocks > 0;
    sdsim_digest_add(digest, flash->carried);
    sdsim_digest_add(digest, (uint64_t)flash->lba << 32 | flash->group_left);
    sdsim_digest_add(digest, flash->stream_blocks);
    sdsim_digest_add(digest, (uint64_t)flash->reading << 2 | (uint64_t)flash->regular << 1 |
                                 (uint64_t)flash->folded);
    sdsim_digest_add(digest, flash->reading ? flash->kind_left : 0);
    sdsim_digest_time(digest, flash->reading ? flash->next_group : 0, now);
    sdsim_digest_time(digest, streams ? flash->program_end : 0, now);
    digest_cache(&flash->cache, now, digest);
    digest_translation(&flash->translation, digest);
}

/* When all that waits is folded. */
static sdsim_ps cache_settles(const struct sdsim_cache *cache)
{
    if (cache->blocks == 0 || cache->drain == 0) {
        return 0;
    }
    const uint64_t waiting =
        (cache->level > cache->held ? cache->level : cache->held) + cache->streamed;
    return sdsim_time_sum(cache->drained_at, sdsim_time_times(cache->drain, waiting));
}

sdsim_ps sdsim_flash_settles(const struct sdsim_flash *flash)
{
    sdsim_ps at = cache_settles(&flash->cache);
    if (flash->reading && flash->next_group > at) {
        at = flash->next_group;
    }
    return flash->program_end > at ? flash->program_end : at;
}
