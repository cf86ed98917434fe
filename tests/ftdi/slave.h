/*
 * What hangs on the pins of an MPSSE channel: an SD card, or a flash chip.
 *
 * A slave speaks SPI mode 0: it takes MOSI at rising edges of SCK and changes MISO at falling ones, so
 * each bit on MISO is there before the edge that takes it. It is told every clock, selected or not,
 * either in whole bytes (most clocks) or bit by bit.
 *
 * Instants are virtual. Only clocks make time pass, so a slave sees the same instants however slow the
 * computer, USB and the host are: between two batches the world stands still. A test that wants time
 * to pass there says so (sdsim_engine_pass).
 */
#ifndef SDSIM_TEST_FTDI_SLAVE_H
#define SDSIM_TEST_FTDI_SLAVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/clock.h"

struct sdsim_slave;

struct sdsim_slave_class {
    /* CS changed. */
    void (*select)(struct sdsim_slave *slave, sdsim_ps now, bool low);
    /* Its power was switched. NULL: it has its own. */
    void (*power)(struct sdsim_slave *slave, sdsim_ps now, bool on);
    /* Whole bytes, most significant bit first, each of eight clocks of `clock`, from *now on; leaves
     * the end of the last there. */
    void (*exchange)(struct sdsim_slave *slave, sdsim_ps *now, struct sdsim_clock *clock,
                     const uint8_t *mosi, uint8_t *miso, size_t count);
    /* One bit, the clock period from `start` to `end`. */
    bool (*bit)(struct sdsim_slave *slave, sdsim_ps start, sdsim_ps end, bool mosi);
    /* The level of MISO with the clock standing still; true also if nobody drives it. */
    bool (*miso)(struct sdsim_slave *slave, sdsim_ps now);
};

struct sdsim_slave {
    const struct sdsim_slave_class *class;
};

#endif
