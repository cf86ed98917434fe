/*
 * Mbed OS SDBlockDevice, over SPI (storage/blockdevice/COMPONENT_SD/source/SDBlockDevice.cpp).
 *
 * A byte is clocked before CS goes low and one before it goes high; a command waits until the card
 * is ready, CMD12 does not. Every byte but the data of a block is an SPI write of its own. Several
 * blocks are read with CMD18, then CS goes high and CMD12 is a transaction by itself; they are
 * written with ACMD23 and CMD25, each block waited for, and the stop token, which is not: its busy
 * is left to the next command. No CMD13. CRCs are off by default.
 *
 * Costs used: call, command, transfer, bulk, chunk, chunk_gap, crc16 (builds that make CRCs), copy.
 */
#include "driver/spi_steps.h"

static const struct sdsim_wait ready_10s = {.test = SDSIM_READY_ALL_ONES, .limit = 10 * SDSIM_S};

static void attach(struct sdsim_driver *driver)
{
    driver->spi = sdsim_spi_byte_engine(driver->costs);
    driver->spi.response_looks = 16;
    driver->spi.token_limit = 300 * SDSIM_MS;
    driver->spi.block_busy = ready_10s;
    driver->spi.read_cpu = driver->costs->crc16;
    driver->spi.write_cpu_after_data = driver->costs->crc16;
}

static void deselect(struct sdsim_driver *driver, sdsim_ps *now)
{
    const struct sdsim_transaction tx = {.flags = SDSIM_DESELECT, .lead_bytes = 1};
    sdsim_spi_clock(driver, now, &tx);
}

/* A byte, CS low, and the wait; then the command, after which CS is still low. */
static bool command(struct sdsim_driver *driver, sdsim_ps *now, uint32_t lba,
                    struct sdsim_transaction *tx, struct sdsim_result *result)
{
    tx->idle_bytes = driver->port->selected ? 0 : 1;
    tx->ready = tx->command == 12 ? NULL : &ready_10s;
    return sdsim_spi_do(driver, now, lba, tx, result);
}

/* A command in a CS period of its own. CMD55 keeps it open for the command that follows. */
static bool whole_command(struct sdsim_driver *driver, sdsim_ps *now,
                          struct sdsim_transaction *bare, struct sdsim_result *result)
{
    const bool done = command(driver, now, SDSIM_NO_LBA, bare, result);
    if (bare->command != 55) {
        deselect(driver, now);
    }
    return done;
}

static const struct sdsim_spi_identify identify = {
    .manner = {whole_command},
    .clocks = 10,
    .patience = 10 * SDSIM_S,
    .block_length = true,
};

static enum sdsim_driver_error init(struct sdsim_driver *driver, sdsim_ps *now)
{
    return sdsim_spi_identify(driver, now, &identify);
}

static enum sdsim_driver_error read(struct sdsim_driver *driver, sdsim_ps *now, uint32_t lba,
                                    uint32_t count, uint8_t *out)
{
    struct sdsim_result result;
    sdsim_driver_cpu(driver, now, driver->costs->call);
    struct sdsim_transaction tx = sdsim_spi_reading(driver, count == 1 ? 17 : 18, lba, count, out);
    bool done = command(driver, now, lba, &tx, &result);
    deselect(driver, now);
    if (count > 1 && sdsim_spi_began(&result)) {
        struct sdsim_transaction stop = {.flags = SDSIM_COMMAND | SDSIM_STUFF | SDSIM_SELECT,
                                         .command = 12,
                                         .response = SDSIM_RESPONSE_R1,
                                         .finish = &ready_10s};
        done = whole_command(driver, now, &stop, &result) && done;
    }
    return done ? SDSIM_DRIVER_OK : SDSIM_DRIVER_FAILED;
}

static enum sdsim_driver_error write(struct sdsim_driver *driver, sdsim_ps *now, uint32_t lba,
                                     uint32_t count, const struct sdsim_content *content)
{
    const bool single = count == 1;
    struct sdsim_result result;
    sdsim_driver_cpu(driver, now, driver->costs->call);
    struct sdsim_transaction tx = sdsim_spi_writing(driver, single ? 24 : 25, lba, count, content);
    tx.flags |= SDSIM_BLOCK_BUSY;
    tx.flags |= single ? 0 : SDSIM_STOP_TOKEN;
    const bool done =
        (single || sdsim_spi_app(driver, now, &identify.manner, 23, count, &result)) &&
        command(driver, now, lba, &tx, &result);
    deselect(driver, now);
    return done ? SDSIM_DRIVER_OK : SDSIM_DRIVER_FAILED;
}

const struct sdsim_driver_class sdsim_driver_mbed_sd = {
    .name = "mbed-sd",
    .spi = true,
    .attach = attach,
    .init = init,
    .read = read,
    .write = write,
};
