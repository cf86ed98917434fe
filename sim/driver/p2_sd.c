/*
 * The SD card driver of the Parallax Propeller 2, over SPI (ironsheep/P2-uSD-FS,
 * micro_sd_fat32_fs.spin2), in Spin2 with smart pins.
 *
 * A command is preceded by a byte with CS high and one with CS low; nothing waits for the card.
 * Single bytes are Spin2 calls, the data of a block goes through the streamer. CRC16 is made and
 * checked by the CPU behind the data. Written blocks and the stop token are waited for. After every
 * read and write CS goes high, two bytes are clocked, and CMD13 asks for the status. The driver
 * moves several sectors with CMD18 and CMD25, older releases of its file layer only one
 * (most_blocks).
 *
 * Costs used: call, command, transfer, bulk, chunk, chunk_gap, crc16, copy.
 *
 * Limits: reads whose CRC is wrong are not repeated.
 */
#include "driver/spi_steps.h"

static const struct sdsim_wait written_500ms = {.test = SDSIM_READY_ALL_ONES,
                                                .limit = 500 * SDSIM_MS};

static void attach(struct sdsim_driver *driver)
{
    driver->spi = sdsim_spi_byte_engine(driver->costs);
    /* The four bytes of a command's argument are one call. */
    driver->spi.command = (struct sdsim_burst){.before = 3 * driver->costs->transfer};
    driver->spi.response_looks = UINT8_MAX;
    driver->spi.stop_bytes = 2;
    driver->spi.token_limit = SDSIM_S;
    driver->spi.block_busy = written_500ms;
    driver->spi.read_cpu = driver->costs->crc16;
    driver->spi.write_cpu_after_data = driver->costs->crc16;
}

static void surround(struct sdsim_transaction *tx)
{
    tx->idle_bytes = 1;
    tx->lead_bytes = 1;
}

static bool command(struct sdsim_driver *driver, sdsim_ps *now, struct sdsim_transaction *bare,
                    struct sdsim_result *result)
{
    surround(bare);
    bare->flags |= SDSIM_DESELECT;
    return sdsim_spi_do(driver, now, SDSIM_NO_LBA, bare, result);
}

static const struct sdsim_spi_identify identify = {
    .manner = {command},
    .settle = 100 * SDSIM_MS,
    .clocks = 10,
    .retry = 10 * SDSIM_MS,
    .patience = 2 * SDSIM_S,
};

static enum sdsim_driver_error init(struct sdsim_driver *driver, sdsim_ps *now)
{
    return sdsim_spi_identify(driver, now, &identify);
}

/* CS high, two bytes, CMD13. */
static bool status(struct sdsim_driver *driver, sdsim_ps *now)
{
    struct sdsim_result result;
    const struct sdsim_transaction tx = {.flags = SDSIM_COMMAND | SDSIM_SELECT | SDSIM_DESELECT,
                                         .idle_bytes = 2,
                                         .command = 13,
                                         .response = SDSIM_RESPONSE_R2};
    return sdsim_spi_do(driver, now, SDSIM_NO_LBA, &tx, &result);
}

static bool read_sectors(struct sdsim_driver *driver, sdsim_ps *now, uint32_t lba, uint32_t count,
                         uint8_t *out)
{
    const bool single = count == 1;
    struct sdsim_result result;
    sdsim_driver_cpu(driver, now, driver->costs->call);
    struct sdsim_transaction tx = sdsim_spi_reading(driver, single ? 17 : 18, lba, count, out);
    surround(&tx);
    tx.flags |= single ? SDSIM_DESELECT : 0;
    bool done = sdsim_spi_do(driver, now, lba, &tx, &result);
    if (!single && sdsim_spi_began(&result)) {
        const struct sdsim_transaction stop = {.flags =
                                                   SDSIM_COMMAND | SDSIM_STUFF | SDSIM_DESELECT,
                                               .command = 12,
                                               .response = SDSIM_RESPONSE_R1,
                                               .finish = &written_500ms};
        done = sdsim_spi_do(driver, now, lba, &stop, &result) && done;
    }
    return done && status(driver, now);
}

static bool write_sectors(struct sdsim_driver *driver, sdsim_ps *now, uint32_t lba, uint32_t count,
                          const struct sdsim_content *content)
{
    const bool single = count == 1;
    struct sdsim_result result;
    sdsim_driver_cpu(driver, now, driver->costs->call);
    struct sdsim_transaction tx = sdsim_spi_writing(driver, single ? 24 : 25, lba, count, content);
    surround(&tx);
    tx.flags |= SDSIM_DESELECT | SDSIM_BLOCK_BUSY;
    tx.flags |= single ? 0 : SDSIM_STOP_TOKEN;
    tx.finish = single ? NULL : &written_500ms;
    return sdsim_spi_do(driver, now, lba, &tx, &result) && status(driver, now);
}

static enum sdsim_driver_error read(struct sdsim_driver *driver, sdsim_ps *now, uint32_t lba,
                                    uint32_t count, uint8_t *out)
{
    return sdsim_spi_split_read(driver, now, lba, count, out, read_sectors);
}

static enum sdsim_driver_error write(struct sdsim_driver *driver, sdsim_ps *now, uint32_t lba,
                                     uint32_t count, const struct sdsim_content *content)
{
    return sdsim_spi_split_write(driver, now, lba, count, content, write_sectors);
}

const struct sdsim_driver_class sdsim_driver_p2_sd = {
    .name = "p2-sd-driver",
    .spi = true,
    .attach = attach,
    .init = init,
    .read = read,
    .write = write,
};
