/*
 * The wire port: every transaction as bytes or bits on the bus, through the byte-exact card.
 *
 * It is the only encoder in the simulator and the referee of the fast port: it knows nothing of runs
 * or closed forms. In SPI mode it clocks one byte after the other (port/wire_spi.c), in SD mode one
 * clock after the other (port/wire_sd.c), looks at what came back, and books each stretch of time by
 * the rules of core/account.h. An optional listener sees every byte or clock.
 *
 * Limits: SD mode: a host that asks for more than the card has to send gives up at once; the
 * timeout of its controller is not modelled.
 */
#ifndef SDSIM_PORT_WIRE_H
#define SDSIM_PORT_WIRE_H

#include "card/sd_pins.h"
#include "card/spi_pins.h"
#include "port/port.h"

/* Who wants to see the bus. A function may be NULL if nobody cares for its mode. */
struct sdsim_wire_listener {
    /* SPI, called for each byte: when its clocks began and ended, CS, and the two bytes. */
    void (*byte)(struct sdsim_wire_listener *listener, sdsim_ps start, sdsim_ps end, bool selected,
                 uint8_t mosi, uint8_t miso);
    /* SPI, called for each edge of CS. */
    void (*select)(struct sdsim_wire_listener *listener, sdsim_ps at, bool low);
    /* SD modes, called for each clock: when it began and ended, what was on the lines, and whether
     * the host held CMD and DAT (a frame or block on its way) or had released them. A block that
     * the driver leaves to its controller (SDSIM_WRITE_BEHIND) is heard when it is handed over,
     * ahead of the instants it happens at. */
    void (*clock)(struct sdsim_wire_listener *listener, sdsim_ps start, sdsim_ps end,
                  struct sdsim_sd_lines lines, bool host_drives_cmd, bool host_drives_dat);
};

/*
 * Another card behind the wires than the simulated one: a real one. SPI only. `card` of the port is then
 * a stand-in that knows no state; what the account needs to know of the card is what was seen on the
 * bus: it was ready when the byte that said so began.
 */
struct sdsim_wire_remote {
    /* One byte each way, the first clock at `start`. Returns what MISO showed. */
    uint8_t (*exchange)(struct sdsim_wire_remote *remote, sdsim_ps start, uint8_t mosi);
    /* One byte of which nobody wants to know what came back. */
    void (*send)(struct sdsim_wire_remote *remote, sdsim_ps start, uint8_t mosi);
    void (*select)(struct sdsim_wire_remote *remote, bool low);
    /* A block was read; false: its CRC is wrong, and the transaction ends. */
    bool (*check)(struct sdsim_wire_remote *remote, const uint8_t *block, uint32_t bytes,
                  uint16_t crc);
};

struct sdsim_wire {
    struct sdsim_port port;               /* first: a wire is a port */
    struct sdsim_spi_pins pins;           /* SPI mode */
    struct sdsim_sd_pins sd_pins;         /* SD modes */
    struct sdsim_wire_listener *listener; /* may be NULL; not owned */
    struct sdsim_wire_remote *remote;     /* NULL: the simulated card; not owned */
    uint64_t bytes;                       /* SPI: clocked so far, with CS low or high */
};

/* Sets the port up on a card that was just powered up, in one of the three modes. The caller owns all
 * that is passed; nothing is allocated. Clock and engine are set by the driver. */
void sdsim_wire_init(struct sdsim_wire *wire, enum sdsim_bus_mode mode, struct sdsim_card *card,
                     struct sdsim_meter *meter);

/*
 * Makes it go on where the fast port, at work on the same `wire->port`, has stopped: between two
 * transactions. `last_command` was the last command sent. What the card was about to send is taken to be
 * nothing, and a read that is open to be at the border of two blocks; port/scout.h tells where that
 * holds.
 */
void sdsim_wire_resume(struct sdsim_wire *wire, uint8_t last_command);

#endif
