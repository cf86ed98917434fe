#include "card/card.h"

#include <assert.h>
#include <string.h>

#include "card/legal.h"
#include "card/transfer.h"

/* N_ID: clocks before the response to CMD2 and ACMD41 on the SD bus, exactly (SanDisk SD Card
 * Product Manual rev. 2.2, chapter 4). */
#define SDSIM_CARD_N_ID 5

void sdsim_card_init(struct sdsim_card *card, const struct sdsim_card_params *params,
                     struct sdsim_medium *medium, uint64_t seed, uint32_t draw)
{
    *card = (struct sdsim_card){
        .params = params,
        .medium = medium,
        .state = SDSIM_CARD_IDLE,
        .width = 1,
        .sectors = sdsim_csd_sectors(params),
        .erase_from = SDSIM_CARD_NO_SECTOR,
        .erase_to = SDSIM_CARD_NO_SECTOR,
        .slow_edges = params->reselect_clocks > 0 || params->release_clocks > 0,
        .awake_at = params->power_up_time,
        .inquired_at = SDSIM_TIME_END,
        .init_at = SDSIM_TIME_END,
    };
    assert(card->sectors <= sdsim_medium_sectors(medium));
    sdsim_flash_init(&card->flash, &params->flash, seed, draw);
}

static bool busy_at(const struct sdsim_card *card, sdsim_ps now)
{
    return card->busy.at > now;
}

uint32_t sdsim_card_status(const struct sdsim_card *card, sdsim_ps now)
{
    enum sdsim_card_state state = card->state;
    if (busy_at(card, now) && state == SDSIM_CARD_TRANSFER) {
        state = SDSIM_CARD_PROGRAM;
    }
    uint32_t status = (uint32_t)state << 9;
    if (!busy_at(card, now)) {
        status |= SDSIM_STATUS_READY_FOR_DATA;
    }
    if (card->app) {
        status |= SDSIM_STATUS_APP_CMD;
    }
    return status | card->errors;
}

/* ---- replies ---- */

static void put32(uint8_t *out, uint32_t value)
{
    for (int i = 0; i < 4; i++) {
        out[i] = (uint8_t)(value >> (24 - 8 * i));
    }
}

void sdsim_card_reply(struct sdsim_card *card, sdsim_ps end, struct sdsim_reply *reply)
{
    reply->answered = true;
    if (card->spi) {
        reply->r1 = card->state == SDSIM_CARD_IDLE ? SDSIM_R1_IDLE : 0;
        reply->extra_count = 0;
    } else {
        put32(reply->extra, sdsim_card_status(card, end));
        reply->extra_count = 4;
        card->errors = 0;
    }
}

static void reply_word(struct sdsim_card *card, sdsim_ps end, uint32_t word,
                       struct sdsim_reply *reply)
{
    if (card->spi) {
        sdsim_card_reply(card, end, reply);
    }
    reply->answered = true;
    put32(reply->extra, word);
    reply->extra_count = 4;
}

/* R1 of a command that can't be done now. */
static uint8_t illegal_r1(const struct sdsim_card *card, bool later)
{
    if (card->state != SDSIM_CARD_IDLE) {
        return SDSIM_R1_ILLEGAL;
    }
    return later && card->params->lenient_in_idle ? SDSIM_R1_IDLE
                                                  : SDSIM_R1_ILLEGAL | SDSIM_R1_IDLE;
}

/* `later`: the command only comes too soon. */
static void reply_refused(struct sdsim_card *card, bool later, struct sdsim_reply *reply)
{
    card->app = false;
    if (card->spi) {
        reply->answered = true;
        reply->r1 = illegal_r1(card, later);
    } else {
        card->errors |= SDSIM_STATUS_ILLEGAL;
    }
}

static void reply_illegal(struct sdsim_card *card, struct sdsim_reply *reply)
{
    reply_refused(card, false, reply);
}

static void reply_register(struct sdsim_card *card, sdsim_ps end, uint16_t bytes,
                           struct sdsim_reply *reply)
{
    sdsim_card_reply(card, end, reply);
    reply->data = SDSIM_DATA_REGISTER;
    reply->block_bytes = bytes;
    card->ready = (struct sdsim_ready){.at = end};
}

/* ---- transfers ---- */

static void start_transfer(struct sdsim_card *card, sdsim_ps end, uint8_t index, uint32_t address,
                           struct sdsim_reply *reply)
{
    uint8_t fault = 0;
    const bool valid = sdsim_card_to_lba(card, address, &fault, &card->lba);
    sdsim_card_reply(card, end, reply);
    reply->r1 |= fault;
    if (!valid) {
        return;
    }
    reply->multiple = index == 18 || index == 25;
    card->left = !reply->multiple        ? 1
                 : card->block_count > 0 ? card->block_count
                                         : SDSIM_CARD_OPEN_ENDED;
    card->block_count = 0;
    if (index == 17 || index == 18) {
        reply->data = SDSIM_DATA_READ;
        card->state = SDSIM_CARD_DATA;
        card->ready = sdsim_flash_read_first(&card->flash, end, card->lba);
    } else {
        reply->data = SDSIM_DATA_WRITE;
        card->state = SDSIM_CARD_RECEIVE;
        card->well_written = 0;
        card->refused = false;
        sdsim_flash_write_first(&card->flash, end, card->lba, card->announced);
    }
    card->announced = 0;
}

/* The response names the state in which the command found the card: sending or receiving. On the SD
 * bus it tells of a read that went on beyond the card's end, which over SPI the error token did. */
static void stop_command(struct sdsim_card *card, sdsim_ps end, struct sdsim_reply *reply)
{
    if (!card->spi && card->state == SDSIM_CARD_DATA && sdsim_card_read_beyond(card) &&
        end >= card->ready.at) {
        sdsim_card_out_of_range(card);
    }
    sdsim_card_reply(card, end, reply);
    if (card->state == SDSIM_CARD_RECEIVE) {
        sdsim_card_end_write(card, end);
    } else if (card->state == SDSIM_CARD_DATA) {
        card->state = SDSIM_CARD_TRANSFER;
    }
    reply->busy = busy_at(card, end);
}

/* ---- identification and setup ---- */

static void reset(struct sdsim_card *card)
{
    card->state = SDSIM_CARD_IDLE;
    card->app = false;
    card->crc_on = false;
    card->knows_host = false;
    card->access_mode = SDSIM_DEFAULT_SPEED;
    card->may_lower = false;
    card->errors = 0;
    card->width = 1;
    card->rca = 0;
    card->block_count = 0;
    card->announced = 0;
    sdsim_card_erase_forget(card);
    card->inquired_at = SDSIM_TIME_END;
    card->init_at = SDSIM_TIME_END;
    card->busy = (struct sdsim_ready){0};
}

void sdsim_card_power_up(struct sdsim_card *card, sdsim_ps now)
{
    reset(card);
    card->spi = false;
    card->high_clocks = 0;
    card->awake_at = sdsim_time_sum(now, card->params->power_up_time);
}

/* CMD0; with CS low it chooses SPI mode, if the card has seen the clocks it needs. */
static void go_idle(struct sdsim_card *card, sdsim_ps end, bool selected, struct sdsim_reply *reply)
{
    if (selected && !card->spi && card->high_clocks < card->params->wake_clocks) {
        return;
    }
    reset(card);
    card->spi = card->spi || selected;
    if (card->spi) {
        sdsim_card_reply(card, end, reply);
    }
}

static bool high_capacity(const struct sdsim_card *card)
{
    return card->params->type != SDSIM_SDSC;
}

static uint32_t ocr(const struct sdsim_card *card, bool ready)
{
    const bool ccs = high_capacity(card) && (ready || card->params->ccs_while_busy);
    return SDSIM_OCR_VOLTAGES | (ready ? SDSIM_OCR_READY : 0) | (ccs ? SDSIM_OCR_CCS : 0);
}

/* An ACMD41 that only asks, which SPI mode does not know, but a host that has no use for block
 * addresses does the same to a card that has. */
static bool is_inquiry(const struct sdsim_card *card, uint32_t argument)
{
    return card->spi ? card->params->inquiry_gap > 0 && high_capacity(card) &&
                           (argument & SDSIM_OCR_CCS) == 0
                     : (argument & SDSIM_OCR_VOLTAGES) == 0;
}

/* The initialisation begins with the first ACMD41 that does not only ask; on some cards never, if
 * that comes too soon behind one that did. */
static void begin_init(struct sdsim_card *card, sdsim_ps end)
{
    const bool asked = card->inquired_at != SDSIM_TIME_END;
    const bool hasty = asked && end - card->inquired_at < card->params->inquiry_gap;
    card->init_at = hasty ? SDSIM_TIME_END - 1 : sdsim_time_sum(end, card->params->init_time);
}

/* ACMD41, and CMD1 in SPI mode. A card that has accepted no CMD8 takes no notice of HCS, and one that
 * has block addresses then never gets ready (sections 4.2.3 and 7.2.1). */
static void operating_condition(struct sdsim_card *card, sdsim_ps end, uint32_t sent,
                                struct sdsim_reply *reply)
{
    const uint32_t argument = card->knows_host ? sent : sent & ~SDSIM_OCR_CCS;
    if (is_inquiry(card, argument)) {
        card->inquired_at = end;
    } else if (card->init_at == SDSIM_TIME_END) {
        begin_init(card, end);
    }
    const bool ready =
        end >= card->init_at && (!high_capacity(card) || (argument & SDSIM_OCR_CCS) != 0);
    if (ready && card->state == SDSIM_CARD_IDLE) {
        card->state = card->spi ? SDSIM_CARD_TRANSFER : SDSIM_CARD_READY;
    }
    if (card->spi) {
        sdsim_card_reply(card, end, reply);
    } else {
        card->may_lower = ready && (argument & SDSIM_OCR_S18) != 0 && card->params->uhs_hz > 0 &&
                          !card->low_voltage;
        reply_word(card, end, ocr(card, ready) | (card->may_lower ? SDSIM_OCR_S18 : 0), reply);
    }
}

/* CMD11, only after ACMD41 granted it (section 4.2.4.2). The lines' change of voltage takes clocks
 * and time of the host's, not of the card's. */
static void lower_voltage(struct sdsim_card *card, sdsim_ps end, struct sdsim_reply *reply)
{
    if (!card->may_lower) {
        reply_illegal(card, reply);
        return;
    }
    card->low_voltage = true;
    sdsim_card_reply(card, end, reply);
}

/* CMD8: on the SD bus a card that can't stand the voltage is silent. */
static void interface_condition(struct sdsim_card *card, sdsim_ps end, uint32_t argument,
                                struct sdsim_reply *reply)
{
    const bool accepted = (argument & 0xF00) == 0x100;
    card->knows_host = card->knows_host || accepted;
    if (card->spi || accepted) {
        reply_word(card, end, (accepted ? 0x100 : 0) | (argument & 0xFF), reply);
    }
}

/* CMD3: R6 has the RCA and 16 bits of the card status. */
static void publish_address(struct sdsim_card *card, sdsim_ps end, struct sdsim_reply *reply)
{
    const uint32_t status = sdsim_card_status(card, end);
    card->errors = 0;
    card->rca = (uint16_t)(card->rca + 0x1234);
    reply_word(card, end,
               (uint32_t)card->rca << 16 | (status >> 8 & 0xC000) | (status >> 6 & 0x2000) |
                   (status & 0x1FFF),
               reply);
    card->state = SDSIM_CARD_STANDBY;
}

static void set_block_length(struct sdsim_card *card, sdsim_ps end, uint32_t argument,
                             struct sdsim_reply *reply)
{
    const bool wrong = high_capacity(card) ? argument > SDSIM_SECTOR : argument != SDSIM_SECTOR;
    if (wrong && !card->spi) {
        card->errors |= SDSIM_STATUS_BLOCK_LENGTH;
    }
    sdsim_card_reply(card, end, reply);
    reply->r1 |= wrong ? SDSIM_R1_PARAMETER : 0;
}

/* CMD9 and CMD10: a data block in SPI mode, response R2 on the SD bus. */
static void csd_or_cid(struct sdsim_card *card, sdsim_ps end, uint8_t index,
                       struct sdsim_reply *reply)
{
    if (index == 9) {
        sdsim_csd(card->params, card->access_mode, card->block);
    } else {
        sdsim_cid(card->params, card->block);
    }
    if (card->spi) {
        reply_register(card, end, SDSIM_CSD_BYTES, reply);
        return;
    }
    reply->answered = true;
    memcpy(reply->extra, card->block, SDSIM_CSD_BYTES);
    reply->extra_count = SDSIM_CSD_BYTES;
}

/* The second byte of R2. */
static uint8_t second_status(uint32_t errors)
{
    static const struct {
        uint32_t status;
        uint8_t r2;
    } bits[] = {
        {SDSIM_STATUS_OUT_OF_RANGE, SDSIM_R2_OUT_OF_RANGE},
        {SDSIM_STATUS_ERASE_PARAM, SDSIM_R2_ERASE_PARAM},
        {SDSIM_STATUS_ECC_FAILED, SDSIM_R2_ECC_FAILED},
        {SDSIM_STATUS_ERROR, SDSIM_R2_ERROR},
    };
    uint8_t r2 = 0;
    for (size_t i = 0; i < sizeof bits / sizeof *bits; i++) {
        r2 = (uint8_t)(r2 | ((errors & bits[i].status) != 0 ? bits[i].r2 : 0));
    }
    return r2;
}

static void send_status(struct sdsim_card *card, sdsim_ps end, struct sdsim_reply *reply)
{
    sdsim_card_reply(card, end, reply);
    if (card->spi) {
        reply->extra[0] = second_status(card->errors);
        reply->extra_count = 1;
    }
    card->errors = 0;
}

/* ---- the commands ---- */

static void app_command(struct sdsim_card *card, sdsim_ps end, uint8_t index, uint32_t argument,
                        struct sdsim_reply *reply)
{
    switch (index) {
    case 6:
        card->width = (argument & 3) == 2 ? 4 : 1;
        sdsim_card_reply(card, end, reply);
        break;
    case 13:
        sdsim_sd_status(card->params, card->width, card->block);
        reply_register(card, end, SDSIM_STATUS_BYTES, reply);
        if (card->spi) {
            reply->extra[0] = second_status(card->errors);
            reply->extra_count = 1;
            card->errors = 0;
        }
        break;
    case 22:
        put32(card->block, card->well_written);
        reply_register(card, end, 4, reply);
        break;
    case 41:
        operating_condition(card, end, argument, reply);
        break;
    case 51:
        sdsim_scr(card->params, card->block);
        reply_register(card, end, SDSIM_SCR_BYTES, reply);
        break;
    case 23:
        card->announced = argument & 0x7FFFFF;
        sdsim_card_reply(card, end, reply);
        break;
    default: /* 42: card detect pull-up */
        sdsim_card_reply(card, end, reply);
        break;
    }
}

static void basic_command(struct sdsim_card *card, sdsim_ps end, uint8_t index, uint32_t argument,
                          struct sdsim_reply *reply)
{
    switch (index) {
    case 1:
        operating_condition(card, end, argument, reply);
        break;
    case 2:
        csd_or_cid(card, end, 10, reply);
        card->state = SDSIM_CARD_IDENT;
        break;
    case 3:
        publish_address(card, end, reply);
        break;
    case 4: /* there is no response, and no register that it would set */
        break;
    case 6:
        card->access_mode = sdsim_switch_status(card->params, argument, card->access_mode,
                                                card->low_voltage, card->block);
        reply_register(card, end, SDSIM_STATUS_BYTES, reply);
        break;
    case 7:
        /* Only the card that is selected responds, and with the state it was in before. */
        if (argument >> 16 == card->rca) {
            sdsim_card_reply(card, end, reply);
        }
        card->state = argument >> 16 == card->rca ? SDSIM_CARD_TRANSFER : SDSIM_CARD_STANDBY;
        break;
    case 8:
        interface_condition(card, end, argument, reply);
        break;
    case 9:
    case 10:
        csd_or_cid(card, end, index, reply);
        break;
    case 11:
        lower_voltage(card, end, reply);
        break;
    case 12:
        stop_command(card, end, reply);
        break;
    case 13:
        send_status(card, end, reply);
        break;
    case 15:
        card->awake_at = SDSIM_TIME_END;
        break;
    case 17:
    case 18:
    case 24:
    case 25:
        start_transfer(card, end, index, argument, reply);
        break;
    case 23:
        sdsim_card_reply(card, end, reply);
        card->block_count = argument;
        break;
    case 32:
    case 33:
        sdsim_card_erase_address(card, end, index, argument, reply);
        break;
    case 38:
        sdsim_card_erase(card, end, argument, reply);
        break;
    case 55:
        card->app = true;
        sdsim_card_reply(card, end, reply);
        break;
    case 58:
        reply_word(card, end, ocr(card, card->state != SDSIM_CARD_IDLE), reply);
        break;
    case 59:
        card->crc_on = (argument & 1) != 0;
        sdsim_card_reply(card, end, reply);
        break;
    default: /* 16 */
        set_block_length(card, end, argument, reply);
        break;
    }
}

/* Carries out a legal command, or says what is wrong with it. */
static void dispatch(struct sdsim_card *card, sdsim_ps end, uint8_t index, uint32_t argument,
                     struct sdsim_reply *reply)
{
    const bool app = card->app;
    const bool counts = index == 18 || index == 25;
    card->block_count =
        counts ? card->block_count : 0; /* section 4.15: for the next command only */
    if (app && sdsim_card_legal(card, end, index, true)) {
        app_command(card, end, index, argument, reply);
        card->app = false; /* its response says that it was taken for one (section 4.3.9.1) */
        return;
    }
    card->app = false;
    if (!sdsim_card_addressed(card, index, argument)) {
        return; /* another card's */
    }
    if (sdsim_card_legal(card, end, index, false)) {
        /* An unknown application command is taken as the basic one of that number. */
        basic_command(card, end, index, argument, reply);
    } else {
        reply_refused(card, sdsim_card_legal_in(card, SDSIM_CARD_TRANSFER, index, app), reply);
    }
}

uint8_t sdsim_card_response_gap(const struct sdsim_card *card, bool selected, uint8_t index)
{
    const bool spi = card->spi || (selected && index == 0);
    const uint8_t n_cr = (uint8_t)(spi ? card->params->n_cr : card->params->n_cr_clocks);
    if (spi) {
        return index == 12 && n_cr == 0 ? 1 : n_cr; /* the stuff byte */
    }
    return index == 2 || (index == 41 && card->app) ? SDSIM_CARD_N_ID : n_cr;
}

/* Nothing is heard: too early after power-up, put to sleep, or a fault. */
static bool deaf(struct sdsim_card *card, sdsim_ps end, uint8_t index)
{
    return end < card->awake_at || sdsim_faults_absent(card->faults) ||
           sdsim_faults_occasion(card->faults, SDSIM_FAULT_REMOVED, index) ||
           sdsim_faults_occasion(card->faults, SDSIM_FAULT_NO_RESPONSE, index);
}

void sdsim_card_command(struct sdsim_card *card, sdsim_ps end, bool selected, uint8_t index,
                        uint32_t argument, struct sdsim_reply *reply)
{
    reply->answered = false;
    reply->r1 = 0;
    reply->extra_count = 0;
    reply->data = SDSIM_DATA_NONE;
    reply->multiple = false;
    reply->busy = false;
    reply->gap = sdsim_card_response_gap(card, selected, index);
    if ((end < card->awake_at || card->faults != NULL) && deaf(card, end, index)) {
        return;
    }
    if (index == 0) {
        go_idle(card, end, selected, reply);
        return;
    }
    if (card->spi && busy_at(card, end) && index != 12 && index != 13) {
        return; /* DO is held low; the command is lost */
    }
    const bool out_of_sequence =
        sdsim_card_erase_begun(card) && index != 13 && index != 32 && index != 33 && index != 38;
    if (out_of_sequence) {
        sdsim_card_erase_forget(card);
        card->errors |= card->spi ? 0 : SDSIM_STATUS_ERASE_RESET;
    }
    dispatch(card, end, index, argument, reply);
    reply->r1 |= out_of_sequence ? SDSIM_R1_ERASE_RESET : 0;
}
