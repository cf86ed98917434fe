/*
 * The flash behind the card's controller: when does it have the next block, when is it ready to
 * take one, and when does it do something else instead?
 *
 * Reading. The first block of a command costs an access (rd1; now and then rd_slow, as some cards
 * show two latency levels). The blocks behind it cost rdn each. The controller reads ahead: while
 * one page group is on its way to the host, the next is fetched; crossing into it costs what is
 * left of rdpg, which on a slow bus is nothing.
 *
 * Writing. A block goes into a buffer and costs wn. When a page group is complete its program (wpg)
 * runs behind the transfer of the next one; there is one spare buffer, so the card is busy only if
 * the program before that still runs. When the host ends the transfer the card finishes what still
 * runs and then commits: wstop, or w1 if the transfer was one lone block.
 *
 * Pauses. Every pause_every bytes written the card works for pause_length on its own account (an AU
 * is merged or erased: nearly fixed for one card); every rare_every bytes on average for
 * rare_length. Nothing of this is random in draw 0: events come at their mean distance, the first
 * after half of it. In other draws the phase, a jitter of 5 % and the distances of rare events are
 * drawn.
 *
 * A busy may not last longer than the specification's limit for the card; what is left over is
 * carried to the next block's busy, unless the profile says that this card breaks the rule.
 *
 * Sources: domain measurements condensed in the card profiles; the shape is that of the "model
 * proposal" there: lone writes cost one program whatever their size, streams are nearly free.
 *
 * Limits: pauses are tied to the amount written, not to a map of AUs; reads never pause. The clock
 * is the caller's; every function gets the instant at which its cause happened.
 */
#ifndef SDSIM_FLASH_FLASH_H
#define SDSIM_FLASH_FLASH_H

#include <stdbool.h>
#include <stdint.h>

#include "core/rng.h"
#include "core/time.h"
#include "flash/medium.h"

struct sdsim_flash_params {
    sdsim_ps rd1;         /* command end to first data, without the bus's own clocks */
    sdsim_ps rd_slow;     /* extra access time at the slow latency level */
    uint64_t slow_share;  /* share of read commands at that level, in 10^-9 */
    sdsim_ps rdn;         /* end of a block to the next one's data */
    sdsim_ps rdpg;        /* to fetch the next page group */
    sdsim_ps w1;          /* commit of a lone block */
    sdsim_ps wn;          /* busy of each block in a stream */
    sdsim_ps wpg;         /* program of one page group */
    sdsim_ps wstop;       /* commit at the end of a stream */
    sdsim_ps wstop_large; /* the same for streams of at least large_bytes; 0: as wstop */
    uint64_t large_bytes;
    uint64_t page_bytes;  /* a page group; >= 512, multiple of 512 */
    uint64_t pause_every; /* bytes; 0: no such pauses */
    sdsim_ps pause_length;
    uint64_t rare_every; /* bytes, mean; 0: none */
    sdsim_ps rare_length;
    sdsim_ps busy_limit; /* longest single busy of this card's class; 0: no limit */
    sdsim_ps erase;      /* CMD38, whatever its range */
};

/* When the card is ready, and how much of the time right before that is an extraordinary pause. */
struct sdsim_ready {
    sdsim_ps at;
    sdsim_ps pause;
};

struct sdsim_flash {
    const struct sdsim_flash_params *params; /* not owned */
    struct sdsim_rng rng;
    bool typical; /* draw 0 */
    uint32_t group_blocks;

    /* events, in units of blocks written and read commands since the start */
    uint64_t blocks_written;
    uint64_t next_pause; /* UINT64_MAX: never */
    uint64_t next_rare;
    uint64_t pause_step;
    uint64_t rare_step;
    uint64_t slow_phase; /* in 10^-9 of a slow read */
    sdsim_ps carried;    /* of a pause that was longer than busy_limit */

    /* the stream at work */
    uint32_t lba;        /* of the next block */
    uint32_t group_left; /* blocks to the end of its page group, >= 1 */
    uint64_t stream_blocks;
    bool regular;         /* reading: the next block is ready exactly rdn after the last one */
    sdsim_ps next_group;  /* reading: when the next page group will have been fetched */
    sdsim_ps program_end; /* writing: when the last started program ends */
};

/* Sets the flash up, never paused, nothing running. draw 0 is typical. */
void sdsim_flash_init(struct sdsim_flash *flash, const struct sdsim_flash_params *params,
                      uint64_t seed, uint32_t draw);

/* A read command for `lba` ended at `end`: when is its first block ready? */
struct sdsim_ready sdsim_flash_read_first(struct sdsim_flash *flash, sdsim_ps end, uint32_t lba);

/* The block before this one has left the card completely at `end`: when is the next one ready? */
struct sdsim_ready sdsim_flash_read_next(struct sdsim_flash *flash, sdsim_ps end);

/*
 * How many of the next `most` blocks, the one that is on its way included, are alike: each is ready
 * exactly params->rdn after the one before it ended, whatever the time is.
 * sdsim_flash_read_skip() passes over fewer than that many at once.
 */
uint64_t sdsim_flash_read_alike(const struct sdsim_flash *flash, uint64_t most);
void sdsim_flash_read_skip(struct sdsim_flash *flash, uint64_t blocks);

/* A write transfer begins at `lba`. */
void sdsim_flash_write_first(struct sdsim_flash *flash, uint32_t lba);

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

/* CMD38 ended at `end`. */
struct sdsim_ready sdsim_flash_erase(const struct sdsim_flash *flash, sdsim_ps end);

#endif
