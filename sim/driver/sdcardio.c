/*
 * CircuitPython sdcardio, over SPI (shared-module/sdcardio/SDCard.c), the same on all ports.
 *
 * Every call locks and reconfigures the bus, lowers CS without a dummy byte, and ends with CS high
 * and one byte. Everything but the 512 data bytes moves one byte, or a few, per SPI call. Writing
 * is always CMD25, also for one sector; the stream stays open between calls, and a call that starts
 * at the next sector goes on without a command. Any other command, and sync, first sends FD FF and
 * waits until the card shows busy; the busy itself is met by the next ready wait.
 *
 * Costs used: call, transfer, bulk.
 */
#include "driver/internal.h"

static const struct sdsim_wait ready_300ms = {.test = SDSIM_READY_ALL_ONES,
                                              .limit = 300 * SDSIM_MS};
static const struct sdsim_wait busy_begins = {.test = SDSIM_READY_BUSY_SEEN,
                                              .limit = 500 * SDSIM_MS};

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
        .data = {.before = costs->bulk},
        .crc = transfer,
        .reply = transfer,
        .stop = transfer,
        .select = costs->call,
        .response_looks = UINT8_MAX,
        .token_look = 1,
        .stop_bytes = 2,
        .token_limit = 500 * SDSIM_MS,
        .block_ready = ready_300ms,
        .block_busy = {.test = SDSIM_READY_NONZERO, .limit = 500 * SDSIM_MS},
    };
}

/* Ends an open CMD25 within the CS period at work, which it begins if there is none. */
static bool close_stream(struct sdsim_driver *driver, sdsim_ps *now)
{
    if (!driver->writing) {
        return true;
    }
    driver->writing = false;
    struct sdsim_result result;
    const struct sdsim_transaction tx = {.flags = SDSIM_SELECT | SDSIM_STOP_TOKEN,
                                         .finish = &busy_begins};
    return sdsim_driver_do(driver, now, "stop token", driver->next_lba, &tx, &result);
}

/* CS high and the byte after it; what every call ends with. */
static void release(struct sdsim_driver *driver, sdsim_ps *now)
{
    struct sdsim_result result;
    const struct sdsim_transaction tx = {.flags = SDSIM_DESELECT, .trail_bytes = 1};
    sdsim_execute(driver->port, now, &tx, &result);
}

static bool plain(struct sdsim_driver *driver, sdsim_ps *now, uint8_t index, uint32_t argument,
                  enum sdsim_response response, struct sdsim_result *result)
{
    const struct sdsim_transaction tx = {
        .flags = SDSIM_COMMAND | SDSIM_SELECT,
        .ready = index == 0 ? NULL : &ready_300ms,
        .command = index,
        .argument = argument,
        .response = response,
    };
    return sdsim_driver_do(driver, now, sdsim_driver_command_name(index), SDSIM_NO_LBA, &tx,
                           result);
}

static bool identify(struct sdsim_driver *driver, sdsim_ps *now)
{
    struct sdsim_result result;
    const struct sdsim_transaction clocks = {.idle_bytes = 10};
    sdsim_execute(driver->port, now, &clocks, &result);
    if (!plain(driver, now, 0, 0, SDSIM_RESPONSE_R1, &result)) {
        return false;
    }
    const bool version2 = plain(driver, now, 8, 0x1AA, SDSIM_RESPONSE_R3, &result);
    const sdsim_ps start = *now;
    do {
        if (*now - start > 500 * SDSIM_MS) {
            (void)sdsim_driver_give_up(driver, *now, "ACMD41", SDSIM_OUTCOME_NOT_READY);
            return false;
        }
        if (version2) {
            sdsim_driver_sleep(driver, now, 50 * SDSIM_MS);
            (void)plain(driver, now, 58, 0, SDSIM_RESPONSE_R3, &result);
        }
        (void)plain(driver, now, 55, 0, SDSIM_RESPONSE_R1, &result);
        if (!plain(driver, now, 41, version2 ? SDSIM_OCR_CCS : 0, SDSIM_RESPONSE_R1, &result)) {
            return false;
        }
    } while (result.r1 != 0);
    if (version2) {
        if (!plain(driver, now, 58, 0, SDSIM_RESPONSE_R3, &result)) {
            return false;
        }
        driver->block_addresses = (result.extra[0] & 0x40) != 0;
    }
    uint8_t csd[SDSIM_CSD_BYTES];
    const struct sdsim_transaction read_csd = {
        .flags = SDSIM_COMMAND,
        .ready = &ready_300ms,
        .command = 9,
        .response = SDSIM_RESPONSE_R1,
        .direction = SDSIM_READ_BLOCKS,
        .blocks = 1,
        .block_bytes = SDSIM_CSD_BYTES,
        .out = csd,
    };
    if (!sdsim_driver_do(driver, now, "CMD9", SDSIM_NO_LBA, &read_csd, &result)) {
        return false;
    }
    sdsim_driver_capacity(driver, csd);
    return plain(driver, now, 16, 512, SDSIM_RESPONSE_R1, &result);
}

static enum sdsim_driver_error init(struct sdsim_driver *driver, sdsim_ps *now)
{
    const bool done = identify(driver, now);
    release(driver, now);
    sdsim_driver_clock_full(driver);
    return done ? SDSIM_DRIVER_OK : SDSIM_DRIVER_FAILED;
}

static enum sdsim_driver_error read(struct sdsim_driver *driver, sdsim_ps *now, uint32_t lba,
                                    uint32_t count, uint8_t *out)
{
    struct sdsim_result result;
    const bool single = count == 1;
    const struct sdsim_transaction tx = {
        .flags = SDSIM_COMMAND | SDSIM_SELECT,
        .ready = &ready_300ms,
        .command = single ? 17 : 18,
        .argument = sdsim_driver_address(driver, lba),
        .response = SDSIM_RESPONSE_R1,
        .direction = SDSIM_READ_BLOCKS,
        .blocks = count,
        .block_bytes = SDSIM_SECTOR,
        .out = out,
    };
    bool done = close_stream(driver, now) &&
                sdsim_driver_do(driver, now, single ? "CMD17" : "CMD18", lba, &tx, &result);
    if (done && !single) {
        /* The stuff byte reads 0xFF and is skipped as "no response yet". */
        done = sdsim_driver_command(driver, now, 0, 12, 0, SDSIM_RESPONSE_R1, &result);
    }
    release(driver, now);
    return done ? SDSIM_DRIVER_OK : SDSIM_DRIVER_FAILED;
}

static enum sdsim_driver_error write(struct sdsim_driver *driver, sdsim_ps *now, uint32_t lba,
                                     uint32_t count, const struct sdsim_content *content)
{
    struct sdsim_result result;
    const bool continued = driver->writing && driver->next_lba == lba;
    const struct sdsim_transaction tx = {
        .flags = (uint16_t)(SDSIM_SELECT | SDSIM_BLOCK_READY | SDSIM_BLOCK_BUSY |
                            (continued ? 0 : SDSIM_COMMAND)),
        .ready = continued ? NULL : &ready_300ms,
        .command = 25,
        .argument = sdsim_driver_address(driver, lba),
        .response = SDSIM_RESPONSE_R1,
        .direction = SDSIM_WRITE_BLOCKS,
        .blocks = count,
        .block_bytes = SDSIM_SECTOR,
        .content = content,
    };
    const bool done = (continued || close_stream(driver, now)) &&
                      sdsim_driver_do(driver, now, "CMD25", lba, &tx, &result);
    driver->writing = done;
    driver->next_lba = lba + count;
    release(driver, now);
    return done ? SDSIM_DRIVER_OK : SDSIM_DRIVER_FAILED;
}

static enum sdsim_driver_error sync(struct sdsim_driver *driver, sdsim_ps *now)
{
    if (!driver->writing) {
        return SDSIM_DRIVER_OK;
    }
    const bool done = close_stream(driver, now);
    release(driver, now);
    return done ? SDSIM_DRIVER_OK : SDSIM_DRIVER_FAILED;
}

const struct sdsim_driver_class sdsim_driver_sdcardio = {
    .name = "circuitpython-sdcardio",
    .spi = true,
    .attach = attach,
    .init = init,
    .read = read,
    .write = write,
    .sync = sync,
};
