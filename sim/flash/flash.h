/*
 * The flash behind the card's controller: when does it have the next block, when is it ready to
 * take one, and when does it do something else instead?
 *
 * Reading. The first block of a command costs an access (rd1; now and then rd_slow, as some cards
 * show two latency levels; rd_hit if its page group is the one in the buffer). The blocks behind it
 * cost rdn each. The controller reads ahead: while one page group is on its way to the host, the
 * next is fetched; crossing into it costs what is left of rdpg, which on a slow bus is nothing.
 * Crossing into another AU costs rdau. Each block that no longer lies where it was written first
 * (flash/cache.h) costs rd_folded.
 *
 * Writing. A block goes into a buffer and costs wn. When a page group is complete its program (wpg;
 * longer in the FAT area and when the cache is full) runs behind the transfer of the next one; there
 * is one spare buffer, so the card is busy only if the program before that still runs. When the host
 * ends the transfer the card finishes what still runs and then commits: wstop. A
 * transfer of one lone block is busy for w1 in all, its wn included. Where the blocks go may cost
 * more: flash/translation.h.
 *
 * Pauses. Every pause_every bytes written the card works for pause_length on its own account (an AU
 * is merged or erased: nearly fixed for one card); every rare_every bytes on average for
 * rare_length; in some states of the card, for start_length with the first writes after power-up.
 * Nothing of this is random in draw 0: events come at their mean distance, the first after half of
 * it. In other draws the phase, a jitter of 5 % and the distances of rare events are drawn. What the
 * translation layer does above the ordinary counts as a pause, too.
 *
 * A busy may not last longer than the specification's limit for the card; what is left over is
 * carried to the next block's busy, unless the profile says that this card breaks the rule.
 *
 * Sources: domain measurements condensed in the card profiles; the shape is that of the "model
 * proposal" there: lone writes cost one program whatever their size, streams are nearly free.
 *
 * Limits: the regular pauses are tied to the amount written, not to the map of AUs; reads never
 * pause. The clock is the caller's; every function gets the instant at which its cause happened, and
 * what happened in the background since is worked out then.
 */
#ifndef SDSIM_FLASH_FLASH_H
#define SDSIM_FLASH_FLASH_H

#include <stdbool.h>
#include <stdint.h>

#include "core/recorder.h"
#include "core/rng.h"
#include "core/time.h"
#include "flash/cache.h"
#include "flash/flash_params.h"
#include "flash/medium.h"
#include "flash/translation.h"

/* When the card is ready, and how much of the time right before that is an extraordinary pause. */
struct sdsim_ready {
    sdsim_ps at;
    sdsim_ps pause;
};

/* What happened to reads and programs, in numbers. */
struct sdsim_flash_stats {
    uint64_t fresh_reads;   /* blocks that lay where they were written first, if that matters */
    uint64_t folded_reads;  /* blocks that did not */
    uint64_t buffer_hits;   /* read commands that found their page group in the buffer */
    uint64_t folded_groups; /* page groups written while the cache was full */
};

struct sdsim_flash {
    const struct sdsim_flash_params *params; /* not owned */
    struct sdsim_recorder *recorder;         /* hears SDSIM_LANE_FLASH; not owned, NULL: nobody */
    sdsim_ps heard_to;                       /* end of the last span it heard */
    struct sdsim_rng rng;
    bool typical; /* draw 0 */
    uint32_t group_blocks;
    uint32_t au_blocks; /* of rdau; 0: it does not matter */
    sdsim_ps fat_wpg;   /* wpg in the FAT area */
    sdsim_ps fold_wpg;  /* wpg when the cache is full */

    /* events, in units of blocks written and read commands since the start */
    uint64_t blocks_written;
    uint64_t next_pause; /* UINT64_MAX: never */
    uint64_t next_rare;
    uint64_t pause_step;
    uint64_t rare_step;
    uint64_t next_start; /* pause after power-up */
    uint64_t starts_left;
    uint64_t slow_phase; /* in 10^-9 of a slow read */
    sdsim_ps carried;    /* of a pause that was longer than busy_limit */

    /* the stream at work */
    uint32_t lba;        /* of the next block */
    uint32_t group_left; /* blocks to the end of its page group, >= 1 */
    uint64_t stream_blocks;
    bool reading;         /* what was last done: `lba` is in the buffer */
    bool regular;         /* reading: the next block is ready as its kind is after the last one */
    bool folded;          /* reading: the next block's kind */
    uint32_t kind_left;   /* reading: blocks of that kind, >= 1; UINT32_MAX: all */
    sdsim_ps next_group;  /* reading: when the next page group will have been fetched */
    sdsim_ps program_end; /* writing: when the last started program ends */

    struct sdsim_flash_stats stats;
    struct sdsim_cache cache;
    struct sdsim_translation translation;
};

/* Sets the flash up, never paused, nothing running. draw 0 is typical. */
void sdsim_flash_init(struct sdsim_flash *flash, const struct sdsim_flash_params *params,
                      uint64_t seed, uint32_t draw);

/* Before anything is done: these blocks were written just before power-up, as those written last. */
void sdsim_flash_hold(struct sdsim_flash *flash, uint32_t lba, uint32_t count);

/* A read command for `lba` ended at `end`: when is its first block ready? */
struct sdsim_ready sdsim_flash_read_first(struct sdsim_flash *flash, sdsim_ps end, uint32_t lba);

/* The block before this one has left the card completely at `end`: when is the next one ready? */
struct sdsim_ready sdsim_flash_read_next(struct sdsim_flash *flash, sdsim_ps end);

/* The block that was ready has left the card; before any other call for the one behind it. */
void sdsim_flash_read_taken(struct sdsim_flash *flash);

/*
 * How many of the next `most` blocks, the one that is on its way included, are alike: each is ready
 * equally long after the one before it ended, whatever the time is: params->rdn, and rd_folded for
 * folded ones. sdsim_flash_read_skip() passes over fewer than that many at once.
 */
uint64_t sdsim_flash_read_alike(const struct sdsim_flash *flash, uint64_t most);
void sdsim_flash_read_skip(struct sdsim_flash *flash, uint64_t blocks);

/* How many of the next `most` blocks, the one that is on its way included, come one after another
 * like that, but for the first, whenever it is ready. All but the last can be skipped. */
uint64_t sdsim_flash_read_run(const struct sdsim_flash *flash, uint64_t most);

/* How long after its forerunner's end each of them but the first is ready. */
static inline sdsim_ps sdsim_flash_read_step(const struct sdsim_flash *flash)
{
    const struct sdsim_flash_params *params = flash->params;
    return flash->folded ? sdsim_time_sum(params->rdn, params->rd_folded) : params->rdn;
}

/* A write command for `lba` ended at `end`. `announced` is how many blocks the host said it will
 * write (ACMD23), so that nothing there needs to be kept; 0: it didn't. */
void sdsim_flash_write_first(struct sdsim_flash *flash, sdsim_ps end, uint32_t lba,
                             uint32_t announced);

/* A block of it has arrived completely at `end`: until when is the card busy? */
struct sdsim_ready sdsim_flash_write_block(struct sdsim_flash *flash, sdsim_ps end);

/* How many of the next `most` blocks are alike: busy for exactly params->wn after their end. */
uint64_t sdsim_flash_write_alike(const struct sdsim_flash *flash, uint64_t most);
void sdsim_flash_write_skip(struct sdsim_flash *flash, uint64_t blocks);

/*
 * The host ended the write transfer at `end`, while the busy of its last block, `running`, may
 * still last: until when is the card busy now? A pause in it goes on behind the commit.
 */
struct sdsim_ready sdsim_flash_write_stop(struct sdsim_flash *flash, sdsim_ps end,
                                          struct sdsim_ready running);

/* CMD38 for `count` blocks from `lba` on ended at `end`. A discard only forgets them. */
struct sdsim_ready sdsim_flash_erase(struct sdsim_flash *flash, sdsim_ps end, uint32_t lba,
                                     uint32_t count, bool discard);

#endif
