/*
 * What the next answers of a driver depend on, with its port and card, apart from the luck of the
 * card's flash.
 */
#ifndef SDSIM_DRIVER_DRIVER_STATE_H
#define SDSIM_DRIVER_DRIVER_STATE_H

#include "core/digest.h"
#include "driver/driver.h"

/* Of a driver that is initialised, on a fast port. */
void sdsim_driver_digest(const struct sdsim_driver *driver, sdsim_ps now,
                         struct sdsim_digest *digest);

/* When everything that runs by itself is over: if nothing is asked before, it does not matter when,
 * save for what sdsim_driver_tick() says. */
sdsim_ps sdsim_driver_settles(const struct sdsim_driver *driver);

/* Waits of this driver may end at multiples of this time since power-up; 0: none do. */
sdsim_ps sdsim_driver_tick(const struct sdsim_driver *driver);

#endif
