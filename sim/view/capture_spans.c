#include "view/capture_spans.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "capture/calls.h"
#include "capture/capture.h"
#include "core/account.h"

struct maker {
    struct sdsim_item_listener items; /* first */
    struct sdsim_timeline *timeline;
    bool spi;
    bool open; /* a command is at work */
    uint8_t index;
    bool app;
    uint32_t argument;
    uint32_t blocks;
    sdsim_ps start;
    sdsim_ps end; /* of what belongs to it so far */
    uint32_t detail;
    bool heard;
    sdsim_ps ends[SDSIM_LANE_COUNT]; /* of the last span of each lane */
    struct sdsim_span last;          /* of the bus, not told yet */
};

/* ---- spans ---- */

static void tell(struct maker *maker, const struct sdsim_span *span)
{
    struct sdsim_recorder *recorder = &maker->timeline->recorder;
    if (span->duration > 0) {
        recorder->span(recorder, span);
    }
}

/* Items come by their ends; one that began before the end of another is cut, so that the spans of a lane
 * follow each other. */
static void add(struct maker *maker, enum sdsim_lane lane, sdsim_ps from, sdsim_ps to,
                enum sdsim_kind kind, unsigned part, uint32_t detail)
{
    from = from > maker->ends[lane] ? from : maker->ends[lane];
    if (to <= from) {
        return;
    }
    maker->ends[lane] = to;
    const struct sdsim_span span = {
        .start = from,
        .duration = to - from,
        .count = 1,
        .lane = (uint8_t)lane,
        .kind = (uint8_t)kind,
        .purpose = SDSIM_FOR_DATA,
        .part = (uint8_t)part,
        .detail = detail,
    };
    if (lane == SDSIM_LANE_BUS) { /* it may still be cut short by a command */
        tell(maker, &maker->last);
        maker->last = span;
    } else {
        tell(maker, &span);
    }
}

/* A command may come while a block is on its way, which ends there. */
static void cut_short(struct maker *maker, sdsim_ps at)
{
    struct sdsim_span *last = &maker->last;
    if (last->duration > 0 && at >= last->start && at < last->start + last->duration) {
        last->duration = at - last->start;
        maker->ends[SDSIM_LANE_BUS] = at;
    }
}

static uint32_t number_of(struct maker *maker, const struct sdsim_detail *detail)
{
    return sdsim_record_detail(&maker->timeline->recorder, detail);
}

static enum sdsim_command_group group_of(uint8_t index, bool app)
{
    static const struct {
        uint8_t index;
        uint8_t group;
    } groups[] = {
        {6, SDSIM_GROUP_SWITCH}, {12, SDSIM_GROUP_STOP},  {13, SDSIM_GROUP_STATUS},
        {17, SDSIM_GROUP_READ},  {18, SDSIM_GROUP_READ},  {24, SDSIM_GROUP_WRITE},
        {25, SDSIM_GROUP_WRITE}, {32, SDSIM_GROUP_ERASE}, {33, SDSIM_GROUP_ERASE},
        {38, SDSIM_GROUP_ERASE},
    };
    for (size_t i = 0; !app && i < sizeof groups / sizeof *groups; i++) {
        if (groups[i].index == index) {
            return (enum sdsim_command_group)groups[i].group;
        }
    }
    return SDSIM_GROUP_OTHER;
}

static uint32_t command_detail(struct maker *maker)
{
    const struct sdsim_detail detail = {
        .kind = SDSIM_DETAIL_COMMAND,
        .code = (uint8_t)(maker->index | (maker->app ? 64 : 0)),
        .place = maker->argument,
        .size = maker->blocks,
    };
    return number_of(maker, &detail);
}

static void close_command(struct maker *maker)
{
    if (maker->open) {
        add(maker, SDSIM_LANE_COMMAND, maker->start, maker->end, SDSIM_HOST,
            group_of(maker->index, maker->app), command_detail(maker));
    }
    maker->open = false;
}

/* ---- items ---- */

static void bus(struct maker *maker, sdsim_ps from, sdsim_ps to, enum sdsim_kind kind,
                enum sdsim_part part)
{
    add(maker, SDSIM_LANE_BUS, from, to, kind, part, maker->open ? maker->detail : 0);
}

static void take_command(struct maker *maker, const struct sdsim_item *item)
{
    cut_short(maker, item->start);
    maker->end = maker->end < item->start ? maker->end : item->start;
    close_command(maker);
    /* Nothing moved since: whoever drives the bus did something else. */
    if (maker->heard) {
        add(maker, SDSIM_LANE_CPU, maker->ends[SDSIM_LANE_BUS], item->start, SDSIM_HOST, 0, 0);
    }
    maker->open = true;
    maker->index = item->index;
    maker->app = item->app;
    maker->argument = item->argument;
    maker->blocks = 0;
    maker->start = item->start;
    maker->detail = command_detail(maker);
    bus(maker, item->start, item->end, SDSIM_PROTOCOL, SDSIM_PART_COMMAND);
}

static void take_response(struct maker *maker, const struct sdsim_item *item)
{
    struct sdsim_detail detail = {.kind = SDSIM_DETAIL_RESPONSE};
    const size_t from = 1; /* behind R1, or the first byte of a frame */
    detail.code = !maker->spi ? 128 : item->size > 0 ? item->bytes[0] : 0;
    for (size_t i = from; i < item->size && i < from + 4; i++) {
        detail.place = detail.place << 8 | item->bytes[i];
    }
    add(maker, SDSIM_LANE_BUS, item->start, item->end, SDSIM_PROTOCOL, SDSIM_PART_RESPONSE,
        number_of(maker, &detail));
}

/* What the card makes the host wait for. An erase takes as long as there is to erase. */
static void card(struct maker *maker, sdsim_ps from, sdsim_ps to, enum sdsim_kind kind)
{
    const bool erases = maker->open && !maker->app && maker->index == 38;
    const bool pause = !erases && sdsim_time_since(to, from) > SDSIM_CAPTURE_PAUSE;
    add(maker, SDSIM_LANE_CARD, from, to, pause ? SDSIM_PAUSE : kind, 0,
        maker->open ? maker->detail : 0);
}

static void take_block(struct maker *maker, const struct sdsim_item *item)
{
    const sdsim_ps before = sdsim_time_since(item->start, item->gap_time);
    if (item->kind == SDSIM_ITEM_READ_BLOCK) {
        card(maker, before, item->start, SDSIM_ACCESS);
        bus(maker, before, item->start, SDSIM_POLL, SDSIM_PART_LOOKS);
    } else {
        bus(maker, before, item->start, SDSIM_GAP, SDSIM_PART_NONE);
    }
    bus(maker, item->start, item->data_start, SDSIM_PROTOCOL, SDSIM_PART_TOKEN);
    bus(maker, item->data_start, item->data_end, SDSIM_PAYLOAD, SDSIM_PART_DATA);
    if (!item->open) {
        bus(maker, item->data_end, item->end, SDSIM_PROTOCOL, SDSIM_PART_CRC);
    }
    maker->blocks++;
}

static void take_item(struct sdsim_item_listener *items, const struct sdsim_item *item)
{
    struct maker *maker = (struct maker *)items;
    if (!item->timed) {
        return;
    }
    switch (item->kind) {
    case SDSIM_ITEM_COMMAND:
        take_command(maker, item);
        break;
    case SDSIM_ITEM_RESPONSE:
        take_response(maker, item);
        break;
    case SDSIM_ITEM_READ_BLOCK:
    case SDSIM_ITEM_WRITE_BLOCK:
        take_block(maker, item);
        break;
    case SDSIM_ITEM_DATA_RESPONSE:
        bus(maker, item->start, item->end, SDSIM_PROTOCOL, SDSIM_PART_STATUS);
        break;
    case SDSIM_ITEM_STOP_TOKEN:
        bus(maker, item->start, item->end, SDSIM_PROTOCOL, SDSIM_PART_STOP);
        break;
    case SDSIM_ITEM_BUSY:
        bus(maker, item->start, item->end, SDSIM_POLL, SDSIM_PART_LOOKS);
        card(maker, item->start, item->end, SDSIM_BUSY);
        break;
    case SDSIM_ITEM_IDLE_CLOCKS:
        add(maker, SDSIM_LANE_BUS, item->start, item->end, SDSIM_PROTOCOL, SDSIM_PART_NONE, 0);
        return;
    case SDSIM_ITEM_SELECT:
    case SDSIM_ITEM_DESELECT:
        return;
    default:
        bus(maker, item->start, item->end, SDSIM_PROTOCOL, SDSIM_PART_NONE);
        break;
    }
    maker->heard = true;
    maker->end = item->end > maker->end ? item->end : maker->end;
}

/* ---- calls of the driver ---- */

static void add_calls(struct maker *maker, const char *path, const char *channels)
{
    static const uint8_t calls[] = {
        [SDSIM_TRACE_READ] = SDSIM_CALL_READ,
        [SDSIM_TRACE_WRITE] = SDSIM_CALL_WRITE,
    };
    struct sdsim_diags unheard; /* the same messages as before */
    sdsim_diags_init(&unheard);
    struct sdsim_block_source *source = sdsim_capture_calls(path, channels, &unheard);
    struct sdsim_block_record records[256];
    size_t count = source != NULL ? 1 : 0;
    while (count > 0) {
        count = source->next(source, records, sizeof records / sizeof *records);
        for (size_t i = 0; i < count; i++) {
            const struct sdsim_block_record *record = &records[i];
            const struct sdsim_detail detail = {.kind = SDSIM_DETAIL_SECTORS,
                                                .place = record->lba,
                                                .size = (uint32_t)record->count};
            const bool moves = record->kind < sizeof calls;
            add(maker, SDSIM_LANE_DISK, record->start,
                sdsim_time_sum(record->start, record->duration), SDSIM_HOST,
                moves ? calls[record->kind] : SDSIM_CALL_OTHER, number_of(maker, &detail));
        }
    }
    if (source != NULL) {
        source->close(source);
    }
    sdsim_diags_free(&unheard);
}

/* ---- all of it ---- */

/* The clock the bus had for most of its clocks, as a text of the setup. */
static bool add_clock(const struct sdsim_capture *capture, struct sdsim_timeline *timeline)
{
    const struct sdsim_clock_stretch *most = NULL;
    char text[64];
    for (size_t i = 0; i < capture->meter.count; i++) {
        const struct sdsim_clock_stretch *one = &capture->meter.stretches[i];
        most = most == NULL || one->clocks > most->clocks ? one : most;
    }
    const double period = most != NULL ? sdsim_stretch_period(most) : 0;
    const struct sdsim_tick *tick = &capture->facts->tick;
    if (period <= 0) {
        return true;
    }
    const double hertz = (double)SDSIM_S / (period * (double)tick->num / (double)tick->den);
    snprintf(text, sizeof text, "%" PRIu64 "/1", (uint64_t)(hertz + 0.5));
    return sdsim_timeline_add_text(timeline, "clock", text, strlen(text)) &&
           sdsim_timeline_add_text(timeline, "capture", capture->path, strlen(capture->path));
}

bool sdsim_capture_spans(const char *path, const char *channels, struct sdsim_timeline *timeline,
                         struct sdsim_diags *diags)
{
    const char *why = NULL;
    struct sdsim_capture *capture = sdsim_capture_open(path, channels, diags);
    if (capture == NULL) {
        return false;
    }
    struct maker maker = {
        .items = {take_item}, .timeline = timeline, .spi = capture->roles.bus == SDSIM_CAPTURE_SPI};
    sdsim_capture_attach(capture, &maker.items, NULL);
    while (sdsim_capture_step(capture) == SDSIM_PINS_MORE) {
    }
    close_command(&maker);
    tell(&maker, &maker.last);
    add_calls(&maker, path, channels);
    bool fine = add_clock(capture, timeline);
    fine = sdsim_timeline_finish(timeline, &why) && fine;
    sdsim_capture_close(capture);
    if (!fine) {
        sdsim_error(diags, path, "%s", why != NULL ? why : "out of memory");
    }
    return fine;
}
