#include "port/wire.h"

#include "port/wire_modes.h"

static void execute(struct sdsim_port *port, sdsim_ps *now, const struct sdsim_transaction *tx,
                    struct sdsim_result *result)
{
    struct sdsim_wire *wire = (struct sdsim_wire *)port;
    sdsim_wire_spi_execute(wire, now, tx, result);
}

static const struct sdsim_port_ops wire_ops = {.name = "wire", .execute = execute};

void sdsim_wire_init(struct sdsim_wire *wire, enum sdsim_bus_mode mode, struct sdsim_card *card,
                     struct sdsim_meter *meter)
{
    *wire =
        (struct sdsim_wire){.port = {.ops = &wire_ops, .mode = mode, .card = card, .meter = meter}};
    sdsim_spi_pins_init(&wire->pins, card);
}
