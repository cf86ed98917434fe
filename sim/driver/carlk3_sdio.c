/*
 * carlk3 no-OS-FatFS, SDIO by PIO and DMA on the RP2040 and RP2350
 * (carlk3/no-OS-FatFS-SD-SDIO-SPI-RPi-Pico src/sd_driver/SDIO at d5e45340), four lines. How it reads
 * and writes blocks is told in driver/sd_pio_dma.h, and which costs it uses.
 *
 * Writing one sector is CMD24. More are CMD25, which stays open: a call for several sectors from the
 * next one on goes on without a command; anything else, one sector too, and sync, first sends CMD12
 * and waits for DAT0 (200 ms). No ACMD23. The FreeRTOS edition sends the same; its locks, interrupts
 * and task switches cost more.
 *
 * Before version 2.2 (FreeRTOS: 2.5), `stops_writes`: several sectors are announced with ACMD23, and
 * CMD25 is ended in the same call (sd_card_sdio.c of the branch v1.1.2).
 */
#include "driver/sd_pio_dma.h"

static const struct sdsim_wait dat0_200ms = {.test = SDSIM_READY_DAT0, .limit = 200 * SDSIM_MS};

static bool end_stream(struct sdsim_driver *driver, sdsim_ps *now)
{
    const bool open = driver->writing;
    driver->writing = false;
    return !open || sdsim_sd_stop(driver, now, &dat0_200ms);
}

static bool write_and_stop(struct sdsim_driver *driver, sdsim_ps *now,
                           const struct sdsim_sd_part *part)
{
    const struct sdsim_sd_manner manner = {.command = sdsim_sd_block_command(part)};
    return sdsim_sd_app(driver, now, 23, part->count) &&
           sdsim_sd_move(driver, now, part, &manner) && sdsim_sd_stop(driver, now, &dat0_200ms);
}

static bool write_part(struct sdsim_driver *driver, sdsim_ps *now, const struct sdsim_sd_part *part)
{
    if (driver->params->stops_writes && part->count > 1) {
        return write_and_stop(driver, now, part);
    }
    const bool continued = part->count > 1 && driver->writing && driver->next_lba == part->lba;
    if (!continued && !end_stream(driver, now)) {
        return false;
    }
    const struct sdsim_sd_manner manner = {.command = continued ? 0 : sdsim_sd_block_command(part)};
    const bool done = sdsim_sd_move(driver, now, part, &manner);
    driver->writing = done && part->count > 1;
    driver->next_lba = part->lba + part->count;
    return done;
}

static bool move(struct sdsim_driver *driver, sdsim_ps *now, const struct sdsim_sd_part *part)
{
    if (part->content != NULL) {
        return write_part(driver, now, part);
    }
    return end_stream(driver, now) && sdsim_sd_pio_dma_read(driver, now, part, &dat0_200ms);
}

static enum sdsim_driver_error sync(struct sdsim_driver *driver, sdsim_ps *now)
{
    return sdsim_sd_error(end_stream(driver, now));
}

const struct sdsim_driver_class sdsim_driver_carlk3_sdio = {
    .name = "carlk3-sdio",
    .sd = true,
    .attach = sdsim_sd_pio_dma_attach,
    .init = sdsim_sd_pio_dma_init,
    .read = sdsim_sd_read,
    .write = sdsim_sd_write,
    .move = move,
    .sync = sync,
};

const struct sdsim_driver_class sdsim_driver_carlk3_freertos_sdio = {
    .name = "carlk3-freertos-sdio",
    .costs_of = "carlk3-sdio",
    .sd = true,
    .attach = sdsim_sd_pio_dma_attach,
    .init = sdsim_sd_pio_dma_init,
    .read = sdsim_sd_read,
    .write = sdsim_sd_write,
    .move = move,
    .sync = sync,
};
