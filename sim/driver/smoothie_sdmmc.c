/*
 * LPCOpen's SDMMC on the LPC18xx and LPC43xx (sdmmc_18xx_43xx.c), which Smoothie uses, one or four
 * lines.
 *
 * CMD13 before each transfer; a write first repeats it until the transfer state. CMD17, CMD18,
 * CMD24 or CMD25 with the controller's automatic CMD12, by DMA. A read ends with CMD13 until the
 * transfer state, a write does not. No CMD23. Sync does nothing.
 *
 * Costs used: call, command, wake, bulk (between two blocks), copy.
 *
 * Limits: the library has no high speed; that Smoothie runs at 50 MHz is its own setting.
 */
#include "driver/sd_bus.h"

static void attach(struct sdsim_driver *driver)
{
    driver->sd = sdsim_sd_engine_of(driver);
}

static enum sdsim_driver_error init(struct sdsim_driver *driver, sdsim_ps *now)
{
    const struct sdsim_sd_identification how = {.registers = false};
    return sdsim_sd_identify(driver, now, &how);
}

static bool move(struct sdsim_driver *driver, sdsim_ps *now, const struct sdsim_sd_part *part)
{
    static const struct sdsim_wait transfer = {.test = SDSIM_READY_STATUS};
    const bool writes = part->content != NULL;
    const struct sdsim_sd_manner manner = {
        .command = sdsim_sd_block_command(part),
        .flags = part->count > 1 ? SDSIM_AUTO_STOP : 0,
        .finish = writes ? NULL : &transfer,
    };
    return (!writes || sdsim_sd_wait(driver, now, NULL, &transfer)) &&
           sdsim_sd_plain(driver, now, 13, driver->rca) &&
           sdsim_sd_move(driver, now, part, &manner);
}

const struct sdsim_driver_class sdsim_driver_smoothie_sdmmc = {
    .name = "smoothie-lpc-sdmmc",
    .sd = true,
    .attach = attach,
    .init = init,
    .read = sdsim_sd_read,
    .write = sdsim_sd_write,
    .move = move,
};
