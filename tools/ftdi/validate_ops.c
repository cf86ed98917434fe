#include "validate_ops.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "setup/simulate.h"
#include "trace/record.h"

/* ---- writing them down ---- */

struct ops_sink {
    struct sdsim_block_sink sink; /* first */
    struct sdsim_block_ops *ops;
    uint64_t most;
};

static void add(struct sdsim_block_ops *ops, const struct sdsim_block_op *op)
{
    if (ops->count == ops->capacity) {
        const size_t wanted = ops->capacity * 2 + 1024;
        struct sdsim_block_op *grown = realloc(ops->ops, wanted * sizeof *grown);
        if (grown == NULL) {
            ops->failed = true;
            return;
        }
        ops->ops = grown;
        ops->capacity = wanted;
    }
    ops->ops[ops->count++] = *op;
    ops->sectors += op->count;
    ops->writes |= op->write;
}

static void add_record(struct ops_sink *sink, const struct sdsim_block_record *record)
{
    struct sdsim_block_ops *ops = sink->ops;
    const bool moves = record->kind == SDSIM_TRACE_READ || record->kind == SDSIM_TRACE_WRITE;
    if (!moves && record->kind != SDSIM_TRACE_SYNC) {
        return;
    }
    const struct sdsim_block_op op = {.lba = moves ? record->lba : 0,
                                      .count = moves ? record->count : 0,
                                      .write = record->kind == SDSIM_TRACE_WRITE};
    for (uint32_t i = 0; i < record->repeat; i++) {
        ops->total++;
        if (ops->sectors + op.count <= sink->most && !ops->failed) {
            add(ops, &op);
        } else {
            sink->most = 0; /* nothing behind the first that was left out */
        }
    }
}

static bool put(struct sdsim_block_sink *base, const struct sdsim_trace_info *info,
                const struct sdsim_block_record *records, size_t count)
{
    struct ops_sink *sink = (struct ops_sink *)base;
    (void)info;
    for (size_t i = 0; i < count; i++) {
        add_record(sink, &records[i]);
    }
    return !sink->ops->failed;
}

static bool finish(struct sdsim_block_sink *sink)
{
    (void)sink;
    return true;
}

bool sdsim_block_ops_of(const struct sdsim_setup *setup, uint64_t most_sectors,
                        struct sdsim_block_ops *ops)
{
    struct sdsim_outcome_report *report = calloc(1, sizeof *report);
    struct sdsim_trace_info *info = sdsim_trace_info_new();
    struct ops_sink sink = {{put, finish}, ops, most_sectors};
    struct sdsim_block_recorder recorder;
    *ops = (struct sdsim_block_ops){0};
    if (report != NULL && info != NULL) {
        sdsim_block_recorder_init(&recorder, &sink.sink, info);
        sdsim_simulate(setup, &recorder.base, report);
        snprintf(ops->error, sizeof ops->error, "%.390s", report->error);
    }
    if (report == NULL || info == NULL || ops->failed) {
        snprintf(ops->error, sizeof ops->error, "out of memory");
    } else if (ops->error[0] == '\0' && ops->count == 0) {
        snprintf(ops->error, sizeof ops->error, "the run has no block operations");
    }
    sdsim_trace_info_free(info);
    free(report);
    return ops->error[0] == '\0';
}

void sdsim_block_ops_free(struct sdsim_block_ops *ops)
{
    free(ops->ops);
    ops->ops = NULL;
}

/* ---- moving them ---- */

static int compare(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a;
    const uint32_t y = *(const uint32_t *)b;
    return x < y ? -1 : x > y ? 1 : 0;
}

/* The AUs they touch, in order, each once. NULL without memory. */
static uint32_t *touched_aus(const struct sdsim_block_ops *ops, uint32_t au_blocks, size_t *count)
{
    size_t room = 0;
    for (size_t i = 0; i < ops->count; i++) {
        room += ops->ops[i].count > 0 ? 2 + ops->ops[i].count / au_blocks : 0;
    }
    uint32_t *aus = malloc((room + 1) * sizeof *aus);
    if (aus == NULL) {
        return NULL;
    }
    size_t used = 0;
    for (size_t i = 0; i < ops->count; i++) {
        const struct sdsim_block_op *op = &ops->ops[i];
        for (uint32_t au = op->lba / au_blocks;
             op->count > 0 && au <= (op->lba + op->count - 1) / au_blocks; au++) {
            aus[used++] = au;
        }
    }
    qsort(aus, used, sizeof *aus, compare);
    *count = 0;
    for (size_t i = 0; i < used; i++) {
        if (*count == 0 || aus[*count - 1] != aus[i]) {
            aus[(*count)++] = aus[i];
        }
    }
    return aus;
}

/* Where an AU goes: its place among all that are touched, or its distance to the first. */
static uint32_t place_of(const uint32_t *aus, size_t count, uint32_t au, bool together)
{
    if (together) {
        return au - aus[0];
    }
    size_t low = 0;
    size_t high = count;
    while (high - low > 1) {
        const size_t middle = (low + high) / 2;
        if (aus[middle] <= au) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return (uint32_t)low;
}

bool sdsim_block_ops_move(struct sdsim_block_ops *ops, uint32_t au_blocks, uint32_t from,
                          uint32_t to)
{
    const uint32_t first = (from + au_blocks - 1) / au_blocks;
    const uint32_t room = to / au_blocks > first ? to / au_blocks - first : 0;
    size_t count;
    uint32_t *aus = touched_aus(ops, au_blocks, &count);
    if (aus == NULL) {
        snprintf(ops->error, sizeof ops->error, "out of memory");
        return false;
    }
    const bool together = count > 0 && aus[count - 1] - aus[0] < room;
    if (count > room) {
        snprintf(ops->error, sizeof ops->error,
                 "the operations touch %zu AUs of %" PRIu32 " sectors, and the range has %" PRIu32
                 " whole ones",
                 count, au_blocks, room);
        free(aus);
        return false;
    }
    for (size_t i = 0; i < ops->count; i++) {
        struct sdsim_block_op *op = &ops->ops[i];
        if (op->count > 0) {
            const uint32_t place = place_of(aus, count, op->lba / au_blocks, together);
            op->lba = (first + place) * au_blocks + op->lba % au_blocks;
        }
    }
    free(aus);
    ops->moved = true;
    return true;
}

bool sdsim_block_ops_warm(struct sdsim_block_ops *ops, uint32_t au_blocks, uint32_t to,
                          uint32_t aus)
{
    uint32_t last = 0; /* the first AU behind all of them */
    for (size_t i = 0; i < ops->count; i++) {
        const struct sdsim_block_op *op = &ops->ops[i];
        const uint32_t end = (op->lba + op->count + au_blocks - 1) / au_blocks;
        last = end > last ? end : last;
    }
    if (aus == 0 || last + aus > to / au_blocks) {
        return false;
    }
    struct sdsim_block_op *grown = malloc((ops->count + aus) * sizeof *grown);
    if (grown == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < aus; i++) {
        grown[i] = (struct sdsim_block_op){.lba = (last + i) * au_blocks,
                                           .count = au_blocks / 4 < 128 ? au_blocks / 4 : 128,
                                           .write = true};
    }
    memcpy(grown + aus, ops->ops, ops->count * sizeof *grown);
    free(ops->ops);
    ops->ops = grown;
    ops->count += aus;
    ops->capacity = ops->count;
    ops->warm = aus;
    return true;
}

bool sdsim_block_ops_within(const struct sdsim_block_ops *ops, uint32_t from, uint32_t to)
{
    for (size_t i = 0; i < ops->count; i++) {
        const struct sdsim_block_op *op = &ops->ops[i];
        if (op->count > 0 && (op->lba < from || op->lba >= to || op->count > to - op->lba)) {
            return false;
        }
    }
    return true;
}
