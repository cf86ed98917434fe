/*
 * The port: the seam between what a driver wants and who carries it out.
 *
 * Three kinds exist for one card and one driver. `fast` solves whole runs of blocks in closed form;
 * `wire` clocks every byte through the byte-exact card; a third one drives a real card. Fast and
 * wire finish every transaction at the same picosecond, leave the same medium and the same account;
 * a property test holds them to it.
 *
 * A port owns the bus: the clock with its remainder, the state of CS, the byte the card still owes.
 * It does not own a current time.
 */
#ifndef SDSIM_PORT_PORT_H
#define SDSIM_PORT_PORT_H

#include "bus/counts.h"
#include "card/card.h"
#include "card/spi_pins.h"
#include "core/account.h"
#include "core/clock.h"
#include "port/transaction.h"

struct sdsim_port;

struct sdsim_port_ops {
    const char *name;
    void (*execute)(struct sdsim_port *port, sdsim_ps *now,
                    const struct sdsim_transaction *transaction, struct sdsim_result *result);
};

struct sdsim_port {
    const struct sdsim_port_ops *ops;
    enum sdsim_bus_mode mode;
    struct sdsim_clock clock;
    struct sdsim_meter *meter; /* of the task at work; never NULL */
    struct sdsim_card *card;
    const struct sdsim_spi_engine *spi; /* SPI mode */
    const struct sdsim_sd_engine *sd;   /* SD modes */
    bool selected;                      /* CS is low */
    bool cs_edge;                       /* SPI: no byte was clocked since CS changed */
    bool single;                        /* SPI: the last command was CMD24: token FE, not FC */
    uint8_t busy_in;                    /* SPI: bytes to be clocked before busy shows (N_BR) */
    bool by_byte;                       /* SPI, fast: the card is where only its bytes tell what it
                                           does next (port/fast_bytes.h) ... */
    struct sdsim_spi_pins pins;         /* ... and is held here, byte by byte */
    sdsim_ps behind_until; /* SD: a block left to the controller (SDSIM_WRITE_BEHIND) is over */
    sdsim_ps behind_frame; /* how much of its end is protocol clocks */
};

/* For ports: counts a command that is about to be sent. Whether it is an application command is
 * what the card will take it for. */
static inline void sdsim_count_command(struct sdsim_port *port, uint8_t index)
{
    struct sdsim_counters *counters = &port->meter->counters;
    counters->commands[index & 63]++;
    counters->app_commands[index & 63] += port->card->app ? 1 : 0;
}

/* For ports: the recorder learns of the command that is about to be sent; what is spent from now on
 * is about it. */
static inline void sdsim_note_command(struct sdsim_port *port, uint8_t index, uint32_t argument,
                                      uint32_t blocks)
{
    if (port->meter->recorder != NULL) {
        const struct sdsim_detail detail = {
            .kind = SDSIM_DETAIL_COMMAND,
            .code = (uint8_t)(index | (port->card->app ? 64 : 0)),
            .place = argument,
            .size = blocks,
        };
        port->meter->detail = sdsim_record_detail(port->meter->recorder, &detail);
    }
}

/* For ports: what is on the bus from now on. */
static inline void sdsim_note_part(struct sdsim_port *port, enum sdsim_part part)
{
    port->meter->part = (uint8_t)part;
}

/* For ports: a wait took this many looks, from `from` to `to`. */
void sdsim_record_looks(struct sdsim_port *port, sdsim_ps from, sdsim_ps to, uint64_t looks);
static inline void sdsim_note_looks(struct sdsim_port *port, sdsim_ps from, sdsim_ps to,
                                    uint64_t looks)
{
    if (port->meter->recorder != NULL && to > from) {
        sdsim_record_looks(port, from, to, looks);
    }
}

/* For ports: a response is about to be clocked; the meter's detail is about it until it is set
 * again. `extra` are 4 bytes. Returns the detail that was there. */
uint32_t sdsim_record_response(struct sdsim_port *port, uint8_t r1, const uint8_t *extra);
static inline uint32_t sdsim_note_response(struct sdsim_port *port, uint8_t r1,
                                           const uint8_t *extra)
{
    const uint32_t of_command = port->meter->detail;
    port->meter->part = SDSIM_PART_RESPONSE;
    if (port->meter->recorder != NULL) {
        port->meter->detail = sdsim_record_response(port, r1, extra);
    }
    return of_command;
}

/* Carries out one transaction, starting at *now; leaves its finish time there. */
static inline void sdsim_execute(struct sdsim_port *port, sdsim_ps *now,
                                 const struct sdsim_transaction *transaction,
                                 struct sdsim_result *result)
{
    port->ops->execute(port, now, transaction, result);
}

/* Ports on a simulated card. The caller owns all that is passed; nothing is allocated. Clock and
 * engine are set by the driver. */
void sdsim_fast_init(struct sdsim_port *port, enum sdsim_bus_mode mode, struct sdsim_card *card,
                     struct sdsim_meter *meter);

#endif
