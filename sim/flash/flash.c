#include "flash/flash.h"

#include <assert.h>

#include "core/account.h"

static const uint64_t never = UINT64_MAX;
static const uint64_t billion = 1000000000;

/*
 * An exponential variate of mean 1 without a logarithm, which differs between C libraries: von
 * Neumann's method counts how long uniform numbers keep falling. An odd run accepts the first of
 * them as the fraction; an even run adds one to the whole part and starts again.
 */
static double draw_exponential(struct sdsim_rng *rng)
{
    for (double whole = 0;; whole += 1) {
        const double first = sdsim_rng_unit(rng);
        double last = first;
        unsigned run = 1;
        for (;;) {
            const double next = sdsim_rng_unit(rng);
            if (next >= last) {
                break;
            }
            last = next;
            run++;
        }
        if (run % 2 == 1) {
            return whole + first;
        }
    }
}

static uint64_t rare_distance(struct sdsim_flash *flash)
{
    if (flash->typical) {
        return flash->rare_step;
    }
    const double blocks = (double)flash->rare_step * draw_exponential(&flash->rng);
    return blocks < 1 ? 1 : (uint64_t)blocks;
}

/* The block count at which an event of period `step` first happens. */
static uint64_t first_event(struct sdsim_flash *flash, uint64_t step)
{
    const uint64_t after = flash->typical ? step / 2 : sdsim_rng_below(&flash->rng, step);
    return after > 0 ? after : 1;
}

/* A program that runs at `speed` (in 10^-9) of its usual one. */
static sdsim_ps at_speed(sdsim_ps program, uint64_t speed)
{
    if (speed == 0 || speed == billion) {
        return program;
    }
    return (sdsim_ps)((double)program / (double)speed * (double)billion);
}

/* A page group's program when another one must be folded first. */
static sdsim_ps folding_program(const struct sdsim_flash_params *params)
{
    if (params->fold_rate == 0 || params->cache_bytes == 0) {
        return params->wpg;
    }
    const sdsim_ps block = SDSIM_SECTOR * SDSIM_S / params->fold_rate;
    const sdsim_ps group = sdsim_time_times(block, params->page_bytes / SDSIM_SECTOR);
    return group > params->wpg ? group : params->wpg;
}

void sdsim_flash_init(struct sdsim_flash *flash, const struct sdsim_flash_params *params,
                      uint64_t seed, uint32_t draw)
{
    assert(params->page_bytes >= SDSIM_SECTOR && params->page_bytes % SDSIM_SECTOR == 0);
    *flash = (struct sdsim_flash){
        .params = params,
        .typical = draw == 0,
        .group_blocks = (uint32_t)(params->page_bytes / SDSIM_SECTOR),
        .au_blocks = params->rdau > 0 ? (uint32_t)(params->au_bytes / SDSIM_SECTOR) : 0,
        .fat_wpg = at_speed(params->wpg, params->fat_stream),
        .fold_wpg = folding_program(params),
        .pause_step = params->pause_every / SDSIM_SECTOR,
        .rare_step = params->rare_every / SDSIM_SECTOR,
        .next_pause = never,
        .next_rare = never,
        .next_start = params->start_count > 0 ? 1 : never,
        .starts_left = params->start_count,
        .kind_left = UINT32_MAX,
    };
    sdsim_cache_init(&flash->cache, params);
    sdsim_translation_init(&flash->translation, params);
    sdsim_rng_seed(&flash->rng, sdsim_hash_number(sdsim_hash_text(seed, "flash"), draw));
    flash->group_left = flash->group_blocks;
    if (flash->pause_step > 0) {
        flash->next_pause = first_event(flash, flash->pause_step);
    }
    if (flash->rare_step > 0) {
        flash->next_rare =
            flash->typical ? first_event(flash, flash->rare_step) : rare_distance(flash);
    }
    flash->slow_phase = flash->typical ? billion / 2 : sdsim_rng_below(&flash->rng, billion);
}

/* Tells the recorder what the flash does from `from` to `to`. Its spans follow each other: of what begins
 * before the last one has ended only the rest is told. */
static void tell_recorder(struct sdsim_flash *flash, enum sdsim_kind kind, sdsim_ps from,
                          sdsim_ps to)
{
    from = from > flash->heard_to ? from : flash->heard_to;
    if (to <= from) {
        return;
    }
    const struct sdsim_span span = {
        .start = from,
        .duration = to - from,
        .count = 1,
        .lane = SDSIM_LANE_FLASH,
        .kind = (uint8_t)kind,
    };
    flash->recorder->span(flash->recorder, &span);
    flash->heard_to = to;
}

static inline void tell(struct sdsim_flash *flash, enum sdsim_kind kind, sdsim_ps from, sdsim_ps to)
{
    if (flash->recorder != NULL) {
        tell_recorder(flash, kind, from, to);
    }
}

static void start_stream(struct sdsim_flash *flash, uint32_t lba)
{
    flash->lba = lba;
    flash->group_left = flash->group_blocks - lba % flash->group_blocks;
    flash->stream_blocks = 0;
}

/* Whether this read command meets the slow latency level. */
static bool slow_read(struct sdsim_flash *flash)
{
    const uint64_t share = flash->params->slow_share;
    if (share == 0) {
        return false;
    }
    if (!flash->typical) {
        return sdsim_rng_below(&flash->rng, billion) < share;
    }
    flash->slow_phase += share;
    if (flash->slow_phase < billion) {
        return false;
    }
    flash->slow_phase -= billion;
    return true;
}

void sdsim_flash_hold(struct sdsim_flash *flash, uint32_t lba, uint32_t count)
{
    sdsim_cache_hold(&flash->cache, lba, count);
}

/* Which kind the next block is, and how many like it follow. */
static void find_kind(struct sdsim_flash *flash)
{
    if (flash->params->rd_folded > 0) {
        flash->folded = !sdsim_cache_holds(&flash->cache, flash->lba, &flash->kind_left);
    }
}

/* What the next block costs for its kind. */
static sdsim_ps kind_cost(const struct sdsim_flash *flash)
{
    return flash->folded ? flash->params->rd_folded : 0;
}

/* How long a read command takes to find its first block. */
static sdsim_ps access_time(struct sdsim_flash *flash, uint32_t lba)
{
    const struct sdsim_flash_params *params = flash->params;
    if (params->rd_hit > 0 && flash->reading &&
        lba / flash->group_blocks == flash->lba / flash->group_blocks) {
        flash->stats.buffer_hits++;
        return params->rd_hit;
    }
    return slow_read(flash) ? sdsim_time_sum(params->rd1, params->rd_slow) : params->rd1;
}

struct sdsim_ready sdsim_flash_read_first(struct sdsim_flash *flash, sdsim_ps end, uint32_t lba)
{
    const sdsim_ps access = access_time(flash, lba);
    sdsim_cache_settle(&flash->cache);
    sdsim_cache_idle(&flash->cache, end);
    start_stream(flash, lba);
    find_kind(flash);
    const sdsim_ps at = sdsim_time_sum(end, sdsim_time_sum(access, kind_cost(flash)));
    flash->next_group = sdsim_time_sum(at, flash->params->rdpg);
    tell(flash, SDSIM_ACCESS, end, at);
    tell(flash, SDSIM_ACCESS, at, flash->next_group);
    flash->reading = true;
    flash->regular = false;
    return (struct sdsim_ready){.at = at};
}

static void advance(struct sdsim_flash *flash, uint64_t blocks)
{
    flash->lba += (uint32_t)blocks;
    flash->stream_blocks += blocks;
    if (blocks < flash->group_left) {
        flash->group_left -= (uint32_t)blocks;
    } else {
        flash->group_left = flash->group_blocks - flash->lba % flash->group_blocks;
    }
}

/* Reading, within what is alike: of the last block on, the kind is looked for anew. */
static void advance_kind(struct sdsim_flash *flash, uint64_t blocks)
{
    if (flash->kind_left == UINT32_MAX) {
        return;
    }
    flash->kind_left -= (uint32_t)blocks;
    if (flash->kind_left == 0) {
        find_kind(flash);
    }
}

void sdsim_flash_read_taken(struct sdsim_flash *flash)
{
    if (flash->params->rd_folded > 0) {
        flash->stats.folded_reads += flash->folded;
        flash->stats.fresh_reads += !flash->folded;
    }
}

struct sdsim_ready sdsim_flash_read_next(struct sdsim_flash *flash, sdsim_ps end)
{
    const bool crossing = flash->group_left == 1;
    advance(flash, 1);
    advance_kind(flash, 1);
    sdsim_ps at = sdsim_time_sum(end, sdsim_time_sum(flash->params->rdn, kind_cost(flash)));
    flash->regular = true;
    if (crossing) {
        if (flash->next_group > at) {
            at = flash->next_group;
            flash->regular = false;
        }
        flash->next_group = sdsim_time_sum(at, flash->params->rdpg);
        tell(flash, SDSIM_ACCESS, at, flash->next_group);
    }
    if (flash->au_blocks > 0 && flash->lba % flash->au_blocks == 0) {
        at = sdsim_time_sum(at, flash->params->rdau);
        flash->regular = false;
    }
    tell(flash, SDSIM_ACCESS, end, at);
    return (struct sdsim_ready){.at = at};
}

uint64_t sdsim_flash_read_run(const struct sdsim_flash *flash, uint64_t most)
{
    uint64_t run = flash->params->rdpg > 0 ? flash->group_left : most;
    if (flash->kind_left < run) {
        run = flash->kind_left;
    }
    if (flash->au_blocks > 0 && flash->au_blocks - flash->lba % flash->au_blocks < run) {
        run = flash->au_blocks - flash->lba % flash->au_blocks;
    }
    return run < most ? run : most;
}

uint64_t sdsim_flash_read_alike(const struct sdsim_flash *flash, uint64_t most)
{
    return flash->regular ? sdsim_flash_read_run(flash, most) : 0;
}

void sdsim_flash_read_skip(struct sdsim_flash *flash, uint64_t blocks)
{
    if (flash->params->rd_folded > 0) {
        flash->stats.folded_reads += flash->folded ? blocks : 0;
        flash->stats.fresh_reads += flash->folded ? 0 : blocks;
    }
    advance(flash, blocks);
    advance_kind(flash, blocks);
}

/* ---- writing ---- */

void sdsim_flash_write_first(struct sdsim_flash *flash, sdsim_ps end, uint32_t lba,
                             uint32_t announced)
{
    start_stream(flash, lba);
    flash->reading = false;
    sdsim_cache_settle(&flash->cache);
    sdsim_cache_idle(&flash->cache, end);
    if (announced > 0) {
        sdsim_translation_erased(&flash->translation, lba, announced);
    }
    sdsim_translation_start(&flash->translation, lba);
}

/* The pause that falls due with the block just counted, 0 for none. */
static sdsim_ps due_pause(struct sdsim_flash *flash)
{
    sdsim_ps pause = 0;
    if (flash->blocks_written >= flash->next_pause) {
        flash->next_pause += flash->pause_step;
        pause = flash->params->pause_length;
        if (!flash->typical) {
            /* 95 % to 105 %: ten repeated passes of several cards spread that much. */
            pause = pause / 100 * (95 + sdsim_rng_below(&flash->rng, 11));
        }
    }
    if (flash->blocks_written >= flash->next_rare) {
        flash->next_rare += rare_distance(flash);
        pause = sdsim_time_sum(pause, flash->params->rare_length);
    }
    if (flash->blocks_written >= flash->next_start) {
        const uint64_t step = flash->params->start_every / SDSIM_SECTOR;
        flash->starts_left--;
        flash->next_start = flash->starts_left > 0 ? flash->next_start + step : never;
        pause = sdsim_time_sum(pause, flash->params->start_length);
    }
    return pause;
}

/* Adds a pause to a busy that begins at `end`, within the limit; the rest is carried. */
static struct sdsim_ready with_pause(struct sdsim_flash *flash, sdsim_ps end, sdsim_ps at,
                                     sdsim_ps pause)
{
    pause = sdsim_time_sum(pause, flash->carried);
    flash->carried = 0;
    if (pause == 0) {
        return (struct sdsim_ready){.at = at};
    }
    const sdsim_ps limit = flash->params->busy_limit;
    const sdsim_ps normal = sdsim_time_since(at, end);
    if (limit > 0 && sdsim_time_sum(normal, pause) > limit) {
        const sdsim_ps now = sdsim_time_since(limit, normal);
        flash->carried = pause - now;
        pause = now;
    }
    return (struct sdsim_ready){.at = sdsim_time_sum(at, pause), .pause = pause};
}

/* The program of the page group that has just become complete. */
static sdsim_ps group_program(struct sdsim_flash *flash)
{
    if (flash->translation.in_fat) {
        return flash->fat_wpg;
    }
    if (flash->fold_wpg > flash->params->wpg && sdsim_cache_full(&flash->cache)) {
        flash->stats.folded_groups++;
        return flash->fold_wpg;
    }
    return flash->params->wpg;
}

struct sdsim_ready sdsim_flash_write_block(struct sdsim_flash *flash, sdsim_ps end)
{
    const bool group_complete = flash->group_left == 1;
    const bool quiet = sdsim_translation_quiet(&flash->translation);
    const sdsim_ps moving = quiet ? 0 : sdsim_translation_block(&flash->translation);
    sdsim_cache_write(&flash->cache, flash->lba, 1);
    advance(flash, 1);
    flash->blocks_written++;

    sdsim_ps at = sdsim_time_sum(end, flash->params->wn);
    if (group_complete && flash->fold_wpg > 0) {
        if (flash->program_end > at) {
            at = flash->program_end;
        }
        flash->program_end = sdsim_time_sum(at, group_program(flash));
    }
    const struct sdsim_ready ready =
        with_pause(flash, end, at, sdsim_time_sum(due_pause(flash), moving));
    tell(flash, SDSIM_BUSY, end, at);
    tell(flash, SDSIM_PAUSE, at, ready.at);
    tell(flash, SDSIM_BUSY, at, flash->program_end);
    return ready;
}

uint64_t sdsim_flash_write_alike(const struct sdsim_flash *flash, uint64_t most)
{
    if (flash->carried > 0) {
        return 0;
    }
    uint64_t alike = flash->fold_wpg > 0 ? flash->group_left - 1 : most;
    uint64_t event = flash->next_pause < flash->next_rare ? flash->next_pause : flash->next_rare;
    event = flash->next_start < event ? flash->next_start : event;
    /* Due may be overdue by now: then not even the next block is alike. */
    const uint64_t quiet = event > flash->blocks_written ? event - flash->blocks_written - 1 : 0;
    if (quiet < alike) {
        alike = quiet;
    }
    alike = alike < most ? alike : most;
    return sdsim_translation_quiet(&flash->translation)
               ? alike
               : sdsim_translation_alike(&flash->translation, alike);
}

void sdsim_flash_write_skip(struct sdsim_flash *flash, uint64_t blocks)
{
    if (!sdsim_translation_quiet(&flash->translation)) {
        sdsim_translation_skip(&flash->translation, (uint32_t)blocks);
    }
    sdsim_cache_write(&flash->cache, flash->lba, (uint32_t)blocks);
    advance(flash, blocks);
    flash->blocks_written += blocks;
}

/* What is still to come of a pause. */
static sdsim_ps pause_left(struct sdsim_ready running, sdsim_ps now)
{
    const sdsim_ps left = sdsim_time_since(running.at, now);
    return running.pause < left ? running.pause : left;
}

/* What the card does when a transfer ends. */
static sdsim_ps commit_time(const struct sdsim_flash *flash)
{
    const struct sdsim_flash_params *params = flash->params;
    const bool in_fat = flash->translation.in_fat;
    if (flash->stream_blocks == 0) {
        return 0;
    }
    if (flash->stream_blocks == 1) {
        const sdsim_ps whole = in_fat && params->w_fat > 0 ? params->w_fat : params->w1;
        return whole > params->wn ? whole - params->wn : 0; /* the block's own busy is part of it */
    }
    const bool large =
        params->wstop_large > 0 && flash->stream_blocks * SDSIM_SECTOR >= params->large_bytes;
    const sdsim_ps commit = large ? params->wstop_large : params->wstop;
    return in_fat ? at_speed(commit, params->fat_stream) : commit;
}

struct sdsim_ready sdsim_flash_write_stop(struct sdsim_flash *flash, sdsim_ps end,
                                          struct sdsim_ready running)
{
    const sdsim_ps left = pause_left(running, end);
    /* w1 is all a lone block costs, its own program included. */
    const bool lone = flash->stream_blocks == 1;
    sdsim_ps start = running.at > end ? running.at - left : end;
    if (!lone && flash->program_end > start) {
        start = flash->program_end;
    }
    const sdsim_ps commit = commit_time(flash);
    const sdsim_ps more = sdsim_translation_stop(&flash->translation, commit);
    flash->stream_blocks = 0;
    flash->program_end = 0;
    const struct sdsim_ready ready =
        with_pause(flash, end, sdsim_time_sum(start, commit), sdsim_time_sum(left, more));
    tell(flash, SDSIM_BUSY, end, ready.at - ready.pause);
    tell(flash, SDSIM_PAUSE, ready.at - ready.pause, ready.at);
    sdsim_cache_settle(&flash->cache);
    sdsim_cache_wrote(&flash->cache, ready.at);
    return ready;
}

struct sdsim_ready sdsim_flash_erase(struct sdsim_flash *flash, sdsim_ps end, uint32_t lba,
                                     uint32_t count, bool discard)
{
    const uint32_t aus = sdsim_translation_aus(&flash->translation, lba, count);
    flash->reading = false;
    sdsim_translation_erased(&flash->translation, lba, count);
    sdsim_ps work = flash->params->erase;
    if (!discard) {
        work = sdsim_time_sum(work, sdsim_time_times(flash->params->erase_per_au, aus));
    }
    tell(flash, SDSIM_BUSY, end, sdsim_time_sum(end, work));
    return (struct sdsim_ready){.at = sdsim_time_sum(end, work)};
}
