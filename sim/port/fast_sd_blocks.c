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

/* Start bit, data bits and the CPU beside them, check sum and end bit. */
static void move_packet(struct sdsim_port *port, sdsim_ps *now, uint32_t bytes)
{
    sdsim_note_part(port, SDSIM_PART_CRC);
    sdsim_fast_sd_clocks(port, now, SDSIM_PROTOCOL, 1);
    const sdsim_ps from = *now;
    sdsim_note_part(port, SDSIM_PART_DATA);
    sdsim_fast_sd_clocks(port, now, SDSIM_PAYLOAD, sdsim_fast_sd_data_clocks(port, bytes));
    sdsim_fast_sd_until(port, now, SDSIM_GAP, sdsim_time_sum(from, port->sd->fifo));
    sdsim_note_part(port, SDSIM_PART_CRC);
    sdsim_fast_sd_clocks(port, now, SDSIM_PROTOCOL, SDSIM_FAST_SD_TAIL);
    sdsim_note_part(port, SDSIM_PART_NONE);
}

/* The same when the first `over` clocks of it, one at least, have gone by already. */
static void finish_packet(struct sdsim_port *port, sdsim_ps *now, uint32_t bytes, uint32_t over)
{
    const sdsim_ps from = *now;
    const uint32_t data = sdsim_fast_sd_data_clocks(port, bytes);
    const uint32_t data_over = over - 1 < data ? over - 1 : data;
    const uint32_t tail_over =
        over - 1 - data_over < SDSIM_FAST_SD_TAIL ? over - 1 - data_over : SDSIM_FAST_SD_TAIL;
    sdsim_note_part(port, SDSIM_PART_DATA);
    sdsim_fast_sd_clocks(port, now, SDSIM_PAYLOAD, data - data_over);
    sdsim_fast_sd_until(port, now, SDSIM_GAP, sdsim_time_sum(from, port->sd->fifo));
    sdsim_note_part(port, SDSIM_PART_CRC);
    sdsim_fast_sd_clocks(port, now, SDSIM_PROTOCOL, SDSIM_FAST_SD_TAIL - tail_over);
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

/* Steps a cycle of blocks that are alike, and repeats it; returns how many blocks that were. */
static uint32_t read_alike(struct sdsim_port *port, sdsim_ps *now,
                           const struct sdsim_transaction *tx, uint32_t done, uint32_t cycle,
                           uint32_t alike, sdsim_ps *checked)
{
    struct sdsim_cycle snapshot;
    const uint64_t remainder = port->clock.remainder;
    sdsim_cycle_begin(&snapshot, port->meter, *now);
    for (uint32_t i = 0; i < cycle; i++) {
        sdsim_fast_sd_take(port, tx, done + i, 1);
        read_block(port, now, tx, true, &next_start, checked);
    }
    if (port->clock.remainder != remainder) {
        return cycle; /* waits whose length depends on it: the cycle does not repeat */
    }
    const uint32_t times = (alike - 1 - cycle) / cycle;
    const uint32_t blocks = times * cycle;
    sdsim_fast_sd_take(port, tx, done + cycle, blocks);
    const sdsim_ps span = *now - snapshot.start;
    const sdsim_ps all = sdsim_cycle_repeat(&snapshot, port->meter, now, times);
    sdsim_card_read_skip(port->card, blocks, all);
    repeat_checks(checked, *now, span, sdsim_time_times(port->sd->read_cpu, cycle), times);
    return cycle + blocks;
}

/* Block by block, and by cycles of blocks that are alike. */
static void read_steps(struct sdsim_port *port, sdsim_ps *now, const struct sdsim_transaction *tx,
                       bool from_medium, const struct sdsim_fast_sd_start *start,
                       struct sdsim_result *result)
{
    const uint32_t cycle = (uint32_t)port->clock.period_den;
    sdsim_ps checked = *now;
    uint32_t done = 0;
    while (done < tx->blocks) {
        if (from_medium && sdsim_fast_sd_no_more(port->card)) {
            result->outcome = SDSIM_OUTCOME_NO_DATA;
            break;
        }
        if (from_medium) {
            sdsim_fast_sd_take(port, tx, done, 1);
        } else if (tx->out != NULL) {
            memcpy(tx->out + (size_t)done * tx->block_bytes, port->card->block, tx->block_bytes);
        }
        read_block(port, now, tx, from_medium, done == 0 ? start : &next_start, &checked);
        done++;
        /* Blocks of a lone read or register have nothing in common to multiply; streams do. */
        if (port->meter->recorder == NULL && tx->blocks - done > cycle + 1 &&
            !sdsim_fast_sd_no_more(port->card)) {
            const uint32_t alike = sdsim_card_read_alike(port->card, tx->blocks - done);
            if (alike > 2 * cycle) {
                done += read_alike(port, now, tx, done, cycle, alike, &checked);
            }
        }
    }
    sdsim_fast_sd_until(port, now, SDSIM_HOST, checked);
    result->blocks_done = done;
}

void sdsim_fast_sd_read(struct sdsim_port *port, sdsim_ps *now, const struct sdsim_transaction *tx,
                        bool from_medium, const struct sdsim_fast_sd_start *start,
                        struct sdsim_result *result)
{
    if (from_medium && start->clocks == 0 && sdsim_fast_sd_has_runs(port, port->sd->read_cpu)) {
        sdsim_fast_sd_read_runs(port, now, tx, start->n_ac, result);
    } else {
        read_steps(port, now, tx, from_medium, start, result);
    }
    if (from_medium) {
        port->meter->counters.blocks_read += result->blocks_done;
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

static bool write_block(struct sdsim_port *port, sdsim_ps *now, const struct sdsim_transaction *tx,
                        uint32_t index, sdsim_ps *made)
{
    start_block(port, now, made);
    sdsim_fast_sd_clocks(port, now, SDSIM_PROTOCOL, SDSIM_SD_N_WR);
    move_packet(port, now, SDSIM_SECTOR);
    const bool accepted = sdsim_fast_sd_give(port, tx, index, *now);
    sdsim_note_part(port, SDSIM_PART_STATUS);
    sdsim_fast_sd_clocks(port, now, SDSIM_PROTOCOL, sdsim_fast_sd_status_clocks(port));
    sdsim_note_part(port, SDSIM_PART_NONE);
    return accepted;
}

/* The last block goes on its way while the driver, once the FIFO has it, goes on. Until then its
 * clocks are what the time goes to. */
static bool write_behind(struct sdsim_port *port, sdsim_ps *now, const struct sdsim_transaction *tx,
                         uint32_t index, sdsim_ps *made)
{
    const uint32_t data = sdsim_fast_sd_data_clocks(port, SDSIM_SECTOR);
    const uint32_t status = sdsim_fast_sd_status_clocks(port);
    start_block(port, now, made);
    sdsim_fast_sd_clocks(port, now, SDSIM_PROTOCOL, SDSIM_SD_N_WR + 1);
    const sdsim_ps filled = sdsim_time_sum(*now, port->sd->fifo);
    const sdsim_ps sent = sdsim_time_sum(*now, sdsim_clock_take(&port->clock, data));
    const sdsim_ps data_end = filled > sent ? filled : sent;
    const sdsim_ps frame_end =
        sdsim_time_sum(data_end, sdsim_clock_take(&port->clock, SDSIM_FAST_SD_TAIL));
    const bool accepted = sdsim_fast_sd_give(port, tx, index, frame_end);
    port->behind_until = sdsim_time_sum(frame_end, sdsim_clock_take(&port->clock, status));
    port->behind_frame = port->behind_until - data_end;
    port->meter->counters.bus_clocks += data + SDSIM_FAST_SD_TAIL + status;
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

/* Steps a cycle of blocks that are alike, and repeats it; adds them to *done. False if the card
 * refused one. */
static bool write_alike(struct sdsim_port *port, sdsim_ps *now, const struct sdsim_transaction *tx,
                        uint32_t *done, uint32_t cycle, uint32_t alike, sdsim_ps *made)
{
    struct sdsim_cycle snapshot;
    const uint64_t remainder = port->clock.remainder;
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
    const uint32_t times = (alike - cycle) / cycle;
    const sdsim_ps span = sdsim_cycle_repeat(&snapshot, port->meter, now, times);
    return skip_blocks(port, tx, done, times * cycle, span, made);
}

/* Block by block, and by cycles of blocks that are alike, up to `blocks`; false if the card refused
 * one. */
static bool write_steps(struct sdsim_port *port, sdsim_ps *now, const struct sdsim_transaction *tx,
                        uint32_t blocks, uint32_t *done, sdsim_ps *made)
{
    const uint32_t cycle = (uint32_t)port->clock.period_den;
    bool accepted = true;
    while (*done < blocks && accepted) {
        const bool regular = sdsim_card_write_alike(port->card, 1) == 1;
        sdsim_fast_sd_await(port, now, SDSIM_BUSY, 0, sdsim_card_busy(port->card));
        accepted = write_block(port, now, tx, *done, made);
        *done += accepted ? 1 : 0;
        if (!accepted || !regular || port->meter->recorder != NULL || blocks <= *done + cycle ||
            port->card->state != SDSIM_CARD_RECEIVE) {
            continue;
        }
        const uint32_t alike = sdsim_card_write_alike(port->card, blocks - *done);
        if (alike >= 2 * cycle) {
            accepted = write_alike(port, now, tx, done, cycle, alike, made);
        }
    }
    return accepted;
}

void sdsim_fast_sd_write(struct sdsim_port *port, sdsim_ps *now, const struct sdsim_transaction *tx,
                         struct sdsim_result *result)
{
    const bool behind = (tx->flags & SDSIM_WRITE_BEHIND) != 0;
    const uint32_t awaited = behind ? tx->blocks - 1 : tx->blocks;
    uint32_t done = 0;
    sdsim_fast_sd_cpu(port, now, SDSIM_HOST, port->sd->write_cpu);
    sdsim_ps made = *now;
    bool accepted = sdsim_fast_sd_has_runs(port, port->sd->write_cpu)
                        ? sdsim_fast_sd_write_runs(port, now, tx, awaited, &done)
                        : write_steps(port, now, tx, awaited, &done, &made);
    if (accepted && behind) {
        sdsim_fast_sd_await(port, now, SDSIM_BUSY, 0, sdsim_card_busy(port->card));
        accepted = write_behind(port, now, tx, done, &made);
        done += accepted ? 1 : 0;
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
