#include "flash/translation.h"

#include <stddef.h>

void sdsim_translation_init(struct sdsim_translation *translation,
                            const struct sdsim_flash_params *params)
{
    translation->params = params;
    translation->au_blocks = (uint32_t)(params->au_bytes / SDSIM_FLASH_SECTOR);
    translation->fat_blocks = (uint32_t)(params->fat_bytes / SDSIM_FLASH_SECTOR);
    translation->small_blocks = (uint32_t)(params->small_bytes / SDSIM_FLASH_SECTOR);
    translation->tracks = translation->au_blocks > 0 && (params->open_aus > 0 || params->rand > 0 ||
                                                         translation->small_blocks > 0);
    translation->small_next = UINT32_MAX;
    translation->left = UINT32_MAX;
    translation->piece = SDSIM_PIECE_FREE;
}

/* Whether another AU can be opened without closing one. */
static bool has_slot(const struct sdsim_translation *translation)
{
    const uint64_t limit = translation->params->open_aus;
    return limit == 0 || translation->aus.count < limit;
}

/* What an out-of-order write costs by now. */
static sdsim_ps order_cost(const struct sdsim_translation *translation)
{
    const struct sdsim_flash_params *params = translation->params;
    const uint64_t after = params->rand_after / SDSIM_FLASH_SECTOR;
    if (params->rand_full <= params->rand || translation->scattered == 0) {
        return params->rand;
    }
    if (translation->scattered >= after) {
        return params->rand_full;
    }
    const double share = (double)translation->scattered / (double)after;
    return params->rand + (sdsim_ps)((double)(params->rand_full - params->rand) * share);
}

/* ---- pieces begin ---- */

static void begin_in_open_au(struct sdsim_translation *translation)
{
    struct sdsim_open_au *open = &translation->aus.open[translation->slot];
    open->used = ++translation->aus.clock;
    if (translation->lba == open->next || translation->lba >= open->high) {
        translation->piece = SDSIM_PIECE_LINEAR;
    } else if (translation->lba == open->log_next) {
        translation->piece = SDSIM_PIECE_LOG;
    } else {
        translation->piece = SDSIM_PIECE_OUT_OF_ORDER;
    }
}

/* A card without a limit, which remembers no more AUs: the place is met as if it were written
 * before. */
static void begin_in_forgotten_au(struct sdsim_translation *translation)
{
    struct sdsim_au_table *aus = &translation->aus;
    const uint32_t lba = translation->lba;
    sdsim_au_close(aus, sdsim_au_oldest(aus));
    aus->clock++;
    translation->slot = sdsim_au_open(aus, lba / translation->au_blocks, lba);
    translation->piece =
        aus->open[translation->slot].erased ? SDSIM_PIECE_LINEAR : SDSIM_PIECE_OUT_OF_ORDER;
    translation->stats.opened++;
}

static void begin_piece(struct sdsim_translation *translation)
{
    const uint32_t lba = translation->lba;
    translation->blocks = 0;
    translation->slot = -1;
    translation->settle_after = 0;
    translation->in_fat = lba < translation->fat_blocks;
    if (translation->in_fat) {
        translation->piece = SDSIM_PIECE_FREE;
        translation->left = translation->fat_blocks - lba;
        return;
    }
    if (!translation->tracks) {
        translation->piece = SDSIM_PIECE_FREE;
        translation->left = UINT32_MAX;
        return;
    }
    translation->left = translation->au_blocks - lba % translation->au_blocks;
    translation->slot = sdsim_au_find(&translation->aus, lba / translation->au_blocks);
    if (translation->slot >= 0) {
        begin_in_open_au(translation);
        return;
    }
    if (translation->params->open_aus == 0 && translation->aus.count == SDSIM_AU_SLOTS) {
        begin_in_forgotten_au(translation);
        return;
    }
    translation->piece = SDSIM_PIECE_NEEDS_AU;
    if (translation->first && !has_slot(translation) && lba != translation->small_next) {
        translation->settle_after = translation->small_blocks;
    }
}

/* ---- pieces end ---- */

static sdsim_ps merged(struct sdsim_translation *translation, sdsim_ps time, uint64_t aus)
{
    translation->stats.merges += time > 0 ? aus : 0;
    translation->stats.merge_time = sdsim_time_sum(translation->stats.merge_time, time);
    return time;
}

/* Counts a small write in the log; returns what it costs that the log is full. */
static sdsim_ps log_small_write(struct sdsim_translation *translation)
{
    const struct sdsim_flash_params *params = translation->params;
    translation->stats.small_writes++;
    if (params->small_log == 0) {
        return 0;
    }
    translation->log_blocks += translation->small_blocks;
    if (translation->log_blocks < params->small_log / SDSIM_FLASH_SECTOR) {
        return 0;
    }
    translation->log_blocks = 0;
    return merged(translation, sdsim_time_times(sdsim_au_full_merge(params), params->small_merges),
                  params->small_merges);
}

/* A piece out of order ends where its AU can be written on from now on. */
static void leave_log_end(const struct sdsim_translation *translation, struct sdsim_open_au *open,
                          bool small)
{
    open->scattered |= !small;
    open->log_next = translation->lba;
    open->high = translation->lba > open->high ? translation->lba : open->high;
}

static void leave_linear_end(const struct sdsim_translation *translation,
                             struct sdsim_open_au *open)
{
    open->next = translation->lba;
    open->high = translation->lba > open->high ? translation->lba : open->high;
    open->written += translation->blocks;
}

/* What a piece costs, now that it has ended with a commit that takes `commit` anyhow. */
static sdsim_ps end_piece(struct sdsim_translation *translation, sdsim_ps commit)
{
    const enum sdsim_piece piece = translation->piece;
    const bool small = translation->first && translation->blocks <= translation->small_blocks;
    struct sdsim_open_au *open =
        translation->slot >= 0 ? &translation->aus.open[translation->slot] : NULL;
    translation->piece = SDSIM_PIECE_NONE;
    if (translation->blocks == 0) {
        return 0;
    }
    if (piece == SDSIM_PIECE_LINEAR) {
        leave_linear_end(translation, open);
        return 0;
    }
    if (piece == SDSIM_PIECE_LOG) {
        leave_log_end(translation, open, small);
        return 0;
    }
    if (piece != SDSIM_PIECE_OUT_OF_ORDER && piece != SDSIM_PIECE_NEEDS_AU) {
        return 0;
    }
    sdsim_ps cost;
    sdsim_ps more = 0;
    if (small) {
        cost = translation->params->w_small;
        more = log_small_write(translation);
    } else {
        cost = order_cost(translation);
        translation->stats.out_of_order++;
        translation->scattered += translation->blocks;
    }
    if (open != NULL) {
        leave_log_end(translation, open, small);
    } else {
        translation->small_next = translation->lba;
    }
    const sdsim_ps extra = sdsim_time_since(cost, commit);
    translation->stats.order_time = sdsim_time_sum(translation->stats.order_time, extra);
    return sdsim_time_sum(extra, more);
}

/* A transfer that a reset broke off: what it had written in order is written. */
static void settle_broken_off(struct sdsim_translation *translation)
{
    if (translation->piece == SDSIM_PIECE_LINEAR) {
        (void)end_piece(translation, 0);
    }
}

void sdsim_translation_start(struct sdsim_translation *translation, uint32_t lba)
{
    if (!translation->tracks && translation->fat_blocks == 0) {
        return;
    }
    settle_broken_off(translation);
    translation->lba = lba;
    translation->first = true;
    begin_piece(translation);
}

/* The piece gets its AU, of which its blocks so far are the beginning. */
static sdsim_ps open_au(struct sdsim_translation *translation)
{
    const struct sdsim_flash_params *params = translation->params;
    struct sdsim_au_table *aus = &translation->aus;
    sdsim_ps cost = 0;
    if (!has_slot(translation)) {
        const int oldest = sdsim_au_oldest(aus);
        cost = merged(translation, sdsim_au_merge_time(params, &aus->open[oldest]), 1);
        sdsim_au_close(aus, oldest);
    }
    aus->clock++;
    translation->slot =
        sdsim_au_open(aus, translation->lba / translation->au_blocks, translation->lba);
    struct sdsim_open_au *open = &aus->open[translation->slot];
    translation->piece = SDSIM_PIECE_LINEAR;
    translation->stats.opened++;
    return open->erased ? cost : sdsim_time_sum(cost, params->au_open);
}

/* Moves on, within the piece. */
static void pass(struct sdsim_translation *translation, uint32_t blocks)
{
    translation->lba += blocks;
    translation->blocks += blocks;
    if (translation->left != UINT32_MAX) {
        translation->left -= blocks;
    }
}

/* At the border of its AU: what is complete closes by itself. */
static sdsim_ps reach_border(struct sdsim_translation *translation)
{
    const sdsim_ps cost = end_piece(translation, 0);
    if (translation->slot >= 0) {
        const struct sdsim_open_au *open = &translation->aus.open[translation->slot];
        if (open->written >= translation->au_blocks && !open->scattered) {
            sdsim_au_close(&translation->aus, translation->slot);
        }
    }
    translation->first = false;
    return cost;
}

/* A block with which a piece may begin, end, or be settled. */
sdsim_ps sdsim_translation_border(struct sdsim_translation *translation)
{
    sdsim_ps cost = 0;
    if (translation->piece == SDSIM_PIECE_NONE) {
        begin_piece(translation);
    }
    if (translation->piece == SDSIM_PIECE_NEEDS_AU &&
        translation->blocks >= translation->settle_after) {
        cost = open_au(translation);
    }
    pass(translation, 1);
    if (translation->left == 0) {
        cost = sdsim_time_sum(cost, reach_border(translation));
    }
    return cost;
}

uint64_t sdsim_translation_alike(const struct sdsim_translation *translation, uint64_t most)
{
    uint64_t alike = most;
    if (sdsim_translation_quiet(translation)) {
        return most;
    }
    if (translation->piece == SDSIM_PIECE_NONE) {
        return 0;
    }
    if (translation->piece == SDSIM_PIECE_NEEDS_AU) {
        alike = translation->settle_after > translation->blocks
                    ? translation->settle_after - translation->blocks
                    : 0;
    }
    /* The last block of a piece may cost something, and always ends it. */
    const uint64_t inside = translation->left - 1;
    alike = alike < inside ? alike : inside;
    return alike < most ? alike : most;
}

void sdsim_translation_skip(struct sdsim_translation *translation, uint32_t blocks)
{
    if (blocks > 0) {
        pass(translation, blocks);
    }
}

sdsim_ps sdsim_translation_stop(struct sdsim_translation *translation, sdsim_ps commit)
{
    return translation->piece == SDSIM_PIECE_FREE ? 0 : end_piece(translation, commit);
}

/* ---- erasing ---- */

void sdsim_translation_erased(struct sdsim_translation *translation, uint32_t lba, uint32_t blocks)
{
    if (!translation->tracks) {
        return;
    }
    const uint32_t size = translation->au_blocks;
    const uint32_t from = lba / size + (lba % size != 0 ? 1 : 0);
    const uint32_t end = (uint32_t)(((uint64_t)lba + blocks) / size);
    if (from < end) {
        settle_broken_off(translation);
        sdsim_au_erased(&translation->aus, from, end);
    }
}

uint32_t sdsim_translation_aus(const struct sdsim_translation *translation, uint32_t lba,
                               uint32_t blocks)
{
    if (translation->au_blocks == 0 || blocks == 0) {
        return 1;
    }
    return (lba + blocks - 1) / translation->au_blocks - lba / translation->au_blocks + 1;
}
