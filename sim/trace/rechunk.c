#include "trace/rechunk.h"

#include <stdlib.h>

/* A run of calls that continue each other, as far as it was not given out. */
struct run {
    uint64_t length;   /* sectors or bytes */
    sdsim_ps duration; /* recorded, of what is left */
    sdsim_ps first;    /* start of the first call in it, and of the last */
    sdsim_ps last;
    bool has_start;
    bool has_duration;
};

/* Adds a call to the run. */
static void extend(struct run *run, uint64_t length, bool has_start, sdsim_ps start,
                   bool has_duration, sdsim_ps duration)
{
    const bool fresh = run->length == 0;
    run->first = fresh ? start : run->first;
    run->last = start;
    run->has_start = has_start && (fresh || run->has_start);
    run->has_duration = has_duration && (fresh || run->has_duration);
    run->duration = sdsim_time_sum(fresh ? 0 : run->duration, duration);
    run->length += length;
}

/* Takes `length` off the front of the run; its share of the recorded time. */
static sdsim_ps cut(struct run *run, uint64_t length)
{
    const uint64_t each = run->duration / run->length;
    const uint64_t rest = run->duration % run->length;
    sdsim_ps share = run->duration;
    if (length < run->length) {
        uint64_t more;
        share = each * length;
        if (!__builtin_mul_overflow(rest, length, &more)) {
            share += more / run->length;
        }
    }
    run->duration -= share;
    run->length -= length;
    run->first = run->last;
    return share;
}

/* ---- block operations ---- */

struct block_rechunk {
    struct sdsim_block_source base;
    struct sdsim_block_source *source;
    uint32_t sectors;
    struct run run;
    uint32_t lba; /* where what is left of the run begins */
    uint8_t kind;
    uint16_t label;
    bool have; /* `ahead` was read and not used */
    bool ended;
    struct sdsim_block_record ahead;
};

/* The next record of the source that is no mark. */
static bool look_ahead(struct block_rechunk *rechunk)
{
    while (!rechunk->have && !rechunk->ended) {
        rechunk->ended = rechunk->source->next(rechunk->source, &rechunk->ahead, 1) == 0;
        rechunk->base.failed = rechunk->source->failed;
        rechunk->have = !rechunk->ended && rechunk->ahead.kind != SDSIM_TRACE_MARK;
    }
    return rechunk->have;
}

static bool block_continues(const struct block_rechunk *rechunk)
{
    const struct sdsim_block_record *r = &rechunk->ahead;
    return (r->kind == SDSIM_TRACE_READ || r->kind == SDSIM_TRACE_WRITE) && r->repeat == 1 &&
           (rechunk->run.length == 0 || (r->kind == rechunk->kind && r->label == rechunk->label &&
                                         r->lba == rechunk->lba + rechunk->run.length));
}

/* Gives out a call of `sectors` from the front of the run. */
static void give_block(struct block_rechunk *rechunk, uint32_t sectors,
                       struct sdsim_block_record *record)
{
    struct run *run = &rechunk->run;
    const bool reads = rechunk->kind == SDSIM_TRACE_READ;
    *record = (struct sdsim_block_record){
        .start = run->has_start ? reads ? run->first : run->last : 0,
        .lba = rechunk->lba,
        .count = sectors,
        .repeat = 1,
        .label = rechunk->label,
        .kind = rechunk->kind,
        .flags = (uint8_t)((run->has_start ? SDSIM_TRACE_HAS_START : 0) |
                           (run->has_duration ? SDSIM_TRACE_HAS_DURATION : 0)),
    };
    const sdsim_ps share = cut(run, sectors);
    record->duration = run->has_duration ? share : 0;
    rechunk->lba += sectors;
}

static bool next_block(struct block_rechunk *rechunk, struct sdsim_block_record *record)
{
    for (;;) {
        if (rechunk->run.length >= rechunk->sectors) {
            give_block(rechunk, rechunk->sectors, record);
            return true;
        }
        const bool have = look_ahead(rechunk);
        if (have && block_continues(rechunk)) {
            const struct sdsim_block_record *r = &rechunk->ahead;
            if (rechunk->run.length == 0) {
                rechunk->lba = r->lba;
                rechunk->kind = r->kind;
                rechunk->label = r->label;
            }
            extend(&rechunk->run, r->count, (r->flags & SDSIM_TRACE_HAS_START) != 0, r->start,
                   (r->flags & SDSIM_TRACE_HAS_DURATION) != 0, r->duration);
            rechunk->have = false;
        } else if (rechunk->run.length > 0) {
            give_block(rechunk, (uint32_t)rechunk->run.length, record);
            return true;
        } else {
            *record = rechunk->ahead;
            rechunk->have = false;
            return have;
        }
    }
}

static size_t block_next(struct sdsim_block_source *base, struct sdsim_block_record *records,
                         size_t most)
{
    struct block_rechunk *rechunk = (struct block_rechunk *)base;
    size_t count = 0;
    while (count < most && next_block(rechunk, &records[count])) {
        count++;
    }
    return count;
}

static void block_instead(const struct sdsim_block_source *base, char *text, size_t size,
                          char *help, size_t help_size)
{
    const struct sdsim_block_source *source = ((const struct block_rechunk *)base)->source;
    source->instead(source, text, size, help, help_size);
}

static void block_close(struct sdsim_block_source *base)
{
    struct block_rechunk *rechunk = (struct block_rechunk *)base;
    rechunk->source->close(rechunk->source);
    free(rechunk);
}

struct sdsim_block_source *sdsim_rechunk_blocks(struct sdsim_block_source *source, uint32_t sectors)
{
    struct block_rechunk *rechunk = calloc(1, sizeof *rechunk);
    if (rechunk == NULL) {
        source->close(source);
        return NULL;
    }
    rechunk->base =
        (struct sdsim_block_source){.next = block_next, .close = block_close, .info = source->info};
    rechunk->base.instead = source->instead != NULL ? block_instead : NULL;
    rechunk->source = source;
    rechunk->sectors = sectors;
    return &rechunk->base;
}

/* ---- file operations ---- */

struct op_rechunk {
    struct sdsim_op_source base;
    struct sdsim_op_source *source;
    uint64_t bytes;
    struct run run;
    struct sdsim_op model; /* what calls of the run are like */
    uint32_t line;
    bool have;
    bool ended;
    struct sdsim_op ahead;
    uint32_t ahead_line;
    uint32_t left; /* repetitions of `ahead` */
};

static bool op_ahead(struct op_rechunk *rechunk)
{
    if (!rechunk->have && !rechunk->ended) {
        rechunk->have =
            rechunk->source->next(rechunk->source, &rechunk->ahead, &rechunk->ahead_line);
        rechunk->base.failed = rechunk->source->failed;
        rechunk->ended = !rechunk->have;
        rechunk->left = rechunk->ahead.repeat;
    }
    return rechunk->have;
}

static bool op_continues(const struct op_rechunk *rechunk)
{
    const struct sdsim_op *op = &rechunk->ahead;
    const bool moves = op->kind == SDSIM_OP_READ || op->kind == SDSIM_OP_WRITE;
    return moves && op->amount.clusters == 0 && op->amount.bytes > 0 &&
           (rechunk->run.length == 0 ||
            (op->kind == rechunk->model.kind && op->handle == rechunk->model.handle));
}

static void give_op(struct op_rechunk *rechunk, uint64_t bytes, struct sdsim_op *op, uint32_t *line)
{
    struct run *run = &rechunk->run;
    *op = rechunk->model;
    op->repeat = 1;
    op->has_repeat = false;
    op->amount.bytes = (int64_t)bytes;
    op->has_start = run->has_start;
    op->has_duration = run->has_duration;
    op->start = op->kind == SDSIM_OP_READ ? run->first : run->last;
    op->duration = cut(run, bytes);
    *line = rechunk->line;
}

static bool op_next(struct sdsim_op_source *base, struct sdsim_op *op, uint32_t *line)
{
    struct op_rechunk *rechunk = (struct op_rechunk *)base;
    for (;;) {
        if (rechunk->run.length >= rechunk->bytes) {
            give_op(rechunk, rechunk->bytes, op, line);
            return true;
        }
        const bool have = op_ahead(rechunk);
        if (have && op_continues(rechunk)) {
            const struct sdsim_op *ahead = &rechunk->ahead;
            const bool first = rechunk->left == ahead->repeat;
            rechunk->model = *ahead;
            rechunk->model.label =
                (struct sdsim_op_text){.text = NULL}; /* it may not live so long */
            rechunk->line = rechunk->ahead_line;
            extend(&rechunk->run, (uint64_t)ahead->amount.bytes, ahead->has_start && first,
                   ahead->start, ahead->has_duration, ahead->duration);
            rechunk->have = --rechunk->left > 0;
        } else if (rechunk->run.length > 0) {
            give_op(rechunk, rechunk->run.length, op, line);
            return true;
        } else {
            *op = rechunk->ahead;
            *line = rechunk->ahead_line;
            rechunk->have = false;
            return have;
        }
    }
}

static void op_close(struct sdsim_op_source *base)
{
    struct op_rechunk *rechunk = (struct op_rechunk *)base;
    rechunk->source->close(rechunk->source);
    free(rechunk);
}

struct sdsim_op_source *sdsim_rechunk_ops(struct sdsim_op_source *source, uint64_t bytes)
{
    struct op_rechunk *rechunk = calloc(1, sizeof *rechunk);
    if (rechunk == NULL) {
        source->close(source);
        return NULL;
    }
    rechunk->base =
        (struct sdsim_op_source){.next = op_next, .close = op_close, .info = source->info};
    rechunk->source = source;
    rechunk->bytes = bytes;
    return &rechunk->base;
}
