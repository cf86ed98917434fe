/*
 * How it works: no byte is skipped and nothing is known beforehand. The host side below reads like
 * a driver: it clocks a byte, looks at MISO and decides. Of the card it asks only what an account
 * needs and a driver can't see: at which instant the card was ready, and its N_AC, the bytes before
 * a token that the protocol demands.
 */
#include "port/wire_modes.h"

#include <string.h>

#include "bus/frame.h"
#include "core/crc.h"

enum {
    LINE_HIGH = 0xFF,
    LINE_BUSY = 0x00,
    NOT_A_RESPONSE = 0x80, /* R1 is the first byte with this bit clear */
};

/* ---- bytes ---- */

/* Counts a byte, and tells who listens. */
static void note_byte(struct sdsim_wire *wire, sdsim_ps start, sdsim_ps end, uint8_t mosi,
                      uint8_t miso)
{
    if (wire->listener != NULL && wire->listener->byte != NULL) {
        wire->listener->byte(wire->listener, start, end, wire->port.selected, mosi, miso);
    }
    wire->port.meter->counters.bus_clocks += 8;
    wire->bytes++;
}

/* One byte each way, its time taken but not booked yet. */
static uint8_t exchange_byte(struct sdsim_wire *wire, sdsim_ps *now, uint8_t mosi)
{
    const sdsim_ps start = *now;
    *now = sdsim_time_sum(start, sdsim_clock_take(&wire->port.clock, 8));
    const uint8_t miso = wire->remote != NULL ? wire->remote->exchange(wire->remote, start, mosi)
                                              : sdsim_spi_exchange(&wire->pins, start, *now, mosi);
    note_byte(wire, start, *now, mosi, miso);
    return miso;
}

/* The same, booked. */
static uint8_t clock_byte(struct sdsim_wire *wire, sdsim_ps *now, enum sdsim_kind kind,
                          uint8_t mosi)
{
    sdsim_ps end = *now;
    const uint8_t miso = exchange_byte(wire, &end, mosi);
    sdsim_spend(wire->port.meter, now, kind, SDSIM_LANE_BUS, end - *now);
    return miso;
}

/* A byte of which nobody wants to know what comes back. */
static void send_byte(struct sdsim_wire *wire, sdsim_ps *now, enum sdsim_kind kind, uint8_t mosi)
{
    if (wire->remote == NULL) {
        clock_byte(wire, now, kind, mosi);
        return;
    }
    const sdsim_ps span = sdsim_clock_take(&wire->port.clock, 8);
    wire->remote->send(wire->remote, *now, mosi);
    note_byte(wire, *now, sdsim_time_sum(*now, span), mosi, LINE_HIGH);
    sdsim_spend(wire->port.meter, now, kind, SDSIM_LANE_BUS, span);
}

static void dead(struct sdsim_wire *wire, sdsim_ps *now, enum sdsim_kind kind, sdsim_ps d)
{
    sdsim_spend(wire->port.meter, now, kind, kind == SDSIM_GAP ? SDSIM_LANE_BUS : SDSIM_LANE_CPU,
                d);
}

static void fill(struct sdsim_wire *wire, sdsim_ps *now, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++) {
        dead(wire, now, SDSIM_GAP, wire->port.spi->fill.before);
        send_byte(wire, now, SDSIM_PROTOCOL, LINE_HIGH);
        dead(wire, now, SDSIM_GAP, wire->port.spi->fill.after);
    }
}

static void select_card(struct sdsim_wire *wire, sdsim_ps *now, bool low)
{
    const struct sdsim_spi_engine *spi = wire->port.spi;
    if (wire->port.selected != low) {
        dead(wire, now, SDSIM_HOST, low ? spi->select : spi->deselect);
        if (wire->remote != NULL) {
            wire->remote->select(wire->remote, low);
        } else {
            sdsim_spi_select(&wire->pins, low);
        }
        wire->port.selected = low;
        if (wire->listener != NULL && wire->listener->select != NULL) {
            wire->listener->select(wire->listener, *now, low);
        }
    }
}

/* ---- waits ---- */

/* Whether one more byte of a poll, after `nonzero` earlier ones that were not 0x00, ends it. */
static bool test_met(enum sdsim_ready_test test, uint8_t miso, unsigned nonzero)
{
    switch (test) {
    case SDSIM_READY_ALL_ONES:
        return miso == LINE_HIGH;
    case SDSIM_READY_NONZERO:
        return miso != LINE_BUSY;
    case SDSIM_READY_TWO_NONZERO:
        return miso != LINE_BUSY && nonzero > 0;
    case SDSIM_READY_BUSY_SEEN:
        return miso == LINE_BUSY;
    default:
        return true; /* the tests of the SD bus */
    }
}

/* Polls byte by byte until the test is met. False: ran into the limit. */
static bool poll(struct sdsim_wire *wire, sdsim_ps *now, const struct sdsim_wait *wait)
{
    const struct sdsim_burst *cost = &wire->port.spi->poll;
    struct sdsim_ready ready = sdsim_card_busy(wire->port.card);
    const sdsim_ps from = *now;
    unsigned nonzero = 0;
    bool met = false;
    bool last = false;
    while (!met && !last) {
        last = wait->limit > 0 && *now - from >= wait->limit;
        *now = sdsim_time_sum(*now, cost->before);
        ready.at = wire->remote != NULL ? *now : ready.at;
        const uint8_t miso = exchange_byte(wire, now, LINE_HIGH);
        *now = sdsim_time_sum(*now, cost->after);
        met = test_met(wait->test, miso, nonzero);
        nonzero += miso != LINE_BUSY;
        if (!met && !last && wait->sleep > 0 && *now - from >= wait->sleep_after) {
            *now = sdsim_wait_sleep_end(wait, *now);
        }
    }
    sdsim_book_wait(wire->port.meter, SDSIM_BUSY, from, *now, wire->port.selected ? ready.at : 0,
                    ready.pause);
    return met || wait->soft;
}

/* ---- looking for a start token ---- */

/* Where the token is looked for, and what has been found so far. */
struct search {
    uint32_t due;      /* bytes of N_AC that are still to be booked as protocol */
    bool found;        /* a start token ... */
    bool error;        /* ... or an error token */
    uint32_t expected; /* data bytes of the block */
    uint32_t got;      /* those of them that came behind the token in the same burst */
    uint8_t *out;      /* where they go, or NULL */
};

/* The part of a search that lies in one stretch without anything else: from here on the host waits
 * for the card, `protocol` of it as N_AC demands. */
struct stretch {
    sdsim_ps from;
    sdsim_ps protocol;
    struct sdsim_ready ready;
};

static struct search new_search(const struct sdsim_wire *wire, const struct sdsim_transaction *tx,
                                uint32_t block)
{
    return (struct search){
        .due = (uint32_t)wire->port.card->params->n_ac,
        .expected = tx->block_bytes,
        .out = tx->out != NULL ? tx->out + (size_t)block * tx->block_bytes : NULL,
    };
}

static struct stretch begin_stretch(const struct sdsim_wire *wire, sdsim_ps now)
{
    return (struct stretch){.from = now, .ready = sdsim_card_read_ready(wire->port.card)};
}

static void book_stretch(struct sdsim_wire *wire, const struct stretch *stretch, sdsim_ps to)
{
    const sdsim_ps ready_at = wire->remote != NULL ? to : stretch->ready.at;
    sdsim_book_span(wire->port.meter, SDSIM_PROTOCOL, SDSIM_LANE_BUS, stretch->from,
                    stretch->protocol);
    sdsim_book_wait(wire->port.meter, SDSIM_ACCESS, stretch->from + stretch->protocol, to, ready_at,
                    stretch->ready.pause);
}

/* A byte behind the token in the burst that found it: data, as long as some is expected. */
static void take_data_byte(struct search *search, uint8_t miso)
{
    if (search->got < search->expected) {
        if (search->out != NULL) {
            search->out[search->got] = miso;
        }
        search->got++;
    }
}

/* One byte of a search. */
static void search_byte(struct sdsim_wire *wire, sdsim_ps *now, struct search *search,
                        struct stretch *stretch)
{
    if (search->found) {
        take_data_byte(search, clock_byte(wire, now, SDSIM_PAYLOAD, LINE_HIGH));
        return;
    }
    if (search->error) {
        clock_byte(wire, now, SDSIM_PROTOCOL, LINE_HIGH);
        return;
    }
    const sdsim_ps start = *now;
    const uint8_t miso = exchange_byte(wire, now, LINE_HIGH);
    search->found = miso == SDSIM_TOKEN_START;
    search->error = sdsim_data_error_token(miso);
    if (search->found || search->error) {
        book_stretch(wire, stretch, start);
        sdsim_book_span(wire->port.meter, SDSIM_PROTOCOL, SDSIM_LANE_BUS, start, *now - start);
    } else if (search->due > 0) {
        search->due--;
        stretch->protocol += *now - start;
    }
}

/* Looks for the token in `bytes` bytes that are clocked anyhow, in a burst that runs already. */
static void scan(struct sdsim_wire *wire, sdsim_ps *now, struct search *search, uint32_t bytes)
{
    struct stretch stretch = begin_stretch(wire, *now);
    for (uint32_t i = 0; i < bytes; i++) {
        search_byte(wire, now, search, &stretch);
    }
    if (!search->found && !search->error) {
        book_stretch(wire, &stretch, *now);
    }
}

/* Looks for the token in calls of token_look bytes, until the limit. */
static void look_for_token(struct sdsim_wire *wire, sdsim_ps *now, struct search *search)
{
    const struct sdsim_spi_engine *spi = wire->port.spi;
    struct stretch stretch = begin_stretch(wire, *now);
    bool last = false;
    while (!search->found && !search->error && !last) {
        last = spi->token_limit > 0 && *now - stretch.from >= spi->token_limit;
        *now = sdsim_time_sum(*now, spi->token.before);
        for (uint32_t i = 0; i < spi->token_look; i++) {
            search_byte(wire, now, search, &stretch);
        }
        if (search->found || search->error) {
            dead(wire, now, SDSIM_GAP, spi->token.after);
        } else {
            *now = sdsim_time_sum(*now, spi->token.after);
            *now = sdsim_time_sum(*now, last ? 0 : spi->token_sleep);
        }
    }
    if (!search->found && !search->error) {
        book_stretch(wire, &stretch, *now);
    }
}

/* ---- the command ---- */

static unsigned response_extra(enum sdsim_response response)
{
    switch (response) {
    case SDSIM_RESPONSE_R2:
        return SDSIM_SPI_R2_SIZE - 1;
    case SDSIM_RESPONSE_R3:
        return SDSIM_SPI_R3_SIZE - 1;
    default:
        return 0;
    }
}

static void send_frame(struct sdsim_wire *wire, sdsim_ps *now, const struct sdsim_transaction *tx)
{
    const struct sdsim_frame frame = {.index = tx->command & 63, .argument = tx->argument};
    uint8_t bytes[SDSIM_FRAME_SIZE];
    sdsim_frame_command(&frame, bytes);
    sdsim_count_command(&wire->port, frame.index);
    for (unsigned i = 0; i < SDSIM_FRAME_SIZE; i++) {
        send_byte(wire, now, SDSIM_PROTOCOL, bytes[i]);
    }
}

/* The response is polled byte by byte, in at most `looks` looks with `sleep` between them. */
static bool poll_response(struct sdsim_wire *wire, sdsim_ps *now,
                          const struct sdsim_transaction *tx, unsigned looks, sdsim_ps sleep,
                          struct sdsim_result *result)
{
    const struct sdsim_spi_engine *spi = wire->port.spi;
    for (unsigned i = 0; (result->r1 & NOT_A_RESPONSE) != 0 && i < looks; i++) {
        dead(wire, now, SDSIM_POLL, i > 0 ? sleep : 0);
        dead(wire, now, SDSIM_GAP, spi->poll.before);
        result->r1 = clock_byte(wire, now, SDSIM_PROTOCOL, LINE_HIGH);
        dead(wire, now, SDSIM_GAP, spi->poll.after);
    }
    if ((result->r1 & NOT_A_RESPONSE) != 0) {
        return false;
    }
    if (response_extra(tx->response) > 0) {
        dead(wire, now, SDSIM_GAP, spi->extra.before);
        for (unsigned e = 0; e < response_extra(tx->response); e++) {
            result->extra[e] = clock_byte(wire, now, SDSIM_PROTOCOL, LINE_HIGH);
        }
        dead(wire, now, SDSIM_GAP, spi->extra.after);
    }
    return true;
}

/* The response comes in the burst of the command, which is longer than the frame, or else in late
 * looks. What is left of the burst behind the response of a read is searched for the start token
 * already. */
static bool response_in_window(struct sdsim_wire *wire, sdsim_ps *now,
                               const struct sdsim_transaction *tx, uint32_t window,
                               struct search *search, struct sdsim_result *result)
{
    const struct sdsim_spi_engine *spi = wire->port.spi;
    uint32_t i = 0;
    while ((result->r1 & NOT_A_RESPONSE) != 0 && i < window) {
        result->r1 = clock_byte(wire, now, SDSIM_PROTOCOL, LINE_HIGH);
        i++;
    }
    const bool found = (result->r1 & NOT_A_RESPONSE) == 0;
    for (unsigned e = 0; found && e < response_extra(tx->response) && i < window; e++) {
        result->extra[e] = clock_byte(wire, now, SDSIM_PROTOCOL, LINE_HIGH);
        i++;
    }
    if (found && tx->direction == SDSIM_READ_BLOCKS && (result->r1 & ~SDSIM_R1_IDLE) == 0) {
        scan(wire, now, search, window - i);
    } else {
        for (; i < window; i++) {
            clock_byte(wire, now, SDSIM_PROTOCOL, LINE_HIGH);
        }
    }
    dead(wire, now, SDSIM_GAP, spi->command.after);
    return found || poll_response(wire, now, tx, spi->late_looks, spi->late_sleep, result);
}

/* The command's burst is its frame; the response comes in looks. */
static bool response_polled(struct sdsim_wire *wire, sdsim_ps *now,
                            const struct sdsim_transaction *tx, struct sdsim_result *result)
{
    const struct sdsim_spi_engine *spi = wire->port.spi;
    if ((tx->flags & SDSIM_STUFF) != 0) {
        send_byte(wire, now, SDSIM_PROTOCOL, LINE_HIGH);
    }
    dead(wire, now, SDSIM_GAP, spi->command.after);
    return poll_response(wire, now, tx, spi->response_looks, 0, result);
}

/* The command and its response; false leaves the reason in the result. */
static bool do_command(struct sdsim_wire *wire, sdsim_ps *now, const struct sdsim_transaction *tx,
                       struct search *search, struct sdsim_result *result)
{
    const struct sdsim_spi_engine *spi = wire->port.spi;
    dead(wire, now, SDSIM_HOST, spi->command_cpu);
    dead(wire, now, SDSIM_GAP, spi->command.before);
    send_frame(wire, now, tx);
    result->r1 = LINE_HIGH;
    const uint32_t window = tx->direction != SDSIM_NO_BLOCKS
                                ? spi->data_window
                                : spi->response_window + response_extra(tx->response);
    const bool found = spi->response_window > 0
                           ? response_in_window(wire, now, tx, window, search, result)
                           : response_polled(wire, now, tx, result);
    if (!found) {
        result->outcome = SDSIM_OUTCOME_NO_RESPONSE;
    } else if ((result->r1 & ~SDSIM_R1_IDLE) != 0) {
        result->outcome = SDSIM_OUTCOME_REFUSED;
    }
    return result->outcome == SDSIM_OUTCOME_OK;
}

/* ---- reading ---- */

/* What is left of the CPU's work when the data it goes along with, from `start`, is through. */
static void finish_overlap(struct sdsim_wire *wire, sdsim_ps *now, sdsim_ps start, sdsim_ps work)
{
    const sdsim_ps hidden = *now - start;
    dead(wire, now, SDSIM_HOST, work > hidden ? work - hidden : 0);
}

static void read_payload(struct sdsim_wire *wire, sdsim_ps *now, struct search *search)
{
    const struct sdsim_spi_engine *spi = wire->port.spi;
    uint32_t in_chunk = 0;
    while (search->got < search->expected) {
        if (spi->chunk > 0 && in_chunk == spi->chunk) {
            dead(wire, now, SDSIM_GAP, spi->chunk_gap);
            in_chunk = 0;
        }
        take_data_byte(search, clock_byte(wire, now, SDSIM_PAYLOAD, LINE_HIGH));
        in_chunk++;
    }
}

/* One block with its token; *search goes in with what was found of it already and comes out with
 * what was found of the block behind it. False: no data came. */
static bool read_block(struct sdsim_wire *wire, sdsim_ps *now, const struct sdsim_transaction *tx,
                       uint32_t block, struct search *search)
{
    const struct sdsim_spi_engine *spi = wire->port.spi;
    if (!search->found && !search->error) {
        look_for_token(wire, now, search);
    }
    if (!search->found) {
        return false;
    }
    dead(wire, now, SDSIM_GAP, spi->data.before);
    const sdsim_ps start = *now;
    read_payload(wire, now, search);
    finish_overlap(wire, now, start, block > 0 ? spi->read_overlap : 0);
    if (!spi->crc_with_data) {
        dead(wire, now, SDSIM_GAP, spi->data.after);
        dead(wire, now, SDSIM_GAP, spi->crc.before);
    }
    const uint8_t high = clock_byte(wire, now, SDSIM_PROTOCOL, LINE_HIGH);
    const uint8_t low = clock_byte(wire, now, SDSIM_PROTOCOL, LINE_HIGH);
    if (wire->remote != NULL && !wire->remote->check(wire->remote, search->out, search->expected,
                                                     (uint16_t)(high << 8 | low))) {
        return false;
    }
    *search = new_search(wire, tx, block + 1);
    if (block + 1 < tx->blocks) {
        scan(wire, now, search, spi->look_ahead);
    } else {
        for (unsigned i = 0; i < spi->crc_tail; i++) {
            clock_byte(wire, now, SDSIM_PROTOCOL, LINE_HIGH);
        }
    }
    dead(wire, now, SDSIM_GAP, spi->crc_with_data ? spi->data.after : spi->crc.after);
    dead(wire, now, SDSIM_HOST, spi->read_cpu);
    dead(wire, now, SDSIM_COPY, spi->copy);
    return true;
}

static void read_blocks(struct sdsim_wire *wire, sdsim_ps *now, const struct sdsim_transaction *tx,
                        struct search *search, struct sdsim_result *result)
{
    while (result->blocks_done < tx->blocks) {
        if (!read_block(wire, now, tx, result->blocks_done, search)) {
            result->outcome = SDSIM_OUTCOME_NO_DATA;
            return;
        }
        result->blocks_done++;
        if (tx->block_bytes == SDSIM_SECTOR) {
            wire->port.meter->counters.blocks_read++;
        }
    }
}

/* ---- writing ---- */

static void write_payload(struct sdsim_wire *wire, sdsim_ps *now, const uint8_t *bytes)
{
    const struct sdsim_spi_engine *spi = wire->port.spi;
    for (uint32_t i = 0; i < SDSIM_SECTOR; i++) {
        if (spi->chunk > 0 && i > 0 && i % spi->chunk == 0) {
            dead(wire, now, SDSIM_GAP, spi->chunk_gap);
        }
        send_byte(wire, now, SDSIM_PAYLOAD, bytes[i]);
    }
}

/* The CRC of the block, and what the card says to it. */
static uint8_t finish_block(struct sdsim_wire *wire, sdsim_ps *now, const uint8_t *bytes)
{
    const struct sdsim_spi_engine *spi = wire->port.spi;
    const uint16_t crc = sdsim_crc16(bytes, SDSIM_SECTOR);
    dead(wire, now, SDSIM_GAP, spi->crc.before);
    send_byte(wire, now, SDSIM_PROTOCOL, (uint8_t)(crc >> 8));
    send_byte(wire, now, SDSIM_PROTOCOL, (uint8_t)crc);
    if (spi->reply_with_crc) {
        const uint8_t response = clock_byte(wire, now, SDSIM_PROTOCOL, LINE_HIGH);
        dead(wire, now, SDSIM_GAP, spi->crc.after);
        return response;
    }
    dead(wire, now, SDSIM_GAP, spi->crc.after);
    dead(wire, now, SDSIM_GAP, spi->reply.before);
    const uint8_t response = clock_byte(wire, now, SDSIM_PROTOCOL, LINE_HIGH);
    dead(wire, now, SDSIM_GAP, spi->reply.after);
    return response;
}

static enum sdsim_outcome write_block(struct sdsim_wire *wire, sdsim_ps *now,
                                      const struct sdsim_transaction *tx, uint32_t block)
{
    const struct sdsim_spi_engine *spi = wire->port.spi;
    uint8_t bytes[SDSIM_SECTOR];
    sdsim_content_bytes(tx->content, (uint64_t)block * SDSIM_SECTOR, bytes, sizeof bytes);
    dead(wire, now, SDSIM_COPY, spi->copy);
    dead(wire, now, SDSIM_HOST, spi->write_cpu);
    if ((tx->flags & SDSIM_BLOCK_READY) != 0 && !poll(wire, now, &spi->block_ready)) {
        return SDSIM_OUTCOME_STILL_BUSY;
    }
    dead(wire, now, SDSIM_GAP, spi->token.before);
    send_byte(wire, now, SDSIM_PROTOCOL,
              wire->port.single ? SDSIM_TOKEN_START : SDSIM_TOKEN_START_MULTI);
    dead(wire, now, SDSIM_GAP, spi->token.after);
    dead(wire, now, SDSIM_GAP, spi->data.before);
    const sdsim_ps start = *now;
    write_payload(wire, now, bytes);
    finish_overlap(wire, now, start, spi->write_overlap);
    dead(wire, now, SDSIM_GAP, spi->data.after);
    dead(wire, now, SDSIM_HOST, spi->write_cpu_after_data);
    const uint8_t response = finish_block(wire, now, bytes);
    if ((response & SDSIM_DATA_RESPONSE_MASK) != SDSIM_DATA_ACCEPTED) {
        return SDSIM_OUTCOME_NOT_ACCEPTED;
    }
    if ((tx->flags & SDSIM_BLOCK_BUSY) != 0 && !poll(wire, now, &spi->block_busy)) {
        return SDSIM_OUTCOME_STILL_BUSY;
    }
    return SDSIM_OUTCOME_OK;
}

static void write_blocks(struct sdsim_wire *wire, sdsim_ps *now, const struct sdsim_transaction *tx,
                         struct sdsim_result *result)
{
    while (result->blocks_done < tx->blocks && result->outcome == SDSIM_OUTCOME_OK) {
        result->outcome = write_block(wire, now, tx, result->blocks_done);
        if (result->outcome == SDSIM_OUTCOME_OK) {
            result->blocks_done++;
            wire->port.meter->counters.blocks_written++;
        }
    }
}

static void stop_token(struct sdsim_wire *wire, sdsim_ps *now, const struct sdsim_transaction *tx,
                       struct sdsim_result *result)
{
    const struct sdsim_spi_engine *spi = wire->port.spi;
    if ((tx->flags & SDSIM_STOP_READY) != 0 && !poll(wire, now, &spi->block_ready)) {
        result->outcome = SDSIM_OUTCOME_STILL_BUSY;
        return;
    }
    dead(wire, now, SDSIM_GAP, spi->stop.before);
    send_byte(wire, now, SDSIM_PROTOCOL, SDSIM_TOKEN_STOP);
    for (unsigned i = 1; i < spi->stop_bytes; i++) {
        send_byte(wire, now, SDSIM_PROTOCOL, LINE_HIGH);
    }
    dead(wire, now, SDSIM_GAP, spi->stop.after);
}

/* The blocks of a write, and the stop token. */
static void write_and_stop(struct sdsim_wire *wire, sdsim_ps *now,
                           const struct sdsim_transaction *tx, struct sdsim_result *result)
{
    if (tx->direction == SDSIM_WRITE_BLOCKS) {
        write_blocks(wire, now, tx, result);
    }
    if (result->outcome == SDSIM_OUTCOME_OK && (tx->flags & SDSIM_STOP_TOKEN) != 0) {
        stop_token(wire, now, tx, result);
    }
}

/* ---- the whole ---- */

/* Everything between CS low with its lead bytes and the last wait. */
static void exchange(struct sdsim_wire *wire, sdsim_ps *now, const struct sdsim_transaction *tx,
                     struct sdsim_result *result)
{
    if (tx->ready != NULL && !poll(wire, now, tx->ready)) {
        result->outcome = SDSIM_OUTCOME_NOT_READY;
        return;
    }
    struct search search = new_search(wire, tx, 0);
    if ((tx->flags & SDSIM_COMMAND) != 0) {
        wire->port.single = tx->command == 24;
        if (!do_command(wire, now, tx, &search, result)) {
            return;
        }
    }
    if (tx->direction == SDSIM_READ_BLOCKS) {
        read_blocks(wire, now, tx, &search, result);
    }
    write_and_stop(wire, now, tx, result);
}

/* What comes behind all that. */
static void finish(struct sdsim_wire *wire, sdsim_ps *now, const struct sdsim_transaction *tx,
                   struct sdsim_result *result)
{
    if (result->outcome == SDSIM_OUTCOME_OK && tx->finish != NULL && !poll(wire, now, tx->finish)) {
        result->outcome = SDSIM_OUTCOME_STILL_BUSY;
    }
    if ((tx->flags & SDSIM_DESELECT) != 0) {
        select_card(wire, now, false);
    }
    fill(wire, now, tx->trail_bytes);
}

void sdsim_wire_spi_write(struct sdsim_wire *wire, sdsim_ps *now,
                          const struct sdsim_transaction *tx, struct sdsim_result *result)
{
    write_and_stop(wire, now, tx, result);
    finish(wire, now, tx, result);
}

void sdsim_wire_spi_execute(struct sdsim_wire *wire, sdsim_ps *now,
                            const struct sdsim_transaction *tx, struct sdsim_result *result)
{
    *result = (struct sdsim_result){.outcome = SDSIM_OUTCOME_OK};
    fill(wire, now, tx->idle_bytes);
    if ((tx->flags & SDSIM_SELECT) != 0) {
        select_card(wire, now, true);
    }
    fill(wire, now, tx->lead_bytes);
    exchange(wire, now, tx, result);
    finish(wire, now, tx, result);
}
