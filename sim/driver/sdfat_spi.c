/*
 * SdFat over SPI (greiman/SdFat 2.3, SdCard/SdSpiCard), shared and dedicated.
 *
 * CS low is followed by a dummy byte and then by a ready wait, CS high by another dummy byte. Both
 * flavours read with CMD18, even one sector, unless the library is built without dedicated SPI as
 * for small AVRs (single_commands). Neither CRC is made or looked at, and there is no ACMD23.
 *
 * Shared: a read ends with CMD12. One sector is written with CMD24, waited for and checked with
 * CMD13; several with CMD25 and a stop token, whose busy is left to the next command's ready wait.
 *
 * Dedicated: nobody else uses the bus, so CS stays low and the stream, read or written, stays open.
 * The next sector goes on in it; anything else ends it first, as does sync.
 *
 * How bytes move, a build option and the board's SPI library decide: each by its own call (chunk of
 * 1 byte), a sector by one call, or DMA. These are costs. Libraries for little memory move one
 * sector per command (command_blocks).
 *
 * The SD library of arduino-pico is a thin layer over the shared one.
 *
 * Costs used: call, command, transfer, bulk, chunk, chunk_gap, copy.
 */
#include "driver/spi_steps.h"

static const struct sdsim_wait ready_300ms = {.test = SDSIM_READY_ALL_ONES,
                                              .limit = 300 * SDSIM_MS};
static const struct sdsim_wait ready_600ms = {.test = SDSIM_READY_ALL_ONES,
                                              .limit = 600 * SDSIM_MS};

static void attach(struct sdsim_driver *driver)
{
    driver->spi = sdsim_spi_byte_engine(driver->costs);
    driver->spi.token_limit = 300 * SDSIM_MS;
    driver->spi.block_ready = ready_600ms;
}

/* spiStart, ready wait, command, spiStop. */
static bool command(struct sdsim_driver *driver, sdsim_ps *now, struct sdsim_transaction *bare,
                    struct sdsim_result *result)
{
    bare->flags |= SDSIM_DESELECT;
    bare->lead_bytes = 1;
    bare->trail_bytes = 1;
    bare->ready = bare->command == 0 ? NULL : &ready_300ms;
    return sdsim_spi_do(driver, now, SDSIM_NO_LBA, bare, result);
}

static const struct sdsim_spi_identify identify = {
    .manner = {command},
    .clocks = 10,
    .patience = 2 * SDSIM_S,
};

static enum sdsim_driver_error init(struct sdsim_driver *driver, sdsim_ps *now)
{
    return sdsim_spi_identify(driver, now, &identify);
}

/* A command that moves blocks, up to the last of them. */
static bool start(struct sdsim_driver *driver, sdsim_ps *now, uint32_t lba,
                  struct sdsim_transaction *tx)
{
    struct sdsim_result result;
    tx->lead_bytes = 1;
    tx->ready = &ready_300ms;
    return sdsim_spi_do(driver, now, lba, tx, &result);
}

/* CMD12, which no ready wait precedes, and CS high. */
static bool read_stop(struct sdsim_driver *driver, sdsim_ps *now)
{
    struct sdsim_result result;
    const struct sdsim_transaction tx = {.flags = SDSIM_COMMAND | SDSIM_STUFF | SDSIM_DESELECT,
                                         .command = 12,
                                         .response = SDSIM_RESPONSE_R1,
                                         .trail_bytes = 1};
    return sdsim_spi_do(driver, now, SDSIM_NO_LBA, &tx, &result);
}

/* The stop token once the last block is written, and CS high at once. */
static bool write_stop(struct sdsim_driver *driver, sdsim_ps *now)
{
    struct sdsim_result result;
    const struct sdsim_transaction tx = {
        .flags = SDSIM_STOP_READY | SDSIM_STOP_TOKEN | SDSIM_DESELECT, .trail_bytes = 1};
    return sdsim_driver_do(driver, now, "stop token", driver->next_lba, &tx, &result);
}

static void deselect(struct sdsim_driver *driver, sdsim_ps *now)
{
    const struct sdsim_transaction tx = {.flags = SDSIM_DESELECT, .trail_bytes = 1};
    sdsim_spi_clock(driver, now, &tx);
}

/* ---- shared ---- */

static bool shared_read_command(struct sdsim_driver *driver, sdsim_ps *now, uint32_t lba,
                                uint32_t count, uint8_t *out)
{
    const bool single = count == 1 && driver->params->single_commands;
    sdsim_driver_cpu(driver, now, driver->costs->call);
    struct sdsim_transaction tx = sdsim_spi_reading(driver, single ? 17 : 18, lba, count, out);
    const bool done = start(driver, now, lba, &tx);
    if (single || !done) {
        deselect(driver, now);
        return done;
    }
    return read_stop(driver, now);
}

static bool shared_write_command(struct sdsim_driver *driver, sdsim_ps *now, uint32_t lba,
                                 uint32_t count, const struct sdsim_content *content)
{
    const bool single = count == 1;
    sdsim_driver_cpu(driver, now, driver->costs->call);
    struct sdsim_transaction tx = sdsim_spi_writing(driver, single ? 24 : 25, lba, count, content);
    tx.flags |= single ? 0 : SDSIM_BLOCK_READY;
    tx.finish = single ? &ready_600ms : NULL;
    if (!start(driver, now, lba, &tx)) {
        deselect(driver, now);
        return false;
    }
    if (!single) {
        driver->next_lba = lba + count;
        return write_stop(driver, now);
    }
    struct sdsim_result result;
    const struct sdsim_transaction status = {.flags = SDSIM_COMMAND | SDSIM_DESELECT,
                                             .ready = &ready_300ms,
                                             .command = 13,
                                             .response = SDSIM_RESPONSE_R2,
                                             .trail_bytes = 1};
    return sdsim_spi_do(driver, now, lba, &status, &result);
}

static enum sdsim_driver_error shared_read(struct sdsim_driver *driver, sdsim_ps *now, uint32_t lba,
                                           uint32_t count, uint8_t *out)
{
    return sdsim_spi_split_read(driver, now, lba, count, out, shared_read_command);
}

static enum sdsim_driver_error shared_write(struct sdsim_driver *driver, sdsim_ps *now,
                                            uint32_t lba, uint32_t count,
                                            const struct sdsim_content *content)
{
    return sdsim_spi_split_write(driver, now, lba, count, content, shared_write_command);
}

const struct sdsim_driver_class sdsim_driver_sdfat_shared = {
    .name = "sdfat-spi-shared",
    .costs_of = "sdfat-spi-dedicated",
    .spi = true,
    .attach = attach,
    .init = init,
    .read = shared_read,
    .write = shared_write,
};

const struct sdsim_driver_class sdsim_driver_arduino_pico = {
    .name = "arduino-pico-sd",
    .costs_of = "sdfat-spi-shared",
    .spi = true,
    .attach = attach,
    .init = init,
    .read = shared_read,
    .write = shared_write,
};

/* ---- dedicated ---- */

/* Ends whatever stream is open. */
static bool end_stream(struct sdsim_driver *driver, sdsim_ps *now)
{
    const bool reading = driver->reading;
    const bool writing = driver->writing;
    driver->reading = false;
    driver->writing = false;
    return reading ? read_stop(driver, now) : !writing || write_stop(driver, now);
}

/* Blocks in the open stream, or in a new one; `tx` says which kind. */
static bool stream(struct sdsim_driver *driver, sdsim_ps *now, uint32_t lba,
                   struct sdsim_transaction *tx, bool *open)
{
    struct sdsim_result result;
    const bool continued = *open && driver->next_lba == lba;
    sdsim_driver_cpu(driver, now, driver->costs->call);
    if (continued) {
        tx->flags &= (uint16_t)~SDSIM_COMMAND;
    }
    *open = continued ? sdsim_spi_do(driver, now, lba, tx, &result)
                      : end_stream(driver, now) && start(driver, now, lba, tx);
    driver->next_lba = lba + tx->blocks;
    if (!*open) {
        deselect(driver, now);
    }
    return *open;
}

static bool dedicated_read_command(struct sdsim_driver *driver, sdsim_ps *now, uint32_t lba,
                                   uint32_t count, uint8_t *out)
{
    struct sdsim_transaction tx = sdsim_spi_reading(driver, 18, lba, count, out);
    return stream(driver, now, lba, &tx, &driver->reading);
}

static bool dedicated_write_command(struct sdsim_driver *driver, sdsim_ps *now, uint32_t lba,
                                    uint32_t count, const struct sdsim_content *content)
{
    struct sdsim_transaction tx = sdsim_spi_writing(driver, 25, lba, count, content);
    tx.flags |= SDSIM_BLOCK_READY;
    return stream(driver, now, lba, &tx, &driver->writing);
}

static enum sdsim_driver_error dedicated_read(struct sdsim_driver *driver, sdsim_ps *now,
                                              uint32_t lba, uint32_t count, uint8_t *out)
{
    return sdsim_spi_split_read(driver, now, lba, count, out, dedicated_read_command);
}

static enum sdsim_driver_error dedicated_write(struct sdsim_driver *driver, sdsim_ps *now,
                                               uint32_t lba, uint32_t count,
                                               const struct sdsim_content *content)
{
    return sdsim_spi_split_write(driver, now, lba, count, content, dedicated_write_command);
}

static enum sdsim_driver_error dedicated_sync(struct sdsim_driver *driver, sdsim_ps *now)
{
    return end_stream(driver, now) ? SDSIM_DRIVER_OK : SDSIM_DRIVER_FAILED;
}

const struct sdsim_driver_class sdsim_driver_sdfat_dedicated = {
    .name = "sdfat-spi-dedicated",
    .spi = true,
    .attach = attach,
    .init = init,
    .read = dedicated_read,
    .write = dedicated_write,
    .sync = dedicated_sync,
};
