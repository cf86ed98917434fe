#include "port/fast_bytes.h"

#include "port/wire_modes.h"

/* The wire port in the place of the fast one, which may have been copied, and its card with it. */
static struct sdsim_wire wire_of(const struct sdsim_port *port)
{
    struct sdsim_wire wire = {.port = *port, .pins = port->pins};
    wire.pins.card = port->card;
    if (!port->by_byte) {
        sdsim_wire_resume(&wire, port->single ? 24 : 25);
    }
    return wire;
}

/* Whether what the fast port knows of the card is all there is to know. */
static bool is_plain(const struct sdsim_spi_pins *pins)
{
    const struct sdsim_card *card = pins->card;
    if (pins->frame_count > 0 || pins->in_block || pins->answer_at < pins->answer_count) {
        return false;
    }
    switch (card->state) {
    case SDSIM_CARD_RECEIVE:
        return pins->phase == SDSIM_SPI_RECEIVE && pins->multiple == (card->left != 1);
    case SDSIM_CARD_DATA:
        return pins->phase == SDSIM_SPI_SEND && pins->gap == card->params->n_ac && !pins->dropped &&
               !pins->from_register;
    default:
        return pins->phase == SDSIM_SPI_COMMAND;
    }
}

/* The wire port is through with a transaction. */
static void give_back(struct sdsim_port *port, const struct sdsim_wire *wire)
{
    port->clock = wire->port.clock;
    port->selected = wire->port.selected;
    port->single = wire->port.single;
    port->pins = wire->pins;
    port->by_byte = !is_plain(&port->pins);
    port->cs_edge = port->pins.edge;
    port->busy_in = port->pins.busy_gap;
}

void sdsim_fast_bytes_write(struct sdsim_port *port, sdsim_ps *now,
                            const struct sdsim_transaction *tx, struct sdsim_result *result)
{
    struct sdsim_wire wire = wire_of(port);
    sdsim_wire_spi_write(&wire, now, tx, result);
    give_back(port, &wire);
}

void sdsim_fast_bytes_execute(struct sdsim_port *port, sdsim_ps *now,
                              const struct sdsim_transaction *tx, struct sdsim_result *result)
{
    struct sdsim_wire wire = wire_of(port);
    sdsim_wire_spi_execute(&wire, now, tx, result);
    give_back(port, &wire);
}
