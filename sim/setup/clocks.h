/*
 * From the clock a user asks for to the one on the wire: the limits of driver and card, then the
 * host's clock rule.
 */
#ifndef SDSIM_SETUP_CLOCKS_H
#define SDSIM_SETUP_CLOCKS_H

#include "setup/setup.h"

/* What the application asked for, cut to the driver's cap, in Hz. */
uint64_t sdsim_setup_wanted(const struct sdsim_setup *setup);

/* What the firmware asks the clock generator for, after the limits of driver and card, in Hz. */
uint64_t sdsim_setup_request(const struct sdsim_setup *setup);

/* Whose limit keeps sdsim_setup_request from being higher: "driver" or "card"; NULL if more could
 * be asked for. */
const char *sdsim_setup_clock_cap(const struct sdsim_setup *setup);

/* The clock generator the driver sets up on this host: its own, or the general one for SPI. */
struct sdsim_clock_source sdsim_setup_clock_source(const struct sdsim_setup *setup);

#endif
