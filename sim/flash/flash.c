#include "flash/flash.h"

#include <assert.h>

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

void sdsim_flash_init(struct sdsim_flash *flash, const struct sdsim_flash_params *params,
                      uint64_t seed, uint32_t draw)
{
    assert(params->page_bytes >= SDSIM_SECTOR && params->page_bytes % SDSIM_SECTOR == 0);
    *flash = (struct sdsim_flash){
        .params = params,
        .typical = draw == 0,
        .group_blocks = (uint32_t)(params->page_bytes / SDSIM_SECTOR),
        .pause_step = params->pause_every / SDSIM_SECTOR,
        .rare_step = params->rare_every / SDSIM_SECTOR,
        .next_pause = never,
        .next_rare = never,
    };
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

struct sdsim_ready sdsim_flash_read_first(struct sdsim_flash *flash, sdsim_ps end, uint32_t lba)
{
    start_stream(flash, lba);
    sdsim_ps access = flash->params->rd1;
    if (slow_read(flash)) {
        access = sdsim_time_sum(access, flash->params->rd_slow);
    }
    const sdsim_ps at = sdsim_time_sum(end, access);
    flash->next_group = sdsim_time_sum(at, flash->params->rdpg);
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

struct sdsim_ready sdsim_flash_read_next(struct sdsim_flash *flash, sdsim_ps end)
{
    const bool crossing = flash->group_left == 1;
    advance(flash, 1);
    sdsim_ps at = sdsim_time_sum(end, flash->params->rdn);
    flash->regular = true;
    if (crossing) {
        if (flash->next_group > at) {
            at = flash->next_group;
            flash->regular = false;
        }
        flash->next_group = sdsim_time_sum(at, flash->params->rdpg);
    }
    return (struct sdsim_ready){.at = at};
}

uint64_t sdsim_flash_read_alike(const struct sdsim_flash *flash, uint64_t most)
{
    if (!flash->regular) {
        return 0;
    }
    const uint64_t alike = flash->params->rdpg > 0 ? flash->group_left : most;
    return alike < most ? alike : most;
}

void sdsim_flash_read_skip(struct sdsim_flash *flash, uint64_t blocks)
{
    advance(flash, blocks);
}

void sdsim_flash_write_first(struct sdsim_flash *flash, uint32_t lba)
{
    start_stream(flash, lba);
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

struct sdsim_ready sdsim_flash_write_block(struct sdsim_flash *flash, sdsim_ps end)
{
    const bool group_complete = flash->group_left == 1;
    advance(flash, 1);
    flash->blocks_written++;

    sdsim_ps at = sdsim_time_sum(end, flash->params->wn);
    if (group_complete && flash->params->wpg > 0) {
        if (flash->program_end > at) {
            at = flash->program_end;
        }
        flash->program_end = sdsim_time_sum(at, flash->params->wpg);
    }
    return with_pause(flash, end, at, due_pause(flash));
}

uint64_t sdsim_flash_write_alike(const struct sdsim_flash *flash, uint64_t most)
{
    if (flash->carried > 0) {
        return 0;
    }
    uint64_t alike = flash->params->wpg > 0 ? flash->group_left - 1 : most;
    const uint64_t event =
        flash->next_pause < flash->next_rare ? flash->next_pause : flash->next_rare;
    /* Due may be overdue by now: then not even the next block is alike. */
    const uint64_t quiet = event > flash->blocks_written ? event - flash->blocks_written - 1 : 0;
    if (quiet < alike) {
        alike = quiet;
    }
    return alike < most ? alike : most;
}

void sdsim_flash_write_skip(struct sdsim_flash *flash, uint64_t blocks)
{
    advance(flash, blocks);
    flash->blocks_written += blocks;
}

/* What is still to come of a pause. */
static sdsim_ps pause_left(struct sdsim_ready running, sdsim_ps now)
{
    const sdsim_ps left = sdsim_time_since(running.at, now);
    return running.pause < left ? running.pause : left;
}

struct sdsim_ready sdsim_flash_write_stop(struct sdsim_flash *flash, sdsim_ps end,
                                          struct sdsim_ready running)
{
    const struct sdsim_flash_params *params = flash->params;
    const sdsim_ps pause = pause_left(running, end);
    /* w1 is all a lone block costs, its own program included. */
    const bool lone = flash->stream_blocks == 1;
    sdsim_ps start = running.at > end ? running.at - pause : end;
    if (!lone && flash->program_end > start) {
        start = flash->program_end;
    }
    sdsim_ps commit = params->wstop;
    if (flash->stream_blocks == 0) {
        commit = 0;
    } else if (lone) {
        commit = params->w1;
    } else if (params->wstop_large > 0 &&
               flash->stream_blocks * SDSIM_SECTOR >= params->large_bytes) {
        commit = params->wstop_large;
    }
    flash->stream_blocks = 0;
    flash->program_end = 0;
    return with_pause(flash, end, sdsim_time_sum(start, commit), pause);
}

struct sdsim_ready sdsim_flash_erase(const struct sdsim_flash *flash, sdsim_ps end)
{
    return (struct sdsim_ready){.at = sdsim_time_sum(end, flash->params->erase)};
}
