/*
 * Another device on the card's SPI bus: every so often it moves some bytes, and holds the bus for
 * them. An actor of its own in front of the driver, through the driver's gate.
 *
 * The bus belongs to a call of the driver from its beginning to its end, as the frameworks' locks
 * have it (SPI.beginTransaction, spi_device_acquire_bus, busio's try_lock). The device asks at fixed
 * times; it gets the bus when the call at work is over, and a call that comes while the device has
 * the bus waits. Whoever asked first is first. What the card's task waits is booked as the kind
 * `outside`; what the device waits is counted.
 *
 * Limits: it never gives up, and asks again at its next time even if it was late. Work of its own
 * (drawing, averaging) costs the card's task nothing.
 */
#ifndef SDSIM_WORKLOAD_BUS_SHARER_H
#define SDSIM_WORKLOAD_BUS_SHARER_H

#include "driver/driver.h"

struct sdsim_sharer_params {
    uint64_t bytes;    /* each time; 0: there is no other device */
    sdsim_ps every;    /* from one time to the next, longer than it holds the bus */
    uint64_t clock_hz; /* of its transfers */
    sdsim_ps setup;    /* of the bus, each time: mode and clock, chip select, lock */
};

struct sdsim_sharer_result {
    uint64_t turns;
    sdsim_ps holds;       /* the bus, in all */
    uint64_t card_waits;  /* calls of the driver that had to wait */
    sdsim_ps card_waited; /* they, in all */
    sdsim_ps card_longest;
    uint64_t device_waits; /* its turns that had to wait */
    sdsim_ps device_waited;
    sdsim_ps device_longest;
    uint64_t missed; /* turns that began after the next one was due */
};

struct sdsim_bus_sharer {
    struct sdsim_driver_gate gate;            /* first: the driver knows this */
    const struct sdsim_sharer_params *params; /* not owned */
    sdsim_ps hold;
    sdsim_ps next; /* when it asks */
    sdsim_ps free; /* when the bus was given back last */
    struct sdsim_sharer_result result;
};

/* How long it has the bus each time, rounded up to a picosecond. */
sdsim_ps sdsim_sharer_hold(const struct sdsim_sharer_params *params);

/* Puts it in front of the driver; it asks at multiples of `every`, from the first one after `now` on. */
void sdsim_bus_sharer_init(struct sdsim_bus_sharer *sharer,
                           const struct sdsim_sharer_params *params, struct sdsim_driver *driver,
                           sdsim_ps now);

#endif
