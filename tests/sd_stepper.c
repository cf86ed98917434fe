#include "sd_stepper.h"

#include <string.h>

struct stepper {
    struct sdsim_port *port;
    const struct sdsim_sd_engine *engine;
    sdsim_ps now;
};

static void book(struct stepper *s, enum sdsim_kind kind, sdsim_ps d)
{
    s->port->meter->account.ps[s->port->meter->purpose][kind] += d;
}

static void stand_still(struct stepper *s, enum sdsim_kind kind, sdsim_ps d)
{
    book(s, kind, d);
    s->now += d;
}

static void one_clock(struct stepper *s, enum sdsim_kind kind)
{
    s->port->meter->counters.bus_clocks++;
    stand_still(s, kind, sdsim_clock_take(&s->port->clock, 1));
}

static void bits(struct stepper *s, enum sdsim_kind kind, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        one_clock(s, kind);
    }
}

static sdsim_ps overlap(sdsim_ps from, sdsim_ps to, sdsim_ps low, sdsim_ps high)
{
    const sdsim_ps a = from > low ? from : low;
    const sdsim_ps b = to < high ? to : high;
    return b > a ? b - a : 0;
}

/* A wait for the card: normal first, a pause last, poll from when it is ready. */
static void book_waiting(struct stepper *s, enum sdsim_kind normal, sdsim_ps from, sdsim_ps to,
                         struct sdsim_ready ready)
{
    struct sdsim_counters *counters = &s->port->meter->counters;
    const sdsim_ps pause = ready.at > ready.pause ? ready.at - ready.pause : 0;
    book(s, normal, overlap(from, to, 0, pause));
    book(s, SDSIM_PAUSE, overlap(from, to, pause, ready.at));
    book(s, SDSIM_POLL, overlap(from, to, ready.at, SDSIM_TIME_END));
    const sdsim_ps waited = overlap(from, to, 0, ready.at);
    if (waited > counters->longest_wait) {
        counters->longest_wait = waited;
        counters->longest_wait_at = from;
    }
}

static void clock_until(struct stepper *s, enum sdsim_kind normal, struct sdsim_ready ready)
{
    const sdsim_ps from = s->now;
    while (s->now < ready.at) {
        s->port->meter->counters.bus_clocks++;
        s->now += sdsim_clock_take(&s->port->clock, 1);
    }
    if (s->now > from) {
        book_waiting(s, normal, from, s->now, ready);
    }
}

static uint64_t response_bits(enum sdsim_response response)
{
    return response == SDSIM_RESPONSE_NONE ? 0 : response == SDSIM_RESPONSE_R2 ? 136 : 48;
}

static void command_frame(struct stepper *s, uint8_t index, uint32_t argument,
                          struct sdsim_reply *reply)
{
    struct sdsim_counters *counters = &s->port->meter->counters;
    counters->commands[index]++;
    counters->app_commands[index] += s->port->card->app ? 1 : 0;
    bits(s, SDSIM_PROTOCOL, 48);
    sdsim_card_command(s->port->card, s->now, false, index, argument, reply);
}

static void response_frame(struct stepper *s, enum sdsim_response response)
{
    if (response != SDSIM_RESPONSE_NONE) {
        bits(s, SDSIM_PROTOCOL, s->port->card->params->n_cr_clocks);
        bits(s, SDSIM_PROTOCOL, response_bits(response));
    }
}

static bool look_for_status(struct stepper *s, const struct sdsim_wait *wait)
{
    const struct sdsim_ready ready = s->port->card->busy;
    const sdsim_ps from = s->now;
    sdsim_ps nap = wait->sleep;
    sdsim_ps nap_after = wait->sleep_after;
    for (;;) {
        const sdsim_ps look = s->now;
        struct stepper frames = {.port = s->port};
        struct sdsim_meter aside = *s->port->meter;
        s->port->meter->counters.commands[13]++;
        frames.now = look + s->engine->status_before;
        const sdsim_ps bus_from = frames.now;
        bits(&frames, SDSIM_PROTOCOL, 48);
        const bool says_ready = frames.now >= ready.at;
        bits(&frames, SDSIM_PROTOCOL, s->port->card->params->n_cr_clocks + 48 + 8);
        const sdsim_ps on_bus = frames.now - bus_from;
        s->port->meter->account = aside.account; /* what a look is booked as shows at the end */
        s->now = frames.now + s->engine->status_after;
        if (says_ready) {
            book_waiting(s, SDSIM_BUSY, from, s->now - on_bus, ready);
            book(s, SDSIM_PROTOCOL, on_bus);
            return true;
        }
        if (wait->limit > 0 && look - from >= wait->limit) {
            book_waiting(s, SDSIM_BUSY, from, s->now, ready);
            return wait->soft;
        }
        if (wait->sleep > 0 && s->now - from >= nap_after) {
            s->now += nap;
            while (wait->tick > 0 && s->now % wait->tick != 0) {
                s->now += wait->tick - s->now % wait->tick;
            }
            nap_after *= 2;
            nap *= nap < wait->sleep_most ? 2 : 1;
        }
    }
}

static bool wait_for(struct stepper *s, const struct sdsim_wait *wait)
{
    if (wait == NULL) {
        return true;
    }
    if (wait->test == SDSIM_READY_STATUS) {
        return look_for_status(s, wait);
    }
    const struct sdsim_ready ready = s->port->card->busy;
    if (wait->limit > 0 && ready.at > s->now + wait->limit) {
        book_waiting(s, SDSIM_BUSY, s->now, s->now + wait->limit, ready);
        s->now += wait->limit;
        return wait->soft;
    }
    clock_until(s, SDSIM_BUSY, ready);
    return true;
}

/* Start bit, bytes with the CPU beside them, CRC and end bit; when the data bits were over, and the
 * CPU with them too. */
static void packet(struct stepper *s, uint32_t bytes, sdsim_ps *sent, sdsim_ps *data_end)
{
    const sdsim_ps from = s->now;
    const unsigned per_byte = s->port->mode == SDSIM_BUS_SD4 ? 2 : 8;
    for (uint32_t i = 0; i < bytes; i++) {
        bits(s, SDSIM_PAYLOAD, per_byte);
    }
    *sent = s->now;
    if (s->now < from + s->engine->fifo) {
        stand_still(s, SDSIM_GAP, from + s->engine->fifo - s->now);
    }
    *data_end = s->now;
    bits(s, SDSIM_PROTOCOL, 1 + 16 + 1);
}

static void step_read(struct stepper *s, const struct sdsim_transaction *tx, bool medium,
                      struct sdsim_result *result)
{
    struct sdsim_card *card = s->port->card;
    sdsim_ps checked = s->now;
    sdsim_ps sent;
    sdsim_ps data_end;
    for (; result->blocks_done < tx->blocks; result->blocks_done++) {
        uint8_t *out =
            tx->out != NULL ? tx->out + (size_t)result->blocks_done * tx->block_bytes : NULL;
        if (medium && (card->left == 0 || card->lba >= card->sectors)) {
            result->outcome = SDSIM_OUTCOME_NO_DATA;
            break;
        }
        bits(s, SDSIM_PROTOCOL, 2);
        clock_until(s, SDSIM_ACCESS, card->ready);
        if (medium && out != NULL) {
            sdsim_card_read_bytes(card, out);
        } else if (out != NULL) {
            memcpy(out, card->block, tx->block_bytes);
        }
        packet(s, tx->block_bytes, &sent, &data_end);
        if (medium) {
            sdsim_card_read_done(card, s->now);
            checked = (checked > s->now ? checked : s->now) + s->engine->read_cpu;
            s->port->meter->counters.blocks_read++;
        }
        stand_still(s, SDSIM_GAP, s->engine->block_gap);
    }
    if (checked > s->now) {
        stand_still(s, SDSIM_HOST, checked - s->now);
    }
}

/* The last block of a write that returns once the FIFO is full: its own time runs beside. */
static bool step_behind(struct stepper *s, const struct sdsim_content *content)
{
    struct sdsim_port *port = s->port;
    const struct sdsim_account account = port->meter->account;
    struct stepper beside = *s;
    sdsim_ps sent;
    sdsim_ps data_end;
    bits(&beside, SDSIM_PROTOCOL, 2);
    const sdsim_ps begun = beside.now;
    const sdsim_ps filled = beside.now + s->engine->fifo;
    packet(&beside, SDSIM_SECTOR, &sent, &data_end);
    const bool accepted =
        port->card->left > 0 && sdsim_card_write_block(port->card, beside.now, content);
    bits(&beside, SDSIM_PROTOCOL, 2 + 5);
    port->behind_until = beside.now;
    port->behind_frame = beside.now - data_end;
    port->meter->account = account;
    stand_still(s, SDSIM_PROTOCOL, begun - s->now);
    stand_still(s, SDSIM_PAYLOAD, overlap(begun, filled, begun, sent));
    stand_still(s, SDSIM_GAP, filled - s->now);
    return accepted;
}

static void step_write(struct stepper *s, const struct sdsim_transaction *tx,
                       struct sdsim_result *result)
{
    struct sdsim_port *port = s->port;
    sdsim_ps crc_made = s->now + s->engine->write_cpu;
    sdsim_ps sent;
    sdsim_ps data_end;
    bool accepted = true;
    bool behind = false;
    stand_still(s, SDSIM_HOST, s->engine->write_cpu);
    for (uint32_t i = 0; i < tx->blocks && accepted; i++) {
        const struct sdsim_content content =
            sdsim_content_after(tx->content, (uint64_t)i * SDSIM_SECTOR);
        if (i > 0) {
            clock_until(s, SDSIM_BUSY, port->card->busy);
        }
        if (s->now < crc_made) {
            stand_still(s, SDSIM_GAP, crc_made - s->now);
        }
        stand_still(s, SDSIM_GAP, s->engine->block_start);
        crc_made = s->now + s->engine->write_cpu;
        behind = (tx->flags & SDSIM_WRITE_BEHIND) != 0 && i + 1 == tx->blocks;
        if (behind) {
            accepted = step_behind(s, &content);
        } else {
            bits(s, SDSIM_PROTOCOL, 2);
            packet(s, SDSIM_SECTOR, &sent, &data_end);
            accepted = port->card->left > 0 && sdsim_card_write_block(port->card, s->now, &content);
            bits(s, SDSIM_PROTOCOL, 2 + 5);
        }
        result->blocks_done += accepted ? 1 : 0;
    }
    if (!accepted) {
        result->outcome = SDSIM_OUTCOME_NOT_ACCEPTED;
    }
    if ((tx->flags & (SDSIM_WRITE_BEHIND | SDSIM_LEAVE_BUSY)) == 0) {
        clock_until(s, SDSIM_BUSY, port->card->busy);
    }
    port->meter->counters.blocks_written += result->blocks_done;
}

static void step_transfer(struct stepper *s, const struct sdsim_transaction *tx,
                          enum sdsim_card_data data, struct sdsim_result *result)
{
    const bool command = (tx->flags & SDSIM_COMMAND) != 0;
    if (tx->direction == SDSIM_WRITE_BLOCKS) {
        if (command) {
            response_frame(s, tx->response);
        }
        step_write(s, tx, result);
    } else {
        struct sdsim_clock beside = s->port->clock;
        sdsim_ps response_end = s->now;
        if (command && s->engine->clock_stops) {
            response_frame(s, tx->response);
            stand_still(s, SDSIM_HOST, s->engine->command_after);
        } else if (command) {
            const uint64_t count = s->port->card->params->n_cr_clocks + response_bits(tx->response);
            for (uint64_t i = 0; i < count; i++) {
                response_end += sdsim_clock_take(&beside, 1);
            }
        }
        step_read(s, tx, data == SDSIM_DATA_READ, result);
        if (response_end > s->now) {
            stand_still(s, SDSIM_PROTOCOL, response_end - s->now);
        }
    }
    if ((tx->flags & SDSIM_AUTO_STOP) != 0) {
        struct sdsim_reply reply;
        bits(s, SDSIM_PROTOCOL, s->engine->stop_clocks);
        command_frame(s, 12, 0, &reply);
        response_frame(s, SDSIM_RESPONSE_R1);
        bits(s, SDSIM_PROTOCOL, 8);
    }
    stand_still(s, SDSIM_HOST, s->engine->data_after);
    stand_still(s, SDSIM_COPY, s->engine->copy * tx->blocks);
}

/* The command, and what ends a transaction that has no blocks, or gets none. */
static bool step_command(struct stepper *s, const struct sdsim_transaction *tx,
                         struct sdsim_reply *reply, struct sdsim_result *result)
{
    stand_still(s, SDSIM_HOST, s->engine->command_before);
    command_frame(s, tx->command, tx->argument, reply);
    memcpy(result->extra, reply->extra, sizeof result->extra);
    const bool silent = !reply->answered && tx->response != SDSIM_RESPONSE_NONE;
    if (!silent && tx->direction != SDSIM_NO_BLOCKS && reply->data != SDSIM_DATA_NONE) {
        return true;
    }
    if (silent) {
        bits(s, SDSIM_PROTOCOL, 64);
        result->outcome = SDSIM_OUTCOME_NO_RESPONSE;
    } else {
        response_frame(s, tx->response);
        bits(s, SDSIM_PROTOCOL, 8);
        result->outcome =
            tx->direction != SDSIM_NO_BLOCKS ? SDSIM_OUTCOME_REFUSED : SDSIM_OUTCOME_OK;
    }
    stand_still(s, SDSIM_HOST, s->engine->command_after);
    return result->outcome == SDSIM_OUTCOME_OK;
}

/* What is left of a block that went on its way by itself. */
static void step_settle(struct stepper *s)
{
    struct sdsim_port *port = s->port;
    const sdsim_ps frame_from = port->behind_until - port->behind_frame;
    if (port->behind_until > s->now) {
        const sdsim_ps to = port->behind_until;
        const sdsim_ps data = overlap(s->now, to, 0, frame_from);
        stand_still(s, SDSIM_PAYLOAD, data);
        stand_still(s, SDSIM_PROTOCOL, to - s->now);
    }
    port->behind_until = 0;
}

static void step_execute(struct sdsim_port *port, sdsim_ps *now, const struct sdsim_transaction *tx,
                         struct sdsim_result *result)
{
    struct stepper stepper = {.port = port, .engine = port->sd, .now = *now};
    struct stepper *s = &stepper;
    struct sdsim_reply reply = {.data = port->card->state == SDSIM_CARD_DATA ? SDSIM_DATA_READ
                                        : port->card->state == SDSIM_CARD_RECEIVE
                                            ? SDSIM_DATA_WRITE
                                            : SDSIM_DATA_NONE};
    result->outcome = SDSIM_OUTCOME_OK;
    result->r1 = 0;
    result->blocks_done = 0;
    step_settle(s);
    bool goes_on = wait_for(s, tx->ready);
    if (!goes_on) {
        result->outcome = SDSIM_OUTCOME_NOT_READY;
    } else if ((tx->flags & SDSIM_COMMAND) != 0) {
        goes_on = step_command(s, tx, &reply, result);
    } else if (tx->direction != SDSIM_NO_BLOCKS && reply.data == SDSIM_DATA_NONE) {
        result->outcome = SDSIM_OUTCOME_REFUSED;
        goes_on = false;
    }
    if (goes_on && tx->direction != SDSIM_NO_BLOCKS) {
        step_transfer(s, tx, reply.data, result);
    }
    if (goes_on && result->outcome == SDSIM_OUTCOME_OK && !wait_for(s, tx->finish)) {
        result->outcome = SDSIM_OUTCOME_STILL_BUSY;
    }
    *now = s->now;
}

static const struct sdsim_port_ops step_ops = {.name = "stepper", .execute = step_execute};

void sdsim_test_step(struct sdsim_port *port)
{
    port->ops = &step_ops;
    port->meter->recorder = NULL;
}
