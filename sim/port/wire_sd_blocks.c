/*
 * The wire port in SD mode: blocks, from the card and to it.
 *
 * Where the CPU moves the data through a FIFO it does so beside the data bits; where it is slower,
 * the clock stops at the end of them until it is through. A check sum made in software runs beside
 * other blocks.
 */
#include <string.h>

#include "core/crc.h"
#include "port/wire_sd.h"

enum {
    CRC_BITS = 16, /* on each line */
};

static uint32_t data_bits(const struct sdsim_wire_sd *host, uint32_t bytes)
{
    return (sdsim_wire_sd_four(host) ? 2 : 8) * bytes;
}

/* The clock stands still up to an instant, which may have passed. */
static void stand_until(struct sdsim_wire_sd *host, enum sdsim_kind kind, sdsim_ps instant)
{
    sdsim_wire_sd_stand(host, kind, sdsim_time_since(instant, host->now));
}

/* ---- reading ---- */

void sdsim_wire_sd_expect_block(struct sdsim_wire_sd *host, uint32_t bytes)
{
    host->expecting = true;
    host->armed = true;
    host->bits = data_bits(host, bytes) + CRC_BITS;
    host->at = 0;
}

/* The time in which a block was waited for: N_AC is protocol, the rest the card's access. */
struct search {
    uint32_t n_ac; /* clocks of N_AC */
    sdsim_ps from;
    sdsim_ps protocol; /* end of the clocks of N_AC */
    uint32_t clocks;
    struct sdsim_ready ready;
};

static struct search begin_search(const struct sdsim_wire_sd *host, uint32_t n_ac)
{
    return (struct search){.n_ac = n_ac,
                           .from = host->now,
                           .protocol = host->now,
                           .ready = sdsim_card_read_ready(host->wire->port.card)};
}

static void search_clock(struct sdsim_wire_sd *host, struct search *search)
{
    sdsim_wire_sd_clock(host, SDSIM_SD_RELEASED, SDSIM_WIRE_SD_NOTHING);
    if (search->clocks++ < search->n_ac) {
        search->protocol = host->now;
    }
}

static void book_search(struct sdsim_wire_sd *host, const struct search *search)
{
    struct sdsim_meter *meter = host->wire->port.meter;
    sdsim_ps at = search->from;
    sdsim_spend(meter, &at, SDSIM_PROTOCOL, SDSIM_LANE_BUS, search->protocol - search->from);
    if (host->now > at) {
        sdsim_book_wait(meter, SDSIM_ACCESS, at, host->now, search->ready.at, search->ready.pause);
    }
}

/* The next clock is that of a start bit. */
static bool block_begins(const struct sdsim_wire_sd *host)
{
    return host->armed && sdsim_wire_sd_busy(host);
}

enum sdsim_wire_sd_first sdsim_wire_sd_first_block(struct sdsim_wire_sd *host)
{
    const struct sdsim_sd_pins *pins = &host->wire->sd_pins;
    struct search search = begin_search(host, SDSIM_SD_N_AC);
    while (!block_begins(host)) {
        const bool told = host->response_got == host->response_bits;
        const bool over =
            told && (sdsim_wire_sd_refused(host) || pins->phase != SDSIM_SD_SEND || pins->dropped);
        const bool silent = search.clocks >= SDSIM_N_CR_MOST && sdsim_wire_sd_silent(host);
        if (over || silent) {
            sdsim_wire_sd_book(host, SDSIM_PROTOCOL, search.from);
            return over ? SDSIM_WIRE_SD_REFUSAL : SDSIM_WIRE_SD_SILENCE;
        }
        search_clock(host, &search);
    }
    book_search(host, &search);
    return SDSIM_WIRE_SD_DATA;
}

/* Nothing is to be waited for: the card's end, or that of a counted transfer, or a fault. */
static bool no_more(const struct sdsim_wire_sd *host)
{
    const struct sdsim_sd_pins *pins = &host->wire->sd_pins;
    return pins->phase != SDSIM_SD_SEND || pins->dropped ||
           (!pins->from_register && sdsim_card_read_beyond(pins->card));
}

/* Up to where the next block begins; false: there is none. */
static bool find_block(struct sdsim_wire_sd *host, uint32_t n_ac)
{
    struct search search = begin_search(host, n_ac);
    while (!block_begins(host) && !no_more(host)) {
        search_clock(host, &search);
    }
    book_search(host, &search);
    return block_begins(host);
}

/* Clocks up to the clock `at` of the block. */
static void clocks_to(struct sdsim_wire_sd *host, enum sdsim_kind kind, uint32_t at)
{
    sdsim_wire_sd_clocks(host, kind, at > host->at ? at - host->at : 0);
}

/* The block that begins, or whose first clocks are over. False: its CRC is wrong. */
static bool take_block(struct sdsim_wire_sd *host, const struct sdsim_transaction *tx,
                       uint32_t index)
{
    clocks_to(host, SDSIM_PROTOCOL, 1);
    const sdsim_ps from = host->now;
    clocks_to(host, SDSIM_PAYLOAD, 1 + data_bits(host, tx->block_bytes));
    stand_until(host, SDSIM_GAP, sdsim_time_sum(from, host->wire->port.sd->fifo));
    clocks_to(host, SDSIM_PROTOCOL, host->bits + 2);
    uint8_t crc[8];
    const size_t size =
        sdsim_crc16_bytes(host->block, tx->block_bytes, sdsim_wire_sd_four(host), crc);
    if (memcmp(crc, host->block + tx->block_bytes, size) != 0) {
        return false;
    }
    if (tx->out != NULL) {
        memcpy(tx->out + (size_t)index * tx->block_bytes, host->block, tx->block_bytes);
    }
    return true;
}

/* A response longer than everything that was read behind it ends the transaction. */
static void finish_response(struct sdsim_wire_sd *host)
{
    const sdsim_ps from = host->now;
    while (host->response_got < host->response_bits) {
        sdsim_wire_sd_clock(host, SDSIM_SD_RELEASED, SDSIM_WIRE_SD_NOTHING);
    }
    sdsim_wire_sd_book(host, SDSIM_PROTOCOL, from);
}

void sdsim_wire_sd_read(struct sdsim_wire_sd *host, const struct sdsim_transaction *tx,
                        struct sdsim_result *result)
{
    const struct sdsim_sd_engine *sd = host->wire->port.sd;
    const bool from_register = host->wire->sd_pins.from_register;
    sdsim_ps checked = host->now;
    const bool command = (tx->flags & SDSIM_COMMAND) != 0;
    if (!command) {
        sdsim_wire_sd_expect_block(host, tx->block_bytes);
    }
    /* Behind a response that was taken first, N_AC, which counts from the command, is over. */
    uint32_t n_ac = command && sd->clock_stops ? 0 : SDSIM_SD_N_AC;
    while (result->blocks_done < tx->blocks) {
        const bool begun = host->at > 0 || block_begins(host);
        if ((!begun && !find_block(host, n_ac)) || !take_block(host, tx, result->blocks_done)) {
            result->outcome = SDSIM_OUTCOME_NO_DATA;
            break;
        }
        result->blocks_done++;
        n_ac = SDSIM_SD_N_AC;
        if (!from_register) {
            checked = sdsim_time_sum(checked > host->now ? checked : host->now, sd->read_cpu);
            host->wire->port.meter->counters.blocks_read++;
        }
        sdsim_wire_sd_stand(host, SDSIM_GAP, sd->block_gap);
        sdsim_wire_sd_expect_block(host, tx->block_bytes);
    }
    host->expecting = false;
    stand_until(host, SDSIM_HOST, checked);
    finish_response(host);
}

/* ---- writing ---- */

/* Clocks `from` to `to` of the block: start bit, data and CRC, end bit. */
static void send_clocks(struct sdsim_wire_sd *host, uint32_t from, uint32_t to)
{
    for (uint32_t at = from; at < to; at++) {
        uint8_t dat = 0xF;
        if (at == 0) {
            dat = sdsim_wire_sd_four(host) ? 0x0 : 0xE;
        } else if (at <= host->bits) {
            const uint32_t bit = at - 1;
            dat = sdsim_wire_sd_four(host)
                      ? host->block[bit / 2] >> (bit % 2 == 0 ? 4 : 0) & 0xF
                      : (uint8_t)(0xE | (host->block[bit / 8] >> (7 - bit % 8) & 1));
        }
        sdsim_wire_sd_clock(host, (struct sdsim_sd_lines){.cmd = 1, .dat = dat}, SDSIM_WIRE_SD_DAT);
    }
}

static void load_block(struct sdsim_wire_sd *host, const struct sdsim_transaction *tx,
                       uint32_t index)
{
    sdsim_content_bytes(tx->content, (uint64_t)index * SDSIM_SECTOR, host->block, SDSIM_SECTOR);
    (void)sdsim_crc16_bytes(host->block, SDSIM_SECTOR, sdsim_wire_sd_four(host),
                            host->block + SDSIM_SECTOR);
    host->bits = data_bits(host, SDSIM_SECTOR) + CRC_BITS;
}

/* What the card says to a block, behind its end bit, up to where a busy shows: a controller does not
 * take DAT0 for ready before. */
static bool status_is_good(struct sdsim_wire_sd *host)
{
    unsigned status = 0;
    for (unsigned i = 0; i < SDSIM_SD_N_CRC + SDSIM_BUS_CRC_STATUS; i++) {
        const struct sdsim_sd_lines bus =
            sdsim_wire_sd_clock(host, SDSIM_SD_RELEASED, SDSIM_WIRE_SD_NOTHING);
        status = i < SDSIM_SD_N_CRC ? 0 : status << 1 | (bus.dat & 1);
    }
    for (uint64_t i = 0; i < host->wire->port.card->params->n_br_clocks; i++) {
        sdsim_wire_sd_clock(host, SDSIM_SD_RELEASED, SDSIM_WIRE_SD_NOTHING);
    }
    return status == SDSIM_CRC_STATUS_GOOD;
}

/* The card is ready for a block. `made` is when its check sum is made; left there is when that of
 * the next one is. */
static void start_block(struct sdsim_wire_sd *host, sdsim_ps *made)
{
    const struct sdsim_sd_engine *sd = host->wire->port.sd;
    stand_until(host, SDSIM_GAP, *made);
    sdsim_wire_sd_stand(host, SDSIM_GAP, sd->block_start);
    *made = sdsim_time_sum(host->now, sd->write_cpu);
    sdsim_wire_sd_clocks(host, SDSIM_PROTOCOL, SDSIM_SD_N_WR);
    const sdsim_ps from = host->now;
    send_clocks(host, 0, 1);
    sdsim_wire_sd_book(host, SDSIM_PROTOCOL, from);
}

static bool write_block(struct sdsim_wire_sd *host, sdsim_ps *made)
{
    const uint32_t data_end = 1 + data_bits(host, SDSIM_SECTOR);
    start_block(host, made);
    sdsim_ps from = host->now;
    send_clocks(host, 1, data_end);
    sdsim_wire_sd_book(host, SDSIM_PAYLOAD, from);
    stand_until(host, SDSIM_GAP, sdsim_time_sum(from, host->wire->port.sd->fifo));
    from = host->now;
    send_clocks(host, data_end, host->bits + 2);
    const bool accepted = status_is_good(host);
    sdsim_wire_sd_book(host, SDSIM_PROTOCOL, from);
    return accepted;
}

/* The last block goes on its way while the driver, once the FIFO has it, goes on. Until then its
 * clocks are what the time goes to. */
static bool write_behind(struct sdsim_wire_sd *host, sdsim_ps *made)
{
    struct sdsim_port *port = &host->wire->port;
    const uint32_t data_end = 1 + data_bits(host, SDSIM_SECTOR);
    start_block(host, made);
    const sdsim_ps from = host->now;
    const sdsim_ps filled = sdsim_time_sum(from, port->sd->fifo);
    send_clocks(host, 1, data_end);
    const sdsim_ps sent = host->now;
    host->now = filled > sent ? filled : sent;
    const sdsim_ps frame_from = host->now;
    send_clocks(host, data_end, host->bits + 2);
    const bool accepted = status_is_good(host);
    port->behind_until = host->now;
    port->behind_frame = host->now - frame_from;
    host->now = from;
    sdsim_wire_sd_stand(host, SDSIM_PAYLOAD, (filled < sent ? filled : sent) - from);
    stand_until(host, SDSIM_GAP, filled);
    return accepted;
}

void sdsim_wire_sd_write(struct sdsim_wire_sd *host, const struct sdsim_transaction *tx,
                         struct sdsim_result *result)
{
    const bool behind = (tx->flags & SDSIM_WRITE_BEHIND) != 0;
    sdsim_wire_sd_stand(host, SDSIM_HOST, host->wire->port.sd->write_cpu);
    sdsim_ps made = host->now;
    bool accepted = true;
    while (result->blocks_done < tx->blocks && accepted) {
        load_block(host, tx, result->blocks_done);
        (void)sdsim_wire_sd_await(host, 0);
        accepted = behind && result->blocks_done + 1 == tx->blocks ? write_behind(host, &made)
                                                                   : write_block(host, &made);
        result->blocks_done += accepted ? 1 : 0;
    }
    if (!accepted) {
        result->outcome = SDSIM_OUTCOME_NOT_ACCEPTED;
    }
    if (!behind && (tx->flags & SDSIM_LEAVE_BUSY) == 0) {
        (void)sdsim_wire_sd_await(host, 0);
    }
    host->wire->port.meter->counters.blocks_written += result->blocks_done;
}
