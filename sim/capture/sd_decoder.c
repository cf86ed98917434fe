#include "capture/sd_decoder.h"

#include <string.h>

#include "capture/sd_frame.h"
#include "capture/sd_parts.h"

enum {
    FRAME_CLOCKS = 48,
    RESPONSE_LIMIT = 64, /* N_CR */
    EVEN_SAMPLES = 8,    /* from so many samples a clock, a clock may be as uneven as it likes */
    CLEAR_SAMPLES = 4,   /* below, a wrong check sum is the analyser's fault */
    TRUST_MOST = 4,
};

const char *sdsim_sampling_name(enum sdsim_sampling sampling)
{
    static const char *const names[] = {
        [SDSIM_SAMPLE_BEFORE_RISE] = "before the rising edge",
        [SDSIM_SAMPLE_AT_RISE] = "at the rising edge",
        [SDSIM_SAMPLE_BEFORE_FALL] = "before the falling edge",
        [SDSIM_SAMPLE_AT_FALL] = "at the falling edge",
    };
    return sampling < SDSIM_SAMPLING_COUNT ? names[sampling] : "?";
}

void sdsim_sd_decoder_init(struct sdsim_sd_decoder *decoder, const struct sdsim_tick *tick,
                           uint64_t quantum, const bool lines[SDSIM_SD_LINES],
                           struct sdsim_clock_meter *meter, struct sdsim_item_listener *listener)
{
    memset(decoder, 0, sizeof *decoder);
    decoder->listener = listener;
    decoder->tick = *tick;
    decoder->quantum = quantum > 0 ? quantum : 1;
    decoder->meter = meter;
    decoder->block_bytes = SDSIM_SD_BLOCK;
    memcpy(decoder->lines, lines, sizeof decoder->lines);
}

sdsim_ps sdsim_sd_time(const struct sdsim_sd_decoder *decoder, uint64_t clock)
{
    return sdsim_tick_time(&decoder->tick, decoder->rises[clock % SDSIM_SD_RING]);
}

struct sdsim_item sdsim_sd_item(const struct sdsim_sd_decoder *decoder, enum sdsim_item_kind kind,
                                uint64_t from, uint64_t to)
{
    return (struct sdsim_item){
        .kind = kind,
        .timed = true,
        .start = sdsim_sd_time(decoder, from),
        .end = sdsim_sd_time(decoder, to),
        .at = decoder->rises[from % SDSIM_SD_RING],
    };
}

void sdsim_sd_tell(struct sdsim_sd_decoder *decoder, const struct sdsim_item *item)
{
    decoder->listener->item(decoder->listener, item);
}

/* Gap from the clock `last`, the end of something, to the item's start at clock `first`. Clocks that
 * have left the ring have no time any more; the count is right all the same. */
void sdsim_sd_gap(const struct sdsim_sd_decoder *decoder, struct sdsim_item *item, uint64_t last,
                  uint64_t first)
{
    const uint64_t clocks = first > last ? first - last - 1 : 0;
    item->gap = clocks < UINT32_MAX ? (uint32_t)clocks : UINT32_MAX;
    if (decoder->n - last <= SDSIM_SD_RING) {
        item->gap_time = sdsim_time_since(item->start, sdsim_sd_time(decoder, last));
    }
}

/* Whether the commands' response is 136 bits long. An unknown command in front of the record may
 * have been one. */
static bool expects_long(const struct sdsim_sd_decoder *decoder)
{
    return decoder->pending ? !decoder->app && (decoder->index == 2 || decoder->index == 9 ||
                                                decoder->index == 10)
                            : !decoder->any_frame;
}

static bool has_response(uint8_t index, bool app)
{
    return app || (index != 0 && index != 4 && index != 15);
}

static bool is_r1b(uint8_t index, bool app)
{
    return !app &&
           (index == 7 || index == 12 || index == 20 || index == 28 || index == 29 || index == 38);
}

/* The command that waits gets no answer any more. */
static void give_up(struct sdsim_sd_decoder *decoder, uint64_t until)
{
    decoder->pending = false;
    struct sdsim_item item =
        sdsim_sd_item(decoder, SDSIM_ITEM_NO_RESPONSE, decoder->command_end, until);
    item.start = item.end;
    item.index = decoder->index;
    item.app = decoder->app;
    sdsim_sd_gap(decoder, &item, decoder->command_end, until);
    sdsim_sd_tell(decoder, &item);
    if (decoder->phase == SDSIM_SD_WAIT_READ || decoder->phase == SDSIM_SD_WAIT_WRITE) {
        decoder->phase = SDSIM_SD_NO_DATA;
    }
}

static void take_command(struct sdsim_sd_decoder *decoder, const struct sdsim_sd_frame *frame,
                         struct sdsim_item *item, uint64_t end)
{
    const uint8_t *bytes = frame->bytes;
    if (decoder->pending) {
        give_up(decoder, frame->start);
    }
    decoder->index = bytes[0] & 63;
    decoder->app = decoder->app_next;
    decoder->app_next = decoder->index == 55 && !decoder->app;
    decoder->argument =
        (uint32_t)bytes[1] << 24 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 8 | bytes[4];
    decoder->command_end = end;
    decoder->pending = has_response(decoder->index, decoder->app);
    item->kind = SDSIM_ITEM_COMMAND;
    item->argument = decoder->argument;
    item->index = decoder->index;
    item->app = decoder->app;
    sdsim_sd_tell(decoder, item);
    sdsim_sd_data_command(decoder, end);
}

static void take_response(struct sdsim_sd_decoder *decoder, const struct sdsim_sd_frame *frame,
                          struct sdsim_item *item, uint64_t end)
{
    const bool answers = decoder->pending;
    item->kind = SDSIM_ITEM_RESPONSE;
    item->index = answers ? decoder->index : frame->bytes[0] & 63;
    item->app = answers && decoder->app;
    item->bytes = frame->bytes;
    item->size = frame->bits / 8;
    decoder->pending = false;
    sdsim_sd_tell(decoder, item);
    if (answers) {
        sdsim_sd_data_response(decoder, end, is_r1b(decoder->index, decoder->app));
    }
}

/* Clocks between frames in which nothing else went on either. */
static void tell_idle(struct sdsim_sd_decoder *decoder, const struct sdsim_sd_frame *frame)
{
    const uint64_t from = decoder->any_frame ? decoder->frame_end + 1 : 0;
    if (frame->start <= from || !frame->from_host) {
        return;
    }
    struct sdsim_item item =
        sdsim_sd_item(decoder, SDSIM_ITEM_IDLE_CLOCKS, frame->start - 1, frame->start - 1);
    if (decoder->n - from <= SDSIM_SD_RING) {
        item.start = sdsim_sd_time(decoder, from);
        item.at = decoder->rises[from % SDSIM_SD_RING];
    } else {
        item.timed = false;
    }
    item.count = frame->start - from;
    sdsim_sd_tell(decoder, &item);
}

static void take_frame(struct sdsim_sd_decoder *decoder, const struct sdsim_sd_frame *frame,
                       bool right)
{
    const uint64_t end = frame->start + frame->bits - 1;
    struct sdsim_item item = sdsim_sd_item(decoder, SDSIM_ITEM_COMMAND, frame->start, end);
    tell_idle(decoder, frame);
    item.crc = !frame->checked ? SDSIM_ITEM_CRC_NONE
               : right         ? SDSIM_ITEM_CRC_RIGHT
                               : SDSIM_ITEM_CRC_WRONG;
    if (decoder->any_frame) {
        sdsim_sd_gap(decoder, &item, decoder->frame_end, frame->start);
    }
    decoder->any_frame = true;
    decoder->frame_end = end;
    if (frame->from_host) {
        take_command(decoder, frame, &item, end);
    } else {
        take_response(decoder, frame, &item, end);
    }
}

/* A frame that can't be believed: nothing that began before it is believed to go on. */
static void lose_frame(struct sdsim_sd_decoder *decoder, const struct sdsim_sd_frame *frame)
{
    decoder->frames_lost++;
    decoder->pending = false;
    decoder->app_next = false;
    decoder->any_frame = true;
    decoder->frame_end = frame->start + frame->bits - 1;
    decoder->phase = SDSIM_SD_NO_DATA;
}

/*
 * Whether a frame was sampled well enough to be believed. Between clear (uneven by rounding only, or
 * many samples a clock) and hopeless (few samples, wrong check sum) the frames before decide:
 * one of 128 frames of noise has a right check sum.
 */
static bool believed(struct sdsim_sd_decoder *decoder, const struct sdsim_sd_frame *frame,
                     bool right)
{
    uint64_t shortest;
    uint64_t longest;
    const uint64_t q = decoder->quantum;
    sdsim_sd_periods(decoder, frame->start, frame->start + frame->bits - 1, &shortest, &longest);
    const bool uneven = shortest < EVEN_SAMPLES * q && longest - shortest > 2 * q;
    const bool few = shortest < CLEAR_SAMPLES * q;
    bool believe = right ? !uneven || decoder->trust > 0 : !uneven && !few;
    if (uneven || !right) {
        decoder->trust -= decoder->trust > 0;
        believe = believe && !(uneven && few);
    } else if (frame->checked) {
        decoder->trust += decoder->trust < TRUST_MOST;
    }
    return believe;
}

/* The best frame that starts at the start of this one or a clock later, which is where another
 * sampling may see it. */
static enum sdsim_sd_frame_verdict best_frame(const struct sdsim_sd_decoder *decoder,
                                              struct sdsim_sd_frame *best)
{
    enum sdsim_sd_frame_verdict verdict = SDSIM_SD_FRAME_NONE;
    for (unsigned i = 0; i < SDSIM_SAMPLING_COUNT; i++) {
        /* that of the last frame first, then all the others */
        const unsigned sampling = i == 0 ? decoder->sampling : i <= decoder->sampling ? i - 1 : i;
        for (unsigned later = 0; later < 2; later++) {
            struct sdsim_sd_frame frame;
            const enum sdsim_sd_frame_verdict one = sdsim_sd_frame_read(
                decoder, decoder->frame_start + later, sampling, expects_long(decoder), &frame);
            if (one == SDSIM_SD_FRAME_NONE) {
                continue;
            }
            if (verdict == SDSIM_SD_FRAME_NONE || one == SDSIM_SD_FRAME_RIGHT) {
                *best = frame;
                verdict = one;
            }
            break;
        }
        if (verdict == SDSIM_SD_FRAME_RIGHT || verdict == SDSIM_SD_FRAME_SHORT) {
            break;
        }
    }
    return verdict;
}

/* A start bit was seen somewhere: looks whether the frame is there. `last`: no clock will come. */
static void look_at_frame(struct sdsim_sd_decoder *decoder, bool last)
{
    struct sdsim_sd_frame frame;
    if (decoder->n - decoder->frame_start < decoder->frame_need && !last) {
        return;
    }
    const enum sdsim_sd_frame_verdict verdict = best_frame(decoder, &frame);
    if (verdict == SDSIM_SD_FRAME_SHORT) {
        decoder->frame_need = frame.bits + 1;
        return;
    }
    if (verdict == SDSIM_SD_FRAME_WRONG && !last &&
        decoder->n - decoder->frame_start < frame.bits + 1) {
        decoder->frame_need = frame.bits + 1; /* another sampling may see it a clock later */
        return;
    }
    decoder->in_frame = false;
    if (verdict == SDSIM_SD_FRAME_NONE) {
        return;
    }
    const bool right = verdict == SDSIM_SD_FRAME_RIGHT;
    sdsim_clock_meter_frame(decoder->meter, right);
    if (!believed(decoder, &frame, right)) {
        lose_frame(decoder, &frame);
        return;
    }
    if (right && frame.checked) {
        decoder->sampling = frame.sampling;
        decoder->right_by[frame.sampling]++;
    }
    take_frame(decoder, &frame, right);
}

void sdsim_sd_decoder_look(struct sdsim_sd_decoder *decoder)
{
    const uint32_t word = decoder->words[(decoder->n - 1) % SDSIM_SD_RING];
    if (!decoder->in_frame && (word & SDSIM_SD_CMDS) != SDSIM_SD_CMDS &&
        (!decoder->any_frame || decoder->n - 1 > decoder->frame_end)) {
        decoder->in_frame = true;
        decoder->frame_start = decoder->n - 1;
        decoder->frame_need = FRAME_CLOCKS;
    }
    if (decoder->in_frame) {
        look_at_frame(decoder, false);
    }
    if (decoder->phase != SDSIM_SD_NO_DATA) {
        sdsim_sd_data_clock(decoder);
    }
}

void sdsim_sd_decoder_end(struct sdsim_sd_decoder *decoder)
{
    if (decoder->n == 0) {
        return;
    }
    if (decoder->in_frame) {
        look_at_frame(decoder, true);
    }
    const uint64_t last = decoder->n - 1;
    const bool cut =
        decoder->in_frame || (decoder->pending && last - decoder->command_end <= RESPONSE_LIMIT);
    sdsim_sd_data_end(decoder);
    if (cut) {
        struct sdsim_item item = sdsim_sd_item(
            decoder, SDSIM_ITEM_CUT, decoder->in_frame ? decoder->frame_start : last, last);
        item.index = decoder->index;
        item.app = decoder->app;
        sdsim_sd_tell(decoder, &item);
    } else if (decoder->pending) {
        give_up(decoder, last);
    }
}
