#include "trace/firmware_trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HELD = 64 /* records held back to bring them into the order of their starts */ };

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
