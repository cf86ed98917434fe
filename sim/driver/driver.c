#include "driver/driver.h"

#include <assert.h>
#include <stdio.h>

#include "driver/internal.h"

const struct sdsim_driver_class *sdsim_driver_class(enum sdsim_driver_code code)
{
    static const struct sdsim_driver_class *const classes[] = {
#define SDSIM_DRIVER_ENTRY(code, class, name, doc) &sdsim_driver_##class,
        SDSIM_DRIVER_LIST(SDSIM_DRIVER_ENTRY)
#undef SDSIM_DRIVER_ENTRY
    };
    return (unsigned)code < SDSIM_DRIVER_COUNT ? classes[code] : NULL;
}

void sdsim_driver_attach(struct sdsim_driver *driver, const struct sdsim_driver_params *params,
                         const struct sdsim_driver_costs *costs, struct sdsim_port *port,
                         const struct sdsim_driver_clocks *clocks, bool usable_buffers)
{
    *driver = (struct sdsim_driver){
        .class = sdsim_driver_class((enum sdsim_driver_code)params->code),
        .params = params,
        .costs = costs,
        .port = port,
        .clocks = *clocks,
        .usable_buffers = usable_buffers,
    };
    assert(port->mode == SDSIM_BUS_SPI ? driver->class->spi : driver->class->sd);
    driver->class->attach(driver);
    port->spi = &driver->spi;
    port->sd = &driver->sd;
}

enum sdsim_driver_error sdsim_driver_init(struct sdsim_driver *driver, sdsim_ps *now)
{
    driver->port->meter->purpose = SDSIM_FOR_INIT;
    sdsim_driver_clock_init(driver);
    const enum sdsim_driver_error error = driver->class->init(driver, now);
    driver->port->meter->purpose = SDSIM_FOR_DATA;
    return error;
}

static bool in_range(struct sdsim_driver *driver, sdsim_ps now, uint32_t lba, uint32_t count)
{
    assert(count > 0);
    if (lba < driver->sectors && count <= driver->sectors - lba) {
        return true;
    }
    driver->fault = (struct sdsim_driver_fault){
        .step = "range check", .outcome = SDSIM_OUTCOME_REFUSED, .lba = lba, .at = now};
    return false;
}

/* Tells the recorder of a call that took time. */
static void note_call(struct sdsim_driver *driver, enum sdsim_call call, enum sdsim_purpose purpose,
                      sdsim_ps start, sdsim_ps end, uint32_t lba, uint32_t count)
{
    const struct sdsim_detail detail = {
        .kind = count > 0 ? SDSIM_DETAIL_SECTORS : SDSIM_DETAIL_NONE, .place = lba, .size = count};
    if (end > start) {
        sdsim_record_call(driver->port->meter, SDSIM_LANE_DISK, call, purpose, start, end, &detail);
    }
}

static void take_bus(struct sdsim_driver *driver, sdsim_ps *now)
{
    if (driver->gate != NULL) {
        driver->gate->enter(driver->gate, driver->port->meter, now);
    }
}

static void give_bus(struct sdsim_driver *driver, sdsim_ps now)
{
    if (driver->gate != NULL) {
        driver->gate->leave(driver->gate, now);
    }
}

enum sdsim_driver_error sdsim_driver_read(struct sdsim_driver *driver, sdsim_ps *now, uint32_t lba,
                                          uint32_t count, enum sdsim_purpose purpose, uint8_t *out)
{
    if (!in_range(driver, *now, lba, count)) {
        return SDSIM_DRIVER_OUT_OF_RANGE;
    }
    driver->port->meter->purpose = purpose;
    const sdsim_ps start = *now;
    take_bus(driver, now);
    const enum sdsim_driver_error error = driver->class->read(driver, now, lba, count, out);
    give_bus(driver, *now);
    note_call(driver, SDSIM_CALL_READ, purpose, start, *now, lba, count);
    return error;
}

enum sdsim_driver_error sdsim_driver_write(struct sdsim_driver *driver, sdsim_ps *now, uint32_t lba,
                                           uint32_t count, enum sdsim_purpose purpose,
                                           const struct sdsim_content *content)
{
    if (!in_range(driver, *now, lba, count)) {
        return SDSIM_DRIVER_OUT_OF_RANGE;
    }
    driver->port->meter->purpose = purpose;
    const sdsim_ps start = *now;
    take_bus(driver, now);
    const enum sdsim_driver_error error = driver->class->write(driver, now, lba, count, content);
    give_bus(driver, *now);
    note_call(driver, SDSIM_CALL_WRITE, purpose, start, *now, lba, count);
    return error;
}

enum sdsim_driver_error sdsim_driver_sync(struct sdsim_driver *driver, sdsim_ps *now)
{
    driver->port->meter->purpose = SDSIM_FOR_DATA;
    const sdsim_ps start = *now;
    enum sdsim_driver_error error = SDSIM_DRIVER_OK;
    if (driver->class->sync != NULL) {
        take_bus(driver, now);
        error = driver->class->sync(driver, now);
        give_bus(driver, *now);
    }
    note_call(driver, SDSIM_CALL_SYNC, SDSIM_FOR_DATA, start, *now, 0, 0);
    return error;
}

enum sdsim_driver_error sdsim_driver_status(struct sdsim_driver *driver, sdsim_ps *now)
{
    if (!driver->params->status_on_call || driver->class->status == NULL) {
        return SDSIM_DRIVER_OK;
    }
    driver->port->meter->purpose = SDSIM_FOR_DATA;
    const sdsim_ps start = *now;
    take_bus(driver, now);
    const enum sdsim_driver_error error = driver->class->status(driver, now);
    give_bus(driver, *now);
    note_call(driver, SDSIM_CALL_OTHER, SDSIM_FOR_DATA, start, *now, 0, 0);
    return error;
}

/* ---- what the driver files share ---- */

bool sdsim_driver_do(struct sdsim_driver *driver, sdsim_ps *now, const char *step, uint32_t lba,
                     const struct sdsim_transaction *tx, struct sdsim_result *result)
{
    sdsim_execute(driver->port, now, tx, result);
    if (result->outcome == SDSIM_OUTCOME_OK) {
        return true;
    }
    driver->fault = (struct sdsim_driver_fault){
        .step = step, .outcome = result->outcome, .lba = lba, .at = *now};
    return false;
}

const char *sdsim_driver_command_name(uint8_t index)
{
    static const char names[64][6] = {
        "CMD0",  "CMD1",  "CMD2",  "CMD3",  "CMD4",  "CMD5",  "CMD6",  "CMD7",  "CMD8",  "CMD9",
        "CMD10", "CMD11", "CMD12", "CMD13", "CMD14", "CMD15", "CMD16", "CMD17", "CMD18", "CMD19",
        "CMD20", "CMD21", "CMD22", "CMD23", "CMD24", "CMD25", "CMD26", "CMD27", "CMD28", "CMD29",
        "CMD30", "CMD31", "CMD32", "CMD33", "CMD34", "CMD35", "CMD36", "CMD37", "CMD38", "CMD39",
        "CMD40", "CMD41", "CMD42", "CMD43", "CMD44", "CMD45", "CMD46", "CMD47", "CMD48", "CMD49",
        "CMD50", "CMD51", "CMD52", "CMD53", "CMD54", "CMD55", "CMD56", "CMD57", "CMD58", "CMD59",
        "CMD60", "CMD61", "CMD62", "CMD63",
    };
    return names[index & 63];
}

bool sdsim_driver_command(struct sdsim_driver *driver, sdsim_ps *now, unsigned flags, uint8_t index,
                          uint32_t argument, enum sdsim_response response,
                          struct sdsim_result *result)
{
    const struct sdsim_transaction tx = {
        .flags = (uint16_t)(flags | SDSIM_COMMAND),
        .command = index,
        .argument = argument,
        .response = response,
    };
    return sdsim_driver_do(driver, now, sdsim_driver_command_name(index), SDSIM_NO_LBA, &tx,
                           result);
}

bool sdsim_driver_register(struct sdsim_driver *driver, sdsim_ps *now, unsigned flags,
                           uint8_t index, enum sdsim_response response, uint16_t bytes,
                           uint8_t *out)
{
    const struct sdsim_transaction tx = {
        .flags = (uint16_t)(flags | SDSIM_COMMAND),
        .command = index,
        .response = response,
        .direction = SDSIM_READ_BLOCKS,
        .blocks = 1,
        .block_bytes = bytes,
        .out = out,
    };
    struct sdsim_result result;
    return sdsim_driver_do(driver, now, sdsim_driver_command_name(index), SDSIM_NO_LBA, &tx,
                           &result);
}

bool sdsim_driver_switch(struct sdsim_driver *driver, sdsim_ps *now, uint32_t argument,
                         uint8_t status[SDSIM_STATUS_BYTES], struct sdsim_result *result)
{
    const struct sdsim_transaction tx = {
        .flags = SDSIM_COMMAND,
        .command = 6,
        .argument = argument,
        .response = SDSIM_RESPONSE_R1,
        .direction = SDSIM_READ_BLOCKS,
        .blocks = 1,
        .block_bytes = SDSIM_STATUS_BYTES,
        .out = status,
    };
    return sdsim_driver_do(driver, now, sdsim_driver_command_name(6), SDSIM_NO_LBA, &tx, result);
}

enum sdsim_driver_error sdsim_driver_give_up(struct sdsim_driver *driver, sdsim_ps now,
                                             const char *step, enum sdsim_outcome outcome)
{
    driver->fault = (struct sdsim_driver_fault){
        .step = step, .outcome = outcome, .lba = SDSIM_NO_LBA, .at = now};
    return SDSIM_DRIVER_FAILED;
}

uint64_t sdsim_driver_idf_request(uint64_t asked_hz, const struct sdsim_card_params *card)
{
    const uint64_t high_speed = 40000000;
    if (asked_hz <= SDSIM_IDF_HIGH_SPEED_ABOVE) {
        return asked_hz;
    }
    if (card->high_hz == 0) {
        return SDSIM_IDF_HIGH_SPEED_ABOVE;
    }
    return asked_hz < high_speed ? asked_hz : high_speed;
}

void sdsim_driver_cpu(struct sdsim_driver *driver, sdsim_ps *now, sdsim_ps d)
{
    sdsim_spend(driver->port->meter, now, SDSIM_HOST, SDSIM_LANE_CPU, d);
}

void sdsim_driver_sleep(struct sdsim_driver *driver, sdsim_ps *now, sdsim_ps d)
{
    sdsim_spend(driver->port->meter, now, SDSIM_IDLE, SDSIM_LANE_CPU, d);
}

void sdsim_driver_clock_init(struct sdsim_driver *driver)
{
    sdsim_clock_set(&driver->port->clock, driver->clocks.init_num, driver->clocks.init_den);
}

void sdsim_driver_clock_full(struct sdsim_driver *driver)
{
    sdsim_clock_set(&driver->port->clock, driver->clocks.num, driver->clocks.den);
}

void sdsim_driver_capacity(struct sdsim_driver *driver, const uint8_t csd[SDSIM_CSD_BYTES])
{
    if (sdsim_register_get(csd, SDSIM_CSD_BYTES, 126, 2) == 1) {
        driver->sectors = (uint32_t)((sdsim_register_get(csd, SDSIM_CSD_BYTES, 48, 22) + 1) * 1024);
        return;
    }
    const unsigned length = (unsigned)sdsim_register_get(csd, SDSIM_CSD_BYTES, 80, 4);
    const unsigned mult = (unsigned)sdsim_register_get(csd, SDSIM_CSD_BYTES, 47, 3);
    const uint64_t size = sdsim_register_get(csd, SDSIM_CSD_BYTES, 62, 12) + 1;
    driver->sectors = (uint32_t)((size << (mult + 2 + length)) / SDSIM_SECTOR);
}

void sdsim_driver_explain_fault(const struct sdsim_driver *driver, char *out, size_t size)
{
    static const char *const reasons[] = {
        [SDSIM_OUTCOME_OK] = "nothing is wrong",
        [SDSIM_OUTCOME_NOT_READY] = "the card was not ready for it within the driver's limit",
        [SDSIM_OUTCOME_NO_RESPONSE] = "the card did not respond",
        [SDSIM_OUTCOME_REFUSED] = "the card refused it",
        [SDSIM_OUTCOME_NO_DATA] = "no data came within the driver's limit",
        [SDSIM_OUTCOME_NOT_ACCEPTED] = "the card did not accept a block",
        [SDSIM_OUTCOME_STILL_BUSY] = "the card was still busy when the driver's limit ran out",
    };
    const struct sdsim_driver_fault *fault = &driver->fault;
    if (fault->step == NULL) {
        snprintf(out, size, "%s: no fault", driver->class->name);
        return;
    }
    char place[32] = "";
    if (fault->lba != SDSIM_NO_LBA) {
        snprintf(place, sizeof place, " at LBA %lu", (unsigned long)fault->lba);
    }
    snprintf(out, size, "%s: %s%s, %.3f s after power-up: %s", driver->class->name, fault->step,
             place, (double)fault->at / (double)SDSIM_S, reasons[fault->outcome]);
}
