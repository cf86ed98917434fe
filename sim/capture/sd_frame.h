/*
 * Frames and blocks of SD mode out of stored clocks: the bits of one line, with one sampling, from
 * one clock on.
 */
#ifndef SDSIM_CAPTURE_SD_FRAME_H
#define SDSIM_CAPTURE_SD_FRAME_H

#include "capture/sd_decoder.h"

enum { SDSIM_SD_FRAME_BYTES = 17 };

struct sdsim_sd_frame {
    uint64_t start; /* clock of the start bit */
    unsigned bits;  /* 48 or 136 */
    unsigned sampling;
    bool from_host;
    bool checked; /* it has a CRC7 */
    uint8_t bytes[SDSIM_SD_FRAME_BYTES];
};

/* The level of a line in a stored clock. */
static inline unsigned sdsim_sd_line(const struct sdsim_sd_decoder *decoder, uint64_t clock,
                                     unsigned sampling, unsigned line)
{
    return decoder->words[clock % SDSIM_SD_RING] >> (sampling * SDSIM_SD_LINES + line) & 1;
}

enum sdsim_sd_frame_verdict {
    SDSIM_SD_FRAME_NONE,  /* no start bit there */
    SDSIM_SD_FRAME_SHORT, /* more clocks are needed */
    SDSIM_SD_FRAME_WRONG,
    SDSIM_SD_FRAME_RIGHT,
};

/*
 * The frame that starts at `start` with this sampling. `long_response`: a response is 136 bits long.
 * SHORT: frame->bits says how many it has.
 */
enum sdsim_sd_frame_verdict sdsim_sd_frame_read(const struct sdsim_sd_decoder *decoder,
                                                uint64_t start, unsigned sampling,
                                                bool long_response, struct sdsim_sd_frame *frame);

/* How uneven the clock was from clock `from` to `to`: the shortest and longest period. */
void sdsim_sd_periods(const struct sdsim_sd_decoder *decoder, uint64_t from, uint64_t to,
                      uint64_t *shortest, uint64_t *longest);

/* Reads a block of `size` bytes whose start bit is at clock `start`, `width` lines wide; true if
 * end bits and CRC16 are right. `bytes` may have been changed either way. */
bool sdsim_sd_block_read(const struct sdsim_sd_decoder *decoder, uint64_t start, unsigned sampling,
                         unsigned width, unsigned size, uint8_t *bytes);

/* The same of DAT0 alone, of a block four lines wide: only the check sum is there. */
bool sdsim_sd_block_check_dat0(const struct sdsim_sd_decoder *decoder, uint64_t start,
                               unsigned sampling, unsigned size);

/* Clocks of a block, start and end bit included. */
static inline unsigned sdsim_sd_block_clocks(unsigned width, unsigned size)
{
    return 8 * size / width + 18;
}

/* Adds up in which half of the clock the lines of a frame of the card changed: with the clock low, as
 * in default speed, or with it high. */
void sdsim_sd_output_edges(const struct sdsim_sd_decoder *decoder,
                           const struct sdsim_sd_frame *frame, uint64_t *low, uint64_t *high);

#endif
