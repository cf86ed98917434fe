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
 * A driver that takes a busy card for ready may send blocks to one that did not hear the command; what
 * it makes of them, their bytes tell (port/fast_bytes.h).
 *
 * Limits: of an answer whose stuff byte a driver took for R1, the rest is not seen by the looks behind
 * it.
 */
#include "port/fast.h"
#include "port/fast_bytes.h"
#include "port/fast_spi.h"

/* ---- bursts ---- */

/* Bytes of 0xFF behind a command, when nothing is hidden any more. */
static void pass_high(struct sdsim_port *port, uint64_t bytes)
{
    if (!port->card->spi && !port->selected) {
        sdsim_fast_spi_pass(port, bytes);
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
    sdsim_fast_spi_pass(port, bytes);
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
    const uint32_t of_command = sdsim_note_response(port, result->r1, result->extra);
    sdsim_fast_clock_bytes(port, now, SDSIM_PROTOCOL, i);
    port->meter->detail = of_command;
    pass_high(port, window);
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
        pass_high(port, 1);
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
    pass_high(port, extra);
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
    sdsim_note_part(port, SDSIM_PART_COMMAND);
    sdsim_fast_dead(port, now, SDSIM_HOST, spi->command_cpu);
    sdsim_fast_dead(port, now, SDSIM_GAP, spi->command.before);
    sdsim_fast_clock_bytes(port, now, SDSIM_PROTOCOL, 6);
    sdsim_note_part(port, SDSIM_PART_NONE);
    port->busy_in = 0;
    port->cs_edge = false;
    port->single = tx->command == 24;
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
            pass_high(port, 1);
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
    if ((tx->flags & SDSIM_BLOCK_READY) != 0 &&
        !sdsim_fast_spi_poll(port, now, &spi->block_ready)) {
        result->outcome = SDSIM_OUTCOME_STILL_BUSY;
        return false;
    }
    sdsim_note_part(port, SDSIM_PART_TOKEN);
    sdsim_fast_burst(port, now, &spi->token, 1);
    sdsim_note_part(port, SDSIM_PART_DATA);
    port->cs_edge = false;
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
    if ((tx->flags & SDSIM_BLOCK_BUSY) != 0 && !sdsim_fast_spi_poll(port, now, &spi->block_busy)) {
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
    sdsim_note_part(port, SDSIM_PART_NONE);
}

/* ---- the whole ---- */

/* Everything between CS low with its lead bytes and the blocks of a write; false leaves the reason in
 * the result. */
static bool exchange(struct sdsim_port *port, sdsim_ps *now, const struct sdsim_transaction *tx,
                     struct sdsim_result *result)
{
    if (tx->ready != NULL && !sdsim_fast_spi_poll(port, now, tx->ready)) {
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
    if (tx->direction == SDSIM_READ_BLOCKS && result->outcome == SDSIM_OUTCOME_OK) {
        port->cs_edge = false;
        sdsim_fast_spi_read(port, now, tx, window_left, reply.data == SDSIM_DATA_REGISTER, result);
    } else if (tx->direction == SDSIM_READ_BLOCKS && window_left != SDSIM_FAST_BURST_OVER) {
        sdsim_fast_clock_bytes(port, now, SDSIM_PROTOCOL, window_left);
        sdsim_fast_dead(port, now, SDSIM_GAP, port->spi->command.after);
    }
    return result->outcome == SDSIM_OUTCOME_OK;
}

/* The blocks of a write, and the stop token. */
static void write_and_stop(struct sdsim_port *port, sdsim_ps *now,
                           const struct sdsim_transaction *tx, struct sdsim_result *result)
{
    if (tx->direction == SDSIM_WRITE_BLOCKS) {
        write_blocks(port, now, tx, result);
    }
    if (result->outcome != SDSIM_OUTCOME_OK || (tx->flags & SDSIM_STOP_TOKEN) == 0) {
        return;
    }
    if ((tx->flags & SDSIM_STOP_READY) != 0 &&
        !sdsim_fast_spi_poll(port, now, &port->spi->block_ready)) {
        result->outcome = SDSIM_OUTCOME_STILL_BUSY;
        return;
    }
    stop_token(port, now);
}

/* What comes behind all that. */
static void finish(struct sdsim_port *port, sdsim_ps *now, const struct sdsim_transaction *tx,
                   struct sdsim_result *result)
{
    if (result->outcome == SDSIM_OUTCOME_OK && tx->finish != NULL &&
        !sdsim_fast_spi_poll(port, now, tx->finish)) {
        result->outcome = SDSIM_OUTCOME_STILL_BUSY;
    }
    if ((tx->flags & SDSIM_DESELECT) != 0 && port->selected) {
        sdsim_fast_dead(port, now, SDSIM_HOST, port->spi->deselect);
        port->selected = false;
        port->cs_edge = true;
    }
    fill(port, now, tx->trail_bytes);
}

void sdsim_fast_spi_execute(struct sdsim_port *port, sdsim_ps *now,
                            const struct sdsim_transaction *tx, struct sdsim_result *result)
{
    if (port->by_byte) {
        sdsim_fast_bytes_execute(port, now, tx, result);
        return;
    }
    *result = (struct sdsim_result){.outcome = SDSIM_OUTCOME_OK};
    fill(port, now, tx->idle_bytes);
    if ((tx->flags & SDSIM_SELECT) != 0 && !port->selected) {
        sdsim_fast_dead(port, now, SDSIM_HOST, port->spi->select);
        port->selected = true;
        port->cs_edge = true;
    }
    fill(port, now, tx->lead_bytes);
    if (exchange(port, now, tx, result)) {
        if (tx->direction == SDSIM_WRITE_BLOCKS && sdsim_fast_bytes_due(port)) {
            sdsim_fast_bytes_write(port, now, tx, result);
            return;
        }
        write_and_stop(port, now, tx, result);
    }
    finish(port, now, tx, result);
}
