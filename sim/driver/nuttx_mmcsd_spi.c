/*
 * NuttX, over SPI (drivers/mmcsd/mmcsd_spi.c).
 *
 * Before every command, CMD12 included, bytes are clocked until one is 0xFF; once that has taken
 * 10 ms, with sleeps of 10 ms in between, which end at a tick of the system. The six bytes of a
 * command are six SPI_SENDs. When writing a sync byte goes before each token, and each block is
 * waited for, as is the stop token. ACMD23 goes before CMD25. CS high is followed by two bytes, one
 * by the driver and one as it unlocks the bus. No CRC, no CMD13.
 *
 * Costs used: call (mutex, bus lock, mode and frequency), command, transfer, bulk, chunk,
 * chunk_gap, copy. The driver's profile says how long a tick is.
 *
 * Limits: a failed call is not tried again.
 */
#include "driver/spi_steps.h"

/* The sync byte before a token: a look that does not care what it sees. */
static const struct sdsim_wait sync_byte = {.test = SDSIM_READY_ALL_ONES, .limit = 1, .soft = true};

static void attach(struct sdsim_driver *driver)
{
    driver->spi = sdsim_spi_byte_engine(driver->costs);
    driver->spi.response_looks = 9;
    driver->spi.token_limit = 300 * SDSIM_MS;
    driver->spi.block_ready = sync_byte;
    driver->spi.block_busy = (struct sdsim_wait){.test = SDSIM_READY_ALL_ONES,
                                                 .limit = 500 * SDSIM_MS,
                                                 .sleep = 10 * SDSIM_MS,
                                                 .sleep_after = 10 * SDSIM_MS,
                                                 .tick = driver->params->tick};
}

/* A command in the CS period at work. */
static bool command(struct sdsim_driver *driver, sdsim_ps *now, struct sdsim_transaction *bare,
                    struct sdsim_result *result)
{
    bare->ready = &driver->spi.block_busy;
    return sdsim_spi_do(driver, now, SDSIM_NO_LBA, bare, result);
}

static void deselect(struct sdsim_driver *driver, sdsim_ps *now)
{
    const struct sdsim_transaction tx = {.flags = SDSIM_DESELECT, .trail_bytes = 2};
    sdsim_spi_clock(driver, now, &tx);
}

static const struct sdsim_spi_identify identify = {
    .manner = {command},
    .clocks = 10,
    .patience = SDSIM_S,
};

static enum sdsim_driver_error init(struct sdsim_driver *driver, sdsim_ps *now)
{
    const enum sdsim_driver_error error = sdsim_spi_identify(driver, now, &identify);
    deselect(driver, now);
    return error;
}

static enum sdsim_driver_error read(struct sdsim_driver *driver, sdsim_ps *now, uint32_t lba,
                                    uint32_t count, uint8_t *out)
{
    const bool single = count == 1;
    struct sdsim_result result;
    sdsim_driver_cpu(driver, now, driver->costs->call);
    struct sdsim_transaction tx = sdsim_spi_reading(driver, single ? 17 : 18, lba, count, out);
    tx.ready = &driver->spi.block_busy;
    bool done = sdsim_spi_do(driver, now, lba, &tx, &result);
    if (done && !single) {
        struct sdsim_transaction stop = {.flags = SDSIM_COMMAND | SDSIM_STUFF,
                                         .command = 12,
                                         .response = SDSIM_RESPONSE_R1,
                                         .finish = &driver->spi.block_busy};
        done = command(driver, now, &stop, &result);
    }
    deselect(driver, now);
    return done ? SDSIM_DRIVER_OK : SDSIM_DRIVER_FAILED;
}

static enum sdsim_driver_error write(struct sdsim_driver *driver, sdsim_ps *now, uint32_t lba,
                                     uint32_t count, const struct sdsim_content *content)
{
    const bool single = count == 1;
    struct sdsim_result result;
    sdsim_driver_cpu(driver, now, driver->costs->call);
    struct sdsim_transaction tx = sdsim_spi_writing(driver, single ? 24 : 25, lba, count, content);
    tx.flags |= SDSIM_BLOCK_READY | SDSIM_BLOCK_BUSY;
    tx.flags |= single ? 0 : SDSIM_STOP_TOKEN;
    tx.ready = &driver->spi.block_busy;
    tx.finish = single ? NULL : &driver->spi.block_busy;
    const bool done =
        (single || sdsim_spi_app(driver, now, &identify.manner, 23, count, &result)) &&
        sdsim_spi_do(driver, now, lba, &tx, &result);
    deselect(driver, now);
    return done ? SDSIM_DRIVER_OK : SDSIM_DRIVER_FAILED;
}

const struct sdsim_driver_class sdsim_driver_nuttx_spi = {
    .name = "nuttx-mmcsd-spi",
    .spi = true,
    .ticks = true,
    .attach = attach,
    .init = init,
    .read = read,
    .write = write,
};
