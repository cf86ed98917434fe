/*
 * The translation layer: what a write costs because of where it goes.
 *
 * A write transfer is cut at the borders of AUs and of the FAT area. Each piece is one of these:
 *
 *     in order      it goes on where its AU can be written on (flash/au.h), or further on, behind all
 *                   that was written there: free. A gap is copied when the AU is closed
 *     another AU    its AU is not open: with its first block the AU is opened, for which, at the
 *                   limit, the one not written for longest is closed
 *     small         as long as small_bytes or shorter, out of order or without a free slot: it goes
 *                   to the small-write log; when that is full, AUs are merged
 *     out of order  anything else
 *     FAT area      no AU, no order, no slot
 *
 * How long a transfer is, is known when it ends. So a piece that would need a slot but may turn out
 * to be small waits until it is too long for the log. One that goes on right behind the last small
 * write does not: it is a stream, and gets its AU.
 *
 * What small and out-of-order writes cost is the whole commit (`rand`, `w_small`: at least that), as
 * those figures are measured. All other costs come on top, with the block that causes them.
 *
 * Out-of-order writes may grow dearer (rand_full), as with cards that map pages and run out of
 * erased ones. On cards without a limit on open AUs, one that was forgotten since it was written
 * counts as out of order.
 *
 * Limits: the card's own tables are never lost or rebuilt; nothing is merged while idle.
 */
#ifndef SDSIM_FLASH_TRANSLATION_H
#define SDSIM_FLASH_TRANSLATION_H

#include <stdbool.h>
#include <stdint.h>

#include "flash/au.h"

/* What happened, in numbers. */
struct sdsim_translation_stats {
    uint64_t opened;       /* AUs */
    uint64_t merges;       /* of AUs that were closed by copying, or because the log was full */
    sdsim_ps merge_time;   /* of all of them */
    uint64_t small_writes; /* to the log */
    uint64_t out_of_order; /* transfers or pieces of them */
    sdsim_ps order_time;   /* what both cost above a write in order */
};

enum sdsim_piece {
    SDSIM_PIECE_NONE, /* the next block begins one */
    SDSIM_PIECE_FREE, /* FAT area, or order does not matter */
    SDSIM_PIECE_LINEAR,
    SDSIM_PIECE_LOG,
    SDSIM_PIECE_NEEDS_AU,
    SDSIM_PIECE_OUT_OF_ORDER,
};

struct sdsim_translation {
    const struct sdsim_flash_params *params; /* not owned */
    bool tracks;                             /* order or slots matter on this card */
    bool in_fat;                             /* the piece at work */
    uint32_t au_blocks;
    uint32_t fat_blocks;
    uint32_t small_blocks;

    enum sdsim_piece piece;
    bool first;            /* nothing of the transfer came before the piece */
    int slot;              /* of its AU, -1: not open */
    uint32_t lba;          /* of the next block */
    uint32_t blocks;       /* of the piece so far */
    uint32_t left;         /* to its border, UINT32_MAX: there is none */
    uint32_t settle_after; /* NEEDS_AU: blocks that may still go to the log */

    uint32_t small_next; /* LBA behind the last small write without an AU */
    uint64_t log_blocks; /* in the small-write log */
    uint64_t scattered;  /* blocks written out of order, ever */
    struct sdsim_au_table aus;
    struct sdsim_translation_stats stats;
};

/* Whatever comes costs nothing, to the end of the transfer: most cards and most calls. */
static inline bool sdsim_translation_quiet(const struct sdsim_translation *translation)
{
    return translation->piece == SDSIM_PIECE_FREE && translation->left == UINT32_MAX;
}

/* *translation is zeroed. */
void sdsim_translation_init(struct sdsim_translation *translation,
                            const struct sdsim_flash_params *params);

/* A write transfer begins. */
void sdsim_translation_start(struct sdsim_translation *translation, uint32_t lba);

/* The next block of it: what it costs above the ordinary. */
sdsim_ps sdsim_translation_border(struct sdsim_translation *translation);
static inline sdsim_ps sdsim_translation_block(struct sdsim_translation *translation)
{
    if (translation->piece == SDSIM_PIECE_LINEAR && translation->left > 1) {
        translation->lba++;
        translation->blocks++;
        translation->left--;
        return 0;
    }
    return sdsim_translation_border(translation);
}

/* How many of the next `most` blocks cost nothing, and passing over them. */
uint64_t sdsim_translation_alike(const struct sdsim_translation *translation, uint64_t most);
void sdsim_translation_skip(struct sdsim_translation *translation, uint32_t blocks);

/* The transfer ends, its commit takes `commit`: what it costs above that. */
sdsim_ps sdsim_translation_stop(struct sdsim_translation *translation, sdsim_ps commit);

/* The host erases blocks, or will write that many from `lba` on and needs none of what is there. */
void sdsim_translation_erased(struct sdsim_translation *translation, uint32_t lba, uint32_t blocks);

/* AUs touched by `blocks` blocks from `lba` on. */
uint32_t sdsim_translation_aus(const struct sdsim_translation *translation, uint32_t lba,
                               uint32_t blocks);

#endif
