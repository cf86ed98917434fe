/*
 * The blocks of the fast SD port.
 *
 * A block is clocks and what the host adds to it. Where the CPU moves the data through a FIFO, that
 * runs beside the data bits, and only what it takes longer stops the clock. A check sum made in
 * software runs beside other blocks: when writing, the next block can't go before it is made; when
 * reading, the checks lag behind and are made good at the end.
 *
 * Alike blocks are multiplied. A cycle is as many blocks as it takes for the clock's remainder to
 * come round; it is stepped once and repeated if it ended with the remainder it began with: then
 * the block before it and the last one in it took equally long, and so the check sum of the next
 * one is as far.
 */
#include <string.h>

#include "port/fast.h"
#include "port/fast_sd.h"

/* Up to ACMD6 a card uses one line, whatever the host has. */
static uint32_t data_clocks(const struct sdsim_port *port, uint32_t bytes)
{
    return (port->mode == SDSIM_BUS_SD4 && port->card->width == 4 ? 2 : 8) * bytes;
}

/* Behind the data: check sum and end bit. */
enum {
    TAIL = SDSIM_BUS_CRC16 + 1,
};

/* Start bit, data bits and the CPU beside them, check sum and end bit. */
static void move_packet(struct sdsim_port *port, sdsim_ps *now, uint32_t bytes)
{
    sdsim_note_part(port, SDSIM_PART_CRC);
    sdsim_fast_sd_clocks(port, now, SDSIM_PROTOCOL, 1);
    const sdsim_ps from = *now;
    sdsim_note_part(port, SDSIM_PART_DATA);
    sdsim_fast_sd_clocks(port, now, SDSIM_PAYLOAD, data_clocks(port, bytes));
    sdsim_fast_sd_until(port, now, SDSIM_GAP, sdsim_time_sum(from, port->sd->fifo));
    sdsim_note_part(port, SDSIM_PART_CRC);
    sdsim_fast_sd_clocks(port, now, SDSIM_PROTOCOL, TAIL);
    sdsim_note_part(port, SDSIM_PART_NONE);
}

/* The same when the first `over` clocks of it, one at least, have gone by already. */
static void finish_packet(struct sdsim_port *port, sdsim_ps *now, uint32_t bytes, uint32_t over)
{
    const sdsim_ps from = *now;
    const uint32_t data = data_clocks(port, bytes);
    const uint32_t data_over = over - 1 < data ? over - 1 : data;
    const uint32_t tail_over = over - 1 - data_over < TAIL ? over - 1 - data_over : TAIL;
    sdsim_note_part(port, SDSIM_PART_DATA);
    sdsim_fast_sd_clocks(port, now, SDSIM_PAYLOAD, data - data_over);
    sdsim_fast_sd_until(port, now, SDSIM_GAP, sdsim_time_sum(from, port->sd->fifo));
    sdsim_note_part(port, SDSIM_PART_CRC);
    sdsim_fast_sd_clocks(port, now, SDSIM_PROTOCOL, TAIL - tail_over);
    sdsim_note_part(port, SDSIM_PART_NONE);
}

/* ---- reading ---- */

/* A block has arrived at `now`; `checked` is when the checks of all blocks will be done. */
static void check_block(sdsim_ps *checked, sdsim_ps now, sdsim_ps work)
{
    *checked = sdsim_time_sum(*checked > now ? *checked : now, work);
}

/* The cycle that has just ended, `span` long with `work` of checks in it, was repeated `times`
 * times, up to `now`. What the checks lag behind, every cycle makes larger or smaller by the
 * difference. (Where it is down to the last block's own check, it is a little more than said here,
 * but over before the next block arrives.) */
static void repeat_checks(sdsim_ps *checked, sdsim_ps now, sdsim_ps span, sdsim_ps work,
                          uint64_t times)
{
    const sdsim_ps lag = sdsim_time_since(*checked, now - sdsim_time_times(span, times));
    const sdsim_ps lag_now = work > span
                                 ? sdsim_time_sum(lag, sdsim_time_times(work - span, times))
                                 : sdsim_time_since(lag, sdsim_time_times(span - work, times));
    *checked = sdsim_time_sum(now, lag_now);
}

/* A block behind another. */
static const struct sdsim_fast_sd_start next_start = {.n_ac = SDSIM_SD_N_AC};

/* One block from the card, its first bit not before the card is ready. */
static void read_block(struct sdsim_port *port, sdsim_ps *now, const struct sdsim_transaction *tx,
                       bool from_medium, const struct sdsim_fast_sd_start *start, sdsim_ps *checked)
{
    if (start->clocks == 0) {
        sdsim_fast_sd_await(port, now, SDSIM_ACCESS, start->n_ac,
                            sdsim_card_read_ready(port->card));
        move_packet(port, now, tx->block_bytes);
    } else {
        finish_packet(port, now, tx->block_bytes, start->clocks);
    }
    if (from_medium) {
        sdsim_card_read_done(port->card, *now);
        check_block(checked, *now, port->sd->read_cpu);
    }
    sdsim_fast_sd_cpu(port, now, SDSIM_GAP, port->sd->block_gap);
}

static void take_bytes(struct sdsim_port *port, const struct sdsim_transaction *tx, uint32_t index,
                       uint32_t count)
{
    if (tx->out != NULL && count > 0) {
        sdsim_card_read_many(port->card, count, tx->out + (size_t)index * SDSIM_SECTOR);
    }
}

/* Steps a cycle of blocks that are alike, and repeats it; returns how many blocks that were. */
static uint32_t read_alike(struct sdsim_port *port, sdsim_ps *now,
                           const struct sdsim_transaction *tx, uint32_t done, uint32_t cycle,
                           uint32_t alike, sdsim_ps *checked)
{
    struct sdsim_cycle snapshot;
    const uint64_t remainder = port->clock.remainder;
    sdsim_cycle_begin(&snapshot, port->meter, *now);
    for (uint32_t i = 0; i < cycle; i++) {
        take_bytes(port, tx, done + i, 1);
        read_block(port, now, tx, true, &next_start, checked);
    }
    if (port->clock.remainder != remainder) {
        return cycle; /* waits whose length depends on it: the cycle does not repeat */
    }
    const uint32_t times = (alike - 1 - cycle) / cycle;
    const uint32_t blocks = times * cycle;
    take_bytes(port, tx, done + cycle, blocks);
    const sdsim_ps span = *now - snapshot.start;
    const sdsim_ps all = sdsim_cycle_repeat(&snapshot, port->meter, now, times);
    sdsim_card_read_skip(port->card, blocks, all);
    repeat_checks(checked, *now, span, sdsim_time_times(port->sd->read_cpu, cycle), times);
    return cycle + blocks;
}

/* The card has nothing more to send: the card's end, or that of a counted transfer. */
static bool no_more(const struct sdsim_card *card)
{
    return card->state != SDSIM_CARD_DATA || sdsim_card_read_beyond(card);
}

void sdsim_fast_sd_read(struct sdsim_port *port, sdsim_ps *now, const struct sdsim_transaction *tx,
                        bool from_medium, const struct sdsim_fast_sd_start *start,
                        struct sdsim_result *result)
{
    const uint32_t cycle = (uint32_t)port->clock.period_den;
    sdsim_ps checked = *now;
    uint32_t done = 0;
    while (done < tx->blocks) {
        if (from_medium && no_more(port->card)) {
            result->outcome = SDSIM_OUTCOME_NO_DATA;
            break;
        }
        if (from_medium) {
            take_bytes(port, tx, done, 1);
        } else if (tx->out != NULL) {
            memcpy(tx->out + (size_t)done * tx->block_bytes, port->card->block, tx->block_bytes);
        }
        read_block(port, now, tx, from_medium, done == 0 ? start : &next_start, &checked);
        done++;
        /* Blocks of a lone read or register have nothing in common to multiply; streams do. */
        if (port->meter->recorder == NULL && tx->blocks - done > cycle + 1 &&
            !no_more(port->card)) {
            const uint32_t alike = sdsim_card_read_alike(port->card, tx->blocks - done);
            if (alike > 2 * cycle) {
                done += read_alike(port, now, tx, done, cycle, alike, &checked);
            }
        }
    }
    sdsim_fast_sd_until(port, now, SDSIM_HOST, checked);
    result->blocks_done = done;
    if (from_medium) {
        port->meter->counters.blocks_read += done;
    }
}

/* ---- writing ---- */

/* The card is ready for a block. `made` is when its check sum is made; left there is when that of
 * the next one is. */
static void start_block(struct sdsim_port *port, sdsim_ps *now, sdsim_ps *made)
{
    sdsim_fast_sd_until(port, now, SDSIM_GAP, *made);
    sdsim_fast_sd_cpu(port, now, SDSIM_GAP, port->sd->block_start);
    *made = sdsim_time_sum(*now, port->sd->write_cpu);
}

/* A block has gone; false if the card's status says no, or there is none because a counted transfer
 * is over. */
static bool give_block(struct sdsim_port *port, const struct sdsim_transaction *tx, uint32_t index,
                       sdsim_ps now)
{
    if (port->card->state != SDSIM_CARD_RECEIVE) {
        return false;
    }
    const struct sdsim_content content =
        sdsim_content_after(tx->content, (uint64_t)index * SDSIM_SECTOR);
    return sdsim_card_write_block(port->card, now, &content);
}

static bool write_block(struct sdsim_port *port, sdsim_ps *now, const struct sdsim_transaction *tx,
                        uint32_t index, sdsim_ps *made)
{
    start_block(port, now, made);
    sdsim_fast_sd_clocks(port, now, SDSIM_PROTOCOL, SDSIM_SD_N_WR);
    move_packet(port, now, SDSIM_SECTOR);
    const bool accepted = give_block(port, tx, index, *now);
    sdsim_note_part(port, SDSIM_PART_STATUS);
    sdsim_fast_sd_clocks(port, now, SDSIM_PROTOCOL, SDSIM_SD_N_CRC + SDSIM_BUS_CRC_STATUS);
    sdsim_note_part(port, SDSIM_PART_NONE);
    return accepted;
}

/* The last block goes on its way while the driver, once the FIFO has it, goes on. Until then its
 * clocks are what the time goes to. */
static bool write_behind(struct sdsim_port *port, sdsim_ps *now, const struct sdsim_transaction *tx,
                         uint32_t index, sdsim_ps *made)
{
    const uint32_t data = data_clocks(port, SDSIM_SECTOR);
    const uint32_t status = SDSIM_SD_N_CRC + SDSIM_BUS_CRC_STATUS;
    start_block(port, now, made);
    sdsim_fast_sd_clocks(port, now, SDSIM_PROTOCOL, SDSIM_SD_N_WR + 1);
    const sdsim_ps filled = sdsim_time_sum(*now, port->sd->fifo);
    const sdsim_ps sent = sdsim_time_sum(*now, sdsim_clock_take(&port->clock, data));
    const sdsim_ps data_end = filled > sent ? filled : sent;
    const sdsim_ps frame_end = sdsim_time_sum(data_end, sdsim_clock_take(&port->clock, TAIL));
    const bool accepted = give_block(port, tx, index, frame_end);
    port->behind_until = sdsim_time_sum(frame_end, sdsim_clock_take(&port->clock, status));
    port->behind_frame = port->behind_until - data_end;
    port->meter->counters.bus_clocks += data + TAIL + status;
    sdsim_spend(port->meter, now, SDSIM_PAYLOAD, SDSIM_LANE_BUS,
                (filled < sent ? filled : sent) - *now);
    sdsim_fast_sd_until(port, now, SDSIM_GAP, filled);
    return accepted;
}

void sdsim_fast_sd_settle(struct sdsim_port *port, sdsim_ps *now)
{
    const sdsim_ps left = sdsim_time_since(port->behind_until, *now);
    port->behind_until = 0;
    if (left > 0) {
        const sdsim_ps frame = left < port->behind_frame ? left : port->behind_frame;
        sdsim_spend(port->meter, now, SDSIM_PAYLOAD, SDSIM_LANE_BUS, left - frame);
        sdsim_spend(port->meter, now, SDSIM_PROTOCOL, SDSIM_LANE_BUS, frame);
    }
}

static bool knows_block(const struct sdsim_port *port)
{
    const struct sdsim_known_block *known = &port->known;
    const struct sdsim_sd_engine *sd = port->sd;
    return known->period == port->clock.period &&
           known->data_clocks == data_clocks(port, SDSIM_SECTOR) &&
           known->block_start == sd->block_start && known->fifo == sd->fifo &&
           known->write_cpu == sd->write_cpu;
}

/* A cycle of one block was stepped, and was like those to come. */
static void remember_block(struct sdsim_port *port, const struct sdsim_cycle *snapshot,
                           sdsim_ps now)
{
    const struct sdsim_meter *meter = port->meter;
    struct sdsim_known_block *known = &port->known;
    *known = (struct sdsim_known_block){
        .period = port->clock.period,
        .data_clocks = data_clocks(port, SDSIM_SECTOR),
        .block_start = port->sd->block_start,
        .fifo = port->sd->fifo,
        .write_cpu = port->sd->write_cpu,
        .span = now - snapshot->start,
        .bus_clocks = meter->counters.bus_clocks - snapshot->bus_clocks,
    };
    for (int kind = 0; kind < SDSIM_KIND_COUNT; kind++) {
        known->ps[kind] = meter->account.ps[meter->purpose][kind] - snapshot->ps[kind];
    }
}

/* Books `times` blocks of which one was stepped before; returns how long they take. */
static sdsim_ps repeat_known(struct sdsim_port *port, sdsim_ps *now, uint64_t times)
{
    const struct sdsim_known_block *known = &port->known;
    struct sdsim_meter *meter = port->meter;
    sdsim_ps *const ps = meter->account.ps[meter->purpose];
    const sdsim_ps span = sdsim_time_times(known->span, times);
    sdsim_note_wait(meter, *now, sdsim_time_since(sdsim_card_busy(port->card).at, *now));
    for (int kind = 0; kind < SDSIM_KIND_COUNT; kind++) {
        ps[kind] += known->ps[kind] * times;
    }
    meter->counters.bus_clocks += known->bus_clocks * times;
    *now = sdsim_time_sum(*now, span);
    return span;
}

/* The `times` blocks that were passed over have gone to the card. */
static bool skip_blocks(struct sdsim_port *port, const struct sdsim_transaction *tx, uint32_t *done,
                        uint32_t times, sdsim_ps span, sdsim_ps *made)
{
    const struct sdsim_content content =
        sdsim_content_after(tx->content, (uint64_t)*done * SDSIM_SECTOR);
    *made = sdsim_time_sum(*made, span);
    *done += times;
    return sdsim_card_write_skip(port->card, times, span, &content);
}

/*
 * Steps a cycle of blocks that are alike, and repeats it; adds them to *done. False if the card
 * refused one. A cycle of one block is stepped once and for all: the block before it was alike, too,
 * so it begins with the same busy and the same check sum ahead each time.
 */
static bool write_alike(struct sdsim_port *port, sdsim_ps *now, const struct sdsim_transaction *tx,
                        uint32_t *done, uint32_t cycle, uint32_t alike, sdsim_ps *made)
{
    struct sdsim_cycle snapshot;
    const uint64_t remainder = port->clock.remainder;
    if (cycle == 1 && knows_block(port)) {
        const sdsim_ps span = repeat_known(port, now, alike);
        return skip_blocks(port, tx, done, alike, span, made);
    }
    sdsim_cycle_begin(&snapshot, port->meter, *now);
    for (uint32_t i = 0; i < cycle; i++) {
        sdsim_fast_sd_await(port, now, SDSIM_BUSY, 0, sdsim_card_busy(port->card));
        if (!write_block(port, now, tx, *done, made)) {
            return false;
        }
        ++*done;
    }
    if (port->clock.remainder != remainder) {
        return true;
    }
    if (cycle == 1) {
        remember_block(port, &snapshot, *now);
    }
    const uint32_t times = (alike - cycle) / cycle;
    const sdsim_ps span = sdsim_cycle_repeat(&snapshot, port->meter, now, times);
    return skip_blocks(port, tx, done, times * cycle, span, made);
}

void sdsim_fast_sd_write(struct sdsim_port *port, sdsim_ps *now, const struct sdsim_transaction *tx,
                         struct sdsim_result *result)
{
    const uint32_t cycle = (uint32_t)port->clock.period_den;
    const bool behind = (tx->flags & SDSIM_WRITE_BEHIND) != 0;
    const uint32_t stepped = behind ? tx->blocks - 1 : tx->blocks;
    bool accepted = true;
    uint32_t done = 0;
    sdsim_fast_sd_cpu(port, now, SDSIM_HOST, port->sd->write_cpu);
    sdsim_ps made = *now;
    while (done < tx->blocks && accepted) {
        const bool regular = sdsim_card_write_alike(port->card, 1) == 1;
        sdsim_fast_sd_await(port, now, SDSIM_BUSY, 0, sdsim_card_busy(port->card));
        accepted = done < stepped ? write_block(port, now, tx, done, &made)
                                  : write_behind(port, now, tx, done, &made);
        done += accepted ? 1 : 0;
        if (!accepted || !regular || port->meter->recorder != NULL || stepped <= done + cycle ||
            port->card->state != SDSIM_CARD_RECEIVE) {
            continue;
        }
        const uint32_t alike = sdsim_card_write_alike(port->card, stepped - done);
        if (alike >= 2 * cycle) {
            accepted = write_alike(port, now, tx, &done, cycle, alike, &made);
        }
    }
    if (!accepted) {
        result->outcome = SDSIM_OUTCOME_NOT_ACCEPTED;
    }
    if (!behind && (tx->flags & SDSIM_LEAVE_BUSY) == 0) {
        sdsim_fast_sd_await(port, now, SDSIM_BUSY, 0, sdsim_card_busy(port->card));
    }
    result->blocks_done = done;
    port->meter->counters.blocks_written += done;
}
