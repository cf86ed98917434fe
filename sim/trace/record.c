#include "trace/record.h"

#include <string.h>

#include "core/account.h"
#include "fat/blocks.h"
#include "trace/op_trace.h"

/* ---- block operations ---- */

static uint32_t block_detail(struct sdsim_recorder *base, const struct sdsim_detail *detail)
{
    struct sdsim_block_recorder *recorder = (struct sdsim_block_recorder *)base;
    if (detail->kind == SDSIM_DETAIL_SECTORS) {
        recorder->lba = (uint32_t)detail->place;
        recorder->count = detail->size;
    }
    return 1;
}

static void block_span(struct sdsim_recorder *base, const struct sdsim_span *span)
{
    static const uint8_t kinds[SDSIM_CALL_COUNT] = {
        [SDSIM_CALL_OTHER] = SDSIM_TRACE_STATUS,
        [SDSIM_CALL_READ] = SDSIM_TRACE_READ,
        [SDSIM_CALL_WRITE] = SDSIM_TRACE_WRITE,
        [SDSIM_CALL_SYNC] = SDSIM_TRACE_SYNC,
    };
    static const uint16_t labels[SDSIM_PURPOSE_COUNT] = {
        [SDSIM_FOR_DATA] = SDSIM_BLOCK_DATA + 1,
        [SDSIM_FOR_FAT] = SDSIM_BLOCK_FAT1 + 1,
        [SDSIM_FOR_DIRECTORY] = SDSIM_BLOCK_DIRECTORY + 1,
        [SDSIM_FOR_FSINFO] = SDSIM_BLOCK_FSINFO + 1,
        [SDSIM_FOR_BITMAP] = SDSIM_BLOCK_BITMAP + 1,
        [SDSIM_FOR_BOOT] = SDSIM_BLOCK_BOOT + 1,
    };
    struct sdsim_block_recorder *recorder = (struct sdsim_block_recorder *)base;
    if (span->lane != SDSIM_LANE_DISK || recorder->failed) {
        return;
    }
    const bool moves = span->part == SDSIM_CALL_READ || span->part == SDSIM_CALL_WRITE;
    const struct sdsim_block_record record = {
        .start = span->start,
        .duration = span->duration,
        .lba = moves ? recorder->lba : 0,
        .count = moves ? recorder->count : 0,
        .repeat = 1,
        .label = moves ? labels[span->purpose] : 0,
        .kind = kinds[span->part],
        .flags = SDSIM_TRACE_HAS_START | SDSIM_TRACE_HAS_DURATION,
    };
    recorder->failed = !recorder->sink->put(recorder->sink, recorder->info, &record, 1);
}

void sdsim_block_recorder_init(struct sdsim_block_recorder *recorder, struct sdsim_block_sink *sink,
                               const struct sdsim_trace_info *info)
{
    *recorder = (struct sdsim_block_recorder){
        .base = {.span = block_span, .detail = block_detail}, .sink = sink, .info = info};
}

/* ---- file operations ---- */

static uint32_t op_detail(struct sdsim_recorder *base, const struct sdsim_detail *detail)
{
    struct sdsim_op_recorder *recorder = (struct sdsim_op_recorder *)base;
    if (detail->kind == SDSIM_DETAIL_CALL) {
        recorder->detail = *detail;
        recorder->detail.name = recorder->name;
        const char *name = detail->name != NULL ? detail->name : "";
        const size_t length = strlen(name);
        const size_t kept = length < sizeof recorder->name ? length : sizeof recorder->name - 1;
        memcpy(recorder->name, name, kept);
        recorder->name[kept] = '\0';
    }
    return 1;
}

/* The operation a call was; false if it was none of a file. */
static bool op_of(const struct sdsim_op_recorder *recorder, const struct sdsim_span *span,
                  struct sdsim_op *op)
{
    static const uint8_t kinds[SDSIM_CALL_COUNT] = {
        [SDSIM_CALL_OTHER] = SDSIM_OP_FREE,  [SDSIM_CALL_READ] = SDSIM_OP_READ,
        [SDSIM_CALL_WRITE] = SDSIM_OP_WRITE, [SDSIM_CALL_PRINT] = SDSIM_OP_PRINT,
        [SDSIM_CALL_SEEK] = SDSIM_OP_SEEK,   [SDSIM_CALL_OPEN] = SDSIM_OP_OPEN,
        [SDSIM_CALL_CLOSE] = SDSIM_OP_CLOSE, [SDSIM_CALL_SYNC] = SDSIM_OP_SYNC,
        [SDSIM_CALL_LIST] = SDSIM_OP_LIST,   [SDSIM_CALL_MOUNT] = SDSIM_OP_MOUNT,
    };
    const struct sdsim_detail *detail = &recorder->detail;
    const bool about_file = span->detail != 0 && detail->kind == SDSIM_DETAIL_CALL;
    *op = (struct sdsim_op){
        .kind = (enum sdsim_op_kind)kinds[span->part],
        .repeat = 1,
        .has_start = true,
        .has_duration = true,
        .start = span->start,
        .duration = span->duration,
    };
    switch (op->kind) {
    case SDSIM_OP_FREE:
        if (about_file) {
            op->kind = SDSIM_OP_EXPAND;
            op->amount.bytes = (int64_t)detail->place;
        }
        return true;
    case SDSIM_OP_OPEN:
        op->mode = (enum sdsim_open_mode)detail->code;
        op->name = (struct sdsim_op_text){recorder->name, strlen(recorder->name)};
        return about_file;
    case SDSIM_OP_LIST:
        op->name = (struct sdsim_op_text){recorder->name, strlen(recorder->name)};
        return about_file;
    case SDSIM_OP_SEEK:
        op->amount.bytes = (int64_t)detail->place;
        return about_file;
    case SDSIM_OP_READ:
    case SDSIM_OP_WRITE:
    case SDSIM_OP_PRINT:
        op->amount.bytes = detail->size;
        return about_file;
    default:
        return true;
    }
}

/* The handle with this name; SDSIM_OPS_HANDLES if there is none. "": a free one. */
static unsigned handle_of(const struct sdsim_op_recorder *recorder, const char *name)
{
    unsigned handle = 0;
    while (handle < SDSIM_OPS_HANDLES && strcmp(recorder->open[handle], name) != 0) {
        handle++;
    }
    return handle;
}

/* Gives the operation its handle and keeps books of them. False: too many files are open. */
static bool take_handle(struct sdsim_op_recorder *recorder, struct sdsim_op *op, bool about_file)
{
    const bool opens = op->kind == SDSIM_OP_OPEN;
    if (!about_file || op->kind == SDSIM_OP_LIST || recorder->name[0] == '\0') {
        return true;
    }
    const unsigned handle = handle_of(recorder, opens ? "" : recorder->name);
    if (handle == SDSIM_OPS_HANDLES) {
        return !opens; /* it failed to open */
    }
    op->handle = (uint8_t)handle;
    if (opens) {
        memcpy(recorder->open[handle], recorder->name, sizeof recorder->name);
    } else if (op->kind == SDSIM_OP_CLOSE) {
        recorder->open[handle][0] = '\0';
    }
    return true;
}

static void op_span(struct sdsim_recorder *base, const struct sdsim_span *span)
{
    struct sdsim_op_recorder *recorder = (struct sdsim_op_recorder *)base;
    struct sdsim_op op;
    if (span->lane != SDSIM_LANE_TASK) {
        return;
    }
    const bool about_file = span->detail != 0 && recorder->detail.kind == SDSIM_DETAIL_CALL;
    if (op_of(recorder, span, &op) && take_handle(recorder, &op, about_file)) {
        sdsim_ops_text_put(recorder->out, &op);
    } else {
        recorder->unknown = true;
    }
    recorder->detail.kind = SDSIM_DETAIL_NONE;
}

void sdsim_op_recorder_init(struct sdsim_op_recorder *recorder, FILE *out)
{
    *recorder =
        (struct sdsim_op_recorder){.base = {.span = op_span, .detail = op_detail}, .out = out};
}
