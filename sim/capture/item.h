/*
 * What is found on a bus: the items a decoder makes of bytes (SPI) or bits (SD mode).
 *
 * A capture, an exchange typed from a forum and the simulator's own wire all become the same list of
 * items: commands, responses, blocks, tokens, busy, and the bytes that fit nowhere. Everything that
 * explains a bus (the report of a capture, the protocol doctor, the conversion to a block trace)
 * works on items and never on pins, so it works for every source.
 *
 *     pins    -> SPI bytes (spi_byte.h) -> sdsim_spi_decoder -> items
 *     pins    -> SD clocks              -> sdsim_sd_decoder  -> items
 *     text    -> SPI bytes without time -> sdsim_spi_decoder -> items
 *
 * An item is told when it is complete, in the order of the ends. Gaps are counted in the unit of the
 * bus: whole bytes in SPI, clocks in SD mode, from the end of what they are named after.
 *
 * Limits: one card; an item's bytes live until the listener returns.
 */
#ifndef SDSIM_CAPTURE_ITEM_H
#define SDSIM_CAPTURE_ITEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/time.h"

enum sdsim_item_kind {
    SDSIM_ITEM_SELECT,      /* SPI: CS went low */
    SDSIM_ITEM_DESELECT,    /* SPI: CS went high */
    SDSIM_ITEM_IDLE_CLOCKS, /* clocks without a meaning: SPI with CS high, SD with all lines high;
                                 `count` of them in clocks */
    SDSIM_ITEM_COMMAND,     /* index, argument, crc, app */
    SDSIM_ITEM_RESPONSE,    /* bytes; index: of the command it answers; gap: N_CR */
    SDSIM_ITEM_NO_RESPONSE, /* the host gave up, or went on: index of the command; gap: how long it
                                 looked */
    SDSIM_ITEM_READ_BLOCK,  /* from the card: bytes without CRC, crc; gap: N_AC */
    SDSIM_ITEM_WRITE_BLOCK, /* from the host; `token` FE or FC; gap: N_WR */
    SDSIM_ITEM_DATA_RESPONSE, /* SPI: the byte behind a written block; SD: the CRC status. In `token`;
                                 gap: bytes (0), or N_CRC */
    SDSIM_ITEM_ERROR_TOKEN,   /* SPI: in place of a block read; in `token` */
    SDSIM_ITEM_STOP_TOKEN,    /* SPI: FD */
    SDSIM_ITEM_BUSY,    /* start to end; gap: N_BR or clocks from what caused it; count: bytes or
                                 clocks. `open`: the record ended before the busy did */
    SDSIM_ITEM_STRAY,   /* bytes that are nothing known: count, and the first ones in bytes */
    SDSIM_ITEM_CUT,     /* the record ended within an item */
    SDSIM_ITEM_NO_DATA, /* a read was answered and no block came until the host gave up or went on;
                           index: of the command; gap: how long it looked */
    SDSIM_ITEM_TORN,    /* SPI: CS changed in the middle of a byte: `count` clocks with CS low that
                           make none */
    SDSIM_ITEM_COUNT
};

enum sdsim_item_crc {
    SDSIM_ITEM_CRC_NONE, /* the item has none */
    SDSIM_ITEM_CRC_RIGHT,
    SDSIM_ITEM_CRC_WRONG,
    SDSIM_ITEM_CRC_DUMMY, /* wrong, and the constant hosts send when it is not checked (FF FF; 01, 95
                               or FF of a command) */
    SDSIM_ITEM_CRC_MISSING, /* not on the wire at all */
};

struct sdsim_item {
    enum sdsim_item_kind kind;
    bool timed;        /* start and end mean something */
    sdsim_ps start;    /* first clock edge of the item ... */
    sdsim_ps end;      /* ... and its last one */
    uint64_t at;       /* where it began in its source: a sample, a byte, a line */
    uint8_t index;     /* of the command it is or belongs to, 0..63 */
    bool app;          /* that command followed CMD55 */
    uint32_t argument; /* COMMAND */
    enum sdsim_item_crc crc;
    uint32_t gap;         /* see the kinds; in bytes (SPI) or clocks (SD) */
    sdsim_ps gap_time;    /* the same as time, from the last edge to the first, if timed */
    uint64_t count;       /* see the kinds */
    uint8_t token;        /* see the kinds */
    bool open;            /* BUSY: CS or the record's end hid how it went on. READ_BLOCK,
                             WRITE_BLOCK: given up before its end by CMD12, by CS or by another
                             command; `bytes` is what came. RESPONSE: bytes are missing at its end */
    bool resumed;         /* BUSY: of the same cause as the one before, which CS high hid */
    bool busy;            /* SPI: the card showed busy during a COMMAND, or when a WRITE_BLOCK or
                             a STOP_TOKEN began */
    bool deselected;      /* COMMAND, SPI: CS was high, so the card did not see it */
    bool from_card;       /* STRAY: on the card's line, not the host's */
    uint32_t odd_host;    /* IDLE_CLOCKS, SPI: bytes during which MOSI, or MISO, was not high */
    uint32_t odd_card;    /* throughout; `bytes` are the first MOSI bytes then, else NULL */
    sdsim_ps data_start;  /* READ_BLOCK, WRITE_BLOCK, if timed: first edge of the first byte of */
    sdsim_ps data_end;    /* data, and the last edge of the last one */
    uint32_t block;       /* READ_BLOCK, WRITE_BLOCK: number within its command, from 0 */
    const uint8_t *bytes; /* NULL: none */
    size_t size;          /* of `bytes` */
};

/* Who wants items. */
struct sdsim_item_listener {
    void (*item)(struct sdsim_item_listener *listener, const struct sdsim_item *item);
};

/* "command", "response", ... */
const char *sdsim_item_name(enum sdsim_item_kind kind);

#endif
