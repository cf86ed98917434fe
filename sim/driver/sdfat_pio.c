/*
 * SdFat PioSdio (greiman/SdFat src/SdCard/PioSdio at cda05731): SDIO made by two PIO state machines
 * of the RP2040 and RP2350, on four lines. CircuitPython's sdioio on these chips is built on it.
 *
 * Reading and writing is always an open-ended CMD18 or CMD25, also for one sector. A call for the
 * next sector goes on without a command; anything else, and sync, waits until DAT0 is high, sends
 * CMD12 and waits again. The clock runs only while something is moved: the state machines are set
 * up anew for each command and each block. The CPU moves the data, four words at a time, and makes
 * the CRC16 in the same loop; where it is slower than the bus, the clock waits for it. Before each
 * block it writes, DAT0 must be high; the busy of a call's last block is met by the next call.
 *
 * The clock is the system clock by 4 by default, without CMD6. Limits of the driver: 300 ms to read,
 * 600 ms to write a block, 2 s for CMD12.
 *
 * Costs used: call, command, wake, chunk, chunk_gap, bulk (setting the state machines up for a
 * block).
 *
 * Limits: while waiting for data the real clock runs at half its speed, and the CRC status is read
 * at two fifths; both add less than a microsecond to a block, which is part of `bulk`. After CMD12 the
 * driver also sends CMD13 while DAT0 is low, which is left out.
 */
#include "driver/sd_bus.h"

static const struct sdsim_wait write_600ms = {.test = SDSIM_READY_DAT0, .limit = 600 * SDSIM_MS};
static const struct sdsim_wait stop_2s = {.test = SDSIM_READY_DAT0, .limit = 2 * SDSIM_S};

static void attach(struct sdsim_driver *driver)
{
    driver->sd = sdsim_sd_engine_of(driver);
    driver->sd.clock_stops = true;
    driver->sd.fifo = sdsim_sd_fifo(driver->costs);
    driver->sd.data_after = 0; /* the CPU is there */
}

static enum sdsim_driver_error init(struct sdsim_driver *driver, sdsim_ps *now)
{
    const struct sdsim_sd_identification how = {.registers = true};
    return sdsim_sd_identify(driver, now, &how);
}

static bool end_stream(struct sdsim_driver *driver, sdsim_ps *now)
{
    if (!driver->reading && !driver->writing) {
        return true;
    }
    driver->reading = false;
    driver->writing = false;
    return sdsim_sd_wait(driver, now, &stop_2s, NULL) && sdsim_sd_stop(driver, now, &stop_2s);
}

static bool move(struct sdsim_driver *driver, sdsim_ps *now, const struct sdsim_sd_part *part)
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
        .flags = writes ? SDSIM_LEAVE_BUSY : 0,
        .ready = continued && writes ? &write_600ms : NULL,
    };
    *open = sdsim_sd_move(driver, now, part, &manner);
    driver->next_lba = part->lba + part->count;
    return *open;
}

static enum sdsim_driver_error sync(struct sdsim_driver *driver, sdsim_ps *now)
{
    return sdsim_sd_error(end_stream(driver, now));
}

const struct sdsim_driver_class sdsim_driver_sdfat_pio = {
    .name = "sdfat-pio-sdio",
    .sd = true,
    .attach = attach,
    .init = init,
    .read = sdsim_sd_read,
    .write = sdsim_sd_write,
    .move = move,
    .sync = sync,
};
