/*
 * carlk3's no-OS-FatFS for the RP2040 and RP2350, over SPI (src/sd_driver/SPI/sd_card_spi.c), and
 * its edition for FreeRTOS+FAT, whose driver does the same under an operating system.
 *
 * CS low and CS high are followed by one byte each; before every command but CMD0 and CMD12 the
 * card is waited for. A sector moves by DMA. Meanwhile the CPU is not idle: while a block is read
 * it checks the CRC16 of the block before, while one is written it makes that block's. So a CRC
 * costs time only where it takes longer than the block, and behind the last block of a read.
 *
 * One sector is written with CMD24 and checked with CMD13. Several are written with CMD25, which
 * stays open (CS goes high all the same): the next call of several sectors goes on in it if it
 * begins at the next sector. Anything else, and sync, ends it with a stop token and CMD13.
 *
 * Before version 2.2 (FreeRTOS: 2.5), `stops_writes`: several sectors are announced with ACMD23, and
 * CMD25 is ended in the same call (sd_card_spi.c of the branch v1.1.2).
 *
 * Costs used: call, command, transfer, bulk, chunk, chunk_gap, crc16, copy.
 */
#include "driver/spi_steps.h"

static const struct sdsim_wait ready_2s = {.test = SDSIM_READY_ALL_ONES, .limit = 2 * SDSIM_S};

static void attach(struct sdsim_driver *driver)
{
    driver->spi = sdsim_spi_byte_engine(driver->costs);
    driver->spi.response_looks = 16;
    driver->spi.token_limit = SDSIM_S;
    driver->spi.block_busy = ready_2s;
    driver->spi.read_overlap = driver->costs->crc16;
    driver->spi.write_overlap = driver->costs->crc16;
}

static void acquire(struct sdsim_driver *driver, sdsim_ps *now)
{
    const struct sdsim_transaction tx = {.flags = SDSIM_SELECT, .lead_bytes = 1};
    sdsim_spi_clock(driver, now, &tx);
}

static void release(struct sdsim_driver *driver, sdsim_ps *now)
{
    const struct sdsim_transaction tx = {.flags = SDSIM_DESELECT, .trail_bytes = 1};
    sdsim_spi_clock(driver, now, &tx);
}

/* A command within the CS period at work. */
static bool command(struct sdsim_driver *driver, sdsim_ps *now, struct sdsim_transaction *bare,
                    struct sdsim_result *result)
{
    bare->ready = bare->command == 0 ? NULL : &ready_2s;
    return sdsim_spi_do(driver, now, SDSIM_NO_LBA, bare, result);
}

static const struct sdsim_spi_identify identify = {
    .manner = {command},
    .settle = SDSIM_MS,
    .clocks = 10,
    .crc_on = true,
    .patience = 2 * SDSIM_S,
};

static enum sdsim_driver_error init(struct sdsim_driver *driver, sdsim_ps *now)
{
    const enum sdsim_driver_error error = sdsim_spi_identify(driver, now, &identify);
    release(driver, now);
    return error;
}

static bool status(struct sdsim_driver *driver, sdsim_ps *now)
{
    struct sdsim_result result;
    return sdsim_spi_plain(driver, now, &identify.manner, 13, 0, SDSIM_RESPONSE_R2, &result);
}

/* Ends an open CMD25 within the CS period at work. */
static bool end_stream(struct sdsim_driver *driver, sdsim_ps *now)
{
    if (!driver->writing) {
        return true;
    }
    driver->writing = false;
    struct sdsim_result result;
    const struct sdsim_transaction tx = {.flags = SDSIM_STOP_TOKEN, .finish = &ready_2s};
    return sdsim_driver_do(driver, now, "stop token", driver->next_lba, &tx, &result) &&
           status(driver, now);
}

static bool read_sectors(struct sdsim_driver *driver, sdsim_ps *now, uint32_t lba, uint32_t count,
                         uint8_t *out)
{
    const bool single = count == 1;
    struct sdsim_result result;
    struct sdsim_transaction tx = sdsim_spi_reading(driver, single ? 17 : 18, lba, count, out);
    tx.ready = &ready_2s;
    if (!end_stream(driver, now)) {
        return false;
    }
    bool done = sdsim_spi_do(driver, now, lba, &tx, &result);
    if (!single && sdsim_spi_began(&result)) {
        const struct sdsim_transaction stop = {.flags = SDSIM_COMMAND | SDSIM_STUFF,
                                               .command = 12,
                                               .response = SDSIM_RESPONSE_R1,
                                               .finish = &ready_2s};
        done = sdsim_spi_do(driver, now, lba, &stop, &result) && done;
    }
    sdsim_driver_cpu(driver, now, driver->costs->crc16); /* of the last block */
    return done;
}

static enum sdsim_driver_error read(struct sdsim_driver *driver, sdsim_ps *now, uint32_t lba,
                                    uint32_t count, uint8_t *out)
{
    sdsim_driver_cpu(driver, now, driver->costs->call);
    acquire(driver, now);
    const bool done = read_sectors(driver, now, lba, count, out);
    release(driver, now);
    return done ? SDSIM_DRIVER_OK : SDSIM_DRIVER_FAILED;
}

static bool write_sector(struct sdsim_driver *driver, sdsim_ps *now, uint32_t lba,
                         const struct sdsim_content *content)
{
    struct sdsim_result result;
    struct sdsim_transaction tx = sdsim_spi_writing(driver, 24, lba, 1, content);
    tx.flags |= SDSIM_BLOCK_BUSY;
    tx.ready = &ready_2s;
    return end_stream(driver, now) && sdsim_spi_do(driver, now, lba, &tx, &result) &&
           status(driver, now);
}

static bool write_sectors(struct sdsim_driver *driver, sdsim_ps *now, uint32_t lba, uint32_t count,
                          const struct sdsim_content *content)
{
    struct sdsim_result result;
    struct sdsim_transaction tx = sdsim_spi_writing(driver, 25, lba, count, content);
    tx.flags |= SDSIM_BLOCK_BUSY;
    if (driver->writing && driver->next_lba == lba) {
        tx.flags &= (uint16_t)~SDSIM_COMMAND;
    } else {
        tx.ready = &ready_2s;
        if (!end_stream(driver, now)) {
            return false;
        }
    }
    driver->writing = sdsim_spi_do(driver, now, lba, &tx, &result);
    driver->next_lba = lba + count;
    return driver->writing;
}

/* "Some SD cards want to be deselected between every command". */
static void pulse(struct sdsim_driver *driver, sdsim_ps *now)
{
    release(driver, now);
    acquire(driver, now);
}

static bool write_and_stop(struct sdsim_driver *driver, sdsim_ps *now, uint32_t lba, uint32_t count,
                           const struct sdsim_content *content)
{
    struct sdsim_result result;
    struct sdsim_transaction tx = sdsim_spi_writing(driver, 25, lba, count, content);
    tx.flags |= SDSIM_BLOCK_BUSY | SDSIM_STOP_TOKEN;
    tx.ready = &ready_2s;
    if (!sdsim_spi_app(driver, now, &identify.manner, 23, count, &result)) {
        return false;
    }
    pulse(driver, now);
    const bool done = sdsim_spi_do(driver, now, lba, &tx, &result);
    pulse(driver, now);
    return done && status(driver, now);
}

static enum sdsim_driver_error write(struct sdsim_driver *driver, sdsim_ps *now, uint32_t lba,
                                     uint32_t count, const struct sdsim_content *content)
{
    sdsim_driver_cpu(driver, now, driver->costs->call);
    acquire(driver, now);
    const bool done = count == 1 ? write_sector(driver, now, lba, content)
                      : driver->params->stops_writes
                          ? write_and_stop(driver, now, lba, count, content)
                          : write_sectors(driver, now, lba, count, content);
    release(driver, now);
    return done ? SDSIM_DRIVER_OK : SDSIM_DRIVER_FAILED;
}

static enum sdsim_driver_error sync(struct sdsim_driver *driver, sdsim_ps *now)
{
    if (!driver->writing) {
        return SDSIM_DRIVER_OK;
    }
    acquire(driver, now);
    const bool done = end_stream(driver, now);
    release(driver, now);
    return done ? SDSIM_DRIVER_OK : SDSIM_DRIVER_FAILED;
}

const struct sdsim_driver_class sdsim_driver_carlk3_spi = {
    .name = "carlk3-spi",
    .spi = true,
    .attach = attach,
    .init = init,
    .read = read,
    .write = write,
    .sync = sync,
};

const struct sdsim_driver_class sdsim_driver_carlk3_freertos_spi = {
    .name = "carlk3-freertos-spi",
    .costs_of = "carlk3-spi",
    .spi = true,
    .attach = attach,
    .init = init,
    .read = read,
    .write = write,
    .sync = sync,
};
