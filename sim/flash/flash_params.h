/*
 * What tells one flash from another: the parameters of the flash model, in base units.
 *
 * They come from a card profile (its keys and what each of them means are in card/schema.c),
 * or by hand in a test. Whatever is 0 does not exist: a card with nothing below `erase` set has no
 * translation layer, no cache and no latency levels beyond the first.
 */
#ifndef SDSIM_FLASH_FLASH_PARAMS_H
#define SDSIM_FLASH_FLASH_PARAMS_H

#include <stdint.h>

#include "core/time.h"

#define SDSIM_FLASH_SECTOR 512u
/* The most AUs a card may hold open; where there is no limit, so many are remembered. */
#define SDSIM_AU_SLOTS 64

struct sdsim_flash_params {
    sdsim_ps rd1;         /* command end to first data, without the bus's own clocks */
    sdsim_ps rd_slow;     /* extra access time at the slow latency level */
    uint64_t slow_share;  /* share of read commands at that level, in 10^-9 */
    sdsim_ps rdn;         /* end of a block to the next one's data */
    sdsim_ps rdpg;        /* to fetch the next page group */
    sdsim_ps w1;          /* busy of a lone block in all, its wn included */
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

    /* reading */
    sdsim_ps rd_hit;    /* access to a page group that is in the buffer; 0: as rd1 */
    sdsim_ps rdau;      /* extra for the first block of another AU within a command */
    sdsim_ps rd_folded; /* extra for each block the cache no longer holds */

    /* AUs and what is written out of order (flash/au.h, flash/translation.h) */
    uint64_t au_bytes;     /* needed by all of these */
    uint64_t open_aus;     /* AUs that may be open at once, at most SDSIM_AU_SLOTS; 0: no limit */
    sdsim_ps au_open;      /* to open one */
    uint64_t move_rate;    /* bytes per second a merge copies; 0: copying takes no time */
    sdsim_ps au_erase;     /* of the AU a merge leaves behind */
    sdsim_ps rand;         /* least commit of a transfer that goes against the order */
    sdsim_ps rand_full;    /* what that has grown to after rand_after bytes; 0: it does not grow */
    uint64_t rand_after;   /* bytes */
    uint64_t small_bytes;  /* transfers up to this go to the small-write log; 0: there is none */
    sdsim_ps w_small;      /* least commit of one that goes there */
    uint64_t small_log;    /* bytes it holds; 0: it never fills up */
    uint64_t small_merges; /* AUs merged when it is full */
    sdsim_ps erase_per_au; /* CMD38, for each AU in its range; not for a discard */

    /* the first bytes of the card, where the FAT lies: no AU slot, no order */
    uint64_t fat_bytes;  /* 0: nothing special */
    sdsim_ps w_fat;      /* as w1 there; 0: w1 */
    uint64_t fat_stream; /* speed of streams there, in 10^-9 of the speed elsewhere; 0: the same */

    /* what was written last (flash/cache.h) */
    uint64_t cache_bytes; /* 0: none */
    uint64_t fold_rate;   /* bytes per second when it is full; 0: full speed */
    uint64_t drain_rate;  /* bytes per second that are folded while nothing is written */

    /* pauses of the first writes after power-up */
    uint64_t start_count;
    uint64_t start_every; /* bytes written from one to the next */
    sdsim_ps start_length;
};

#endif
