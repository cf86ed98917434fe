/*
 * From items to pieces: what the bits of a frame, a token or a block are called.
 *
 * In SPI an item is whole bytes, which divide its time evenly enough to find their borders; in SD mode
 * the bits of an item are looked up among the clocks that were heard.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "view/commands.h"
#include "view/waves_parts.h"

enum { MOSI = 2, MISO = 3, CMD = 1, DAT0 = 2 };

/* ---- texts ---- */

static const char *crc_text(enum sdsim_item_crc crc)
{
    static const char *const texts[] = {
        [SDSIM_ITEM_CRC_NONE] = "no check",   [SDSIM_ITEM_CRC_RIGHT] = "right",
        [SDSIM_ITEM_CRC_WRONG] = "wrong",     [SDSIM_ITEM_CRC_DUMMY] = "dummy",
        [SDSIM_ITEM_CRC_MISSING] = "missing",
    };
    return texts[crc];
}

static enum sdsim_tone crc_tone(enum sdsim_item_crc crc)
{
    return crc == SDSIM_ITEM_CRC_WRONG ? SDSIM_TONE_WRONG : SDSIM_TONE_CRC;
}

static void argument_text(const struct sdsim_item *item, char *out, size_t size)
{
    char meaning[48];
    sdsim_command_argument(item->index, item->app, item->argument, meaning, sizeof meaning);
    if (meaning[0] != '\0') {
        snprintf(out, size, "%.40s", meaning);
    } else {
        snprintf(out, size, "0x%08" PRIX32, item->argument);
    }
}

/* The data response of SPI and the CRC status of SD mode have the same three bits. */
static const char *status_text(uint8_t bits)
{
    switch (bits & 7) {
    case 2:
        return "accepted";
    case 5:
        return "CRC error";
    case 6:
        return "write error";
    default:
        return "unknown status";
    }
}

/* ---- SPI ---- */

/* When byte i of an item begins; i may be one behind its last. */
static sdsim_ps byte_at(const struct sdsim_item *item, size_t bytes, size_t i)
{
    return i >= bytes ? item->end
                      : item->start + (item->end - item->start) / (bytes > 0 ? bytes : 1) * i;
}

static void spi_field(struct sdsim_waves *waves, unsigned pin, sdsim_ps from, sdsim_ps to,
                      enum sdsim_tone tone, const char *text)
{
    sdsim_waves_piece(waves, from, to, pin, SDSIM_PIECE_FIELD, tone, "%s", text);
}

static void spi_command(struct sdsim_waves *waves, const struct sdsim_item *item)
{
    char text[45];
    snprintf(text, sizeof text, "%s%u", item->app ? "ACMD" : "CMD", (unsigned)item->index);
    spi_field(waves, MOSI, item->start, byte_at(item, 6, 1), SDSIM_TONE_COMMAND, text);
    argument_text(item, text, sizeof text);
    spi_field(waves, MOSI, byte_at(item, 6, 1), byte_at(item, 6, 5), SDSIM_TONE_ARGUMENT, text);
    snprintf(text, sizeof text, "CRC7 %s", crc_text(item->crc));
    spi_field(waves, MOSI, byte_at(item, 6, 5), item->end, crc_tone(item->crc), text);
}

static void spi_response(struct sdsim_waves *waves, const struct sdsim_item *item)
{
    char meaning[64];
    char text[45];
    if (item->bytes == NULL || item->size == 0) {
        return;
    }
    snprintf(text, sizeof text, "R1 %.40s",
             sdsim_r1_print(item->bytes[0], meaning, sizeof meaning));
    spi_field(waves, MISO, item->start, byte_at(item, item->size, 1),
              (item->bytes[0] & 0x7E) != 0 ? SDSIM_TONE_WRONG : SDSIM_TONE_RESPONSE, text);
    if (item->size > 1) {
        size_t used = 0;
        for (size_t i = 1; i < item->size && used < sizeof text; i++) {
            used += (size_t)snprintf(text + used, sizeof text - used, "%02X", item->bytes[i]);
        }
        spi_field(waves, MISO, byte_at(item, item->size, 1), item->end, SDSIM_TONE_RESPONSE, text);
    }
}

static void spi_block(struct sdsim_waves *waves, const struct sdsim_item *item, unsigned pin)
{
    char text[45];
    snprintf(text, sizeof text, "token %02X", item->token != 0 ? item->token : 0xFE);
    spi_field(waves, pin, item->start, item->data_start, SDSIM_TONE_TOKEN, text);
    snprintf(text, sizeof text, "block %" PRIu32 ", %zu bytes", item->block, item->size);
    spi_field(waves, pin, item->data_start, item->data_end, SDSIM_TONE_DATA, text);
    if (item->end > item->data_end) {
        snprintf(text, sizeof text, "CRC16 %s", crc_text(item->crc));
        spi_field(waves, pin, item->data_end, item->end, crc_tone(item->crc), text);
    }
}

static void spi_item(struct sdsim_waves *waves, const struct sdsim_item *item)
{
    char text[45];
    switch (item->kind) {
    case SDSIM_ITEM_COMMAND:
        spi_command(waves, item);
        break;
    case SDSIM_ITEM_RESPONSE:
        spi_response(waves, item);
        break;
    case SDSIM_ITEM_READ_BLOCK:
        spi_block(waves, item, MISO);
        break;
    case SDSIM_ITEM_WRITE_BLOCK:
        spi_block(waves, item, MOSI);
        break;
    case SDSIM_ITEM_DATA_RESPONSE:
        spi_field(waves, MISO, item->start, item->end,
                  (item->token >> 1 & 7) == 2 ? SDSIM_TONE_STATUS : SDSIM_TONE_WRONG,
                  status_text(item->token >> 1));
        break;
    case SDSIM_ITEM_ERROR_TOKEN:
        snprintf(text, sizeof text, "error token %02X", item->token);
        spi_field(waves, MISO, item->start, item->end, SDSIM_TONE_WRONG, text);
        break;
    case SDSIM_ITEM_STOP_TOKEN:
        spi_field(waves, MOSI, item->start, item->end, SDSIM_TONE_TOKEN, "stop token");
        break;
    case SDSIM_ITEM_BUSY:
        spi_field(waves, MISO, item->start, item->end, SDSIM_TONE_BUSY, "busy");
        break;
    case SDSIM_ITEM_STRAY:
        spi_field(waves, item->from_card ? MISO : MOSI, item->start, item->end, SDSIM_TONE_WRONG,
                  "unknown");
        break;
    default:
        break;
    }
}

/* ---- SD mode ---- */

/* The number of the clock that rises at an instant, or first after it. */
static size_t clock_at(const struct sdsim_waves_maker *maker, sdsim_ps rise)
{
    size_t low = 0;
    size_t high = maker->clock_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (maker->clocks[middle].rise < rise) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* A piece over clocks [first, first + count). */
static void sd_piece(struct sdsim_waves_maker *maker, size_t first, size_t count, unsigned pin,
                     enum sdsim_bus_piece_row row, enum sdsim_tone tone, const char *text)
{
    if (count > 0 && first + count <= maker->clock_count) {
        const struct sdsim_waves_clock *last = &maker->clocks[first + count - 1];
        sdsim_waves_piece(maker->waves, maker->clocks[first].begin,
                          last->end > 0 ? last->end : last->rise, pin, row, tone, "%s", text);
    }
}

static void sd_bytes(struct sdsim_waves_maker *maker, size_t first, size_t clocks_each,
                     unsigned pin, const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; bytes != NULL && i < size; i++) {
        char text[4];
        snprintf(text, sizeof text, "%02X", bytes[i]);
        sd_piece(maker, first + i * clocks_each, clocks_each, pin, SDSIM_PIECE_BYTE,
                 SDSIM_TONE_PLAIN, text);
    }
}

/* The six bytes of a command frame. */
static void frame_bytes(const struct sdsim_item *item, uint8_t bytes[6])
{
    bytes[0] = (uint8_t)(0x40 | item->index);
    for (unsigned i = 0; i < 4; i++) {
        bytes[1 + i] = (uint8_t)(item->argument >> (24 - 8 * i));
    }
}

static void sd_command(struct sdsim_waves_maker *maker, const struct sdsim_item *item)
{
    const size_t first = clock_at(maker, item->start);
    uint8_t bytes[6];
    char text[45];
    frame_bytes(item, bytes);
    sd_bytes(maker, first, 8, CMD, bytes, 5);
    snprintf(text, sizeof text, "%s%u", item->app ? "ACMD" : "CMD", (unsigned)item->index);
    sd_piece(maker, first, 8, CMD, SDSIM_PIECE_FIELD, SDSIM_TONE_COMMAND, text);
    argument_text(item, text, sizeof text);
    sd_piece(maker, first + 8, 32, CMD, SDSIM_PIECE_FIELD, SDSIM_TONE_ARGUMENT, text);
    snprintf(text, sizeof text, "CRC7 %s", crc_text(item->crc));
    sd_piece(maker, first + 40, 8, CMD, SDSIM_PIECE_FIELD, crc_tone(item->crc), text);
}

static void sd_response(struct sdsim_waves_maker *maker, const struct sdsim_item *item)
{
    const size_t first = clock_at(maker, item->start);
    char text[45];
    if (item->bytes == NULL || (item->size != 6 && item->size != 17)) {
        return;
    }
    sd_bytes(maker, first, 8, CMD, item->bytes, item->size);
    const size_t content = 8 * (item->size - 2);
    snprintf(text, sizeof text, "response %u", (unsigned)item->index);
    sd_piece(maker, first, 8, CMD, SDSIM_PIECE_FIELD, SDSIM_TONE_RESPONSE, text);
    if (item->size == 6) {
        snprintf(text, sizeof text, "0x%02X%02X%02X%02X", item->bytes[1], item->bytes[2],
                 item->bytes[3], item->bytes[4]);
    } else {
        snprintf(text, sizeof text, "register, 16 bytes");
    }
    sd_piece(maker, first + 8, content, CMD, SDSIM_PIECE_FIELD, SDSIM_TONE_RESPONSE, text);
    snprintf(text, sizeof text, "CRC7 %s", crc_text(item->crc));
    sd_piece(maker, first + 8 + content, 8, CMD, SDSIM_PIECE_FIELD, crc_tone(item->crc), text);
}

static void sd_block(struct sdsim_waves_maker *maker, const struct sdsim_item *item)
{
    const size_t first = clock_at(maker, item->data_start);
    const size_t last = clock_at(maker, item->data_end);
    const size_t clocks = last >= first ? last - first + 1 : 0;
    const size_t end = clock_at(maker, item->end);
    char text[45];
    if (first >= maker->clock_count || clocks == 0 || first == 0) {
        return;
    }
    sd_piece(maker, first - 1, 1, DAT0, SDSIM_PIECE_FIELD, SDSIM_TONE_TOKEN, "start bit");
    if (item->size > 0 && clocks % item->size == 0) {
        sd_bytes(maker, first, clocks / item->size, DAT0, item->bytes, item->size);
        snprintf(text, sizeof text, "block %" PRIu32 ", %zu bytes", item->block, item->size);
    } else {
        snprintf(text, sizeof text, "block %" PRIu32, item->block);
    }
    sd_piece(maker, first, clocks, DAT0, SDSIM_PIECE_FIELD, SDSIM_TONE_DATA, text);
    if (end > last && end < maker->clock_count) {
        snprintf(text, sizeof text, "CRC16 %s", crc_text(item->crc));
        sd_piece(maker, last + 1, end - last, DAT0, SDSIM_PIECE_FIELD, crc_tone(item->crc), text);
    }
}

static void sd_item(struct sdsim_waves_maker *maker, const struct sdsim_item *item)
{
    struct sdsim_waves *waves = maker->waves;
    const size_t first = clock_at(maker, item->start);
    const size_t last = clock_at(maker, item->end);
    switch (item->kind) {
    case SDSIM_ITEM_COMMAND:
        sd_command(maker, item);
        break;
    case SDSIM_ITEM_RESPONSE:
        sd_response(maker, item);
        break;
    case SDSIM_ITEM_READ_BLOCK:
    case SDSIM_ITEM_WRITE_BLOCK:
        sd_block(maker, item);
        break;
    case SDSIM_ITEM_DATA_RESPONSE:
        sd_piece(maker, first, last >= first ? last - first + 1 : 0, DAT0, SDSIM_PIECE_FIELD,
                 (item->token & 7) == 2 ? SDSIM_TONE_STATUS : SDSIM_TONE_WRONG,
                 status_text(item->token));
        break;
    case SDSIM_ITEM_BUSY:
        sdsim_waves_piece(waves, item->start, item->end, DAT0, SDSIM_PIECE_FIELD, SDSIM_TONE_BUSY,
                          "busy");
        break;
    default:
        break;
    }
}

void sdsim_waves_item(struct sdsim_waves_maker *maker, const struct sdsim_item *item)
{
    if (!item->timed || item->end <= item->start) {
        return;
    }
    if (maker->waves->mode == SDSIM_BUS_SPI) {
        spi_item(maker->waves, item);
    } else {
        sd_item(maker, item);
    }
}
