/*
 * NXP's MCUXpresso SDK, sdmmc middleware (fsl_sd.c) on the USDHC of the i.MX RT, one or four lines.
 *
 * Before each transfer the CPU watches DAT0, and then sends CMD13 until the card is ready. CMD17 or
 * CMD24, or CMD18 or CMD25 with the controller's automatic CMD12; no CMD23. Data move by DMA; the
 * end is an interrupt, or polled. A write returns when the controller says that the transfer is
 * complete, which is after the busy of the last block but before that of CMD12. High speed if the
 * card has it. Buffers that are not aligned go sector by sector. Sync does nothing.
 *
 * Costs used: call, command, wake, bulk (between two blocks), copy.
 *
 * Where the board has 1.8 V (nxp-sdk-usdhc-uhs) the SDK goes on to SDR50 or SDR104.
 */
#include "driver/sd_bus.h"

static void attach(struct sdsim_driver *driver)
{
    driver->sd = sdsim_sd_engine_of(driver);
}

static enum sdsim_driver_error init(struct sdsim_driver *driver, sdsim_ps *now)
{
    const struct sdsim_sd_identification how = {.registers = true, .high_speed = true};
    return sdsim_sd_identify(driver, now, &how);
}

static bool move(struct sdsim_driver *driver, sdsim_ps *now, const struct sdsim_sd_part *part)
{
    static const struct sdsim_wait dat0 = {.test = SDSIM_READY_DAT0, .limit = 10 * SDSIM_S};
    static const struct sdsim_wait idle = {.test = SDSIM_READY_STATUS, .limit = 10 * SDSIM_S};
    const struct sdsim_sd_manner manner = {
        .command = sdsim_sd_block_command(part),
        .flags = part->count > 1 ? SDSIM_AUTO_STOP : 0,
    };
    return sdsim_sd_wait(driver, now, &dat0, &idle) && sdsim_sd_move(driver, now, part, &manner);
}

const struct sdsim_driver_class sdsim_driver_nxp_usdhc = {
    .name = "nxp-sdk-usdhc",
    .sd = true,
    .request = sdsim_sd_request,
    .attach = attach,
    .init = init,
    .read = sdsim_sd_read,
    .write = sdsim_sd_write,
    .move = move,
};

static enum sdsim_driver_error init_uhs(struct sdsim_driver *driver, sdsim_ps *now)
{
    const struct sdsim_sd_identification how = {.registers = true, .high_speed = true, .uhs = true};
    return sdsim_sd_identify(driver, now, &how);
}

const struct sdsim_driver_class sdsim_driver_nxp_usdhc_uhs = {
    .name = "nxp-sdk-usdhc-uhs",
    .costs_of = "nxp-sdk-usdhc",
    .sd = true,
    .request = sdsim_sd_request_uhs,
    .attach = attach,
    .init = init_uhs,
    .read = sdsim_sd_read,
    .write = sdsim_sd_write,
    .move = move,
};
