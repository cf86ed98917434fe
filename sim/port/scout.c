#include "port/scout.h"

#include "port/fast.h"

/* Response bytes behind R1 that the card has for a command, in SPI mode. */
static unsigned answer_bytes(uint8_t command)
{
    return command == 13 ? 1 : command == 8 || command == 58 ? 4 : 0;
}

static unsigned expected_bytes(enum sdsim_response response)
{
    return response == SDSIM_RESPONSE_R2 ? 1 : response == SDSIM_RESPONSE_R3 ? 4 : 0;
}

/* Whether the host has read, or dropped, all that a card which was not busy answers. */
static bool answer_taken(const struct sdsim_port *port, const struct sdsim_transaction *tx)
{
    const unsigned bytes = answer_bytes(tx->command);
    return !port->selected || tx->direction != SDSIM_NO_BLOCKS ||
           (bytes == expected_bytes(tx->response) &&
            (bytes == 0 || port->spi->response_window == 0));
}

/* Whether bytes may have been clocked, with CS low, behind the last block of a read. */
static bool clocked_behind(const struct sdsim_port *port, const struct sdsim_transaction *tx)
{
    return port->spi->crc_tail > 0 || tx->finish != NULL || (port->selected && tx->trail_bytes > 0);
}

/* Whether the wire port could take over behind a transaction in SPI mode, with the state of the bus
 * before it. */
static bool spi_clean(const struct sdsim_port *port, const struct sdsim_transaction *tx,
                      const struct sdsim_result *result, bool clean, bool busy)
{
    const bool reading = port->card->state == SDSIM_CARD_DATA;
    if (result->outcome != SDSIM_OUTCOME_OK || port->by_byte) {
        return false;
    }
    if ((tx->flags & SDSIM_COMMAND) != 0) {
        if (!answer_taken(port, tx) || (busy && port->selected)) {
            return false;
        }
        return !reading || (tx->direction == SDSIM_READ_BLOCKS && !clocked_behind(port, tx));
    }
    if (tx->direction == SDSIM_READ_BLOCKS) {
        return !reading || !clocked_behind(port, tx);
    }
    /* Clocks that are no part of a transfer count as N_AC of an open read. */
    return clean && !reading;
}

/* The same in SD mode, where the controller takes all of a response. A block that was left to it is on
 * its way still; how far the card is with the clocks behind a block of an open read is not known. */
static bool sd_clean(const struct sdsim_port *port, const struct sdsim_result *result)
{
    return result->outcome == SDSIM_OUTCOME_OK && port->behind_until == 0 &&
           port->card->state != SDSIM_CARD_DATA;
}

static bool is_clean(const struct sdsim_scout *scout, const struct sdsim_transaction *tx,
                     const struct sdsim_result *result, bool busy)
{
    return scout->port.mode == SDSIM_BUS_SPI
               ? spi_clean(&scout->port, tx, result, scout->clean, busy)
               : sd_clean(&scout->port, result);
}

/* The part of `clocks` from `start` to `end` that lies in the window. */
static uint64_t share(const struct sdsim_scout *scout, uint64_t clocks, sdsim_ps start,
                      sdsim_ps end)
{
    const sdsim_ps from = start > scout->from ? start : scout->from;
    const sdsim_ps to = end < scout->to ? end : scout->to;
    if (from >= to) {
        return 0;
    }
    return (uint64_t)((double)clocks * (double)(to - from) / (double)(end - start));
}

static void note_border(struct sdsim_scout *scout, uint64_t clocks)
{
    if (clocks > scout->last.clocks) {
        scout->before = scout->last;
    }
    scout->last = (struct sdsim_border){.transaction = scout->transactions, .clocks = clocks};
}

void sdsim_port_cut(sdsim_ps *now, struct sdsim_result *result)
{
    *result = (struct sdsim_result){.outcome = SDSIM_OUTCOME_NO_RESPONSE, .r1 = 0xFF};
    *now = sdsim_time_sum(*now, 86400 * SDSIM_S);
}

void sdsim_scout_finish(struct sdsim_scout *scout, sdsim_ps end)
{
    if (!scout->found && end > scout->from) {
        scout->first = scout->last.transaction;
        scout->found = true;
    }
}

static void execute(struct sdsim_port *port, sdsim_ps *now, const struct sdsim_transaction *tx,
                    struct sdsim_result *result)
{
    struct sdsim_scout *scout = (struct sdsim_scout *)port;
    if (scout->cut || *now >= scout->to) {
        sdsim_scout_finish(scout, *now); /* of a window between two transactions */
        scout->cut = true;
        sdsim_port_cut(now, result);
        return;
    }
    const sdsim_ps start = *now;
    const uint64_t clocks = port->meter->counters.bus_clocks;
    const bool busy = tx->ready == NULL && sdsim_card_busy(port->card).at > start;
    if (scout->clean) {
        note_border(scout, clocks);
    }
    sdsim_fast_execute(port, now, tx, result);
    const uint64_t taken = port->meter->counters.bus_clocks - clocks;
    if (*now > scout->from) {
        if (!scout->found) {
            scout->first =
                scout->last.clocks < clocks ? scout->last.transaction : scout->before.transaction;
            scout->found = true;
        }
        scout->clocks += share(scout, taken, start, *now);
    }
    scout->clean = is_clean(scout, tx, result, busy);
    scout->transactions++;
}

static const struct sdsim_port_ops scout_ops = {.name = "scout", .execute = execute};

void sdsim_scout_init(struct sdsim_scout *scout, enum sdsim_bus_mode mode, struct sdsim_card *card,
                      struct sdsim_meter *meter, sdsim_ps from, sdsim_ps to)
{
    *scout = (struct sdsim_scout){
        .port = {.ops = &scout_ops, .mode = mode, .meter = meter, .card = card},
        .from = from,
        .to = to,
        .clean = true,
    };
}
