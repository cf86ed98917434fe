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
 * follows. Here it sees nothing of them; the host learns the same, that no block was accepted. Of an
 * answer whose stuff byte a driver took for R1, the rest is not seen by the looks behind it.
 */
#include "port/fast.h"
#include "port/fast_spi.h"

/* ---- bursts ---- */

/* Bytes of 0xFF have gone by: counts N_BR, those a card has seen since a stop token, and the clocks
 * it needs before CMD0, with CS high. */
static void pass(struct sdsim_port *port, uint64_t bytes)
{
    port->cs_edge = false;
    if (port->selected) {
        port->busy_in = (uint8_t)(port->busy_in > bytes ? port->busy_in - bytes : 0);
    } else if (!port->card->spi) {
        sdsim_card_high_clocks(port->card, 8 * bytes);
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
    pass(port, bytes);
}

/* ---- waits ---- */

/* What a wait sees of the card. */
struct view {
    sdsim_ps ready_at; /* up to here the line is low, */
    uint64_t hidden;   /* but for so many looks, which see something else */
    bool first_low;    /* CS is high, and the first look still sees one bit of busy */
};

/* Before CMD0 some cards hold the line low. Behind CS low a busy may show one bit late: the byte is
 * 0x80, which only a test for 0xFF takes for busy. */
static struct view view_of(const struct sdsim_port *port, enum sdsim_ready_test test,
                           sdsim_ps first)
{
    const struct sdsim_card *card = port->card;
    const struct sdsim_card_params *params = card->params;
    const sdsim_ps busy = sdsim_card_busy(card).at;
    struct view view = {.ready_at = port->selected ? busy : 0, .hidden = port->busy_in};
    if (!card->spi) {
        view.ready_at = params->first_do == SDSIM_DO_LOW ? SDSIM_TIME_END : 0;
    } else if (port->cs_edge && port->selected) {
        const bool late = params->reselect_clocks > 0 && test != SDSIM_READY_ALL_ONES;
        view.hidden = late && view.hidden == 0 ? 1 : view.hidden;
    } else if (port->cs_edge) {
        view.first_low = params->release_clocks > 0 && port->busy_in == 0 && first < busy;
    }
    return view;
}

/* The look (from 0) that satisfies the test, UINT64_MAX for never. `first` is when look 0 starts
 * its byte, `period` the dead time per look. */
static uint64_t satisfying_look(const struct sdsim_port *port, enum sdsim_ready_test test,
                                sdsim_ps first, sdsim_ps period, const struct view *view)
{
    const struct sdsim_clock *clock = &port->clock;
    const uint64_t hidden = view->hidden;
    if (view->ready_at == SDSIM_TIME_END) {
        return test == SDSIM_READY_BUSY_SEEN ? 0 : UINT64_MAX;
    }
    switch (test) {
    case SDSIM_READY_BUSY_SEEN: {
        const sdsim_ps start = first + hidden * period + sdsim_clock_peek(clock, 8 * hidden);
        return start < view->ready_at ? hidden : UINT64_MAX;
    }
    case SDSIM_READY_TWO_NONZERO: {
        if (hidden > 1) {
            return 1;
        }
        const uint64_t ready = sdsim_first_from(clock, first, period, 8, 0, view->ready_at);
        if (hidden == 1) {
            return ready > 1 ? ready : 1;
        }
        return ready + 1;
    }
    case SDSIM_READY_ALL_ONES:
        if (view->first_low) {
            return 1;
        }
        break;
    default:
        break;
    }
    return hidden > 0 ? 0 : sdsim_first_from(clock, first, period, 8, 0, view->ready_at);
}

/* Whether look number `look`, whose byte starts at `start`, ends the wait. */
static bool look_ends(enum sdsim_ready_test test, const struct view *view, uint64_t look,
                      sdsim_ps start)
{
    const bool ready = view->hidden > look || start >= view->ready_at;
    if (test == SDSIM_READY_ALL_ONES && view->first_low && look == 0) {
        return false;
    }
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
    const sdsim_ps first = sdsim_time_sum(from, cost->before);
    const struct view view = view_of(port, wait->test, first);
    if (!port->selected) {
        ready.at = 0; /* the line is pulled up */
    }
    if (wait->sleep_after > 0) {
        const uint64_t met = satisfying_look(port, wait->test, first, period, &view);
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
        met = look_ends(wait->test, &view, looks, sdsim_time_sum(*now, cost->before));
        *now = sdsim_time_sum(*now, sdsim_time_sum(period, sdsim_clock_take(&port->clock, 8)));
        looks++;
        if (!met && !last && *now - from >= wait->sleep_after) {
            *now = sdsim_wait_sleep_end(wait, *now);
        }
    }
    pass(port, looks);
    port->meter->counters.bus_clocks += 8 * looks;
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
    const sdsim_ps first = sdsim_time_sum(from, cost->before);
    const struct view view = view_of(port, wait->test, first);
    if (!port->selected) {
        ready.at = 0; /* the line is pulled up */
    }
    uint64_t look = 0;
    bool met = true;
    if (first < view.ready_at || view.first_low ||
        wait->test > SDSIM_READY_NONZERO) { /* less often than not */
        look = satisfying_look(port, wait->test, first, period, &view);
    }
    if (look > 0) {
        const uint64_t last = last_look(port, from, period, wait->limit);
        met = look <= last;
        look = met ? look : last;
    }
    const uint64_t looks = look + 1;
    pass(port, looks);
    port->meter->counters.bus_clocks += 8 * looks;
    *now = sdsim_time_sum(*now, sdsim_time_sum(sdsim_time_times(period, looks),
                                               sdsim_clock_take(&port->clock, 8 * looks)));
    sdsim_book_wait(port->meter, SDSIM_BUSY, from, *now, ready.at, ready.pause);
    return met || wait->soft;
}

/* ---- the command ---- */

/* What the host can see of the answer to a command, from the byte behind its frame on. */
struct response {
    const struct sdsim_reply *reply;
    uint8_t stuff; /* the first byte before R1 */
    uint8_t line;  /* what is seen where the card says nothing */
    sdsim_ps held; /* masked by a busy that lasts until then */
    uint32_t seen; /* bytes clocked so far */
};

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
    const uint32_t gap = reply->gap;
    if (!reply->answered || i > gap + reply->extra_count) {
        return response->line;
    }
    if (i < gap) {
        return i == 0 ? response->stuff : 0xFF;
    }
    return i == gap ? reply->r1 : reply->extra[i - gap - 1];
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
    sdsim_fast_clock_bytes(port, now, SDSIM_PROTOCOL, i);
    pass(port, window);
    return window - i;
}

/* A response polled byte by byte, in at most `looks` looks with `sleep` between them. */
static void poll_response(struct sdsim_port *port, sdsim_ps *now, uint32_t looks, sdsim_ps sleep,
                          uint32_t extra, struct response *response, struct sdsim_result *result)
{
    const struct sdsim_burst *cost = &port->spi->poll;
    for (uint32_t look = 0; look < looks && !is_r1(result->r1); look++) {
        if (look > 0) {
            sdsim_fast_dead(port, now, SDSIM_POLL, sleep);
        }
        result->r1 = response_byte(response, sdsim_time_sum(*now, cost->before));
        sdsim_fast_burst(port, now, cost, 1);
        pass(port, 1);
    }
    if (extra == 0 || !is_r1(result->r1)) {
        return;
    }
    const sdsim_ps first = sdsim_time_sum(*now, port->spi->extra.before);
    for (uint32_t e = 0; e < extra; e++) {
        result->extra[e] =
            response_byte(response, first + sdsim_clock_peek(&port->clock, 8 * (uint64_t)e));
    }
    sdsim_fast_burst(port, now, &port->spi->extra, extra);
    pass(port, extra);
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
    static const uint8_t stuff[] = {
        [SDSIM_STUFF_FF] = 0xFF, [SDSIM_STUFF_7F] = 0x7F, [SDSIM_STUFF_00] = 0x00};
    const struct sdsim_card_params *params = port->card->params;
    const bool low = !port->card->spi && params->first_do == SDSIM_DO_LOW;
    const sdsim_ps after = sdsim_card_busy(port->card).at;
    return (struct response){
        .reply = reply,
        .stuff = tx->command == 12 ? stuff[params->stuff_byte] : 0xFF,
        .line = low ? 0x00 : 0xFF,
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
    sdsim_fast_dead(port, now, SDSIM_HOST, spi->command_cpu);
    sdsim_fast_dead(port, now, SDSIM_GAP, spi->command.before);
    sdsim_fast_clock_bytes(port, now, SDSIM_PROTOCOL, 6);
    port->busy_in = 0;
    port->cs_edge = false;
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
            pass(port, 1);
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
    sdsim_fast_burst(port, now, &spi->token, 1);
    port->cs_edge = false;
    sdsim_fast_dead(port, now, SDSIM_GAP, spi->data.before);
    sdsim_fast_payload(port, now, SDSIM_SECTOR, spi->write_overlap);
    sdsim_fast_dead(port, now, SDSIM_GAP, spi->data.after);
    sdsim_fast_dead(port, now, SDSIM_HOST, spi->write_cpu_after_data);
    sdsim_fast_dead(port, now, SDSIM_GAP, spi->crc.before);
    sdsim_fast_clock_bytes(port, now, SDSIM_PROTOCOL, 2);
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
    sdsim_fast_dead(port, now, SDSIM_GAP, spi->stop.before);
    sdsim_fast_clock_bytes(port, now, SDSIM_PROTOCOL, 1);
    port->cs_edge = false;
    if (port->selected && port->card->state == SDSIM_CARD_RECEIVE) {
        sdsim_card_stop_token(port->card, *now);
        port->busy_in = (uint8_t)port->card->params->n_br;
    }
    if (spi->stop_bytes > 1) {
        sdsim_fast_clock_bytes(port, now, SDSIM_PROTOCOL, spi->stop_bytes - 1u);
        port->busy_in = 0;
    }
    sdsim_fast_dead(port, now, SDSIM_GAP, spi->stop.after);
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
        if (!is_r1(result->r1)) {
            result->outcome = SDSIM_OUTCOME_NO_RESPONSE;
        } else if ((result->r1 & ~SDSIM_R1_IDLE) != 0) {
            result->outcome = SDSIM_OUTCOME_REFUSED;
        }
    }
    const bool going_on = result->outcome == SDSIM_OUTCOME_OK;
    if (tx->direction == SDSIM_READ_BLOCKS && going_on) {
        port->cs_edge = false;
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
        port->cs_edge = true;
    }
    fill(port, now, tx->lead_bytes);
    if (exchange(port, now, tx, result) && tx->finish != NULL && !poll(port, now, tx->finish)) {
        result->outcome = SDSIM_OUTCOME_STILL_BUSY;
    }
    if ((tx->flags & SDSIM_DESELECT) != 0 && port->selected) {
        sdsim_fast_dead(port, now, SDSIM_HOST, port->spi->deselect);
        port->selected = false;
        port->cs_edge = true;
    }
    fill(port, now, tx->trail_bytes);
}
