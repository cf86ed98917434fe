/*
 * ESP-IDF SDSPI (esp_driver_sdspi and sdmmc), over SPI.
 *
 * Before each command two bytes are clocked with CS high (the busy pre-poll, which can't see a busy
 * there); after it one. A command is one full-duplex burst of fixed length, 15 bytes for R1, 16 for
 * R2 and for commands that move blocks, 19 for R3 and R7; when reading, the unused tail is scanned
 * for the start token and what follows the token is data already. Otherwise the token is looked for
 * in 8-byte transactions. The rest of the block, its CRC and - if more blocks follow - two bytes
 * that may hold the next token are one interrupt-driven DMA transaction. Reading checks CRC16 in
 * software; writing computes it after the data has gone out. Everything but the data is a polling
 * transaction.
 *
 * CMD13 policy: v5.0 to v5.3 one after a write; v5.4 and later one after a read and two after a
 * write (status_after_read, status_after_write). No ACMD23. Buffers that DMA can't use go one
 * sector per command through a bounce buffer, up to v6.0.
 *
 * Costs used: call, transfer (one polling transaction), bulk (one interrupt transaction), crc16,
 * copy.
 */
#include "driver/internal.h"

static const struct sdsim_wait not_busy = {.test = SDSIM_READY_TWO_NONZERO, .limit = 5 * SDSIM_S};

enum {
    PREPOLL_BYTES = 2,
    WHOLE = SDSIM_SELECT | SDSIM_DESELECT,
};

static void attach(struct sdsim_driver *driver)
{
    const struct sdsim_driver_costs *costs = driver->costs;
    const struct sdsim_burst polling = {.before = costs->transfer};
    driver->spi = (struct sdsim_spi_engine){
        .fill = polling,
        .poll = polling,
        .command = polling,
        .token = polling,
        .data = {.before = costs->bulk},
        .crc = polling,
        .stop = polling,
        .response_window = 9,
        .data_window = 10,
        .token_look = 8,
        .look_ahead = 2,
        .crc_with_data = true,
        .reply_with_crc = true,
        .stop_bytes = 2,
        .token_limit = SDSIM_S,
        .block_busy = not_busy,
        .read_cpu = costs->crc16,
        .write_cpu_after_data = costs->crc16,
        .copy = costs->copy,
    };
}

static bool plain(struct sdsim_driver *driver, sdsim_ps *now, uint8_t index, uint32_t argument,
                  enum sdsim_response response, struct sdsim_result *result)
{
    const struct sdsim_transaction tx = {
        .flags = SDSIM_COMMAND | WHOLE,
        .idle_bytes = PREPOLL_BYTES,
        .command = index,
        .argument = argument,
        .response = response,
        .trail_bytes = 1,
    };
    return sdsim_driver_do(driver, now, sdsim_driver_command_name(index), SDSIM_NO_LBA, &tx,
                           result);
}

static bool app(struct sdsim_driver *driver, sdsim_ps *now, uint8_t index, uint32_t argument,
                struct sdsim_result *result)
{
    return plain(driver, now, 55, 0, SDSIM_RESPONSE_R1, result) &&
           plain(driver, now, index, argument, SDSIM_RESPONSE_R1, result);
}

static bool reg(struct sdsim_driver *driver, sdsim_ps *now, uint8_t index, uint32_t argument,
                enum sdsim_response response, uint16_t bytes, uint8_t *out)
{
    struct sdsim_result result;
    const struct sdsim_transaction tx = {
        .flags = SDSIM_COMMAND | WHOLE,
        .idle_bytes = PREPOLL_BYTES,
        .command = index,
        .argument = argument,
        .response = response,
        .direction = SDSIM_READ_BLOCKS,
        .blocks = 1,
        .block_bytes = bytes,
        .out = out,
        .trail_bytes = 1,
    };
    return sdsim_driver_do(driver, now, sdsim_driver_command_name(index), SDSIM_NO_LBA, &tx,
                           &result);
}

static bool status(struct sdsim_driver *driver, sdsim_ps *now, uint64_t times)
{
    struct sdsim_result result;
    for (uint64_t i = 0; i < times; i++) {
        if (!plain(driver, now, 13, 0, SDSIM_RESPONSE_R2, &result)) {
            return false;
        }
    }
    return true;
}

/* CMD0 to the operating condition; true with the card ready. */
static bool wake_up(struct sdsim_driver *driver, sdsim_ps *now)
{
    struct sdsim_result result;
    const struct sdsim_transaction clocks = {.idle_bytes = 10};
    sdsim_execute(driver->port, now, &clocks, &result);
    if (!plain(driver, now, 0, 0, SDSIM_RESPONSE_R1, &result)) {
        return false;
    }
    sdsim_driver_sleep(driver, now, 20 * SDSIM_MS);
    const bool version2 = plain(driver, now, 8, 0x1AA, SDSIM_RESPONSE_R3, &result);
    const uint32_t condition = version2 ? SDSIM_OCR_CCS : 0;
    if (!plain(driver, now, 59, 1, SDSIM_RESPONSE_R1, &result)) {
        return false;
    }
    for (int attempt = 0; attempt < 100; attempt++) {
        if (!app(driver, now, 41, condition, &result)) {
            return false;
        }
        if (result.r1 == 0) {
            return true;
        }
        sdsim_driver_sleep(driver, now, 10 * SDSIM_MS);
    }
    (void)sdsim_driver_give_up(driver, *now, "ACMD41", SDSIM_OUTCOME_NOT_READY);
    return false;
}

/* CMD6, asked and then done, when more than 20 MHz are wanted; a card may well refuse over SPI. */
static void try_high_speed(struct sdsim_driver *driver, sdsim_ps *now)
{
    static const uint32_t arguments[] = {0x00FFFFF1, 0x80FFFFF1};
    for (size_t i = 0; i < 2 && driver->clocks.asked_hz > SDSIM_IDF_HIGH_SPEED_ABOVE; i++) {
        uint8_t status[SDSIM_STATUS_BYTES];
        if (!reg(driver, now, 6, arguments[i], SDSIM_RESPONSE_R1, sizeof status, status)) {
            return;
        }
    }
}

/* The order of sdmmc_card_init. */
static bool identify(struct sdsim_driver *driver, sdsim_ps *now)
{
    struct sdsim_result result;
    if (!wake_up(driver, now) || !plain(driver, now, 58, 0, SDSIM_RESPONSE_R3, &result)) {
        return false;
    }
    driver->block_addresses = (result.extra[0] & 0x40) != 0;
    uint8_t cid[SDSIM_CID_BYTES];
    uint8_t csd[SDSIM_CSD_BYTES];
    uint8_t scr[SDSIM_SCR_BYTES];
    uint8_t ssr[SDSIM_STATUS_BYTES];
    if (!reg(driver, now, 10, 0, SDSIM_RESPONSE_R1, sizeof cid, cid) ||
        !reg(driver, now, 9, 0, SDSIM_RESPONSE_R1, sizeof csd, csd)) {
        return false;
    }
    sdsim_driver_capacity(driver, csd);
    if ((!driver->block_addresses && !plain(driver, now, 16, 512, SDSIM_RESPONSE_R1, &result)) ||
        !plain(driver, now, 55, 0, SDSIM_RESPONSE_R1, &result) ||
        !reg(driver, now, 51, 0, SDSIM_RESPONSE_R1, sizeof scr, scr) || !status(driver, now, 1)) {
        return false;
    }
    try_high_speed(driver, now);
    return plain(driver, now, 55, 0, SDSIM_RESPONSE_R1, &result) &&
           reg(driver, now, 13, 0, SDSIM_RESPONSE_R2, sizeof ssr, ssr);
}

static enum sdsim_driver_error init(struct sdsim_driver *driver, sdsim_ps *now)
{
    const bool done = identify(driver, now);
    sdsim_driver_clock_full(driver);
    return done ? SDSIM_DRIVER_OK : SDSIM_DRIVER_FAILED;
}

static bool read_command(struct sdsim_driver *driver, sdsim_ps *now, uint32_t lba, uint32_t count,
                         uint8_t *out)
{
    struct sdsim_result result;
    const bool single = count == 1;
    sdsim_driver_cpu(driver, now, driver->costs->call);
    const struct sdsim_transaction tx = {
        .flags = (uint16_t)(SDSIM_COMMAND | SDSIM_SELECT | (single ? SDSIM_DESELECT : 0)),
        .idle_bytes = PREPOLL_BYTES,
        .command = single ? 17 : 18,
        .argument = sdsim_driver_address(driver, lba),
        .response = SDSIM_RESPONSE_R1,
        .direction = SDSIM_READ_BLOCKS,
        .blocks = count,
        .block_bytes = SDSIM_SECTOR,
        .out = out,
        .trail_bytes = single ? 1 : 0,
    };
    bool done = sdsim_driver_do(driver, now, single ? "CMD17" : "CMD18", lba, &tx, &result);
    if (!single) {
        const struct sdsim_transaction stop = {.flags = SDSIM_COMMAND,
                                               .command = 12,
                                               .response = SDSIM_RESPONSE_R1,
                                               .finish = &not_busy};
        const struct sdsim_transaction end = {
            .flags = SDSIM_DESELECT, .finish = &not_busy, .trail_bytes = 1};
        done = sdsim_driver_do(driver, now, "CMD12", lba, &stop, &result) && done;
        done = sdsim_driver_do(driver, now, "wait after CMD12", lba, &end, &result) && done;
    }
    return done && status(driver, now, driver->params->status_after_read);
}

static bool write_command(struct sdsim_driver *driver, sdsim_ps *now, uint32_t lba, uint32_t count,
                          const struct sdsim_content *content)
{
    struct sdsim_result result;
    const bool single = count == 1;
    sdsim_driver_cpu(driver, now, driver->costs->call);
    const struct sdsim_transaction tx = {
        .flags =
            (uint16_t)(SDSIM_COMMAND | WHOLE | SDSIM_BLOCK_BUSY | (single ? 0 : SDSIM_STOP_TOKEN)),
        .idle_bytes = PREPOLL_BYTES,
        .command = single ? 24 : 25,
        .argument = sdsim_driver_address(driver, lba),
        .response = SDSIM_RESPONSE_R1,
        .direction = SDSIM_WRITE_BLOCKS,
        .blocks = count,
        .block_bytes = SDSIM_SECTOR,
        .content = content,
        .finish = single ? NULL : &not_busy,
        .trail_bytes = 1,
    };
    return sdsim_driver_do(driver, now, single ? "CMD24" : "CMD25", lba, &tx, &result) &&
           status(driver, now, driver->params->status_after_write);
}

static enum sdsim_driver_error read(struct sdsim_driver *driver, sdsim_ps *now, uint32_t lba,
                                    uint32_t count, uint8_t *out)
{
    for (uint32_t done = 0; done < count;) {
        const uint32_t blocks = sdsim_driver_blocks(driver, count - done);
        if (!read_command(driver, now, lba + done, blocks,
                          out != NULL ? out + (size_t)done * SDSIM_SECTOR : NULL)) {
            return SDSIM_DRIVER_FAILED;
        }
        done += blocks;
    }
    return SDSIM_DRIVER_OK;
}

static enum sdsim_driver_error write(struct sdsim_driver *driver, sdsim_ps *now, uint32_t lba,
                                     uint32_t count, const struct sdsim_content *content)
{
    for (uint32_t done = 0; done < count;) {
        const uint32_t blocks = sdsim_driver_blocks(driver, count - done);
        const struct sdsim_content part =
            sdsim_content_after(content, (uint64_t)done * SDSIM_SECTOR);
        if (!write_command(driver, now, lba + done, blocks, &part)) {
            return SDSIM_DRIVER_FAILED;
        }
        done += blocks;
    }
    return SDSIM_DRIVER_OK;
}

const struct sdsim_driver_class sdsim_driver_idf_sdspi = {
    .name = "esp-idf-sdspi",
    .spi = true,
    .request = sdsim_driver_idf_request,
    .attach = attach,
    .init = init,
    .read = read,
    .write = write,
};
