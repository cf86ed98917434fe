/*
 * ChaN's FatFs sample drivers over SPI, and elehobica's pico_fatfs, which is made from one of them
 * (tf_card.c).
 *
 * Every command but CMD12 is a fresh start: CS high and a byte, CS low and a byte, wait until the
 * card is ready, then six bytes, each by its own call. ACMD23 goes before CMD25. Each block waits
 * for the card first, and so does the stop token; behind the last block nothing is waited for and
 * there is no CMD13, so the busy is left to the next command. CTRL_SYNC is that wait alone. Neither
 * CRC is made or looked at.
 *
 * The samples differ in how bytes move: the STM32 one in 16-bit frames, one after the other (chunk
 * of 2 bytes), the generic one by software, with 100 us of sleep after each look that found the card
 * not ready, or no token yet (poll_sleep). pico_fatfs selects the card once more before it writes,
 * in vain as the command starts afresh; where the pins don't fit the SPI unit it makes SPI by PIO.
 *
 * Costs used: call, command, transfer, bulk, chunk, chunk_gap, copy.
 */
#include "driver/spi_steps.h"

static void attach(struct sdsim_driver *driver)
{
    driver->spi = sdsim_spi_byte_engine(driver->costs);
    driver->spi.token_limit = 200 * SDSIM_MS;
    driver->spi.token_sleep = driver->params->poll_sleep;
    driver->spi.block_ready = (struct sdsim_wait){
        .test = SDSIM_READY_ALL_ONES, .limit = 500 * SDSIM_MS, .sleep = driver->params->poll_sleep};
}

/* What comes before a command: a byte with CS high, a byte with CS low, the wait. */
static void select_before(const struct sdsim_driver *driver, struct sdsim_transaction *tx)
{
    tx->idle_bytes = 1;
    tx->lead_bytes = 1;
    tx->ready = &driver->spi.block_ready;
}

/* CS goes high here and not when the next command starts, which the bus can't tell. */
static bool command(struct sdsim_driver *driver, sdsim_ps *now, struct sdsim_transaction *bare,
                    struct sdsim_result *result)
{
    select_before(driver, bare);
    bare->flags |= SDSIM_DESELECT;
    return sdsim_spi_do(driver, now, SDSIM_NO_LBA, bare, result);
}

static const struct sdsim_spi_identify identify = {
    .manner = {command},
    .settle = 10 * SDSIM_MS,
    .clocks = 10,
    .patience = SDSIM_S,
};

static void deselect(struct sdsim_driver *driver, sdsim_ps *now)
{
    const struct sdsim_transaction tx = {.flags = SDSIM_DESELECT, .trail_bytes = 1};
    sdsim_spi_clock(driver, now, &tx);
}

static enum sdsim_driver_error init(struct sdsim_driver *driver, sdsim_ps *now)
{
    const enum sdsim_driver_error error = sdsim_spi_identify(driver, now, &identify);
    deselect(driver, now);
    return error;
}

static enum sdsim_driver_error read(struct sdsim_driver *driver, sdsim_ps *now, uint32_t lba,
                                    uint32_t count, uint8_t *out)
{
    const bool single = count == 1;
    struct sdsim_result result;
    sdsim_driver_cpu(driver, now, driver->costs->call);
    struct sdsim_transaction tx = sdsim_spi_reading(driver, single ? 17 : 18, lba, count, out);
    select_before(driver, &tx);
    bool done = sdsim_spi_do(driver, now, lba, &tx, &result);
    if (!single && sdsim_spi_began(&result)) {
        done = sdsim_driver_command(driver, now, SDSIM_STUFF, 12, 0, SDSIM_RESPONSE_R1, &result) &&
               done;
    }
    deselect(driver, now);
    return done ? SDSIM_DRIVER_OK : SDSIM_DRIVER_FAILED;
}

static enum sdsim_driver_error write_blocks(struct sdsim_driver *driver, sdsim_ps *now,
                                            uint32_t lba, uint32_t count,
                                            const struct sdsim_content *content)
{
    const bool single = count == 1;
    struct sdsim_result result;
    struct sdsim_transaction tx = sdsim_spi_writing(driver, single ? 24 : 25, lba, count, content);
    select_before(driver, &tx);
    tx.flags |= SDSIM_BLOCK_READY;
    tx.flags |= single ? 0 : SDSIM_STOP_READY | SDSIM_STOP_TOKEN;
    const bool done =
        (single || sdsim_spi_app(driver, now, &identify.manner, 23, count, &result)) &&
        sdsim_spi_do(driver, now, lba, &tx, &result);
    deselect(driver, now);
    return done ? SDSIM_DRIVER_OK : SDSIM_DRIVER_FAILED;
}

static enum sdsim_driver_error write(struct sdsim_driver *driver, sdsim_ps *now, uint32_t lba,
                                     uint32_t count, const struct sdsim_content *content)
{
    sdsim_driver_cpu(driver, now, driver->costs->call);
    return write_blocks(driver, now, lba, count, content);
}

/* Selects the card and waits for it. */
static bool wait_ready(struct sdsim_driver *driver, sdsim_ps *now, uint8_t trail_bytes)
{
    struct sdsim_result result;
    const struct sdsim_transaction tx = {.flags = SDSIM_SELECT | SDSIM_DESELECT,
                                         .lead_bytes = 1,
                                         .ready = &driver->spi.block_ready,
                                         .trail_bytes = trail_bytes};
    return sdsim_driver_do(driver, now, "wait for ready", SDSIM_NO_LBA, &tx, &result);
}

static enum sdsim_driver_error sync(struct sdsim_driver *driver, sdsim_ps *now)
{
    return wait_ready(driver, now, 1) ? SDSIM_DRIVER_OK : SDSIM_DRIVER_FAILED;
}

const struct sdsim_driver_class sdsim_driver_chan_mmc = {
    .name = "chan-mmc-spi",
    .spi = true,
    .attach = attach,
    .init = init,
    .read = read,
    .write = write,
    .sync = sync,
};

static enum sdsim_driver_error write_selected(struct sdsim_driver *driver, sdsim_ps *now,
                                              uint32_t lba, uint32_t count,
                                              const struct sdsim_content *content)
{
    sdsim_driver_cpu(driver, now, driver->costs->call);
    return wait_ready(driver, now, 0) ? write_blocks(driver, now, lba, count, content)
                                      : SDSIM_DRIVER_FAILED;
}

const struct sdsim_driver_class sdsim_driver_pico_fatfs = {
    .name = "pico-fatfs-spi",
    .spi = true,
    .attach = attach,
    .init = init,
    .read = read,
    .write = write_selected,
    .sync = sync,
};

const struct sdsim_driver_class sdsim_driver_pico_fatfs_pio = {
    .name = "pico-fatfs-pio-spi",
    .costs_of = "pico-fatfs-spi",
    .spi = true,
    .attach = attach,
    .init = init,
    .read = read,
    .write = write_selected,
    .sync = sync,
};
