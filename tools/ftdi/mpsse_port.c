#include "mpsse_ahead.h"
#include "mpsse_expect.h"
#include "mpsse_quiet.h"

#include <stdlib.h>
#include <string.h>

#include "bus/frame.h"
#include "core/crc.h"

/* Expected before anything is known: 546 us at 15 MHz. */
enum { FIRST_ACCESS = 1024 };

static struct sdsim_mpsse_port *port_of(struct sdsim_wire_remote *remote)
{
    return (struct sdsim_mpsse_port *)((char *)remote - offsetof(struct sdsim_mpsse_port, remote));
}

static bool reads(const struct sdsim_mpsse_port *port)
{
    return port->tx->direction == SDSIM_READ_BLOCKS;
}

/* ---- bytes, as the wire port wants them ---- */

/* Clocks for a card that is waited for. False: it has something to say before. */
static bool wait_on(struct sdsim_mpsse_port *port, uint64_t bytes)
{
    for (uint64_t i = 0; i < bytes; i++) {
        sdsim_mpsse_expect(port);
        if (sdsim_line_skip_ones(&port->line, 1) == 0) {
            return false;
        }
        port->searched++;
    }
    return true;
}

/*
 * Time that passed for the driver since the last byte: the card sees it as clocks. Not where a clock would
 * carry something away that the driver comes back for: within frames and blocks, between a block and the
 * answer to it, between a response and what belongs to it. A card that is waited for is not clocked
 * beyond what it waits to say.
 */
static void pass_gap(struct sdsim_mpsse_port *port, sdsim_ps start, bool looking)
{
    const bool waits =
        looking && (port->searching || (port->phase == SDSIM_MPSSE_RESPONSE && !port->responded));
    const bool idle =
        port->phase == SDSIM_MPSSE_BETWEEN ||
        (port->phase == SDSIM_MPSSE_BUSY && port->looked > 0) ||
        (port->phase == SDSIM_MPSSE_RESPONSE && port->responded && !port->searching && !looking);
    if (start <= port->at || port->block_left > 0 || (!waits && !idle)) {
        return;
    }
    const struct sdsim_clock *clock = &port->wire.port.clock;
    uint64_t bytes = sdsim_clock_count(clock, start - port->at) / 8;
    if (waits) {
        if (!wait_on(port, bytes)) { /* it has something to say and waits; that costs it nothing */
            port->at = start;
            return;
        }
    } else {
        bytes = sdsim_line_skip(&port->line, bytes);
        port->looked += port->phase == SDSIM_MPSSE_BUSY ? (uint32_t)bytes : 0;
    }
    /* What is left over, the card gets with a later gap. */
    port->at = sdsim_time_sum(port->at, sdsim_clock_peek(clock, 8 * bytes));
}

static void pass_byte(struct sdsim_mpsse_port *port, sdsim_ps start, bool looking)
{
    if (looking && port->fresh) { /* the first look sees what comes first, however late it is */
        port->at = start;
        port->fresh = false;
    }
    pass_gap(port, start, looking);
    port->at = sdsim_time_sum(port->at, sdsim_clock_peek(&port->wire.port.clock, 8));
}

/* Before a command: the card was ready when it was last seen, and is not looked at again before there is
 * something to be sent along. */
static bool may_guess(const struct sdsim_mpsse_port *port)
{
    return port->phase == SDSIM_MPSSE_BETWEEN && port->known_ready && !port->no_guessing &&
           port->tx->ready != NULL && port->tx->ready->test != SDSIM_READY_BUSY_SEEN &&
           (port->tx->flags & SDSIM_COMMAND) != 0 && port->line.guesses < 4;
}

static uint8_t exchange(struct sdsim_wire_remote *remote, sdsim_ps start, uint8_t mosi)
{
    struct sdsim_mpsse_port *port = port_of(remote);
    (void)mosi; /* what is looked at is looked at with MOSI high */
    pass_byte(port, start, true);
    if (may_guess(port)) {
        sdsim_line_guess(&port->line);
        return 0xFF;
    }
    if (!sdsim_mpsse_write_ahead(port)) {
        sdsim_mpsse_expect(port);
    }
    const uint8_t miso = sdsim_line_look(&port->line);
    sdsim_mpsse_learn(port, miso);
    return miso;
}

static void begin_frame(struct sdsim_mpsse_port *port, uint8_t mosi)
{
    port->phase = SDSIM_MPSSE_FRAME;
    port->left = SDSIM_FRAME_SIZE - 1;
    port->last_app = port->card.app;
    port->last_command = mosi & 63;
    port->card.app = port->last_command == 55;
}

static void end_frame(struct sdsim_mpsse_port *port)
{
    port->phase = SDSIM_MPSSE_RESPONSE;
    port->searched = 0;
    port->responded = false;
    port->fresh = true;
    port->searching = reads(port);
    port->first_block = true;
    port->block_left = 0;
    port->looked = 0;
}

static void send(struct sdsim_wire_remote *remote, sdsim_ps start, uint8_t mosi)
{
    struct sdsim_mpsse_port *port = port_of(remote);
    pass_byte(port, start, false);
    sdsim_line_send(&port->line, mosi);
    if (port->left > 0) {
        port->left--;
        if (port->left == 0 && port->phase == SDSIM_MPSSE_FRAME) {
            end_frame(port);
        } else if (port->left == 0) {
            port->phase = SDSIM_MPSSE_BUSY;
            port->busy_of = port->wire.port.single ? SDSIM_MPSSE_LONE : SDSIM_MPSSE_STREAM;
            port->looked = 0;
        }
    } else if ((mosi & 0xC0) == 0x40) {
        begin_frame(port, mosi);
    } else if (mosi == SDSIM_TOKEN_START || mosi == SDSIM_TOKEN_START_MULTI) {
        port->phase = SDSIM_MPSSE_DATA;
        port->left = SDSIM_SECTOR + 2;
        port->known_ready = false;
    } else if (mosi == SDSIM_TOKEN_STOP) {
        port->phase = SDSIM_MPSSE_BUSY;
        port->busy_of = SDSIM_MPSSE_STOP;
        port->looked = 0;
        port->known_ready = false;
    }
}

/* Commands after which the card may be busy (R1b). */
static bool may_be_busy(uint8_t command)
{
    return command == 12 || command == 28 || command == 29 || command == 38;
}

static void select_card(struct sdsim_wire_remote *remote, bool low)
{
    struct sdsim_mpsse_port *port = port_of(remote);
    const struct sdsim_line *line = &port->line;
    if (port->phase == SDSIM_MPSSE_RESPONSE && may_be_busy(port->last_command)) {
        /* What was read ahead tells whether it is. */
        port->known_ready = line->at < line->count && line->ahead[line->count - 1] == 0xFF;
    }
    sdsim_line_select(&port->line, low);
    port->phase = SDSIM_MPSSE_BETWEEN;
    port->busy_of = SDSIM_MPSSE_LEFT;
    port->looked = 0;
    port->left = 0;
}

static bool check_block(struct sdsim_wire_remote *remote, const uint8_t *block, uint32_t bytes,
                        uint16_t crc)
{
    struct sdsim_mpsse_port *port = port_of(remote);
    port->bad_crc = block != NULL && sdsim_crc16(block, bytes) != crc;
    return !port->bad_crc;
}

/* ---- what became of a transaction ---- */

enum verdict {
    DONE,
    FINAL, /* failed, and would again */
    AGAIN,
};

/* The card was told to initialise itself and says that it has. */
static bool ends_initialisation(const struct sdsim_mpsse_port *port)
{
    return (port->last_command == 41 && port->last_app) || port->last_command == 1;
}

static bool is_command(const struct sdsim_transaction *tx)
{
    return (tx->flags & SDSIM_COMMAND) != 0;
}

/* A response that can't be right, though the driver might take it. */
static bool strange_response(const struct sdsim_mpsse_port *port, const struct sdsim_result *result)
{
    return is_command(port->tx) && port->initialised && port->last_command != 0 &&
           (result->r1 & SDSIM_R1_IDLE) != 0;
}

static enum verdict judge_refusal(struct sdsim_mpsse_port *port, const struct sdsim_result *result,
                                  uint8_t before)
{
    if (result->r1 == before) {
        return FINAL; /* twice the same is what the card says */
    }
    port->faults.refusals++;
    return AGAIN;
}

static enum verdict judge(struct sdsim_mpsse_port *port, const struct sdsim_result *result,
                          uint8_t refused_before)
{
    if (port->line.failed) {
        port->faults.transfers++;
        return AGAIN;
    }
    if (port->line.misjudged && result->outcome != SDSIM_OUTCOME_OK) {
        port->faults.misjudged++;
        return AGAIN;
    }
    switch (result->outcome) {
    case SDSIM_OUTCOME_OK:
        if (strange_response(port, result)) {
            return judge_refusal(port, result, refused_before);
        }
        return DONE;
    case SDSIM_OUTCOME_REFUSED:
        return judge_refusal(port, result, refused_before);
    case SDSIM_OUTCOME_NO_RESPONSE:
        port->faults.refusals++;
        return AGAIN;
    case SDSIM_OUTCOME_NO_DATA:
        port->faults.blocks++;
        return AGAIN;
    case SDSIM_OUTCOME_NOT_ACCEPTED:
        port->faults.rejections++;
        return AGAIN;
    case SDSIM_OUTCOME_NOT_READY:
    case SDSIM_OUTCOME_STILL_BUSY:
        return FINAL;
    }
    return FINAL;
}

/* What the port knows of the card after a transaction that went well. */
static void note_success(struct sdsim_mpsse_port *port, const struct sdsim_transaction *tx,
                         const struct sdsim_result *result)
{
    if (is_command(tx)) {
        const uint8_t command = port->last_command;
        port->initialised |= ends_initialisation(port) && result->r1 == 0;
        port->initialised &= command != 0;
        port->crc_on = command == 59 ? (tx->argument & 1) != 0 : port->crc_on && command != 0;
        if (command == 58) {
            port->stride = (result->extra[0] & 0x40) != 0 ? 1 : SDSIM_SECTOR;
        }
        if (command == 18 || command == 25) {
            port->reading = command == 18;
            port->writing = command == 25;
            port->next = tx->argument;
        } else if (command == 12 || command == 0) {
            port->reading = false;
            port->writing = false;
        }
    }
    port->next += tx->blocks * port->stride;
    port->writing &= (tx->flags & SDSIM_STOP_TOKEN) == 0;
}

/* What is left of a transaction, `done` of whose blocks have arrived. */
static void continue_with(const struct sdsim_mpsse_port *port, const struct sdsim_transaction *tx,
                          uint32_t done, struct sdsim_content *content,
                          struct sdsim_transaction *rest)
{
    *rest = *tx;
    rest->flags |= port->selected_before || is_command(tx) ? SDSIM_SELECT : 0;
    if (!is_command(tx)) { /* goes on with an open stream */
        if (tx->direction == SDSIM_NO_BLOCKS) {
            return;
        }
        rest->flags |= SDSIM_COMMAND;
        rest->command = tx->direction == SDSIM_READ_BLOCKS ? 18 : 25;
        rest->argument = port->next;
        rest->response = SDSIM_RESPONSE_R1;
    }
    if (tx->direction == SDSIM_NO_BLOCKS || tx->block_bytes != SDSIM_SECTOR) {
        return;
    }
    rest->blocks = tx->blocks - done;
    rest->argument += done * port->stride;
    if (tx->direction == SDSIM_WRITE_BLOCKS && tx->content != NULL) {
        *content = sdsim_content_after(tx->content, (uint64_t)done * SDSIM_SECTOR);
        rest->content = content;
    }
    rest->out = tx->out != NULL ? tx->out + (size_t)done * SDSIM_SECTOR : NULL;
}

/* ---- the transaction ---- */

static void attempt(struct sdsim_mpsse_port *port, sdsim_ps *now,
                    const struct sdsim_transaction *tx, struct sdsim_result *result)
{
    port->tx = tx;
    port->result = result;
    port->bad_crc = false;
    port->block_left = 0;
    port->searching = reads(port) && !is_command(tx);
    port->fresh = port->searching;
    port->line.misjudged = false;
    port->wire_ops->execute(&port->wire.port, now, tx, result);
}

/* An application command loses its CMD55 when it is repeated. */
static void announce_app(struct sdsim_mpsse_port *port, sdsim_ps *now,
                         const struct sdsim_transaction *tx)
{
    const struct sdsim_transaction announcement = {.flags = SDSIM_COMMAND | SDSIM_SELECT |
                                                            SDSIM_DESELECT,
                                                   .lead_bytes = 1,
                                                   .trail_bytes = 1,
                                                   .command = 55,
                                                   .response = SDSIM_RESPONSE_R1};
    struct sdsim_result result;
    attempt(port, now, &announcement, &result);
    port->tx = tx;
}

/* Makes the next attempt possible. False: there is none. */
static bool prepare_again(struct sdsim_mpsse_port *port, sdsim_ps *now,
                          const struct sdsim_transaction *tx, bool app)
{
    if (port->line.failed && !sdsim_line_recover(&port->line)) {
        port->dead = true;
        return false;
    }
    port->line.link->counters.retries++;
    port->spoiled = true;
    port->no_guessing = true;
    sdsim_mpsse_quieten(port);
    port->at = *now;
    if (app) {
        announce_app(port, now, tx);
    }
    return !port->line.failed;
}

/* A buffer for a driver that does not want the data: its CRC is checked all the same. */
static uint8_t *scratch(struct sdsim_mpsse_port *port, const struct sdsim_transaction *tx)
{
    const size_t size = (size_t)tx->blocks * tx->block_bytes;
    if (tx->direction != SDSIM_READ_BLOCKS || tx->out != NULL) {
        return tx->out;
    }
    if (size > port->scratch_size) {
        uint8_t *grown = realloc(port->scratch, size);
        if (grown == NULL) {
            return NULL; /* then it isn't checked */
        }
        port->scratch = grown;
        port->scratch_size = size;
    }
    return port->scratch;
}

/* Whether the driver's repeating CMD12 or ACMD41 found that the first one had been heard after all. */
static bool was_heard(const struct sdsim_transaction *tx, const struct sdsim_result *result,
                      unsigned tries)
{
    return tries > 0 && tx->command == 12 && is_command(tx) &&
           result->outcome == SDSIM_OUTCOME_REFUSED && (result->r1 & SDSIM_R1_ILLEGAL) != 0;
}

/* Tries until all is done, or nothing gets ahead any more. */
static void execute_blocks(struct sdsim_mpsse_port *port, sdsim_ps *now,
                           const struct sdsim_transaction *tx, struct sdsim_result *result)
{
    const bool app = port->card.app;
    struct sdsim_transaction rest = *tx;
    struct sdsim_content content;
    uint32_t done = 0;
    uint8_t refused = 0xFF;
    for (unsigned tries = 0;;) {
        attempt(port, now, &rest, result);
        done += result->blocks_done;
        tries = result->blocks_done > 0 ? 0 : tries;
        const enum verdict verdict = judge(port, result, refused);
        if (was_heard(&rest, result, tries)) {
            result->outcome = SDSIM_OUTCOME_OK;
            result->r1 = 0;
            break;
        }
        if (verdict != AGAIN || ++tries >= SDSIM_MPSSE_TRIES) {
            break;
        }
        refused = result->r1;
        if (!prepare_again(port, now, &rest, app && is_command(tx))) {
            break;
        }
        continue_with(port, tx, done, &content, &rest);
    }
    result->blocks_done = done;
}

static void set_clock(struct sdsim_mpsse_port *port)
{
    struct sdsim_mpsse_clock clock;
    const struct sdsim_clock *wanted = &port->wire.port.clock;
    const uint64_t den =
        (SDSIM_MPSSE_FASTEST_HZ * wanted->hz_den + wanted->hz_num - 1) / wanted->hz_num;
    clock = sdsim_mpsse_clock_of(
        (uint16_t)((den < SDSIM_MPSSE_DIVISORS ? den : SDSIM_MPSSE_DIVISORS) - 1));
    sdsim_line_clock(&port->line, &clock);
}

static void execute(struct sdsim_port *base, sdsim_ps *now, const struct sdsim_transaction *tx,
                    struct sdsim_result *result)
{
    struct sdsim_mpsse_port *port = (struct sdsim_mpsse_port *)base;
    *result = (struct sdsim_result){.outcome = SDSIM_OUTCOME_NO_RESPONSE};
    port->spoiled = false;
    port->no_guessing = false;
    port->selected_before = base->selected;
    if (port->dead) {
        return;
    }
    set_clock(port);
    struct sdsim_transaction checked = *tx;
    checked.out = scratch(port, tx);
    execute_blocks(port, now, &checked, result);
    port->tx = &checked; /* it was what was left of it */
    port->result = result;
    if (port->line.failed) {
        result->outcome = SDSIM_OUTCOME_NO_RESPONSE;
    }
    if (result->outcome == SDSIM_OUTCOME_OK) {
        note_success(port, &checked, result);
    } else {
        const bool stays_busy = result->outcome == SDSIM_OUTCOME_NOT_READY ||
                                result->outcome == SDSIM_OUTCOME_STILL_BUSY;
        if (!port->line.failed && !port->dead && !stays_busy) {
            sdsim_mpsse_quieten(
                port); /* the next transaction finds a card that waits for a command */
        }
        port->reading = false;
        port->writing = false;
        port->known_ready = false;
    }
    port->tx = NULL;
    port->result = NULL;
}

static const struct sdsim_port_ops mpsse_ops = {.name = "mpsse", .execute = execute};

void sdsim_mpsse_port_init(struct sdsim_mpsse_port *port, struct sdsim_link *link,
                           const struct sdsim_mpsse_clock *clock, struct sdsim_meter *meter)
{
    *port = (struct sdsim_mpsse_port){
        .remote = {.exchange = exchange, .send = send, .select = select_card, .check = check_block},
        .card_params = {.n_cr = 1, .n_ac = 1, .n_br = 1, .flash = {.page_bytes = SDSIM_SECTOR}},
        .stride = 1,
        .access = FIRST_ACCESS,
        .busy = {64, 8, 64, 16},
        .last_busy = {64, 8, 64, 16},
    };
    port->card.params = &port->card_params;
    sdsim_wire_init(&port->wire, SDSIM_BUS_SPI, &port->card, meter);
    port->wire_ops = port->wire.port.ops;
    port->wire.port.ops = &mpsse_ops;
    port->wire.remote = &port->remote;
    sdsim_clock_set(&port->wire.port.clock, clock->num, clock->den);
    sdsim_line_init(&port->line, link, clock);
}

void sdsim_mpsse_port_free(struct sdsim_mpsse_port *port)
{
    if (!port->line.failed) {
        sdsim_line_select(&port->line, false);
        sdsim_line_flush(&port->line);
    }
    sdsim_line_free(&port->line);
    free(port->scratch);
    port->scratch = NULL;
    port->scratch_size = 0;
}

uint64_t sdsim_mpsse_retries(const struct sdsim_mpsse_port *port)
{
    const struct sdsim_mpsse_faults *faults = &port->faults;
    return faults->transfers + faults->blocks + faults->refusals + faults->rejections +
           faults->misjudged;
}
