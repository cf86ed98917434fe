#include "capture/spi_decoder_parts.h"

/* True for the codes of a data response. */
static bool is_data_response(uint8_t byte)
{
    const unsigned code = byte & SDSIM_DATA_RESPONSE_MASK;
    return code == SDSIM_DATA_ACCEPTED || code == SDSIM_DATA_CRC_ERROR ||
           code == SDSIM_DATA_WRITE_ERROR;
}

static void card_stray(struct sdsim_spi_decoder *d, const struct sdsim_spi_byte *b)
{
    sdsim_spi_add_stray(&d->card_stray, b, b->miso);
}

/* Ones and then zeros: the line fell in the middle of the byte. */
static bool falls(uint8_t byte)
{
    const unsigned zeros = (unsigned)~byte & 0xFFu;
    return byte != SDSIM_SPI_HIGH && (zeros & (zeros + 1)) == 0;
}

/* Zeros and then ones: it rose. */
static bool rises(uint8_t byte)
{
    return byte != SDSIM_SPI_BUSY && (byte & (byte + 1)) == 0;
}

/* ---- busy ---- */

static void begin_busy(struct sdsim_spi_decoder *d, const struct sdsim_spi_byte *b)
{
    d->busy = (struct sdsim_spi_busy){
        .count = 1,
        .first = b->miso,
        .at = b->at,
        .start = b->start,
        .gap = d->quiet,
        .gap_time = sdsim_time_since(b->start, d->quiet_end),
        .resumed = d->busy.hidden,
    };
    sdsim_spi_mean(d, b->end);
}

/* True if the byte is busy, or the one in which busy ends. A command sent into a busy card may end
 * it by its response (CMD0), which then looks like a line that rises. */
static bool take_busy(struct sdsim_spi_decoder *d, const struct sdsim_spi_byte *b)
{
    if (d->busy.count == 0) {
        return false;
    }
    if (b->miso == SDSIM_SPI_BUSY) {
        d->busy.count++;
        d->asked.looked += d->due == SDSIM_SPI_DUE_RESPONSE;
        sdsim_spi_mean(d, b->end);
        return true;
    }
    sdsim_spi_tell_busy(d, b->start, false);
    return rises(b->miso) && (d->due != SDSIM_SPI_DUE_RESPONSE || b->miso != SDSIM_SPI_R1_IDLE);
}

/* ---- responses ---- */

/* What follows from a response that is complete. */
static void apply_response(struct sdsim_spi_decoder *d)
{
    const struct sdsim_spi_asked *asked = &d->asked;
    const struct sdsim_spi_command *command = sdsim_spi_command(asked->index, asked->app);
    const uint8_t r1 = asked->response[0];
    if ((asked->index == 12 && (r1 & SDSIM_SPI_R1_CRC) == 0) || asked->index == 0) {
        d->transfer = (struct sdsim_spi_transfer){.index = asked->index};
    }
    if ((r1 & ~SDSIM_SPI_R1_IDLE) != 0) {
        return;
    }
    if (asked->index == 16 && !asked->app && asked->argument > 0 &&
        asked->argument <= SDSIM_SPI_MOST_BLOCK) {
        d->block_length = (uint16_t)asked->argument;
    }
    if (asked->index == 58 && asked->count == SDSIM_SPI_R3_SIZE) {
        d->high_capacity = (asked->response[1] & 0xC0) == 0xC0;
    }
    const bool reads = sdsim_spi_command_reads(command, asked->argument);
    const bool writes = sdsim_spi_command_writes(command, asked->argument);
    if (reads || writes) {
        d->transfer = (struct sdsim_spi_transfer){
            .reads = reads,
            .writes = writes,
            .multiple = command->multiple,
            .index = asked->index,
            .app = asked->app,
            .block_bytes = command->bytes > 0 ? command->bytes
                           : d->high_capacity ? 512
                                              : d->block_length,
        };
    }
}

static void finish_response(struct sdsim_spi_decoder *d)
{
    sdsim_spi_tell_response(d);
    apply_response(d);
    d->due = d->transfer.reads ? SDSIM_SPI_DUE_TOKEN : SDSIM_SPI_DUE_NOTHING;
    d->busy.hidden = false;
}

static void take_response(struct sdsim_spi_decoder *d, const struct sdsim_spi_byte *b)
{
    struct sdsim_spi_asked *asked = &d->asked;
    if (asked->count == 0) {
        if ((b->miso & 0x80) != 0) {
            asked->looked++;
            if (b->miso != SDSIM_SPI_HIGH) {
                card_stray(d, b);
            }
            return;
        }
        sdsim_spi_tell_strays(d);
        asked->first = *b;
        asked->gap = asked->looked;
        if ((b->miso & (SDSIM_SPI_R1_ILLEGAL | SDSIM_SPI_R1_CRC)) != 0) {
            asked->size = 1; /* a command that was refused has nothing to add */
        }
    }
    asked->response[asked->count++] = b->miso;
    asked->last_end = b->end;
    sdsim_spi_mean(d, b->end);
    if (b->answer_ends) {
        asked->size = asked->count;
    }
    if (asked->count >= asked->size) {
        finish_response(d);
    }
}

/* The host stops waiting. A response in the place of the stuff byte is one after all if there was
 * no other. */
static void give_up_response(struct sdsim_spi_decoder *d, bool over)
{
    struct sdsim_spi_asked *asked = &d->asked;
    if (asked->count == 0 && asked->index == 12 && asked->looked > 0 && !asked->busy &&
        (asked->stuff.miso & 0x80) == 0) {
        asked->first = asked->stuff;
        asked->response[asked->count++] = asked->stuff.miso;
        asked->last_end = asked->stuff.end;
        asked->gap = 0;
    }
    if (asked->count > 0) {
        sdsim_spi_tell_response(d);
        apply_response(d);
    } else {
        sdsim_spi_tell_no_response(d, over);
    }
}

/* ---- blocks that are read ---- */

/* A block that was only guessed at leaves no trace, and no transfer if it was the first. */
static void cut_block(struct sdsim_spi_decoder *d)
{
    if (d->block.guess) {
        d->transfer.reads = d->transfer.block > 0;
        return;
    }
    sdsim_spi_tell_block(d, SDSIM_ITEM_CRC_MISSING, true);
    d->transfer.reads = d->transfer.multiple;
    d->transfer.torn = true;
}

static void finish_read_block(struct sdsim_spi_decoder *d)
{
    const enum sdsim_item_crc crc = sdsim_spi_block_crc(&d->block);
    const bool guess = d->block.guess;
    if (guess && crc != SDSIM_ITEM_CRC_RIGHT) {
        cut_block(d);
    } else {
        sdsim_spi_tell_block(d, crc, false);
        d->transfer.reads = d->transfer.multiple;
        d->transfer.torn = false;
    }
    d->due = d->transfer.reads ? SDSIM_SPI_DUE_TOKEN : SDSIM_SPI_DUE_NOTHING;
}

/* In a stream that was torn only a block with a right CRC is believed. */
static void take_token(struct sdsim_spi_decoder *d, const struct sdsim_spi_byte *b)
{
    if (b->miso == SDSIM_TOKEN_START) {
        sdsim_spi_tell_strays(d);
        sdsim_spi_begin_block(d, b, false, d->transfer.torn);
        d->due = SDSIM_SPI_DUE_BLOCK;
    } else if (d->transfer.torn) {
        return;
    } else if (sdsim_data_error_token(b->miso)) {
        sdsim_spi_tell_strays(d);
        sdsim_spi_tell_token(d, SDSIM_ITEM_ERROR_TOKEN, b, b->miso);
        d->transfer.told = true;
        d->transfer.reads = d->transfer.multiple;
        d->due = d->transfer.reads ? SDSIM_SPI_DUE_TOKEN : SDSIM_SPI_DUE_NOTHING;
    } else if (b->miso == SDSIM_SPI_BUSY) {
        begin_busy(d, b);
    } else if (b->miso != SDSIM_SPI_HIGH) {
        card_stray(d, b);
    }
}

/* ---- written blocks ---- */

static void take_data_response(struct sdsim_spi_decoder *d, const struct sdsim_spi_byte *b)
{
    if (b->miso == SDSIM_SPI_HIGH) {
        return;
    }
    d->due = SDSIM_SPI_DUE_NOTHING;
    if (d->block.guess) {
        d->block.guess = false;
        if (!is_data_response(b->miso)) {
            d->transfer.writes = d->transfer.block > 0;
            return;
        }
        sdsim_spi_tell_block(d, sdsim_spi_block_crc(&d->block), false);
    }
    if (b->miso == SDSIM_SPI_BUSY) {
        begin_busy(d, b);
    } else {
        sdsim_spi_tell_token(d, SDSIM_ITEM_DATA_RESPONSE, b, b->miso);
    }
}

/* While the host writes a block the card has nothing to say, unless the block had no CRC and this
 * is where it answers already. */
static void take_during_block(struct sdsim_spi_decoder *d, const struct sdsim_spi_byte *b)
{
    struct sdsim_spi_block *block = &d->block;
    if (b->miso == SDSIM_SPI_HIGH) {
        return;
    }
    if (block->count < block->size || !is_data_response(b->miso)) {
        card_stray(d, b);
        return;
    }
    d->sending = false;
    block->guess = false;
    sdsim_spi_tell_strays(d);
    d->quiet = block->count - block->size;
    block->end = block->data_end;
    sdsim_spi_tell_block(d, SDSIM_ITEM_CRC_MISSING, false);
    d->quiet_end = block->end;
    d->transfer.writes = d->transfer.multiple;
    sdsim_spi_tell_token(d, SDSIM_ITEM_DATA_RESPONSE, b, b->miso);
}

/* ---- the line ---- */

static void take_unasked(struct sdsim_spi_decoder *d, const struct sdsim_spi_byte *b)
{
    if (d->sending) {
        take_during_block(d, b);
    } else if (d->lost && b->miso == SDSIM_TOKEN_START && d->miso == SDSIM_SPI_HIGH) {
        d->transfer = (struct sdsim_spi_transfer){
            .reads = true, .multiple = true, .index = 18, .block_bytes = d->block_length};
        sdsim_spi_begin_block(d, b, false, true);
        d->due = SDSIM_SPI_DUE_BLOCK;
    } else if (falls(b->miso)) {
        begin_busy(d, b);
    } else if (b->miso != SDSIM_SPI_HIGH) {
        card_stray(d, b);
    } else if (d->quiet > 1) {
        d->busy.hidden = false;
    }
}

void sdsim_spi_take_card(struct sdsim_spi_decoder *d, const struct sdsim_spi_byte *b)
{
    if (d->due == SDSIM_SPI_DUE_STUFF) {
        d->asked.stuff = *b;
        d->due = SDSIM_SPI_DUE_RESPONSE;
        (void)take_busy(d, b);
        return;
    }
    if (take_busy(d, b)) {
        return;
    }
    if (b->miso == SDSIM_SPI_HIGH && d->card_stray.count > 0) {
        sdsim_spi_tell_stray(d, &d->card_stray);
    }
    switch (d->due) {
    case SDSIM_SPI_DUE_STUFF:
    case SDSIM_SPI_DUE_NOTHING:
        take_unasked(d, b);
        break;
    case SDSIM_SPI_DUE_RESPONSE:
        take_response(d, b);
        break;
    case SDSIM_SPI_DUE_TOKEN:
        take_token(d, b);
        break;
    case SDSIM_SPI_DUE_BLOCK:
        if (sdsim_spi_add_to_block(d, b, b->miso)) {
            finish_read_block(d);
        }
        break;
    case SDSIM_SPI_DUE_DATA_RESPONSE:
        take_data_response(d, b);
        break;
    }
}

void sdsim_spi_give_up(struct sdsim_spi_decoder *d, bool over)
{
    switch (d->due) {
    case SDSIM_SPI_DUE_STUFF:
    case SDSIM_SPI_DUE_RESPONSE:
        give_up_response(d, over);
        break;
    case SDSIM_SPI_DUE_TOKEN:
        if (!d->transfer.told && d->transfer.block == 0) {
            sdsim_spi_tell_no_data(d, over);
            d->transfer.told = true;
        }
        break;
    case SDSIM_SPI_DUE_BLOCK:
        cut_block(d);
        break;
    case SDSIM_SPI_DUE_DATA_RESPONSE:
        d->transfer.writes = d->transfer.writes && (!d->block.guess || d->transfer.block > 0);
        d->block.guess = false;
        break;
    case SDSIM_SPI_DUE_NOTHING:
        break;
    }
    d->due = d->transfer.reads ? SDSIM_SPI_DUE_TOKEN : SDSIM_SPI_DUE_NOTHING;
}
