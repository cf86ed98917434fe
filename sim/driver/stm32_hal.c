#include "driver/stm32_hal.h"

void sdsim_stm32_hal_attach(struct sdsim_driver *driver)
{
    driver->sd = sdsim_sd_engine_of(driver);
    if (!driver->params->dma) {
        driver->sd.fifo = sdsim_sd_fifo(driver->costs);
    }
}

enum sdsim_driver_error sdsim_stm32_hal_init(struct sdsim_driver *driver, sdsim_ps *now)
{
    const struct sdsim_sd_identification how = {.after_reset = 2 * SDSIM_MS, .registers = true};
    return sdsim_sd_identify(driver, now, &how);
}

bool sdsim_stm32_hal_blocks(struct sdsim_driver *driver, sdsim_ps *now,
                            const struct sdsim_sd_part *part, const struct sdsim_wait *ready,
                            const struct sdsim_wait *finish)
{
    const bool many = part->count > 1;
    const struct sdsim_sd_manner manner = {
        .command = sdsim_sd_block_command(part),
        .flags = SDSIM_LEAVE_BUSY,
        .ready = ready,
        .finish = many ? NULL : finish,
    };
    return sdsim_sd_move(driver, now, part, &manner) &&
           (!many || sdsim_sd_stop(driver, now, finish));
}
