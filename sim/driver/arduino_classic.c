/*
 * The classic Arduino SD library, over SPI (arduino-libraries/SD, utility/Sd2Card.cpp).
 *
 * CS goes low without a dummy byte and high without one. Each byte is an SPI.transfer. Before every
 * command the card is waited for. Its File class moves one sector per command, whatever the call:
 * CMD17, or CMD24, which is waited for and followed by CMD13 in the same CS period. Neither CRC is
 * made or looked at.
 *
 * Costs used: call (each sector), command, transfer, bulk, chunk, chunk_gap, copy.
 */
#include "driver/spi_steps.h"

static const struct sdsim_wait ready_300ms = {.test = SDSIM_READY_ALL_ONES,
                                              .limit = 300 * SDSIM_MS};
static const struct sdsim_wait written_600ms = {.test = SDSIM_READY_ALL_ONES,
                                                .limit = 600 * SDSIM_MS};

static void attach(struct sdsim_driver *driver)
{
    driver->spi = sdsim_spi_byte_engine(driver->costs);
    driver->spi.response_looks = UINT8_MAX;
    driver->spi.token_limit = 300 * SDSIM_MS;
}

static bool command(struct sdsim_driver *driver, sdsim_ps *now, struct sdsim_transaction *bare,
                    struct sdsim_result *result)
{
    bare->flags |= SDSIM_DESELECT;
    bare->ready = &ready_300ms;
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

static bool read_sector(struct sdsim_driver *driver, sdsim_ps *now, uint32_t lba, uint8_t *out)
{
    struct sdsim_result result;
    sdsim_driver_cpu(driver, now, driver->costs->call);
    struct sdsim_transaction tx = sdsim_spi_reading(driver, 17, lba, 1, out);
    tx.flags |= SDSIM_DESELECT;
    tx.ready = &ready_300ms;
    return sdsim_spi_do(driver, now, lba, &tx, &result);
}

static bool write_sector(struct sdsim_driver *driver, sdsim_ps *now, uint32_t lba,
                         const struct sdsim_content *content)
{
    struct sdsim_result result;
    sdsim_driver_cpu(driver, now, driver->costs->call);
    struct sdsim_transaction tx = sdsim_spi_writing(driver, 24, lba, 1, content);
    tx.ready = &ready_300ms;
    tx.finish = &written_600ms;
    return sdsim_spi_do(driver, now, lba, &tx, &result) &&
           sdsim_spi_plain(driver, now, &identify.manner, 13, 0, SDSIM_RESPONSE_R2, &result);
}

static enum sdsim_driver_error read(struct sdsim_driver *driver, sdsim_ps *now, uint32_t lba,
                                    uint32_t count, uint8_t *out)
{
    for (uint32_t i = 0; i < count; i++) {
        if (!read_sector(driver, now, lba + i,
                         out != NULL ? out + (size_t)i * SDSIM_SECTOR : NULL)) {
            return SDSIM_DRIVER_FAILED;
        }
    }
    return SDSIM_DRIVER_OK;
}

static enum sdsim_driver_error write(struct sdsim_driver *driver, sdsim_ps *now, uint32_t lba,
                                     uint32_t count, const struct sdsim_content *content)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct sdsim_content part = sdsim_content_after(content, (uint64_t)i * SDSIM_SECTOR);
        if (!write_sector(driver, now, lba + i, &part)) {
            return SDSIM_DRIVER_FAILED;
        }
    }
    return SDSIM_DRIVER_OK;
}

const struct sdsim_driver_class sdsim_driver_arduino_classic = {
    .name = "arduino-sd-classic",
    .spi = true,
    .attach = attach,
    .init = init,
    .read = read,
    .write = write,
};
