/*
 * CircuitPython sdioio on the SDHC of the SAMD51 (adafruit/circuitpython
 * ports/atmel-samd/common-hal/sdioio/SDCard.c and sd_mmc/sd_mmc.c at cd3da4a5, over ASF4's
 * hpl_sdhc.c), one or four lines.
 *
 * The CPU moves the data, a word at a time, once the controller has a whole block: it empties one
 * block while the next is on the bus, so only the last one is seen. Around each command it waits
 * for 10 us before the registers are set off and for 10 us after, which the command itself hides.
 *
 * A read asks by CMD13 until the card is ready, then CMD17, or CMD18 and CMD12, which waits for
 * DAT0. A write asks nothing: CMD24 or CMD25, and returns when the controller says that the
 * transfer is complete, which is after the busy of the last block. CMD25's CMD12 is left to the
 * next call. No CMD23, no ACMD23. Sync does nothing.
 *
 * The frequency that the application asks for is ignored. The controller gets 12 MHz (generator 6:
 * the 48 MHz of the DFLL by four), and divides them for the 25 or 50 MHz of the card by nothing;
 * but with high speed on, which every card gets that has it, ASF4 insists on a divider: 6 MHz.
 *
 * Costs used: call, command, chunk, chunk_gap (a word), wake.
 *
 * Limits: that a block is emptied while the next is on the bus is how such controllers work, and
 * was not measured. Identification does without CMD6.
 */
#include "driver/sd_bus.h"

static const struct sdsim_wait dat0 = {.test = SDSIM_READY_DAT0};

enum {
    BASE_HZ = 12000000,
};

static uint64_t request(uint64_t asked_hz, const struct sdsim_card_params *card)
{
    (void)asked_hz;
    return card->high_hz > 0 ? BASE_HZ / 2 : BASE_HZ;
}

static void attach(struct sdsim_driver *driver)
{
    driver->sd = sdsim_sd_engine_of(driver);
    driver->sd.block_gap = 0;
    driver->sd.block_start = 0;
    driver->sd.copy = 0;
    driver->sd.fifo = sdsim_sd_fifo(driver->costs);
    driver->sd.data_after = sdsim_time_sum(driver->sd.fifo, driver->costs->wake);
}

static enum sdsim_driver_error init(struct sdsim_driver *driver, sdsim_ps *now)
{
    const struct sdsim_sd_identification how = {.registers = true};
    return sdsim_sd_identify(driver, now, &how);
}

/* The CMD12 that the last call left out. */
static bool end_stream(struct sdsim_driver *driver, sdsim_ps *now)
{
    const bool open = driver->writing;
    driver->writing = false;
    return !open || sdsim_sd_stop(driver, now, &dat0);
}

static bool move(struct sdsim_driver *driver, sdsim_ps *now, const struct sdsim_sd_part *part)
{
    static const struct sdsim_wait transfer = {.test = SDSIM_READY_STATUS};
    const bool writes = part->content != NULL;
    const bool many = part->count > 1;
    const struct sdsim_sd_manner manner = {
        .command = sdsim_sd_block_command(part),
        .ready = writes ? NULL : &transfer,
    };
    if (!end_stream(driver, now) || !sdsim_sd_move(driver, now, part, &manner)) {
        return false;
    }
    driver->writing = writes && many;
    return writes || !many || sdsim_sd_stop(driver, now, &dat0);
}

const struct sdsim_driver_class sdsim_driver_sdioio_samd = {
    .name = "circuitpython-sdioio-samd",
    .sd = true,
    .request = request,
    .attach = attach,
    .init = init,
    .read = sdsim_sd_read,
    .write = sdsim_sd_write,
    .move = move,
};
