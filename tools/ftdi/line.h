/*
 * The line: the four wires to a card as a host in no hurry sees them, byte by byte, made of batches.
 *
 * A driver clocks a byte, looks at it, and decides; over USB each look would cost a round trip. So
 * bytes that are only sent are collected, and where a byte is to be looked at, more are read than that
 * one, as many as somebody expects to need (sdsim_line_expect) or, in a wait of unknown length, more
 * and more, several batches of them under way at once so that the bus does not stand still. What was
 * read ahead is handed out byte by byte. When the host turns to something else what is left of it is
 * dropped: the card has seen these clocks, with MOSI high, and the host behaves as if it had not. They
 * are counted (`overrun`) and belong to no measurement.
 *
 * A look whose outcome is known beforehand can be guessed (sdsim_line_guess): it is read along with
 * what follows, and checked then. And what will be sent whatever is seen can be sent ahead
 * (sdsim_line_send_ahead), in the batch of the looks in front of it and behind it.
 *
 * Every byte on the bus has a number, `position` is that of the next one as the host sees it, and a
 * stopwatch (stopwatch.h) knows when each was under way.
 *
 * Limits: what can't be done is remembered in `failed`; all bytes are 0xFF from then on. The link tells
 * why.
 */
#ifndef SDSIM_FTDI_LINE_H
#define SDSIM_FTDI_LINE_H

#include "batch.h"
#include "link.h"
#include "stopwatch.h"

enum {
    SDSIM_LINE_DEPTH = 4, /* batches under way in a long wait */
    SDSIM_LINE_FIRST_LOOK =
        16,                    /* bytes of the first batch of a wait, at a slow clock; at a fast one
                                   as many as SDSIM_LINE_FIRST_TIME has ... */
    SDSIM_LINE_PIPELINE = 256, /* ... each is twice the last; from here on several are under way */
    SDSIM_LINE_LOOK = 512,     /* ... and none is larger than this, 273 us at 15 MHz */
    SDSIM_LINE_LONG_LOOK = 4096, /* ... or this, in waits of more than LONG_WAIT bytes */
    SDSIM_LINE_LONG_WAIT = 65536,
    SDSIM_LINE_LONGER_LOOK = 16384, /* and this after LONGER_WAIT */
    SDSIM_LINE_LONGER_WAIT = 524288,
};

/* A round trip over USB takes 250 us and more. To clock for less than a good part of that before looking
 * makes a wait longer, not shorter. */
#define SDSIM_LINE_FIRST_TIME (70 * SDSIM_US)

/* A batch under way. */
struct sdsim_line_flight {
    size_t answers;
    uint64_t end; /* number of the byte behind its last one */
    size_t timed; /* of the stopwatch */
};

struct sdsim_line {
    struct sdsim_link *link; /* not owned */
    struct sdsim_batch batch;
    struct sdsim_mpsse_clock clock;
    uint8_t *ahead; /* owned: what was read and not looked at yet */
    size_t capacity;
    size_t at;
    size_t count;
    uint64_t ahead_end; /* number of the byte behind the last one of `ahead` */
    struct sdsim_line_flight flying[SDSIM_LINE_DEPTH]; /* the oldest first */
    size_t flights;
    size_t expected; /* next batch; 0: nobody knows */
    size_t look;     /* next batch if nobody knows */
    size_t waited;   /* bytes read in this wait */
    size_t guesses;  /* bytes at the beginning of the next batch that must be 0xFF */
    bool misjudged;  /* one of them was not */
    bool failed;
    uint64_t overrun; /* bytes */

    /* what was sent ahead */
    uint8_t *script; /* owned */
    size_t script_room;
    size_t script_size; /* 0: nothing */
    size_t script_at;   /* of it the host has sent by now */
    size_t script_from; /* in `ahead`: where what was read behind it begins */

    uint64_t sent_end;  /* number of the byte behind the last batch */
    uint64_t queued;    /* bytes put into batches, ever: the number of the next one */
    uint64_t position;  /* the same as the host sees it */
    uint64_t run_first; /* of the last run that is read: its first byte ... */
    size_t run_at;      /* ... and where its command stands in the batch */
    struct sdsim_stopwatch watch;
};

/* Sets the chip behind the link up, all queued. sdsim_line_free leaves the link alone. */
void sdsim_line_init(struct sdsim_line *line, struct sdsim_link *link,
                     const struct sdsim_mpsse_clock *clock);
void sdsim_line_free(struct sdsim_line *line);

void sdsim_line_clock(struct sdsim_line *line, const struct sdsim_mpsse_clock *clock);

/* CS; what was read ahead is dropped. */
void sdsim_line_select(struct sdsim_line *line, bool low);

/* A byte for the card. Dropped is what was read ahead, unless it is 0xFF, of which some was sent by
 * that already. */
void sdsim_line_send(struct sdsim_line *line, uint8_t byte);

/* So many bytes 0xFF of which nobody wants to know what the card says. Returns how many there were: all
 * of them, but in front of what was sent ahead no more than there was room for. */
uint64_t sdsim_line_skip(struct sdsim_line *line, uint64_t bytes);

/* The same while the card is waited for: stops short of a byte that is not 0xFF, which the card would
 * not have sent without clocks. Returns how many were skipped. */
uint64_t sdsim_line_skip_ones(struct sdsim_line *line, uint64_t bytes);

/* How many bytes will be looked at from here on, most likely. */
void sdsim_line_expect(struct sdsim_line *line, size_t bytes);

/* The next byte from the card, 0xFF for it meanwhile. */
uint8_t sdsim_line_look(struct sdsim_line *line);

/* The same, if the caller knows that it is 0xFF and something is looked at soon. */
void sdsim_line_guess(struct sdsim_line *line);

/*
 * Sends, in the batch that is queued: `window` bytes that will be looked at, then `count` bytes that will
 * be sent, then `looks` bytes that will be looked at. Up to `window` looks (or skipped bytes) and exactly
 * those sends are what the host has to do now; if it looks more often it gets what comes behind, and
 * `misjudged`; if it sends something else, `misjudged` as well.
 */
void sdsim_line_send_ahead(struct sdsim_line *line, size_t window, const uint8_t *bytes,
                           size_t count, size_t looks);

/* Drops what was read ahead. */
void sdsim_line_drop(struct sdsim_line *line);

/* Sends what is queued. */
void sdsim_line_flush(struct sdsim_line *line);

/* Somebody else may use the link in between: all is sent, and CS is high; afterwards the chip is set up
 * again. */
void sdsim_line_leave(struct sdsim_line *line);
void sdsim_line_return(struct sdsim_line *line);

/* After a fault: recovers the link and sets the chip up again, with CS high. False: a lasting one. */
bool sdsim_line_recover(struct sdsim_line *line);

#endif
