#include "view/facts.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "timeline/find.h"
#include "timeline/query.h"
#include "view/commands.h"
#include "view/ruler.h"

static void add(struct sdsim_facts *facts, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void add(struct sdsim_facts *facts, const char *name, const char *format, ...)
{
    if (facts->count < SDSIM_FACTS_MOST) {
        struct sdsim_fact *fact = &facts->items[facts->count++];
        va_list arguments;
        fact->name = name;
        va_start(arguments, format);
        vsnprintf(fact->value, sizeof fact->value, format, arguments);
        va_end(arguments);
    }
}

static void add_time(struct sdsim_facts *facts, const char *name, sdsim_ps time)
{
    char text[48];
    add(facts, name, "%s", sdsim_time_print(time, text, sizeof text));
}

const char *sdsim_fact(const struct sdsim_facts *facts, const char *name)
{
    for (size_t i = 0; i < facts->count; i++) {
        if (strcmp(facts->items[i].name, name) == 0) {
            return facts->items[i].value;
        }
    }
    return NULL;
}

/* ---- labels ---- */

static bool is_call(enum sdsim_lane lane)
{
    return lane <= SDSIM_LANE_DISK;
}

/* "CMD18", "ACMD41". */
static void command_name(uint8_t code, char *out, size_t size)
{
    if ((code & 128) != 0) {
        snprintf(out, size, "goes on");
    } else {
        snprintf(out, size, "%s%d", (code & 64) != 0 ? "ACMD" : "CMD", code & 63);
    }
}

char *sdsim_span_label(const struct sdsim_timeline *timeline, const struct sdsim_span *span,
                       char *out, size_t size)
{
    const enum sdsim_lane lane = (enum sdsim_lane)span->lane;
    const struct sdsim_detail detail = sdsim_details_get(&timeline->details, span->detail);
    char text[64] = "";
    if (lane == SDSIM_LANE_COMMAND || (lane == SDSIM_LANE_BUS && span->part == SDSIM_PART_COMMAND &&
                                       span->kind == SDSIM_PROTOCOL)) {
        char argument[48];
        command_name(detail.code, text, sizeof text);
        sdsim_command_argument(detail.code & 63, (detail.code & 64) != 0, (uint32_t)detail.place,
                               argument, sizeof argument);
        snprintf(out, size, "%s%s%s", text, argument[0] != '\0' ? " " : "", argument);
    } else if (lane == SDSIM_LANE_DISK) {
        const char *purpose = sdsim_purpose_name((enum sdsim_purpose)span->purpose);
        const char *call = sdsim_call_name((enum sdsim_call)span->part);
        snprintf(out, size, detail.size > 0 ? "%s %s %" PRIu64 "+%" PRIu32 : "%s %s", purpose, call,
                 detail.place, detail.size);
    } else if (is_call(lane)) {
        const char *call = sdsim_call_name((enum sdsim_call)span->part);
        snprintf(out, size, detail.size > 0 ? "%s %" PRIu32 : "%s", call, detail.size);
    } else if (lane == SDSIM_LANE_BUS && span->part != SDSIM_PART_NONE && span->kind != SDSIM_GAP) {
        snprintf(out, size, "%s", sdsim_part_name((enum sdsim_part)span->part));
    } else if (lane == SDSIM_LANE_QUEUE) {
        sdsim_detail_print(&detail, out, size);
    } else if (lane == SDSIM_LANE_FLASH) {
        snprintf(out, size, "%s", sdsim_lane_info(lane)->called[span->kind]);
    } else {
        snprintf(out, size, "%s", sdsim_kind_name((enum sdsim_kind)span->kind));
    }
    return out;
}

/* ---- what a span is about ---- */

/* Whether the card counts addresses in bytes; *known: somebody said so. */
static bool in_bytes(const struct sdsim_timeline *timeline, bool *known)
{
    const struct sdsim_setup_text *text = sdsim_timeline_text(timeline, "addresses");
    *known = text != NULL;
    return text != NULL && strcmp(text->text, "bytes") == 0;
}

static void add_command(struct sdsim_facts *facts, const struct sdsim_timeline *timeline,
                        const struct sdsim_detail *detail)
{
    bool known;
    const uint8_t index = detail->code & 63;
    const bool app = (detail->code & 64) != 0;
    char text[64];
    if ((detail->code & 128) != 0) {
        add(facts, "command", "none: goes on with an open transfer");
    } else {
        command_name(detail->code, text, sizeof text);
        add(facts, "command", "%s", text);
        add(facts, "called", "%s", sdsim_command_title(index, app));
        add(facts, "argument", "0x%08" PRIX64, detail->place);
        if (sdsim_command_argument(index, app, (uint32_t)detail->place, text, sizeof text)[0] !=
            '\0') {
            add(facts, "argument means", "%s", text);
        }
        const bool bytes = in_bytes(timeline, &known);
        if (known && sdsim_command_has_address(index, app)) {
            add(facts, "LBA", "%" PRIu64, bytes ? detail->place / 512 : detail->place);
        }
    }
    if (detail->size > 0) {
        add(facts, "blocks", "%" PRIu32, detail->size);
    }
}

static void add_response(struct sdsim_facts *facts, const struct sdsim_detail *detail)
{
    char text[120];
    if ((detail->code & 128) != 0) { /* SD mode */
        add(facts, "response", "0x%08" PRIX64, detail->place);
        return;
    }
    add(facts, "response", "R1 0x%02X: %s", detail->code,
        sdsim_r1_print(detail->code, text, sizeof text));
    if (detail->place != 0) {
        add(facts, "behind it", "%08" PRIX64, detail->place);
    }
}

static void add_detail(struct sdsim_facts *facts, const struct sdsim_timeline *timeline,
                       const struct sdsim_detail *detail)
{
    char text[120];
    switch (detail->kind) {
    case SDSIM_DETAIL_COMMAND:
        add_command(facts, timeline, detail);
        break;
    case SDSIM_DETAIL_RESPONSE:
        add_response(facts, detail);
        break;
    case SDSIM_DETAIL_LOOKS:
        add(facts, "looks", "%" PRIu64, detail->place);
        break;
    case SDSIM_DETAIL_SECTORS:
        add(facts, "LBA", "%" PRIu64, detail->place);
        add(facts, "sectors", "%" PRIu32, detail->size);
        break;
    case SDSIM_DETAIL_CALL:
        add(facts, "file", "%s", detail->name != NULL ? detail->name : "");
        if (detail->size > 0) {
            add(facts, "position", "%" PRIu64, detail->place);
            add(facts, "bytes", "%" PRIu32, detail->size);
        }
        break;
    case SDSIM_DETAIL_LEVEL:
        add(facts, "level", "%s", sdsim_detail_print(detail, text, sizeof text));
        if (detail->size > 0) {
            add(facts, "full to", "%.1f%%", 100.0 * (double)detail->place / (double)detail->size);
        }
        break;
    default:
        break;
    }
}

/* ---- what a span is part of ---- */

/* The span of a lane that holds [start, end). */
static bool holder(struct sdsim_timeline *timeline, enum sdsim_lane lane,
                   const struct sdsim_span *inner, struct sdsim_span *span)
{
    uint64_t number;
    return sdsim_lane_at(&timeline->lanes[lane], inner->start, &number) &&
           sdsim_store_span(&timeline->lanes[lane], number, span) &&
           sdsim_span_end(span) >= sdsim_span_end(inner);
}

static void add_holders(struct sdsim_facts *facts, struct sdsim_timeline *timeline,
                        const struct sdsim_span *inner)
{
    static const struct {
        enum sdsim_lane lane;
        const char *name;
    } above[] = {
        {SDSIM_LANE_COMMAND, "in command"},
        {SDSIM_LANE_DISK, "in driver call"},
        {SDSIM_LANE_FILE, "in library call"},
        {SDSIM_LANE_TASK, "in application call"},
    };
    for (size_t i = 0; i < sizeof above / sizeof *above; i++) {
        struct sdsim_span span;
        char label[64];
        char detail[300];
        if (above[i].lane >= inner->lane || !holder(timeline, above[i].lane, inner, &span)) {
            continue;
        }
        const struct sdsim_detail about = sdsim_details_get(&timeline->details, span.detail);
        if (about.kind == SDSIM_DETAIL_CALL) {
            add(facts, above[i].name, "%s %s", sdsim_call_name((enum sdsim_call)span.part),
                sdsim_detail_print(&about, detail, sizeof detail));
        } else {
            add(facts, above[i].name, "%s", sdsim_span_label(timeline, &span, label, sizeof label));
        }
    }
}

/* How many clocks a span of the bus lasts, if the setup says how fast the bus is by then. */
static void add_clocks(struct sdsim_facts *facts, const struct sdsim_timeline *timeline,
                       const struct sdsim_span *span)
{
    const struct sdsim_setup_text *text = sdsim_timeline_text(timeline, "clock");
    unsigned long long num = 0;
    unsigned long long den = 0;
    if (text == NULL || span->purpose == SDSIM_FOR_INIT ||
        sscanf(text->text, "%llu/%llu", &num, &den) != 2 || num == 0 || den == 0) {
        return;
    }
    const double clocks = (double)span->duration / (double)SDSIM_S * (double)num / (double)den;
    add(facts, "clocks", "%.0f at %.6g MHz", clocks, (double)num / (double)den / 1e6);
}

/* What state the card is in meanwhile, where the span tells: SD Physical Layer Simplified Specification,
 * 4.3, the diagrams of the data transfer mode. */
static void add_card_state(struct sdsim_facts *facts, const struct sdsim_span *span)
{
    if (span->lane != SDSIM_LANE_CARD) {
        return;
    }
    if (span->kind == SDSIM_ACCESS) {
        add(facts, "card state", "data: it will send");
    } else if (span->kind == SDSIM_BUSY || span->kind == SDSIM_PAUSE) {
        add(facts, "card state", "prg: it programs");
    }
}

bool sdsim_facts_of(struct sdsim_timeline *timeline, enum sdsim_lane lane, uint64_t number,
                    struct sdsim_facts *facts)
{
    struct sdsim_span span;
    *facts = (struct sdsim_facts){.count = 0};
    if (!sdsim_store_span(&timeline->lanes[lane], number, &span)) {
        return false;
    }
    char label[64];
    add(facts, "lane", "%s", sdsim_lane_info(lane)->title);
    add(facts, "what", "%s", sdsim_span_label(timeline, &span, label, sizeof label));
    add_time(facts, "start", span.start);
    add_time(facts, "duration", span.duration);
    add_time(facts, "end", sdsim_span_end(&span));
    if (span.count > 1) {
        add(facts, "times", "%" PRIu64, span.count);
        add_time(facts, "every", span.period);
    }
    if (lane >= SDSIM_LANE_CPU && lane <= SDSIM_LANE_CARD) {
        add(facts, "kind", "%s", sdsim_kind_name((enum sdsim_kind)span.kind));
    }
    if (lane != SDSIM_LANE_TASK && lane != SDSIM_LANE_QUEUE) {
        add(facts, "purpose", "%s", sdsim_purpose_name((enum sdsim_purpose)span.purpose));
    }
    add_card_state(facts, &span);
    if (lane == SDSIM_LANE_BUS) {
        add(facts, "part", "%s", sdsim_part_name((enum sdsim_part)span.part));
        add_clocks(facts, timeline, &span);
    }
    const struct sdsim_detail detail = sdsim_details_get(&timeline->details, span.detail);
    add_detail(facts, timeline, &detail);
    const uint64_t bytes = sdsim_details_bytes(&timeline->details, lane, span.part, span.detail);
    if (bytes > 0 && span.duration > 0) {
        add(facts, "rate", "%.4g MB/s",
            (double)bytes / ((double)span.duration / (double)SDSIM_S) / 1e6);
    }
    add_holders(facts, timeline, &span);
    return true;
}
