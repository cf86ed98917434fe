/*
 * CircuitPython sdioio on STM32 chips (adafruit/circuitpython ports/stm/common-hal/sdioio/SDCard.c
 * at cd3da4a5), one or four lines: STM32Cube's HAL_SD (driver/stm32_hal.h), polling, with interrupts
 * off.
 *
 * Before each operation CMD13 until the transfer state (60 s), with HAL_Delay(1) between two looks:
 * that lasts to the end of the next tick (profile: tick), so one to two of them. Nothing waits after
 * a transfer; sync does nothing.
 */
#include "driver/stm32_hal.h"

static bool move(struct sdsim_driver *driver, sdsim_ps *now, const struct sdsim_sd_part *part)
{
    const struct sdsim_wait transfer_60s = {.test = SDSIM_READY_STATUS,
                                            .limit = 60 * SDSIM_S,
                                            .sleep = driver->params->tick,
                                            .tick = driver->params->tick};
    return sdsim_stm32_hal_blocks(driver, now, part, &transfer_60s, NULL);
}

const struct sdsim_driver_class sdsim_driver_sdioio_stm = {
    .name = "circuitpython-sdioio-stm",
    .costs_of = "stm32-hal-sd",
    .sd = true,
    .ticks = true,
    .attach = sdsim_stm32_hal_attach,
    .init = sdsim_stm32_hal_init,
    .read = sdsim_sd_read,
    .write = sdsim_sd_write,
    .move = move,
};
