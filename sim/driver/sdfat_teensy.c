/*
 * SdFat TeensySdio (greiman/SdFat src/SdCard/TeensySdio at cda05731): the SDHC of the Teensy 3.5
 * and 3.6 and the USDHC of the Teensy 4, always on four lines, with high speed if the card has it.
 *
 * FIFO mode (the default). Reading and writing is always an open-ended CMD18 or CMD25, begun after
 * CMD13 says ready. The controller stops at each block gap; the CPU moves a block in bursts of 16
 * words and lets the controller go on. A call for the next sector goes on with the stream; anything
 * else, and sync, first ends it with CMD12 and waits until DAT0 is high. When writing, the call
 * returns as soon as the FIFO has the block: the transfer and the card's busy are met by the next
 * call.
 *
 * DMA mode (profile: dma). Every operation polls CMD13 until ready, then CMD17, CMD18, CMD24 or CMD25
 * with the controller's automatic CMD12, and waits for the interrupt. Buffers that are not aligned
 * go sector by sector through one of 512 bytes.
 *
 * Nothing waits longer than 1 s for the card. No CMD23, no ACMD23.
 *
 * Costs used: call, command, wake, bulk (between two blocks; FIFO: to let the controller go on with
 * the next one); FIFO: chunk, chunk_gap; DMA: copy.
 *
 * Limits: the erratum of the K66, by which a stream ends after 65535 blocks, is left out.
 */
#include "driver/sd_bus.h"

static const struct sdsim_wait ready_1s = {.test = SDSIM_READY_STATUS, .limit = SDSIM_S};
static const struct sdsim_wait dat0_1s = {.test = SDSIM_READY_DAT0, .limit = SDSIM_S};

static void attach(struct sdsim_driver *driver)
{
    driver->sd = sdsim_sd_engine_of(driver);
    if (!driver->params->dma) {
        driver->sd.copy = 0;
        driver->sd.fifo = sdsim_sd_fifo(driver->costs);
        driver->sd.data_after = 0; /* the CPU is there */
    }
}

static enum sdsim_driver_error init(struct sdsim_driver *driver, sdsim_ps *now)
{
    const struct sdsim_sd_identification how = {.registers = true, .high_speed = true};
    return sdsim_sd_identify(driver, now, &how);
}

static bool end_stream(struct sdsim_driver *driver, sdsim_ps *now)
{
    if (!driver->reading && !driver->writing) {
        return true;
    }
    driver->reading = false;
    driver->writing = false;
    return sdsim_sd_stop(driver, now, &dat0_1s);
}

static bool stream(struct sdsim_driver *driver, sdsim_ps *now, const struct sdsim_sd_part *part)
{
    const bool writes = part->content != NULL;
    bool *const open = writes ? &driver->writing : &driver->reading;
    const bool continued = *open && driver->next_lba == part->lba;
    if (!continued && !end_stream(driver, now)) {
        return false;
    }
    const struct sdsim_sd_manner manner = {
        .command = continued ? 0
                   : writes  ? 25
                             : 18,
        .flags = writes ? SDSIM_WRITE_BEHIND : 0,
        .ready = !continued ? &ready_1s
                 : writes   ? &dat0_1s
                            : NULL,
    };
    *open = sdsim_sd_move(driver, now, part, &manner);
    driver->next_lba = part->lba + part->count;
    return *open;
}

static bool move(struct sdsim_driver *driver, sdsim_ps *now, const struct sdsim_sd_part *part)
{
    if (!driver->params->dma) {
        return stream(driver, now, part);
    }
    const struct sdsim_sd_manner manner = {
        .command = sdsim_sd_block_command(part),
        .flags = part->count > 1 ? SDSIM_AUTO_STOP : 0,
        .ready = &ready_1s,
    };
    return sdsim_sd_move(driver, now, part, &manner);
}

static enum sdsim_driver_error sync(struct sdsim_driver *driver, sdsim_ps *now)
{
    return sdsim_sd_error(end_stream(driver, now));
}

const struct sdsim_driver_class sdsim_driver_sdfat_teensy = {
    .name = "sdfat-teensy-sdio",
    .sd = true,
    .request = sdsim_sd_request,
    .attach = attach,
    .init = init,
    .read = sdsim_sd_read,
    .write = sdsim_sd_write,
    .move = move,
    .sync = sync,
};
