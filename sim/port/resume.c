#include "port/wire.h"

/* The pins of a card in the middle of its life. What they don't hold here, they hold only within an
 * answer or a block. */
static void resume_spi(struct sdsim_wire *wire)
{
    struct sdsim_card *card = wire->port.card;
    wire->pins = (struct sdsim_spi_pins){
        .card = card,
        .selected = wire->port.selected,
        .edge = wire->port.cs_edge,
        .phase = card->state == SDSIM_CARD_DATA      ? SDSIM_SPI_SEND
                 : card->state == SDSIM_CARD_RECEIVE ? SDSIM_SPI_RECEIVE
                                                     : SDSIM_SPI_COMMAND,
        .busy_gap = wire->port.busy_in,
        .multiple = card->left != 1,
        .gap = (uint32_t)card->params->n_ac,
        .block_bytes = SDSIM_SECTOR,
    };
}

static void resume_sd(struct sdsim_wire *wire, bool multiple)
{
    struct sdsim_card *card = wire->port.card;
    wire->sd_pins = (struct sdsim_sd_pins){
        .card = card,
        .phase = card->state == SDSIM_CARD_RECEIVE ? SDSIM_SD_RECEIVE : SDSIM_SD_FREE,
        .multiple = multiple,
        .block_bytes = SDSIM_SECTOR,
    };
}

void sdsim_wire_resume(struct sdsim_wire *wire, uint8_t last_command)
{
    if (wire->port.mode == SDSIM_BUS_SPI) {
        resume_spi(wire);
    } else {
        resume_sd(wire, last_command != 24);
    }
}
