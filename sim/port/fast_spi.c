/*
 * The fast port, SPI: bursts of bytes in closed form.
 *
 * Three ideas make it fast without giving up a picosecond:
 *
 * 1. A wait is a division. Looks at the card follow each other with a fixed period, so the first
 * look that starts when the card is ready is computed, not searched.
 * 2. Blocks that are alike are a cycle. The card tells how many of the next blocks behave the same.
 *    If the clock's period is a whole number of picoseconds each of them takes exactly the same
 * time; otherwise the clock's remainder returns after period_den blocks. So one cycle is stepped,
 * and its times are multiplied.
 * 3. The account of a cycle is multiplied with it.
 *
 * Block 0 of a run and every block the card calls different (a page group completes, a pause is
 * due) are stepped one by one. With a recorder everything is: it wants to see each block.
 */
#include "port/port.h"

#include <string.h>

#include "bus/frame.h"
#include "port/fast.h"

/* ---- bursts ---- */

static void clock_bytes(struct sdsim_port *port, sdsim_ps *now, enum sdsim_kind kind,
                        uint64_t bytes)
{
    port->meter->counters.bus_clocks += 8 * bytes;
    sdsim_spend(port->meter, now, kind, SDSIM_LANE_BUS, sdsim_clock_take(&port->clock, 8 * bytes));
}

static void dead(struct sdsim_port *port, sdsim_ps *now, enum sdsim_kind kind, sdsim_ps d)
{
    if (d != 0) {
        sdsim_spend(port->meter, now, kind, kind == SDSIM_GAP ? SDSIM_LANE_BUS : SDSIM_LANE_CPU, d);
    }
}

static void protocol_burst(struct sdsim_port *port, sdsim_ps *now, const struct sdsim_burst *burst,
                           uint64_t bytes)
{
    dead(port, now, SDSIM_GAP, burst->before);
    clock_bytes(port, now, SDSIM_PROTOCOL, bytes);
    dead(port, now, SDSIM_GAP, burst->after);
}

static void fill(struct sdsim_port *port, sdsim_ps *now, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++) {
        protocol_burst(port, now, &port->spi->fill, 1);
    }
    if (port->selected) {
        port->busy_in = (uint8_t)(port->busy_in > bytes ? port->busy_in - bytes : 0);
    }
}

/* ---- waits ---- */

/* The look (from 0) that satisfies the test, UINT64_MAX for never. `first` is when look 0 starts
 * its byte, `period` the dead time per look. */
static uint64_t satisfying_look(const struct sdsim_port *port, enum sdsim_ready_test test,
                                sdsim_ps first, sdsim_ps period, sdsim_ps ready_at)
{
    const struct sdsim_clock *clock = &port->clock;
    const uint64_t hidden = port->busy_in; /* looks that still see 0xFF although the card is busy */
    switch (test) {
    case SDSIM_READY_BUSY_SEEN: {
        const sdsim_ps start = first + hidden * period + sdsim_clock_peek(clock, 8 * hidden);
        return start < ready_at ? hidden : UINT64_MAX;
    }
    case SDSIM_READY_TWO_NONZERO: {
        if (hidden > 1) {
            return 1;
        }
        const uint64_t ready = sdsim_first_from(clock, first, period, 8, 0, ready_at);
        if (hidden == 1) {
            return ready > 1 ? ready : 1;
        }
        return ready + 1;
    }
    default:
        return hidden > 0 ? 0 : sdsim_first_from(clock, first, period, 8, 0, ready_at);
    }
}

/* Polls byte by byte until the test is met. False: ran into the limit. */
static bool poll(struct sdsim_port *port, sdsim_ps *now, const struct sdsim_wait *wait)
{
    const struct sdsim_burst *cost = &port->spi->poll;
    const sdsim_ps period = cost->before + cost->after;
    const struct sdsim_ready ready = sdsim_card_busy(port->card);
    const sdsim_ps from = *now;
    if (ready.at <= from) {
        port->busy_in = 0;
    }
    uint64_t look =
        satisfying_look(port, wait->test, sdsim_time_sum(from, cost->before), period, ready.at);
    bool met = true;
    if (wait->limit > 0) {
        const uint64_t last =
            sdsim_first_from(&port->clock, from, period, 8, 0, from + wait->limit);
        if (look > last) {
            look = last;
            met = false;
        }
    }
    const uint64_t looks = look + 1;
    port->busy_in = (uint8_t)(port->busy_in > looks ? port->busy_in - looks : 0);
    port->meter->counters.bus_clocks += 8 * looks;
    *now = sdsim_time_sum(*now, sdsim_time_sum(sdsim_time_times(period, looks),
                                               sdsim_clock_take(&port->clock, 8 * looks)));
    sdsim_book_wait(port->meter, SDSIM_BUSY, from, *now, ready.at, ready.pause);
    return met || wait->soft;
}

/* ---- the command ---- */

/* The first response byte is found: R1, and how many bytes of the response window are left. */
struct answer {
    bool found;
    uint32_t window_left;
};

/* Bytes between the command and R1. CMD12 has at least its stuff byte there. */
static uint32_t bytes_to_r1(const struct sdsim_port *port, uint8_t index)
{
    const uint32_t n_cr = (uint32_t)port->card->params->n_cr;
    return index == 12 && n_cr == 0 ? 1 : n_cr;
}

/* Response bytes behind R1. */
static uint32_t extra_bytes(enum sdsim_response response)
{
    return response == SDSIM_RESPONSE_R2 ? 1 : response == SDSIM_RESPONSE_R3 ? 4 : 0;
}

/* R1 polled byte by byte. A busy card holds DO low, which any driver takes for R1 = 0. */
static bool poll_response(struct sdsim_port *port, sdsim_ps *now, uint32_t gap, bool answered,
                          sdsim_ps busy_until, bool *masked)
{
    const struct sdsim_burst *cost = &port->spi->poll;
    for (uint32_t look = 0; look < port->spi->response_looks; look++) {
        const sdsim_ps start = sdsim_time_sum(*now, cost->before);
        protocol_burst(port, now, cost, 1);
        if (start < busy_until) {
            *masked = true;
            return true;
        }
        if (answered && look >= gap) {
            return true;
        }
    }
    return false;
}

static struct answer send_command(struct sdsim_port *port, sdsim_ps *now,
                                  const struct sdsim_transaction *tx, struct sdsim_reply *reply,
                                  struct sdsim_result *result)
{
    const struct sdsim_spi_engine *spi = port->spi;
    struct answer answer = {.found = false};
    port->meter->counters.commands[tx->command & 63]++;
    dead(port, now, SDSIM_GAP, spi->command.before);
    clock_bytes(port, now, SDSIM_PROTOCOL, 6);
    port->busy_in = (uint8_t)(port->busy_in > 6 ? port->busy_in - 6 : 0);

    /* What the card was doing when the frame ended decides what the host can see of the answer. */
    const sdsim_ps busy_until = sdsim_card_busy(port->card).at;
    sdsim_card_command(port->card, *now, port->selected, tx->command, tx->argument, reply);
    result->r1 = reply->r1;
    memcpy(result->extra, reply->extra, sizeof result->extra);

    uint32_t gap = bytes_to_r1(port, tx->command);
    const bool reads = tx->direction == SDSIM_READ_BLOCKS;
    if (spi->response_window > 0) {
        const uint32_t window = tx->direction != SDSIM_NO_BLOCKS
                                    ? spi->data_window
                                    : spi->response_window + extra_bytes(tx->response);
        const uint32_t used = gap + 1;
        answer.found = reply->answered && used <= window;
        answer.window_left = answer.found ? window - used : 0;
        clock_bytes(port, now, SDSIM_PROTOCOL, answer.found ? used : window);
        if (answer.found && !reads) {
            clock_bytes(port, now, SDSIM_PROTOCOL, answer.window_left);
            answer.window_left = 0;
        }
        if (!reads || !answer.found) {
            dead(port, now, SDSIM_GAP, spi->command.after);
        }
        return answer;
    }
    if ((tx->flags & SDSIM_STUFF) != 0) {
        clock_bytes(port, now, SDSIM_PROTOCOL, 1);
        gap -= 1;
    }
    dead(port, now, SDSIM_GAP, spi->command.after);
    bool masked = false;
    answer.found = poll_response(port, now, gap, reply->answered, busy_until, &masked);
    if (masked) {
        result->r1 = 0;
    }
    if (answer.found && extra_bytes(tx->response) > 0) {
        protocol_burst(port, now, &spi->extra, extra_bytes(tx->response));
    }
    return answer;
}

/* ---- reading ---- */

/* The search for a start token, which may begin in one burst and go on in the next. */
struct search {
    uint32_t gap; /* bytes of N_AC still due before the token may come */
    bool found;
    uint32_t got; /* data bytes that came behind the token in the same burst */
};

/* Books the bytes before the token: N_AC is protocol, the rest is the card's access, then poll. */
static void book_search(struct sdsim_port *port, struct search *search, uint64_t bytes,
                        sdsim_ps dead_time, sdsim_ps *now)
{
    const struct sdsim_ready ready = sdsim_card_read_ready(port->card);
    const uint64_t gap = search->gap < bytes ? search->gap : bytes;
    port->meter->counters.bus_clocks += 8 * bytes;
    const sdsim_ps protocol = sdsim_clock_take(&port->clock, 8 * gap);
    sdsim_book(port->meter, SDSIM_PROTOCOL, protocol);
    const sdsim_ps from = sdsim_time_sum(*now, protocol);
    *now = sdsim_time_sum(sdsim_time_sum(from, dead_time),
                          sdsim_clock_take(&port->clock, 8 * (bytes - gap)));
    sdsim_book_wait(port->meter, SDSIM_ACCESS, from, *now, ready.at, ready.pause);
    search->gap -= (uint32_t)gap;
}

/* The token itself, and the `rest` bytes behind it in the same burst, which are data already. */
static void take_token(struct sdsim_port *port, sdsim_ps *now, struct search *search, uint32_t rest,
                       uint32_t block_bytes)
{
    clock_bytes(port, now, SDSIM_PROTOCOL, 1);
    search->found = true;
    search->got = rest < block_bytes ? rest : block_bytes;
    if (rest > 0) {
        clock_bytes(port, now, SDSIM_PAYLOAD, rest);
    }
}

/* Looks for the token in `bytes` bytes that are clocked anyhow, in a burst that runs already. */
static void scan(struct sdsim_port *port, sdsim_ps *now, struct search *search, uint32_t bytes,
                 uint32_t block_bytes)
{
    const sdsim_ps ready_at = sdsim_card_read_ready(port->card).at;
    uint32_t i = search->gap;
    while (i < bytes && *now + sdsim_clock_peek(&port->clock, 8 * (uint64_t)i) < ready_at) {
        i++;
    }
    if (i >= bytes) {
        book_search(port, search, bytes, 0, now);
        return;
    }
    book_search(port, search, i, 0, now);
    take_token(port, now, search, bytes - 1 - i, block_bytes);
}

/* Looks for the token in calls of token_look bytes. False: gave up. */
static bool look_for_token(struct sdsim_port *port, sdsim_ps *now, struct search *search,
                           uint32_t block_bytes)
{
    const struct sdsim_spi_engine *spi = port->spi;
    const struct sdsim_clock *clock = &port->clock;
    const sdsim_ps ready_at = sdsim_card_read_ready(port->card).at;
    const sdsim_ps period = spi->token.before + spi->token.after;
    const uint64_t bits = 8 * (uint64_t)spi->token_look;

    /* The first look whose last byte may be the token, by time and by N_AC. */
    const sdsim_ps first = sdsim_time_sum(*now, spi->token.before);
    const uint64_t due = search->gap / spi->token_look;
    const uint64_t timely = sdsim_first_from(clock, first, period, bits, bits - 8, ready_at);
    const uint64_t look = timely > due ? timely : due;

    if (spi->token_limit > 0) {
        const uint64_t last =
            sdsim_first_from(clock, *now, period, bits, 0, *now + spi->token_limit);
        if (look > last) {
            book_search(port, search, (last + 1) * spi->token_look, (last + 1) * period, now);
            return false;
        }
    }
    uint32_t byte = 0;
    while (look * spi->token_look + byte < search->gap ||
           first + look * period + sdsim_clock_peek(clock, look * bits + 8 * (uint64_t)byte) <
               ready_at) {
        byte++;
    }
    book_search(port, search, look * spi->token_look + byte, look * period + spi->token.before,
                now);
    take_token(port, now, search, spi->token_look - 1u - byte, block_bytes);
    dead(port, now, SDSIM_GAP, spi->token.after);
    return true;
}

static struct search new_search(const struct sdsim_port *port)
{
    return (struct search){.gap = (uint32_t)port->card->params->n_ac};
}

/* The payload of one block, in pieces with gaps between them. */
static void payload(struct sdsim_port *port, sdsim_ps *now, uint32_t bytes)
{
    const struct sdsim_spi_engine *spi = port->spi;
    clock_bytes(port, now, SDSIM_PAYLOAD, bytes);
    if (spi->chunk > 0 && bytes > spi->chunk) {
        dead(port, now, SDSIM_GAP, spi->chunk_gap * ((bytes - 1) / spi->chunk));
    }
}

/* One block with its token; `more` blocks follow in the same transaction. False: no data came. */
static bool read_block(struct sdsim_port *port, sdsim_ps *now, const struct sdsim_transaction *tx,
                       struct search *search, bool more, const struct sdsim_reply *reply)
{
    const struct sdsim_spi_engine *spi = port->spi;
    const bool from_medium = reply == NULL || reply->data == SDSIM_DATA_READ;
    if (!search->found && !look_for_token(port, now, search, tx->block_bytes)) {
        return false;
    }
    if (from_medium && sdsim_card_read_beyond(port->card)) {
        return false; /* what was found is an error token */
    }
    dead(port, now, SDSIM_GAP, spi->data.before);
    payload(port, now, tx->block_bytes - search->got);
    if (!spi->crc_with_data) {
        dead(port, now, SDSIM_GAP, spi->data.after);
        dead(port, now, SDSIM_GAP, spi->crc.before);
    }
    clock_bytes(port, now, SDSIM_PROTOCOL, 2);
    if (from_medium) {
        sdsim_card_read_done(port->card, *now);
    }
    *search = new_search(port);
    if (more && spi->look_ahead > 0) {
        scan(port, now, search, spi->look_ahead, tx->block_bytes);
    }
    dead(port, now, SDSIM_GAP, spi->crc_with_data ? spi->data.after : spi->crc.after);
    dead(port, now, SDSIM_HOST, spi->read_cpu);
    dead(port, now, SDSIM_COPY, spi->copy);
    return true;
}

static void read_blocks(struct sdsim_port *port, sdsim_ps *now, const struct sdsim_transaction *tx,
                        struct search *search, const struct sdsim_reply *reply,
                        struct sdsim_result *result)
{
    uint32_t done = 0;
    const uint32_t cycle = (uint32_t)port->clock.period_den;
    while (done < tx->blocks) {
        uint8_t *const out = tx->out != NULL ? tx->out + (size_t)done * tx->block_bytes : NULL;
        if (reply != NULL && reply->data == SDSIM_DATA_REGISTER) {
            if (out != NULL) {
                memcpy(out, port->card->block, tx->block_bytes);
            }
        } else if (!sdsim_card_read_beyond(port->card)) {
            sdsim_card_read_many(port->card, 1, out);
        }
        if (!read_block(port, now, tx, search, done + 1 < tx->blocks, reply)) {
            result->outcome = SDSIM_OUTCOME_NO_DATA;
            break;
        }
        done++;
        /* The last block is special (no look-ahead), and so is the one before a block that is. */
        if (port->meter->recorder != NULL || tx->blocks - done <= cycle + 2) {
            continue;
        }
        const uint32_t alike = sdsim_card_read_alike(port->card, tx->blocks - done - 1);
        if (alike <= 2 * cycle) {
            continue;
        }
        struct sdsim_cycle snapshot;
        sdsim_cycle_begin(&snapshot, port->meter, *now);
        for (uint32_t i = 0; i < cycle; i++) {
            if (tx->out != NULL) {
                sdsim_card_read_many(port->card, 1, tx->out + (size_t)(done + i) * SDSIM_SECTOR);
            }
            (void)read_block(port, now, tx, search, true, reply);
        }
        done += cycle;
        const uint32_t times = (alike - 1 - cycle) / cycle;
        if (times > 0) {
            const uint32_t blocks = times * cycle;
            const sdsim_ps span = sdsim_cycle_repeat(&snapshot, port->meter, now, times);
            if (tx->out != NULL) {
                sdsim_card_read_many(port->card, blocks, tx->out + (size_t)done * SDSIM_SECTOR);
            }
            /* All the card saw of the cycle is later by the same span. */
            sdsim_card_read_skip(port->card, blocks, span);
            done += blocks;
        }
    }
    result->blocks_done = done;
    if (reply == NULL || reply->data == SDSIM_DATA_READ) {
        port->meter->counters.blocks_read += done;
    }
}

/* ---- writing ---- */

static bool write_block(struct sdsim_port *port, sdsim_ps *now, const struct sdsim_transaction *tx,
                        uint32_t index, struct sdsim_result *result)
{
    const struct sdsim_spi_engine *spi = port->spi;
    dead(port, now, SDSIM_COPY, spi->copy);
    dead(port, now, SDSIM_HOST, spi->write_cpu);
    if ((tx->flags & SDSIM_BLOCK_READY) != 0 && !poll(port, now, &spi->block_ready)) {
        result->outcome = SDSIM_OUTCOME_STILL_BUSY;
        return false;
    }
    protocol_burst(port, now, &spi->token, 1);
    dead(port, now, SDSIM_GAP, spi->data.before);
    payload(port, now, SDSIM_SECTOR);
    dead(port, now, SDSIM_GAP, spi->data.after);
    dead(port, now, SDSIM_HOST, spi->write_cpu_after_data);
    dead(port, now, SDSIM_GAP, spi->crc.before);
    clock_bytes(port, now, SDSIM_PROTOCOL, 2);
    const struct sdsim_content content =
        sdsim_content_after(tx->content, (uint64_t)index * SDSIM_SECTOR);
    const bool accepted = sdsim_card_write_block(port->card, *now, &content);
    if (spi->reply_with_crc) {
        clock_bytes(port, now, SDSIM_PROTOCOL, 1);
        dead(port, now, SDSIM_GAP, spi->crc.after);
    } else {
        dead(port, now, SDSIM_GAP, spi->crc.after);
        protocol_burst(port, now, &spi->reply, 1);
    }
    if (!accepted) {
        result->outcome = SDSIM_OUTCOME_NOT_ACCEPTED;
        return false;
    }
    if ((tx->flags & SDSIM_BLOCK_BUSY) != 0 && !poll(port, now, &spi->block_busy)) {
        result->outcome = SDSIM_OUTCOME_STILL_BUSY;
        return false;
    }
    return true;
}

static void write_blocks(struct sdsim_port *port, sdsim_ps *now, const struct sdsim_transaction *tx,
                         struct sdsim_result *result)
{
    uint32_t done = 0;
    const uint32_t cycle = (uint32_t)port->clock.period_den;
    while (done < tx->blocks) {
        /* A block only makes a cycle if the one before it was alike too: its busy is waited for. */
        const bool regular = sdsim_card_write_alike(port->card, 1) == 1;
        if (!write_block(port, now, tx, done, result)) {
            break;
        }
        done++;
        if (!regular || port->meter->recorder != NULL || tx->blocks - done <= cycle) {
            continue;
        }
        const uint32_t alike = sdsim_card_write_alike(port->card, tx->blocks - done);
        if (alike < 2 * cycle) {
            continue;
        }
        struct sdsim_cycle snapshot;
        sdsim_cycle_begin(&snapshot, port->meter, *now);
        uint32_t stepped = 0;
        while (stepped < cycle && write_block(port, now, tx, done + stepped, result)) {
            stepped++;
        }
        done += stepped;
        if (stepped < cycle) {
            break;
        }
        const uint32_t times = (alike - cycle) / cycle;
        const uint32_t blocks = times * cycle;
        const struct sdsim_content content =
            sdsim_content_after(tx->content, (uint64_t)done * SDSIM_SECTOR);
        const sdsim_ps span = sdsim_cycle_repeat(&snapshot, port->meter, now, times);
        if (!sdsim_card_write_skip(port->card, blocks, span, &content)) {
            result->outcome = SDSIM_OUTCOME_NOT_ACCEPTED;
            break;
        }
        done += blocks;
    }
    result->blocks_done = done;
    port->meter->counters.blocks_written += done;
}

static void stop_token(struct sdsim_port *port, sdsim_ps *now)
{
    const struct sdsim_spi_engine *spi = port->spi;
    dead(port, now, SDSIM_GAP, spi->stop.before);
    clock_bytes(port, now, SDSIM_PROTOCOL, 1);
    sdsim_card_stop_token(port->card, *now);
    port->busy_in = (uint8_t)port->card->params->n_br;
    if (spi->stop_bytes > 1) {
        clock_bytes(port, now, SDSIM_PROTOCOL, spi->stop_bytes - 1u);
        port->busy_in = 0;
    }
    dead(port, now, SDSIM_GAP, spi->stop.after);
}

/* ---- the whole ---- */

/* Command, blocks and stop token; false leaves the reason in the result. */
static bool exchange(struct sdsim_port *port, sdsim_ps *now, const struct sdsim_transaction *tx,
                     struct sdsim_result *result)
{
    if (tx->ready != NULL && !poll(port, now, tx->ready)) {
        result->outcome = SDSIM_OUTCOME_NOT_READY;
        return false;
    }
    struct sdsim_reply reply;
    struct search search = new_search(port);
    const bool command = (tx->flags & SDSIM_COMMAND) != 0;
    if (command) {
        const struct answer answer = send_command(port, now, tx, &reply, result);
        if (!answer.found) {
            result->outcome = SDSIM_OUTCOME_NO_RESPONSE;
            return false;
        }
        const bool refused = (result->r1 & ~SDSIM_R1_IDLE) != 0;
        if (tx->direction == SDSIM_READ_BLOCKS && port->spi->response_window > 0) {
            if (!refused) {
                scan(port, now, &search, answer.window_left, tx->block_bytes);
            } else {
                clock_bytes(port, now, SDSIM_PROTOCOL, answer.window_left);
            }
            dead(port, now, SDSIM_GAP, port->spi->command.after);
        }
        if (refused) {
            result->outcome = SDSIM_OUTCOME_REFUSED;
            return false;
        }
    }
    if (tx->direction == SDSIM_READ_BLOCKS) {
        read_blocks(port, now, tx, &search, command ? &reply : NULL, result);
    } else if (tx->direction == SDSIM_WRITE_BLOCKS) {
        write_blocks(port, now, tx, result);
    }
    if (result->outcome == SDSIM_OUTCOME_OK && (tx->flags & SDSIM_STOP_TOKEN) != 0) {
        if ((tx->flags & SDSIM_STOP_READY) != 0 && !poll(port, now, &port->spi->block_ready)) {
            result->outcome = SDSIM_OUTCOME_STILL_BUSY;
            return false;
        }
        stop_token(port, now);
    }
    return result->outcome == SDSIM_OUTCOME_OK;
}

void sdsim_fast_spi_execute(struct sdsim_port *port, sdsim_ps *now,
                            const struct sdsim_transaction *tx, struct sdsim_result *result)
{
    result->outcome = SDSIM_OUTCOME_OK;
    result->r1 = 0;
    result->blocks_done = 0;
    fill(port, now, tx->idle_bytes);
    if ((tx->flags & SDSIM_SELECT) != 0 && !port->selected) {
        dead(port, now, SDSIM_HOST, port->spi->select);
        port->selected = true;
    }
    fill(port, now, tx->lead_bytes);
    if (exchange(port, now, tx, result) && tx->finish != NULL && !poll(port, now, tx->finish)) {
        result->outcome = SDSIM_OUTCOME_STILL_BUSY;
    }
    if ((tx->flags & SDSIM_DESELECT) != 0 && port->selected) {
        dead(port, now, SDSIM_HOST, port->spi->deselect);
        port->selected = false;
    }
    fill(port, now, tx->trail_bytes);
}
