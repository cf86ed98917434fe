#include "card_io.h"

#include <stdio.h>
#include <string.h>

#include "bus/frame.h"
#include "core/crc.h"

enum {
    INIT_HZ = 400000,
    WAKE_BYTES = 16, /* with CS high: 128 clocks, 74 are asked for */
    GAP_RUNS = 8,    /* of each length: the quickest counts */
};

/* How long a card may do something, with room for those that break the specification. */
static const sdsim_ps busy_limit = 1200 * SDSIM_MS; /* 900 ms were seen (mmc_spi.c of Linux) */
static const sdsim_ps erase_limit = 60 * SDSIM_S;
static const sdsim_ps data_limit = 500 * SDSIM_MS;
static const sdsim_ps init_limit = 2 * SDSIM_S;

static bool fail(struct sdsim_card_io *io, const char *what, uint32_t lba, const char *why)
{
    char place[32] = "";
    if (lba != UINT32_MAX) {
        snprintf(place, sizeof place, " at LBA %lu", (unsigned long)lba);
    }
    snprintf(io->error, sizeof io->error, "%s%s: %s", what, place, why);
    return false;
}

static bool fail_outcome(struct sdsim_card_io *io, const char *what, uint32_t lba,
                         const struct sdsim_result *result)
{
    static const char *const reasons[] = {
        [SDSIM_OUTCOME_OK] = "the answer makes no sense",
        [SDSIM_OUTCOME_NOT_READY] = "the card stays busy",
        [SDSIM_OUTCOME_NO_RESPONSE] = "the card does not respond",
        [SDSIM_OUTCOME_REFUSED] = "the card refuses it",
        [SDSIM_OUTCOME_NO_DATA] = "no data comes, or only with wrong check sums",
        [SDSIM_OUTCOME_NOT_ACCEPTED] = "the card does not accept a block",
        [SDSIM_OUTCOME_STILL_BUSY] = "the card stays busy",
    };
    if (io->port.dead) {
        const char *text = io->port.line.link->error;
        return fail(io, what, lba, text[0] != '\0' ? text : "the link is dead");
    }
    if (result->outcome == SDSIM_OUTCOME_REFUSED) {
        char why[64];
        snprintf(why, sizeof why, "the card refuses it (R1 0x%02X)", result->r1);
        return fail(io, what, lba, why);
    }
    return fail(io, what, lba, reasons[result->outcome]);
}

void sdsim_card_io_init(struct sdsim_card_io *io, struct sdsim_link *link,
                        const struct sdsim_mpsse_clock *clock)
{
    struct sdsim_mpsse_clock slow;
    (void)sdsim_mpsse_clock_below(INIT_HZ, &slow);
    const struct sdsim_wait until_ready = {.test = SDSIM_READY_ALL_ONES, .limit = busy_limit};
    *io = (struct sdsim_card_io){
        .engine = {.response_looks = 9,
                   .token_look = 1,
                   .stop_bytes = 2,
                   .token_limit = data_limit,
                   .block_ready = until_ready,
                   .block_busy = until_ready},
        .clock = *clock,
    };
    sdsim_mpsse_port_init(&io->port, link, &slow, &io->meter);
    sdsim_byte_log_init(&io->log, &io->port.line);
    io->port.wire.port.spi = &io->engine;
    io->port.wire.listener = &io->log.listener;
}

void sdsim_card_io_free(struct sdsim_card_io *io)
{
    sdsim_mpsse_port_free(&io->port);
    sdsim_byte_log_free(&io->log);
}

static void use_clock(struct sdsim_card_io *io, const struct sdsim_mpsse_clock *clock)
{
    sdsim_clock_set(&io->port.wire.port.clock, clock->num, clock->den);
}

void sdsim_card_io_clock(struct sdsim_card_io *io, const struct sdsim_mpsse_clock *clock)
{
    io->clock = *clock;
    use_clock(io, clock);
}

double sdsim_card_io_span(const struct sdsim_card_io *io, double bytes)
{
    return bytes * 8 * (double)SDSIM_S * io->clock.den / io->clock.num;
}

/* ---- transactions ---- */

static bool carry_out(struct sdsim_card_io *io, const struct sdsim_transaction *tx,
                      struct sdsim_result *result)
{
    sdsim_byte_log_clear(&io->log);
    if (io->port.line.flights == 0) { /* what is under way is still to be timed */
        sdsim_stopwatch_clear(&io->port.line.watch);
    }
    sdsim_execute(&io->port.wire.port, &io->now, tx, result);
    return result->outcome == SDSIM_OUTCOME_OK;
}

/* The same for one that wants to be timed. */
static bool carry_out_timed(struct sdsim_card_io *io, const struct sdsim_transaction *tx,
                            struct sdsim_result *result, struct sdsim_byte_times *times)
{
    struct sdsim_link *link = io->port.line.link;
    const sdsim_ps before = sdsim_link_host_time(link);
    if (!carry_out(io, tx, result)) {
        return false;
    }
    if (times != NULL && !io->port.spoiled) {
        (void)sdsim_byte_log_times(&io->log, tx, times);
        times->host = sdsim_link_host_time(link) - before;
    }
    return true;
}

static struct sdsim_transaction plain(const struct sdsim_card_io *io, uint8_t index,
                                      uint32_t argument, enum sdsim_response response)
{
    return (struct sdsim_transaction){
        .flags = SDSIM_COMMAND | SDSIM_SELECT | SDSIM_DESELECT,
        .lead_bytes = 1,
        .trail_bytes = 1,
        .command = index,
        .argument = argument,
        .response = response,
        .ready = index == 0 ? NULL : &io->engine.block_ready,
    };
}

static bool command(struct sdsim_card_io *io, uint8_t index, uint32_t argument,
                    enum sdsim_response response, struct sdsim_result *result)
{
    const struct sdsim_transaction tx = plain(io, index, argument, response);
    return carry_out(io, &tx, result);
}

static bool app_command(struct sdsim_card_io *io, uint8_t index, uint32_t argument,
                        struct sdsim_result *result)
{
    return command(io, 55, 0, SDSIM_RESPONSE_R1, result) &&
           command(io, index, argument, SDSIM_RESPONSE_R1, result);
}

/* A command whose answer has no check sum: until it is the same twice. */
static bool sure_command(struct sdsim_card_io *io, uint8_t index, uint32_t argument,
                         struct sdsim_result *result)
{
    struct sdsim_result before;
    if (!command(io, index, argument, SDSIM_RESPONSE_R3, &before)) {
        *result = before;
        return false;
    }
    for (unsigned tries = 0; tries < 5; tries++) {
        if (!command(io, index, argument, SDSIM_RESPONSE_R3, result)) {
            return false;
        }
        if (memcmp(before.extra, result->extra, 4) == 0) {
            return true;
        }
        before = *result;
    }
    result->outcome = SDSIM_OUTCOME_NO_DATA;
    return false;
}

static bool read_register(struct sdsim_card_io *io, bool app, uint8_t index,
                          enum sdsim_response response, uint8_t *out, uint16_t bytes,
                          struct sdsim_result *result)
{
    struct sdsim_transaction tx = plain(io, index, 0, response);
    tx.direction = SDSIM_READ_BLOCKS;
    tx.blocks = 1;
    tx.block_bytes = bytes;
    tx.out = out;
    return (!app || command(io, 55, 0, SDSIM_RESPONSE_R1, result)) && carry_out(io, &tx, result);
}

/* ---- identification ---- */

/* CMD0 with CS low, from any state: a card that is in the middle of something may miss the first. */
static bool go_idle(struct sdsim_card_io *io)
{
    struct sdsim_result result = {0};
    const struct sdsim_transaction wake = {.idle_bytes = WAKE_BYTES};
    for (unsigned tries = 0; tries < 5 && !io->port.dead; tries++) {
        struct sdsim_result ignored;
        (void)carry_out(io, &wake, &ignored);
        if (command(io, 0, 0, SDSIM_RESPONSE_R1, &result) && result.r1 == SDSIM_R1_IDLE) {
            return true;
        }
    }
    if (io->port.dead || result.outcome != SDSIM_OUTCOME_NO_RESPONSE) {
        return fail_outcome(io, "CMD0", UINT32_MAX, &result);
    }
    return fail(io, "CMD0", UINT32_MAX,
                "no card answers; is it in the socket, does it have power, are CS, MOSI and MISO "
                "where they belong?");
}

static bool initialise(struct sdsim_card_io *io, struct sdsim_card_registers *registers)
{
    struct sdsim_result result;
    const sdsim_ps start = io->now;
    const sdsim_ps host = sdsim_link_host_time(io->port.line.link);
    const uint32_t argument = registers->version2 ? SDSIM_OCR_CCS : 0;
    do {
        if (!app_command(io, 41, argument, &result)) {
            return fail_outcome(io, "ACMD41", UINT32_MAX, &result);
        }
        registers->init_time = io->now - start;
        registers->init_host = sdsim_link_host_time(io->port.line.link) - host;
    } while (result.r1 != 0 && registers->init_time < init_limit);
    if (result.r1 != 0) {
        return fail(io, "ACMD41", UINT32_MAX, "the card does not get ready within two seconds");
    }
    return true;
}

static uint32_t csd_sectors(const uint8_t csd[SDSIM_CSD_BYTES])
{
    if (sdsim_register_get(csd, SDSIM_CSD_BYTES, 126, 2) == 1) {
        return (uint32_t)((sdsim_register_get(csd, SDSIM_CSD_BYTES, 48, 22) + 1) * 1024);
    }
    const unsigned length = (unsigned)sdsim_register_get(csd, SDSIM_CSD_BYTES, 80, 4);
    const unsigned mult = (unsigned)sdsim_register_get(csd, SDSIM_CSD_BYTES, 47, 3);
    const uint64_t size = sdsim_register_get(csd, SDSIM_CSD_BYTES, 62, 12) + 1;
    return (uint32_t)((size << (mult + 2 + length)) / SDSIM_SECTOR);
}

static bool read_registers(struct sdsim_card_io *io, struct sdsim_card_registers *registers)
{
    struct sdsim_result result;
    if (!read_register(io, false, 9, SDSIM_RESPONSE_R1, registers->csd, SDSIM_CSD_BYTES, &result)) {
        return fail_outcome(io, "reading the CSD (CMD9)", UINT32_MAX, &result);
    }
    if (!read_register(io, false, 10, SDSIM_RESPONSE_R1, registers->cid, SDSIM_CID_BYTES,
                       &result)) {
        return fail_outcome(io, "reading the CID (CMD10)", UINT32_MAX, &result);
    }
    if (!read_register(io, true, 51, SDSIM_RESPONSE_R1, registers->scr, SDSIM_SCR_BYTES, &result)) {
        return fail_outcome(io, "reading the SCR (ACMD51)", UINT32_MAX, &result);
    }
    registers->has_status = read_register(io, true, 13, SDSIM_RESPONSE_R2, registers->status,
                                          SDSIM_STATUS_BYTES, &result);
    if (!registers->has_status) { /* old cards may not have it */
        memset(registers->status, 0, sizeof registers->status);
    }
    registers->sectors = csd_sectors(registers->csd);
    io->sectors = registers->sectors;
    return !io->port.dead ||
           fail_outcome(io, "reading the SD status (ACMD13)", UINT32_MAX, &result);
}

bool sdsim_card_io_identify(struct sdsim_card_io *io, struct sdsim_card_registers *registers)
{
    struct sdsim_mpsse_clock slow;
    struct sdsim_result result;
    *registers = (struct sdsim_card_registers){0};
    (void)sdsim_mpsse_clock_below(INIT_HZ, &slow);
    use_clock(io, &slow);
    if (!go_idle(io)) {
        return false;
    }
    registers->version2 = sure_command(io, 8, 0x1AA, &result);
    if (registers->version2 && (result.extra[2] & 0x0F) != 1) {
        return fail(io, "CMD8", UINT32_MAX, "the card does not work at 2.7 to 3.6 V");
    }
    if (!command(io, 59, 1, SDSIM_RESPONSE_R1, &result)) {
        return fail_outcome(io, "switching CRC on (CMD59)", UINT32_MAX, &result);
    }
    if (!initialise(io, registers)) {
        return false;
    }
    if (!sure_command(io, 58, 0, &result)) {
        return fail_outcome(io, "reading the OCR (CMD58)", UINT32_MAX, &result);
    }
    registers->ocr = (uint32_t)result.extra[0] << 24 | (uint32_t)result.extra[1] << 16 |
                     (uint32_t)result.extra[2] << 8 | result.extra[3];
    io->block_addresses = (registers->ocr & SDSIM_OCR_CCS) != 0;
    if (!command(io, 16, SDSIM_SECTOR, SDSIM_RESPONSE_R1, &result)) {
        return fail_outcome(io, "setting the block length (CMD16)", UINT32_MAX, &result);
    }
    use_clock(io, &io->clock);
    return read_registers(io, registers);
}

bool sdsim_card_io_gap(struct sdsim_card_io *io, struct sdsim_gap_fact *fact)
{
    struct sdsim_line *line = &io->port.line;
    struct sdsim_link *link = line->link;
    bool fine = false;
    for (unsigned tries = 0; tries < SDSIM_MPSSE_TRIES && !fine; tries++) {
        sdsim_line_leave(line);
        fine = sdsim_gap_measure(link, &io->clock, SDSIM_GAP_READ, GAP_RUNS, fact);
        if (!fine && !sdsim_line_recover(line)) {
            break;
        }
        link->counters.retries += fine ? 0 : 1;
        io->port.faults.transfers += fine ? 0 : 1;
    }
    if (!fine) {
        io->port.dead = true;
        return fail(io, "timing the clock", UINT32_MAX, link->error);
    }
    sdsim_line_return(line);
    io->log.gap = fact->known ? fact->most : -1;
    return true;
}

bool sdsim_card_io_status(struct sdsim_card_io *io)
{
    struct sdsim_result result;
    for (unsigned i = 0; i < 3; i++) {
        if (!command(io, 13, 0, SDSIM_RESPONSE_R2, &result)) {
            return fail_outcome(io, "CMD13", UINT32_MAX, &result);
        }
        if (result.r1 == 0 && result.extra[0] == 0) {
            return true;
        }
    }
    char why[64];
    snprintf(why, sizeof why, "the card reports an error (0x%02X%02X)", result.r1, result.extra[0]);
    return fail(io, "CMD13", UINT32_MAX, why);
}

bool sdsim_card_io_ping(struct sdsim_card_io *io, struct sdsim_byte_times *times)
{
    struct sdsim_result result;
    struct sdsim_transaction tx = plain(io, 13, 0, SDSIM_RESPONSE_R2);
    *times = (struct sdsim_byte_times){0};
    return carry_out_timed(io, &tx, &result, times) ||
           fail_outcome(io, "CMD13", UINT32_MAX, &result);
}

/* ---- sectors ---- */

static uint32_t address(const struct sdsim_card_io *io, uint32_t lba)
{
    return io->block_addresses ? lba : lba * SDSIM_SECTOR;
}

static bool in_range(struct sdsim_card_io *io, const char *what, uint32_t lba, uint32_t count)
{
    return (count > 0 && lba < io->sectors && count <= io->sectors - lba) ||
           fail(io, what, lba, "that is beyond the end of the card");
}

bool sdsim_card_io_read(struct sdsim_card_io *io, uint32_t lba, uint32_t count, uint8_t *out,
                        struct sdsim_byte_times *times)
{
    struct sdsim_result result;
    struct sdsim_transaction tx = {
        .flags = SDSIM_COMMAND | SDSIM_SELECT | (count == 1 ? SDSIM_DESELECT : 0),
        .command = count == 1 ? 17 : 18,
        .argument = address(io, lba),
        .response = SDSIM_RESPONSE_R1,
        .direction = SDSIM_READ_BLOCKS,
        .blocks = count,
        .block_bytes = SDSIM_SECTOR,
        .lead_bytes = 1,
        .trail_bytes = count == 1 ? 1 : 0,
        .ready = &io->engine.block_ready,
        .out = out,
    };
    if (times != NULL) {
        *times = (struct sdsim_byte_times){0};
    }
    if (!in_range(io, "reading", lba, count)) {
        return false;
    }
    if (!carry_out_timed(io, &tx, &result, times)) {
        return fail_outcome(io, "reading", lba, &result);
    }
    if (count > 1) {
        struct sdsim_transaction stop = plain(io, 12, 0, SDSIM_RESPONSE_R1);
        stop.flags |= SDSIM_STUFF;
        stop.lead_bytes = 0;
        stop.ready = NULL;
        if (!carry_out(io, &stop, &result)) {
            sdsim_byte_times_free(times != NULL ? times : &(struct sdsim_byte_times){0});
            return fail_outcome(io, "ending a read (CMD12)", lba, &result);
        }
    }
    return true;
}

bool sdsim_card_io_write(struct sdsim_card_io *io, uint32_t lba, uint32_t count,
                         const struct sdsim_content *content, struct sdsim_byte_times *times)
{
    struct sdsim_result result;
    const struct sdsim_transaction tx = {
        .flags = SDSIM_COMMAND | SDSIM_SELECT | SDSIM_DESELECT | SDSIM_BLOCK_BUSY |
                 (count == 1 ? 0 : SDSIM_STOP_TOKEN),
        .command = count == 1 ? 24 : 25,
        .argument = address(io, lba),
        .response = SDSIM_RESPONSE_R1,
        .direction = SDSIM_WRITE_BLOCKS,
        .blocks = count,
        .block_bytes = SDSIM_SECTOR,
        .ready = &io->engine.block_ready,
        .finish = count == 1 ? NULL : &io->engine.block_busy,
        .lead_bytes = 1,
        .trail_bytes = 1,
        .content = content,
    };
    if (times != NULL) {
        *times = (struct sdsim_byte_times){0};
    }
    if (!in_range(io, "writing", lba, count)) {
        return false;
    }
    if (!carry_out_timed(io, &tx, &result, times)) {
        return fail_outcome(io, "writing", lba, &result);
    }
    return true;
}

bool sdsim_card_io_erase(struct sdsim_card_io *io, uint32_t from, uint32_t to,
                         struct sdsim_byte_times *times)
{
    const struct sdsim_wait patient = {.test = SDSIM_READY_ALL_ONES, .limit = erase_limit};
    struct sdsim_result result;
    struct sdsim_transaction tx = plain(io, 38, 0, SDSIM_RESPONSE_R1);
    tx.finish = &patient;
    if (times != NULL) {
        *times = (struct sdsim_byte_times){0};
    }
    if (!in_range(io, "erasing", from, to - from + 1)) {
        return false;
    }
    for (unsigned tries = 0; tries < 3; tries++) { /* CMD38 alone can't be repeated */
        if (command(io, 32, address(io, from), SDSIM_RESPONSE_R1, &result) &&
            command(io, 33, address(io, to), SDSIM_RESPONSE_R1, &result) &&
            carry_out_timed(io, &tx, &result, times)) {
            return true;
        }
    }
    return fail_outcome(io, "erasing", from, &result);
}
