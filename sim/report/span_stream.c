#include "report/span_stream.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const char *sdsim_lane_name(enum sdsim_lane lane)
{
    static const char *const names[SDSIM_LANE_COUNT] = {
        [SDSIM_LANE_TASK] = "application", [SDSIM_LANE_FILE] = "file system",
        [SDSIM_LANE_DISK] = "disk",        [SDSIM_LANE_COMMAND] = "commands",
        [SDSIM_LANE_CPU] = "cpu",          [SDSIM_LANE_BUS] = "bus",
        [SDSIM_LANE_CARD] = "card",        [SDSIM_LANE_FLASH] = "flash",
        [SDSIM_LANE_QUEUE] = "queue",
    };
    return names[lane];
}

char *sdsim_microseconds_text(sdsim_ps time, char *out, size_t size)
{
    char decimals[8];
    snprintf(decimals, sizeof decimals, "%06u", (unsigned)(time % SDSIM_US));
    size_t count = 6;
    while (count > 0 && decimals[count - 1] == '0') {
        count--;
    }
    snprintf(out, size, "%" PRIu64 "%s%.*s", time / SDSIM_US, count > 0 ? "." : "", (int)count,
             decimals);
    return out;
}

/* ---- details ---- */

/* A number says the kind and which one of it: the latest ones of each kind are kept. */
static uint32_t take_detail(struct sdsim_recorder *recorder, const struct sdsim_detail *detail)
{
    struct sdsim_span_stream *stream = (struct sdsim_span_stream *)recorder;
    const uint32_t index = stream->counts[detail->kind]++ % SDSIM_SPAN_DETAILS;
    struct sdsim_span_detail *slot = &stream->details[detail->kind][index];
    slot->detail = *detail;
    slot->detail.name = NULL;
    if (detail->name != NULL) {
        snprintf(slot->name, sizeof slot->name, "%s", detail->name);
        slot->detail.name = slot->name;
    }
    return 1 + index * 16 + detail->kind;
}

static const struct sdsim_detail *detail_of(const struct sdsim_span_stream *stream, uint32_t number)
{
    static const struct sdsim_detail none = {.kind = SDSIM_DETAIL_NONE};
    if (number == 0) {
        return &none;
    }
    const uint32_t kind = (number - 1) % 16;
    const uint32_t index = (number - 1) / 16;
    assert(kind <= SDSIM_DETAIL_LEVEL && index < SDSIM_SPAN_DETAILS);
    return &stream->details[kind][index].detail;
}

/* ---- names ---- */

static const char *const call_names[SDSIM_CALL_COUNT] = {
    [SDSIM_CALL_OTHER] = "call",  [SDSIM_CALL_READ] = "read", [SDSIM_CALL_WRITE] = "write",
    [SDSIM_CALL_PRINT] = "print", [SDSIM_CALL_SEEK] = "seek", [SDSIM_CALL_OPEN] = "open",
    [SDSIM_CALL_CLOSE] = "close", [SDSIM_CALL_SYNC] = "sync", [SDSIM_CALL_LIST] = "list",
    [SDSIM_CALL_MOUNT] = "mount",
};

static void name_call(const struct sdsim_span *span, const struct sdsim_detail *detail, char *out,
                      size_t size)
{
    const char *call = span->part < SDSIM_CALL_COUNT ? call_names[span->part] : "call";
    if (detail->kind == SDSIM_DETAIL_SECTORS) {
        snprintf(out, size, "%s %" PRIu32 " sector%s at %" PRIu64, call, detail->size,
                 detail->size == 1 ? "" : "s", detail->place);
    } else if (detail->kind == SDSIM_DETAIL_CALL && detail->size > 0) {
        snprintf(out, size, "%s %" PRIu32 " bytes at %" PRIu64, call, detail->size, detail->place);
    } else if (detail->kind == SDSIM_DETAIL_CALL && detail->name != NULL) {
        snprintf(out, size, "%s %s", call, detail->name);
    } else {
        snprintf(out, size, "%s", call);
    }
}

/* Whether a command's argument says where on the card. */
static bool has_address(uint8_t index)
{
    return index == 17 || index == 18 || index == 24 || index == 25 || index == 32 || index == 33;
}

static void name_command(const struct sdsim_span_stream *stream, const struct sdsim_span *span,
                         const struct sdsim_detail *detail, char *out, size_t size)
{
    static const char *const going_on[SDSIM_GROUP_COUNT] = {
        [SDSIM_GROUP_OTHER] = "clocks",          [SDSIM_GROUP_READ] = "goes on reading",
        [SDSIM_GROUP_WRITE] = "goes on writing", [SDSIM_GROUP_STOP] = "stop",
        [SDSIM_GROUP_STATUS] = "status",         [SDSIM_GROUP_SWITCH] = "switch",
        [SDSIM_GROUP_ERASE] = "erase",
    };
    const uint8_t index = detail->code & 63;
    const bool app = (detail->code & 64) != 0;
    if (detail->kind != SDSIM_DETAIL_COMMAND || (detail->code & 128) != 0) {
        snprintf(out, size, "%s",
                 span->part < SDSIM_GROUP_COUNT ? going_on[span->part] : "transaction");
    } else if (!app && has_address(index)) {
        snprintf(out, size, "CMD%u lba %" PRIu64, (unsigned)index,
                 stream->byte_addresses ? detail->place / 512 : detail->place);
    } else {
        snprintf(out, size, "%s%u", app ? "ACMD" : "CMD", (unsigned)index);
    }
}

/* Counts the data blocks of a transaction. */
static void count_block(struct sdsim_span_stream *stream, const struct sdsim_span *span)
{
    if (span->kind == SDSIM_PAYLOAD) {
        stream->block += stream->in_block ? 0 : 1;
        stream->in_block = true;
    } else if (span->kind != SDSIM_GAP) {
        stream->in_block = false;
    }
}

static void name_bus(const struct sdsim_span_stream *stream, const struct sdsim_span *span,
                     char *out, size_t size)
{
    static const char *const parts[SDSIM_PART_COUNT] = {
        [SDSIM_PART_COMMAND] = "command", [SDSIM_PART_RESPONSE] = "response",
        [SDSIM_PART_TOKEN] = "token",     [SDSIM_PART_CRC] = "CRC",
        [SDSIM_PART_STATUS] = "status",   [SDSIM_PART_STOP] = "stop token",
        [SDSIM_PART_LOOKS] = "looks",
    };
    const char *part = span->part < SDSIM_PART_COUNT ? parts[span->part] : NULL;
    if (span->kind == SDSIM_PAYLOAD) {
        snprintf(out, size, "block %" PRIu32, stream->block);
    } else if (part != NULL && (span->kind == SDSIM_PROTOCOL || span->part == SDSIM_PART_LOOKS)) {
        snprintf(out, size, "%s", part);
    } else {
        snprintf(out, size, "%s", sdsim_kind_name((enum sdsim_kind)span->kind));
    }
}

/* ---- spans ---- */

static bool is_looks(const struct sdsim_span *span)
{
    return span->lane == SDSIM_LANE_BUS && span->part == SDSIM_PART_LOOKS;
}

static const char *kind_of(const struct sdsim_span *span)
{
    switch (span->lane) {
    case SDSIM_LANE_TASK: /* the application itself may spend time, too */
        return span->kind == SDSIM_IDLE ? sdsim_kind_name(SDSIM_IDLE) : "call";
    case SDSIM_LANE_FILE:
    case SDSIM_LANE_DISK:
        return "call";
    case SDSIM_LANE_COMMAND:
        return "command";
    case SDSIM_LANE_QUEUE:
        return "level";
    default:
        return is_looks(span) ? "looks" : sdsim_kind_name((enum sdsim_kind)span->kind);
    }
}

static void name_span(const struct sdsim_span_stream *stream, const struct sdsim_span *span,
                      const struct sdsim_detail *detail, char *out, size_t size)
{
    switch (span->lane) {
    case SDSIM_LANE_TASK:
    case SDSIM_LANE_FILE:
    case SDSIM_LANE_DISK:
        name_call(span, detail, out, size);
        break;
    case SDSIM_LANE_COMMAND:
        name_command(stream, span, detail, out, size);
        break;
    case SDSIM_LANE_BUS:
        name_bus(stream, span, out, size);
        break;
    case SDSIM_LANE_QUEUE:
        snprintf(out, size, "%" PRIu64 " %s", detail->place,
                 detail->name != NULL ? detail->name : "");
        break;
    default:
        snprintf(out, size, "%s", sdsim_kind_name((enum sdsim_kind)span->kind));
        break;
    }
}

/* One of the spans a span stands for. */
static void hand_on(struct sdsim_span_stream *stream, const struct sdsim_span *span, sdsim_ps start)
{
    char name[120];
    const sdsim_ps end = sdsim_time_sum(start, span->duration);
    if (span->lane == SDSIM_LANE_BUS && !is_looks(span)) {
        count_block(stream, span);
    }
    const sdsim_ps from = start > stream->from ? start : stream->from;
    const sdsim_ps to = end < stream->to ? end : stream->to;
    if (from < to) {
        const struct sdsim_detail *detail = detail_of(stream, span->detail);
        name_span(stream, span, detail, name, sizeof name);
        const struct sdsim_named_span named = {
            .start = from,
            .duration = to - from,
            .lane = (enum sdsim_lane)span->lane,
            .kind = kind_of(span),
            .purpose = sdsim_purpose_name((enum sdsim_purpose)span->purpose),
            .name = name,
            .cut = from > start || to < end,
            .call = (enum sdsim_call)(span->lane <= SDSIM_LANE_DISK ? span->part : 0),
            .detail = detail,
        };
        stream->take(stream, &named);
    }
    if (span->lane == SDSIM_LANE_COMMAND) {
        stream->block = 0;
        stream->in_block = false;
    }
}

static void hear(struct sdsim_recorder *recorder, const struct sdsim_span *span)
{
    struct sdsim_span_stream *stream = (struct sdsim_span_stream *)recorder;
    for (uint64_t i = 0; i < span->count; i++) {
        hand_on(stream, span, sdsim_time_sum(span->start, sdsim_time_times(span->period, i)));
    }
}

void sdsim_span_stream_init(struct sdsim_span_stream *stream, const struct sdsim_card_params *card,
                            sdsim_ps from, sdsim_ps to,
                            void (*take)(struct sdsim_span_stream *stream,
                                         const struct sdsim_named_span *span))
{
    *stream = (struct sdsim_span_stream){
        .recorder = {.span = hear, .detail = take_detail},
        .take = take,
        .from = from,
        .to = to,
        .byte_addresses = card->type == SDSIM_SDSC,
    };
}
