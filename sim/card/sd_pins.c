#include "card/sd_pins.h"

#include <string.h>

#include "card/sd_block.h"
#include "core/crc.h"

enum {
    FRAME_BYTES = 6,
    HOST_BIT = 0x40, /* of a frame's first byte: it comes from the host */
    INDEX_BITS = 0x3F,
    ALL_ONES = 0xFF,
    REGISTER_BYTES = 16, /* of an R2 */
    N_R1B = 2,           /* clocks before the busy of R1b shows */
};

void sdsim_sd_pins_init(struct sdsim_sd_pins *pins, struct sdsim_card *card)
{
    *pins = (struct sdsim_sd_pins){.card = card};
}

/* No card is there, or it speaks SPI, or sleeps. */
static bool mute(const struct sdsim_sd_pins *pins)
{
    const struct sdsim_card *card = pins->card;
    return card->spi || card->awake_at == SDSIM_TIME_END || sdsim_faults_absent(card->faults);
}

/* ---- what the card sends ---- */

static uint8_t cmd_level(const struct sdsim_sd_pins *pins)
{
    if (pins->response_bits == 0 || pins->response_gap > 0) {
        return 1;
    }
    const unsigned at = pins->response_at;
    return (uint8_t)(pins->response[at / 8] >> (7 - at % 8) & 1);
}

static void cmd_step(struct sdsim_sd_pins *pins)
{
    if (pins->response_bits == 0) {
        return;
    }
    if (pins->response_gap > 0) {
        pins->response_gap--;
    } else if (++pins->response_at == pins->response_bits) {
        pins->response_bits = 0;
    }
}

/* The next block can begin with a clock at `start`. */
static bool block_due(const struct sdsim_sd_pins *pins, sdsim_ps start)
{
    return pins->phase == SDSIM_SD_SEND && !pins->in_block && pins->gap == 0 && !pins->dropped &&
           pins->stop_in == 0 && start >= sdsim_card_read_ready(pins->card).at &&
           (pins->from_register || !sdsim_card_read_beyond(pins->card));
}

static uint8_t dat_level(const struct sdsim_sd_pins *pins, sdsim_ps start)
{
    if (pins->status != 0) {
        return sdsim_sd_status_level(pins);
    }
    if (pins->phase == SDSIM_SD_SEND) {
        if (pins->in_block) {
            return sdsim_sd_block_level(pins);
        }
        return block_due(pins, start) ? sdsim_sd_block_start(pins->card->width == 4)
                                      : SDSIM_SD_LINES_FREE;
    }
    return pins->busy_gap == 0 && start < sdsim_card_busy(pins->card).at ? SDSIM_SD_DAT0_LOW
                                                                         : SDSIM_SD_LINES_FREE;
}

/* A block has gone out with its end bit. */
static void block_sent(struct sdsim_sd_pins *pins, sdsim_ps end)
{
    pins->in_block = false;
    pins->gap = SDSIM_PINS_N_AC;
    if (pins->stop_in == 0 && !pins->from_register) {
        sdsim_card_read_done(pins->card, end);
    }
    if (pins->from_register || pins->card->state != SDSIM_CARD_DATA) {
        pins->phase = SDSIM_SD_FREE;
    }
}

static void send_step(struct sdsim_sd_pins *pins, sdsim_ps end)
{
    if (pins->gap > 0 && !pins->in_block) {
        pins->gap--;
    } else if (pins->in_block && ++pins->at == pins->bits + 2) {
        block_sent(pins, end);
    }
    if (pins->stop_in > 0 && --pins->stop_in == 0) {
        pins->phase = SDSIM_SD_FREE;
        pins->in_block = false;
    }
}

/* What was on its way in the clock that is over goes on. */
static void dat_step(struct sdsim_sd_pins *pins, sdsim_ps end)
{
    if (pins->status != 0) {
        sdsim_sd_status_step(pins);
    } else if (pins->phase == SDSIM_SD_SEND) {
        send_step(pins, end);
    } else if (pins->busy_gap > 0) {
        pins->busy_gap--;
    }
}

/* Begins a block, or, as a fault, does not. */
static void begin_block(struct sdsim_sd_pins *pins)
{
    struct sdsim_card *card = pins->card;
    if (!pins->from_register && sdsim_faults_occasion(card->faults, SDSIM_FAULT_READ_ERROR, 0)) {
        sdsim_card_read_failed(card);
        pins->dropped = true;
        pins->phase = card->state == SDSIM_CARD_DATA ? SDSIM_SD_SEND : SDSIM_SD_FREE;
        return;
    }
    sdsim_sd_block_load(pins);
}

/* ---- commands ---- */

/* The bits of a response: R1, R6 and R7 have index and CRC, R3 has ones there, R2 is a register that
 * brings its own CRC (sections 4.9.1 to 4.9.6). */
static void prepare_response(struct sdsim_sd_pins *pins, uint8_t index, bool r3,
                             const struct sdsim_reply *reply)
{
    const bool r2 = reply->extra_count == REGISTER_BYTES;
    pins->response[0] = r2 || r3 ? INDEX_BITS : index;
    memcpy(pins->response + 1, reply->extra, reply->extra_count);
    if (!r2) {
        pins->response[FRAME_BYTES - 1] =
            r3 ? (uint8_t)ALL_ONES : sdsim_crc7_byte(pins->response, FRAME_BYTES - 1);
    }
    pins->response_bits = r2 ? SDSIM_PINS_FRAME_R2 : SDSIM_PINS_FRAME;
    pins->response_at = 0;
    pins->response_gap = reply->gap;
}

static void stop_data(struct sdsim_sd_pins *pins)
{
    if (pins->phase == SDSIM_SD_SEND && pins->in_block) {
        pins->stop_in = SDSIM_PINS_N_ST;
        return;
    }
    pins->phase = SDSIM_SD_FREE;
    pins->in_block = false;
}

/* What the DAT lines do next. Commands without data leave them alone, CMD12 apart. */
static void enter_phase(struct sdsim_sd_pins *pins, uint8_t index, const struct sdsim_reply *reply)
{
    if (reply->data == SDSIM_DATA_NONE) {
        if (index == 12) {
            stop_data(pins);
        }
        return;
    }
    pins->phase = reply->data == SDSIM_DATA_WRITE ? SDSIM_SD_RECEIVE : SDSIM_SD_SEND;
    pins->from_register = reply->data == SDSIM_DATA_REGISTER;
    pins->multiple = reply->multiple;
    pins->in_block = false;
    pins->dropped = false;
    pins->stop_in = 0;
    pins->gap = SDSIM_PINS_N_AC;
    pins->block_bytes = pins->from_register ? reply->block_bytes : SDSIM_SECTOR;
}

static void reset(struct sdsim_sd_pins *pins)
{
    struct sdsim_card *card = pins->card;
    *pins = (struct sdsim_sd_pins){.card = card};
}

static void take_frame(struct sdsim_sd_pins *pins, sdsim_ps end, bool dat3_low)
{
    struct sdsim_card *card = pins->card;
    uint8_t bytes[FRAME_BYTES];
    for (unsigned i = 0; i < FRAME_BYTES; i++) {
        bytes[i] = (uint8_t)(pins->frame >> (40 - 8 * i));
    }
    if ((bytes[0] & HOST_BIT) == 0) {
        return; /* another card's response */
    }
    if (bytes[FRAME_BYTES - 1] != sdsim_crc7_byte(bytes, FRAME_BYTES - 1)) {
        sdsim_card_bad_frame(card);
        return;
    }
    const uint8_t index = bytes[0] & INDEX_BITS;
    const uint32_t argument = (uint32_t)(pins->frame >> 8);
    const bool r3 = index == 41 && card->app;
    const sdsim_ps busy_before = sdsim_card_busy(card).at;
    const enum sdsim_card_state state_before = card->state;
    struct sdsim_reply reply;
    memset(&reply, 0, sizeof reply);
    sdsim_card_command(card, end, dat3_low && state_before == SDSIM_CARD_IDLE, index, argument,
                       &reply);
    if (index == 0 && card->state == SDSIM_CARD_IDLE) {
        reset(pins);
    }
    if (reply.answered && !mute(pins)) {
        prepare_response(pins, index, r3, &reply);
        enter_phase(pins, index, &reply);
        pins->busy_gap = busy_before > end ? pins->busy_gap : N_R1B;
    }
}

static void listen_cmd(struct sdsim_sd_pins *pins, sdsim_ps end, uint8_t level, bool dat3_low)
{
    if (pins->frame_bits == 0 && level != 0) {
        return;
    }
    pins->frame = pins->frame << 1 | level;
    if (++pins->frame_bits == SDSIM_PINS_FRAME) {
        pins->frame_bits = 0;
        take_frame(pins, end, dat3_low);
    }
}

/* ---- blocks from the host ---- */

/* A block is complete, its end bit included: what the card says to it, 0: nothing. */
static uint8_t judge_block(struct sdsim_sd_pins *pins, sdsim_ps end, bool whole)
{
    struct sdsim_card *card = pins->card;
    if (sdsim_faults_occasion(card->faults, SDSIM_FAULT_WRITE_CRC, 0) || !whole ||
        !sdsim_sd_block_right(pins)) {
        return SDSIM_SD_STATUS_BAD;
    }
    if (sdsim_faults_occasion(card->faults, SDSIM_FAULT_WRITE_ERROR, 0)) {
        sdsim_card_write_failed(card);
        return SDSIM_SD_STATUS_GOOD;
    }
    const struct sdsim_content content = {.kind = SDSIM_CONTENT_BYTES, .bytes = pins->block};
    return sdsim_card_write_block(card, end, &content) ? SDSIM_SD_STATUS_GOOD : 0;
}

static void block_received(struct sdsim_sd_pins *pins, sdsim_ps end, uint8_t level)
{
    const uint8_t lines = sdsim_sd_block_start(pins->four) ^ SDSIM_SD_LINES_FREE;
    const uint32_t left = pins->card->lba;
    pins->in_block = false;
    if (pins->card->refused) {
        return;
    }
    pins->status = judge_block(pins, end, (level & lines) == lines);
    pins->card->refused = pins->card->lba == left;
    pins->status_at = 0;
    pins->busy_gap = (uint8_t)pins->card->params->n_br_clocks; /* counts from behind the status */
    if (!pins->multiple && pins->card->lba == left) {
        sdsim_card_stop_token(pins->card, end); /* a lone block that failed ends its transfer */
    }
    if (pins->card->state != SDSIM_CARD_RECEIVE) {
        pins->phase = SDSIM_SD_FREE;
    }
}

static void listen_dat(struct sdsim_sd_pins *pins, sdsim_ps start, sdsim_ps end, uint8_t level)
{
    if (!pins->in_block) {
        const bool four = pins->card->width == 4;
        const bool begins = (level | sdsim_sd_block_start(four)) == sdsim_sd_block_start(four);
        if (begins && pins->status == 0 && start >= sdsim_card_busy(pins->card).at) {
            sdsim_sd_block_expect(pins);
        }
        return;
    }
    if (pins->at == pins->bits + 1) {
        block_received(pins, end, level);
        return;
    }
    sdsim_sd_block_take(pins, level);
    pins->at++;
}

/* ---- one clock ---- */

struct sdsim_sd_lines sdsim_sd_look(const struct sdsim_sd_pins *pins, sdsim_ps now)
{
    if (mute(pins)) {
        return SDSIM_SD_RELEASED;
    }
    return (struct sdsim_sd_lines){.cmd = cmd_level(pins), .dat = dat_level(pins, now)};
}

/*
 * Nearly all clocks are inside a block while nothing happens on CMD: one bit of it goes by on each
 * line, and no more. This does the same for them as all that is below. False: it is none of these.
 */
static inline bool inside_block(struct sdsim_sd_pins *pins, sdsim_ps start,
                                struct sdsim_sd_lines *lines)
{
    if (!pins->in_block || lines->cmd != 1 || pins->at > pins->bits || pins->response_bits > 0 ||
        pins->frame_bits > 0 || pins->status != 0) {
        return false;
    }
    if (pins->phase == SDSIM_SD_SEND) {
        if (pins->stop_in > 0) {
            return false;
        }
        lines->dat &= sdsim_sd_block_level(pins);
    } else {
        if (pins->busy_gap > 0 || start < sdsim_card_busy(pins->card).at) {
            return false;
        }
        lines->dat &= SDSIM_SD_LINES_FREE;
        sdsim_sd_block_take(pins, lines->dat);
    }
    pins->at++;
    return true;
}

struct sdsim_sd_lines sdsim_sd_clock(struct sdsim_sd_pins *pins, sdsim_ps start, sdsim_ps end,
                                     struct sdsim_sd_lines host)
{
    if (mute(pins)) {
        return host;
    }
    if (inside_block(pins, start, &host)) {
        return host;
    }
    if (block_due(pins, start)) {
        begin_block(pins);
    }
    const bool responding = pins->response_bits > 0;
    const bool receiving = pins->phase == SDSIM_SD_RECEIVE && pins->status == 0;
    const struct sdsim_sd_lines bus = {.cmd = host.cmd & cmd_level(pins),
                                       .dat = host.dat & dat_level(pins, start)};
    cmd_step(pins);
    dat_step(pins, end);
    if (receiving) {
        listen_dat(pins, start, end, bus.dat);
    }
    if (!responding) {
        listen_cmd(pins, end, bus.cmd, (host.dat & 8) == 0);
    }
    return bus;
}
