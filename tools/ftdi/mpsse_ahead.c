#include "mpsse_ahead.h"

#include "bus/frame.h"
#include "core/crc.h"
#include "mpsse_quiet.h"

enum {
    FRAME_BITS = 8 * SDSIM_FRAME_SIZE,
    BLOCK_BYTES = 1 + SDSIM_SECTOR + 2, /* token, data, CRC */
};

/* The eight bits from `at` on. */
static uint8_t byte_at(const uint8_t *bytes, size_t at)
{
    const unsigned shift = at % 8;
    const unsigned both = (unsigned)bytes[at / 8] << 8 | (shift > 0 ? bytes[at / 8 + 1] : 0u);
    return (uint8_t)(both >> (8 - shift));
}

/* Start and transmission bit, and the check sum with its end bit. */
static bool frame_at(const uint8_t *bytes, size_t at, uint8_t frame[SDSIM_FRAME_SIZE])
{
    frame[0] = byte_at(bytes, at);
    if ((frame[0] & 0xC0) != 0x40) {
        return false;
    }
    for (size_t i = 1; i < SDSIM_FRAME_SIZE; i++) {
        frame[i] = byte_at(bytes, at + 8 * i);
    }
    return frame[SDSIM_FRAME_SIZE - 1] == sdsim_crc7_byte(frame, SDSIM_FRAME_SIZE - 1);
}

bool sdsim_mpsse_harmless(const uint8_t *bytes, size_t count)
{
    bool erase[3] = {false}; /* CMD32, CMD33 and CMD38 */
    for (size_t at = 0; at + FRAME_BITS <= 8 * count; at++) {
        uint8_t frame[SDSIM_FRAME_SIZE];
        if (!frame_at(bytes, at, frame)) {
            continue;
        }
        const unsigned index = frame[0] & 63u;
        const bool crc_off = index == 59 && (frame[4] & 1) == 0;
        if (index == 28 || index == 29 || crc_off) {
            return false;
        }
        erase[0] |= index == 32;
        erase[1] |= index == 33;
        erase[2] |= index == 38;
    }
    return !(erase[0] && erase[1] && erase[2]);
}

/* Looks that may come before the block: those of the engine, and some for the driver's dead time. */
static size_t window_of(const struct sdsim_mpsse_port *port)
{
    const struct sdsim_spi_engine *spi = port->wire.port.spi;
    const size_t least = SDSIM_MPSSE_RESPONSE_BYTES;
    const size_t wanted = spi->response_window > 0 ? spi->data_window + 1u : least;
    return wanted > least ? wanted : least;
}

static bool may_write_ahead(const struct sdsim_mpsse_port *port)
{
    const struct sdsim_transaction *tx = port->tx;
    const bool empty = port->line.at == port->line.count && port->line.flights == 0;
    return port->phase == SDSIM_MPSSE_RESPONSE && port->searched == 0 && empty &&
           tx->direction == SDSIM_WRITE_BLOCKS && (tx->flags & SDSIM_COMMAND) != 0 &&
           tx->blocks > 0 && (tx->flags & SDSIM_BLOCK_READY) == 0 && port->crc_on &&
           !port->spoiled && !port->no_guessing;
}

bool sdsim_mpsse_write_ahead(struct sdsim_mpsse_port *port)
{
    const bool single = port->wire.port.single;
    uint8_t block[BLOCK_BYTES];
    if (!may_write_ahead(port)) {
        return false;
    }
    block[0] = single ? SDSIM_TOKEN_START : SDSIM_TOKEN_START_MULTI;
    sdsim_content_bytes(port->tx->content, 0, block + 1, SDSIM_SECTOR);
    const uint16_t crc = sdsim_crc16(block + 1, SDSIM_SECTOR);
    block[BLOCK_BYTES - 2] = (uint8_t)(crc >> 8);
    block[BLOCK_BYTES - 1] = (uint8_t)crc;
    if (!sdsim_mpsse_harmless(block, sizeof block)) {
        return false;
    }
    const size_t busy = port->busy[single ? SDSIM_MPSSE_LONE : SDSIM_MPSSE_STREAM];
    sdsim_line_send_ahead(&port->line, window_of(port), block, sizeof block, 2 + busy);
    return true;
}
