#include "fat/blocks.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void log_block(struct sdsim_blocks *blocks, enum sdsim_block_kind kind, uint32_t lba,
                      uint32_t count)
{
    if (kind == SDSIM_BLOCK_READ) {
        blocks->block_operations++;
        blocks->sectors_read += count;
    } else if (kind == SDSIM_BLOCK_WRITE) {
        blocks->block_operations++;
        blocks->sectors_written += count;
    }
    if (blocks->out == NULL) {
        return;
    }
    if (blocks->pending_count == blocks->pending_capacity) {
        const size_t capacity = blocks->pending_capacity * 2 + 64;
        struct sdsim_block *grown = realloc(blocks->pending, capacity * sizeof *grown);
        if (grown == NULL) {
            blocks->failed = true;
            return;
        }
        blocks->pending = grown;
        blocks->pending_capacity = capacity;
    }
    blocks->pending[blocks->pending_count++] = (struct sdsim_block){kind, lba, count};
}

static bool outside(const struct sdsim_blocks *blocks, uint32_t lba, uint32_t count)
{
    return lba >= blocks->disk.sectors || count > blocks->disk.sectors - lba;
}

static enum sdsim_disk_error blocks_read(void *context, sdsim_ps *now, uint32_t lba, uint32_t count,
                                         enum sdsim_purpose purpose, void *out)
{
    struct sdsim_blocks *blocks = context;
    (void)now;
    (void)purpose;
    if (outside(blocks, lba, count)) {
        return SDSIM_DISK_RANGE;
    }
    log_block(blocks, SDSIM_BLOCK_READ, lba, count);
    if (out != NULL) {
        sdsim_medium_read(blocks->medium, lba, count, out);
    }
    return SDSIM_DISK_OK;
}

static enum sdsim_disk_error blocks_write(void *context, sdsim_ps *now, uint32_t lba,
                                          uint32_t count, enum sdsim_purpose purpose,
                                          const struct sdsim_content *content)
{
    struct sdsim_blocks *blocks = context;
    (void)now;
    (void)purpose;
    if (outside(blocks, lba, count)) {
        return SDSIM_DISK_RANGE;
    }
    log_block(blocks, SDSIM_BLOCK_WRITE, lba, count);
    return sdsim_medium_write(blocks->medium, lba, count, content) ? SDSIM_DISK_OK
                                                                   : SDSIM_DISK_NO_MEMORY;
}

static enum sdsim_disk_error blocks_sync(void *context, sdsim_ps *now)
{
    (void)now;
    log_block(context, SDSIM_BLOCK_SYNC, 0, 0);
    return SDSIM_DISK_OK;
}

/* Only noted: what a card makes of freed sectors is not the file system's business. */
static enum sdsim_disk_error blocks_trim(void *context, sdsim_ps *now, uint32_t lba, uint32_t count)
{
    (void)now;
    log_block(context, SDSIM_BLOCK_TRIM, lba, count);
    return SDSIM_DISK_OK;
}

static const struct sdsim_disk_ops blocks_ops = {
    .read = blocks_read,
    .write = blocks_write,
    .sync = blocks_sync,
    .trim = blocks_trim,
};

void sdsim_blocks_init(struct sdsim_blocks *blocks, struct sdsim_medium *medium, FILE *out)
{
    memset(blocks, 0, sizeof *blocks);
    blocks->medium = medium;
    blocks->out = out;
    blocks->disk.ops = &blocks_ops;
    blocks->disk.context = blocks;
    blocks->disk.sectors = sdsim_medium_sectors(medium);
}

void sdsim_blocks_free(struct sdsim_blocks *blocks)
{
    free(blocks->pending);
    blocks->pending = NULL;
    blocks->pending_count = blocks->pending_capacity = 0;
}

static void print_block(FILE *out, const struct sdsim_block *block)
{
    switch (block->kind) {
    case SDSIM_BLOCK_READ:
        (void)fprintf(out, "R %" PRIu32 " %" PRIu32 "\n", block->lba, block->count);
        break;
    case SDSIM_BLOCK_WRITE:
        (void)fprintf(out, "W %" PRIu32 " %" PRIu32 "\n", block->lba, block->count);
        break;
    case SDSIM_BLOCK_SYNC:
        (void)fputs("#S\n", out);
        break;
    case SDSIM_BLOCK_TRIM:
        (void)fprintf(out, "#T %" PRIu32 " %" PRIu32 "\n", block->lba, block->count);
        break;
    }
}

void sdsim_blocks_note(struct sdsim_blocks *blocks, uint32_t line, const struct sdsim_op *op,
                       uint32_t repetition, const struct sdsim_outcome *outcome)
{
    static const char *const values[] = {
        [SDSIM_VALUE_COUNT] = "n",
        [SDSIM_VALUE_SIZE] = "size",
        [SDSIM_VALUE_ENTRIES] = "entries",
        [SDSIM_VALUE_CLUSTERS] = "clusters",
    };
    FILE *out = blocks->out;
    blocks->operations++;
    const bool quiet = blocks->pending_count == 0 && outcome->result == SDSIM_FAT_OK &&
                       outcome->kind == SDSIM_VALUE_NONE;
    if (out == NULL || quiet) {
        return;
    }
    (void)fprintf(out, "#@ %" PRIu32, line);
    if (op->has_repeat) {
        (void)fprintf(out, ".%" PRIu32, repetition);
    }
    if (outcome->result != SDSIM_FAT_OK) {
        (void)fprintf(out, " rc=%d", (int)outcome->result);
    }
    if (outcome->kind != SDSIM_VALUE_NONE) {
        (void)fprintf(out, " %s=%" PRIu64, values[outcome->kind], outcome->value);
    }
    (void)fputc('\n', out);
    for (size_t i = 0; i < blocks->pending_count; i++) {
        print_block(out, &blocks->pending[i]);
    }
    blocks->pending_count = 0;
}

void sdsim_blocks_end(struct sdsim_blocks *blocks)
{
    if (blocks->out != NULL) {
        (void)fprintf(blocks->out,
                      "#end ops=%" PRIu64 " blockops=%" PRIu64 " read=%" PRIu64 " written=%" PRIu64
                      "\n",
                      blocks->operations, blocks->block_operations, blocks->sectors_read,
                      blocks->sectors_written);
    }
}
