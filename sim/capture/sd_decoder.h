/*
 * SD mode: clocks of the bus to items (item.h).
 *
 * A clock comes with the levels of CMD and DAT0..3 at four instants: in the sample before its rising
 * edge and at it, before its falling edge and at it. Which of them is right depends on who drives a
 * line and how the recording was made: cards change their lines at the falling edge in default speed
 * and at the rising one in high speed, and an analyser may show data and clock changing in
 * one sample. So the last clocks are kept as they came, and every frame is read from them with the
 * sampling that was right last and, if its CRC7 is wrong, with the others; the check sum decides, frame
 * by frame. Blocks are read with the sampling of the frame before, and in the same way with others if
 * the CRC16 is wrong; so is the width of the bus found out, unless an ACMD6 told it.
 *
 * The direction bit tells commands from responses, so one without an answer swallows nothing. Frames
 * that were sampled too seldom to be read (a clock of uneven periods of few samples, or a wrong CRC7
 * with less than four samples a clock) are counted and become no items.
 *
 * What items carry in SD mode: COMMAND: gap = clocks since the last frame (N_RC); RESPONSE: bytes =
 * the frame as on the wire, 6 or 17 bytes; crc NONE for R3 and R4, which have none; READ_BLOCK: gap =
 * N_AC, from the end bit of the command, later from the end of the block before; WRITE_BLOCK: gap =
 * N_WR, from the response, or from CRC status or busy; DATA_RESPONSE: token = the three bits; BUSY:
 * end = when DAT0 rose, also if the clock stood. Bytes of a block are missing (NULL) if it was 4 bits
 * wide and not all lines were recorded; then its CRC is that of DAT0.
 *
 * Limits: blocks up to 512 bytes; no double data rate; CMD and DAT of one card.
 */
#ifndef SDSIM_CAPTURE_SD_DECODER_H
#define SDSIM_CAPTURE_SD_DECODER_H

#include "capture/clock_meter.h"
#include "capture/item.h"
#include "capture/pins.h"

/* Where in a clock a line is looked at. */
enum sdsim_sampling {
    SDSIM_SAMPLE_BEFORE_RISE,
    SDSIM_SAMPLE_AT_RISE,
    SDSIM_SAMPLE_BEFORE_FALL,
    SDSIM_SAMPLE_AT_FALL,
    SDSIM_SAMPLING_COUNT
};

/* "before the rising edge", ... */
const char *sdsim_sampling_name(enum sdsim_sampling sampling);

/* Levels in a clock: five bits for each sampling, CMD lowest, then DAT0 to DAT3. */
enum {
    SDSIM_SD_LINES = 5,
    SDSIM_SD_LINE_MASK = 31,
    SDSIM_SD_RING = 8192,
    SDSIM_SD_BLOCK = 512,
};

/* CMD of all samplings; DAT0 is a bit higher. */
#define SDSIM_SD_CMDS 0x00008421u

enum sdsim_sd_stage {
    SDSIM_SD_STAGE_NO_DATA,
    SDSIM_SD_STAGE_WAIT_READ,
    SDSIM_SD_STAGE_WAIT_WRITE,
    SDSIM_SD_STAGE_IN_BLOCK,
    SDSIM_SD_STAGE_WAIT_STATUS, /* CRC status */
    SDSIM_SD_STAGE_IN_STATUS,
    SDSIM_SD_STAGE_WAIT_BUSY, /* it may follow */
    SDSIM_SD_STAGE_BUSY,
};

struct sdsim_sd_decoder {
    struct sdsim_item_listener *listener;
    struct sdsim_tick tick;
    struct sdsim_clock_meter *meter;
    uint64_t quantum;
    bool lines[SDSIM_SD_LINES]; /* which were recorded */
    unsigned sampling;          /* enum sdsim_sampling: that of the last good frame */
    uint64_t right_by[SDSIM_SAMPLING_COUNT];
    unsigned width;       /* 1 or 4, 0: not known */
    unsigned block_bytes; /* CMD16 */

    uint64_t n; /* clocks so far */
    uint32_t words[SDSIM_SD_RING];
    uint64_t rises[SDSIM_SD_RING];
    uint64_t dat0_rise; /* tick of its last rising edge */

    bool in_frame;
    uint64_t frame_start; /* clock */
    unsigned frame_need;  /* clocks it must have before it is looked at */
    bool any_frame;
    uint64_t frame_end;  /* clock of the end bit of the last frame */
    uint64_t active_end; /* clock of the last thing on DAT */
    int trust;           /* in the clock's being sampled well */
    uint64_t trusted_period;

    bool pending; /* a command waits for its response */
    uint8_t index;
    bool app;
    bool app_next; /* the last command was CMD55 */
    uint64_t command_end;
    uint32_t argument;

    enum sdsim_sd_stage stage;
    bool writing;
    bool single;        /* one block only */
    uint8_t data_index; /* command of the transfer */
    bool data_app;
    unsigned size;  /* bytes of a block */
    uint64_t from;  /* clock from which gaps are counted */
    uint64_t began; /* clock at which block, status or busy began */
    uint64_t due;   /* how many clocks there must be until the block is looked at */
    uint16_t block; /* number of the next one */
    sdsim_ps busy_start;
    sdsim_ps busy_gap;
    uint64_t busy_at;
    uint32_t set_left; /* CMD23: blocks to go, 0: open */
    uint32_t set_count;
    uint64_t edges_low;   /* CMD changed by the card while the clock was low */
    uint64_t edges_high;  /* ... or high */
    uint64_t frames_lost; /* sampled too seldom */
    uint64_t blocks_lost;
    uint8_t bytes[SDSIM_SD_BLOCK];
};

/* `lines`: CMD, DAT0..3, which of them are recorded; those that aren't must come as 1. The meter, of
 * which the frames are counted into its stretches, and the listener are not owned. */
void sdsim_sd_decoder_init(struct sdsim_sd_decoder *decoder, const struct sdsim_tick *tick,
                           uint64_t quantum, const bool lines[SDSIM_SD_LINES],
                           struct sdsim_clock_meter *meter, struct sdsim_item_listener *listener);

/* Looks at a clock that is stored and at which something may be going on. */
void sdsim_sd_decoder_look(struct sdsim_sd_decoder *decoder);

/* Whether a clock needs a closer look: something moves on CMD, or on DAT0 where that means
 * something. */
static inline bool sdsim_sd_decoder_is_due(const struct sdsim_sd_decoder *decoder, uint32_t word)
{
    if ((word & SDSIM_SD_CMDS) != SDSIM_SD_CMDS || decoder->in_frame) {
        return true;
    }
    if (decoder->stage == SDSIM_SD_STAGE_IN_BLOCK) {
        return decoder->n >= decoder->due;
    }
    return decoder->stage > SDSIM_SD_STAGE_WAIT_WRITE ||
           (decoder->stage != SDSIM_SD_STAGE_NO_DATA && (word & SDSIM_SD_CMDS << 1) != SDSIM_SD_CMDS
                                                                                           << 1);
}

/* A clock: its rising edge, and the levels. */
static inline void sdsim_sd_decoder_clock(struct sdsim_sd_decoder *decoder, uint64_t rise,
                                          uint32_t word)
{
    const uint64_t slot = decoder->n % SDSIM_SD_RING;
    decoder->words[slot] = word;
    decoder->rises[slot] = rise;
    decoder->n++;
    sdsim_clock_meter_rise(decoder->meter, rise);
    if (sdsim_sd_decoder_is_due(decoder, word)) {
        sdsim_sd_decoder_look(decoder);
    }
}

/* Clocks that were not decoded yet. */
enum { SDSIM_SD_CLOCKS = 256 };

struct sdsim_sd_clocks {
    uint64_t rises[SDSIM_SD_CLOCKS];      /* the clock's */
    uint64_t dat0_rises[SDSIM_SD_CLOCKS]; /* the last one of DAT0 up to then */
    uint32_t words[SDSIM_SD_CLOCKS];
};

/* The same for many clocks. */
void sdsim_sd_decoder_clocks(struct sdsim_sd_decoder *decoder, const struct sdsim_sd_clocks *clocks,
                             size_t count);

/* The record ends. */
void sdsim_sd_decoder_end(struct sdsim_sd_decoder *decoder);

#endif
