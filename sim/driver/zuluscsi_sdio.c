/*
 * ZuluSCSI, SDIO by PIO and DMA on the RP2040 and RP2350 (ZuluSCSI/ZuluSCSI-firmware
 * lib/ZuluSCSI_platform_RP2MCU at 122613ed), four lines. How it reads and writes blocks is told in
 * driver/sd_pio_dma.h, and which costs it uses.
 *
 * CMD16 comes before every operation. Writing one sector is CMD24; more are CMD55, ACMD23, CMD25
 * and a CMD12 after which DAT0 is awaited (5 s) before the call returns. Nothing stays open; sync
 * does nothing.
 */
#include "driver/sd_pio_dma.h"

static const struct sdsim_wait dat0_5s = {.test = SDSIM_READY_DAT0, .limit = 5 * SDSIM_S};

static bool write_part(struct sdsim_driver *driver, sdsim_ps *now, const struct sdsim_sd_part *part)
{
    const bool many = part->count > 1;
    const struct sdsim_sd_manner manner = {.command = sdsim_sd_block_command(part)};
    return (!many || sdsim_sd_app(driver, now, 23, part->count)) &&
           sdsim_sd_move(driver, now, part, &manner) &&
           (!many || sdsim_sd_stop(driver, now, &dat0_5s));
}

static bool move(struct sdsim_driver *driver, sdsim_ps *now, const struct sdsim_sd_part *part)
{
    return sdsim_sd_plain(driver, now, 16, SDSIM_SECTOR) &&
           (part->content != NULL ? write_part(driver, now, part)
                                  : sdsim_sd_pio_dma_read(driver, now, part, &dat0_5s));
}

const struct sdsim_driver_class sdsim_driver_zuluscsi_sdio = {
    .name = "zuluscsi-pio-sdio",
    .sd = true,
    .attach = sdsim_sd_pio_dma_attach,
    .init = sdsim_sd_pio_dma_init,
    .read = sdsim_sd_read,
    .write = sdsim_sd_write,
    .move = move,
};
