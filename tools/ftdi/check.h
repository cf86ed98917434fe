/*
 * What only a chip on the desk can say: the questions that data sheets and other people's programs leave
 * open, each asked of the hardware by a check of its own.
 *
 *   gaps    how long the clock stands still between bytes at 15 and 30 MHz, and whether the host takes
 *           answers off the chip fast enough at either (gaps.h)
 *   edges   which edge a bit is written on so that a card of SPI mode 0 understands it, which it is
 *           read on, and what MOSI does while a command only reads
 *   poll    what one look costs that waits for the one before it: a byte read and sent at once (0x87),
 *           and the same left to the latency timer of 1 ms
 *   margin  the fastest clock at which blocks are read without errors, on the rising edge (0x20) and
 *           half a clock later, on the falling one (0x24)
 *   stop    whether "clock until ADBUS5 is high" (0x9C) stops inside of a byte, and how it leaves SCK
 *
 * All read only. Limits: gaps and poll are of the host as much as of the chip; margin is of the card and
 * the wires, too; margin and stop need a card that can be identified, and stop a wire from MISO to ADBUS5.
 */
#ifndef SDSIM_FTDI_CHECK_H
#define SDSIM_FTDI_CHECK_H

#include <stdio.h>

#include "gaps.h"
#include "samples.h"

enum sdsim_check {
    SDSIM_CHECK_GAPS,
    SDSIM_CHECK_EDGES,
    SDSIM_CHECK_POLL,
    SDSIM_CHECK_MARGIN,
    SDSIM_CHECK_STOP,
    SDSIM_CHECKS,
};

/* ---- gaps ---- */

enum { SDSIM_GAP_CLOCKS = 2 };

struct sdsim_gap_row {
    struct sdsim_mpsse_clock clock;
    struct sdsim_gap_fact facts[SDSIM_GAP_RUNS];
    bool keeps_up; /* reading has no gaps that clocking has not */
};

/* ---- edges ---- */

enum sdsim_edge { SDSIM_EDGE_FALLING, SDSIM_EDGE_RISING, SDSIM_EDGES };

/* What MOSI does in a command that only reads. */
enum sdsim_mosi_rest { SDSIM_MOSI_UNKNOWN, SDSIM_MOSI_KEEPS, SDSIM_MOSI_LOW, SDSIM_MOSI_HIGH };

/* Of so many exchanges (CMD0, CMD8) with a card, by the edges of writing and reading. */
struct sdsim_edge_fact {
    unsigned tries;
    unsigned understood[SDSIM_EDGES][SDSIM_EDGES]; /* [written][read] */
    enum sdsim_mosi_rest mosi;
};

/* ---- poll ---- */

struct sdsim_poll_fact {
    double byte;                  /* us: clocks of one */
    struct sdsim_quantiles now;   /* us, host time; sent at once */
    struct sdsim_quantiles timer; /* the latency timer sends it */
};

/* ---- margin ---- */

enum { SDSIM_MARGIN_CLOCKS = 4 };

struct sdsim_margin_row {
    struct sdsim_mpsse_clock clock;
    uint32_t blocks;
    uint64_t faults[SDSIM_EDGES]; /* by the edge of reading */
};

struct sdsim_margin_fact {
    struct sdsim_margin_row rows[SDSIM_MARGIN_CLOCKS];
    uint64_t best[SDSIM_EDGES]; /* Hz: no faults up to here; 0: none */
};

/* ---- stop ---- */

struct sdsim_stop_fact {
    bool wired;     /* ADBUS5 follows MISO */
    bool known;     /* what was read behind the stop is what the card sends, from some clock on */
    unsigned due;   /* clocks until the pin was high ... */
    unsigned taken; /* ... and those there were */
    bool sck_high;  /* afterwards */
};

/* ---- all of them ---- */

struct sdsim_chip_findings {
    bool done[SDSIM_CHECKS];
    const char *failed[SDSIM_CHECKS]; /* why one of them has no answer; NULL: it has */
    struct sdsim_gap_row gaps[SDSIM_GAP_CLOCKS];
    struct sdsim_edge_fact edges;
    struct sdsim_poll_fact poll;
    struct sdsim_margin_fact margin;
    struct sdsim_stop_fact stop;
};

/* "gaps" and so on, and the question in a few words. */
const char *sdsim_check_name(enum sdsim_check check);
const char *sdsim_check_question(enum sdsim_check check);

/* "gaps", "all"; sets a bit for each. False: it is none. */
bool sdsim_check_parse(const char *text, unsigned *checks);

/* Asks one question. The chip may be in any state before, and is set up with CS high afterwards. False:
 * the link failed; what the card refuses is in `findings`. */
bool sdsim_check_run(struct sdsim_link *link, enum sdsim_check check,
                     struct sdsim_chip_findings *findings);

/* The answer in one or two sentences, without a newline at the end. Returns text. */
char *sdsim_check_answer(const struct sdsim_chip_findings *findings, enum sdsim_check check,
                         char *text, size_t size);

/* The answer with what it rests on, for 80 columns. */
void sdsim_check_report(const struct sdsim_chip_findings *findings, enum sdsim_check check,
                        FILE *out);

/* ---- for the files of the checks ---- */

bool sdsim_check_gaps(struct sdsim_link *link, struct sdsim_gap_row rows[SDSIM_GAP_CLOCKS]);
bool sdsim_check_edges(struct sdsim_link *link, struct sdsim_edge_fact *fact);
bool sdsim_check_poll(struct sdsim_link *link, struct sdsim_poll_fact *fact);
/* These two set *why if the card is not there. */
bool sdsim_check_margin(struct sdsim_link *link, struct sdsim_margin_fact *fact, const char **why);
bool sdsim_check_stop(struct sdsim_link *link, struct sdsim_stop_fact *fact, const char **why);

#endif
