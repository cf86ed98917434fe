/*
 * For the drivers that make SDIO by PIO and DMA on the RP2040 and RP2350: what ZuluSCSI's library
 * and carlk3's, which came from it, have in common.
 *
 * The clock runs all the time. Reading sets the DMA up for all blocks, then sends CMD17 or CMD18;
 * the CPU checks the CRC of blocks that have arrived while others do, and after the last check of
 * CMD18 sends CMD12 and waits for DAT0. Writing starts each block from the DMA's interrupt once the
 * card is idle again, and makes the CRC of the next one in the meantime; that of the first comes
 * before it. No CMD13, no high speed (CMD6). Buffers that are not aligned, and reads that end at the
 * card's last sector, go sector by sector.
 *
 * Costs used: call, command, wake, crc16, copy, bulk (setting DMA and state machine up; interrupt to
 * the next block).
 */
#ifndef SDSIM_DRIVER_SD_PIO_DMA_H
#define SDSIM_DRIVER_SD_PIO_DMA_H

#include "driver/sd_bus.h"

void sdsim_sd_pio_dma_attach(struct sdsim_driver *driver);

enum sdsim_driver_error sdsim_sd_pio_dma_init(struct sdsim_driver *driver, sdsim_ps *now);

/* A part that is read; `stopped` is awaited behind CMD12. */
bool sdsim_sd_pio_dma_read(struct sdsim_driver *driver, sdsim_ps *now,
                           const struct sdsim_sd_part *part, const struct sdsim_wait *stopped);

#endif
