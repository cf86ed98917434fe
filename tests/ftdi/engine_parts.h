/*
 * Shared by the two halves of the MPSSE engine: engine.c has FIFOs and commands, engine_lines.c the
 * lines, the clock on them and the slave behind.
 */
#ifndef SDSIM_TEST_FTDI_ENGINE_PARTS_H
#define SDSIM_TEST_FTDI_ENGINE_PARTS_H

#include "ftdi/engine.h"

enum { SDSIM_ENGINE_CHUNK = 512 }; /* the most bytes shifted in one go */

/* A slave that isn't there: MISO is pulled up. */
const struct sdsim_slave_class *sdsim_engine_nobody(void);

/* Tells the slave what changed on CS and its power. */
void sdsim_engine_tell_slave(struct sdsim_engine *engine);

/* Sets levels and directions of ADBUS. SCK that rises by it is a clock. */
void sdsim_engine_set_low(struct sdsim_engine *engine, uint8_t level, uint8_t driven);

/* The level the chip puts on MOSI, driven or not. */
void sdsim_engine_set_mosi(struct sdsim_engine *engine, bool level);
bool sdsim_engine_mosi(const struct sdsim_engine *engine);

/* One clock; returns what is read. `writes`: MOSI gets `bit`, `late`: too late for the slave, which
 * sees the level before. */
bool sdsim_engine_bit(struct sdsim_engine *engine, bool writes, bool late, bool bit);

/* `count` bytes (to SDSIM_ENGINE_CHUNK) through the slave: `bytes` as on the wire, replaced by what
 * comes on MISO. */
void sdsim_engine_exchange(struct sdsim_engine *engine, uint8_t *bytes, size_t count);

/* Bytes that were read, as the chip sees them if its edge comes before the slave's new bit. */
void sdsim_engine_delay(struct sdsim_engine *engine, uint8_t *bytes, size_t count);

#endif
