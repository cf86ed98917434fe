/*
 * Linux: what blkparse prints of a blktrace, in its usual format:
 *
 *     179,0    3       11     0.009507758   697  D   W 223490 + 8 [kjournald]
 *     179,0    3       12     0.010201044     0  C   W 223490 + 8 [0]
 *
 * D (handed to the driver) begins a call, C (complete) with the same device, sector and length ends
 * it. R are reads, W writes, D discards, F flushes; other letters of that column are flags. Sectors
 * have 512 bytes. Hosts are devices, "179,0".
 *
 * Times are the block layer's: queueing inside the driver and the interrupt's way back are in them.
 *
 * Not supported: other formats (-f), binary blktrace files, events of several requests merged after
 * D.
 */
#include <string.h>

#include "trace/log.h"

/* The columns of a line. */
struct event {
    const char *device;
    size_t device_length;
    sdsim_ps time;
    char action;
    const char *flags;
    uint64_t sector;
    uint64_t count;
};

static const char *skip_column(const char *p)
{
    p += strcspn(p, " \t");
    return p + strspn(p, " \t");
}

static bool parse_event(const char *line, struct event *event)
{
    const char *p = line + strspn(line, " \t");
    uint64_t number;
    *event = (struct event){.device = p};
    const char *end = sdsim_scan_number(p, &number);
    end = end != NULL && *end == ',' ? sdsim_scan_number(end + 1, &number) : NULL;
    if (end == NULL || *end != ' ') {
        return false;
    }
    event->device_length = (size_t)(end - p);
    p = skip_column(skip_column(skip_column(p))); /* device, processor, sequence */
    end = sdsim_scan_decimal(p, SDSIM_S, &event->time);
    if (end == NULL || *end != ' ') {
        return false;
    }
    p = skip_column(skip_column(p)); /* time, process */
    if (*p == '\0' || p[1] != ' ') {
        return false;
    }
    event->action = *p;
    p = skip_column(p);
    event->flags = p;
    p = skip_column(p);
    end = sdsim_scan_number(p, &event->sector);
    if (end != NULL && strncmp(end, " + ", 3) == 0) {
        (void)sdsim_scan_number(end + 3, &event->count);
    }
    return true;
}

/* What the flags say the request is; false: nothing of interest. */
static bool kind_of(const char *flags, struct sdsim_block_record *record)
{
    bool flush = false;
    for (; *flags != ' ' && *flags != '\0'; flags++) {
        switch (*flags) {
        case 'R':
            record->kind = SDSIM_TRACE_READ;
            return true;
        case 'W':
            record->kind = SDSIM_TRACE_WRITE;
            return true;
        case 'D':
            record->kind = SDSIM_TRACE_TRIM;
            return true;
        case 'E':
            record->kind = SDSIM_TRACE_ERASE;
            return true;
        case 'F':
            flush = true;
            break;
        default:
            break;
        }
    }
    record->kind = SDSIM_TRACE_SYNC;
    return flush;
}

static bool line_of_blkparse(struct sdsim_log *log, const char *line)
{
    struct event event;
    struct sdsim_block_record record = {.repeat = 1, .flags = SDSIM_TRACE_HAS_START};
    if (!parse_event(line, &event)) {
        return false;
    }
    if ((event.action != 'D' && event.action != 'C') || !kind_of(event.flags, &record) ||
        (event.count == 0 && record.kind != SDSIM_TRACE_SYNC) || event.sector > UINT32_MAX ||
        event.count > UINT32_MAX - event.sector) {
        return true;
    }
    if (sdsim_log_host(log, event.device, event.device_length, event.action == 'D') < 0) {
        return true;
    }
    const uint64_t key = (event.sector << 24 ^ event.count << 3 ^ record.kind) + 1;
    uint64_t call;
    if (event.action == 'D') {
        record.start = event.time;
        if (record.kind == SDSIM_TRACE_SYNC) {
            event.sector = event.count = 0;
        }
        record.lba = (uint32_t)event.sector;
        record.count = (uint32_t)event.count;
        (void)sdsim_log_begin(log, &record, key);
    } else if (sdsim_log_find(log, key, &call)) {
        sdsim_log_end(log, call, true, event.time, false);
    }
    return true;
}

const struct sdsim_log_format sdsim_log_blkparse = {
    .line = line_of_blkparse,
    .what = "179,0    3       11     0.009507758   697  D   W 223490 + 8 [kjournald]",
};
