/*
 * The fast port, SD mode: the controller moves blocks by itself, so a run of them is clocks, the
 * card's waits and a fixed gap; alike blocks are multiplied as in SPI mode (port/fast_spi.c).
 *
 * Clock counts are those of bus/counts.h. On reads the response overlaps the data when the card is
 * that quick: N_AC counts from the end of the command. On writes the host watches DAT0 between
 * blocks. CMD13 polls are answered while the card programs; a CMD13 whose command frame ends before
 * the card is ready says "not ready".
 *
 * Limits: the clock runs whenever something is awaited from the card; gating it costs nothing.
 */
#include "port/fast.h"

#include <string.h>

static void clocks(struct sdsim_port *port, sdsim_ps *now, enum sdsim_kind kind, uint64_t count)
{
    port->meter->counters.bus_clocks += count;
    sdsim_spend(port->meter, now, kind, SDSIM_LANE_BUS, sdsim_clock_take(&port->clock, count));
}

static void cpu(struct sdsim_port *port, sdsim_ps *now, enum sdsim_kind kind, sdsim_ps d)
{
    if (d != 0) {
        sdsim_spend(port->meter, now, kind, SDSIM_LANE_CPU, d);
    }
}

/* Lets the clock run until the card is ready, at least `least` clocks, which are protocol. */
static void await(struct sdsim_port *port, sdsim_ps *now, enum sdsim_kind kind, uint64_t least,
                  struct sdsim_ready ready)
{
    clocks(port, now, SDSIM_PROTOCOL, least);
    if (ready.at <= *now) {
        return;
    }
    const sdsim_ps from = *now;
    const uint64_t count = sdsim_clock_count(&port->clock, ready.at - from);
    port->meter->counters.bus_clocks += count;
    *now = sdsim_time_sum(*now, sdsim_clock_take(&port->clock, count));
    sdsim_book_wait(port->meter, kind, from, *now, ready.at, ready.pause);
}

/* ---- commands ---- */

static uint32_t response_clocks(enum sdsim_response response)
{
    switch (response) {
    case SDSIM_RESPONSE_NONE:
        return 0;
    case SDSIM_RESPONSE_R2:
        return SDSIM_BUS_RESPONSE_R2;
    default:
        return SDSIM_BUS_RESPONSE;
    }
}

/* The command frame up to its end bit; the response is still to come. */
static void send_frame(struct sdsim_port *port, sdsim_ps *now, uint8_t index, uint32_t argument,
                       struct sdsim_reply *reply)
{
    sdsim_count_command(port, index);
    clocks(port, now, SDSIM_PROTOCOL, SDSIM_BUS_COMMAND);
    sdsim_card_command(port->card, *now, false, index, argument, reply);
}

static void take_response(struct sdsim_port *port, sdsim_ps *now, enum sdsim_response response)
{
    if (response != SDSIM_RESPONSE_NONE) {
        clocks(port, now, SDSIM_PROTOCOL,
               port->card->params->n_cr_clocks + response_clocks(response));
    }
}

/* ---- blocks ---- */

/* One block from the card, its first bit not before the card is ready. */
static void read_block(struct sdsim_port *port, sdsim_ps *now, uint64_t least, uint32_t bytes,
                       bool from_medium)
{
    const uint32_t packet = sdsim_bus_packet_clocks(port->mode, bytes);
    const uint32_t data = port->mode == SDSIM_BUS_SD4 ? 2 * bytes : 8 * bytes;
    await(port, now, SDSIM_ACCESS, least, sdsim_card_read_ready(port->card));
    clocks(port, now, SDSIM_PAYLOAD, data);
    clocks(port, now, SDSIM_PROTOCOL, packet - data);
    if (from_medium) {
        sdsim_card_read_done(port->card, *now);
    }
    cpu(port, now, SDSIM_GAP, port->sd->block_gap);
}

static bool write_block(struct sdsim_port *port, sdsim_ps *now, const struct sdsim_transaction *tx,
                        uint32_t index)
{
    const uint32_t packet = sdsim_bus_packet_clocks(port->mode, SDSIM_SECTOR);
    const uint32_t data = port->mode == SDSIM_BUS_SD4 ? 2 * SDSIM_SECTOR : 8 * SDSIM_SECTOR;
    clocks(port, now, SDSIM_PROTOCOL, SDSIM_SD_N_WR);
    clocks(port, now, SDSIM_PAYLOAD, data);
    clocks(port, now, SDSIM_PROTOCOL, packet - data);
    const struct sdsim_content content =
        sdsim_content_after(tx->content, (uint64_t)index * SDSIM_SECTOR);
    const bool accepted = sdsim_card_write_block(port->card, *now, &content);
    clocks(port, now, SDSIM_PROTOCOL, SDSIM_SD_N_CRC + SDSIM_BUS_CRC_STATUS);
    cpu(port, now, SDSIM_GAP, port->sd->block_gap);
    return accepted;
}

/* Blocks of a lone read or register have nothing in common to multiply; streams do. */
static void read_blocks(struct sdsim_port *port, sdsim_ps *now, const struct sdsim_transaction *tx,
                        const struct sdsim_reply *reply, sdsim_ps response_end,
                        struct sdsim_result *result)
{
    const bool from_medium = reply->data == SDSIM_DATA_READ;
    const uint32_t cycle = (uint32_t)port->clock.period_den;
    uint32_t done = 0;
    while (done < tx->blocks) {
        if (from_medium && sdsim_card_read_beyond(port->card)) {
            result->outcome = SDSIM_OUTCOME_NO_DATA;
            break;
        }
        uint8_t *const out = tx->out != NULL ? tx->out + (size_t)done * tx->block_bytes : NULL;
        if (from_medium) {
            sdsim_card_read_many(port->card, 1, out);
        } else if (out != NULL) {
            memcpy(out, port->card->block, tx->block_bytes);
        }
        read_block(port, now, SDSIM_SD_N_AC, tx->block_bytes, from_medium);
        done++;
        if (port->meter->recorder != NULL || tx->blocks - done <= cycle + 1) {
            continue;
        }
        const uint32_t alike = sdsim_card_read_alike(port->card, tx->blocks - done);
        if (alike <= 2 * cycle) {
            continue;
        }
        struct sdsim_cycle snapshot;
        const uint64_t remainder = port->clock.remainder;
        sdsim_cycle_begin(&snapshot, port->meter, *now);
        for (uint32_t i = 0; i < cycle; i++) {
            if (tx->out != NULL) {
                sdsim_card_read_many(port->card, 1, tx->out + (size_t)(done + i) * SDSIM_SECTOR);
            }
            read_block(port, now, SDSIM_SD_N_AC, tx->block_bytes, true);
        }
        done += cycle;
        if (port->clock.remainder != remainder) {
            continue; /* waits whose length depends on it: the cycle does not repeat */
        }
        const uint32_t times = (alike - 1 - cycle) / cycle;
        const uint32_t blocks = times * cycle;
        if (blocks > 0 && tx->out != NULL) {
            sdsim_card_read_many(port->card, blocks, tx->out + (size_t)done * SDSIM_SECTOR);
        }
        sdsim_card_read_skip(port->card, blocks,
                             sdsim_cycle_repeat(&snapshot, port->meter, now, times));
        done += blocks;
    }
    /* A response longer than everything that was read behind it ends the transaction. */
    if (response_end > *now) {
        sdsim_spend(port->meter, now, SDSIM_PROTOCOL, SDSIM_LANE_BUS, response_end - *now);
    }
    result->blocks_done = done;
    if (from_medium) {
        port->meter->counters.blocks_read += done;
    }
}

static void write_blocks(struct sdsim_port *port, sdsim_ps *now, const struct sdsim_transaction *tx,
                         struct sdsim_result *result)
{
    const uint32_t cycle = (uint32_t)port->clock.period_den;
    uint32_t done = 0;
    while (done < tx->blocks) {
        const bool regular = sdsim_card_write_alike(port->card, 1) == 1;
        if (done > 0) {
            await(port, now, SDSIM_BUSY, 0, sdsim_card_busy(port->card));
        }
        if (!write_block(port, now, tx, done)) {
            result->outcome = SDSIM_OUTCOME_NOT_ACCEPTED;
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
        const uint64_t remainder = port->clock.remainder;
        sdsim_cycle_begin(&snapshot, port->meter, *now);
        bool accepted = true;
        for (uint32_t i = 0; i < cycle && accepted; i++) {
            await(port, now, SDSIM_BUSY, 0, sdsim_card_busy(port->card));
            accepted = write_block(port, now, tx, done);
            done += accepted ? 1 : 0;
        }
        const uint32_t times = port->clock.remainder == remainder ? (alike - cycle) / cycle : 0;
        const struct sdsim_content content =
            sdsim_content_after(tx->content, (uint64_t)done * SDSIM_SECTOR);
        if (!accepted || !sdsim_card_write_skip(
                             port->card, times * cycle,
                             sdsim_cycle_repeat(&snapshot, port->meter, now, times), &content)) {
            result->outcome = SDSIM_OUTCOME_NOT_ACCEPTED;
            break;
        }
        done += times * cycle;
    }
    await(port, now, SDSIM_BUSY, 0, sdsim_card_busy(port->card));
    result->blocks_done = done;
    port->meter->counters.blocks_written += done;
}

/* CMD12 sent by the controller itself: no CPU in between. */
static void auto_stop(struct sdsim_port *port, sdsim_ps *now)
{
    struct sdsim_reply reply;
    clocks(port, now, SDSIM_PROTOCOL, port->sd->stop_clocks);
    send_frame(port, now, 12, 0, &reply);
    take_response(port, now, SDSIM_RESPONSE_R1);
    clocks(port, now, SDSIM_PROTOCOL, SDSIM_BUS_TRAILING);
}

/* ---- waiting for the end of programming ---- */

/*
 * CMD13 again and again. A look takes status_before, the frames with N_CR and N_RC, status_after;
 * what it tells is the card's state at the end of the command frame. The frames of the look that
 * says ready are protocol clocks, everything before counts as waiting.
 */
static bool poll_status(struct sdsim_port *port, sdsim_ps *now, const struct sdsim_wait *wait)
{
    const struct sdsim_sd_engine *sd = port->sd;
    struct sdsim_meter *meter = port->meter;
    const struct sdsim_clock *clock = &port->clock;
    const struct sdsim_ready ready = sdsim_card_busy(port->card);
    const uint64_t frames = SDSIM_BUS_COMMAND + port->card->params->n_cr_clocks +
                            SDSIM_BUS_RESPONSE + SDSIM_BUS_TRAILING;
    const sdsim_ps period = sd->status_before + sd->status_after;
    const sdsim_ps from = *now;
    sdsim_ps next_sleep = wait->sleep_after;
    for (;;) {
        /* Looks follow each other with a fixed period up to the one that succeeds, the one that
         * begins at the limit, or the one after which the driver sleeps. */
        uint64_t last = sdsim_first_from(clock, *now + sd->status_before, period, frames,
                                         SDSIM_BUS_COMMAND, ready.at);
        bool met = true;
        bool sleeps = false;
        if (wait->limit > 0) {
            const uint64_t limit =
                sdsim_first_from(clock, *now, period, frames, 0, from + wait->limit);
            met = last <= limit;
            last = met ? last : limit;
        }
        if (wait->sleep > 0) {
            const uint64_t look =
                sdsim_first_from(clock, *now + period, period, frames, frames, from + next_sleep);
            sleeps = look < last;
            last = sleeps ? look : last;
        }
        meter->counters.commands[13] += last + 1;
        meter->counters.bus_clocks += (last + 1) * frames;
        *now += (last + 1) * period + sdsim_clock_take(&port->clock, last * frames);
        const sdsim_ps on_bus = sdsim_clock_take(&port->clock, frames);
        *now += on_bus;
        if (sleeps) {
            *now += wait->sleep;
            next_sleep *= 2;
            continue;
        }
        const sdsim_ps answer = met ? on_bus : 0;
        sdsim_book_wait(meter, SDSIM_BUSY, from, *now - answer, ready.at, ready.pause);
        sdsim_book(meter, SDSIM_PROTOCOL, answer);
        return met || wait->soft;
    }
}

static bool finish(struct sdsim_port *port, sdsim_ps *now, const struct sdsim_wait *wait)
{
    if (wait == NULL) {
        return true;
    }
    if (wait->test == SDSIM_READY_STATUS) {
        return poll_status(port, now, wait);
    }
    const struct sdsim_ready ready = sdsim_card_busy(port->card);
    if (wait->limit > 0 && ready.at > *now && ready.at - *now > wait->limit) {
        const sdsim_ps to = *now + wait->limit;
        sdsim_book_wait(port->meter, SDSIM_BUSY, *now, to, ready.at, ready.pause);
        *now = to;
        return wait->soft;
    }
    await(port, now, SDSIM_BUSY, 0, ready);
    return true;
}

/* What a transaction without a command goes on with. */
static enum sdsim_card_data open_transfer(const struct sdsim_card *card)
{
    return card->state == SDSIM_CARD_DATA      ? SDSIM_DATA_READ
           : card->state == SDSIM_CARD_RECEIVE ? SDSIM_DATA_WRITE
                                               : SDSIM_DATA_NONE;
}

void sdsim_fast_sd_execute(struct sdsim_port *port, sdsim_ps *now,
                           const struct sdsim_transaction *tx, struct sdsim_result *result)
{
    const struct sdsim_sd_engine *sd = port->sd;
    struct sdsim_reply reply = {.answered = true, .data = open_transfer(port->card)};
    result->outcome = SDSIM_OUTCOME_OK;
    result->r1 = 0;
    result->blocks_done = 0;
    if (tx->ready != NULL && !finish(port, now, tx->ready)) {
        result->outcome = SDSIM_OUTCOME_NOT_READY;
        return;
    }
    if ((tx->flags & SDSIM_COMMAND) != 0) {
        cpu(port, now, SDSIM_HOST, sd->command_before);
        send_frame(port, now, tx->command, tx->argument, &reply);
        memcpy(result->extra, reply.extra, sizeof result->extra);
        if (!reply.answered && tx->response != SDSIM_RESPONSE_NONE) {
            /* The controller gives up after N_CR's limit of 64 clocks. */
            clocks(port, now, SDSIM_PROTOCOL, 64);
            cpu(port, now, SDSIM_HOST, sd->command_after);
            result->outcome = SDSIM_OUTCOME_NO_RESPONSE;
            return;
        }
    }
    if (tx->direction != SDSIM_NO_BLOCKS && reply.data == SDSIM_DATA_NONE) {
        /* The response tells that there will be no data: an address beyond the end. */
        take_response(port, now, tx->response);
        clocks(port, now, SDSIM_PROTOCOL, SDSIM_BUS_TRAILING);
        cpu(port, now, SDSIM_HOST, sd->command_after);
        result->outcome = SDSIM_OUTCOME_REFUSED;
        return;
    }
    if (tx->direction == SDSIM_READ_BLOCKS) {
        /* Data may overlap the response: they run on different lines. */
        struct sdsim_clock ahead = port->clock;
        const uint64_t response =
            (tx->flags & SDSIM_COMMAND) != 0
                ? port->card->params->n_cr_clocks + response_clocks(tx->response)
                : 0;
        const sdsim_ps response_end = sdsim_time_sum(*now, sdsim_clock_take(&ahead, response));
        read_blocks(port, now, tx, &reply, response_end, result);
    } else {
        take_response(port, now, tx->response);
        clocks(port, now, SDSIM_PROTOCOL,
               tx->direction == SDSIM_NO_BLOCKS ? SDSIM_BUS_TRAILING : 0);
        if (tx->direction == SDSIM_WRITE_BLOCKS) {
            write_blocks(port, now, tx, result);
        }
    }
    if (tx->direction == SDSIM_NO_BLOCKS) {
        cpu(port, now, SDSIM_HOST, sd->command_after);
    } else {
        if ((tx->flags & SDSIM_AUTO_STOP) != 0) {
            auto_stop(port, now);
        }
        cpu(port, now, SDSIM_HOST, sd->data_after);
        cpu(port, now, SDSIM_COPY, sd->copy * tx->blocks);
    }
    if (result->outcome == SDSIM_OUTCOME_OK && !finish(port, now, tx->finish)) {
        result->outcome = SDSIM_OUTCOME_STILL_BUSY;
    }
}
