#include "driver/spi_steps.h"

struct sdsim_spi_engine sdsim_spi_byte_engine(const struct sdsim_driver_costs *costs)
{
    const struct sdsim_burst byte = {.before = costs->transfer};
    const struct sdsim_burst two = {.before = 2 * costs->transfer};
    const struct sdsim_burst frame = {.before = 6 * costs->transfer};
    return (struct sdsim_spi_engine){
        .chunk = (uint32_t)costs->chunk,
        .chunk_gap = costs->chunk_gap,
        .fill = byte,
        .poll = byte,
        .command = frame,
        .extra = byte,
        .token = byte,
        .data = {.before = costs->bulk + (costs->chunk > 0 ? costs->chunk_gap : 0)},
        .crc = two,
        .reply = byte,
        .stop = byte,
        .response_looks = 10,
        .token_look = 1,
        .stop_bytes = 1,
        .command_cpu = costs->command,
        .copy = costs->copy,
    };
}

struct sdsim_transaction sdsim_spi_reading(const struct sdsim_driver *driver, uint8_t index,
                                           uint32_t lba, uint32_t count, uint8_t *out)
{
    return (struct sdsim_transaction){
        .flags = SDSIM_COMMAND | SDSIM_SELECT,
        .command = index,
        .argument = sdsim_driver_address(driver, lba),
        .response = SDSIM_RESPONSE_R1,
        .direction = SDSIM_READ_BLOCKS,
        .blocks = count,
        .block_bytes = SDSIM_SECTOR,
        .out = out,
    };
}

struct sdsim_transaction sdsim_spi_writing(const struct sdsim_driver *driver, uint8_t index,
                                           uint32_t lba, uint32_t count,
                                           const struct sdsim_content *content)
{
    return (struct sdsim_transaction){
        .flags = SDSIM_COMMAND | SDSIM_SELECT,
        .command = index,
        .argument = sdsim_driver_address(driver, lba),
        .response = SDSIM_RESPONSE_R1,
        .direction = SDSIM_WRITE_BLOCKS,
        .blocks = count,
        .block_bytes = SDSIM_SECTOR,
        .content = content,
    };
}

bool sdsim_spi_do(struct sdsim_driver *driver, sdsim_ps *now, uint32_t lba,
                  const struct sdsim_transaction *tx, struct sdsim_result *result)
{
    return sdsim_driver_do(driver, now, sdsim_driver_command_name(tx->command), lba, tx, result);
}

void sdsim_spi_clock(struct sdsim_driver *driver, sdsim_ps *now, const struct sdsim_transaction *tx)
{
    struct sdsim_result result;
    sdsim_execute(driver->port, now, tx, &result);
}

bool sdsim_spi_plain(struct sdsim_driver *driver, sdsim_ps *now,
                     const struct sdsim_spi_manner *manner, uint8_t index, uint32_t argument,
                     enum sdsim_response response, struct sdsim_result *result)
{
    struct sdsim_transaction tx = {.flags = SDSIM_COMMAND | SDSIM_SELECT,
                                   .command = index,
                                   .argument = argument,
                                   .response = response};
    return manner->command(driver, now, &tx, result);
}

bool sdsim_spi_app(struct sdsim_driver *driver, sdsim_ps *now,
                   const struct sdsim_spi_manner *manner, uint8_t index, uint32_t argument,
                   struct sdsim_result *result)
{
    return sdsim_spi_plain(driver, now, manner, 55, 0, SDSIM_RESPONSE_R1, result) &&
           sdsim_spi_plain(driver, now, manner, index, argument, SDSIM_RESPONSE_R1, result);
}

/* ---- identification ---- */

/* ACMD41 until the card is not idle any more. */
static bool wait_for_card(struct sdsim_driver *driver, sdsim_ps *now,
                          const struct sdsim_spi_identify *steps, bool version2)
{
    struct sdsim_result result;
    const sdsim_ps start = *now;
    for (;;) {
        if (!sdsim_spi_app(driver, now, &steps->manner, 41, version2 ? SDSIM_OCR_CCS : 0,
                           &result)) {
            return false;
        }
        if (result.r1 == 0) {
            return true;
        }
        if (*now - start > steps->patience) {
            (void)sdsim_driver_give_up(driver, *now, "ACMD41", SDSIM_OUTCOME_NOT_READY);
            return false;
        }
        sdsim_driver_sleep(driver, now, steps->retry);
    }
}

static bool read_csd(struct sdsim_driver *driver, sdsim_ps *now,
                     const struct sdsim_spi_identify *steps)
{
    uint8_t csd[SDSIM_CSD_BYTES];
    struct sdsim_result result;
    struct sdsim_transaction tx = {.flags = SDSIM_COMMAND | SDSIM_SELECT,
                                   .command = 9,
                                   .response = SDSIM_RESPONSE_R1,
                                   .direction = SDSIM_READ_BLOCKS,
                                   .blocks = 1,
                                   .block_bytes = SDSIM_CSD_BYTES,
                                   .out = csd};
    if (!steps->manner.command(driver, now, &tx, &result)) {
        return false;
    }
    sdsim_driver_capacity(driver, csd);
    return true;
}

static bool identify(struct sdsim_driver *driver, sdsim_ps *now,
                     const struct sdsim_spi_identify *steps)
{
    const struct sdsim_spi_manner *manner = &steps->manner;
    const struct sdsim_transaction clocks = {.idle_bytes = steps->clocks};
    struct sdsim_result result;
    sdsim_driver_sleep(driver, now, steps->settle);
    sdsim_spi_clock(driver, now, &clocks);
    if (!sdsim_spi_plain(driver, now, manner, 0, 0, SDSIM_RESPONSE_R1, &result)) {
        return false;
    }
    const bool version2 =
        sdsim_spi_plain(driver, now, manner, 8, 0x1AA, SDSIM_RESPONSE_R3, &result);
    if (steps->crc_on && !sdsim_spi_plain(driver, now, manner, 59, 1, SDSIM_RESPONSE_R1, &result)) {
        return false;
    }
    if (!wait_for_card(driver, now, steps, version2)) {
        return false;
    }
    if (version2) {
        if (!sdsim_spi_plain(driver, now, manner, 58, 0, SDSIM_RESPONSE_R3, &result)) {
            return false;
        }
        driver->block_addresses = (result.extra[0] & 0x40) != 0;
    }
    const bool block_length = steps->block_length || !driver->block_addresses;
    return (!block_length ||
            sdsim_spi_plain(driver, now, manner, 16, SDSIM_SECTOR, SDSIM_RESPONSE_R1, &result)) &&
           read_csd(driver, now, steps);
}

enum sdsim_driver_error sdsim_spi_identify(struct sdsim_driver *driver, sdsim_ps *now,
                                           const struct sdsim_spi_identify *steps)
{
    const bool done = identify(driver, now, steps);
    sdsim_driver_clock_full(driver);
    return done ? SDSIM_DRIVER_OK : SDSIM_DRIVER_FAILED;
}

/* ---- calls of several commands ---- */

enum sdsim_driver_error sdsim_spi_split_read(struct sdsim_driver *driver, sdsim_ps *now,
                                             uint32_t lba, uint32_t count, uint8_t *out,
                                             bool (*read)(struct sdsim_driver *driver,
                                                          sdsim_ps *now, uint32_t lba,
                                                          uint32_t count, uint8_t *out))
{
    for (uint32_t done = 0; done < count;) {
        const uint32_t blocks = sdsim_driver_blocks(driver, count - done);
        if (!read(driver, now, lba + done, blocks,
                  out != NULL ? out + (size_t)done * SDSIM_SECTOR : NULL)) {
            return SDSIM_DRIVER_FAILED;
        }
        done += blocks;
    }
    return SDSIM_DRIVER_OK;
}

enum sdsim_driver_error
sdsim_spi_split_write(struct sdsim_driver *driver, sdsim_ps *now, uint32_t lba, uint32_t count,
                      const struct sdsim_content *content,
                      bool (*write)(struct sdsim_driver *driver, sdsim_ps *now, uint32_t lba,
                                    uint32_t count, const struct sdsim_content *content))
{
    for (uint32_t done = 0; done < count;) {
        uint32_t blocks = sdsim_driver_blocks(driver, count - done);
        blocks = blocks < driver->params->multiple_from ? 1 : blocks;
        const struct sdsim_content part =
            sdsim_content_after(content, (uint64_t)done * SDSIM_SECTOR);
        if (!write(driver, now, lba + done, blocks, &part)) {
            return SDSIM_DRIVER_FAILED;
        }
        done += blocks;
    }
    return SDSIM_DRIVER_OK;
}
