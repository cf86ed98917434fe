/*
 * Shared by the parts of the wire port: its two modes. Not for other folders.
 */
#ifndef SDSIM_PORT_WIRE_MODES_H
#define SDSIM_PORT_WIRE_MODES_H

#include "port/wire.h"

void sdsim_wire_spi_execute(struct sdsim_wire *wire, sdsim_ps *now,
                            const struct sdsim_transaction *tx, struct sdsim_result *result);
/* The rest of such a transaction, from the blocks of a write on. */
void sdsim_wire_spi_write(struct sdsim_wire *wire, sdsim_ps *now,
                          const struct sdsim_transaction *tx, struct sdsim_result *result);
void sdsim_wire_sd_execute(struct sdsim_wire *wire, sdsim_ps *now,
                           const struct sdsim_transaction *tx, struct sdsim_result *result);

#endif
