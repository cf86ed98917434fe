#include "card/card.h"

#include <assert.h>
#include <string.h>

#include "card/transfer.h"

#define NO_SECTOR UINT32_MAX
/* Argument of CMD38: the blocks are not needed, and need not be erased (section 4.3.5). */
#define SDSIM_ERASE_DISCARD 1u

void sdsim_card_init(struct sdsim_card *card, const struct sdsim_card_params *params,
                     struct sdsim_medium *medium, uint64_t seed, uint32_t draw)
{
    *card = (struct sdsim_card){
        .params = params,
        .medium = medium,
        .state = SDSIM_CARD_IDLE,
        .width = 1,
        .sectors = sdsim_csd_sectors(params),
        .erase_from = NO_SECTOR,
        .erase_to = NO_SECTOR,
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
    if (card->out_of_range) {
        status |= SDSIM_STATUS_OUT_OF_RANGE;
    }
    return status;
}

/* ---- replies ---- */

static void put32(uint8_t *out, uint32_t value)
{
    for (int i = 0; i < 4; i++) {
        out[i] = (uint8_t)(value >> (24 - 8 * i));
    }
}

static void reply_plain(const struct sdsim_card *card, sdsim_ps end, struct sdsim_reply *reply)
{
    reply->answered = true;
    if (card->spi) {
        reply->r1 = card->state == SDSIM_CARD_IDLE ? SDSIM_R1_IDLE : 0;
        reply->extra_count = 0;
    } else {
        put32(reply->extra, sdsim_card_status(card, end));
        reply->extra_count = 4;
    }
}

static void reply_word(const struct sdsim_card *card, sdsim_ps end, uint32_t word,
                       struct sdsim_reply *reply)
{
    reply_plain(card, end, reply);
    put32(reply->extra, word);
    reply->extra_count = 4;
}

static void reply_illegal(struct sdsim_card *card, struct sdsim_reply *reply)
{
    card->app = false;
    if (card->spi) {
        reply->answered = true;
        reply->r1 =
            (uint8_t)(SDSIM_R1_ILLEGAL | (card->state == SDSIM_CARD_IDLE ? SDSIM_R1_IDLE : 0));
    }
}

static void reply_register(struct sdsim_card *card, sdsim_ps end, uint16_t bytes,
                           struct sdsim_reply *reply)
{
    reply_plain(card, end, reply);
    reply->data = SDSIM_DATA_REGISTER;
    reply->block_bytes = bytes;
    card->ready = (struct sdsim_ready){.at = end};
}

/* ---- transfers ---- */

/* From the address of a command to a sector; false with R1's error bit in *fault, and nothing in
 * *lba. */
static bool to_lba(struct sdsim_card *card, uint32_t address, uint8_t *fault, uint32_t *lba)
{
    const bool bytes = card->params->type == SDSIM_SDSC;
    if (bytes && address % SDSIM_SECTOR != 0) {
        *fault = SDSIM_R1_ADDRESS;
        return false;
    }
    const uint32_t sector = bytes ? address / SDSIM_SECTOR : address;
    if (sector >= card->sectors) {
        *fault = SDSIM_R1_PARAMETER;
        card->out_of_range = true;
        return false;
    }
    *lba = sector;
    return true;
}

static void start_transfer(struct sdsim_card *card, sdsim_ps end, uint8_t index, uint32_t address,
                           struct sdsim_reply *reply)
{
    uint8_t fault = 0;
    const bool valid = to_lba(card, address, &fault, &card->lba);
    reply_plain(card, end, reply);
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
        sdsim_flash_write_first(&card->flash, end, card->lba, card->announced);
    }
    card->announced = 0;
}

static void stop_command(struct sdsim_card *card, sdsim_ps end, struct sdsim_reply *reply)
{
    if (card->state == SDSIM_CARD_RECEIVE) {
        sdsim_card_end_write(card, end);
    } else if (card->state == SDSIM_CARD_DATA) {
        card->state = SDSIM_CARD_TRANSFER;
    } else if (!card->spi) {
        return; /* illegal in this state: silence */
    }
    reply_plain(card, end, reply);
    reply->busy = busy_at(card, end);
}

/* CMD32, CMD33 and CMD38 in this order, or the card forgets what it was told (section 4.3.5). */
static void erase_command(struct sdsim_card *card, sdsim_ps end, uint8_t index, uint32_t argument,
                          struct sdsim_reply *reply)
{
    if (index != 38) {
        uint8_t fault = 0;
        uint32_t lba = NO_SECTOR;
        (void)to_lba(card, argument, &fault, &lba);
        card->erase_from = index == 32 ? lba : card->erase_from;
        card->erase_to = index == 32 ? NO_SECTOR : lba;
        reply_plain(card, end, reply);
        reply->r1 |= fault;
        return;
    }
    reply_plain(card, end, reply);
    const uint32_t from = card->erase_from;
    const uint32_t to = card->erase_to;
    card->erase_from = NO_SECTOR;
    card->erase_to = NO_SECTOR;
    if (from == NO_SECTOR || to == NO_SECTOR || to < from ||
        !sdsim_medium_erase(card->medium, from, to - from + 1)) {
        reply->r1 |= SDSIM_R1_ERASE_SEQUENCE;
        return;
    }
    const bool discard = argument == SDSIM_ERASE_DISCARD;
    card->busy = sdsim_flash_erase(&card->flash, end, from, to - from + 1, discard);
    reply->busy = true;
}

/* ---- identification and setup ---- */

static void reset(struct sdsim_card *card, bool selected)
{
    card->spi = card->spi || selected;
    card->state = SDSIM_CARD_IDLE;
    card->app = false;
    card->crc_on = false;
    card->access_mode = SDSIM_DEFAULT_SPEED;
    card->may_lower = false;
    card->out_of_range = false;
    card->width = 1;
    card->rca = 0;
    card->block_count = 0;
    card->announced = 0;
    card->erase_from = NO_SECTOR;
    card->erase_to = NO_SECTOR;
    card->init_at = SDSIM_TIME_END;
    card->busy = (struct sdsim_ready){0};
}

static void operating_condition(struct sdsim_card *card, sdsim_ps end, uint32_t argument,
                                struct sdsim_reply *reply)
{
    const bool asks = card->spi || (argument & SDSIM_OCR_VOLTAGES) != 0;
    if (asks && card->init_at == SDSIM_TIME_END) {
        card->init_at = sdsim_time_sum(end, card->params->init_time);
    }
    const bool high_capacity = card->params->type != SDSIM_SDSC;
    const bool ready = end >= card->init_at && (!high_capacity || (argument & SDSIM_OCR_CCS) != 0);
    if (ready && card->state == SDSIM_CARD_IDLE) {
        card->state = card->spi ? SDSIM_CARD_TRANSFER : SDSIM_CARD_READY;
    }
    if (card->spi) {
        reply_plain(card, end, reply);
    } else {
        card->may_lower = ready && (argument & SDSIM_OCR_S18) != 0 && card->params->uhs_hz > 0 &&
                          !card->low_voltage;
        reply_word(card, end,
                   SDSIM_OCR_VOLTAGES | (ready ? SDSIM_OCR_READY : 0) |
                       (ready && high_capacity ? SDSIM_OCR_CCS : 0) |
                       (card->may_lower ? SDSIM_OCR_S18 : 0),
                   reply);
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
    reply_plain(card, end, reply);
}

static uint32_t ocr(const struct sdsim_card *card)
{
    const bool ready = card->state != SDSIM_CARD_IDLE;
    return SDSIM_OCR_VOLTAGES | (ready ? SDSIM_OCR_READY : 0) |
           (ready && card->params->type != SDSIM_SDSC ? SDSIM_OCR_CCS : 0);
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

static void send_status(struct sdsim_card *card, sdsim_ps end, struct sdsim_reply *reply)
{
    reply_plain(card, end, reply);
    if (card->spi) {
        reply->extra[0] = card->out_of_range ? SDSIM_R2_OUT_OF_RANGE : 0;
        reply->extra_count = 1;
    }
    card->out_of_range = false;
}

/* ---- the command tables ---- */

enum legal_in {
    IN_IDLE = 1 << SDSIM_CARD_IDLE,
    IN_READY = 1 << SDSIM_CARD_READY,
    IN_IDENT = 1 << SDSIM_CARD_IDENT,
    IN_STANDBY = 1 << SDSIM_CARD_STANDBY,
    IN_TRANSFER = 1 << SDSIM_CARD_TRANSFER,
    IN_DATA = 1 << SDSIM_CARD_DATA,
    IN_RECEIVE = 1 << SDSIM_CARD_RECEIVE,
    IN_ANY = 0xFF,
};

struct rule {
    uint8_t sd_states;  /* 0: not on the SD bus */
    uint8_t spi_states; /* 0: not in SPI mode */
};

/* Sections 4.8 (card state transition table) and 7.3.1.3 (SPI commands). */
static const struct rule basic_rules[64] = {
    [0] = {IN_ANY, IN_ANY},
    [2] = {IN_READY, 0},
    [3] = {IN_IDENT | IN_STANDBY, 0},
    [6] = {IN_TRANSFER, IN_TRANSFER},
    [7] = {IN_STANDBY | IN_TRANSFER, 0},
    [8] = {IN_IDLE, IN_IDLE | IN_TRANSFER},
    [9] = {IN_STANDBY, IN_TRANSFER},
    [10] = {IN_STANDBY, IN_TRANSFER},
    [11] = {IN_READY, 0},
    [12] = {IN_DATA | IN_RECEIVE, IN_ANY},
    [13] = {IN_STANDBY | IN_TRANSFER | IN_DATA | IN_RECEIVE, IN_ANY},
    [16] = {IN_TRANSFER, IN_TRANSFER},
    [17] = {IN_TRANSFER, IN_TRANSFER},
    [18] = {IN_TRANSFER, IN_TRANSFER},
    [23] = {IN_TRANSFER, 0},
    [24] = {IN_TRANSFER, IN_TRANSFER},
    [25] = {IN_TRANSFER, IN_TRANSFER},
    [32] = {IN_TRANSFER, IN_TRANSFER},
    [33] = {IN_TRANSFER, IN_TRANSFER},
    [38] = {IN_TRANSFER, IN_TRANSFER},
    [55] = {IN_ANY, IN_ANY},
    [58] = {0, IN_ANY},
    [59] = {0, IN_ANY},
};

static const struct rule app_rules[64] = {
    [6] = {IN_TRANSFER, 0},
    [13] = {IN_TRANSFER, IN_TRANSFER},
    [22] = {IN_TRANSFER, IN_TRANSFER},
    [23] = {IN_TRANSFER, IN_TRANSFER},
    [41] = {IN_IDLE, IN_ANY},
    [42] = {IN_TRANSFER, IN_TRANSFER},
    [51] = {IN_TRANSFER, IN_TRANSFER},
};

static bool legal(const struct sdsim_card *card, uint8_t index, bool app)
{
    const enum sdsim_card_version version = sdsim_card_version(card->params);
    if (!app && ((index == 6 && version < SDSIM_VERSION_1_10) ||
                 (index == 8 && version < SDSIM_VERSION_2_00))) {
        return false; /* not yet known to a card that old */
    }
    const struct rule *rule = app ? &app_rules[index & 63] : &basic_rules[index & 63];
    const uint8_t states = card->spi ? rule->spi_states : rule->sd_states;
    return (states >> card->state & 1u) != 0;
}

static void app_command(struct sdsim_card *card, sdsim_ps end, uint8_t index, uint32_t argument,
                        struct sdsim_reply *reply)
{
    switch (index) {
    case 6:
        card->width = (argument & 3) == 2 ? 4 : 1;
        reply_plain(card, end, reply);
        break;
    case 13:
        sdsim_sd_status(card->params, card->width, card->block);
        reply_register(card, end, SDSIM_STATUS_BYTES, reply);
        if (card->spi) {
            reply->extra[0] = 0;
            reply->extra_count = 1;
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
        reply_plain(card, end, reply);
        break;
    default: /* 42: card detect pull-up */
        reply_plain(card, end, reply);
        break;
    }
}

static void basic_command(struct sdsim_card *card, sdsim_ps end, uint8_t index, uint32_t argument,
                          struct sdsim_reply *reply)
{
    switch (index) {
    case 2:
        csd_or_cid(card, end, 10, reply);
        card->state = SDSIM_CARD_IDENT;
        break;
    case 3:
        card->rca = (uint16_t)(card->rca + 0x1234);
        reply_word(card, end, (uint32_t)card->rca << 16 | (sdsim_card_status(card, end) & 0xFFFF),
                   reply);
        card->state = SDSIM_CARD_STANDBY;
        break;
    case 6:
        card->access_mode = sdsim_switch_status(card->params, argument, card->access_mode,
                                                card->low_voltage, card->block);
        reply_register(card, end, SDSIM_STATUS_BYTES, reply);
        break;
    case 7:
        /* Only the card that is selected responds, and with the state it was in before. */
        if (argument >> 16 == card->rca) {
            reply_plain(card, end, reply);
        }
        card->state = argument >> 16 == card->rca ? SDSIM_CARD_TRANSFER : SDSIM_CARD_STANDBY;
        break;
    case 8:
        reply_word(card, end, argument & 0xFFF, reply);
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
    case 17:
    case 18:
    case 24:
    case 25:
        start_transfer(card, end, index, argument, reply);
        break;
    case 23:
        card->block_count = argument & 0xFFFF;
        reply_plain(card, end, reply);
        break;
    case 32:
    case 33:
    case 38:
        erase_command(card, end, index, argument, reply);
        break;
    case 55:
        card->app = true;
        reply_plain(card, end, reply);
        break;
    case 58:
        reply_word(card, end, ocr(card), reply);
        break;
    case 59:
        card->crc_on = (argument & 1) != 0;
        reply_plain(card, end, reply);
        break;
    default: /* 16: block length, fixed at 512 here */
        reply_plain(card, end, reply);
        break;
    }
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
    if (index == 0) {
        reset(card, selected);
        if (card->spi) {
            reply_plain(card, end, reply);
        }
        return;
    }
    if (card->spi && busy_at(card, end) && index != 12 && index != 13) {
        return; /* DO is held low; the command is lost */
    }
    const bool app = card->app;
    card->app = false;
    if (!legal(card, index, app)) {
        /* An unknown application command is taken as the basic one of that number. */
        if (!app || !legal(card, index, false)) {
            reply_illegal(card, reply);
            return;
        }
        basic_command(card, end, index, argument, reply);
    } else if (app) {
        app_command(card, end, index, argument, reply);
    } else {
        basic_command(card, end, index, argument, reply);
    }
}
