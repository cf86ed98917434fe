/*
 * For the drivers on top of STM32Cube's HAL_SD: how the HAL moves blocks.
 *
 * HAL_SD_ReadBlocks and HAL_SD_WriteBlocks send CMD17 or CMD24 for one block, CMD18 or CMD25 and,
 * by the driver, CMD12 for more; no CMD23, no ACMD23, no CMD6. Polling mode moves the FIFO 8 words
 * at a time; DMA mode (profile: dma) sends CMD12 from the interrupt. Both return without waiting
 * for programming.
 *
 * Costs used: call, command, wake, bulk (between two blocks), copy; polling: chunk (32 B),
 * chunk_gap.
 *
 * Limits: a CPU that is slower than the bus makes a real controller without hardware flow control
 * fail; here the clock waits.
 */
#ifndef SDSIM_DRIVER_STM32_HAL_H
#define SDSIM_DRIVER_STM32_HAL_H

#include "driver/sd_bus.h"

void sdsim_stm32_hal_attach(struct sdsim_driver *driver);

enum sdsim_driver_error sdsim_stm32_hal_init(struct sdsim_driver *driver, sdsim_ps *now);

/* A part, with waits before the first command and after the last; NULL: none. */
bool sdsim_stm32_hal_blocks(struct sdsim_driver *driver, sdsim_ps *now,
                            const struct sdsim_sd_part *part, const struct sdsim_wait *ready,
                            const struct sdsim_wait *finish);

#endif
