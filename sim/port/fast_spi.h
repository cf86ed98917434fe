/*
 * Shared by the parts of the fast SPI port: bursts of bytes and dead times, spent and booked. The
 * idea of the port is told in port/fast_spi.c.
 */
#ifndef SDSIM_PORT_FAST_SPI_H
#define SDSIM_PORT_FAST_SPI_H

#include "port/port.h"

/* Clocks some bytes in a row. */
static inline void sdsim_fast_clock_bytes(struct sdsim_port *port, sdsim_ps *now,
                                          enum sdsim_kind kind, uint64_t bytes)
{
    port->meter->counters.bus_clocks += 8 * bytes;
    sdsim_spend(port->meter, now, kind, SDSIM_LANE_BUS, sdsim_clock_take(&port->clock, 8 * bytes));
}

/* The bus stands still, or the CPU is at work. */
static inline void sdsim_fast_dead(struct sdsim_port *port, sdsim_ps *now, enum sdsim_kind kind,
                                   sdsim_ps d)
{
    if (d != 0) {
        sdsim_spend(port->meter, now, kind, kind == SDSIM_GAP ? SDSIM_LANE_BUS : SDSIM_LANE_CPU, d);
    }
}

/* One transfer call of bytes that are no payload. */
static inline void sdsim_fast_burst(struct sdsim_port *port, sdsim_ps *now,
                                    const struct sdsim_burst *burst, uint64_t bytes)
{
    sdsim_fast_dead(port, now, SDSIM_GAP, burst->before);
    sdsim_fast_clock_bytes(port, now, SDSIM_PROTOCOL, bytes);
    sdsim_fast_dead(port, now, SDSIM_GAP, burst->after);
}

/* The payload of one block, in pieces with gaps between them, and what is left of the CPU's
 * `overlap` when the last byte is through. */
static inline void sdsim_fast_payload(struct sdsim_port *port, sdsim_ps *now, uint32_t bytes,
                                      sdsim_ps overlap)
{
    const struct sdsim_spi_engine *spi = port->spi;
    const sdsim_ps start = *now;
    sdsim_fast_clock_bytes(port, now, SDSIM_PAYLOAD, bytes);
    if (spi->chunk > 0 && bytes > spi->chunk) {
        sdsim_fast_dead(port, now, SDSIM_GAP, spi->chunk_gap * ((bytes - 1) / spi->chunk));
    }
    if (overlap > 0 && overlap > *now - start) {
        sdsim_fast_dead(port, now, SDSIM_HOST, overlap - (*now - start));
    }
}

/* Bytes of 0xFF have gone by: counts N_BR, those a card has seen since a stop token, and the clocks
 * it needs before CMD0, with CS high. */
static inline void sdsim_fast_spi_pass(struct sdsim_port *port, uint64_t bytes)
{
    port->cs_edge = false;
    if (port->selected) {
        port->busy_in = (uint8_t)(port->busy_in > bytes ? port->busy_in - bytes : 0);
    } else if (!port->card->spi) {
        sdsim_card_high_clocks(port->card, 8 * bytes);
    }
}

/* Polls byte by byte until the test of the wait is met. False: ran into its limit. */
bool sdsim_fast_spi_poll(struct sdsim_port *port, sdsim_ps *now, const struct sdsim_wait *wait);

/* No response window is open any more: the command's burst has ended. */
#define SDSIM_FAST_BURST_OVER UINT32_MAX

/*
 * Reads the blocks of a transaction: looks for each start token, takes the block, hands it over.
 * `window_left` bytes of the command's response window are still to be clocked and may hold the
 * first token; or SDSIM_FAST_BURST_OVER. `from_register`: the one block is a register's.
 */
void sdsim_fast_spi_read(struct sdsim_port *port, sdsim_ps *now, const struct sdsim_transaction *tx,
                         uint32_t window_left, bool from_register, struct sdsim_result *result);

#endif
