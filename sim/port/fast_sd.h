/*
 * Shared by the parts of the fast SD port: clocks and dead times, spent and booked, and the doors
 * from one part to the next. The idea of the port is told in port/fast_sd.c.
 */
#ifndef SDSIM_PORT_FAST_SD_H
#define SDSIM_PORT_FAST_SD_H

#include "port/port.h"

/* The clock runs for some periods in a row. */
static inline void sdsim_fast_sd_clocks(struct sdsim_port *port, sdsim_ps *now,
                                        enum sdsim_kind kind, uint64_t count)
{
    port->meter->counters.bus_clocks += count;
    sdsim_spend(port->meter, now, kind, SDSIM_LANE_BUS, sdsim_clock_take(&port->clock, count));
}

/* The bus stands still, or the CPU is at work. */
static inline void sdsim_fast_sd_cpu(struct sdsim_port *port, sdsim_ps *now, enum sdsim_kind kind,
                                     sdsim_ps d)
{
    if (d != 0) {
        sdsim_spend(port->meter, now, kind, SDSIM_LANE_CPU, d);
    }
}

/* The same up to an instant, which may have passed. */
static inline void sdsim_fast_sd_until(struct sdsim_port *port, sdsim_ps *now, enum sdsim_kind kind,
                                       sdsim_ps instant)
{
    sdsim_fast_sd_cpu(port, now, kind, sdsim_time_since(instant, *now));
}

/* Lets the clock run until the card is ready, which is later; or, if it may be, at least `least`
 * clocks, which are protocol. */
void sdsim_fast_sd_await_ready(struct sdsim_port *port, sdsim_ps *now, enum sdsim_kind kind,
                               struct sdsim_ready ready);
static inline void sdsim_fast_sd_await(struct sdsim_port *port, sdsim_ps *now, enum sdsim_kind kind,
                                       uint32_t least, struct sdsim_ready ready)
{
    if (least > 0) {
        sdsim_fast_sd_clocks(port, now, SDSIM_PROTOCOL, least);
    }
    if (ready.at > *now) {
        sdsim_fast_sd_await_ready(port, now, kind, ready);
    }
}

/* A wait of a transaction; NULL: none. False if it ran into its limit. */
bool sdsim_fast_sd_wait(struct sdsim_port *port, sdsim_ps *now, const struct sdsim_wait *wait);

/* Where the first block of a read is when it is looked for. */
struct sdsim_fast_sd_start {
    uint32_t n_ac;   /* clocks before it may come */
    uint32_t clocks; /* of it that are over: it came beside the response */
};

/* The blocks of a transaction, from where the first may come (reading) or go (writing). */
void sdsim_fast_sd_read(struct sdsim_port *port, sdsim_ps *now, const struct sdsim_transaction *tx,
                        bool from_medium, const struct sdsim_fast_sd_start *start,
                        struct sdsim_result *result);
void sdsim_fast_sd_write(struct sdsim_port *port, sdsim_ps *now, const struct sdsim_transaction *tx,
                         struct sdsim_result *result);

/*
 * The same for hosts on which one block is like the other (port/fast_sd_runs.c): `software` is what
 * the CPU works on each check sum. Reading: the first block may come after `n_ac` clocks. Writing: up
 * to block `blocks`; false if the card refused one.
 */
bool sdsim_fast_sd_has_runs(const struct sdsim_port *port, sdsim_ps software);
void sdsim_fast_sd_read_runs(struct sdsim_port *port, sdsim_ps *now,
                             const struct sdsim_transaction *tx, uint32_t n_ac,
                             struct sdsim_result *result);
bool sdsim_fast_sd_write_runs(struct sdsim_port *port, sdsim_ps *now,
                              const struct sdsim_transaction *tx, uint32_t blocks, uint32_t *done);

/* Clocks behind a block's data: check sum and end bit. */
enum {
    SDSIM_FAST_SD_TAIL = SDSIM_BUS_CRC16 + 1,
};

/* Clocks behind a block's end bit up to where a busy shows: N_CRC, the CRC status, N_BR. */
static inline uint32_t sdsim_fast_sd_status_clocks(const struct sdsim_port *port)
{
    return SDSIM_SD_N_CRC + SDSIM_BUS_CRC_STATUS + (uint32_t)port->card->params->n_br_clocks;
}

/* Clocks of data. Up to ACMD6 a card uses one line, whatever the host has. */
static inline uint32_t sdsim_fast_sd_data_clocks(const struct sdsim_port *port, uint32_t bytes)
{
    return (port->mode == SDSIM_BUS_SD4 && port->card->width == 4 ? 2 : 8) * bytes;
}

/* The card has nothing more to send: the card's end, or that of a counted transfer. */
static inline bool sdsim_fast_sd_no_more(const struct sdsim_card *card)
{
    return card->state != SDSIM_CARD_DATA || sdsim_card_read_beyond(card);
}

/* The bytes of the card's next blocks, the ones from `index` on of the transaction. */
static inline void sdsim_fast_sd_take(struct sdsim_port *port, const struct sdsim_transaction *tx,
                                      uint32_t index, uint32_t count)
{
    if (tx->out != NULL && count > 0) {
        sdsim_card_read_many(port->card, count, tx->out + (size_t)index * SDSIM_SECTOR);
    }
}

/* Block `index` has gone; false if the card's status says no, or there is none because a counted
 * transfer is over. */
static inline bool sdsim_fast_sd_give(struct sdsim_port *port, const struct sdsim_transaction *tx,
                                      uint32_t index, sdsim_ps end)
{
    const struct sdsim_content content =
        sdsim_content_after(tx->content, (uint64_t)index * SDSIM_SECTOR);
    return port->card->state == SDSIM_CARD_RECEIVE &&
           sdsim_card_write_block(port->card, end, &content);
}

/* Waits for a block that was left to the controller (SDSIM_WRITE_BEHIND). */
void sdsim_fast_sd_settle(struct sdsim_port *port, sdsim_ps *now);

#endif
