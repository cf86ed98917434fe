/*
 * arduino-esp32 SD, over SPI (libraries/SD/src/sd_diskio.cpp, core 3.x).
 *
 * Select is CS low, then single bytes until one is not 0x00. A command goes out in one FIFO burst
 * and R1 is read byte by byte. Data goes through the 64-byte FIFO in eight pieces; the CRC16 is
 * computed in software, before the ready wait of each block when writing, after the block when
 * reading. An application command raises CS between CMD55 and itself. After a write the driver
 * sends CMD13 - one byte too early for the card to show busy after a stop token, so what is left of
 * the busy is met by the next select. FatFs's disk_status is a CMD13 as well.
 *
 * A command without an answer is tried three times with 100 ms in between.
 *
 * Costs used: call, transfer, chunk, chunk_gap, crc16, copy.
 */
#include "driver/internal.h"

static const struct sdsim_wait ready_500ms = {.test = SDSIM_READY_NONZERO, .limit = 500 * SDSIM_MS};

enum {
    WHOLE = SDSIM_SELECT | SDSIM_DESELECT, /* a command with its own CS period */
    RETRIES = 3,
};

static void attach(struct sdsim_driver *driver)
{
    const struct sdsim_driver_costs *costs = driver->costs;
    const struct sdsim_burst transfer = {.before = costs->transfer};
    driver->spi = (struct sdsim_spi_engine){
        .chunk = (uint32_t)costs->chunk,
        .chunk_gap = costs->chunk_gap,
        .fill = transfer,
        .poll = transfer,
        .command = transfer,
        .extra = transfer,
        .token = transfer,
        .data = {.before = costs->chunk_gap},
        .crc = transfer,
        .reply = transfer,
        .stop = transfer,
        .response_looks = 9,
        .token_look = 1,
        .stop_bytes = 1,
        .token_limit = 500 * SDSIM_MS,
        .block_ready = ready_500ms,
        .read_cpu = costs->crc16,
        .write_cpu = costs->crc16,
        .copy = costs->copy,
    };
}

/* One command in one CS period, tried again if the card is silent. */
static bool command(struct sdsim_driver *driver, sdsim_ps *now, const char *step, uint32_t lba,
                    const struct sdsim_transaction *tx, struct sdsim_result *result)
{
    for (int attempt = 1;; attempt++) {
        const bool done = sdsim_driver_do(driver, now, step, lba, tx, result);
        if (done || result->outcome != SDSIM_OUTCOME_NO_RESPONSE || attempt == RETRIES) {
            return done;
        }
        sdsim_driver_sleep(driver, now, 100 * SDSIM_MS);
    }
}

static bool plain(struct sdsim_driver *driver, sdsim_ps *now, uint8_t index, uint32_t argument,
                  enum sdsim_response response, struct sdsim_result *result)
{
    const struct sdsim_transaction tx = {
        .flags = SDSIM_COMMAND | WHOLE,
        .ready = &ready_500ms,
        .command = index,
        .argument = argument,
        .response = response,
    };
    return command(driver, now, sdsim_driver_command_name(index), SDSIM_NO_LBA, &tx, result);
}

static bool app(struct sdsim_driver *driver, sdsim_ps *now, uint8_t index, uint32_t argument,
                struct sdsim_result *result)
{
    return plain(driver, now, 55, 0, SDSIM_RESPONSE_R1, result) &&
           plain(driver, now, index, argument, SDSIM_RESPONSE_R1, result);
}

static enum sdsim_driver_error init(struct sdsim_driver *driver, sdsim_ps *now)
{
    struct sdsim_result result;
    const struct sdsim_transaction clocks = {.idle_bytes = 20};
    sdsim_execute(driver->port, now, &clocks, &result);
    const struct sdsim_transaction go_idle = {
        .flags = SDSIM_COMMAND | WHOLE, .command = 0, .response = SDSIM_RESPONSE_R1};
    if (!command(driver, now, "CMD0", SDSIM_NO_LBA, &go_idle, &result) ||
        !plain(driver, now, 59, 1, SDSIM_RESPONSE_R1, &result)) {
        return SDSIM_DRIVER_FAILED;
    }
    const bool version2 = plain(driver, now, 8, 0x1AA, SDSIM_RESPONSE_R3, &result);
    if (!plain(driver, now, 58, 0, SDSIM_RESPONSE_R3, &result)) {
        return SDSIM_DRIVER_FAILED;
    }
    const sdsim_ps start = *now;
    do {
        if (!app(driver, now, 41, version2 ? SDSIM_OCR_CCS : 0, &result)) {
            return SDSIM_DRIVER_FAILED;
        }
        if (*now - start > SDSIM_S) {
            return sdsim_driver_give_up(driver, *now, "ACMD41", SDSIM_OUTCOME_NOT_READY);
        }
    } while (result.r1 != 0);
    if (!plain(driver, now, 58, 0, SDSIM_RESPONSE_R3, &result)) {
        return SDSIM_DRIVER_FAILED;
    }
    driver->block_addresses = (result.extra[0] & 0x40) != 0;
    if (!app(driver, now, 42, 0, &result) ||
        (!driver->block_addresses && !plain(driver, now, 16, 512, SDSIM_RESPONSE_R1, &result))) {
        return SDSIM_DRIVER_FAILED;
    }
    uint8_t csd[SDSIM_CSD_BYTES];
    const struct sdsim_transaction read_csd = {
        .flags = SDSIM_COMMAND | WHOLE,
        .ready = &ready_500ms,
        .command = 9,
        .response = SDSIM_RESPONSE_R1,
        .direction = SDSIM_READ_BLOCKS,
        .blocks = 1,
        .block_bytes = SDSIM_CSD_BYTES,
        .out = csd,
    };
    if (!command(driver, now, "CMD9", SDSIM_NO_LBA, &read_csd, &result)) {
        return SDSIM_DRIVER_FAILED;
    }
    sdsim_driver_capacity(driver, csd);
    sdsim_driver_clock_full(driver);
    return SDSIM_DRIVER_OK;
}

static enum sdsim_driver_error read(struct sdsim_driver *driver, sdsim_ps *now, uint32_t lba,
                                    uint32_t count, uint8_t *out)
{
    struct sdsim_result result;
    const bool single = count == 1;
    sdsim_driver_cpu(driver, now, driver->costs->call);
    const struct sdsim_transaction tx = {
        .flags = (uint16_t)(SDSIM_COMMAND | SDSIM_SELECT | (single ? SDSIM_DESELECT : 0)),
        .ready = &ready_500ms,
        .command = single ? 17 : 18,
        .argument = sdsim_driver_address(driver, lba),
        .response = SDSIM_RESPONSE_R1,
        .direction = SDSIM_READ_BLOCKS,
        .blocks = count,
        .block_bytes = SDSIM_SECTOR,
        .out = out,
    };
    bool done = command(driver, now, single ? "CMD17" : "CMD18", lba, &tx, &result);
    if (!single) {
        done = sdsim_driver_command(driver, now, SDSIM_STUFF | SDSIM_DESELECT, 12, 0,
                                    SDSIM_RESPONSE_R1, &result) &&
               done;
    }
    return done ? SDSIM_DRIVER_OK : SDSIM_DRIVER_FAILED;
}

static enum sdsim_driver_error write(struct sdsim_driver *driver, sdsim_ps *now, uint32_t lba,
                                     uint32_t count, const struct sdsim_content *content)
{
    struct sdsim_result result;
    const bool single = count == 1;
    sdsim_driver_cpu(driver, now, driver->costs->call);
    if (!single && !app(driver, now, 23, count, &result)) {
        return SDSIM_DRIVER_FAILED;
    }
    const struct sdsim_transaction tx = {
        .flags = (uint16_t)(SDSIM_COMMAND | WHOLE | SDSIM_BLOCK_READY |
                            (single ? 0 : SDSIM_STOP_READY | SDSIM_STOP_TOKEN)),
        .ready = &ready_500ms,
        .command = single ? 24 : 25,
        .argument = sdsim_driver_address(driver, lba),
        .response = SDSIM_RESPONSE_R1,
        .direction = SDSIM_WRITE_BLOCKS,
        .blocks = count,
        .block_bytes = SDSIM_SECTOR,
        .content = content,
    };
    if (!command(driver, now, single ? "CMD24" : "CMD25", lba, &tx, &result)) {
        return SDSIM_DRIVER_FAILED;
    }
    for (uint64_t i = 0; i < driver->params->status_after_write; i++) {
        if (!plain(driver, now, 13, 0, SDSIM_RESPONSE_R2, &result)) {
            return SDSIM_DRIVER_FAILED;
        }
    }
    return SDSIM_DRIVER_OK;
}

static enum sdsim_driver_error sync(struct sdsim_driver *driver, sdsim_ps *now)
{
    struct sdsim_result result;
    const struct sdsim_transaction tx = {.flags = WHOLE, .ready = &ready_500ms};
    return sdsim_driver_do(driver, now, "wait for ready", SDSIM_NO_LBA, &tx, &result)
               ? SDSIM_DRIVER_OK
               : SDSIM_DRIVER_FAILED;
}

static enum sdsim_driver_error status(struct sdsim_driver *driver, sdsim_ps *now)
{
    struct sdsim_result result;
    return plain(driver, now, 13, 0, SDSIM_RESPONSE_R1, &result) ? SDSIM_DRIVER_OK
                                                                 : SDSIM_DRIVER_FAILED;
}

const struct sdsim_driver_class sdsim_driver_arduino_sd = {
    .name = "arduino-esp32-sd",
    .spi = true,
    .attach = attach,
    .init = init,
    .read = read,
    .write = write,
    .sync = sync,
    .status = status,
};
