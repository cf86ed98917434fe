#include "capture/sd_decoder.h"

#include <string.h>

#include "bus/frame.h"
#include "capture/sd_frame.h"
#include "capture/sd_parts.h"

enum {
    FRAME_CLOCKS = 48,
    RESPONSE_LIMIT = 64, /* N_CR */
    EVEN_SAMPLES = 8,    /* from so many samples a clock, a clock may be as uneven as it likes */
    CLEAR_SAMPLES = 4,   /* below, a wrong check sum is the analyser's fault */
    TRUST_MOST = 4,
    GLITCH_HIGH = 10, /* ones in a row that no frame with a wrong check sum begins with */
    PAUSE_CLOCKS = 64,
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
    if (decoder->stage == SDSIM_SD_STAGE_WAIT_READ || decoder->stage == SDSIM_SD_STAGE_WAIT_WRITE) {
        decoder->stage = SDSIM_SD_STAGE_NO_DATA;
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
    item->bytes = bytes;
    item->size = SDSIM_FRAME_SIZE;
    sdsim_sd_tell(decoder, item);
    sdsim_sd_data_command(decoder, end);
}

static void take_response(struct sdsim_sd_decoder *decoder, const struct sdsim_sd_frame *frame,
                          struct sdsim_item *item, uint64_t end)
{
    const bool answers = decoder->pending;
    if (item->crc == SDSIM_ITEM_CRC_RIGHT) {
        sdsim_sd_output_edges(decoder, frame, &decoder->edges_low, &decoder->edges_high);
    }
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
    const uint64_t active =
        decoder->active_end > decoder->frame_end ? decoder->active_end : decoder->frame_end;
    const uint64_t from = decoder->any_frame ? active + 1 : 0;
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
static void lose_frame(struct sdsim_sd_decoder *decoder)
{
    decoder->frames_lost++;
    decoder->pending = false;
    decoder->app_next = false;
    decoder->any_frame = true;
    decoder->stage = SDSIM_SD_STAGE_NO_DATA;
}

/*
 * Whether a frame was sampled well enough to be believed. Between clear (many samples a clock) and
 * hopeless (few samples, uneven) the frames before decide, as long as the clock stays the same: one
 * of 128 frames of noise has a right check sum, and an alias of a faster clock may look even.
 */
static bool believed(struct sdsim_sd_decoder *decoder, const struct sdsim_sd_frame *frame,
                     bool right)
{
    uint64_t shortest;
    uint64_t longest;
    const uint64_t q = decoder->quantum;
    sdsim_sd_periods(decoder, frame->start, frame->start + frame->bits - 1, &shortest, &longest);
    const bool uneven = shortest < EVEN_SAMPLES * q && longest - shortest > 2 * q;
    if (shortest + q < decoder->trusted_period || shortest > decoder->trusted_period + q) {
        decoder->trust = 0;
    }
    if (!right) {
        const bool believe = !uneven && (shortest >= EVEN_SAMPLES * q || decoder->trust > 0);
        decoder->trust -= decoder->trust > 0;
        return believe;
    }
    if (uneven) {
        return decoder->trust > 0 && shortest >= CLEAR_SAMPLES * q;
    }
    decoder->trust += frame->checked && decoder->trust < TRUST_MOST;
    decoder->trusted_period = shortest;
    return true;
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

/* Looks for a start bit from clock `from` on. */
static void hunt(struct sdsim_sd_decoder *decoder, uint64_t from)
{
    decoder->in_frame = false;
    for (uint64_t n = from; n < decoder->n && !decoder->in_frame; n++) {
        if ((decoder->words[n % SDSIM_SD_RING] & SDSIM_SD_CMDS) != SDSIM_SD_CMDS) {
            decoder->in_frame = true;
            decoder->frame_start = n;
            decoder->frame_need = FRAME_CLOCKS;
        }
    }
}

/*
 * How many clocks of a wrong frame are none of a frame: CMD was low for one or two clocks and then
 * high for many, which no frame is; or the clock stood for long, behind which something new may
 * begin. 0: they are all of a frame.
 */
static unsigned false_start(const struct sdsim_sd_decoder *decoder,
                            const struct sdsim_sd_frame *frame)
{
    unsigned low = 0;
    unsigned high = 0;
    uint64_t shortest = UINT64_MAX;
    while (low < 3 && sdsim_sd_line(decoder, frame->start + low, frame->sampling, 0) == 0) {
        low++;
    }
    while (low + high < frame->bits &&
           sdsim_sd_line(decoder, frame->start + low + high, frame->sampling, 0) != 0) {
        high++;
    }
    if (low < 3 && high >= GLITCH_HIGH) {
        return low;
    }
    for (unsigned i = 1; i < frame->bits; i++) {
        const uint64_t clock = frame->start + i;
        const uint64_t period =
            decoder->rises[clock % SDSIM_SD_RING] - decoder->rises[(clock - 1) % SDSIM_SD_RING];
        shortest = period < shortest ? period : shortest;
        if (period / PAUSE_CLOCKS > shortest) {
            return i;
        }
    }
    return 0;
}

static void take_glitch(struct sdsim_sd_decoder *decoder, const struct sdsim_sd_frame *frame,
                        unsigned clocks)
{
    struct sdsim_item item =
        sdsim_sd_item(decoder, SDSIM_ITEM_STRAY, frame->start, frame->start + clocks - 1);
    item.count = clocks;
    sdsim_sd_tell(decoder, &item);
    hunt(decoder, frame->start + clocks);
}

/* A frame is complete, right or not in any sampling. */
static void judge_frame(struct sdsim_sd_decoder *decoder, const struct sdsim_sd_frame *frame,
                        bool right)
{
    const unsigned glitch = right ? 0 : false_start(decoder, frame);
    if (glitch > 0) {
        take_glitch(decoder, frame, glitch);
        return;
    }
    sdsim_clock_meter_frame(decoder->meter, right);
    if (!believed(decoder, frame, right)) {
        lose_frame(decoder);
        decoder->frame_end = frame->start + frame->bits - 1;
    } else {
        if (right && frame->checked) {
            decoder->sampling = frame->sampling;
            decoder->right_by[frame->sampling]++;
        }
        take_frame(decoder, frame, right);
    }
    hunt(decoder, frame->start + frame->bits);
}

/* A start bit was seen somewhere: looks whether the frame is there. `last`: no clock will come. True
 * if there may be another one behind it already. */
static bool look_at_frame(struct sdsim_sd_decoder *decoder, bool last)
{
    struct sdsim_sd_frame frame;
    const uint64_t clocks = decoder->n - decoder->frame_start;
    if (clocks < decoder->frame_need && !last) {
        return false;
    }
    const enum sdsim_sd_frame_verdict verdict = best_frame(decoder, &frame);
    if (verdict == SDSIM_SD_FRAME_SHORT ||
        (verdict == SDSIM_SD_FRAME_WRONG && !last && clocks < frame.bits + 1)) {
        decoder->frame_need = frame.bits + 1; /* another sampling may see it a clock later */
        return false;
    }
    if (verdict == SDSIM_SD_FRAME_NONE) {
        hunt(decoder, decoder->frame_start + 1);
    } else {
        judge_frame(decoder, &frame, verdict == SDSIM_SD_FRAME_RIGHT);
    }
    return decoder->in_frame;
}

void sdsim_sd_decoder_look(struct sdsim_sd_decoder *decoder)
{
    if (!decoder->in_frame) {
        const uint64_t newest = decoder->n - 1;
        hunt(decoder, decoder->any_frame && decoder->frame_end >= newest ? decoder->n : newest);
    }
    while (decoder->in_frame && look_at_frame(decoder, false)) {
    }
    if (decoder->stage != SDSIM_SD_STAGE_NO_DATA) {
        sdsim_sd_data_clock(decoder);
    }
}

/* Lines that must be high in all samplings for a clock to need no closer look; 0: all need one. And
 * how many clocks that holds for at most. As sdsim_sd_decoder_is_due. */
static uint32_t quiet_lines(const struct sdsim_sd_decoder *decoder, uint64_t *most)
{
    *most = UINT64_MAX;
    if (decoder->in_frame) {
        return 0;
    }
    switch (decoder->stage) {
    case SDSIM_SD_STAGE_NO_DATA:
        return SDSIM_SD_CMDS;
    case SDSIM_SD_STAGE_WAIT_READ:
    case SDSIM_SD_STAGE_WAIT_WRITE:
        return SDSIM_SD_CMDS | SDSIM_SD_CMDS << 1;
    case SDSIM_SD_STAGE_IN_BLOCK:
        *most = decoder->due > decoder->n + 1 ? decoder->due - decoder->n - 1 : 0;
        return SDSIM_SD_CMDS;
    default:
        return 0;
    }
}

/* How many of the words have all lines of `mask` high: in eights, then one by one. */
static size_t count_quiet(const uint32_t *words, size_t count, uint32_t mask)
{
    size_t i = 0;
    for (; i + 8 <= count; i += 8) {
        uint32_t all = mask;
        for (size_t k = 0; k < 8; k++) {
            all &= words[i + k];
        }
        if (all != mask) {
            break;
        }
    }
    while (i < count && (words[i] & mask) == mask) {
        i++;
    }
    return i;
}

static void store_clocks(struct sdsim_sd_decoder *decoder, const uint32_t *words,
                         const uint64_t *rises, size_t count)
{
    const size_t slot = decoder->n % SDSIM_SD_RING;
    const size_t room = SDSIM_SD_RING - slot;
    const size_t first = count < room ? count : room;
    memcpy(decoder->words + slot, words, first * sizeof *words);
    memcpy(decoder->rises + slot, rises, first * sizeof *rises);
    memcpy(decoder->words, words + first, (count - first) * sizeof *words);
    memcpy(decoder->rises, rises + first, (count - first) * sizeof *rises);
    decoder->n += count;
}

void sdsim_sd_decoder_clocks(struct sdsim_sd_decoder *decoder, const struct sdsim_sd_clocks *clocks,
                             size_t count)
{
    for (size_t i = 0; i < count;) {
        uint64_t most;
        const uint32_t mask = quiet_lines(decoder, &most);
        if (mask == 0) {
            decoder->dat0_rise = clocks->dat0_rises[i];
            sdsim_sd_decoder_clock(decoder, clocks->rises[i], clocks->words[i]);
            i++;
            continue;
        }
        const size_t left = most < count - i ? (size_t)most : count - i;
        const size_t quiet = count_quiet(clocks->words + i, left, mask);
        const bool due = quiet < count - i;
        const size_t taken = quiet + due;
        store_clocks(decoder, clocks->words + i, clocks->rises + i, taken);
        sdsim_clock_meter_rises(decoder->meter, clocks->rises + i, taken);
        i += taken;
        if (due) {
            decoder->dat0_rise = clocks->dat0_rises[i - 1];
            sdsim_sd_decoder_look(decoder);
        }
    }
}

void sdsim_sd_decoder_end(struct sdsim_sd_decoder *decoder)
{
    if (decoder->n == 0) {
        return;
    }
    while (decoder->in_frame && look_at_frame(decoder, true)) {
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
