/*
 * CircuitPython's driver in Python, over SPI (adafruit/Adafruit_CircuitPython_SD adafruit_sdcard.py
 * at dfbb9fd6), and the first sdcardio, of 2020 and 2021, which is the same in C
 * (jepler/circuitpython shared-module/sdcardio/SDCard.c at 6898f378).
 *
 * A call is one `with` block of adafruit_bus_device's SPIDevice: the bus is locked and configured,
 * CS goes low without a byte, and at the end CS goes high, a byte follows, and the bus is unlocked.
 * Each transfer in between is a Python call of busio.SPI, each look at the card one of a single
 * byte; only the 512 bytes of a block, and the two of its CRC16, are one call each. The CRC7 of a
 * command comes from a table, in Python; CMD12 has a constant one.
 *
 * Before each command but CMD12, and before each written block, bytes until one is 0xFF, for
 * 300 ms, after which it goes on all the same. 200 looks for R1. CMD17 or CMD18; after CMD18's
 * blocks CMD12, whose stuff byte is taken for "no response yet", and no wait for its busy. CMD24 or
 * CMD25 with a wait for each block without a limit; behind CMD25's the bytes FD FF and 200 looks
 * for the card to get busy, and the busy itself is left to the next call. No CMD13, no ACMD23; the
 * data CRC is neither computed nor checked. No sync.
 *
 * Costs used: call (the `with` block, the command's CRC7 and its wait, without looks), command (the
 * rest of each command), transfer (each short SPI call with its turn of the loop), bulk (the call
 * of a block, with the function around it).
 *
 * Limits: CMD17's start token is waited for without a limit, as CMD18's are, and as in C; in Python
 * the driver gives up after 200 looks. The wait for the beginning of busy ends after 20 ms, not
 * after 200 looks. Identification asks CMD58 once, not before each ACMD41.
 */
#include "driver/spi_steps.h"

static const struct sdsim_wait ready_300ms = {
    .test = SDSIM_READY_ALL_ONES, .limit = 300 * SDSIM_MS, .soft = true};
static const struct sdsim_wait busy_begins = {
    .test = SDSIM_READY_BUSY_SEEN, .limit = 20 * SDSIM_MS, .soft = true};

static void attach(struct sdsim_driver *driver)
{
    const struct sdsim_driver_costs *costs = driver->costs;
    const struct sdsim_burst transfer = {.before = costs->transfer};
    driver->spi = (struct sdsim_spi_engine){
        .fill = transfer,
        .poll = transfer,
        .command = transfer,
        .extra = transfer,
        .token = transfer,
        .data = {.before = costs->bulk},
        .crc = transfer,
        .reply = transfer,
        .stop = transfer,
        .response_looks = 200,
        .token_look = 1,
        .stop_bytes = 2,
        .command_cpu = costs->command,
        .block_ready = ready_300ms,
        .block_busy = {.test = SDSIM_READY_NONZERO},
    };
}

/* CS high and the byte after it; what every `with` block ends with. */
static void leave(struct sdsim_driver *driver, sdsim_ps *now)
{
    const struct sdsim_transaction tx = {.flags = SDSIM_DESELECT, .trail_bytes = 1};
    sdsim_spi_clock(driver, now, &tx);
}

static bool command(struct sdsim_driver *driver, sdsim_ps *now, struct sdsim_transaction *bare,
                    struct sdsim_result *result)
{
    bare->ready = &ready_300ms;
    return sdsim_spi_do(driver, now, SDSIM_NO_LBA, bare, result);
}

static const struct sdsim_spi_identify identify = {
    .manner = {command},
    .clocks = 12, /* eleven bytes, and that of the `with` block's end */
    .retry = 50 * SDSIM_MS,
    .patience = 200 * 50 * SDSIM_MS,
    .block_length = true,
};

static enum sdsim_driver_error init(struct sdsim_driver *driver, sdsim_ps *now)
{
    const enum sdsim_driver_error error = sdsim_spi_identify(driver, now, &identify);
    leave(driver, now);
    return error;
}

static enum sdsim_driver_error read(struct sdsim_driver *driver, sdsim_ps *now, uint32_t lba,
                                    uint32_t count, uint8_t *out)
{
    struct sdsim_result result;
    struct sdsim_transaction tx = sdsim_spi_reading(driver, count == 1 ? 17 : 18, lba, count, out);
    tx.ready = &ready_300ms;
    sdsim_driver_cpu(driver, now, driver->costs->call);
    bool done = sdsim_spi_do(driver, now, lba, &tx, &result);
    if (done && count > 1) {
        done = sdsim_driver_command(driver, now, 0, 12, 0, SDSIM_RESPONSE_R1, &result);
    }
    leave(driver, now);
    return done ? SDSIM_DRIVER_OK : SDSIM_DRIVER_FAILED;
}

static enum sdsim_driver_error write(struct sdsim_driver *driver, sdsim_ps *now, uint32_t lba,
                                     uint32_t count, const struct sdsim_content *content)
{
    struct sdsim_result result;
    const bool many = count > 1;
    struct sdsim_transaction tx = sdsim_spi_writing(driver, many ? 25 : 24, lba, count, content);
    tx.flags |= SDSIM_BLOCK_READY | SDSIM_BLOCK_BUSY;
    tx.flags |= many ? SDSIM_STOP_READY | SDSIM_STOP_TOKEN : 0;
    tx.ready = &ready_300ms;
    tx.finish = many ? &busy_begins : NULL;
    sdsim_driver_cpu(driver, now, driver->costs->call);
    const bool done = sdsim_spi_do(driver, now, lba, &tx, &result);
    leave(driver, now);
    return done ? SDSIM_DRIVER_OK : SDSIM_DRIVER_FAILED;
}

const struct sdsim_driver_class sdsim_driver_adafruit_sdcard = {
    .name = "circuitpython-adafruit-sdcard",
    .spi = true,
    .attach = attach,
    .init = init,
    .read = read,
    .write = write,
};

const struct sdsim_driver_class sdsim_driver_sdcardio_6 = {
    .name = "circuitpython-sdcardio-6",
    .costs_of = "circuitpython-sdcardio",
    .spi = true,
    .attach = attach,
    .init = init,
    .read = read,
    .write = write,
};
