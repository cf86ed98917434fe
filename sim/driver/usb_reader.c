/*
 * A USB 2.0 card reader on a Linux host: usb-storage, SCSI over bulk-only transport, and the
 * reader's firmware, four lines.
 *
 * Linux moves at most 240 sectors with one SCSI command (drivers/usb/storage/scsiglue.c; profile:
 * most_blocks), one at a time: command block, data, status, each at least one USB transaction that
 * waits for its microframe. What readers do on the card is not published; the common way is assumed:
 * CMD17 or CMD24 for one sector, CMD18 or CMD25 and CMD12 for more, and status to the host when DAT0
 * is high again. The card's data and the USB's go through a buffer side by side, so the slower of
 * the two counts. High speed if the card has it.
 *
 * Costs used: call (host, USB and firmware for one SCSI command without its data), command, wake,
 * bulk (between two blocks), copy, chunk and chunk_gap (USB time of so many bytes).
 *
 * Limits: readers that keep a stream open between SCSI commands, or read ahead, are faster.
 */
#include "driver/sd_bus.h"

static void attach(struct sdsim_driver *driver)
{
    driver->sd = sdsim_sd_engine_of(driver);
    driver->sd.fifo = sdsim_sd_fifo(driver->costs);
}

static enum sdsim_driver_error init(struct sdsim_driver *driver, sdsim_ps *now)
{
    const struct sdsim_sd_identification how = {
        .retry = SDSIM_MS, .registers = true, .high_speed = true};
    return sdsim_sd_identify(driver, now, &how);
}

static bool move(struct sdsim_driver *driver, sdsim_ps *now, const struct sdsim_sd_part *part)
{
    static const struct sdsim_wait dat0 = {.test = SDSIM_READY_DAT0};
    const struct sdsim_sd_manner manner = {.command = sdsim_sd_block_command(part)};
    return sdsim_sd_move(driver, now, part, &manner) &&
           (part->count == 1 || sdsim_sd_stop(driver, now, &dat0));
}

const struct sdsim_driver_class sdsim_driver_usb_reader = {
    .name = "usb-reader",
    .sd = true,
    .request = sdsim_sd_request,
    .attach = attach,
    .init = init,
    .read = sdsim_sd_read,
    .write = sdsim_sd_write,
    .move = move,
};
