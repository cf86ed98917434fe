/*
 * The fast port, SPI: bursts of bytes in closed form.
 *
 * Three ideas make it fast without giving up a picosecond:
 *
 * 1. A wait is a division. Looks at the card follow each other with a fixed period, so the first
 *    look that starts when the card is ready is computed, not searched.
 * 2. Blocks that are alike are a cycle. The card tells how many of the next blocks behave the same.
 *    If the clock's period is a whole number of picoseconds each of them takes exactly the same
 *    time; otherwise the clock's remainder returns after period_den blocks. So one cycle is
 *    stepped, and its times are multiplied.
 * 3. The account of a cycle is multiplied with it.
 *
 * Block 0 of a run and every block the card calls different (a page group completes, a pause is
 * due) are stepped one by one. With a recorder everything is: it wants to see each block.
 *
 * Limits: a card that was too busy to hear a write command looks for commands in the data that
 * follows. Here it sees nothing of them; the host learns the same, that no block was accepted.
 */
#include "port/fast.h"
#include "port/fast_spi.h"

/* ---- bursts ---- */

/* Counts N_BR: bytes the card has seen since a stop token. */
static void count_to_busy(struct sdsim_port *port, uint64_t bytes)
{
    if (port->selected) {
        port->busy_in = (uint8_t)(port->busy_in > bytes ? port->busy_in - bytes : 0);
    }
}

static void fill(struct sdsim_port *port, sdsim_ps *now, unsigned bytes)
{
    if (bytes == 0) {
        return;
    }
    for (unsigned i = 0; i < bytes; i++) {
        sdsim_fast_burst(port, now, &port->spi->fill, 1);
    }
    count_to_busy(port, bytes);
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

/* Whether a look whose byte starts at `start`, after `hidden` more that don't see busy, ends it. */
static bool look_ends(enum sdsim_ready_test test, uint64_t hidden, sdsim_ps start,
                      sdsim_ps ready_at)
{
    const bool ready = hidden > 0 || start >= ready_at;
    return test == SDSIM_READY_BUSY_SEEN ? !ready : ready;
}

/* The last look that may be taken, which is the first to begin when the limit has run out. */
static uint64_t last_look(const struct sdsim_port *port, sdsim_ps from, sdsim_ps period,
                          sdsim_ps limit)
{
    return limit > 0 ? sdsim_first_from(&port->clock, from, period, 8, 0, from + limit)
                     : UINT64_MAX;
}

/* The same as poll() with sleeps between the looks: up to the first sleep in closed form, from
 * there on look by look. */
static bool poll_sleeping(struct sdsim_port *port, sdsim_ps *now, const struct sdsim_wait *wait)
{
    const struct sdsim_burst *cost = &port->spi->poll;
    const sdsim_ps period = cost->before + cost->after;
    struct sdsim_ready ready = sdsim_card_busy(port->card);
    const sdsim_ps from = *now;
    uint64_t looks = 0;
    if (!port->selected) {
        ready.at = 0; /* the line is pulled up */
    }
    if (wait->sleep_after > 0) {
        const sdsim_ps first = sdsim_time_sum(from, cost->before);
        const uint64_t met = satisfying_look(port, wait->test, first, period, ready.at);
        const uint64_t last = last_look(port, from, period, wait->limit);
        const uint64_t sleeping =
            sdsim_first_from(&port->clock, from + period, period, 8, 8, from + wait->sleep_after);
        looks = met < last ? met : last;
        looks = looks < sleeping ? looks : sleeping;
        *now = sdsim_time_sum(*now, sdsim_time_sum(sdsim_time_times(period, looks),
                                                   sdsim_clock_take(&port->clock, 8 * looks)));
    }
    bool met = false;
    bool last = false;
    while (!met && !last) {
        last = wait->limit > 0 && *now - from >= wait->limit;
        const uint64_t hidden = port->busy_in > looks ? port->busy_in - looks : 0;
        met = look_ends(wait->test, hidden, sdsim_time_sum(*now, cost->before), ready.at);
        *now = sdsim_time_sum(*now, sdsim_time_sum(period, sdsim_clock_take(&port->clock, 8)));
        looks++;
        if (!met && !last && *now - from >= wait->sleep_after) {
            *now = sdsim_wait_sleep_end(wait, *now);
        }
    }
    count_to_busy(port, looks);
    port->meter->counters.bus_clocks += 8 * looks;
    sdsim_note_looks(port, from, *now, looks);
    sdsim_book_wait(port->meter, SDSIM_BUSY, from, *now, ready.at, ready.pause);
    return met || wait->soft;
}

/* Polls byte by byte until the test is met. False: ran into the limit. */
static bool poll(struct sdsim_port *port, sdsim_ps *now, const struct sdsim_wait *wait)
{
    if (wait->sleep > 0) {
        return poll_sleeping(port, now, wait);
    }
    const struct sdsim_burst *cost = &port->spi->poll;
    const sdsim_ps period = cost->before + cost->after;
    struct sdsim_ready ready = sdsim_card_busy(port->card);
    const sdsim_ps from = *now;
    if (!port->selected) {
        ready.at = 0; /* the line is pulled up */
    }
    const sdsim_ps first = sdsim_time_sum(from, cost->before);
    uint64_t look = 0;
    bool met = true;
    if (first < ready.at || wait->test > SDSIM_READY_NONZERO) { /* less often than not */
        look = satisfying_look(port, wait->test, first, period, ready.at);
    }
    if (look > 0) {
        const uint64_t last = last_look(port, from, period, wait->limit);
        met = look <= last;
        look = met ? look : last;
    }
    const uint64_t looks = look + 1;
    count_to_busy(port, looks);
    port->meter->counters.bus_clocks += 8 * looks;
    *now = sdsim_time_sum(*now, sdsim_time_sum(sdsim_time_times(period, looks),
                                               sdsim_clock_take(&port->clock, 8 * looks)));
    sdsim_note_looks(port, from, *now, looks);
    sdsim_book_wait(port->meter, SDSIM_BUSY, from, *now, ready.at, ready.pause);
    return met || wait->soft;
}

/* ---- the command ---- */

/* What the host can see of the answer to a command, from the byte behind its frame on. */
struct response {
    const struct sdsim_reply *reply;
    uint32_t gap;  /* bytes before R1 */
    sdsim_ps held; /* masked by a busy that lasts until then */
    uint32_t seen; /* bytes clocked so far */
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

/* The next byte on MISO, whose first clock edge comes at `start`. A busy card holds it low, which
 * any driver takes for R1 = 0. */
static uint8_t response_byte(struct response *response, sdsim_ps start)
{
    const struct sdsim_reply *reply = response->reply;
    const uint32_t i = response->seen++;
    if (start < response->held) {
        return 0x00;
    }
    if (!reply->answered || i < response->gap || i > response->gap + reply->extra_count) {
        return 0xFF;
    }
    return i == response->gap ? reply->r1 : reply->extra[i - response->gap - 1];
}

static bool is_r1(uint8_t byte)
{
    return (byte & 0x80) == 0;
}

/* A response in a window of bytes behind the command. Returns how many of them, behind it, are
 * left. */
static uint32_t response_in_window(struct sdsim_port *port, sdsim_ps *now, uint32_t window,
                                   uint32_t extra, struct response *response,
                                   struct sdsim_result *result)
{
    uint32_t i = 0;
    while (i < window && !is_r1(result->r1)) {
        result->r1 =
            response_byte(response, *now + sdsim_clock_peek(&port->clock, 8 * (uint64_t)i));
        i++;
    }
    for (uint32_t e = 0; e < extra && i < window && is_r1(result->r1); e++) {
        result->extra[e] =
            response_byte(response, *now + sdsim_clock_peek(&port->clock, 8 * (uint64_t)i));
        i++;
    }
    const uint32_t of_command = sdsim_note_response(port, result->r1, result->extra);
    sdsim_fast_clock_bytes(port, now, SDSIM_PROTOCOL, i);
    port->meter->detail = of_command;
    return window - i;
}

/* A response polled byte by byte, in at most `looks` looks with `sleep` between them. */
static void poll_response(struct sdsim_port *port, sdsim_ps *now, uint32_t looks, sdsim_ps sleep,
                          uint32_t extra, struct response *response, struct sdsim_result *result)
{
    const struct sdsim_burst *cost = &port->spi->poll;
    const uint32_t of_command = port->meter->detail;
    for (uint32_t look = 0; look < looks && !is_r1(result->r1); look++) {
        if (look > 0) {
            sdsim_fast_dead(port, now, SDSIM_POLL, sleep);
        }
        result->r1 = response_byte(response, sdsim_time_sum(*now, cost->before));
        sdsim_note_response(port, result->r1, result->extra);
        sdsim_fast_burst(port, now, cost, 1);
        port->meter->detail = of_command;
    }
    if (extra == 0 || !is_r1(result->r1)) {
        return;
    }
    const sdsim_ps first = sdsim_time_sum(*now, port->spi->extra.before);
    for (uint32_t e = 0; e < extra; e++) {
        result->extra[e] =
            response_byte(response, first + sdsim_clock_peek(&port->clock, 8 * (uint64_t)e));
    }
    sdsim_note_response(port, result->r1, result->extra);
    sdsim_fast_burst(port, now, &port->spi->extra, extra);
    port->meter->detail = of_command;
}

/* Hands the command to the card and finds out what will be seen of its answer. */
static struct response deliver(struct sdsim_port *port, sdsim_ps end,
                               const struct sdsim_transaction *tx, struct sdsim_reply *reply)
{
    /* Only a busy that began before the command masks the answer, and CMD0 ends even that. */
    const sdsim_ps before = sdsim_card_busy(port->card).at;
    *reply = (struct sdsim_reply){.answered = false};
    /* With CS high, or in SD mode, MISO stays high whatever the card does. */
    if (port->selected && (port->card->spi || tx->command == 0)) {
        sdsim_card_command(port->card, end, true, tx->command, tx->argument, reply);
    }
    const sdsim_ps after = sdsim_card_busy(port->card).at;
    return (struct response){
        .reply = reply,
        .gap = bytes_to_r1(port, tx->command),
        .held = !port->selected  ? 0
                : after < before ? after
                                 : before,
    };
}

/* Command and response; returns what is left of the response window of a read, which is still to
 * be clocked before the burst ends, or SDSIM_FAST_BURST_OVER. */
static uint32_t send_command(struct sdsim_port *port, sdsim_ps *now,
                             const struct sdsim_transaction *tx, struct sdsim_reply *reply,
                             struct sdsim_result *result)
{
    const struct sdsim_spi_engine *spi = port->spi;
    const uint32_t extra = extra_bytes(tx->response);
    sdsim_count_command(port, tx->command);
    sdsim_note_part(port, SDSIM_PART_COMMAND);
    sdsim_fast_dead(port, now, SDSIM_HOST, spi->command_cpu);
    sdsim_fast_dead(port, now, SDSIM_GAP, spi->command.before);
    sdsim_fast_clock_bytes(port, now, SDSIM_PROTOCOL, 6);
    count_to_busy(port, 6);
    struct response response = deliver(port, *now, tx, reply);
    result->r1 = 0xFF;
    uint32_t looks = spi->response_looks;
    sdsim_ps sleep = 0;
    if (spi->response_window > 0) {
        const uint32_t window =
            tx->direction != SDSIM_NO_BLOCKS ? spi->data_window : spi->response_window + extra;
        const uint32_t left = response_in_window(port, now, window, extra, &response, result);
        const bool over = is_r1(result->r1) || spi->late_looks == 0;
        if (over && tx->direction == SDSIM_READ_BLOCKS) {
            return left;
        }
        sdsim_note_part(port, SDSIM_PART_NONE);
        sdsim_fast_clock_bytes(port, now, SDSIM_PROTOCOL, left);
        sdsim_fast_dead(port, now, SDSIM_GAP, spi->command.after);
        if (over) {
            return SDSIM_FAST_BURST_OVER;
        }
        looks = spi->late_looks;
        sleep = spi->late_sleep;
    } else {
        if ((tx->flags & SDSIM_STUFF) != 0) {
            sdsim_fast_clock_bytes(port, now, SDSIM_PROTOCOL, 1);
            response.seen++;
        }
        sdsim_fast_dead(port, now, SDSIM_GAP, spi->command.after);
    }
    poll_response(port, now, looks, sleep, extra, &response, result);
    return SDSIM_FAST_BURST_OVER;
}

/* ---- writing ---- */

/* Hands a block to the card; true if it is taken. */
static bool deliver_block(struct sdsim_port *port, sdsim_ps end, const struct sdsim_transaction *tx,
                          uint32_t index)
{
    const struct sdsim_content content =
        sdsim_content_after(tx->content, (uint64_t)index * SDSIM_SECTOR);
    return port->selected && port->card->state == SDSIM_CARD_RECEIVE &&
           sdsim_card_write_block(port->card, end, &content);
}

static bool write_block(struct sdsim_port *port, sdsim_ps *now, const struct sdsim_transaction *tx,
                        uint32_t index, struct sdsim_result *result)
{
    const struct sdsim_spi_engine *spi = port->spi;
    sdsim_fast_dead(port, now, SDSIM_COPY, spi->copy);
    sdsim_fast_dead(port, now, SDSIM_HOST, spi->write_cpu);
    if ((tx->flags & SDSIM_BLOCK_READY) != 0 && !poll(port, now, &spi->block_ready)) {
        result->outcome = SDSIM_OUTCOME_STILL_BUSY;
        return false;
    }
    sdsim_note_part(port, SDSIM_PART_TOKEN);
    sdsim_fast_burst(port, now, &spi->token, 1);
    sdsim_note_part(port, SDSIM_PART_DATA);
    sdsim_fast_dead(port, now, SDSIM_GAP, spi->data.before);
    sdsim_fast_payload(port, now, SDSIM_SECTOR, spi->write_overlap);
    sdsim_fast_dead(port, now, SDSIM_GAP, spi->data.after);
    sdsim_fast_dead(port, now, SDSIM_HOST, spi->write_cpu_after_data);
    sdsim_note_part(port, SDSIM_PART_CRC);
    sdsim_fast_dead(port, now, SDSIM_GAP, spi->crc.before);
    sdsim_fast_clock_bytes(port, now, SDSIM_PROTOCOL, 2);
    sdsim_note_part(port, SDSIM_PART_STATUS);
    const sdsim_ps held = sdsim_card_busy(port->card).at; /* masks the data response */
    const bool accepted = deliver_block(port, *now, tx, index);
    sdsim_ps response = *now;
    if (spi->reply_with_crc) {
        sdsim_fast_clock_bytes(port, now, SDSIM_PROTOCOL, 1);
        sdsim_fast_dead(port, now, SDSIM_GAP, spi->crc.after);
    } else {
        sdsim_fast_dead(port, now, SDSIM_GAP, spi->crc.after);
        response = sdsim_time_sum(*now, spi->reply.before);
        sdsim_fast_burst(port, now, &spi->reply, 1);
    }
    sdsim_note_part(port, SDSIM_PART_NONE);
    if (!accepted || response < held) {
        result->outcome = SDSIM_OUTCOME_NOT_ACCEPTED;
        return false;
    }
    if ((tx->flags & SDSIM_BLOCK_BUSY) != 0 && !poll(port, now, &spi->block_busy)) {
        result->outcome = SDSIM_OUTCOME_STILL_BUSY;
        return false;
    }
    return true;
}

/* Whether a wait of these may have slept to a tick within a cycle that took `span`: then the next
 * one need not be like it. */
static bool slept_to_tick(const struct sdsim_wait *wait, sdsim_ps span)
{
    return wait->tick > 0 && wait->sleep > 0 && span >= wait->sleep_after;
}

/*
 * The same for writing as read_cycle(): steps a cycle of alike blocks and multiplies it. What must
 * repeat is how far the clock is into its remainder and the host behind the card's busy. False: a
 * block failed, the reason is in the result.
 */
static bool write_cycle(struct sdsim_port *port, sdsim_ps *now, const struct sdsim_transaction *tx,
                        uint32_t *done, struct sdsim_result *result)
{
    const uint32_t cycle = (uint32_t)port->clock.period_den;
    if (port->meter->recorder != NULL || tx->blocks - *done <= cycle) {
        return true;
    }
    const uint32_t alike = sdsim_card_write_alike(port->card, tx->blocks - *done);
    if (alike < 2 * cycle) {
        return true;
    }
    struct sdsim_cycle snapshot;
    const uint64_t remainder = port->clock.remainder;
    const sdsim_ps late = *now - sdsim_card_busy(port->card).at;
    sdsim_cycle_begin(&snapshot, port->meter, *now);
    for (uint32_t i = 0; i < cycle; i++) {
        if (!write_block(port, now, tx, *done, result)) {
            return false;
        }
        (*done)++;
    }
    if (port->clock.remainder != remainder || *now - sdsim_card_busy(port->card).at != late ||
        slept_to_tick(&port->spi->block_ready, *now - snapshot.start) ||
        slept_to_tick(&port->spi->block_busy, *now - snapshot.start)) {
        return true;
    }
    const uint32_t times = (alike - cycle) / cycle;
    const struct sdsim_content content =
        sdsim_content_after(tx->content, (uint64_t)*done * SDSIM_SECTOR);
    const sdsim_ps span = sdsim_cycle_repeat(&snapshot, port->meter, now, times);
    if (!sdsim_card_write_skip(port->card, times * cycle, span, &content)) {
        result->outcome = SDSIM_OUTCOME_NOT_ACCEPTED;
        return false;
    }
    *done += times * cycle;
    return true;
}

static void write_blocks(struct sdsim_port *port, sdsim_ps *now, const struct sdsim_transaction *tx,
                         struct sdsim_result *result)
{
    uint32_t done = 0;
    while (done < tx->blocks) {
        /* A block only makes a cycle if the one before it was alike too: its busy is waited for. */
        const bool regular = sdsim_card_write_alike(port->card, 1) == 1;
        if (!write_block(port, now, tx, done, result)) {
            break;
        }
        done++;
        if (regular && !write_cycle(port, now, tx, &done, result)) {
            break;
        }
    }
    result->blocks_done = done;
    port->meter->counters.blocks_written += done;
}

static void stop_token(struct sdsim_port *port, sdsim_ps *now)
{
    const struct sdsim_spi_engine *spi = port->spi;
    sdsim_note_part(port, SDSIM_PART_STOP);
    sdsim_fast_dead(port, now, SDSIM_GAP, spi->stop.before);
    sdsim_fast_clock_bytes(port, now, SDSIM_PROTOCOL, 1);
    if (port->selected && port->card->state == SDSIM_CARD_RECEIVE) {
        sdsim_card_stop_token(port->card, *now);
        port->busy_in = (uint8_t)port->card->params->n_br;
    }
    if (spi->stop_bytes > 1) {
        sdsim_fast_clock_bytes(port, now, SDSIM_PROTOCOL, spi->stop_bytes - 1u);
        port->busy_in = 0;
    }
    sdsim_fast_dead(port, now, SDSIM_GAP, spi->stop.after);
    sdsim_note_part(port, SDSIM_PART_NONE);
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
    struct sdsim_reply reply = {.data = SDSIM_DATA_NONE};
    uint32_t window_left = SDSIM_FAST_BURST_OVER;
    if ((tx->flags & SDSIM_COMMAND) != 0) {
        window_left = send_command(port, now, tx, &reply, result);
        sdsim_note_part(port, SDSIM_PART_NONE);
        if (!is_r1(result->r1)) {
            result->outcome = SDSIM_OUTCOME_NO_RESPONSE;
        } else if ((result->r1 & ~SDSIM_R1_IDLE) != 0) {
            result->outcome = SDSIM_OUTCOME_REFUSED;
        }
    }
    const bool going_on = result->outcome == SDSIM_OUTCOME_OK;
    if (tx->direction == SDSIM_READ_BLOCKS && going_on) {
        sdsim_fast_spi_read(port, now, tx, window_left, reply.data == SDSIM_DATA_REGISTER, result);
    } else if (tx->direction == SDSIM_READ_BLOCKS && window_left != SDSIM_FAST_BURST_OVER) {
        sdsim_fast_clock_bytes(port, now, SDSIM_PROTOCOL, window_left);
        sdsim_fast_dead(port, now, SDSIM_GAP, port->spi->command.after);
    } else if (tx->direction == SDSIM_WRITE_BLOCKS && going_on) {
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
    *result = (struct sdsim_result){.outcome = SDSIM_OUTCOME_OK};
    fill(port, now, tx->idle_bytes);
    if ((tx->flags & SDSIM_SELECT) != 0 && !port->selected) {
        sdsim_fast_dead(port, now, SDSIM_HOST, port->spi->select);
        port->selected = true;
    }
    fill(port, now, tx->lead_bytes);
    if (exchange(port, now, tx, result) && tx->finish != NULL && !poll(port, now, tx->finish)) {
        result->outcome = SDSIM_OUTCOME_STILL_BUSY;
    }
    if ((tx->flags & SDSIM_DESELECT) != 0 && port->selected) {
        sdsim_fast_dead(port, now, SDSIM_HOST, port->spi->deselect);
        port->selected = false;
    }
    fill(port, now, tx->trail_bytes);
}
