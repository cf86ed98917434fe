/*
 * A link (tools/ftdi/link.h) to an engine in the same process: what speaks MPSSE runs on it without
 * USB, threads and waiting, the same each time.
 *
 * Each batch is executed when it is submitted, as far as the FIFOs of the chip let it: the link takes
 * answers off the engine at once and keeps them for collect(), as a host does whose transfers are
 * always there in time. A batch that waits for a pin, or that answers less than was said, is a
 * timeout at collect().
 *
 * Host time is the engine's virtual time and, for every round trip, a fixed cost.
 */
#ifndef SDSIM_TEST_FTDI_ENGINE_LINK_H
#define SDSIM_TEST_FTDI_ENGINE_LINK_H

#include "ftdi/engine.h"
#include "tools/ftdi/link.h"

/* `engine` must outlive the link; `round_trip` is what one costs in host time. NULL without memory. */
struct sdsim_link *sdsim_engine_link(struct sdsim_engine *engine, sdsim_ps round_trip);

/* The next collect() that needs bytes fails like this, once: to see how a caller recovers. */
void sdsim_engine_link_break(struct sdsim_link *link, enum sdsim_link_fault fault);

#endif
