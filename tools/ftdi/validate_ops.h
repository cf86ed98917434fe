/*
 * The block operations of a scenario's run, moved to where a real card may be written.
 *
 * The run is simulated once, and what its driver is asked for is written down: reads, writes and syncs with
 * their sectors. They are moved by whole allocation units, so that what crossed a border still does. If
 * all AUs they touch fit into the permitted range as they lie, they are shifted together; else AUs nobody
 * touches are left out in between.
 *
 * Limits: trims and erases are left out, as drivers send none. At most as many operations as asked for.
 */
#ifndef SDSIM_FTDI_VALIDATE_OPS_H
#define SDSIM_FTDI_VALIDATE_OPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sdsim_setup;

struct sdsim_block_op {
    uint32_t lba;
    uint32_t count; /* 0: a sync */
    bool write;
};

struct sdsim_block_ops {
    struct sdsim_block_op *ops; /* owned */
    size_t count;
    size_t capacity;
    uint64_t total;   /* operations of the run */
    uint64_t sectors; /* of those kept */
    bool writes;      /* one of them does */
    bool moved;
    size_t warm; /* the first of them are there to fill the card's table of open AUs */
    bool failed; /* no memory */
    char error[400];
};

/* The first operations of a run, up to `most_sectors` sectors in all. False: `error`. Free it in any case. */
bool sdsim_block_ops_of(const struct sdsim_setup *setup, uint64_t most_sectors,
                        struct sdsim_block_ops *ops);
void sdsim_block_ops_free(struct sdsim_block_ops *ops);

/* Moves them into sectors from..to - 1. False: `error`, with how much it takes. */
bool sdsim_block_ops_move(struct sdsim_block_ops *ops, uint32_t au_blocks, uint32_t from,
                          uint32_t to);

/*
 * Puts writes in front that open `aus` AUs of the range that nothing else touches. A card with a limit has
 * as many open from earlier, which nobody knows; after this it is known which. False if there is no room
 * for it: nothing is changed then.
 */
bool sdsim_block_ops_warm(struct sdsim_block_ops *ops, uint32_t au_blocks, uint32_t to,
                          uint32_t aus);

/* Whether all of them lie in sectors from..to - 1. */
bool sdsim_block_ops_within(const struct sdsim_block_ops *ops, uint32_t from, uint32_t to);

#endif
