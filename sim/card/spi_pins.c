#include "card/spi_pins.h"

#include <string.h>

#include "core/crc.h"

enum {
    LINE_HIGH = 0xFF,
    LINE_BUSY = 0x00,
    BUSY_LATE = 0x80,     /* busy, from the second bit on */
    RELEASED_BITS = 0x7F, /* all but the first */
    START_BITS = 0xC0,    /* of a frame's first byte: start bit 0 and the host's direction bit 1 */
    FRAME_START = 0x40,
    TOKEN_START = 0xFE,
    TOKEN_START_MULTIPLE = 0xFC,
    TOKEN_STOP = 0xFD,
    TOKEN_OUT_OF_RANGE = 0x08, /* data error tokens */
    TOKEN_ECC_FAILED = 0x04,
    BLOCK_ACCEPTED = 0x05, /* data responses */
    BLOCK_CRC_ERROR = 0x0B,
    BLOCK_WRITE_ERROR = 0x0D,
};

void sdsim_spi_pins_init(struct sdsim_spi_pins *pins, struct sdsim_card *card)
{
    *pins = (struct sdsim_spi_pins){.card = card};
}

void sdsim_spi_select(struct sdsim_spi_pins *pins, bool low)
{
    if (pins->selected != low) {
        pins->edge = true;
        pins->quick = SDSIM_SPI_UNLIKE;
    }
    pins->selected = low;
    if (!low) {
        pins->frame_count = 0;
        pins->answer_at = pins->answer_count;
    }
}

static bool answer_due(const struct sdsim_spi_pins *pins)
{
    return pins->answer_at < pins->answer_count;
}

/* ---- what the card sends ---- */

static uint8_t next_of_answer(struct sdsim_spi_pins *pins)
{
    if (pins->answer_gap > 0) {
        const uint8_t byte = pins->answer_stuff;
        pins->answer_stuff = LINE_HIGH;
        pins->answer_gap--;
        return byte;
    }
    return pins->answer[pins->answer_at++];
}

/* Fetches the block that is to be sent, with its CRC. */
static void load_block(struct sdsim_spi_pins *pins)
{
    if (pins->from_register) {
        memcpy(pins->block, pins->card->block, pins->block_bytes);
    } else {
        sdsim_card_read_bytes(pins->card, pins->block);
    }
    const bool spoilt = sdsim_faults_occasion(pins->card->faults, SDSIM_FAULT_READ_CRC, 0);
    const uint16_t crc = (uint16_t)(sdsim_crc16(pins->block, pins->block_bytes) ^ (spoilt ? 1 : 0));
    pins->block[pins->block_bytes] = (uint8_t)(crc >> 8);
    pins->block[pins->block_bytes + 1] = (uint8_t)crc;
    pins->block_at = 0;
    pins->in_block = true;
}

/* A read fault on order: an error token in the place of a block, and no more blocks behind it. */
static uint8_t fail_to_read(struct sdsim_spi_pins *pins)
{
    const uint8_t token = pins->card->faults->armed[SDSIM_FAULT_READ_ERROR].detail;
    pins->dropped = true;
    sdsim_card_read_failed(pins->card);
    if (pins->card->state != SDSIM_CARD_DATA) {
        pins->phase = SDSIM_SPI_COMMAND;
    }
    return token != 0 ? token : TOKEN_ECC_FAILED;
}

/* The byte where a start token may come. */
static uint8_t next_of_gap(struct sdsim_spi_pins *pins, sdsim_ps start)
{
    if (pins->gap > 0) {
        pins->gap--;
        return LINE_HIGH;
    }
    if (start < sdsim_card_read_ready(pins->card).at || pins->dropped) {
        return LINE_HIGH;
    }
    if (!pins->from_register &&
        sdsim_faults_occasion(pins->card->faults, SDSIM_FAULT_READ_ERROR, 0)) {
        return fail_to_read(pins);
    }
    if (!pins->from_register && sdsim_card_read_beyond(pins->card)) {
        pins->gap = (uint32_t)pins->card->params->n_ac;
        pins->beyond = true;
        return TOKEN_OUT_OF_RANGE;
    }
    load_block(pins);
    return TOKEN_START;
}

static uint8_t next_of_block(struct sdsim_spi_pins *pins, sdsim_ps end)
{
    const uint8_t byte = pins->block[pins->block_at++];
    if (pins->block_at == pins->block_bytes + 2) {
        pins->in_block = false;
        pins->gap = (uint32_t)pins->card->params->n_ac;
        if (!pins->from_register) {
            sdsim_card_read_done(pins->card, end);
        }
        if (pins->from_register || pins->card->state != SDSIM_CARD_DATA) {
            pins->phase = SDSIM_SPI_COMMAND;
        }
    }
    return byte;
}

/* What is on MISO, busy apart. */
static uint8_t next_byte(struct sdsim_spi_pins *pins, sdsim_ps start, sdsim_ps end)
{
    if (answer_due(pins)) {
        return next_of_answer(pins);
    }
    if (pins->phase != SDSIM_SPI_SEND) {
        return LINE_HIGH;
    }
    return pins->in_block ? next_of_block(pins, end) : next_of_gap(pins, start);
}

/* What a selected card shows. */
static uint8_t show(struct sdsim_spi_pins *pins, sdsim_ps start, sdsim_ps end)
{
    const sdsim_ps busy = pins->busy_gap > 0 ? 0 : sdsim_card_busy(pins->card).at;
    const sdsim_ps held = answer_due(pins) ? pins->held : busy;
    const bool late = pins->edge && pins->card->params->reselect_clocks > 0;
    if (pins->busy_gap > 0) {
        pins->busy_gap--;
    }
    const uint8_t byte = next_byte(pins, start, end);
    return start >= held ? byte : late ? BUSY_LATE : LINE_BUSY;
}

/* With CS high only the first bit may still be the card's. */
static uint8_t show_released(const struct sdsim_spi_pins *pins, sdsim_ps start)
{
    const struct sdsim_card *card = pins->card;
    if (!pins->edge || card->params->release_clocks == 0) {
        return LINE_HIGH;
    }
    const bool busy = pins->busy_gap == 0 && start < sdsim_card_busy(card).at;
    const bool sends = pins->phase == SDSIM_SPI_SEND && pins->in_block;
    const uint8_t next = busy ? LINE_BUSY : sends ? pins->block[pins->block_at] : LINE_HIGH;
    return next | RELEASED_BITS;
}

/* MISO before the card is in SPI mode. */
static uint8_t show_first(const struct sdsim_card *card, uint8_t mosi)
{
    switch ((enum sdsim_first_do)card->params->first_do) {
    case SDSIM_DO_LOW:
        return 0x00;
    case SDSIM_DO_FLOATING:
        return mosi;
    case SDSIM_DO_HIGH:
        break;
    }
    return LINE_HIGH;
}

/* ---- what the host sends ---- */

/* R1 and what belongs to it, behind the frame of command `index`. */
static void prepare_answer(struct sdsim_spi_pins *pins, uint8_t index,
                           const struct sdsim_reply *reply)
{
    static const uint8_t stuff[] = {
        [SDSIM_STUFF_FF] = 0xFF, [SDSIM_STUFF_7F] = 0x7F, [SDSIM_STUFF_00] = 0x00};
    pins->answer[0] = reply->r1;
    memcpy(pins->answer + 1, reply->extra, reply->extra_count);
    pins->answer_count = (uint8_t)(1 + reply->extra_count);
    pins->answer_at = 0;
    pins->answer_gap = reply->gap;
    pins->answer_stuff = index == 12 ? stuff[pins->card->params->stuff_byte] : LINE_HIGH;
}

/* The data phase that follows an answered command, or the one it left alone. */
static void enter_phase(struct sdsim_spi_pins *pins, const struct sdsim_reply *reply)
{
    const enum sdsim_card_state state = pins->card->state;
    pins->phase = reply->data == SDSIM_DATA_REGISTER || state == SDSIM_CARD_DATA ? SDSIM_SPI_SEND
                  : state == SDSIM_CARD_RECEIVE                                  ? SDSIM_SPI_RECEIVE
                                                : SDSIM_SPI_COMMAND;
    pins->in_block = false;
    pins->gap = (uint32_t)pins->card->params->n_ac;
    if (reply->data != SDSIM_DATA_NONE) {
        pins->dropped = false;
        pins->multiple = reply->multiple;
        pins->from_register = reply->data == SDSIM_DATA_REGISTER;
        pins->block_bytes = pins->from_register ? reply->block_bytes : SDSIM_SECTOR;
    }
}

/* Whether the card would find out that a frame's check sum is wrong. */
static bool checks_crc(const struct sdsim_card *card, uint8_t index)
{
    return !card->spi || card->crc_on || index == 8;
}

static void take_frame(struct sdsim_spi_pins *pins, sdsim_ps end)
{
    struct sdsim_card *card = pins->card;
    const uint8_t *frame = pins->frame;
    const uint8_t index = frame[0] & 0x3F;
    const uint32_t argument =
        (uint32_t)frame[1] << 24 | (uint32_t)frame[2] << 16 | (uint32_t)frame[3] << 8 | frame[4];
    const sdsim_ps busy_before = sdsim_card_busy(card).at;
    struct sdsim_reply reply = {.gap = sdsim_card_response_gap(card, true, index)};
    if (checks_crc(card, index) && frame[5] != sdsim_crc7_byte(frame, 5)) {
        if (!card->spi || busy_before > end) {
            return;
        }
        reply.r1 = (uint8_t)(SDSIM_R1_CRC | (card->state == SDSIM_CARD_IDLE ? SDSIM_R1_IDLE : 0));
        pins->held = 0;
        prepare_answer(pins, index, &reply);
        return;
    }
    if (!card->spi && index != 0) {
        return;
    }
    sdsim_card_command(card, end, true, index, argument, &reply);
    if (!reply.answered) {
        return;
    }
    /* CMD0 ends a busy; any other command leaves it or begins one of its own. */
    const sdsim_ps busy_after = sdsim_card_busy(card).at;
    pins->held = busy_after < busy_before ? busy_after : busy_before;
    prepare_answer(pins, index, &reply);
    enter_phase(pins, &reply);
}

/* A block from the host is complete, its CRC included: what the card says to it. */
static uint8_t take_block(struct sdsim_spi_pins *pins, sdsim_ps end)
{
    const uint16_t sent =
        (uint16_t)(pins->block[SDSIM_SECTOR] << 8 | pins->block[SDSIM_SECTOR + 1]);
    const struct sdsim_content content = {.kind = SDSIM_CONTENT_BYTES, .bytes = pins->block};
    struct sdsim_faults *faults = pins->card->faults;
    uint8_t response = BLOCK_ACCEPTED;
    if (sdsim_faults_occasion(faults, SDSIM_FAULT_WRITE_CRC, 0) ||
        (pins->card->crc_on && sent != sdsim_crc16(pins->block, SDSIM_SECTOR))) {
        response = BLOCK_CRC_ERROR;
    } else if (sdsim_faults_occasion(faults, SDSIM_FAULT_WRITE_ERROR, 0)) {
        sdsim_card_write_failed(pins->card);
        response = BLOCK_WRITE_ERROR;
    } else if (!sdsim_card_write_block(pins->card, end, &content)) {
        response = BLOCK_WRITE_ERROR;
    }
    if (response != BLOCK_ACCEPTED && !pins->multiple) {
        sdsim_card_stop_token(pins->card, end); /* a lone block that failed ends its transfer */
    }
    pins->card->refused = response != BLOCK_ACCEPTED;
    return response;
}

static void take_block_byte(struct sdsim_spi_pins *pins, sdsim_ps end, uint8_t mosi)
{
    pins->block[pins->block_at++] = mosi;
    if (pins->block_at < SDSIM_SECTOR + 2) {
        return;
    }
    pins->in_block = false;
    if (pins->card->refused) {
        return;
    }
    pins->held = sdsim_card_busy(pins->card).at;
    pins->answer[0] = take_block(pins, end);
    pins->answer_count = 1;
    pins->answer_at = 0;
    pins->answer_gap = 0;
    pins->answer_stuff = LINE_HIGH;
    if (pins->card->state != SDSIM_CARD_RECEIVE) {
        pins->phase = SDSIM_SPI_COMMAND;
    }
}

static void take_token(struct sdsim_spi_pins *pins, sdsim_ps end, uint8_t mosi)
{
    if (mosi == (pins->multiple ? TOKEN_START_MULTIPLE : TOKEN_START)) {
        pins->in_block = true;
        pins->block_at = 0;
    } else if (mosi == TOKEN_STOP && pins->multiple) {
        sdsim_card_stop_token(pins->card, end);
        pins->phase = SDSIM_SPI_COMMAND;
        pins->busy_gap = (uint8_t)pins->card->params->n_br;
    }
}

static void take(struct sdsim_spi_pins *pins, sdsim_ps end, uint8_t mosi)
{
    if (pins->phase == SDSIM_SPI_RECEIVE && pins->in_block) {
        take_block_byte(pins, end, mosi);
    } else if (pins->frame_count > 0 || (mosi & START_BITS) == FRAME_START) {
        pins->frame[pins->frame_count++] = mosi;
        if (pins->frame_count == sizeof pins->frame) {
            pins->frame_count = 0;
            take_frame(pins, end);
        }
    } else if (pins->phase == SDSIM_SPI_RECEIVE) {
        take_token(pins, end, mosi);
    }
}

/* The host has got the token that says that the card ends here; beside a command it does not look. */
static void note_end(struct sdsim_spi_pins *pins, bool in_frame)
{
    if (pins->beyond && !in_frame && pins->frame_count == 0) {
        sdsim_card_out_of_range(pins->card);
    }
    pins->beyond = false;
}

/* ---- bytes, one and many ---- */

/* What the bytes behind this one are like. */
static enum sdsim_spi_quick foresee(const struct sdsim_spi_pins *pins)
{
    if (!pins->card->spi || sdsim_faults_absent(pins->card->faults)) {
        return SDSIM_SPI_UNLIKE;
    }
    if (!pins->selected) {
        return SDSIM_SPI_OPEN;
    }
    if (answer_due(pins) || pins->frame_count > 0) {
        return SDSIM_SPI_UNLIKE;
    }
    if (pins->phase == SDSIM_SPI_SEND) {
        return pins->in_block ? SDSIM_SPI_GIVE : pins->gap > 0 ? SDSIM_SPI_UNLIKE : SDSIM_SPI_WAIT;
    }
    if (pins->busy_gap > 0) {
        return SDSIM_SPI_UNLIKE;
    }
    return pins->in_block ? SDSIM_SPI_TAKE : SDSIM_SPI_LISTEN;
}

uint8_t sdsim_spi_exchange_any(struct sdsim_spi_pins *pins, sdsim_ps start, sdsim_ps end,
                               uint8_t mosi)
{
    struct sdsim_card *card = pins->card;
    uint8_t miso = LINE_HIGH;
    if (sdsim_faults_absent(card->faults)) {
        pins->phase = SDSIM_SPI_COMMAND;
        pins->frame_count = 0;
        pins->answer_at = pins->answer_count;
    } else if (!card->spi) {
        miso = show_first(card, mosi);
        if (pins->selected) {
            take(pins, end, mosi);
        } else if (mosi == 0xFF) {
            sdsim_card_high_clocks(card, 8);
        }
    } else if (pins->selected) {
        const bool in_frame = pins->frame_count > 0;
        miso = show(pins, start, end);
        take(pins, end, mosi);
        note_end(pins, in_frame);
    } else {
        miso = show_released(pins, start);
    }
    pins->edge = false;
    pins->quick = foresee(pins);
    return miso;
}

/* How many of the first `most` bytes the host sends are 0xFF. */
static size_t ones(const uint8_t *mosi, size_t most)
{
    if (mosi == NULL) {
        return most;
    }
    size_t n = 0;
    for (uint64_t word; n + sizeof word <= most; n += sizeof word) {
        memcpy(&word, mosi + n, sizeof word);
        if (word != UINT64_MAX) {
            break;
        }
    }
    while (n < most && mosi[n] == 0xFF) {
        n++;
    }
    return n;
}

/* How many of the first `most` bytes begin before `instant`. */
static size_t earlier(const struct sdsim_clock *clock, sdsim_ps now, sdsim_ps instant, size_t most)
{
    if (instant <= now) {
        return 0;
    }
    const uint64_t bytes = (sdsim_clock_count(clock, instant - now) + 7) / 8;
    return bytes < most ? (size_t)bytes : most;
}

static void fill_miso(uint8_t *miso, uint8_t byte, size_t count)
{
    if (miso != NULL) {
        memset(miso, byte, count);
    }
}

/* Bytes that are alike, without their time; returns how many. */
static size_t exchange_alike(struct sdsim_spi_pins *pins, sdsim_ps now,
                             const struct sdsim_clock *clock, const uint8_t *mosi, uint8_t *miso,
                             size_t count)
{
    const struct sdsim_card *card = pins->card;
    size_t n = 0;
    switch (pins->quick) {
    case SDSIM_SPI_OPEN:
        fill_miso(miso, LINE_HIGH, count);
        return count;
    case SDSIM_SPI_LISTEN:
        n = earlier(clock, now, card->busy.at, count);
        n = ones(mosi, n > 0 ? n : count);
        fill_miso(miso, now < card->busy.at ? LINE_BUSY : LINE_HIGH, n);
        return n;
    case SDSIM_SPI_WAIT:
        n = ones(mosi, earlier(clock, now, card->ready.at, count));
        fill_miso(miso, LINE_HIGH, n);
        return n;
    case SDSIM_SPI_GIVE:
        n = pins->block_bytes + 1 - pins->block_at;
        n = ones(mosi, n < count ? n : count);
        if (miso != NULL) {
            memcpy(miso, pins->block + pins->block_at, n);
        }
        pins->block_at += (uint32_t)n;
        return n;
    case SDSIM_SPI_TAKE:
        n = SDSIM_SECTOR + 1 - pins->block_at;
        n = now < card->busy.at ? 0 : n < count ? n : count;
        if (mosi != NULL) {
            memcpy(pins->block + pins->block_at, mosi, n);
        } else {
            memset(pins->block + pins->block_at, 0xFF, n);
        }
        pins->block_at += (uint32_t)n;
        fill_miso(miso, LINE_HIGH, n);
        return n;
    case SDSIM_SPI_UNLIKE:
        break;
    }
    return 0;
}

void sdsim_spi_exchange_many(struct sdsim_spi_pins *pins, sdsim_ps *now, struct sdsim_clock *clock,
                             const uint8_t *mosi, uint8_t *miso, size_t count)
{
    size_t done = 0;
    while (done < count) {
        const uint8_t *out = mosi != NULL ? mosi + done : NULL;
        uint8_t *in = miso != NULL ? miso + done : NULL;
        size_t n = exchange_alike(pins, *now, clock, out, in, count - done);
        const sdsim_ps end =
            sdsim_time_sum(*now, sdsim_clock_take(clock, 8 * (uint64_t)(n > 0 ? n : 1)));
        if (n == 0) {
            const uint8_t byte =
                sdsim_spi_exchange(pins, *now, end, out != NULL ? *out : (uint8_t)0xFF);
            if (in != NULL) {
                *in = byte;
            }
            n = 1;
        }
        *now = end;
        done += n;
    }
}
