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
    SDSIM_SPI_DUE_STUFF,         /* the byte behind CMD12 */
    SDSIM_SPI_DUE_RESPONSE,      /* its first byte */
    SDSIM_SPI_DUE_MORE_RESPONSE, /* its other bytes */
    SDSIM_SPI_DUE_TOKEN,         /* of a block that is read */
    SDSIM_SPI_DUE_BLOCK,         /* its bytes and CRC */
    SDSIM_SPI_DUE_DATA_RESPONSE,
};

/* What the host may send. */
enum sdsim_spi_sending {
    SDSIM_SPI_SENDING_COMMANDS,
    SDSIM_SPI_SENDING_TOKENS, /* or commands */
    SDSIM_SPI_SENDING_BLOCK,
};

/* A stretch of bytes without a meaning on one line. */
struct sdsim_spi_stray {
    uint64_t count; /* 0: none */
    uint64_t at;
    sdsim_ps start;
    sdsim_ps end;
    uint8_t bytes[SDSIM_SPI_STRAY_KEPT];
};

/* Private, except that it may live anywhere and be copied while no item is told. */
struct sdsim_spi_decoder {
    struct sdsim_item_listener *listener;
    bool timed;
    bool begun;    /* a byte or an edge was seen: `selected` means something */
    bool selected; /* CS low */
    bool certain;  /* a command or a CS edge was seen */
    bool lost;     /* no command was seen: what is open on the bus is unknown */

    enum sdsim_spi_due due;
    enum sdsim_spi_sending sending;

    /* the last thing that meant something */
    uint32_t quiet;     /* bytes with CS low since then */
    sdsim_ps quiet_end; /* its last edge */
    sdsim_ps last_end;  /* last edge of all */
    uint64_t last_at;

    /* a command frame under way */
    uint8_t frame[6];
    uint8_t frame_count;
    bool frame_busy;
    uint32_t frame_quiet;
    struct sdsim_spi_byte frame_bytes[6];

    /* the command at work */
    uint8_t index;
    bool app;
    bool app_next; /* CMD55 was the last command */
    uint32_t argument;
    uint32_t looked; /* bytes since its frame */
    sdsim_ps command_end;
    uint8_t response[5];
    uint8_t response_count;
    uint8_t response_size;
    uint32_t response_gap;
    sdsim_ps response_gap_time;
    struct sdsim_spi_byte response_first;
    struct sdsim_spi_byte stuff;
    bool multiple;
    bool high_capacity; /* CCS was seen in an OCR: CMD16 has no effect */
    uint16_t block_length;
    uint32_t block; /* number of the next one */

    /* a block under way, either way */
    bool guess; /* its token was found without a command */
    uint8_t token;
    uint32_t block_size;
    uint32_t block_count; /* bytes of data and CRC so far */
    uint32_t block_gap;
    sdsim_ps block_gap_time;
    struct sdsim_spi_byte block_token;
    sdsim_ps data_start;
    sdsim_ps data_end;
    sdsim_ps block_end;
    uint8_t bytes[SDSIM_SPI_MOST_BLOCK + 2];

    /* busy under way */
    uint64_t busy_count; /* 0: none */
    uint64_t busy_at;
    sdsim_ps busy_start;
    sdsim_ps busy_end;
    uint32_t busy_gap;
    sdsim_ps busy_gap_time;
    bool busy_hidden; /* CS went high during busy */
    bool busy_resumed;

    /* CS high */
    uint64_t idle_clocks;
    uint64_t idle_at;
    sdsim_ps idle_start;
    sdsim_ps idle_end;
    uint32_t idle_odd_host;
    uint32_t idle_odd_card;
    uint8_t idle_bytes[SDSIM_SPI_STRAY_KEPT];
    uint8_t idle_byte_count;

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

/* The record is over: tells what is unfinished. */
void sdsim_spi_decoder_end(struct sdsim_spi_decoder *decoder);

#endif
