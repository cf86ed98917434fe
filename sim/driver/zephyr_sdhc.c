/*
 * Zephyr, over SPI (drivers/sdhc/sdhc_spi.c and subsys/sd).
 *
 * CS is held for a whole request and no byte follows it. A command is one transceive: a leading
 * byte, six bytes, and 14 more for the response; 2 more if data follows. A response that is not
 * there yet is looked for in single bytes, the first at once, each further one after 10 ms: a card
 * that takes three bytes or more to respond to a data command costs that. The start token is looked
 * for in single bytes; the block is one transceive, its CRC16 and a byte behind it another. When
 * writing, token, block and CRC go out at once. Both CRCs are made and checked in software.
 *
 * After every read and write one byte shows whether the card is busy, 125 us between two looks, and
 * CMD13 follows (status_after_read, status_after_write). CTRL_SYNC does the same. No ACMD23.
 * Buffers that can't be used go through the card's buffer (bounce_blocks).
 *
 * Costs used: call, command, transfer (each short transceive), bulk, chunk, chunk_gap, crc16, copy.
 *
 * Limits: CMD12 of a read never leaves the card of this simulator busy, so the driver's sleep of a
 * thousand ticks there does not come up.
 */
#include "driver/spi_steps.h"

enum {
    RESPONSE_BYTES = 14,
    DATA_RESPONSE_BYTES = 2,
    WHOLE = SDSIM_SELECT | SDSIM_DESELECT,
};

static const struct sdsim_wait card_free = {
    .test = SDSIM_READY_ALL_ONES, .limit = SDSIM_S, .sleep = 125 * SDSIM_US};

static void attach(struct sdsim_driver *driver)
{
    const struct sdsim_driver_costs *costs = driver->costs;
    const struct sdsim_burst transceive = {.before = costs->transfer};
    driver->spi = sdsim_spi_byte_engine(costs);
    driver->spi.fill = (struct sdsim_burst){.before = 0}; /* the leading byte is in the command's */
    driver->spi.command = transceive;
    driver->spi.extra = transceive;
    driver->spi.crc = transceive;
    driver->spi.response_window = RESPONSE_BYTES;
    driver->spi.data_window = DATA_RESPONSE_BYTES;
    driver->spi.late_looks = 20;
    driver->spi.late_sleep = 10 * SDSIM_MS;
    driver->spi.look_ahead = 1;
    driver->spi.crc_tail = 1;
    driver->spi.token_limit = 10 * SDSIM_S; /* a million looks */
    driver->spi.block_busy = (struct sdsim_wait){.test = SDSIM_READY_ALL_ONES, .limit = SDSIM_S};
    driver->spi.read_cpu = costs->crc16;
    driver->spi.write_cpu = costs->crc16;
}

/* Writing, the token and the CRC are in the burst of the block. */
static void set_bursts(struct sdsim_driver *driver, bool writing)
{
    const sdsim_ps single = writing ? 0 : driver->costs->transfer;
    driver->spi.token.before = single;
    driver->spi.crc.before = single;
}

/* A command in the CS period at work. Its transceive is as long whatever the response is. */
static bool command(struct sdsim_driver *driver, sdsim_ps *now, uint32_t lba,
                    struct sdsim_transaction *tx, struct sdsim_result *result)
{
    const unsigned extra = tx->response == SDSIM_RESPONSE_R2   ? 1
                           : tx->response == SDSIM_RESPONSE_R3 ? 4
                                                               : 0;
    driver->spi.response_window = (uint8_t)(RESPONSE_BYTES - extra);
    tx->lead_bytes = 1;
    return sdsim_spi_do(driver, now, lba, tx, result);
}

static bool request(struct sdsim_driver *driver, sdsim_ps *now, struct sdsim_transaction *bare,
                    struct sdsim_result *result)
{
    bare->flags |= SDSIM_DESELECT;
    return command(driver, now, SDSIM_NO_LBA, bare, result);
}

static const struct sdsim_spi_identify identify = {
    .manner = {request},
    .settle = SDSIM_MS,
    .clocks = 10,
    .crc_on = true,
    .retry = 10 * SDSIM_MS,
    .patience = 2 * SDSIM_S,
};

static enum sdsim_driver_error init(struct sdsim_driver *driver, sdsim_ps *now)
{
    return sdsim_spi_identify(driver, now, &identify);
}

/* Waits until the card is free and asks for its status. */
static bool wait_ready(struct sdsim_driver *driver, sdsim_ps *now, uint64_t times)
{
    struct sdsim_result result;
    const struct sdsim_transaction look = {.flags = WHOLE, .finish = &card_free};
    for (uint64_t i = 0; i < times; i++) {
        if (!sdsim_driver_do(driver, now, "wait for ready", SDSIM_NO_LBA, &look, &result) ||
            !sdsim_spi_plain(driver, now, &identify.manner, 13, 0, SDSIM_RESPONSE_R2, &result)) {
            return false;
        }
    }
    return true;
}

static bool read_request(struct sdsim_driver *driver, sdsim_ps *now, uint32_t lba, uint32_t count,
                         uint8_t *out)
{
    const bool single = count == 1;
    struct sdsim_result result;
    sdsim_driver_cpu(driver, now, driver->costs->call);
    struct sdsim_transaction tx = sdsim_spi_reading(driver, single ? 17 : 18, lba, count, out);
    tx.flags |= single ? SDSIM_DESELECT : 0;
    bool done = command(driver, now, lba, &tx, &result);
    if (!single && sdsim_spi_began(&result)) {
        struct sdsim_transaction stop = {
            .flags = SDSIM_COMMAND | SDSIM_SELECT, .command = 12, .response = SDSIM_RESPONSE_R1};
        done = request(driver, now, &stop, &result) && done;
    }
    return done && wait_ready(driver, now, driver->params->status_after_read);
}

static bool write_request(struct sdsim_driver *driver, sdsim_ps *now, uint32_t lba, uint32_t count,
                          const struct sdsim_content *content)
{
    const bool single = count == 1;
    struct sdsim_result result;
    sdsim_driver_cpu(driver, now, driver->costs->call);
    struct sdsim_transaction tx = sdsim_spi_writing(driver, single ? 24 : 25, lba, count, content);
    tx.flags |= SDSIM_DESELECT | SDSIM_BLOCK_BUSY;
    tx.flags |= single ? 0 : SDSIM_STOP_TOKEN;
    tx.finish = single ? NULL : &driver->spi.block_busy;
    set_bursts(driver, true);
    const bool done = command(driver, now, lba, &tx, &result);
    set_bursts(driver, false);
    return done && wait_ready(driver, now, driver->params->status_after_write);
}

static enum sdsim_driver_error read(struct sdsim_driver *driver, sdsim_ps *now, uint32_t lba,
                                    uint32_t count, uint8_t *out)
{
    return sdsim_spi_split_read(driver, now, lba, count, out, read_request);
}

static enum sdsim_driver_error write(struct sdsim_driver *driver, sdsim_ps *now, uint32_t lba,
                                     uint32_t count, const struct sdsim_content *content)
{
    return sdsim_spi_split_write(driver, now, lba, count, content, write_request);
}

static enum sdsim_driver_error sync(struct sdsim_driver *driver, sdsim_ps *now)
{
    return wait_ready(driver, now, 1) ? SDSIM_DRIVER_OK : SDSIM_DRIVER_FAILED;
}

const struct sdsim_driver_class sdsim_driver_zephyr_sdhc = {
    .name = "zephyr-sdhc-spi",
    .spi = true,
    .attach = attach,
    .init = init,
    .read = read,
    .write = write,
    .sync = sync,
};
