/*
 * SD mode: changes of the pins to clocks, each with the levels of CMD and DAT at four instants
 * (sd_decoder.h).
 *
 * Speed: clocks are made of many changes first and decoded together then, since most of them are data
 * of a block, which the decoder looks at when the block is complete.
 */
#ifndef SDSIM_CAPTURE_SD_SAMPLER_H
#define SDSIM_CAPTURE_SD_SAMPLER_H

#include "capture/roles.h"
#include "capture/sd_decoder.h"

struct sdsim_sd_sampler {
    struct sdsim_sd_decoder *decoder; /* not owned */
    bool begun;
    bool high; /* a clock's rising edge was seen, and its falling one not yet */
    unsigned lines;
    uint32_t word;
    uint64_t rise;
};

void sdsim_sd_sampler_init(struct sdsim_sd_sampler *sampler, struct sdsim_sd_decoder *decoder);

/* The lines, as sdsim_line_map gives them, from this tick on. */
static inline void sdsim_sd_sampler_change(struct sdsim_sd_sampler *sampler, uint64_t tick,
                                           unsigned lines)
{
    const unsigned before = sampler->lines;
    sampler->lines = lines;
    if ((lines & ~before & 4) != 0) {
        sampler->decoder->dat0_rise = tick;
    }
    if (((lines ^ before) & 1) == 0) {
        return;
    }
    if ((lines & 1) != 0) {
        sampler->rise = tick;
        sampler->word = before >> 1 | lines >> 1 << SDSIM_SD_LINES;
        sampler->high = true;
    } else if (sampler->high) {
        sampler->high = false;
        sdsim_sd_decoder_clock(sampler->decoder, sampler->rise,
                               sampler->word | before >> 1 << 2 * SDSIM_SD_LINES |
                                   lines >> 1 << 3 * SDSIM_SD_LINES);
    }
}

/* The same for many changes of the pins. */
void sdsim_sd_sampler_changes(struct sdsim_sd_sampler *sampler, const struct sdsim_line_map *map,
                              const struct sdsim_pin_change *changes, size_t count);

/* The state at the beginning, and the record's end. */
void sdsim_sd_sampler_begin(struct sdsim_sd_sampler *sampler, unsigned lines);
void sdsim_sd_sampler_end(struct sdsim_sd_sampler *sampler);

#endif
