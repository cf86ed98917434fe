#include "driver/sd_bus.h"

/* Default speed ends here (SD Physical Layer Simplified Specification, 4.3.10). */
static const uint64_t default_speed_hz = 25000000;
static const uint64_t high_speed_hz = 50000000;

/* The clock stands still for 5 ms while the lines change to 1.8 V, and the card has 1 ms more to
 * say that it has seen it (section 4.2.4.2). */
static const sdsim_ps lowering = 6 * SDSIM_MS;

bool sdsim_sd_plain(struct sdsim_driver *driver, sdsim_ps *now, uint8_t index, uint32_t argument)
{
    struct sdsim_result result;
    return sdsim_driver_command(driver, now, 0, index, argument, SDSIM_RESPONSE_R1, &result);
}

bool sdsim_sd_app(struct sdsim_driver *driver, sdsim_ps *now, uint8_t index, uint32_t argument)
{
    return sdsim_sd_plain(driver, now, 55, driver->rca) &&
           sdsim_sd_plain(driver, now, index, argument);
}

/* ---- identification ---- */

static uint32_t word(const struct sdsim_result *result)
{
    return (uint32_t)result->extra[0] << 24 | (uint32_t)result->extra[1] << 16 |
           (uint32_t)result->extra[2] << 8 | result->extra[3];
}

static bool lower_voltage(struct sdsim_driver *driver, sdsim_ps *now)
{
    driver->low_voltage = sdsim_sd_plain(driver, now, 11, 0);
    sdsim_driver_sleep(driver, now, lowering);
    return driver->low_voltage;
}

/* ACMD41 until the card is ready, and 1.8 V where it is granted. */
static bool power_up(struct sdsim_driver *driver, sdsim_ps *now,
                     const struct sdsim_sd_identification *how)
{
    struct sdsim_result result;
    (void)sdsim_driver_command(driver, now, 0, 0, 0, SDSIM_RESPONSE_NONE, &result);
    sdsim_driver_sleep(driver, now, how->after_reset);
    const bool version2 =
        sdsim_driver_command(driver, now, 0, 8, 0x1AA, SDSIM_RESPONSE_R3, &result);
    const bool uhs = how->uhs && driver->clocks.asked_hz > high_speed_hz;
    const uint32_t condition =
        SDSIM_OCR_VOLTAGES | (version2 ? SDSIM_OCR_CCS : 0) | (uhs ? SDSIM_OCR_S18 : 0);
    const sdsim_ps start = *now;
    while (*now - start <= SDSIM_S) {
        if (!sdsim_sd_plain(driver, now, 55, 0) ||
            !sdsim_driver_command(driver, now, 0, 41, condition, SDSIM_RESPONSE_R3, &result)) {
            return false;
        }
        if ((word(&result) & SDSIM_OCR_READY) != 0) {
            driver->block_addresses = (word(&result) & SDSIM_OCR_CCS) != 0;
            return (word(&result) & SDSIM_OCR_S18) == 0 || lower_voltage(driver, now);
        }
        sdsim_driver_sleep(driver, now, how->retry);
    }
    (void)sdsim_driver_give_up(driver, *now, "ACMD41", SDSIM_OUTCOME_NOT_READY);
    return false;
}

/* The fastest mode the card has; at 3.3 V that is high speed, and is not asked for. */
static enum sdsim_access_mode fastest_mode(struct sdsim_driver *driver, sdsim_ps *now)
{
    uint8_t status[SDSIM_STATUS_BYTES];
    struct sdsim_result result;
    enum sdsim_access_mode mode = SDSIM_HIGH_SPEED;
    if (driver->low_voltage && sdsim_driver_switch(driver, now, 0x00FFFFFF, status, &result)) {
        const uint64_t modes = sdsim_register_get(status, SDSIM_STATUS_BYTES, 400, 16);
        mode = (modes >> SDSIM_SDR104 & 1) != 0  ? SDSIM_SDR104
               : (modes >> SDSIM_SDR50 & 1) != 0 ? SDSIM_SDR50
                                                 : SDSIM_HIGH_SPEED;
    }
    return mode;
}

/* True also if the card stays at default speed. */
static bool switch_mode(struct sdsim_driver *driver, sdsim_ps *now)
{
    uint8_t status[SDSIM_STATUS_BYTES];
    struct sdsim_result result;
    const enum sdsim_access_mode mode = fastest_mode(driver, now);
    driver->high_speed =
        sdsim_driver_switch(driver, now, 0x80FFFFF0u | (uint32_t)mode, status, &result) &&
        sdsim_register_get(status, SDSIM_STATUS_BYTES, 376, 4) == (uint64_t)mode;
    /* A card before version 1.10 does not know the command and stays silent. */
    return driver->high_speed || result.outcome == SDSIM_OUTCOME_NO_RESPONSE ||
           result.outcome == SDSIM_OUTCOME_OK;
}

static bool read_registers(struct sdsim_driver *driver, sdsim_ps *now)
{
    uint8_t scr[SDSIM_SCR_BYTES];
    uint8_t status[SDSIM_STATUS_BYTES];
    if (!sdsim_sd_plain(driver, now, 55, driver->rca) ||
        !sdsim_driver_register(driver, now, 0, 51, SDSIM_RESPONSE_R1, sizeof scr, scr)) {
        return false;
    }
    driver->counts_blocks = sdsim_register_get(scr, SDSIM_SCR_BYTES, 33, 1) != 0;
    return sdsim_sd_plain(driver, now, 55, driver->rca) &&
           sdsim_driver_register(driver, now, 0, 13, SDSIM_RESPONSE_R1, sizeof status, status);
}

/* Stand-by to transfer state. */
static bool select_card(struct sdsim_driver *driver, sdsim_ps *now,
                        const struct sdsim_sd_identification *how)
{
    struct sdsim_result result;
    if (!sdsim_driver_command(driver, now, 0, 9, driver->rca, SDSIM_RESPONSE_R2, &result)) {
        return false;
    }
    sdsim_driver_capacity(driver, result.extra);
    const bool wide = driver->port->mode == SDSIM_BUS_SD4;
    return sdsim_sd_plain(driver, now, 7, driver->rca) &&
           (!wide || sdsim_sd_app(driver, now, 6, 2)) &&
           (driver->block_addresses || sdsim_sd_plain(driver, now, 16, SDSIM_SECTOR)) &&
           (!how->registers || read_registers(driver, now));
}

bool sdsim_sd_counted(const struct sdsim_driver *driver, const struct sdsim_sd_part *part)
{
    return part->count > 1 && driver->params->block_count && driver->counts_blocks;
}

enum sdsim_driver_error sdsim_sd_identify(struct sdsim_driver *driver, sdsim_ps *now,
                                          const struct sdsim_sd_identification *how)
{
    struct sdsim_result result;
    if (!power_up(driver, now, how) ||
        !sdsim_driver_command(driver, now, 0, 2, 0, SDSIM_RESPONSE_R2, &result) ||
        !sdsim_driver_command(driver, now, 0, 3, 0, SDSIM_RESPONSE_R3, &result)) {
        return SDSIM_DRIVER_FAILED;
    }
    driver->rca = word(&result) & 0xFFFF0000u;
    if (!select_card(driver, now, how)) {
        return SDSIM_DRIVER_FAILED;
    }
    if (how->high_speed && driver->clocks.asked_hz > default_speed_hz &&
        !switch_mode(driver, now)) {
        return SDSIM_DRIVER_FAILED;
    }
    sdsim_driver_clock_full(driver);
    driver->fault.step = NULL; /* a CMD6 that was not answered is no fault */
    return SDSIM_DRIVER_OK;
}

uint64_t sdsim_sd_request(uint64_t asked_hz, const struct sdsim_card_params *card)
{
    const uint64_t most =
        asked_hz > default_speed_hz && card->high_hz > 0 ? card->high_hz : default_speed_hz;
    return asked_hz < most ? asked_hz : most;
}

uint64_t sdsim_sd_request_uhs(uint64_t asked_hz, const struct sdsim_card_params *card)
{
    if (asked_hz <= high_speed_hz || card->uhs_hz == 0) {
        return sdsim_sd_request(asked_hz, card);
    }
    return asked_hz < card->uhs_hz ? asked_hz : card->uhs_hz;
}

/* ---- calls ---- */

static uint32_t part_length(const struct sdsim_driver *driver, uint32_t left)
{
    const uint64_t most = driver->params->most_blocks;
    const uint32_t count = sdsim_driver_blocks(driver, left);
    return most > 0 && count > most ? (uint32_t)most : count;
}

enum sdsim_driver_error sdsim_sd_read(struct sdsim_driver *driver, sdsim_ps *now, uint32_t lba,
                                      uint32_t count, uint8_t *out)
{
    struct sdsim_sd_part part = {.lba = lba, .out = out};
    bool done = true;
    for (uint32_t left = count; left > 0 && done; left -= part.count) {
        part.count = part_length(driver, left);
        sdsim_driver_cpu(driver, now, driver->costs->call);
        done = driver->class->move(driver, now, &part);
        part.lba += part.count;
        part.out = out != NULL ? part.out + (size_t)part.count * SDSIM_SECTOR : NULL;
    }
    return sdsim_sd_error(done);
}

enum sdsim_driver_error sdsim_sd_write(struct sdsim_driver *driver, sdsim_ps *now, uint32_t lba,
                                       uint32_t count, const struct sdsim_content *content)
{
    struct sdsim_content rest = *content;
    struct sdsim_sd_part part = {.lba = lba, .content = &rest};
    bool done = true;
    for (uint32_t left = count; left > 0 && done; left -= part.count) {
        part.count = part_length(driver, left);
        sdsim_driver_cpu(driver, now, driver->costs->call);
        done = driver->class->move(driver, now, &part);
        part.lba += part.count;
        rest = sdsim_content_after(&rest, (uint64_t)part.count * SDSIM_SECTOR);
    }
    return sdsim_sd_error(done);
}

uint8_t sdsim_sd_block_command(const struct sdsim_sd_part *part)
{
    return (uint8_t)((part->content != NULL ? 24 : 17) + (part->count > 1 ? 1 : 0));
}

bool sdsim_sd_move(struct sdsim_driver *driver, sdsim_ps *now, const struct sdsim_sd_part *part,
                   const struct sdsim_sd_manner *manner)
{
    const bool writes = part->content != NULL;
    const uint8_t index = manner->command;
    const struct sdsim_transaction tx = {
        .flags = (uint16_t)(manner->flags | (index != 0 ? SDSIM_COMMAND : 0)),
        .ready = manner->ready,
        .command = index,
        .argument = sdsim_driver_address(driver, part->lba),
        .response = SDSIM_RESPONSE_R1,
        .direction = writes ? SDSIM_WRITE_BLOCKS : SDSIM_READ_BLOCKS,
        .blocks = part->count,
        .block_bytes = SDSIM_SECTOR,
        .content = part->content,
        .out = part->out,
        .finish = manner->finish,
    };
    struct sdsim_result result;
    const char *step = index != 0 ? sdsim_driver_command_name(index)
                       : writes   ? "going on with CMD25"
                                  : "going on with CMD18";
    return sdsim_driver_do(driver, now, step, part->lba, &tx, &result);
}

bool sdsim_sd_stop(struct sdsim_driver *driver, sdsim_ps *now, const struct sdsim_wait *finish)
{
    const struct sdsim_transaction tx = {
        .flags = SDSIM_COMMAND,
        .command = 12,
        .response = SDSIM_RESPONSE_R1,
        .finish = finish,
    };
    struct sdsim_result result;
    return sdsim_driver_do(driver, now, "CMD12", SDSIM_NO_LBA, &tx, &result);
}

bool sdsim_sd_wait(struct sdsim_driver *driver, sdsim_ps *now, const struct sdsim_wait *first,
                   const struct sdsim_wait *second)
{
    const struct sdsim_transaction tx = {.ready = first, .finish = second};
    struct sdsim_result result;
    return sdsim_driver_do(driver, now, "wait for ready", SDSIM_NO_LBA, &tx, &result);
}

sdsim_ps sdsim_sd_fifo(const struct sdsim_driver_costs *costs)
{
    return costs->chunk > 0 ? sdsim_time_times(costs->chunk_gap,
                                               (SDSIM_SECTOR + costs->chunk - 1) / costs->chunk)
                            : 0;
}

struct sdsim_sd_engine sdsim_sd_engine_of(const struct sdsim_driver *driver)
{
    const struct sdsim_driver_costs *costs = driver->costs;
    return (struct sdsim_sd_engine){
        .command_before = costs->command,
        .command_after = costs->wake,
        .data_after = costs->wake,
        .status_before = costs->command,
        .status_after = costs->wake,
        .block_gap = costs->bulk,
        .block_start = costs->bulk,
        .copy = driver->usable_buffers ? 0 : costs->copy,
    };
}
