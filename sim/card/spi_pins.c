#include "card/spi_pins.h"

#include <string.h>

#include "core/crc.h"

enum {
    LINE_HIGH = 0xFF,
    LINE_BUSY = 0x00,
    START_BITS = 0xC0, /* of a frame's first byte: start bit 0 and the host's direction bit 1 */
    FRAME_START = 0x40,
    TOKEN_START = 0xFE,
    TOKEN_START_MULTIPLE = 0xFC,
    TOKEN_STOP = 0xFD,
    TOKEN_OUT_OF_RANGE = 0x08, /* data error token */
    BLOCK_ACCEPTED = 0x05,     /* data responses */
    BLOCK_CRC_ERROR = 0x0B,
    BLOCK_WRITE_ERROR = 0x0D,
};

void sdsim_spi_pins_init(struct sdsim_spi_pins *pins, struct sdsim_card *card)
{
    *pins = (struct sdsim_spi_pins){.card = card};
}

void sdsim_spi_select(struct sdsim_spi_pins *pins, bool low)
{
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
        pins->answer_gap--;
        return LINE_HIGH;
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
    const uint16_t crc = sdsim_crc16(pins->block, pins->block_bytes);
    pins->block[pins->block_bytes] = (uint8_t)(crc >> 8);
    pins->block[pins->block_bytes + 1] = (uint8_t)crc;
    pins->block_at = 0;
    pins->in_block = true;
}

/* The byte where a start token may come. */
static uint8_t next_of_gap(struct sdsim_spi_pins *pins, sdsim_ps start)
{
    if (pins->gap > 0) {
        pins->gap--;
        return LINE_HIGH;
    }
    if (start < sdsim_card_read_ready(pins->card).at) {
        return LINE_HIGH;
    }
    if (!pins->from_register && sdsim_card_read_beyond(pins->card)) {
        pins->gap = (uint32_t)pins->card->params->n_ac;
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

static uint8_t show(struct sdsim_spi_pins *pins, sdsim_ps start, sdsim_ps end)
{
    const sdsim_ps busy = pins->busy_gap > 0 ? 0 : sdsim_card_busy(pins->card).at;
    const sdsim_ps held = answer_due(pins) ? pins->held : busy;
    if (pins->busy_gap > 0) {
        pins->busy_gap--;
    }
    const uint8_t byte = next_byte(pins, start, end);
    return start < held ? LINE_BUSY : byte;
}

/* ---- what the host sends ---- */

/* R1 and what belongs to it, behind the frame of command `index`. */
static void prepare_answer(struct sdsim_spi_pins *pins, uint8_t index,
                           const struct sdsim_reply *reply)
{
    const uint8_t n_cr = (uint8_t)pins->card->params->n_cr;
    pins->answer[0] = reply->r1;
    memcpy(pins->answer + 1, reply->extra, reply->extra_count);
    pins->answer_count = (uint8_t)(1 + reply->extra_count);
    pins->answer_at = 0;
    pins->answer_gap = index == 12 && n_cr == 0 ? 1 : n_cr;
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
        pins->multiple = reply->multiple;
        pins->from_register = reply->data == SDSIM_DATA_REGISTER;
        pins->block_bytes = pins->from_register ? reply->block_bytes : SDSIM_SECTOR;
    }
}

/* Whether the card would find out that a frame's check sum is wrong. */
static bool checks_crc(const struct sdsim_card *card, uint8_t index)
{
    return !card->spi || card->crc_on || index == 0 || index == 8;
}

static void take_frame(struct sdsim_spi_pins *pins, sdsim_ps end)
{
    struct sdsim_card *card = pins->card;
    const uint8_t *frame = pins->frame;
    const uint8_t index = frame[0] & 0x3F;
    const uint32_t argument =
        (uint32_t)frame[1] << 24 | (uint32_t)frame[2] << 16 | (uint32_t)frame[3] << 8 | frame[4];
    const sdsim_ps busy_before = sdsim_card_busy(card).at;
    struct sdsim_reply reply = {.answered = false};
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
    uint8_t response = BLOCK_ACCEPTED;
    if (pins->card->crc_on && sent != sdsim_crc16(pins->block, SDSIM_SECTOR)) {
        response = BLOCK_CRC_ERROR;
    } else if (!sdsim_card_write_block(pins->card, end, &content)) {
        response = BLOCK_WRITE_ERROR;
    }
    if (response != BLOCK_ACCEPTED && !pins->multiple) {
        sdsim_card_stop_token(pins->card, end); /* a lone block that failed ends its transfer */
    }
    return response;
}

static void take_block_byte(struct sdsim_spi_pins *pins, sdsim_ps end, uint8_t mosi)
{
    pins->block[pins->block_at++] = mosi;
    if (pins->block_at < SDSIM_SECTOR + 2) {
        return;
    }
    pins->in_block = false;
    pins->held = sdsim_card_busy(pins->card).at;
    pins->answer[0] = take_block(pins, end);
    pins->answer_count = 1;
    pins->answer_at = 0;
    pins->answer_gap = 0;
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

uint8_t sdsim_spi_exchange(struct sdsim_spi_pins *pins, sdsim_ps start, sdsim_ps end, uint8_t mosi)
{
    if (!pins->selected) {
        return LINE_HIGH;
    }
    const uint8_t miso = show(pins, start, end);
    take(pins, end, mosi);
    return miso;
}

void sdsim_spi_pins_resume(struct sdsim_spi_pins *pins, bool selected, uint8_t busy_gap,
                           bool multiple)
{
    struct sdsim_card *card = pins->card;
    *pins = (struct sdsim_spi_pins){
        .card = card,
        .selected = selected,
        .phase = card->state == SDSIM_CARD_DATA      ? SDSIM_SPI_SEND
                 : card->state == SDSIM_CARD_RECEIVE ? SDSIM_SPI_RECEIVE
                                                     : SDSIM_SPI_COMMAND,
        .busy_gap = busy_gap,
        .multiple = multiple,
        .gap = (uint32_t)card->params->n_ac,
        .block_bytes = SDSIM_SECTOR,
    };
}
