/*
 * An SD driver of which nothing is known but that it works: for hosts whose own driver can't be
 * read. One or four lines.
 *
 * CMD17 or CMD24 for one block; CMD18 or CMD25, and CMD12 by the driver, for more, no more than the
 * profile's most_blocks. CMD23 instead of CMD12 if the profile says so and the card knows it. After
 * each transfer CMD13 until the transfer state. Blocks move by DMA (profile: dma) or through a FIFO
 * by the CPU.
 *
 * Costs used: call, command, wake, bulk (between two blocks), copy; FIFO: chunk, chunk_gap.
 */
#include "driver/sd_bus.h"

static void attach(struct sdsim_driver *driver)
{
    driver->sd = sdsim_sd_engine_of(driver);
    if (!driver->params->dma) {
        driver->sd.fifo = sdsim_sd_fifo(driver->costs);
    }
}

static enum sdsim_driver_error init(struct sdsim_driver *driver, sdsim_ps *now)
{
    const struct sdsim_sd_identification how = {.registers = true, .high_speed = true};
    return sdsim_sd_identify(driver, now, &how);
}

static bool move(struct sdsim_driver *driver, sdsim_ps *now, const struct sdsim_sd_part *part)
{
    static const struct sdsim_wait transfer = {.test = SDSIM_READY_STATUS, .limit = 5 * SDSIM_S};
    const bool counted = sdsim_sd_counted(driver, part);
    const bool stopped = part->count > 1 && !counted;
    const struct sdsim_sd_manner manner = {
        .command = sdsim_sd_block_command(part),
        .finish = stopped ? NULL : &transfer,
    };
    return (!counted || sdsim_sd_plain(driver, now, 23, part->count)) &&
           sdsim_sd_move(driver, now, part, &manner) &&
           (!stopped || sdsim_sd_stop(driver, now, &transfer));
}

const struct sdsim_driver_class sdsim_driver_generic_sd = {
    .name = "generic-sd",
    .sd = true,
    .request = sdsim_sd_request,
    .attach = attach,
    .init = init,
    .read = sdsim_sd_read,
    .write = sdsim_sd_write,
    .move = move,
};
