#include "capture/sd_sampler.h"

void sdsim_sd_sampler_init(struct sdsim_sd_sampler *sampler, struct sdsim_sd_decoder *decoder)
{
    *sampler = (struct sdsim_sd_sampler){.decoder = decoder};
}

static void flush(struct sdsim_sd_sampler *sampler, const struct sdsim_sd_clocks *clocks,
                  size_t *count)
{
    sdsim_sd_decoder_clocks(sampler->decoder, clocks, *count);
    *count = 0;
}

void sdsim_sd_sampler_changes(struct sdsim_sd_sampler *sampler, const struct sdsim_line_map *map,
                              const struct sdsim_pin_change *changes, size_t count)
{
    struct sdsim_sd_clocks clocks;
    struct sdsim_sd_sampler s = *sampler;
    uint64_t dat0_rise = s.decoder->dat0_rise;
    size_t made = 0;
    for (size_t i = 0; i < count; i++) {
        const uint64_t tick = changes[i].tick;
        const unsigned before = s.lines;
        const unsigned lines = sdsim_line_map(map, changes[i].levels);
        s.lines = lines;
        dat0_rise = (lines & ~before & 4) != 0 ? tick : dat0_rise;
        if (((lines ^ before) & 1) == 0) {
            continue;
        }
        if ((lines & 1) != 0) {
            s.rise = tick;
            s.word = before >> 1 | lines >> 1 << SDSIM_SD_LINES;
            s.high = true;
        } else if (s.high) {
            s.high = false;
            clocks.rises[made] = s.rise;
            clocks.dat0_rises[made] = dat0_rise;
            clocks.words[made] =
                s.word | before >> 1 << 2 * SDSIM_SD_LINES | lines >> 1 << 3 * SDSIM_SD_LINES;
            if (++made == SDSIM_SD_CLOCKS) {
                flush(&s, &clocks, &made);
            }
        }
    }
    flush(&s, &clocks, &made);
    s.decoder->dat0_rise = dat0_rise;
    *sampler = s;
}

void sdsim_sd_sampler_begin(struct sdsim_sd_sampler *sampler, unsigned lines)
{
    sampler->begun = true;
    sampler->lines = lines;
}

void sdsim_sd_sampler_end(struct sdsim_sd_sampler *sampler)
{
    if (sampler->high) {
        /* the last clock did not fall: the lines are what they are */
        sdsim_sd_sampler_change(sampler, sampler->rise, sampler->lines & ~1u);
    }
    sdsim_sd_decoder_end(sampler->decoder);
}
