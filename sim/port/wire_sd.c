/*
 * The wire port in SD mode, clock by clock: commands, waits, and the whole of a transaction; blocks
 * are in port/wire_sd_blocks.c.
 *
 * The host side reads like a controller: it shifts out a frame, listens for the response, watches
 * DAT0. A look at a line costs no clock: what the card drove at the last edge is still there
 * (sdsim_sd_look). Of the card it asks what an account needs and a controller can't see: at which
 * instant the card was ready; and instead of a timeout, whether there is anything to wait for.
 */
#include <string.h>

#include "card/sd_block.h"
#include "port/wire_sd.h"

/* The card counts what the bus says. */
_Static_assert((int)SDSIM_PINS_FRAME == (int)SDSIM_BUS_COMMAND &&
                   (int)SDSIM_PINS_FRAME_R2 == (int)SDSIM_BUS_RESPONSE_R2 &&
                   (int)SDSIM_PINS_CRC_STATUS == (int)SDSIM_BUS_CRC_STATUS &&
                   (int)SDSIM_PINS_N_AC == (int)SDSIM_SD_N_AC &&
                   (int)SDSIM_PINS_N_ST == (int)SDSIM_SD_N_ST &&
                   (int)SDSIM_PINS_N_CRC == (int)SDSIM_SD_N_CRC,
               "clocks of the card and of the bus");

/* ---- clocks ---- */

static void hear_response(struct sdsim_wire_sd *host, uint8_t level)
{
    if (host->response_got == host->response_bits || (host->response_got == 0 && level != 0)) {
        return;
    }
    uint8_t *byte = &host->response[host->response_got / 8];
    *byte = (uint8_t)(*byte << 1 | level);
    host->response_got++;
}

static void hear_block(struct sdsim_wire_sd *host, uint8_t dat)
{
    if (!host->expecting || host->at == host->bits + 2) {
        return;
    }
    if (host->at == 0) {
        host->at = (dat & 1) == 0 && host->armed ? 1 : 0;
        host->armed = host->armed || (dat & 1) != 0;
        return;
    }
    if (host->at <= host->bits) {
        const bool four = sdsim_wire_sd_four(host);
        uint8_t *byte = &host->block[(host->at - 1) / (four ? 2 : 8)];
        *byte = (uint8_t)(four ? *byte << 4 | dat : *byte << 1 | (dat & 1));
    }
    host->at++;
}

struct sdsim_sd_lines sdsim_wire_sd_clock(struct sdsim_wire_sd *host, struct sdsim_sd_lines lines,
                                          enum sdsim_wire_sd_drive drive)
{
    struct sdsim_wire *wire = host->wire;
    const sdsim_ps start = host->now;
    host->now = sdsim_time_sum(start, sdsim_clock_take(&wire->port.clock, 1));
    const struct sdsim_sd_lines bus = sdsim_sd_clock(&wire->sd_pins, start, host->now, lines);
    if (wire->listener != NULL && wire->listener->clock != NULL) {
        wire->listener->clock(wire->listener, start, host->now, bus, drive == SDSIM_WIRE_SD_CMD,
                              drive == SDSIM_WIRE_SD_DAT);
    }
    wire->port.meter->counters.bus_clocks++;
    hear_response(host, bus.cmd);
    hear_block(host, bus.dat);
    return bus;
}

void sdsim_wire_sd_book(struct sdsim_wire_sd *host, enum sdsim_kind kind, sdsim_ps from)
{
    sdsim_ps at = from;
    sdsim_spend(host->wire->port.meter, &at, kind, SDSIM_LANE_BUS, host->now - from);
}

void sdsim_wire_sd_clocks(struct sdsim_wire_sd *host, enum sdsim_kind kind, uint32_t count)
{
    const sdsim_ps from = host->now;
    for (uint32_t i = 0; i < count; i++) {
        sdsim_wire_sd_clock(host, SDSIM_SD_RELEASED, SDSIM_WIRE_SD_NOTHING);
    }
    sdsim_wire_sd_book(host, kind, from);
}

void sdsim_wire_sd_stand(struct sdsim_wire_sd *host, enum sdsim_kind kind, sdsim_ps d)
{
    sdsim_spend(host->wire->port.meter, &host->now, kind, SDSIM_LANE_CPU, d);
}

/* ---- commands and responses ---- */

static void send_frame(struct sdsim_wire_sd *host, uint8_t index, uint32_t argument)
{
    const struct sdsim_frame frame = {.index = index & 63, .argument = argument};
    uint8_t bytes[SDSIM_FRAME_SIZE];
    sdsim_frame_command(&frame, bytes);
    for (unsigned i = 0; i < SDSIM_BUS_COMMAND; i++) {
        const uint8_t bit = bytes[i / 8] >> (7 - i % 8) & 1;
        sdsim_wire_sd_clock(host, (struct sdsim_sd_lines){.cmd = bit, .dat = 0xF},
                            SDSIM_WIRE_SD_CMD);
    }
}

static void send_command(struct sdsim_wire_sd *host, uint8_t index, uint32_t argument)
{
    const sdsim_ps from = host->now;
    sdsim_count_command(&host->wire->port, index);
    send_frame(host, index, argument);
    sdsim_wire_sd_book(host, SDSIM_PROTOCOL, from);
}

/* From here on the response is listened for. */
static void expect_response(struct sdsim_wire_sd *host, enum sdsim_response response)
{
    static const uint8_t bits[] = {
        [SDSIM_RESPONSE_NONE] = 0,
        [SDSIM_RESPONSE_R1] = SDSIM_BUS_RESPONSE,
        [SDSIM_RESPONSE_R2] = SDSIM_BUS_RESPONSE_R2,
        [SDSIM_RESPONSE_R3] = SDSIM_BUS_RESPONSE,
    };
    memset(host->response, 0, sizeof host->response);
    host->response_bits = bits[response];
    host->response_got = 0;
}

bool sdsim_wire_sd_silent(const struct sdsim_wire_sd *host)
{
    return host->response_got == 0 && sdsim_sd_look(&host->wire->sd_pins, host->now).cmd != 0;
}

/* Clocks up to the end of the response; false if it did not begin within N_CR's limit. */
static bool take_response(struct sdsim_wire_sd *host)
{
    for (unsigned i = 0; i < SDSIM_N_CR_MOST && sdsim_wire_sd_silent(host); i++) {
        sdsim_wire_sd_clock(host, SDSIM_SD_RELEASED, SDSIM_WIRE_SD_NOTHING);
    }
    if (sdsim_wire_sd_silent(host)) {
        return false;
    }
    while (host->response_got < host->response_bits) {
        sdsim_wire_sd_clock(host, SDSIM_SD_RELEASED, SDSIM_WIRE_SD_NOTHING);
    }
    return true;
}

bool sdsim_wire_sd_response(struct sdsim_wire_sd *host)
{
    const sdsim_ps from = host->now;
    const bool answered = host->response_bits == 0 || take_response(host);
    sdsim_wire_sd_book(host, SDSIM_PROTOCOL, from);
    return answered;
}

/* The 32 bits of a response. */
static uint32_t response_word(const struct sdsim_wire_sd *host)
{
    const uint8_t *r = host->response;
    return (uint32_t)r[1] << 24 | (uint32_t)r[2] << 16 | (uint32_t)r[3] << 8 | r[4];
}

bool sdsim_wire_sd_refused(const struct sdsim_wire_sd *host)
{
    return (response_word(host) & (SDSIM_STATUS_OUT_OF_RANGE | SDSIM_STATUS_ADDRESS)) != 0;
}

/* What the response says, for the driver: the bytes between its first and its last. */
static void report_response(const struct sdsim_wire_sd *host, struct sdsim_result *result)
{
    if (host->response_got == host->response_bits && host->response_bits > 0) {
        const size_t size = host->response_bits == SDSIM_BUS_RESPONSE ? 4 : SDSIM_REGISTER_SIZE;
        memcpy(result->extra, host->response + 1, size);
    }
}

/* ---- waits ---- */

bool sdsim_wire_sd_busy(const struct sdsim_wire_sd *host)
{
    return (sdsim_sd_look(&host->wire->sd_pins, host->now).dat & 1) == 0;
}

bool sdsim_wire_sd_await(struct sdsim_wire_sd *host, sdsim_ps limit)
{
    const struct sdsim_ready ready = sdsim_card_busy(host->wire->port.card);
    const sdsim_ps from = host->now;
    bool over = !sdsim_wire_sd_busy(host);
    while (!over && (limit == 0 || host->now - from < limit)) {
        sdsim_wire_sd_clock(host, SDSIM_SD_RELEASED, SDSIM_WIRE_SD_NOTHING);
        over = !sdsim_wire_sd_busy(host);
    }
    if (host->now > from) {
        sdsim_book_wait(host->wire->port.meter, SDSIM_BUSY, from, host->now, ready.at, ready.pause);
    }
    return over;
}

/* One CMD13; true if it says ready. */
static bool status_says_ready(struct sdsim_wire_sd *host)
{
    host->wire->port.meter->counters.commands[13]++;
    send_frame(host, 13, (uint32_t)host->wire->port.card->rca << 16);
    expect_response(host, SDSIM_RESPONSE_R1);
    const bool answered = take_response(host);
    for (unsigned i = 0; i < SDSIM_BUS_TRAILING; i++) {
        sdsim_wire_sd_clock(host, SDSIM_SD_RELEASED, SDSIM_WIRE_SD_NOTHING);
    }
    return answered && (response_word(host) & SDSIM_STATUS_READY_FOR_DATA) != 0;
}

/* CMD13 again and again. The frames of the look that says ready are protocol clocks, everything
 * before counts as waiting. */
static bool poll_status(struct sdsim_wire_sd *host, const struct sdsim_wait *wait)
{
    const struct sdsim_sd_engine *sd = host->wire->port.sd;
    struct sdsim_meter *meter = host->wire->port.meter;
    const struct sdsim_ready ready = sdsim_card_busy(host->wire->port.card);
    const sdsim_ps from = host->now;
    struct sdsim_wait nap = *wait;
    sdsim_ps nap_after = wait->sleep_after;
    for (;;) {
        const sdsim_ps look = host->now;
        host->now += sd->status_before;
        const sdsim_ps bus_from = host->now;
        const bool met = status_says_ready(host);
        const sdsim_ps on_bus = host->now - bus_from;
        host->now += sd->status_after;
        if (met || (wait->limit > 0 && look - from >= wait->limit)) {
            const sdsim_ps answer = met ? on_bus : 0;
            sdsim_book_wait(meter, SDSIM_BUSY, from, host->now - answer, ready.at, ready.pause);
            sdsim_book(meter, SDSIM_PROTOCOL, answer);
            return met || wait->soft;
        }
        if (wait->sleep > 0 && host->now - from >= nap_after) {
            host->now = sdsim_wait_sleep_end(&nap, host->now);
            nap_after *= 2;
            nap.sleep *= nap.sleep < wait->sleep_most ? 2 : 1;
        }
    }
}

static bool wait_for(struct sdsim_wire_sd *host, const struct sdsim_wait *wait)
{
    if (wait == NULL) {
        return true;
    }
    return wait->test == SDSIM_READY_STATUS ? poll_status(host, wait)
                                            : sdsim_wire_sd_await(host, wait->limit) || wait->soft;
}

/* ---- the whole ---- */

/* What is left of a block that the driver left to the controller: its clocks were given when it was
 * handed over. */
static void settle(struct sdsim_wire_sd *host)
{
    struct sdsim_port *port = &host->wire->port;
    const sdsim_ps left = sdsim_time_since(port->behind_until, host->now);
    const sdsim_ps frame = left < port->behind_frame ? left : port->behind_frame;
    port->behind_until = 0;
    sdsim_wire_sd_stand(host, SDSIM_PAYLOAD, left - frame);
    sdsim_wire_sd_stand(host, SDSIM_PROTOCOL, frame);
}

/* CMD12 sent by the controller itself: no CPU in between. */
static void auto_stop(struct sdsim_wire_sd *host)
{
    sdsim_wire_sd_clocks(host, SDSIM_PROTOCOL, host->wire->port.sd->stop_clocks);
    send_command(host, 12, 0);
    expect_response(host, SDSIM_RESPONSE_R1);
    if (sdsim_wire_sd_response(host)) {
        sdsim_wire_sd_clocks(host, SDSIM_PROTOCOL, SDSIM_BUS_TRAILING);
    }
}

/* A command without blocks, or one that gets none. */
static void plain_command(struct sdsim_wire_sd *host, bool answered, bool refused,
                          struct sdsim_result *result)
{
    if (answered) {
        sdsim_wire_sd_clocks(host, SDSIM_PROTOCOL, SDSIM_BUS_TRAILING);
    }
    sdsim_wire_sd_stand(host, SDSIM_HOST, host->wire->port.sd->command_after);
    result->outcome = !answered ? SDSIM_OUTCOME_NO_RESPONSE
                      : refused ? SDSIM_OUTCOME_REFUSED
                                : SDSIM_OUTCOME_OK;
}

/* Up to where blocks may go or come; false, with the outcome, if there are none. */
static bool command(struct sdsim_wire_sd *host, const struct sdsim_transaction *tx,
                    struct sdsim_result *result)
{
    const struct sdsim_sd_pins *pins = &host->wire->sd_pins;
    sdsim_wire_sd_stand(host, SDSIM_HOST, host->wire->port.sd->command_before);
    if (tx->direction == SDSIM_READ_BLOCKS) {
        sdsim_wire_sd_expect_block(host, tx->block_bytes);
    }
    host->armed = false;
    send_command(host, tx->command, tx->argument);
    expect_response(host, tx->response);
    if (tx->direction == SDSIM_READ_BLOCKS && !host->wire->port.sd->clock_stops) {
        const enum sdsim_wire_sd_first first = sdsim_wire_sd_first_block(host);
        if (first == SDSIM_WIRE_SD_DATA) {
            return true;
        }
        plain_command(host, first != SDSIM_WIRE_SD_SILENCE, true, result);
    } else {
        const bool answered = sdsim_wire_sd_response(host);
        const enum sdsim_sd_phase wanted =
            tx->direction == SDSIM_WRITE_BLOCKS ? SDSIM_SD_RECEIVE : SDSIM_SD_SEND;
        const bool blocks = answered && tx->direction != SDSIM_NO_BLOCKS &&
                            !sdsim_wire_sd_refused(host) && (pins->phase == wanted || host->at > 0);
        if (blocks) {
            return true;
        }
        plain_command(host, answered, tx->direction != SDSIM_NO_BLOCKS, result);
    }
    return false;
}

static void transfer(struct sdsim_wire_sd *host, const struct sdsim_transaction *tx,
                     struct sdsim_result *result)
{
    const struct sdsim_sd_engine *sd = host->wire->port.sd;
    if (tx->direction == SDSIM_READ_BLOCKS) {
        if ((tx->flags & SDSIM_COMMAND) != 0 && sd->clock_stops) {
            sdsim_wire_sd_stand(host, SDSIM_HOST, sd->command_after);
        }
        sdsim_wire_sd_read(host, tx, result);
    } else {
        sdsim_wire_sd_write(host, tx, result);
    }
    if ((tx->flags & SDSIM_COMMAND) != 0) {
        report_response(host, result);
    }
    if ((tx->flags & SDSIM_AUTO_STOP) != 0) {
        auto_stop(host);
    }
    sdsim_wire_sd_stand(host, SDSIM_HOST, sd->data_after);
    sdsim_wire_sd_stand(host, SDSIM_COPY, sdsim_time_times(sd->copy, tx->blocks));
}

/* Whether a transaction without a command has a transfer to go on with. */
static bool transfer_open(const struct sdsim_wire_sd *host, enum sdsim_direction direction)
{
    const enum sdsim_card_state state = host->wire->port.card->state;
    return direction == SDSIM_NO_BLOCKS || state == SDSIM_CARD_DATA || state == SDSIM_CARD_RECEIVE;
}

static void exchange(struct sdsim_wire_sd *host, const struct sdsim_transaction *tx,
                     struct sdsim_result *result)
{
    settle(host);
    if (!wait_for(host, tx->ready)) {
        result->outcome = SDSIM_OUTCOME_NOT_READY;
        return;
    }
    bool blocks = tx->direction != SDSIM_NO_BLOCKS;
    if ((tx->flags & SDSIM_COMMAND) != 0) {
        blocks = command(host, tx, result);
        report_response(host, result);
    } else if (!transfer_open(host, tx->direction)) {
        result->outcome = SDSIM_OUTCOME_REFUSED;
    }
    if (blocks && result->outcome == SDSIM_OUTCOME_OK) {
        transfer(host, tx, result);
    }
    if (result->outcome == SDSIM_OUTCOME_OK && !wait_for(host, tx->finish)) {
        result->outcome = SDSIM_OUTCOME_STILL_BUSY;
    }
}

void sdsim_wire_sd_execute(struct sdsim_wire *wire, sdsim_ps *now,
                           const struct sdsim_transaction *tx, struct sdsim_result *result)
{
    struct sdsim_wire_sd host = {.wire = wire, .now = *now};
    *result = (struct sdsim_result){.outcome = SDSIM_OUTCOME_OK};
    exchange(&host, tx, result);
    *now = host.now;
}
