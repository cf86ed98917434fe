/*
 * NuttX mmcsd_sdio (apache/nuttx drivers/mmcsd/mmcsd_sdio.c at 4ebc8a72), one or four lines.
 *
 * A write returns when its data are over; whether the card still programs is asked before the next
 * operation, and only if a write came before: CMD13 until the transfer state, for 1 s at most. How that
 * waits is an option of the build (profile: ready_wait): with usleep(1000) between two looks, which
 * NuttX rounds up to whole ticks and ends at the tick after that; with sched_yield, which for a
 * lone task is no pause; or with the controller's event when DAT0 rises, and then CMD13.
 *
 * CMD17 or CMD24 for one block. More: CMD18, and CMD25 after CMD55 and ACMD23, with CMD23 before (profile:
 * block_count) where the card has it, else with CMD12 by the driver. Commands are polled; the end of
 * the data wakes the task from the interrupt. Sync does nothing.
 *
 * High speed is asked for (CMD6) by releases of 2026 on if the controller can; the profile's clock
 * decides.
 *
 * Costs used: call, command, wake, bulk (between two blocks), copy.
 */
#include "driver/sd_bus.h"

static void attach(struct sdsim_driver *driver)
{
    driver->sd = sdsim_sd_engine_of(driver);
    driver->sd.command_after = 0;
    driver->sd.status_after = 0;
}

static enum sdsim_driver_error init(struct sdsim_driver *driver, sdsim_ps *now)
{
    /* MMCSD_IDLE_DELAY after CMD0 and between two ACMD41. */
    const struct sdsim_sd_identification how = {.after_reset = 100 * SDSIM_MS,
                                                .retry = 100 * SDSIM_MS,
                                                .registers = true,
                                                .high_speed = true};
    return sdsim_sd_identify(driver, now, &how);
}

/* mmcsd_transferready */
static bool wait_ready(struct sdsim_driver *driver, sdsim_ps *now)
{
    static const struct sdsim_wait dat0 = {
        .test = SDSIM_READY_DAT0, .limit = 260 * SDSIM_MS, .soft = true};
    const struct sdsim_driver_params *params = driver->params;
    const sdsim_ps tick = params->ready_wait == SDSIM_WAIT_SLEEPS ? params->tick : 0;
    const struct sdsim_wait transfer = {
        .test = SDSIM_READY_STATUS,
        .limit = SDSIM_S,
        .sleep = tick > 0 ? (SDSIM_MS + tick - 1) / tick * tick : 0,
        .tick = tick,
    };
    driver->writing =
        driver->writing &&
        !sdsim_sd_wait(driver, now, params->ready_wait == SDSIM_WAIT_DAT0 ? &dat0 : NULL,
                       &transfer);
    return !driver->writing;
}

static bool move(struct sdsim_driver *driver, sdsim_ps *now, const struct sdsim_sd_part *part)
{
    const bool writes = part->content != NULL;
    const bool many = part->count > 1;
    const bool counted = sdsim_sd_counted(driver, part);
    const struct sdsim_sd_manner manner = {.command = sdsim_sd_block_command(part),
                                           .flags = SDSIM_LEAVE_BUSY};
    if (!wait_ready(driver, now) ||
        (writes && many && !sdsim_sd_app(driver, now, 23, part->count)) ||
        (counted && !sdsim_sd_plain(driver, now, 23, part->count)) ||
        !sdsim_sd_move(driver, now, part, &manner) ||
        (many && !counted && !sdsim_sd_stop(driver, now, NULL))) {
        return false;
    }
    driver->writing = writes;
    return true;
}

const struct sdsim_driver_class sdsim_driver_nuttx_mmcsd = {
    .name = "nuttx-mmcsd-sdio",
    .sd = true,
    .ticks = true,
    .request = sdsim_sd_request,
    .attach = attach,
    .init = init,
    .read = sdsim_sd_read,
    .write = sdsim_sd_write,
    .move = move,
};
