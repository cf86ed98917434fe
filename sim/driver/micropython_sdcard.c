/*
 * MicroPython's sdcard.py, over SPI (micropython-lib, drivers/storage/sdcard).
 *
 * All of it is Python: each transfer is a call, each change of CS another, and a command's CRC7 is
 * computed bit by bit. A call begins with a byte with CS high; nothing waits for the card before a
 * command. A missed start token is followed by a sleep of 1 ms, so an access of some hundred
 * microseconds costs a millisecond. CS goes high, with a byte, behind every block, also within
 * CMD18 and CMD25. Each written block and the stop token are waited for without a limit. No CRC16,
 * no CMD13, no ACMD23.
 *
 * Costs used: call, command (CRC7 in Python), transfer (each Python call), bulk, chunk, chunk_gap,
 * copy.
 */
#include "driver/spi_steps.h"

static const struct sdsim_wait not_busy = {.test = SDSIM_READY_NONZERO};

enum {
    WHOLE = SDSIM_SELECT | SDSIM_DESELECT,
};

static void attach(struct sdsim_driver *driver)
{
    const struct sdsim_driver_costs *costs = driver->costs;
    driver->spi = sdsim_spi_byte_engine(costs);
    driver->spi.command =
        (struct sdsim_burst){.before = costs->transfer}; /* one call for all six */
    driver->spi.stop = driver->spi.crc;                  /* two calls */
    driver->spi.stop_bytes = 2;
    driver->spi.select = costs->transfer;
    driver->spi.deselect = costs->transfer;
    driver->spi.response_looks = 100;
    driver->spi.token_sleep = SDSIM_MS;
    driver->spi.token_limit = 100 * SDSIM_MS;
    driver->spi.block_busy = not_busy;
}

static bool command(struct sdsim_driver *driver, sdsim_ps *now, struct sdsim_transaction *bare,
                    struct sdsim_result *result)
{
    bare->flags |= SDSIM_DESELECT;
    bare->trail_bytes = 1;
    return sdsim_spi_do(driver, now, SDSIM_NO_LBA, bare, result);
}

static const struct sdsim_spi_identify identify = {
    .manner = {command},
    .clocks = 16,
    .retry = 50 * SDSIM_MS,
    .patience = 5 * SDSIM_S,
    .block_length = true,
};

static enum sdsim_driver_error init(struct sdsim_driver *driver, sdsim_ps *now)
{
    return sdsim_spi_identify(driver, now, &identify);
}

/* What readblocks and writeblocks begin with. */
static void begin(struct sdsim_driver *driver, sdsim_ps *now)
{
    const struct sdsim_transaction tx = {.idle_bytes = 1};
    sdsim_driver_cpu(driver, now, driver->costs->call);
    sdsim_spi_clock(driver, now, &tx);
}

static enum sdsim_driver_error read(struct sdsim_driver *driver, sdsim_ps *now, uint32_t lba,
                                    uint32_t count, uint8_t *out)
{
    struct sdsim_result result;
    begin(driver, now);
    struct sdsim_transaction tx = sdsim_spi_reading(driver, count == 1 ? 17 : 18, lba, 1, out);
    tx.flags |= SDSIM_DESELECT;
    tx.trail_bytes = 1;
    for (uint32_t i = 0; i < count; i++) {
        if (!sdsim_spi_do(driver, now, lba + i, &tx, &result)) {
            return SDSIM_DRIVER_FAILED;
        }
        tx.flags = WHOLE; /* the next blocks come without a command */
        tx.out = tx.out != NULL ? tx.out + SDSIM_SECTOR : NULL;
    }
    if (count == 1) {
        return SDSIM_DRIVER_OK;
    }
    struct sdsim_transaction stop = {.flags = SDSIM_COMMAND | SDSIM_STUFF | SDSIM_SELECT,
                                     .command = 12,
                                     .response = SDSIM_RESPONSE_R1};
    return command(driver, now, &stop, &result) ? SDSIM_DRIVER_OK : SDSIM_DRIVER_FAILED;
}

/* Blocks of a CMD24 or CMD25, each in a CS period of its own. */
static bool write_blocks(struct sdsim_driver *driver, sdsim_ps *now, uint32_t lba, uint32_t count,
                         const struct sdsim_content *content)
{
    struct sdsim_result result;
    for (uint32_t i = 0; i < count; i++) {
        const struct sdsim_content part = sdsim_content_after(content, (uint64_t)i * SDSIM_SECTOR);
        const struct sdsim_transaction tx = {.flags = WHOLE | SDSIM_BLOCK_BUSY,
                                             .direction = SDSIM_WRITE_BLOCKS,
                                             .blocks = 1,
                                             .block_bytes = SDSIM_SECTOR,
                                             .content = &part,
                                             .trail_bytes = 1};
        if (!sdsim_driver_do(driver, now, "block", lba + i, &tx, &result)) {
            return false;
        }
    }
    return true;
}

static enum sdsim_driver_error write(struct sdsim_driver *driver, sdsim_ps *now, uint32_t lba,
                                     uint32_t count, const struct sdsim_content *content)
{
    struct sdsim_result result;
    begin(driver, now);
    const uint32_t address = sdsim_driver_address(driver, lba);
    if (!sdsim_spi_plain(driver, now, &identify.manner, count == 1 ? 24 : 25, address,
                         SDSIM_RESPONSE_R1, &result) ||
        !write_blocks(driver, now, lba, count, content)) {
        return SDSIM_DRIVER_FAILED;
    }
    if (count == 1) {
        return SDSIM_DRIVER_OK;
    }
    const struct sdsim_transaction stop = {
        .flags = WHOLE | SDSIM_STOP_TOKEN, .finish = &not_busy, .trail_bytes = 1};
    return sdsim_driver_do(driver, now, "stop token", lba, &stop, &result) ? SDSIM_DRIVER_OK
                                                                           : SDSIM_DRIVER_FAILED;
}

const struct sdsim_driver_class sdsim_driver_micropython = {
    .name = "micropython-sdcard",
    .spi = true,
    .attach = attach,
    .init = init,
    .read = read,
    .write = write,
};
