#include "capture/calls.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "card/decode.h"
#include "core/units.h"

enum addressing {
    UNKNOWN_ADDRESSES,
    SECTOR_ADDRESSES,
    BYTE_ADDRESSES,
};

struct calls {
    struct sdsim_block_source source; /* first */
    struct sdsim_item_listener items;
    struct sdsim_capture *capture;
    struct sdsim_diags *diags;
    const char *path;
    bool spi;
    bool over;
    bool failed;
    bool no_memory;
    enum addressing addressing;
    bool guessed; /* addresses were needed before they were known */

    struct sdsim_block_record *records; /* complete ones */
    size_t count;
    size_t taken;
    size_t capacity;

    bool open; /* a call is at work */
    bool answered;
    bool stopped; /* CMD12 was sent: nothing but its busy follows */
    uint8_t index;
    uint32_t blocks;
    struct sdsim_block_record call;
    sdsim_ps end;
    bool ahead; /* CMD55 or CMD23 that may be the beginning of one */
    sdsim_ps ahead_start;
    uint32_t erase_from;
    uint32_t erase_to;

    uint64_t commands;        /* all of them ... */
    uint64_t seen[2];         /* ... which ones: a bit for each CMD, and for each ACMD ... */
    uint64_t cut;             /* ... that the recording cut off ... */
    uint64_t without_a_block; /* ... or that moved nothing */
};

static struct calls *calls_of(struct sdsim_item_listener *items)
{
    return (struct calls *)((char *)items - offsetof(struct calls, items));
}

static void put(struct calls *calls, const struct sdsim_block_record *record)
{
    if (calls->count == calls->capacity) {
        const size_t capacity = calls->capacity > 0 ? 2 * calls->capacity : 256;
        struct sdsim_block_record *records = realloc(calls->records, capacity * sizeof *records);
        if (records == NULL) {
            calls->no_memory = true;
            return;
        }
        calls->records = records;
        calls->capacity = capacity;
    }
    calls->records[calls->count++] = *record;
}

static bool moves_data(uint8_t index)
{
    return index == 17 || index == 18 || index == 24 || index == 25;
}

static void close_call(struct calls *calls)
{
    if (!calls->open) {
        return;
    }
    calls->open = false;
    if (moves_data(calls->index)) {
        if (calls->blocks == 0 && calls->answered) {
            calls->without_a_block++; /* asked and given up */
            return;
        }
        calls->call.count = calls->blocks > 0 ? calls->blocks : 1;
    }
    calls->call.duration = sdsim_time_since(calls->end, calls->call.start);
    put(calls, &calls->call);
}

static uint32_t sector(struct calls *calls, uint32_t argument)
{
    if (calls->addressing == UNKNOWN_ADDRESSES) {
        calls->guessed = true;
    }
    return calls->addressing == BYTE_ADDRESSES ? argument / 512 : argument;
}

static void open_call(struct calls *calls, const struct sdsim_item *item,
                      enum sdsim_trace_kind kind, uint32_t lba, uint32_t count)
{
    calls->open = true;
    calls->answered = false;
    calls->stopped = false;
    calls->index = item->index;
    calls->blocks = 0;
    calls->end = item->end;
    calls->call = (struct sdsim_block_record){
        .start = calls->ahead ? calls->ahead_start : item->start,
        .lba = lba,
        .count = count,
        .repeat = 1,
        .kind = (uint8_t)kind,
        .flags = SDSIM_TRACE_HAS_START | SDSIM_TRACE_HAS_DURATION,
    };
}

/* CMD23, and ACMD23 with the CMD55 in front of it, belong to the command behind them. */
static bool is_ahead(const struct sdsim_item *item)
{
    return item->index == 23 || (item->index == 55 && !item->app);
}

/* What goes on with the call at work: its stop, and looks whether a write is done. */
static bool belongs(const struct calls *calls, const struct sdsim_item *item)
{
    const bool write = calls->call.kind == SDSIM_TRACE_WRITE;
    return calls->open && !item->app &&
           (item->index == 12 || (item->index == 13 && write) ||
            (item->index == 13 && calls->call.kind == SDSIM_TRACE_ERASE));
}

static void take_command(struct calls *calls, const struct sdsim_item *item)
{
    if (belongs(calls, item)) {
        calls->stopped = calls->stopped || item->index == 12;
        calls->end = item->end;
        return;
    }
    close_call(calls);
    if (is_ahead(item)) {
        calls->ahead_start = calls->ahead ? calls->ahead_start : item->start;
        calls->ahead = true;
        return;
    }
    if (!item->app && moves_data(item->index)) {
        open_call(calls, item, item->index < 20 ? SDSIM_TRACE_READ : SDSIM_TRACE_WRITE,
                  sector(calls, item->argument), 0);
    } else if (!item->app && item->index == 32) {
        calls->erase_from = item->argument;
    } else if (!item->app && item->index == 33) {
        calls->erase_to = item->argument;
    } else if (!item->app && item->index == 38 && calls->erase_to >= calls->erase_from) {
        const uint32_t from = sector(calls, calls->erase_from);
        open_call(calls, item, SDSIM_TRACE_ERASE, from, sector(calls, calls->erase_to) - from + 1);
    }
    calls->ahead = false;
}

static uint32_t word_of(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

static void take_ocr(struct calls *calls, uint32_t ocr)
{
    if ((ocr & SDSIM_OCR_READY) != 0) {
        calls->addressing = (ocr & SDSIM_OCR_CCS) != 0 ? SECTOR_ADDRESSES : BYTE_ADDRESSES;
    }
}

static void take_csd(struct calls *calls, const uint8_t *csd)
{
    calls->addressing = sdsim_csd_decode(csd).version == 1 ? BYTE_ADDRESSES : SECTOR_ADDRESSES;
}

/* Error bits of R1, and of the card status: SD Physical Layer Simplified Specification, sections
 * 7.3.2 and 4.10.1. */
static bool refused(const struct calls *calls, const struct sdsim_item *item)
{
    return calls->spi ? (item->bytes[0] & 0x7C) != 0
                      : item->size == 6 && (word_of(item->bytes + 1) & 0xFDF98000u) != 0;
}

static void take_response(struct calls *calls, const struct sdsim_item *item)
{
    if (item->size == 0) {
        return;
    }
    if (calls->spi && item->index == 58 && !item->app && item->size == 5) {
        take_ocr(calls, word_of(item->bytes + 1));
    } else if (!calls->spi && item->index == 41 && item->app && item->size >= 5) {
        take_ocr(calls, word_of(item->bytes + 1));
    } else if (!calls->spi && item->index == 9 && item->size == 17) {
        take_csd(calls, item->bytes + 1);
    }
    if (calls->open) {
        calls->end = item->end > calls->end ? item->end : calls->end;
        if (item->index == calls->index) {
            calls->answered = true;
            calls->call.flags |= refused(calls, item) ? SDSIM_TRACE_FAILED : 0;
        }
    }
}

static void take_block(struct calls *calls, const struct sdsim_item *item)
{
    if (item->index == 9 && !item->app && item->size == 16) {
        take_csd(calls, item->bytes);
    }
    if (!calls->open || item->open || item->index != calls->index) {
        return;
    }
    calls->blocks++;
    calls->end = item->end > calls->end ? item->end : calls->end;
    calls->call.flags |= item->crc == SDSIM_ITEM_CRC_WRONG ? SDSIM_TRACE_FAILED : 0;
}

static void take_item(struct sdsim_item_listener *items, const struct sdsim_item *item)
{
    struct calls *calls = calls_of(items);
    switch (item->kind) {
    case SDSIM_ITEM_COMMAND:
        if (!item->deselected) {
            calls->commands++;
            calls->seen[item->app] |= UINT64_C(1) << (item->index & 63);
            take_command(calls, item);
        }
        break;
    case SDSIM_ITEM_RESPONSE:
        take_response(calls, item);
        break;
    case SDSIM_ITEM_READ_BLOCK:
    case SDSIM_ITEM_WRITE_BLOCK:
        take_block(calls, item);
        break;
    case SDSIM_ITEM_DATA_RESPONSE:
        if (calls->open && (calls->spi ? (item->token & 0x1F) != 5 : item->token != 2)) {
            calls->call.flags |= SDSIM_TRACE_FAILED;
        }
        break;
    case SDSIM_ITEM_ERROR_TOKEN:
    case SDSIM_ITEM_NO_RESPONSE:
        calls->call.flags |= calls->open ? SDSIM_TRACE_FAILED : 0;
        break;
    case SDSIM_ITEM_CUT:
        calls->cut += calls->open;
        calls->open = false; /* nobody knows how it went on */
        return;
    default:
        break;
    }
    if (calls->open &&
        (item->kind == SDSIM_ITEM_BUSY || item->kind == SDSIM_ITEM_STOP_TOKEN ||
         item->kind == SDSIM_ITEM_DATA_RESPONSE) &&
        item->end > calls->end) {
        calls->end = item->end;
    }
}

/* The bus and its clock, for the header of the trace. */
static void describe(struct calls *calls)
{
    sdsim_trace_set_header(calls->source.info, "source", "capture");
    sdsim_trace_set_header(calls->source.info, "bus", calls->spi ? "spi" : "sd");
}

static void at_end(struct calls *calls, enum sdsim_pin_result result)
{
    calls->over = true;
    close_call(calls);
    calls->source.failed = result == SDSIM_PINS_BROKEN || calls->no_memory;
    if (calls->no_memory) {
        sdsim_error(calls->diags, calls->path, "out of memory");
    }
    if (calls->guessed) {
        const struct sdsim_place place = {.file = calls->path};
        sdsim_diag_add(
            calls->diags, SDSIM_NOTE, &place, NULL, 0, NULL,
            "the capture does not tell whether addresses are bytes or sectors; taken for "
            "sectors");
    }
}

static size_t next(struct sdsim_block_source *source, struct sdsim_block_record *records,
                   size_t most)
{
    struct calls *calls = (struct calls *)source;
    while (calls->taken == calls->count && !calls->over) {
        calls->taken = 0;
        calls->count = 0;
        const enum sdsim_pin_result result = sdsim_capture_step(calls->capture);
        if (result != SDSIM_PINS_MORE || calls->no_memory) {
            at_end(calls, result);
        }
    }
    const size_t left = calls->count - calls->taken;
    const size_t given = left < most ? left : most;
    if (given > 0) {
        memcpy(records, calls->records + calls->taken, given * sizeof *records);
        calls->taken += given;
    }
    return given;
}

static void close_source(struct sdsim_block_source *source)
{
    struct calls *calls = (struct calls *)source;
    sdsim_capture_close(calls->capture);
    sdsim_trace_info_free(calls->source.info);
    free(calls->records);
    free(calls);
}

/* ---- captures without calls ---- */

static const struct sdsim_clock_stretch *undersampled(const struct sdsim_capture *capture)
{
    for (size_t i = 0; i < capture->meter.count; i++) {
        if (sdsim_stretch_undersampled(&capture->meter.stretches[i], capture->survey.quantum)) {
            return &capture->meter.stretches[i];
        }
    }
    return NULL;
}

/* "CMD0, CMD8, ACMD41", in the order of their numbers; "..." for those there is no room for. */
static void list_commands(const struct calls *calls, char *text, size_t size)
{
    enum { ROOM_FOR_ONE = sizeof ", ACMD41, ..." };
    size_t used = 0;
    text[0] = '\0';
    for (unsigned app = 0; app < 2; app++) {
        for (unsigned index = 0; index < 64; index++) {
            if ((calls->seen[app] >> index & 1) != 0 && used + ROOM_FOR_ONE > size) {
                snprintf(text + used, size - used, ", ...");
                return;
            }
            if ((calls->seen[app] >> index & 1) != 0) {
                used += (size_t)snprintf(text + used, size - used, "%s%sCMD%u",
                                         used > 0 ? ", " : "", app != 0 ? "A" : "", index);
            }
        }
    }
}

static void instead(const struct sdsim_block_source *source, char *text, size_t size, char *help,
                    size_t help_size)
{
    const struct calls *calls = (const struct calls *)source;
    const struct sdsim_capture *capture = calls->capture;
    const struct sdsim_clock_stretch *blind = undersampled(capture);
    uint64_t clocks = 0;
    char commands[200];
    for (size_t i = 0; i < capture->meter.count; i++) {
        clocks += capture->meter.stretches[i].clocks;
    }
    snprintf(help, help_size, "'sdsim import --report' tells what else the capture shows");
    if (calls->commands > 0) {
        const bool one = calls->commands == 1;
        list_commands(calls, commands, sizeof commands);
        if (calls->cut + calls->without_a_block > 0) {
            snprintf(text, size, "%" PRIu64 " command%s (%s), and %s", calls->commands,
                     one ? "" : "s", commands,
                     calls->cut > 0 ? "the recording ends before a block of theirs does"
                                    : "not one block came of them");
        } else {
            snprintf(text, size, "%" PRIu64 " command%s, %s a block: %s", calls->commands,
                     one ? "" : "s", one ? "which does not move" : "none of which moves", commands);
        }
    } else if (blind != NULL) {
        snprintf(text, size,
                 "a clock that was sampled too seldom to be read: %.1f samples a clock, uneven",
                 sdsim_stretch_period(blind) / (double)capture->survey.quantum);
        snprintf(help, help_size,
                 "record with four samples a clock or more, or slow the clock down; 'sdsim import "
                 "--report' tells where");
    } else if (clocks == 0) {
        snprintf(text, size, "an idle bus: its clock does not run");
        snprintf(help, help_size,
                 "record while the card is at work; --channel clk=NAME names another clock");
    } else {
        snprintf(text, size, "%" PRIu64 " clock%s, and no command of an SD card", clocks,
                 clocks == 1 ? "" : "s");
        snprintf(help, help_size,
                 "if this is a bus of a card, name its lines with --channel; 'sdsim import "
                 "--report' tells which were taken");
    }
}

struct sdsim_block_source *sdsim_capture_calls(const char *path, const char *channels,
                                               struct sdsim_diags *diags)
{
    struct calls *calls = calloc(1, sizeof *calls);
    if (calls == NULL) {
        sdsim_error(diags, path, "out of memory");
        return NULL;
    }
    calls->source.next = next;
    calls->source.close = close_source;
    calls->source.instead = instead;
    calls->source.info = sdsim_trace_info_new();
    calls->items = (struct sdsim_item_listener){take_item};
    calls->diags = diags;
    calls->path = path;
    calls->capture = calls->source.info != NULL ? sdsim_capture_open(path, channels, diags) : NULL;
    if (calls->capture == NULL) {
        if (calls->source.info == NULL) {
            sdsim_error(diags, path, "out of memory");
        }
        close_source(&calls->source);
        return NULL;
    }
    calls->spi = calls->capture->roles.bus == SDSIM_CAPTURE_SPI;
    describe(calls);
    sdsim_capture_attach(calls->capture, &calls->items, NULL);
    return &calls->source;
}
