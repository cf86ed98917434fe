/*
 * Linux, block layer and MMC core (drivers/mmc/core/block.c, mmc_ops.c, drivers/mmc/host/sdhci.c),
 * one or four lines.
 *
 * A request of the block layer is at most as long as the host allows (profile: most_blocks; 1024 is
 * 512 KiB, the usual limit of SDHCI). One sector is CMD17 or CMD24; more are CMD18 or CMD25, with
 * CMD23 before where card and host have it (profile: block_count), else with CMD12, during whose
 * busy the controller watches DAT0. Data move by DMA, their end is an interrupt. After a write CMD13
 * until the card is ready (10 s): the driver sleeps between two looks, 32 to 64 us at first and
 * twice as long each time, up to 32.8 to 65.5 ms (__mmc_poll_for_busy). High speed if the card has
 * it; where the board has 1.8 V for the card (linux-mmc-uhs), UHS-I (sd.c, mmc_sd_init_uhs_card).
 * Sync does nothing on a card without cache.
 *
 * Costs used: call (submission of a request, queue, completion), command, wake, bulk (between two
 * blocks), copy.
 *
 * Limits: one request at a time; the kernel prepares the next one meanwhile, so long sequences of
 * requests cost a little less. The page cache and read-ahead lie above. No command queue. DDR50, two
 * bits a clock at 50 MHz, is what a host with 100 MHz gets: the commands are then 1 us too quick.
 */
#include "driver/sd_bus.h"

static void attach(struct sdsim_driver *driver)
{
    driver->sd = sdsim_sd_engine_of(driver);
}

static enum sdsim_driver_error init(struct sdsim_driver *driver, sdsim_ps *now)
{
    const struct sdsim_sd_identification how = {
        .after_reset = SDSIM_MS, .retry = 10 * SDSIM_MS, .registers = true, .high_speed = true};
    return sdsim_sd_identify(driver, now, &how);
}

static enum sdsim_driver_error init_uhs(struct sdsim_driver *driver, sdsim_ps *now)
{
    const struct sdsim_sd_identification how = {.after_reset = SDSIM_MS,
                                                .retry = 10 * SDSIM_MS,
                                                .registers = true,
                                                .high_speed = true,
                                                .uhs = true};
    return sdsim_sd_identify(driver, now, &how);
}

static bool move(struct sdsim_driver *driver, sdsim_ps *now, const struct sdsim_sd_part *part)
{
    /* usleep_range(32, 64), and so on: the middle. */
    static const struct sdsim_wait ready = {.test = SDSIM_READY_STATUS,
                                            .limit = 10 * SDSIM_S,
                                            .sleep = 48 * SDSIM_US,
                                            .sleep_most = 49152 * SDSIM_US};
    static const struct sdsim_wait dat0 = {.test = SDSIM_READY_DAT0};
    const bool writes = part->content != NULL;
    const bool counted = sdsim_sd_counted(driver, part);
    const struct sdsim_sd_manner manner = {.command = sdsim_sd_block_command(part)};
    return (!counted || sdsim_sd_plain(driver, now, 23, part->count)) &&
           sdsim_sd_move(driver, now, part, &manner) &&
           (part->count == 1 || counted || sdsim_sd_stop(driver, now, &dat0)) &&
           (!writes || sdsim_sd_wait(driver, now, NULL, &ready));
}

const struct sdsim_driver_class sdsim_driver_linux_mmc = {
    .name = "linux-mmc",
    .sd = true,
    .request = sdsim_sd_request,
    .attach = attach,
    .init = init,
    .read = sdsim_sd_read,
    .write = sdsim_sd_write,
    .move = move,
};

const struct sdsim_driver_class sdsim_driver_linux_mmc_uhs = {
    .name = "linux-mmc-uhs",
    .costs_of = "linux-mmc",
    .sd = true,
    .request = sdsim_sd_request_uhs,
    .attach = attach,
    .init = init_uhs,
    .read = sdsim_sd_read,
    .write = sdsim_sd_write,
    .move = move,
};
