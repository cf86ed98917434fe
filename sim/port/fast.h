/*
 * Shared by the two halves of the fast port: the closed form of a wait, and the cycle of alike
 * blocks whose cost is measured once and multiplied.
 */
#ifndef SDSIM_PORT_FAST_H
#define SDSIM_PORT_FAST_H

#include "core/account.h"
#include "port/port.h"

/*
 * Things that follow each other with a fixed period: thing j happens `offset` clocks into its
 * period, which is `dead` of standing still and `step` clocks long; the first period begins at
 * `start`. When that is; and the smallest j >= 0 that happens at or after `target`.
 */
static inline sdsim_ps sdsim_happens(const struct sdsim_clock *clock, sdsim_ps start, sdsim_ps dead,
                                     uint64_t step, uint64_t offset, uint64_t j)
{
    return start + j * dead + sdsim_clock_peek(clock, j * step + offset);
}
uint64_t sdsim_first_from(const struct sdsim_clock *clock, sdsim_ps start, sdsim_ps dead,
                          uint64_t step, uint64_t offset, sdsim_ps target);

struct sdsim_cycle {
    sdsim_ps start;
    sdsim_ps ps[SDSIM_KIND_COUNT]; /* of the meter's purpose, at the start */
    uint64_t bus_clocks;
};

/* Remembers time, account and clock count at the start of a cycle. */
static inline void sdsim_cycle_begin(struct sdsim_cycle *cycle, const struct sdsim_meter *meter,
                                     sdsim_ps now)
{
    cycle->start = now;
    cycle->bus_clocks = meter->counters.bus_clocks;
    for (int kind = 0; kind < SDSIM_KIND_COUNT; kind++) {
        cycle->ps[kind] = meter->account.ps[meter->purpose][kind];
    }
}

/* The cycle has just ended at *now; does it `times` times more. Returns the span added. */
static inline sdsim_ps sdsim_cycle_repeat(const struct sdsim_cycle *cycle,
                                          struct sdsim_meter *meter, sdsim_ps *now, uint64_t times)
{
    const sdsim_ps span = sdsim_time_times(*now - cycle->start, times);
    sdsim_ps *const ps = meter->account.ps[meter->purpose];
    for (int kind = 0; kind < SDSIM_KIND_COUNT; kind++) {
        ps[kind] += (ps[kind] - cycle->ps[kind]) * times;
    }
    meter->counters.bus_clocks += (meter->counters.bus_clocks - cycle->bus_clocks) * times;
    *now = sdsim_time_sum(*now, span);
    return span;
}

/* What the fast port does with a transaction, for ports that are the fast one at times. */
void sdsim_fast_execute(struct sdsim_port *port, sdsim_ps *now, const struct sdsim_transaction *tx,
                        struct sdsim_result *result);

void sdsim_fast_spi_execute(struct sdsim_port *port, sdsim_ps *now,
                            const struct sdsim_transaction *tx, struct sdsim_result *result);
void sdsim_fast_sd_execute(struct sdsim_port *port, sdsim_ps *now,
                           const struct sdsim_transaction *tx, struct sdsim_result *result);

#endif
