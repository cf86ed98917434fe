/*
 * The wire port, SPI: every transaction as bytes on the bus, through the byte-exact card.
 *
 * It is the only encoder of bytes in the simulator and the referee of the fast port: it knows
 * nothing of runs or closed forms, it clocks one byte after the other, looks at what came back, and
 * books each stretch of time by the rules of core/account.h. An optional listener sees every byte.
 *
 * Limits: SPI only.
 */
#ifndef SDSIM_PORT_WIRE_H
#define SDSIM_PORT_WIRE_H

#include "card/spi_pins.h"
#include "port/port.h"

/* Called for each byte: when its clocks began and ended, CS, and the two bytes; and for each edge of
 * CS (NULL: nobody asks). */
struct sdsim_wire_listener {
    void (*byte)(struct sdsim_wire_listener *listener, sdsim_ps start, sdsim_ps end, bool selected,
                 uint8_t mosi, uint8_t miso);
    void (*select)(struct sdsim_wire_listener *listener, sdsim_ps at, bool low);
};

struct sdsim_wire {
    struct sdsim_port port; /* first: a wire is a port */
    struct sdsim_spi_pins pins;
    bool single;                          /* the last data command was CMD24: token FE, not FC */
    struct sdsim_wire_listener *listener; /* may be NULL; not owned */
    uint64_t bytes;                       /* clocked so far, with CS low or high */
};

/* Sets the port up on a card that was just powered up. The caller owns all that is passed; nothing
 * is allocated. Clock and engine are set by the driver. */
void sdsim_wire_init(struct sdsim_wire *wire, struct sdsim_card *card, struct sdsim_meter *meter);

/*
 * Makes it go on where the fast port, at work on the same `wire->port`, has stopped: between two
 * transactions, of which the last command sent was `last_command`. What the card was about to send is
 * taken to be nothing, and a read that is open to be at the border of two blocks; see port/scout.h for
 * where that holds.
 */
void sdsim_wire_resume(struct sdsim_wire *wire, uint8_t last_command);

#endif
