/*
 * A bare medium as a disk, and the log of what was asked of it as block-operation text.
 *
 * The disk takes no time and never fails but beyond its end. The log writes, for each file
 * operation that caused something or answered something:
 *
 *     #@ LINE[.REPETITION][ rc=N][ n=N][ size=N][ entries=N][ clusters=N]
 *     R lba count          disk_read
 *     W lba count          disk_write
 *     #S                   CTRL_SYNC
 *     #T lba count         CTRL_TRIM
 *
 * and #end with the totals. Operations without block I/O and with result 0 have no line. Since the
 * answer stands in front, the block operations of one file operation are kept until it is finished.
 *
 * Limits: running out of memory loses lines; `failed` says so.
 */
#ifndef SDSIM_FAT_BLOCKS_H
#define SDSIM_FAT_BLOCKS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "fat/disk.h"
#include "fat/session.h"

enum sdsim_block_kind {
    SDSIM_BLOCK_READ,
    SDSIM_BLOCK_WRITE,
    SDSIM_BLOCK_SYNC,
    SDSIM_BLOCK_TRIM,
};

struct sdsim_block {
    enum sdsim_block_kind kind;
    uint32_t lba;
    uint32_t count;
};

struct sdsim_blocks {
    struct sdsim_disk disk;      /* to be handed to a volume; its context is this struct */
    struct sdsim_medium *medium; /* not owned */
    FILE *out;                   /* not owned; NULL: nothing is logged */
    bool failed;
    struct sdsim_block *pending;
    size_t pending_count;
    size_t pending_capacity;
    uint64_t operations;
    uint64_t block_operations; /* reads and writes */
    uint64_t sectors_read;
    uint64_t sectors_written;
};

/* Sets up a disk over a medium. The struct must not move afterwards. */
void sdsim_blocks_init(struct sdsim_blocks *blocks, struct sdsim_medium *medium, FILE *out);
void sdsim_blocks_free(struct sdsim_blocks *blocks);

/* Logs a file operation that has just been run: its line, and its repetition from 1 on if a repeat
 * count was written. */
void sdsim_blocks_note(struct sdsim_blocks *blocks, uint32_t line, const struct sdsim_op *op,
                       uint32_t repetition, const struct sdsim_outcome *outcome);

/* The last line. */
void sdsim_blocks_end(struct sdsim_blocks *blocks);

#endif
