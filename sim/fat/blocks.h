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
 * and #end with the totals. With the geometry of the volume at hand, R and W lines say what they
 * touch: "W 8256 1 # FAT1". Operations without block I/O and with result 0 have no line. Since the
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

/* What a read or write touches. */
enum sdsim_block_label {
    SDSIM_BLOCK_DATA,
    SDSIM_BLOCK_FAT1,
    SDSIM_BLOCK_FAT2,
    SDSIM_BLOCK_DIRECTORY,
    SDSIM_BLOCK_FSINFO,
    SDSIM_BLOCK_BITMAP,
    SDSIM_BLOCK_BOOT, /* boot sector, partition table */
    SDSIM_BLOCK_LABELS
};

/* "data", "FAT1", "FAT2", "directory", "FSINFO", "bitmap", "boot". */
const char *sdsim_block_label_name(enum sdsim_block_label label);

struct sdsim_block {
    enum sdsim_block_kind kind;
    enum sdsim_block_label label; /* of reads and writes */
    uint32_t lba;
    uint32_t count;
};

struct sdsim_block_count {
    uint64_t calls;
    uint64_t sectors;
};

struct sdsim_blocks {
    struct sdsim_disk disk;      /* to be handed to a volume; its context is this struct */
    struct sdsim_medium *medium; /* not owned */
    FILE *out;                   /* not owned; NULL: nothing is logged */
    const struct sdsim_geometry *geometry; /* of the volume above, as it is mounted, not owned;
                                              NULL: no labels, and both FATs are FAT1 */
    bool keep; /* log or not, block operations are kept until the next sdsim_blocks_note */
    bool failed;
    struct sdsim_block *pending;
    size_t pending_count;
    size_t pending_capacity;
    uint64_t operations;
    uint64_t block_operations; /* reads and writes */
    uint64_t sectors_read;
    uint64_t sectors_written;
    struct sdsim_block_count reads[SDSIM_BLOCK_LABELS];
    struct sdsim_block_count writes[SDSIM_BLOCK_LABELS];
    struct sdsim_block_count trims;
    uint64_t syncs;
};

/* Sets up a disk over a medium. The struct must not move afterwards. */
void sdsim_blocks_init(struct sdsim_blocks *blocks, struct sdsim_medium *medium, FILE *out);
void sdsim_blocks_free(struct sdsim_blocks *blocks);

/* Logs a file operation that has just been run: its line, and its repetition from 1 on if a repeat
 * count was written. */
void sdsim_blocks_note(struct sdsim_blocks *blocks, uint32_t line, const struct sdsim_op *op,
                       uint32_t repetition, const struct sdsim_answer *outcome);

/* The last line. */
void sdsim_blocks_end(struct sdsim_blocks *blocks);

#endif
