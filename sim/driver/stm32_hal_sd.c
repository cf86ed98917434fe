/*
 * STM32Cube HAL_SD (driver/stm32_hal.h) with the FatFs glue that CubeMX generates (sd_diskio,
 * esden/stm32cube-database at 2143369e), one or four lines.
 *
 * After each transfer the glue sends CMD13 again and again until the transfer state (30 s), without
 * giving the CPU away. disk_status is CMD13 too, so every FatFs call puts one on the bus (profile:
 * status_on_call). Sync does nothing. Without glue (status_after_read and status_after_write 0) it
 * is left to the application to look, and nothing waits.
 */
#include "driver/stm32_hal.h"

static bool move(struct sdsim_driver *driver, sdsim_ps *now, const struct sdsim_sd_part *part)
{
    static const struct sdsim_wait transfer_30s = {.test = SDSIM_READY_STATUS,
                                                   .limit = 30 * SDSIM_S};
    const uint64_t looks = part->content != NULL ? driver->params->status_after_write
                                                 : driver->params->status_after_read;
    return sdsim_stm32_hal_blocks(driver, now, part, NULL, looks > 0 ? &transfer_30s : NULL);
}

static enum sdsim_driver_error status(struct sdsim_driver *driver, sdsim_ps *now)
{
    return sdsim_sd_error(sdsim_sd_plain(driver, now, 13, driver->rca));
}

const struct sdsim_driver_class sdsim_driver_stm32_hal_sd = {
    .name = "stm32-hal-sd",
    .sd = true,
    .attach = sdsim_stm32_hal_attach,
    .init = sdsim_stm32_hal_init,
    .read = sdsim_sd_read,
    .write = sdsim_sd_write,
    .move = move,
    .status = status,
};
