#include <string.h>

#include "port/fast.h"
#include "port/fast_spi.h"

/* The search for a start token, which may begin in one burst and go on in the next. */
struct search {
    uint32_t gap; /* bytes of N_AC still due before the token may come */
    bool vain;    /* the card does not send anything */
    bool beyond;  /* what comes is an error token */
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
    sdsim_book_span(port->meter, SDSIM_PROTOCOL, SDSIM_LANE_BUS, *now, protocol);
    const sdsim_ps from = sdsim_time_sum(*now, protocol);
    *now = sdsim_time_sum(sdsim_time_sum(from, dead_time),
                          sdsim_clock_take(&port->clock, 8 * (bytes - gap)));
    sdsim_note_looks(port, from, *now, bytes);
    sdsim_book_wait(port->meter, SDSIM_ACCESS, from, *now, ready.at, ready.pause);
    search->gap -= (uint32_t)gap;
}

/* The token itself, and the `rest` bytes behind it in the same burst, which are data already. */
static void take_token(struct sdsim_port *port, sdsim_ps *now, struct search *search, uint32_t rest,
                       uint32_t block_bytes)
{
    sdsim_note_part(port, SDSIM_PART_TOKEN);
    sdsim_fast_clock_bytes(port, now, SDSIM_PROTOCOL, 1);
    sdsim_note_part(port, SDSIM_PART_DATA);
    search->found = true;
    if (search->beyond) {
        sdsim_fast_clock_bytes(port, now, SDSIM_PROTOCOL, rest);
        return;
    }
    search->got = rest < block_bytes ? rest : block_bytes;
    if (rest > 0) {
        sdsim_fast_clock_bytes(port, now, SDSIM_PAYLOAD, rest);
    }
}

/* Looks for the token in `bytes` bytes that are clocked anyhow, in a burst that runs already. */
static void scan(struct sdsim_port *port, sdsim_ps *now, struct search *search, uint32_t bytes,
                 uint32_t block_bytes)
{
    const sdsim_ps ready_at = sdsim_card_read_ready(port->card).at;
    uint32_t i = search->vain ? bytes : search->gap;
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
    const sdsim_ps dead = spi->token.before + spi->token.after;
    const sdsim_ps period = dead + spi->token_sleep;
    const uint64_t bits = 8 * (uint64_t)spi->token_look;

    /* The first look whose last byte may be the token, by time and by N_AC. */
    const sdsim_ps first = sdsim_time_sum(*now, spi->token.before);
    const uint64_t due = search->gap / spi->token_look;
    const uint64_t timely = sdsim_first_from(clock, first, period, bits, bits - 8, ready_at);
    const uint64_t look = search->vain ? UINT64_MAX : timely > due ? timely : due;

    if (spi->token_limit > 0) {
        const uint64_t last =
            sdsim_first_from(clock, *now, period, bits, 0, *now + spi->token_limit);
        if (look > last) {
            book_search(port, search, (last + 1) * spi->token_look, last * period + dead, now);
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
    sdsim_fast_dead(port, now, SDSIM_GAP, spi->token.after);
    return true;
}

/* A search for the next block of a register (`from_register`) or of the read transfer at work. */
static struct search new_search(const struct sdsim_port *port, bool from_register)
{
    const struct sdsim_card *card = port->card;
    return (struct search){
        .gap = (uint32_t)card->params->n_ac,
        .vain = !port->selected || (!from_register && card->state != SDSIM_CARD_DATA),
        .beyond = !from_register && sdsim_card_read_beyond(card),
    };
}

/* Where block `index` of a transaction goes; may be NULL. */
static uint8_t *place(const struct sdsim_transaction *tx, uint32_t index)
{
    return tx->out != NULL ? tx->out + (size_t)index * tx->block_bytes : NULL;
}

/* Block `index` of the transaction, with its token. False: no data came. */
static bool read_block(struct sdsim_port *port, sdsim_ps *now, const struct sdsim_transaction *tx,
                       struct search *search, uint32_t index, bool from_register)
{
    const struct sdsim_spi_engine *spi = port->spi;
    const bool more = index + 1 < tx->blocks;
    uint8_t *out = place(tx, index);
    if (!search->found && !look_for_token(port, now, search, tx->block_bytes)) {
        return false;
    }
    if (search->beyond) {
        sdsim_card_out_of_range(port->card);
        return false;
    }
    if (from_register && out != NULL) {
        memcpy(out, port->card->block, tx->block_bytes);
    } else if (!from_register) {
        sdsim_card_read_many(port->card, 1, out);
    }
    sdsim_fast_dead(port, now, SDSIM_GAP, spi->data.before);
    sdsim_fast_payload(port, now, tx->block_bytes - search->got, index > 0 ? spi->read_overlap : 0);
    if (!spi->crc_with_data) {
        sdsim_fast_dead(port, now, SDSIM_GAP, spi->data.after);
        sdsim_fast_dead(port, now, SDSIM_GAP, spi->crc.before);
    }
    sdsim_note_part(port, SDSIM_PART_CRC);
    sdsim_fast_clock_bytes(port, now, SDSIM_PROTOCOL, 2);
    sdsim_note_part(port, SDSIM_PART_NONE);
    if (!from_register) {
        sdsim_card_read_done(port->card, *now);
    }
    *search = new_search(port, from_register);
    if (more && spi->look_ahead > 0) {
        scan(port, now, search, spi->look_ahead, tx->block_bytes);
    } else if (!more && spi->crc_tail > 0) {
        sdsim_fast_clock_bytes(port, now, SDSIM_PROTOCOL, spi->crc_tail);
    }
    sdsim_fast_dead(port, now, SDSIM_GAP, spi->crc_with_data ? spi->data.after : spi->crc.after);
    sdsim_fast_dead(port, now, SDSIM_HOST, spi->read_cpu);
    sdsim_fast_dead(port, now, SDSIM_COPY, spi->copy);
    return true;
}

/*
 * Steps one cycle of alike blocks and multiplies it, if as many as that follow. A cycle that does
 * not leave the clock with the remainder it began with does not repeat: looks whose number depends
 * on it came in between. Its blocks are done all the same. False: no data came.
 */
static bool read_cycle(struct sdsim_port *port, sdsim_ps *now, const struct sdsim_transaction *tx,
                       struct search *search, uint32_t *done)
{
    const uint32_t cycle = (uint32_t)port->clock.period_den;
    /* The last block is special (no look-ahead), and so is the one before a block that is. */
    const uint32_t behind = tx->blocks - *done;
    if (port->meter->recorder != NULL || behind <= cycle + 2) {
        return true;
    }
    const uint32_t alike = sdsim_card_read_alike(port->card, behind - 1);
    if (alike <= 2 * cycle) {
        return true;
    }
    struct sdsim_cycle snapshot;
    const uint64_t remainder = port->clock.remainder;
    sdsim_cycle_begin(&snapshot, port->meter, *now);
    for (uint32_t i = 0; i < cycle; i++) {
        if (!read_block(port, now, tx, search, *done, false)) {
            return false;
        }
        (*done)++;
    }
    const uint32_t times = (alike - 1 - cycle) / cycle;
    if (times == 0 || port->clock.remainder != remainder) {
        return true;
    }
    const sdsim_ps span = sdsim_cycle_repeat(&snapshot, port->meter, now, times);
    sdsim_card_read_many(port->card, times * cycle, place(tx, *done));
    /* All the card saw of the cycle is later by the same span. */
    sdsim_card_read_skip(port->card, times * cycle, span);
    *done += times * cycle;
    return true;
}

void sdsim_fast_spi_read(struct sdsim_port *port, sdsim_ps *now, const struct sdsim_transaction *tx,
                         uint32_t window_left, bool from_register, struct sdsim_result *result)
{
    struct search search = new_search(port, from_register);
    if (window_left != SDSIM_FAST_BURST_OVER) {
        scan(port, now, &search, window_left, tx->block_bytes);
        sdsim_fast_dead(port, now, SDSIM_GAP, port->spi->command.after);
    }
    uint32_t done = 0;
    bool data = true;
    while (data && done < tx->blocks) {
        data = read_block(port, now, tx, &search, done, from_register);
        done += data ? 1 : 0;
        if (data && !from_register) {
            data = read_cycle(port, now, tx, &search, &done);
        }
    }
    if (!data) {
        result->outcome = SDSIM_OUTCOME_NO_DATA;
    }
    result->blocks_done = done;
    if (!from_register) {
        port->meter->counters.blocks_read += done;
    }
}
