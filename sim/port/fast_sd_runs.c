/*
 * The blocks of the fast SD port, run by run.
 *
 * On most hosts nothing a block costs depends on the one before it: the clock's period is a whole
 * number of picoseconds, and no check sum is made in software. Then the card says how many blocks
 * follow each other in the same way, and a run of them takes its first wait, so many times a block,
 * and between them the usual wait. What the card does behind the last one is asked for as if that had
 * been stepped to; so a page group is one run.
 */
#include "port/fast.h"
#include "port/fast_sd.h"

/* What a block costs from where it may begin. */
struct block {
    sdsim_ps gap; /* the clock stands */
    sdsim_ps payload;
    sdsim_ps protocol;
    sdsim_ps end;  /* from where it begins to behind its end bit, */
    sdsim_ps over; /* and to where the next one can be waited for */
    uint64_t clocks;
};

/* What stands around the bits of a block. */
struct around {
    sdsim_ps stand_before; /* the clock stands, */
    uint32_t before;       /* then come so many clocks; */
    uint32_t behind;       /* so many behind the end bit, */
    sdsim_ps stand_behind; /* then it stands */
};

/* The usual wait between two blocks. */
struct between {
    sdsim_ps protocol; /* clocks that are due anyhow, */
    sdsim_ps card;     /* until the card is ready, */
    sdsim_ps poll;     /* and until the clock that shows it */
    uint64_t clocks;
};

bool sdsim_fast_sd_has_runs(const struct sdsim_port *port, sdsim_ps software)
{
    return port->clock.period_part == 0 && software == 0 && port->meter->recorder == NULL;
}

static sdsim_ps clocks(const struct sdsim_port *port, uint64_t count)
{
    return sdsim_time_times(port->clock.period, count);
}

static struct block measure(const struct sdsim_port *port, const struct around *around)
{
    const uint32_t data = sdsim_fast_sd_data_clocks(port, SDSIM_SECTOR);
    const uint32_t rest = around->before + 1 + SDSIM_FAST_SD_TAIL;
    const sdsim_ps payload = clocks(port, data);
    const sdsim_ps fifo = sdsim_time_since(port->sd->fifo, payload); /* beside the data */
    const sdsim_ps stand = sdsim_time_sum(around->stand_before, fifo);
    const sdsim_ps end = sdsim_time_sum(stand, clocks(port, data + rest));
    const sdsim_ps behind = sdsim_time_sum(clocks(port, around->behind), around->stand_behind);
    return (struct block){
        .gap = sdsim_time_sum(stand, around->stand_behind),
        .payload = payload,
        .protocol = clocks(port, rest + around->behind),
        .end = end,
        .over = sdsim_time_sum(end, behind),
        .clocks = data + rest + around->behind,
    };
}

/* The card is ready `after` a block's end, but at least `least` clocks are due. */
static struct between usual_wait(const struct sdsim_port *port, const struct block *block,
                                 uint32_t least, sdsim_ps after)
{
    const sdsim_ps protocol = clocks(port, least);
    const sdsim_ps passed = sdsim_time_sum(block->over - block->end, protocol);
    const sdsim_ps card = sdsim_time_since(after, passed);
    const uint64_t waited = sdsim_clock_count(&port->clock, card);
    return (struct between){
        .protocol = protocol,
        .card = card,
        .poll = clocks(port, waited) - card,
        .clocks = least + waited,
    };
}

/* From one block's beginning to the next one's. */
static sdsim_ps step(const struct block *block, const struct between *between)
{
    return sdsim_time_sum(sdsim_time_sum(block->over, between->protocol),
                          sdsim_time_sum(between->card, between->poll));
}

/* Books `count` blocks, the first of which begins at `start`, and the waits of that kind between
 * them. */
static void book(struct sdsim_meter *meter, const struct block *block,
                 const struct between *between, enum sdsim_kind kind, uint64_t count,
                 sdsim_ps start)
{
    sdsim_ps *const ps = meter->account.ps[meter->purpose];
    const uint64_t waits = count - 1;
    ps[SDSIM_GAP] += block->gap * count;
    ps[SDSIM_PAYLOAD] += block->payload * count;
    ps[SDSIM_PROTOCOL] += block->protocol * count + between->protocol * waits;
    ps[kind] += between->card * waits;
    ps[SDSIM_POLL] += between->poll * waits;
    meter->counters.bus_clocks += block->clocks * count + between->clocks * waits;
    if (waits > 0) {
        sdsim_note_wait(meter, sdsim_time_sum(start, block->over + between->protocol),
                        between->card);
    }
}

/* ---- reading ---- */

void sdsim_fast_sd_read_runs(struct sdsim_port *port, sdsim_ps *now,
                             const struct sdsim_transaction *tx, uint32_t n_ac,
                             struct sdsim_result *result)
{
    struct sdsim_card *card = port->card;
    const struct around around = {.stand_behind = port->sd->block_gap};
    const struct block block = measure(port, &around);
    uint32_t done = 0;
    for (; done < tx->blocks; n_ac = SDSIM_SD_N_AC) {
        if (sdsim_fast_sd_no_more(card)) {
            result->outcome = SDSIM_OUTCOME_NO_DATA;
            break;
        }
        const uint32_t count = sdsim_card_read_run(card, tx->blocks - done);
        const struct between between =
            usual_wait(port, &block, SDSIM_SD_N_AC, sdsim_card_read_step(card));
        const sdsim_ps others = sdsim_time_times(step(&block, &between), count - 1);
        sdsim_fast_sd_await(port, now, SDSIM_ACCESS, n_ac, sdsim_card_read_ready(card));
        book(port->meter, &block, &between, SDSIM_ACCESS, count, *now);
        sdsim_fast_sd_take(port, tx, done, count);
        const sdsim_ps last = sdsim_time_sum(*now, others);
        if (count > 1) {
            sdsim_card_read_skip(card, count - 1, others);
        }
        sdsim_card_read_done(card, sdsim_time_sum(last, block.end));
        *now = sdsim_time_sum(last, block.over);
        done += count;
    }
    result->blocks_done = done;
}

/* ---- writing ---- */

/* The blocks of a run, from `start` on, have gone to the card; how many it took. */
static uint32_t give_run(struct sdsim_port *port, const struct sdsim_transaction *tx, uint32_t done,
                         uint32_t count, sdsim_ps end, sdsim_ps step)
{
    if (count > 1) {
        const struct sdsim_content content =
            sdsim_content_after(tx->content, (uint64_t)done * SDSIM_SECTOR);
        if (!sdsim_card_write_many(port->card, count - 1, end - step, &content)) {
            return 0;
        }
    }
    return sdsim_fast_sd_give(port, tx, done + count - 1, end) ? count : count - 1;
}

bool sdsim_fast_sd_write_runs(struct sdsim_port *port, sdsim_ps *now,
                              const struct sdsim_transaction *tx, uint32_t blocks, uint32_t *done)
{
    struct sdsim_card *card = port->card;
    const struct around around = {.stand_before = port->sd->block_start,
                                  .before = SDSIM_SD_N_WR,
                                  .behind = sdsim_fast_sd_status_clocks(port)};
    const struct block block = measure(port, &around);
    const struct between between = usual_wait(port, &block, 0, card->params->flash.wn);
    const sdsim_ps each = step(&block, &between);
    bool accepted = true;
    while (*done < blocks && accepted) {
        const uint32_t others = blocks - *done - 1;
        const uint32_t alike = others > 0 && card->state == SDSIM_CARD_RECEIVE
                                   ? sdsim_card_write_alike(card, others)
                                   : 0;
        const uint32_t count = alike + 1; /* behind the last one anything may come */
        sdsim_fast_sd_await(port, now, SDSIM_BUSY, 0, sdsim_card_busy(card));
        const sdsim_ps last = sdsim_time_sum(*now, sdsim_time_times(each, alike));
        book(port->meter, &block, &between, SDSIM_BUSY, count, *now);
        const uint32_t taken =
            give_run(port, tx, *done, count, sdsim_time_sum(last, block.end), each);
        *now = sdsim_time_sum(last, block.over);
        *done += taken;
        accepted = taken == count;
    }
    return accepted;
}
