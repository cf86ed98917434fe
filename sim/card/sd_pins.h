/*
 * The bit-exact card in SD mode: what is on CMD and DAT3..DAT0 for every clock the host gives.
 *
 * All five lines are open: pulled up, and low if anybody pulls them down. A call of one clock names
 * the instants of its first edge and the one after its last, and what the host does with the lines
 * (1: released or driven high); it returns what was on them, host and card together. The face
 * collects command frames from CMD and data blocks from DAT, checks their CRC7 and CRC16, hands them
 * to the card (card/card.h) when they are complete, and plays back responses, data, CRC status and
 * busy, counting gaps in clocks. What the card does on a line in a clock is decided at the clock's
 * first edge.
 *
 * CMD
 *  - A frame with a wrong CRC7 or end bit is not answered; COM_CRC_ERROR is told in the next
 *    response. Nor is an illegal command; ILLEGAL_COMMAND is told in the next response.
 *  - A response begins N_CR clocks behind the frame (n_cr_clocks of the profile; for CMD2 and ACMD41
 *    N_ID = 5), 48 or 136 bits. While it goes out nothing is received on CMD.
 *  - CMD0 with DAT3 (which is CS) low switches the card to SPI mode: these lines then show nothing
 *    more, card/spi_pins.h does.
 *
 * DAT
 *  - A read block begins when the data is ready, but at least N_AC = 2 clocks behind the command's
 *    end bit, or behind the end bit of the block before; so data may come while the response still
 *    does. Start bit, data and CRC16 on one line or four, end bit. Behind the card's last block
 *    nothing comes any more. CMD12 lets N_ST = 2 more clocks of data pass, then the lines are free.
 *  - A block from the host begins with a start bit (on all lines at work) while the card is not
 *    busy. N_CRC = 2 clocks behind its end bit the CRC status goes out on DAT0 (010 taken, 101 CRC
 *    wrong), five bits, and n_br_clocks of the profile later busy begins: with the next clock, or the
 *    one behind it. A start bit before busy shows is not heard either. A block beyond the card's end
 *    gets no status; OUT_OF_RANGE is told in the card status.
 *  - Busy is DAT0 low. With an R1b response it begins 2 clocks behind the command's end bit. It ends
 *    with the first clock whose first edge comes when the card is ready.
 *
 * Sources of the counts: bus/counts.h. Where busy begins, the specification draws in diagrams that
 * are not public. SanDisk's Product Manual 1.9 draws it right behind the end bit of the CRC status
 * (figure 4-19), and two clocks behind a command; no table has a symbol for it. A host may send the next
 * block N_WR = 2 clocks behind the status, so a card must show busy in the second of them at latest.
 *
 * Limits: default and high speed. N_RC and N_CC, which the host owes the card, are not insisted on.
 * One card on the bus: no response of another card is told from a command of the host, save by its
 * direction bit.
 */
#ifndef SDSIM_CARD_SD_PINS_H
#define SDSIM_CARD_SD_PINS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "card/card.h"
#include "card/sd_lines.h"
#include "core/clock.h"

/* What the card does with the DAT lines, busy apart. */
enum sdsim_sd_phase {
    SDSIM_SD_FREE,
    SDSIM_SD_SEND,    /* blocks to the host, or waiting until the next one is ready */
    SDSIM_SD_RECEIVE, /* waiting for a start bit, or taking a block */
};

struct sdsim_sd_pins {
    struct sdsim_card *card; /* not owned */

    /* CMD */
    uint64_t frame;        /* bits received of the frame at work */
    uint8_t frame_bits;    /* how many; 0: waiting for a start bit */
    uint8_t response[17];  /* bits, most significant first */
    uint8_t response_bits; /* 48 or 136; 0: none due */
    uint8_t response_at;
    uint8_t response_gap; /* clocks before it */

    /* DAT */
    enum sdsim_sd_phase phase;
    bool from_register;              /* SEND: one block, of a register */
    bool multiple;                   /* RECEIVE: blocks until CMD12 or the count is over */
    bool four;                       /* the block at work uses four lines */
    bool in_block;                   /* its start bit was sent or seen */
    bool dropped;                    /* SEND: nothing more comes (fault) */
    uint8_t gap;                     /* SEND: clocks of N_AC still due */
    uint8_t stop_in;                 /* SEND: clocks of N_ST left behind CMD12; 0: not stopped */
    uint8_t busy_gap;                /* clocks until busy shows */
    uint8_t status;                  /* CRC status to be sent, 5 bits; 0: none */
    uint8_t status_at;               /* counts the N_CRC clocks and its bits */
    uint32_t block_bytes;            /* of the blocks of this transfer, without CRC */
    uint32_t bits;                   /* of the block at work, on each line, CRC included */
    uint32_t at;                     /* those that are through */
    uint8_t block[SDSIM_SECTOR + 8]; /* data and CRC, in the order of the bus */
};

/* Connects the lines to a card that was just powered up. */
void sdsim_sd_pins_init(struct sdsim_sd_pins *pins, struct sdsim_card *card);

/* One clock, first edge at `start`, over at `end`. Returns what was on the lines. */
struct sdsim_sd_lines sdsim_sd_clock(struct sdsim_sd_pins *pins, sdsim_ps start, sdsim_ps end,
                                     struct sdsim_sd_lines host);

/* What the card alone would drive in a clock whose first edge is at `now`. A host that looks at a
 * line without giving a clock sees this: the level behind the last edge, and whether a busy has
 * ended. */
struct sdsim_sd_lines sdsim_sd_look(const struct sdsim_sd_pins *pins, sdsim_ps now);

/*
 * The same as `count` calls of sdsim_sd_clock() at the clocks of `clock`, from *now on; leaves the
 * end of the last in *now. `host` holds what the host does in each clock, NULL: releases the lines
 * all the time. `bus` takes what was on the lines, or is NULL. May be the same array. Data in the
 * middle of a block goes by in bulk: 4-bit blocks at several hundred million clocks a second.
 */
void sdsim_sd_clock_many(struct sdsim_sd_pins *pins, sdsim_ps *now, struct sdsim_clock *clock,
                         const struct sdsim_sd_lines *host, struct sdsim_sd_lines *bus,
                         size_t count);

/*
 * How many of the next clocks, at most `most`, need nobody to look at them, if the host releases all lines:
 * CMD is high and DAT shows `*dat` in all of them, 0xE (busy) or 0xF. A lower bound; 0, and `*dat` as it
 * was, where the very next clock must be looked at.
 */
size_t sdsim_sd_waits(const struct sdsim_sd_pins *pins, sdsim_ps now,
                      const struct sdsim_clock *clock, size_t most, uint8_t *dat);

/*
 * The same as sdsim_sd_clock_many() for clocks in the middle of a block while the host leaves CMD
 * alone, with bytes in place of lines: in the order of the bus, data and CRC16, two clocks a byte
 * in a block of four lines (pins->four) and eight in one of one. `out`: the host reads, all lines
 * released. `in`: it drives the data. They stop before the end bit, and wherever a clock is not of
 * that kind; return how many bytes went by, at most `count`. Millions of blocks a second, their
 * CRC16 made and checked.
 */
size_t sdsim_sd_bytes_out(struct sdsim_sd_pins *pins, sdsim_ps *now, struct sdsim_clock *clock,
                          uint8_t *out, size_t count);
size_t sdsim_sd_bytes_in(struct sdsim_sd_pins *pins, sdsim_ps *now, struct sdsim_clock *clock,
                         const uint8_t *in, size_t count);

#endif
