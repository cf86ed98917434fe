#include "trace/firmware_trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    HANDLES = 256,
    NO_HANDLE = 255,
    UNWANTED = 254, /* the file is open, but not one that was asked for */
};

struct firmware_ops {
    struct sdsim_op_source source;
    const char *wanted; /* part of the names of files; NULL: all */
    struct sdsim_firmware_log *log;
    struct sdsim_firmware_event event; /* read, but not given out yet */
    bool pending;
    uint8_t handles[HANDLES]; /* of the operations, by that of the firmware; NO_HANDLE: closed */
    bool taken[SDSIM_OPS_HANDLES];
    uint64_t failed_calls;
    uint64_t unknown_handles;
    bool summed_up;
    bool mounted;
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
static uint8_t free_handle(const struct firmware_ops *ops)
{
    for (uint8_t i = 0; i < SDSIM_OPS_HANDLES; i++) {
        if (!ops->taken[i]) {
            return i;
        }
    }
    return NO_HANDLE;
}

/* The last part of the path. */
static void keep_name(struct firmware_ops *ops)
{
    const char *name = ops->event.name;
    for (size_t cut; name[cut = strcspn(name, "/:\\")] != '\0';) {
        name += cut + 1;
    }
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
static bool open_op(struct firmware_ops *ops, struct sdsim_op *op)
{
    const uint8_t handle = free_handle(ops);
    if (ops->wanted != NULL && strstr(ops->event.name, ops->wanted) == NULL) {
        ops->handles[ops->event.handle] = UNWANTED;
        return false;
    }
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
static bool file_op(struct firmware_ops *ops, struct sdsim_op *op, enum sdsim_op_kind kind)
{
    const uint8_t handle = ops->handles[ops->event.handle];
    if (handle == NO_HANDLE) {
        ops->unknown_handles++;
        return false;
    }
    if (handle == UNWANTED) {
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
static bool event_op(struct firmware_ops *ops, struct sdsim_op *op)
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
static bool close_first(struct firmware_ops *ops, struct sdsim_op *op)
{
    const struct sdsim_firmware_event *event = &ops->event;
    if (event->kind != SDSIM_FIRMWARE_OPEN || event->result != 0 ||
        ops->handles[event->handle] >= SDSIM_OPS_HANDLES) {
        return false;
    }
    start_op(op, SDSIM_OP_CLOSE, event);
    op->handle = ops->handles[event->handle];
    op->has_duration = false;
    ops->taken[op->handle] = false;
    ops->handles[event->handle] = NO_HANDLE;
    return true;
}

static void sum_up(struct firmware_ops *ops)
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

/* The volume is mounted when the first file is opened. */
static bool mount_first(struct firmware_ops *ops, struct sdsim_op *op)
{
    const struct sdsim_firmware_event *event = &ops->event;
    if (ops->mounted || event->kind != SDSIM_FIRMWARE_OPEN || event->result != 0) {
        return false;
    }
    ops->mounted = true;
    *op = (struct sdsim_op){.kind = SDSIM_OP_MOUNT, .repeat = 1};
    return true;
}

static bool next_op(struct sdsim_op_source *source, struct sdsim_op *op, uint32_t *line)
{
    struct firmware_ops *ops = (struct firmware_ops *)source;
    for (;;) {
        if (!ops->pending && !sdsim_firmware_log_next(ops->log, &ops->event)) {
            sum_up(ops);
            source->failed = sdsim_firmware_log_failed(ops->log);
            return false;
        }
        ops->pending = mount_first(ops, op) || close_first(ops, op);
        if (ops->pending || event_op(ops, op)) {
            *line = sdsim_firmware_log_line(ops->log);
            return true;
        }
    }
}

static void close_ops(struct sdsim_op_source *source)
{
    struct firmware_ops *ops = (struct firmware_ops *)source;
    sdsim_firmware_log_close(ops->log);
    sdsim_trace_info_free(source->info);
    free(ops);
}

struct sdsim_op_source *sdsim_firmware_ops_open(struct sdsim_input *input,
                                                const struct sdsim_trace_options *options)
{
    struct sdsim_diags *diags = sdsim_input_diags(input);
    struct sdsim_firmware_log *log = sdsim_firmware_log_open(input);
    if (log == NULL) {
        return NULL;
    }
    struct firmware_ops *ops = calloc(1, sizeof *ops);
    struct sdsim_trace_info *info = sdsim_trace_info_new();
    if (ops == NULL || info == NULL) {
        sdsim_error(diags, NULL, "out of memory");
        sdsim_firmware_log_close(log);
        sdsim_trace_info_free(info);
        free(ops);
        return NULL;
    }
    ops->source = (struct sdsim_op_source){.next = next_op, .close = close_ops, .info = info};
    ops->wanted = options != NULL ? options->file : NULL;
    ops->log = log;
    memset(ops->handles, NO_HANDLE, sizeof ops->handles);
    return &ops->source;
}
