#include "port/wire.h"

void sdsim_wire_resume(struct sdsim_wire *wire, uint8_t last_command)
{
    wire->single = last_command == 24;
    if (wire->port.mode == SDSIM_BUS_SPI) {
        sdsim_spi_pins_resume(&wire->pins, wire->port.selected, wire->port.busy_in, !wire->single);
    }
}
