/*
 * ESP-IDF SDMMC (esp_driver_sdmmc and sdmmc), 1-bit and 4-bit, and the three that are thin layers
 * over it: arduino-esp32 SD_MMC, CircuitPython sdioio on Espressif chips, and MicroPython's
 * machine.SDCard on the ESP32 (ports/esp32/machine_sdcard.c).
 *
 * CMD17/CMD24 for one sector, CMD18/CMD25 with the controller's automatic CMD12 for more; no CMD23,
 * no ACMD23. Data moves by DMA; the task sleeps until the interrupt. After every read and every
 * write CMD13 is sent again and again until the card is in transfer state and ready for data:
 * without a pause for 100 ms, then with one vTaskDelay(1) at 100, 200, 400 ms ... Sync does
 * nothing. Buffers that DMA can't use go one sector per command through a bounce buffer, up to
 * v6.0.
 *
 * High speed (CMD6) is tried only if the clock asked for is above 20 MHz.
 *
 * Costs used: call, command, wake, copy.
 */
#include "driver/internal.h"

static void attach(struct sdsim_driver *driver)
{
    const struct sdsim_driver_costs *costs = driver->costs;
    driver->sd = (struct sdsim_sd_engine){
        .command_before = costs->command,
        .command_after = costs->wake,
        .data_after = costs->wake,
        .status_before = costs->command,
        .status_after = costs->wake,
        .copy = driver->usable_buffers ? 0 : costs->copy,
    };
}

static bool plain(struct sdsim_driver *driver, sdsim_ps *now, uint8_t index, uint32_t argument,
                  enum sdsim_response response, struct sdsim_result *result)
{
    return sdsim_driver_command(driver, now, 0, index, argument, response, result);
}

static bool app(struct sdsim_driver *driver, sdsim_ps *now, uint32_t rca, uint8_t index,
                uint32_t argument, enum sdsim_response response, struct sdsim_result *result)
{
    return plain(driver, now, 55, rca, SDSIM_RESPONSE_R1, result) &&
           plain(driver, now, index, argument, response, result);
}

static uint32_t word(const struct sdsim_result *result)
{
    return (uint32_t)result->extra[0] << 24 | (uint32_t)result->extra[1] << 16 |
           (uint32_t)result->extra[2] << 8 | result->extra[3];
}

/* CMD0 to the operating condition; true with the card ready. */
static bool wake_up(struct sdsim_driver *driver, sdsim_ps *now)
{
    struct sdsim_result result;
    (void)plain(driver, now, 0, 0, SDSIM_RESPONSE_NONE, &result);
    sdsim_driver_sleep(driver, now, 20 * SDSIM_MS);
    const bool version2 = plain(driver, now, 8, 0x1AA, SDSIM_RESPONSE_R3, &result);
    const uint32_t condition = SDSIM_OCR_VOLTAGES | (version2 ? SDSIM_OCR_CCS : 0);
    for (int attempt = 0; attempt < 100; attempt++) {
        if (!app(driver, now, 0, 41, condition, SDSIM_RESPONSE_R3, &result)) {
            return false;
        }
        if ((word(&result) & SDSIM_OCR_READY) != 0) {
            driver->block_addresses = (word(&result) & SDSIM_OCR_CCS) != 0;
            return true;
        }
        sdsim_driver_sleep(driver, now, 10 * SDSIM_MS);
    }
    (void)sdsim_driver_give_up(driver, *now, "ACMD41", SDSIM_OUTCOME_NOT_READY);
    return false;
}

/* CMD6 with an argument; true if function 1, high speed, is what the card names in its answer. */
static bool ask_high_speed(struct sdsim_driver *driver, sdsim_ps *now, uint32_t argument)
{
    uint8_t status[SDSIM_STATUS_BYTES];
    struct sdsim_result result;
    return sdsim_driver_switch(driver, now, argument, status, &result) &&
           sdsim_register_get(status, SDSIM_STATUS_BYTES, 376, 4) == 1;
}

static bool read_scr(struct sdsim_driver *driver, sdsim_ps *now, uint32_t rca)
{
    struct sdsim_result result;
    uint8_t scr[SDSIM_SCR_BYTES];
    return plain(driver, now, 55, rca, SDSIM_RESPONSE_R1, &result) &&
           sdsim_driver_register(driver, now, 0, 51, SDSIM_RESPONSE_R1, sizeof scr, scr);
}

/* Selected and in transfer state: SCR, high speed, bus width, SD status. */
static bool set_up(struct sdsim_driver *driver, sdsim_ps *now, uint32_t rca)
{
    struct sdsim_result result;
    uint8_t ssr[SDSIM_STATUS_BYTES];
    if (!read_scr(driver, now, rca) || !plain(driver, now, 13, rca, SDSIM_RESPONSE_R1, &result)) {
        return false;
    }
    driver->high_speed = driver->clocks.asked_hz > SDSIM_IDF_HIGH_SPEED_ABOVE &&
                         ask_high_speed(driver, now, 0x00FFFFF1) &&
                         ask_high_speed(driver, now, 0x80FFFFF1);
    if (driver->port->mode == SDSIM_BUS_SD4 &&
        !app(driver, now, rca, 6, 2, SDSIM_RESPONSE_R1, &result)) {
        return false;
    }
    return plain(driver, now, 55, rca, SDSIM_RESPONSE_R1, &result) &&
           sdsim_driver_register(driver, now, 0, 13, SDSIM_RESPONSE_R1, sizeof ssr, ssr);
}

/* The order of sdmmc_card_init. */
static enum sdsim_driver_error init(struct sdsim_driver *driver, sdsim_ps *now)
{
    struct sdsim_result result;
    if (!wake_up(driver, now) || !plain(driver, now, 2, 0, SDSIM_RESPONSE_R2, &result) ||
        !plain(driver, now, 3, 0, SDSIM_RESPONSE_R3, &result)) {
        return SDSIM_DRIVER_FAILED;
    }
    const uint32_t rca = word(&result) & 0xFFFF0000u;
    if (!plain(driver, now, 9, rca, SDSIM_RESPONSE_R2, &result)) {
        return SDSIM_DRIVER_FAILED;
    }
    sdsim_driver_capacity(driver, result.extra);
    if (!plain(driver, now, 7, rca, SDSIM_RESPONSE_R1, &result) ||
        (!driver->block_addresses && !plain(driver, now, 16, 512, SDSIM_RESPONSE_R1, &result)) ||
        !set_up(driver, now, rca)) {
        return SDSIM_DRIVER_FAILED;
    }
    sdsim_driver_clock_full(driver);
    sdsim_driver_cpu(driver, now, 10 * SDSIM_US); /* every clock change waits that long */
    return read_scr(driver, now, rca) ? SDSIM_DRIVER_OK : SDSIM_DRIVER_FAILED;
}

/* One command with its blocks, and CMD13 until the card is ready. */
static bool transfer(struct sdsim_driver *driver, sdsim_ps *now, uint8_t index, uint32_t lba,
                     uint32_t count, const struct sdsim_content *content, uint8_t *out)
{
    const struct sdsim_wait ready = {.test = SDSIM_READY_STATUS,
                                     .limit = 5 * SDSIM_S,
                                     .sleep = driver->params->tick,
                                     .sleep_after = 100 * SDSIM_MS};
    const struct sdsim_transaction tx = {
        .flags = (uint16_t)(SDSIM_COMMAND | (count > 1 ? SDSIM_AUTO_STOP : 0)),
        .command = index,
        .argument = sdsim_driver_address(driver, lba),
        .response = SDSIM_RESPONSE_R1,
        .direction = content != NULL ? SDSIM_WRITE_BLOCKS : SDSIM_READ_BLOCKS,
        .blocks = count,
        .block_bytes = SDSIM_SECTOR,
        .content = content,
        .out = out,
        .finish = &ready,
    };
    static const char *const names[] = {"CMD17", "CMD18", "CMD24", "CMD25"};
    struct sdsim_result result;
    const char *name = names[(content != NULL ? 2 : 0) + (count > 1 ? 1 : 0)];
    return sdsim_driver_do(driver, now, name, lba, &tx, &result);
}

static enum sdsim_driver_error read(struct sdsim_driver *driver, sdsim_ps *now, uint32_t lba,
                                    uint32_t count, uint8_t *out)
{
    sdsim_driver_cpu(driver, now, driver->costs->call);
    for (uint32_t done = 0; done < count;) {
        const uint32_t blocks = sdsim_driver_blocks(driver, count - done);
        uint8_t *const to = out != NULL ? out + (size_t)done * SDSIM_SECTOR : NULL;
        if (!transfer(driver, now, blocks > 1 ? 18 : 17, lba + done, blocks, NULL, to)) {
            return SDSIM_DRIVER_FAILED;
        }
        done += blocks;
    }
    return SDSIM_DRIVER_OK;
}

static enum sdsim_driver_error write(struct sdsim_driver *driver, sdsim_ps *now, uint32_t lba,
                                     uint32_t count, const struct sdsim_content *content)
{
    sdsim_driver_cpu(driver, now, driver->costs->call);
    for (uint32_t done = 0; done < count;) {
        const uint32_t blocks = sdsim_driver_blocks(driver, count - done);
        const struct sdsim_content part =
            sdsim_content_after(content, (uint64_t)done * SDSIM_SECTOR);
        if (!transfer(driver, now, blocks > 1 ? 25 : 24, lba + done, blocks, &part, NULL)) {
            return SDSIM_DRIVER_FAILED;
        }
        done += blocks;
    }
    return SDSIM_DRIVER_OK;
}

/* The four have one code; they differ in their defaults and in what lies above them. */
#define SDMMC_CLASS(symbol, text, like)                                                            \
    const struct sdsim_driver_class symbol = {.name = text,                                        \
                                              .costs_of = like,                                    \
                                              .sd = true,                                          \
                                              .request = sdsim_driver_idf_request,                 \
                                              .attach = attach,                                    \
                                              .init = init,                                        \
                                              .read = read,                                        \
                                              .write = write}

SDMMC_CLASS(sdsim_driver_idf_sdmmc, "esp-idf-sdmmc", NULL);
SDMMC_CLASS(sdsim_driver_arduino_sdmmc, "arduino-esp32-sdmmc", "esp-idf-sdmmc");
SDMMC_CLASS(sdsim_driver_sdioio, "circuitpython-sdioio", "esp-idf-sdmmc");
SDMMC_CLASS(sdsim_driver_machine_sdcard, "micropython-machine-sdcard", "esp-idf-sdmmc");
