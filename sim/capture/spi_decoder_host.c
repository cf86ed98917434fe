#include <string.h>

#include "capture/spi_decoder_parts.h"

/* ---- blocks, either way ---- */

void sdsim_spi_begin_block(struct sdsim_spi_decoder *d, const struct sdsim_spi_byte *token,
                           bool from_host, bool guess)
{
    struct sdsim_spi_block *block = &d->block;
    block->from_host = from_host;
    block->guess = guess;
    block->token = *token;
    block->gap = d->host_quiet;
    block->gap_time = sdsim_time_since(token->start, d->host_quiet_end);
    block->busy = from_host && d->busy.count > 0;
    block->size = d->transfer.block_bytes;
    block->count = 0;
    block->data_start = block->data_end = block->end = token->end;
    sdsim_spi_mean(d, token->end);
}

bool sdsim_spi_add_to_block(struct sdsim_spi_decoder *d, const struct sdsim_spi_byte *b,
                            uint8_t byte)
{
    struct sdsim_spi_block *block = &d->block;
    if (block->count == 0) {
        block->data_start = b->start;
    }
    block->bytes[block->count++] = byte;
    if (block->count <= block->size) {
        block->data_end = b->end;
    }
    block->end = b->end;
    sdsim_spi_mean(d, b->end);
    return block->count == block->size + 2;
}

enum sdsim_item_crc sdsim_spi_block_crc(const struct sdsim_spi_block *block)
{
    const uint8_t *crc = block->bytes + block->size;
    const uint16_t sent = (uint16_t)(crc[0] << 8 | crc[1]);
    if (sent == sdsim_crc16(block->bytes, block->size)) {
        return SDSIM_ITEM_CRC_RIGHT;
    }
    return sent == 0xFFFF ? SDSIM_ITEM_CRC_DUMMY : SDSIM_ITEM_CRC_WRONG;
}

/* ---- frames ---- */

/* What hosts send instead of a CRC7: nothing, the one of CMD0, the one of CMD8. */
static bool is_dummy(uint8_t crc)
{
    return crc == 0x01 || crc == 0x95 || crc == 0x87 || crc == 0xFF;
}

enum sdsim_item_crc sdsim_spi_frame_crc(const struct sdsim_spi_collected *frame)
{
    uint8_t covered[5];
    for (unsigned i = 0; i < sizeof covered; i++) {
        covered[i] = frame->bytes[i].mosi;
    }
    if (frame->bytes[5].mosi == sdsim_crc7_byte(covered, sizeof covered)) {
        return SDSIM_ITEM_CRC_RIGHT;
    }
    return is_dummy(frame->bytes[5].mosi) ? SDSIM_ITEM_CRC_DUMMY : SDSIM_ITEM_CRC_WRONG;
}

static uint32_t frame_argument(const struct sdsim_spi_collected *frame)
{
    return (uint32_t)frame->bytes[1].mosi << 24 | (uint32_t)frame->bytes[2].mosi << 16 |
           (uint32_t)frame->bytes[3].mosi << 8 | frame->bytes[4].mosi;
}

/* While a block is read the host may send anything. */
static bool within_read_block(const struct sdsim_spi_decoder *d)
{
    return d->due == SDSIM_SPI_DUE_BLOCK && !d->block.guess;
}

static bool may_start(const struct sdsim_spi_decoder *d, uint8_t byte)
{
    if (!sdsim_spi_frame_starts(byte)) {
        return false;
    }
    if (within_read_block(d)) {
        return byte == (0x40 | 12) || byte == (0x40 | 0);
    }
    return (d->certain && !d->block.guess) || d->mosi == SDSIM_SPI_HIGH;
}

static bool is_believed(const struct sdsim_spi_decoder *d)
{
    const enum sdsim_item_crc crc = sdsim_spi_frame_crc(&d->frame);
    if (within_read_block(d)) {
        return crc == SDSIM_ITEM_CRC_RIGHT ||
               (d->frame.bytes[0].mosi == (0x40 | 12) && frame_argument(&d->frame) == 0);
    }
    return (d->certain && d->due != SDSIM_SPI_DUE_BLOCK) || crc == SDSIM_ITEM_CRC_RIGHT ||
           crc == SDSIM_ITEM_CRC_DUMMY;
}

static void begin_frame(struct sdsim_spi_decoder *d, const struct sdsim_spi_byte *b)
{
    d->frame.bytes[0] = *b;
    d->frame.count = 1;
    d->frame.gap = d->host_quiet;
    d->frame.gap_time = sdsim_time_since(b->start, d->host_quiet_end);
    d->frame.busy = d->busy.count > 0;
}

void sdsim_spi_drop_frame(struct sdsim_spi_decoder *d)
{
    for (unsigned i = 0; i < d->frame.count; i++) {
        sdsim_spi_add_stray(&d->host_stray, &d->frame.bytes[i], d->frame.bytes[i].mosi);
    }
    d->frame.count = 0;
}

/* The six bytes are no command: perhaps one begins at a later one of them. */
static void rescan_frame(struct sdsim_spi_decoder *d)
{
    struct sdsim_spi_collected *frame = &d->frame;
    unsigned skipped = 0;
    do {
        d->mosi = frame->bytes[skipped].mosi;
        sdsim_spi_add_stray(&d->host_stray, &frame->bytes[skipped], d->mosi);
        skipped++;
    } while (skipped < frame->count && !may_start(d, frame->bytes[skipped].mosi));
    frame->count = (uint8_t)(frame->count - skipped);
    frame->gap += skipped;
    memmove(frame->bytes, frame->bytes + skipped, frame->count * sizeof *frame->bytes);
}

/* The last `bytes` bytes, the one at work among them, the host did not look at what the card owed. */
static void look_away(struct sdsim_spi_decoder *d, uint32_t bytes)
{
    d->asked.looked -= d->asked.looked < bytes ? d->asked.looked : bytes;
    d->quiet -= d->quiet < bytes - 1 ? d->quiet : bytes - 1;
}

static void accept_frame(struct sdsim_spi_decoder *d)
{
    const struct sdsim_spi_collected *frame = &d->frame;
    const uint8_t index = frame->bytes[0].mosi & 63;
    const bool app = d->app_next && sdsim_spi_command(index, true)->title != NULL;
    look_away(d, 6);
    sdsim_spi_give_up(d, false);
    sdsim_spi_tell_strays(d);
    d->asked = (struct sdsim_spi_asked){
        .index = index,
        .app = app,
        .argument = frame_argument(frame),
        .busy = frame->busy,
        .end = frame->bytes[5].end,
        .size = (uint8_t)sdsim_spi_answer_size(sdsim_spi_command(index, app)->answer),
    };
    sdsim_spi_tell_command(d, false);
    d->frame.count = 0;
    d->app_next = index == 55;
    d->certain = true;
    d->lost = d->lost && index != 0 && index != 12 &&
              sdsim_spi_command(index, app)->data == SDSIM_SPI_NO_DATA;
    d->due = index == 12 ? SDSIM_SPI_DUE_STUFF : SDSIM_SPI_DUE_RESPONSE;
    sdsim_spi_mean(d, d->asked.end);
}

/* A known command whose transmission bit is missing, 29 for 69: no card takes it for a command. */
static bool may_be_headless(const struct sdsim_spi_decoder *d, uint8_t byte)
{
    const uint8_t index = byte & 63;
    return byte > 0 && byte < 0x40 && d->certain && d->mosi == SDSIM_SPI_HIGH &&
           d->due != SDSIM_SPI_DUE_BLOCK && !d->transfer.writes &&
           (sdsim_spi_command(index, false)->title != NULL ||
            sdsim_spi_command(index, true)->title != NULL);
}

bool sdsim_spi_is_headless(const uint8_t bytes[6])
{
    uint8_t whole[5];
    memcpy(whole, bytes, sizeof whole);
    whole[0] |= 0x40;
    return bytes[0] < 0x40 && (bytes[5] == sdsim_crc7_byte(whole, sizeof whole) ||
                               bytes[5] == sdsim_crc7_byte(bytes, 5) || is_dummy(bytes[5]));
}

static bool frame_is_headless(const struct sdsim_spi_decoder *d)
{
    uint8_t bytes[6];
    for (unsigned i = 0; i < sizeof bytes; i++) {
        bytes[i] = d->frame.bytes[i].mosi;
    }
    return sdsim_spi_is_headless(bytes);
}

static void collect_frame(struct sdsim_spi_decoder *d, const struct sdsim_spi_byte *b)
{
    d->frame.bytes[d->frame.count++] = *b;
    d->frame.busy = d->frame.busy || d->busy.count > 0;
    if (d->frame.count < 6) {
        return;
    }
    if (frame_is_headless(d)) {
        sdsim_spi_tell_strays(d);
        sdsim_spi_drop_frame(d);
    } else if (sdsim_spi_frame_starts(d->frame.bytes[0].mosi) && is_believed(d)) {
        accept_frame(d);
    } else {
        rescan_frame(d);
    }
}

/* ---- written blocks and their tokens ---- */

/* A host that did not wait for the response of its write command. */
static bool writes_unanswered(const struct sdsim_spi_decoder *d)
{
    const struct sdsim_spi_asked *asked = &d->asked;
    return d->due == SDSIM_SPI_DUE_RESPONSE && asked->count == 0 &&
           sdsim_spi_command_writes(sdsim_spi_command(asked->index, asked->app), asked->argument);
}

static void set_transfer(struct sdsim_spi_decoder *d, uint8_t index, bool app, uint16_t bytes)
{
    const struct sdsim_spi_command *command = sdsim_spi_command(index, app);
    d->transfer = (struct sdsim_spi_transfer){
        .writes = true,
        .multiple = command->multiple,
        .index = index,
        .app = app,
        .block_bytes = command->bytes > 0 ? command->bytes : bytes,
    };
}

static void begin_write_block(struct sdsim_spi_decoder *d, const struct sdsim_spi_byte *b,
                              bool guess)
{
    sdsim_spi_tell_strays(d);
    sdsim_spi_begin_block(d, b, true, guess);
    d->due = SDSIM_SPI_DUE_NOTHING;
    d->sending = true;
}

/* True if the byte is a token of the host. */
static bool take_host_token(struct sdsim_spi_decoder *d, const struct sdsim_spi_byte *b)
{
    const bool starts = b->mosi == SDSIM_TOKEN_START || b->mosi == SDSIM_TOKEN_START_MULTI;
    const bool stops = b->mosi == SDSIM_TOKEN_STOP;
    const bool between = d->due == SDSIM_SPI_DUE_NOTHING || d->due == SDSIM_SPI_DUE_DATA_RESPONSE;
    const bool guessed = d->lost && between && !d->transfer.writes && d->mosi == SDSIM_SPI_HIGH;
    if (!starts && !stops) {
        return false;
    }
    if (starts && d->transfer.writes && between) {
        begin_write_block(d, b, false);
        return true;
    }
    if (stops && ((d->transfer.writes && d->transfer.multiple && between) || guessed)) {
        sdsim_spi_tell_strays(d);
        sdsim_spi_tell_token(d, SDSIM_ITEM_STOP_TOKEN, b, b->mosi);
        d->transfer.writes = false;
        d->due = SDSIM_SPI_DUE_NOTHING;
        return true;
    }
    if (starts && writes_unanswered(d)) {
        look_away(d, 1);
        sdsim_spi_give_up(d, false);
        set_transfer(d, d->asked.index, d->asked.app, d->high_capacity ? 512 : d->block_length);
        begin_write_block(d, b, false);
        return true;
    }
    if (starts && guessed) {
        set_transfer(d, b->mosi == SDSIM_TOKEN_START ? 24 : 25, false, d->block_length);
        begin_write_block(d, b, true);
        return true;
    }
    return false;
}

static void take_block_byte(struct sdsim_spi_decoder *d, const struct sdsim_spi_byte *b)
{
    if (!sdsim_spi_add_to_block(d, b, b->mosi)) {
        return;
    }
    d->sending = false;
    d->due = SDSIM_SPI_DUE_DATA_RESPONSE;
    if (!d->block.guess) {
        sdsim_spi_tell_strays(d);
        sdsim_spi_tell_block(d, sdsim_spi_block_crc(&d->block), false);
    }
    d->transfer.writes = d->transfer.multiple;
}

void sdsim_spi_take_host(struct sdsim_spi_decoder *d, const struct sdsim_spi_byte *b)
{
    if (d->sending) {
        take_block_byte(d, b);
    } else if (d->frame.count > 0) {
        collect_frame(d, b);
    } else if (b->mosi == SDSIM_SPI_HIGH) {
        sdsim_spi_tell_stray(d, &d->host_stray);
    } else if (may_start(d, b->mosi) || may_be_headless(d, b->mosi)) {
        begin_frame(d, b);
    } else if (!take_host_token(d, b)) {
        sdsim_spi_add_stray(&d->host_stray, b, b->mosi);
    }
}
