/*
 * The fast port, SD mode: a run of blocks is clocks, the card's waits and what the host adds to
 * each; alike blocks are multiplied as in SPI mode (port/fast_spi.c). This part carries out a
 * transaction; blocks are in port/fast_sd_blocks.c, waits in port/fast_sd_wait.c.
 *
 * Clock counts are those of bus/counts.h, and n_cr_clocks and n_br_clocks of the card: a controller
 * gives the clocks in which a busy may begin before it takes DAT0 for ready, as many as this card
 * needs. On reads the response overlaps the data when the card is that quick: N_AC counts from the
 * end of the command. A controller whose clock runs only while the driver takes something (engine:
 * clock_stops) first takes the response, and the data follows, but for what came beside the response
 * already. On writes the host watches DAT0 between blocks. CMD13 polls are answered while the card
 * programs; a CMD13 whose command frame ends before the card is ready says "not ready".
 *
 * Limits: the clock runs whenever something is awaited from the card; gating it costs nothing. What
 * a card sends of a block that nobody wants, before CMD12 stops it, is not modelled.
 */
#include "port/fast_sd.h"

#include <string.h>

#include "port/fast.h"

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
    sdsim_note_part(port, SDSIM_PART_COMMAND);
    sdsim_fast_sd_clocks(port, now, SDSIM_PROTOCOL, SDSIM_BUS_COMMAND);
    sdsim_note_part(port, SDSIM_PART_NONE);
    sdsim_card_command(port->card, *now, false, index, argument, reply);
}

static uint32_t gap_and_response(const struct sdsim_reply *reply, enum sdsim_response response)
{
    return reply->gap + response_clocks(response);
}

static void take_response(struct sdsim_port *port, sdsim_ps *now, const struct sdsim_reply *reply,
                          enum sdsim_response response)
{
    if (response != SDSIM_RESPONSE_NONE) {
        sdsim_note_part(port, SDSIM_PART_RESPONSE);
        sdsim_fast_sd_clocks(port, now, SDSIM_PROTOCOL, gap_and_response(reply, response));
        sdsim_note_part(port, SDSIM_PART_NONE);
    }
}

/* CMD12 sent by the controller itself: no CPU in between. */
static void auto_stop(struct sdsim_port *port, sdsim_ps *now)
{
    struct sdsim_reply reply;
    sdsim_fast_sd_clocks(port, now, SDSIM_PROTOCOL, port->sd->stop_clocks);
    sdsim_note_command(port, 12, 0, 0);
    send_frame(port, now, 12, 0, &reply);
    if (reply.answered) {
        take_response(port, now, &reply, SDSIM_RESPONSE_R1);
        sdsim_fast_sd_clocks(port, now, SDSIM_PROTOCOL, SDSIM_BUS_TRAILING);
    } else {
        sdsim_fast_sd_clocks(port, now, SDSIM_PROTOCOL, SDSIM_N_CR_MOST);
    }
}

/* What a transaction without a command goes on with. */
static enum sdsim_card_data open_transfer(const struct sdsim_card *card)
{
    return card->state == SDSIM_CARD_DATA      ? SDSIM_DATA_READ
           : card->state == SDSIM_CARD_RECEIVE ? SDSIM_DATA_WRITE
                                               : SDSIM_DATA_NONE;
}

/* How many of the `count` clocks behind a command are those of a block already. */
static uint32_t clocks_of_block(const struct sdsim_port *port, sdsim_ps now, uint32_t count)
{
    const sdsim_ps wait = sdsim_time_since(sdsim_card_read_ready(port->card).at, now);
    const uint64_t clocks = sdsim_clock_count(&port->clock, wait);
    const uint64_t first = clocks > SDSIM_SD_N_AC ? clocks : SDSIM_SD_N_AC;
    return first < count ? count - (uint32_t)first : 0;
}

/* The response and the blocks behind it, which may overlap it: they run on different lines. */
static void read(struct sdsim_port *port, sdsim_ps *now, const struct sdsim_transaction *tx,
                 const struct sdsim_reply *reply, struct sdsim_result *result)
{
    const bool command = (tx->flags & SDSIM_COMMAND) != 0;
    const uint64_t response = command ? gap_and_response(reply, tx->response) : 0;
    const uint64_t from = port->meter->counters.bus_clocks;
    struct sdsim_fast_sd_start start = {.n_ac = SDSIM_SD_N_AC};
    if (command && port->sd->clock_stops) {
        start.n_ac = 0;
        start.clocks = clocks_of_block(port, *now, (uint32_t)response);
        take_response(port, now, reply, tx->response);
        sdsim_fast_sd_cpu(port, now, SDSIM_HOST, port->sd->command_after);
    }
    sdsim_fast_sd_read(port, now, tx, reply->data == SDSIM_DATA_READ, &start, result);
    /* A response longer than everything that was read behind it ends the transaction. */
    const uint64_t given = port->meter->counters.bus_clocks - from;
    if (response > given) {
        sdsim_fast_sd_clocks(port, now, SDSIM_PROTOCOL, response - given);
    }
}

/* The blocks, and what the driver and the controller do when they are over. */
static void transfer(struct sdsim_port *port, sdsim_ps *now, const struct sdsim_transaction *tx,
                     const struct sdsim_reply *reply, struct sdsim_result *result)
{
    if (tx->direction == SDSIM_READ_BLOCKS) {
        read(port, now, tx, reply, result);
    } else {
        if ((tx->flags & SDSIM_COMMAND) != 0) {
            take_response(port, now, reply, tx->response);
        }
        sdsim_fast_sd_write(port, now, tx, result);
    }
    if ((tx->flags & SDSIM_AUTO_STOP) != 0) {
        auto_stop(port, now);
    }
    sdsim_fast_sd_cpu(port, now, SDSIM_HOST, port->sd->data_after);
    sdsim_fast_sd_cpu(port, now, SDSIM_COPY, sdsim_time_times(port->sd->copy, tx->blocks));
}

/* Sends the command; false, with the outcome, if nothing more is to be done after it. */
static bool command(struct sdsim_port *port, sdsim_ps *now, const struct sdsim_transaction *tx,
                    struct sdsim_reply *reply, struct sdsim_result *result)
{
    const struct sdsim_sd_engine *sd = port->sd;
    sdsim_fast_sd_cpu(port, now, SDSIM_HOST, sd->command_before);
    send_frame(port, now, tx->command, tx->argument, reply);
    memcpy(result->extra, reply->extra, sizeof result->extra);
    if (!reply->answered && tx->response != SDSIM_RESPONSE_NONE) {
        /* The controller gives up after N_CR's limit of 64 clocks. */
        sdsim_fast_sd_clocks(port, now, SDSIM_PROTOCOL, SDSIM_N_CR_MOST);
        sdsim_fast_sd_cpu(port, now, SDSIM_HOST, sd->command_after);
        result->outcome = SDSIM_OUTCOME_NO_RESPONSE;
        return false;
    }
    if (tx->direction != SDSIM_NO_BLOCKS && reply->data != SDSIM_DATA_NONE) {
        return true;
    }
    take_response(port, now, reply, tx->response);
    sdsim_fast_sd_clocks(port, now, SDSIM_PROTOCOL, SDSIM_BUS_TRAILING);
    sdsim_fast_sd_cpu(port, now, SDSIM_HOST, sd->command_after);
    if (tx->direction != SDSIM_NO_BLOCKS) {
        /* The response tells that there will be no data: an address beyond the end. */
        result->outcome = SDSIM_OUTCOME_REFUSED;
        return false;
    }
    return true;
}

void sdsim_fast_sd_execute(struct sdsim_port *port, sdsim_ps *now,
                           const struct sdsim_transaction *tx, struct sdsim_result *result)
{
    struct sdsim_reply reply = {.answered = true, .data = open_transfer(port->card)};
    *result = (struct sdsim_result){.outcome = SDSIM_OUTCOME_OK};
    sdsim_fast_sd_settle(port, now);
    if (!sdsim_fast_sd_wait(port, now, tx->ready)) {
        result->outcome = SDSIM_OUTCOME_NOT_READY;
        return;
    }
    if ((tx->flags & SDSIM_COMMAND) != 0) {
        if (!command(port, now, tx, &reply, result)) {
            return;
        }
    } else if (tx->direction != SDSIM_NO_BLOCKS && reply.data == SDSIM_DATA_NONE) {
        result->outcome = SDSIM_OUTCOME_REFUSED;
        return;
    }
    if (tx->direction != SDSIM_NO_BLOCKS) {
        transfer(port, now, tx, &reply, result);
    }
    if (result->outcome == SDSIM_OUTCOME_OK && !sdsim_fast_sd_wait(port, now, tx->finish)) {
        result->outcome = SDSIM_OUTCOME_STILL_BUSY;
    }
}
