#include "trace/firmware_blocks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    HELD = 64, /* records held back to bring them into the order of their starts */
    HANDLES = 256,
    NO_HANDLE = 255,
};

/* ---- blocks ---- */

struct firmware_blocks {
    struct sdsim_block_source source;
    struct sdsim_firmware_log *log;
    struct sdsim_block_record held[HELD]; /* in the order of their starts */
    size_t count;
    bool ended;
    sdsim_ps given_out; /* start of the last record that was */
    uint16_t label;
};

/* Sets the kind of a block record; false: the event is none. */
static bool block_kind(const struct sdsim_firmware_event *event, uint8_t *kind)
{
    static const struct {
        enum sdsim_firmware_kind event;
        enum sdsim_trace_kind kind;
    } kinds[] = {
        {SDSIM_FIRMWARE_READ, SDSIM_TRACE_READ},     {SDSIM_FIRMWARE_WRITE, SDSIM_TRACE_WRITE},
        {SDSIM_FIRMWARE_SYNC, SDSIM_TRACE_SYNC},     {SDSIM_FIRMWARE_TRIM, SDSIM_TRACE_TRIM},
        {SDSIM_FIRMWARE_STATUS, SDSIM_TRACE_STATUS},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (kinds[i].event == event->kind) {
            *kind = (uint8_t)kinds[i].kind;
            return true;
        }
    }
    return false;
}

static void take_mark(struct firmware_blocks *blocks, uint32_t number)
{
    char text[20];
    const int length = snprintf(text, sizeof text, "mark %u", (unsigned)number);
    blocks->label = number == 0 ? 0 : sdsim_trace_label(blocks->source.info, text, (size_t)length);
}

static void hold(struct firmware_blocks *blocks, const struct sdsim_firmware_event *event,
                 uint8_t kind)
{
    struct sdsim_block_record record = {
        .start = event->start,
        .duration = event->duration,
        .lba = event->lba,
        .count = event->count,
        .repeat = 1,
        .label = blocks->label,
        .kind = kind,
        .flags = SDSIM_TRACE_HAS_START | SDSIM_TRACE_HAS_DURATION,
    };
    if (event->result != 0) {
        record.flags |= SDSIM_TRACE_FAILED;
    }
    if (record.start < blocks->given_out) { /* more than 64 calls began and ended within this one */
        sdsim_firmware_log_warn(blocks->log, NULL,
                                "a call that took very long is shown as if it began later");
        record.duration -= blocks->given_out - record.start;
        record.start = blocks->given_out;
    }
    size_t place = blocks->count++;
    while (place > 0 && blocks->held[place - 1].start > record.start) {
        blocks->held[place] = blocks->held[place - 1];
        place--;
    }
    blocks->held[place] = record;
}

/* Reads until as many are held as can be. */
static void fill(struct firmware_blocks *blocks)
{
    struct sdsim_firmware_event event;
    while (blocks->count < HELD && !blocks->ended) {
        uint8_t kind;
        if (!sdsim_firmware_log_next(blocks->log, &event)) {
            blocks->ended = true;
        } else if (event.kind == SDSIM_FIRMWARE_MARK) {
            take_mark(blocks, event.count);
        } else if (block_kind(&event, &kind)) {
            hold(blocks, &event, kind);
        }
    }
}

static size_t next_blocks(struct sdsim_block_source *source, struct sdsim_block_record *records,
                          size_t most)
{
    struct firmware_blocks *blocks = (struct firmware_blocks *)source;
    size_t given = 0;
    while (given < most) {
        fill(blocks);
        /* a full hold gives half of it away, so that records are moved in runs */
        size_t run = blocks->ended ? blocks->count : HELD / 2;
        run = run > most - given ? most - given : run;
        if (run == 0) {
            break;
        }
        memcpy(records + given, blocks->held, run * sizeof *records);
        blocks->given_out = blocks->held[run - 1].start;
        blocks->count -= run;
        memmove(blocks->held, blocks->held + run, blocks->count * sizeof *records);
        given += run;
    }
    source->failed = given == 0 && sdsim_firmware_log_failed(blocks->log);
    return given;
}

static void close_blocks(struct sdsim_block_source *source)
{
    struct firmware_blocks *blocks = (struct firmware_blocks *)source;
    sdsim_firmware_log_close(blocks->log);
    sdsim_trace_info_free(source->info);
    free(blocks);
}

struct sdsim_block_source *sdsim_firmware_blocks_open(struct sdsim_input *input)
{
    struct sdsim_diags *diags = sdsim_input_diags(input);
    struct sdsim_firmware_log *log = sdsim_firmware_log_open(input);
    if (log == NULL) {
        return NULL;
    }
    struct firmware_blocks *blocks = calloc(1, sizeof *blocks);
    struct sdsim_trace_info *info = sdsim_trace_info_new();
    if (blocks == NULL || info == NULL) {
        sdsim_error(diags, NULL, "out of memory");
        sdsim_firmware_log_close(log);
        sdsim_trace_info_free(info);
        free(blocks);
        return NULL;
    }
    blocks->source.next = next_blocks;
    blocks->source.close = close_blocks;
    blocks->source.info = info;
    blocks->log = log;
    return &blocks->source;
}

/* ---- files ---- */

struct sdsim_firmware_ops {
    struct sdsim_firmware_log *log;
    struct sdsim_firmware_event event; /* read, but not given out yet */
    bool pending;
    uint8_t handles[HANDLES]; /* of the operations, by that of the firmware; NO_HANDLE: closed */
    bool taken[SDSIM_OPS_HANDLES];
    uint64_t failed_calls;
    uint64_t unknown_handles;
    bool summed_up;
    char name[SDSIM_FIRMWARE_NAME_MAX + 1];
};

/* The kind of the operation an event becomes; SDSIM_OP_COUNT: none. */
static enum sdsim_op_kind op_kind(enum sdsim_firmware_kind kind)
{
    switch (kind) {
    case SDSIM_FIRMWARE_OPEN:
        return SDSIM_OP_OPEN;
    case SDSIM_FIRMWARE_CLOSE:
        return SDSIM_OP_CLOSE;
    case SDSIM_FIRMWARE_FILE_READ:
        return SDSIM_OP_READ;
    case SDSIM_FIRMWARE_FILE_WRITE:
        return SDSIM_OP_WRITE;
    case SDSIM_FIRMWARE_FILE_SYNC:
        return SDSIM_OP_SYNC;
    case SDSIM_FIRMWARE_SEEK:
        return SDSIM_OP_SEEK;
    default:
        return SDSIM_OP_COUNT;
    }
}

/* The lowest free handle of the operations, NO_HANDLE if there is none. */
static uint8_t free_handle(const struct sdsim_firmware_ops *ops)
{
    for (uint8_t i = 0; i < SDSIM_OPS_HANDLES; i++) {
        if (!ops->taken[i]) {
            return i;
        }
    }
    return NO_HANDLE;
}

/* Without the number of the drive and the slash in front of it, which lists of operations don't
 * have. */
static void keep_name(struct sdsim_firmware_ops *ops)
{
    const char *name = ops->event.name;
    if (name[0] >= '0' && name[0] <= '9' && name[1] == ':') {
        name += 2;
    }
    name += strspn(name, "/");
    if (*name == '\0') {
        (void)snprintf(ops->name, sizeof ops->name, "FILE-%u", (unsigned)ops->event.handle);
    } else {
        (void)snprintf(ops->name, sizeof ops->name, "%s", name);
    }
}

static void start_op(struct sdsim_op *op, enum sdsim_op_kind kind,
                     const struct sdsim_firmware_event *event)
{
    *op = (struct sdsim_op){.kind = kind,
                            .repeat = 1,
                            .has_start = true,
                            .has_duration = true,
                            .start = event->start,
                            .duration = event->duration};
}

/* An opening of a file; false: left out. */
static bool open_op(struct sdsim_firmware_ops *ops, struct sdsim_op *op)
{
    const uint8_t handle = free_handle(ops);
    if (handle == NO_HANDLE) {
        ops->unknown_handles++;
        return false;
    }
    ops->handles[ops->event.handle] = handle;
    ops->taken[handle] = true;
    keep_name(ops);
    start_op(op, SDSIM_OP_OPEN, &ops->event);
    op->handle = handle;
    op->mode = ops->event.mode;
    op->name = (struct sdsim_op_text){ops->name, strlen(ops->name)};
    return true;
}

/* Another call on a file; false: left out. */
static bool file_op(struct sdsim_firmware_ops *ops, struct sdsim_op *op, enum sdsim_op_kind kind)
{
    const uint8_t handle = ops->handles[ops->event.handle];
    if (handle == NO_HANDLE) {
        ops->unknown_handles++;
        return false;
    }
    start_op(op, kind, &ops->event);
    op->handle = handle;
    op->amount.bytes = (int64_t)ops->event.bytes;
    if (kind == SDSIM_OP_CLOSE) {
        ops->taken[handle] = false;
        ops->handles[ops->event.handle] = NO_HANDLE;
    }
    return true;
}

/* The event as an operation; false: it is none, or left out. */
static bool event_op(struct sdsim_firmware_ops *ops, struct sdsim_op *op)
{
    const enum sdsim_op_kind kind = op_kind(ops->event.kind);
    if (kind == SDSIM_OP_COUNT) {
        return false;
    }
    if (ops->event.result != 0) {
        ops->failed_calls++;
        return false;
    }
    return kind == SDSIM_OP_OPEN ? open_op(ops, op) : file_op(ops, op, kind);
}

/* A handle that is opened again was closed in between, though that is not in the recording. */
static bool close_first(struct sdsim_firmware_ops *ops, struct sdsim_op *op)
{
    const struct sdsim_firmware_event *event = &ops->event;
    if (event->kind != SDSIM_FIRMWARE_OPEN || event->result != 0 ||
        ops->handles[event->handle] == NO_HANDLE) {
        return false;
    }
    start_op(op, SDSIM_OP_CLOSE, event);
    op->handle = ops->handles[event->handle];
    op->duration = 0;
    ops->taken[op->handle] = false;
    ops->handles[event->handle] = NO_HANDLE;
    return true;
}

static void sum_up(struct sdsim_firmware_ops *ops)
{
    if (ops->summed_up) {
        return;
    }
    ops->summed_up = true;
    if (ops->failed_calls > 0) {
        sdsim_firmware_log_warn(ops->log, NULL, "%llu file calls that failed are left out",
                                (unsigned long long)ops->failed_calls);
    }
    if (ops->unknown_handles > 0) {
        sdsim_firmware_log_warn(
            ops->log, NULL,
            "%llu file calls are left out: their files' opening is missing, or more than %u were "
            "open",
            (unsigned long long)ops->unknown_handles, SDSIM_OPS_HANDLES);
    }
}

bool sdsim_firmware_ops_next(struct sdsim_firmware_ops *ops, struct sdsim_op *op)
{
    for (;;) {
        if (!ops->pending && !sdsim_firmware_log_next(ops->log, &ops->event)) {
            sum_up(ops);
            return false;
        }
        ops->pending = close_first(ops, op);
        if (ops->pending || event_op(ops, op)) {
            return true;
        }
    }
}

struct sdsim_firmware_ops *sdsim_firmware_ops_open(struct sdsim_input *input)
{
    struct sdsim_diags *diags = sdsim_input_diags(input);
    struct sdsim_firmware_log *log = sdsim_firmware_log_open(input);
    if (log == NULL) {
        return NULL;
    }
    struct sdsim_firmware_ops *ops = calloc(1, sizeof *ops);
    if (ops == NULL) {
        sdsim_error(diags, NULL, "out of memory");
        sdsim_firmware_log_close(log);
        return NULL;
    }
    ops->log = log;
    memset(ops->handles, NO_HANDLE, sizeof ops->handles);
    return ops;
}

bool sdsim_firmware_ops_failed(const struct sdsim_firmware_ops *ops)
{
    return sdsim_firmware_log_failed(ops->log);
}

void sdsim_firmware_ops_close(struct sdsim_firmware_ops *ops)
{
    if (ops != NULL) {
        sdsim_firmware_log_close(ops->log);
        free(ops);
    }
}
