#include "fat/blocks.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

const char *sdsim_block_label_name(enum sdsim_block_label label)
{
    static const char *const names[] = {
        [SDSIM_BLOCK_DATA] = "data",     [SDSIM_BLOCK_FAT1] = "FAT1",
        [SDSIM_BLOCK_FAT2] = "FAT2",     [SDSIM_BLOCK_DIRECTORY] = "directory",
        [SDSIM_BLOCK_FSINFO] = "FSINFO", [SDSIM_BLOCK_BITMAP] = "bitmap",
        [SDSIM_BLOCK_BOOT] = "boot",
    };
    return names[label];
}

static enum sdsim_block_label label_of(const struct sdsim_blocks *blocks,
                                       enum sdsim_purpose purpose, uint32_t lba)
{
    static const enum sdsim_block_label labels[SDSIM_PURPOSE_COUNT] = {
        [SDSIM_FOR_DATA] = SDSIM_BLOCK_DATA,           [SDSIM_FOR_FAT] = SDSIM_BLOCK_FAT1,
        [SDSIM_FOR_DIRECTORY] = SDSIM_BLOCK_DIRECTORY, [SDSIM_FOR_FSINFO] = SDSIM_BLOCK_FSINFO,
        [SDSIM_FOR_BITMAP] = SDSIM_BLOCK_BITMAP,       [SDSIM_FOR_BOOT] = SDSIM_BLOCK_BOOT,
        [SDSIM_FOR_INIT] = SDSIM_BLOCK_BOOT,
    };
    const struct sdsim_geometry *g = blocks->geometry;
    if (purpose == SDSIM_FOR_FAT && g != NULL && g->fats == 2 &&
        lba - g->fat_start - g->fat_sectors < g->fat_sectors) {
        return SDSIM_BLOCK_FAT2;
    }
    return labels[purpose];
}

static void count_block(struct sdsim_blocks *blocks, const struct sdsim_block *block)
{
    struct sdsim_block_count *count = NULL;
    switch (block->kind) {
    case SDSIM_BLOCK_READ:
        count = &blocks->reads[block->label];
        blocks->block_operations++;
        blocks->sectors_read += block->count;
        break;
    case SDSIM_BLOCK_WRITE:
        count = &blocks->writes[block->label];
        blocks->block_operations++;
        blocks->sectors_written += block->count;
        break;
    case SDSIM_BLOCK_SYNC:
        blocks->syncs++;
        return;
    case SDSIM_BLOCK_TRIM:
        count = &blocks->trims;
        break;
    }
    count->calls++;
    count->sectors += block->count;
}

static void log_block(struct sdsim_blocks *blocks, enum sdsim_block_kind kind,
                      enum sdsim_purpose purpose, uint32_t lba, uint32_t count)
{
    const struct sdsim_block block = {kind, label_of(blocks, purpose, lba), lba, count};
    count_block(blocks, &block);
    if (blocks->out == NULL && !blocks->keep) {
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
    blocks->pending[blocks->pending_count++] = block;
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
    if (outside(blocks, lba, count)) {
        return SDSIM_DISK_RANGE;
    }
    log_block(blocks, SDSIM_BLOCK_READ, purpose, lba, count);
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
    if (outside(blocks, lba, count)) {
        return SDSIM_DISK_RANGE;
    }
    log_block(blocks, SDSIM_BLOCK_WRITE, purpose, lba, count);
    return sdsim_medium_write(blocks->medium, lba, count, content) ? SDSIM_DISK_OK
                                                                   : SDSIM_DISK_NO_MEMORY;
}

static enum sdsim_disk_error blocks_sync(void *context, sdsim_ps *now)
{
    (void)now;
    log_block(context, SDSIM_BLOCK_SYNC, SDSIM_FOR_DATA, 0, 0);
    return SDSIM_DISK_OK;
}

/* Only noted: what a card makes of freed sectors is not the file system's business. */
static enum sdsim_disk_error blocks_trim(void *context, sdsim_ps *now, uint32_t lba, uint32_t count)
{
    (void)now;
    log_block(context, SDSIM_BLOCK_TRIM, SDSIM_FOR_DATA, lba, count);
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

static void print_block(FILE *out, const struct sdsim_block *block, bool labelled)
{
    const char *label = sdsim_block_label_name(block->label);
    switch (block->kind) {
    case SDSIM_BLOCK_READ:
    case SDSIM_BLOCK_WRITE:
        (void)fprintf(out, "%c %" PRIu32 " %" PRIu32 "%s%s\n",
                      block->kind == SDSIM_BLOCK_READ ? 'R' : 'W', block->lba, block->count,
                      labelled ? " # " : "", labelled ? label : "");
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
                       uint32_t repetition, const struct sdsim_answer *outcome)
{
    static const char *const values[] = {
        [SDSIM_ANSWER_COUNT] = "n",
        [SDSIM_ANSWER_SIZE] = "size",
        [SDSIM_ANSWER_ENTRIES] = "entries",
        [SDSIM_ANSWER_CLUSTERS] = "clusters",
    };
    FILE *out = blocks->out;
    blocks->operations++;
    const bool quiet = blocks->pending_count == 0 && outcome->result == SDSIM_FAT_OK &&
                       outcome->kind == SDSIM_ANSWER_NONE;
    if (out == NULL || quiet) {
        blocks->pending_count = 0;
        return;
    }
    (void)fprintf(out, "#@ %" PRIu32, line);
    if (op->has_repeat) {
        (void)fprintf(out, ".%" PRIu32, repetition);
    }
    if (outcome->result != SDSIM_FAT_OK) {
        (void)fprintf(out, " rc=%d", (int)outcome->result);
    }
    if (outcome->kind != SDSIM_ANSWER_NONE) {
        (void)fprintf(out, " %s=%" PRIu64, values[outcome->kind], outcome->value);
    }
    (void)fputc('\n', out);
    for (size_t i = 0; i < blocks->pending_count; i++) {
        print_block(out, &blocks->pending[i], blocks->geometry != NULL);
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
