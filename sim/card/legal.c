#include "card/legal.h"

enum legal_in {
    IN_IDLE = 1 << SDSIM_CARD_IDLE,
    IN_READY = 1 << SDSIM_CARD_READY,
    IN_IDENT = 1 << SDSIM_CARD_IDENT,
    IN_STANDBY = 1 << SDSIM_CARD_STANDBY,
    IN_TRANSFER = 1 << SDSIM_CARD_TRANSFER,
    IN_DATA = 1 << SDSIM_CARD_DATA,
    IN_RECEIVE = 1 << SDSIM_CARD_RECEIVE,
    IN_PROGRAM = 1 << SDSIM_CARD_PROGRAM,
    IN_ANY = 0xFF,
};

struct rule {
    uint8_t sd_states;  /* 0: not on the SD bus */
    uint8_t spi_states; /* 0: not in SPI mode */
};

/* Sections 4.8 (card state transition table) and 7.3.1.3 (SPI commands). A card may take CMD24 and
 * CMD25 while it programs, or not; this one does. */
static const struct rule basic_rules[64] = {
    [0] = {IN_ANY, IN_ANY},
    [1] = {0, IN_IDLE | IN_TRANSFER},
    [2] = {IN_READY, 0},
    [3] = {IN_IDENT | IN_STANDBY, 0},
    [4] = {IN_STANDBY, 0},
    [6] = {IN_TRANSFER, IN_TRANSFER},
    [7] = {IN_STANDBY | IN_TRANSFER | IN_PROGRAM, 0},
    [8] = {IN_IDLE, IN_IDLE | IN_TRANSFER},
    [9] = {IN_STANDBY, IN_TRANSFER},
    [10] = {IN_STANDBY, IN_TRANSFER},
    [11] = {IN_READY, 0},
    [12] = {IN_DATA | IN_RECEIVE, IN_ANY},
    [13] = {IN_STANDBY | IN_TRANSFER | IN_DATA | IN_RECEIVE | IN_PROGRAM, IN_ANY},
    [15] = {IN_STANDBY | IN_TRANSFER | IN_DATA | IN_RECEIVE | IN_PROGRAM, 0},
    [16] = {IN_TRANSFER, IN_TRANSFER},
    [17] = {IN_TRANSFER, IN_TRANSFER},
    [18] = {IN_TRANSFER, IN_TRANSFER},
    [23] = {IN_TRANSFER, 0},
    [24] = {IN_TRANSFER | IN_PROGRAM, IN_TRANSFER},
    [25] = {IN_TRANSFER | IN_PROGRAM, IN_TRANSFER},
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

bool sdsim_card_legal_in(const struct sdsim_card *card, enum sdsim_card_state state, uint8_t index,
                         bool app)
{
    const enum sdsim_card_version version = sdsim_card_version(card->params);
    if (!app && ((index == 6 && version < SDSIM_VERSION_1_10) ||
                 (index == 8 && version < SDSIM_VERSION_2_00) ||
                 (index == 23 && !sdsim_card_counts_blocks(card->params)))) {
        return false; /* not yet known to a card that old */
    }
    const struct rule *rule = app ? &app_rules[index & 63] : &basic_rules[index & 63];
    const uint8_t states = card->spi ? rule->spi_states : rule->sd_states;
    return (states >> state & 1u) != 0;
}

bool sdsim_card_legal(const struct sdsim_card *card, sdsim_ps end, uint8_t index, bool app)
{
    const bool programs =
        !card->spi && card->state == SDSIM_CARD_TRANSFER && sdsim_card_busy(card).at > end;
    return sdsim_card_legal_in(card, programs ? SDSIM_CARD_PROGRAM : card->state, index, app);
}

bool sdsim_card_addressed(const struct sdsim_card *card, uint8_t index, uint32_t argument)
{
    switch (index) {
    case 9:
    case 10:
    case 13:
    case 15:
    case 55:
        return card->spi || argument >> 16 == card->rca;
    default:
        return true;
    }
}
