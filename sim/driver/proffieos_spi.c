/*
 * ProffieOS on the Proffieboard: the SPI driver of the STM32L4 Arduino core under its file system
 * (system/STM32L4xx/Source/stm32l4_sdspi.c).
 *
 * CS low is not followed by a byte of its own, but each command is preceded by one and the first
 * byte behind it is thrown away; no command waits for the card. CS high is followed by a byte. A
 * block moves in 16-bit frames through a FIFO that is kept two ahead, and the SPI unit makes its
 * CRC16. Writing waits before each token; one block or the stop token is followed by a wait and
 * CMD13. The file system reads single sectors (most_blocks).
 *
 * Costs used: call, command, transfer, bulk, chunk, chunk_gap, copy.
 *
 * Limits: the driver's reads that stay open for a prefetching caller are left out, and so is its
 * new identification of the card after a failure.
 */
#include "driver/spi_steps.h"

static const struct sdsim_wait ready_250ms = {.test = SDSIM_READY_ALL_ONES,
                                              .limit = 250 * SDSIM_MS};

static void attach(struct sdsim_driver *driver)
{
    driver->spi = sdsim_spi_byte_engine(driver->costs);
    driver->spi.response_looks = 9;
    driver->spi.stop_bytes = 2;
    driver->spi.token_limit = 100 * SDSIM_MS;
    driver->spi.block_ready = ready_250ms;
}

static bool command(struct sdsim_driver *driver, sdsim_ps *now, struct sdsim_transaction *bare,
                    struct sdsim_result *result)
{
    bare->flags |= SDSIM_DESELECT;
    bare->lead_bytes = 1;
    bare->trail_bytes = 1;
    return sdsim_spi_do(driver, now, SDSIM_NO_LBA, bare, result);
}

static const struct sdsim_spi_identify identify = {
    .manner = {command},
    .clocks = 10,
    .crc_on = true,
    .patience = SDSIM_S,
    .block_length = true,
};

static enum sdsim_driver_error init(struct sdsim_driver *driver, sdsim_ps *now)
{
    return sdsim_spi_identify(driver, now, &identify);
}

static void deselect(struct sdsim_driver *driver, sdsim_ps *now)
{
    const struct sdsim_transaction tx = {.flags = SDSIM_DESELECT, .trail_bytes = 1};
    sdsim_spi_clock(driver, now, &tx);
}

static bool read_blocks(struct sdsim_driver *driver, sdsim_ps *now, uint32_t lba, uint32_t count,
                        uint8_t *out)
{
    const bool single = count == 1;
    struct sdsim_result result;
    sdsim_driver_cpu(driver, now, driver->costs->call);
    struct sdsim_transaction tx = sdsim_spi_reading(driver, single ? 17 : 18, lba, count, out);
    tx.lead_bytes = 1;
    bool done = sdsim_spi_do(driver, now, lba, &tx, &result);
    if (!single && sdsim_spi_began(&result)) {
        const struct sdsim_transaction stop = {.flags = SDSIM_COMMAND | SDSIM_STUFF,
                                               .lead_bytes = 1,
                                               .command = 12,
                                               .response = SDSIM_RESPONSE_R1};
        done = sdsim_spi_do(driver, now, lba, &stop, &result) && done;
    }
    deselect(driver, now);
    return done;
}

static bool write_blocks(struct sdsim_driver *driver, sdsim_ps *now, uint32_t lba, uint32_t count,
                         const struct sdsim_content *content)
{
    const bool single = count == 1;
    struct sdsim_result result;
    sdsim_driver_cpu(driver, now, driver->costs->call);
    struct sdsim_transaction tx = sdsim_spi_writing(driver, single ? 24 : 25, lba, count, content);
    tx.lead_bytes = 1;
    tx.flags |= SDSIM_BLOCK_READY;
    tx.flags |= single ? 0 : SDSIM_STOP_READY | SDSIM_STOP_TOKEN;
    tx.finish = &ready_250ms;
    if (!sdsim_spi_do(driver, now, lba, &tx, &result)) {
        deselect(driver, now);
        return false;
    }
    return sdsim_spi_plain(driver, now, &identify.manner, 13, 0, SDSIM_RESPONSE_R2, &result);
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

const struct sdsim_driver_class sdsim_driver_proffieos_spi = {
    .name = "proffieos-spi",
    .spi = true,
    .attach = attach,
    .init = init,
    .read = read,
    .write = write,
};
