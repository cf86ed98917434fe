/*
 * From SPI bytes to items: commands, responses, blocks, tokens and busy of a card in SPI mode.
 *
 * Both lines are followed at once, as the card does it: what the host sends can be a command at any
 * byte, except within a block it writes, whose payload is data whatever it looks like; what the
 * card sends is taken by what it owes at that moment. CRC7 and CRC16 are checked and reported,
 * never required, because most hosts switch them off.
 *
 *     struct sdsim_spi_decoder decoder;
 *     sdsim_spi_decoder_init(&decoder, &listener, true);
 *     sdsim_spi_decoder_select(&decoder, true, time, sample);
 *     sdsim_spi_decoder_byte(&decoder, &byte);  ...
 *     sdsim_spi_decoder_end(&decoder);
 *
 * What is counted, in whole bytes with CS low, from the last byte of the one to the first of the
 * other, and as time:
 *  - COMMAND: gap from the last thing that meant something, or from CS low (N_CS, N_RC).
 *  - RESPONSE: N_CR, from the command's last byte; behind CMD12 from the stuff byte, which is no
 *    response whatever it is. NO_RESPONSE: how many bytes the host looked at.
 *  - READ_BLOCK: N_AC, to the token, from the response or from the CRC of the block before.
 *  - WRITE_BLOCK: N_WR, to the token, from the response, from the data response or from busy.
 *  - STOP_TOKEN: like WRITE_BLOCK.
 *  - DATA_RESPONSE: bytes between the block (with its CRC, if it has one) and it; 0 is right.
 *  - BUSY: bytes between its cause and the first 00 (N_BR behind a stop token); `count` is bytes of
 *    00. It ends where the first byte begins that is not 00.
 *  - DESELECT: gap from the last thing that meant something (N_EC); a CS frame of FF only, a ready
 *    poll, is a SELECT and a DESELECT with its bytes as gap.
 *  - STRAY: MOSI bytes that are not FF where the host only waits (from_card false), MISO bytes that
 *    are neither FF nor anything due (from_card true): `count`, and the first 16.
 *
 * Commands: start bits 01, at any byte. While the card sends a block only CMD12 and CMD0 are
 * believed, because a host may send anything then; likewise with CS high a frame needs a right CRC7
 * and nothing but FF before it, because other devices may be meant. A record may begin anywhere:
 * until the first command or CS edge, frames need a CRC7 that is right or a usual dummy, and blocks
 * are believed if their CRC16 or their data response is right.
 *
 * A block written without CRC bytes is told from the place of its data response. CRC_DUMMY is FFFF
 * for a block.
 *
 * Limits: one card; blocks up to 2048 bytes (CMD16), longer ones are taken for 512; no
 * answer of a card that is bit-shifted is set right, its bytes are given as they are.
 * Memory is constant and in the struct.
 */
#ifndef SDSIM_CAPTURE_SPI_DECODER_H
#define SDSIM_CAPTURE_SPI_DECODER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "capture/item.h"
#include "capture/spi_byte.h"

enum {
    SDSIM_SPI_MOST_BLOCK = 2048, /* READ_BL_LEN of the largest SDSC cards */
    SDSIM_SPI_STRAY_KEPT = 16,
};

/* What the card owes. */
enum sdsim_spi_due {
    SDSIM_SPI_DUE_NOTHING,
    SDSIM_SPI_DUE_STUFF,    /* the byte behind CMD12 */
    SDSIM_SPI_DUE_RESPONSE, /* its first byte, or the next ones */
    SDSIM_SPI_DUE_TOKEN,    /* of a block that is read */
    SDSIM_SPI_DUE_BLOCK,    /* its bytes and CRC */
    SDSIM_SPI_DUE_DATA_RESPONSE,
};

/* A stretch of bytes without a meaning on one line. */
struct sdsim_spi_stray {
    uint64_t count; /* 0: none */
    uint64_t at;
    sdsim_ps start;
    sdsim_ps end;
    uint8_t bytes[SDSIM_SPI_STRAY_KEPT];
};

/* A frame of the host under way. */
struct sdsim_spi_collected {
    struct sdsim_spi_byte bytes[6];
    uint8_t count;
    uint32_t gap; /* see COMMAND */
    sdsim_ps gap_time;
    bool busy;
};

/* The last command, and what came of its response. */
struct sdsim_spi_asked {
    uint8_t index;
    bool app;
    uint32_t argument;
    bool busy;       /* sent while the card showed busy */
    uint32_t looked; /* bytes since its frame, or since the stuff byte */
    sdsim_ps end;
    struct sdsim_spi_byte stuff;
    struct sdsim_spi_byte first; /* of the response */
    sdsim_ps last_end;           /* of the response so far */
    uint32_t gap;
    uint8_t response[5];
    uint8_t count;
    uint8_t size; /* it should have */
};

/* Blocks that go either way until they are through or stopped. */
struct sdsim_spi_transfer {
    bool reads;
    bool writes;
    bool multiple;
    bool told; /* that no data came */
    bool torn; /* CS went high within a block that is read: what comes may be the rest of it */
    uint8_t index;
    bool app;
    uint16_t block_bytes;
    uint32_t block; /* number of the next one */
};

/* A block under way. */
struct sdsim_spi_block {
    bool from_host;
    bool guess; /* there is no command behind it: only its CRC or its data response can prove it */
    struct sdsim_spi_byte token;
    uint32_t gap;
    sdsim_ps gap_time;
    bool busy; /* the card showed busy when the token came */
    uint32_t size;
    uint32_t count; /* bytes of data and CRC so far */
    sdsim_ps data_start;
    sdsim_ps data_end;
    sdsim_ps end;
    uint8_t bytes[SDSIM_SPI_MOST_BLOCK + 2];
};

struct sdsim_spi_busy {
    uint64_t count; /* bytes of it; 0: none under way */
    uint8_t first;  /* the first one */
    uint64_t at;
    sdsim_ps start;
    uint32_t gap;
    sdsim_ps gap_time;
    bool hidden; /* CS went high during the last one, and nothing told its end since */
    bool resumed;
};

/* Clocks with CS high. */
struct sdsim_spi_idle {
    uint64_t clocks;
    uint64_t at;
    sdsim_ps start;
    sdsim_ps end;
    uint32_t odd_host;
    uint32_t odd_card;
    uint8_t kept;
    uint8_t bytes[SDSIM_SPI_STRAY_KEPT];
};

/* Private; may live anywhere. */
struct sdsim_spi_decoder {
    struct sdsim_item_listener *listener;
    bool timed;
    bool begun;            /* a byte or an edge was seen: `selected` means something */
    bool selected;         /* CS low */
    bool certain;          /* a command or a falling CS was seen: frames need no proof */
    bool lost;             /* no command was seen: what is open on the bus is unknown */
    bool sending;          /* the host is within a block */
    bool app_next;         /* the last command was CMD55 */
    bool high_capacity;    /* an OCR said so: CMD16 has no effect */
    uint16_t block_length; /* CMD16 */
    uint8_t mosi;          /* of the last byte with CS low */
    uint8_t miso;

    bool meant;          /* the byte at work meant something */
    uint32_t quiet;      /* bytes with CS low since the last thing that meant something */
    sdsim_ps quiet_end;  /* the last edge of that */
    uint32_t host_quiet; /* both as they were when the byte at work began */
    sdsim_ps host_quiet_end;
    sdsim_ps last_end; /* the last edge of all */
    uint64_t last_at;

    enum sdsim_spi_due due;
    struct sdsim_spi_collected frame;
    struct sdsim_spi_asked asked;
    struct sdsim_spi_transfer transfer;
    struct sdsim_spi_block block;
    struct sdsim_spi_busy busy;
    struct sdsim_spi_idle idle;
    struct sdsim_spi_idle idle_before; /* as it was when a frame seemed to begin */
    struct sdsim_spi_stray host_stray;
    struct sdsim_spi_stray card_stray;
};

/* Begins a record. `listener` is not owned; `timed`: the bytes' times mean something. */
void sdsim_spi_decoder_init(struct sdsim_spi_decoder *decoder, struct sdsim_item_listener *listener,
                            bool timed);

/* CS went low or high at `at`. A source that tells CS only by its bytes need not call it; the level
 * before the first byte or call is no edge. */
void sdsim_spi_decoder_select(struct sdsim_spi_decoder *decoder, bool low, sdsim_ps at,
                              uint64_t place);

/* The next byte, with CS low or high. */
void sdsim_spi_decoder_byte(struct sdsim_spi_decoder *decoder, const struct sdsim_spi_byte *byte);

/* One to seven clocks that make no byte because CS changed behind them. With CS high they count as
 * idle clocks (a host may send 74), with CS low they are a TORN item. */
void sdsim_spi_decoder_clocks(struct sdsim_spi_decoder *decoder, unsigned count, sdsim_ps start,
                              sdsim_ps end, uint64_t place);

/* Whether six bytes are a command but for its transmission bit (29 for 69), by their CRC7 or a usual
 * dummy of it. A decoder tells them as STRAY. */
bool sdsim_spi_is_headless(const uint8_t bytes[6]);

/* The record is over: tells what is unfinished. */
void sdsim_spi_decoder_end(struct sdsim_spi_decoder *decoder);

#endif
