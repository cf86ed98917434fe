/*
 * A driver over SPI of which nothing is known but that it is one: what most of them have in common.
 *
 * CS low and CS high are followed by a byte each, and before a command the card is waited for by
 * single bytes, up to half a second. CMD17 or CMD18 with CMD12 read; CMD24 or CMD25 with a stop
 * token write, each block and the stop token waited for, no ACMD23. What differs from driver to
 * driver are options: CMD13s (status_after_read, status_after_write), single sectors (most_blocks),
 * sleeps between looks (poll_sleep), when CMD25 is worth it (multiple_from), and a fault: a CMD12 that
 * is not understood and sent again later (stop_retry).
 *
 * Costs used: call, command, transfer, bulk, chunk, chunk_gap, crc16, copy.
 */
#include "driver/spi_steps.h"

static void attach(struct sdsim_driver *driver)
{
    const struct sdsim_wait ready = {
        .test = SDSIM_READY_ALL_ONES, .limit = 500 * SDSIM_MS, .sleep = driver->params->poll_sleep};
    driver->spi = sdsim_spi_byte_engine(driver->costs);
    driver->spi.token_limit = 500 * SDSIM_MS;
    driver->spi.token_sleep = driver->params->poll_sleep;
    driver->spi.block_ready = ready;
    driver->spi.block_busy = ready;
    driver->spi.read_cpu = driver->costs->crc16;
    driver->spi.write_cpu = driver->costs->crc16;
}

static bool command(struct sdsim_driver *driver, sdsim_ps *now, struct sdsim_transaction *bare,
                    struct sdsim_result *result)
{
    bare->flags |= SDSIM_DESELECT;
    bare->lead_bytes = 1;
    bare->trail_bytes = 1;
    bare->ready = &driver->spi.block_ready;
    return sdsim_spi_do(driver, now, SDSIM_NO_LBA, bare, result);
}

static const struct sdsim_spi_identify identify = {
    .manner = {command},
    .clocks = 10,
    .patience = SDSIM_S,
    .block_length = true,
};

static enum sdsim_driver_error init(struct sdsim_driver *driver, sdsim_ps *now)
{
    return sdsim_spi_identify(driver, now, &identify);
}

static bool status(struct sdsim_driver *driver, sdsim_ps *now, uint64_t times)
{
    struct sdsim_result result;
    for (uint64_t i = 0; i < times; i++) {
        if (!sdsim_spi_plain(driver, now, &identify.manner, 13, 0, SDSIM_RESPONSE_R2, &result)) {
            return false;
        }
    }
    return true;
}

static bool read_blocks(struct sdsim_driver *driver, sdsim_ps *now, uint32_t lba, uint32_t count,
                        uint8_t *out)
{
    const bool single = count == 1;
    struct sdsim_result result;
    sdsim_driver_cpu(driver, now, driver->costs->call);
    struct sdsim_transaction tx = sdsim_spi_reading(driver, single ? 17 : 18, lba, count, out);
    tx.lead_bytes = 1;
    tx.ready = &driver->spi.block_ready;
    tx.flags |= single ? SDSIM_DESELECT : 0;
    tx.trail_bytes = single ? 1 : 0;
    bool done = sdsim_spi_do(driver, now, lba, &tx, &result);
    if (!single && sdsim_spi_began(&result)) {
        const struct sdsim_transaction stop = {.flags =
                                                   SDSIM_COMMAND | SDSIM_STUFF | SDSIM_DESELECT,
                                               .command = 12,
                                               .response = SDSIM_RESPONSE_R1,
                                               .trail_bytes = 1};
        /* A CMD12 that goes wrong leaves no trace but the time until it is sent again. */
        sdsim_spend(driver->port->meter, now, SDSIM_POLL, SDSIM_LANE_CPU,
                    driver->params->stop_retry);
        done = sdsim_spi_do(driver, now, lba, &stop, &result) && done;
    }
    return done && status(driver, now, driver->params->status_after_read);
}

static bool write_blocks(struct sdsim_driver *driver, sdsim_ps *now, uint32_t lba, uint32_t count,
                         const struct sdsim_content *content)
{
    const bool single = count == 1;
    struct sdsim_result result;
    sdsim_driver_cpu(driver, now, driver->costs->call);
    struct sdsim_transaction tx = sdsim_spi_writing(driver, single ? 24 : 25, lba, count, content);
    tx.lead_bytes = 1;
    tx.ready = &driver->spi.block_ready;
    tx.flags |= SDSIM_DESELECT | SDSIM_BLOCK_BUSY;
    tx.flags |= single ? 0 : SDSIM_STOP_TOKEN;
    tx.finish = single ? NULL : &driver->spi.block_busy;
    tx.trail_bytes = 1;
    return sdsim_spi_do(driver, now, lba, &tx, &result) &&
           status(driver, now, driver->params->status_after_write);
}

static enum sdsim_driver_error read(struct sdsim_driver *driver, sdsim_ps *now, uint32_t lba,
                                    uint32_t count, uint8_t *out)
{
    return sdsim_spi_split_read(driver, now, lba, count, out, read_blocks);
}

static enum sdsim_driver_error write(struct sdsim_driver *driver, sdsim_ps *now, uint32_t lba,
                                     uint32_t count, const struct sdsim_content *content)
{
    return sdsim_spi_split_write(driver, now, lba, count, content, write_blocks);
}

const struct sdsim_driver_class sdsim_driver_generic_spi = {
    .name = "generic-spi",
    .spi = true,
    .attach = attach,
    .init = init,
    .read = read,
    .write = write,
};
