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

/* Lets the clock run until the card is ready, at least `least` clocks, which are protocol. */
void sdsim_fast_sd_await(struct sdsim_port *port, sdsim_ps *now, enum sdsim_kind kind,
                         uint64_t least, struct sdsim_ready ready);

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

/* Waits for a block that was left to the controller (SDSIM_WRITE_BEHIND). */
void sdsim_fast_sd_settle(struct sdsim_port *port, sdsim_ps *now);

#endif
