#include "capture/sd_sampler.h"

void sdsim_sd_sampler_init(struct sdsim_sd_sampler *sampler, struct sdsim_sd_decoder *decoder)
{
    *sampler = (struct sdsim_sd_sampler){.decoder = decoder};
}

/* `value` or, if the bit is set, `other`. Data is random: a branch would be guessed wrong every other
 * time. */
static inline uint64_t choose(uint64_t value, uint64_t other, unsigned bit)
{
    return value ^ ((value ^ other) & (0 - (uint64_t)bit));
}

/* Clocks that are two changes, a rising edge and a falling one, as nearly all are: takes those that come
 * next, up to `room` of them, and returns how many. */
static size_t take_pairs(struct sdsim_sd_sampler *sampler, const struct sdsim_line_map *map,
                         const struct sdsim_pin_change *changes, size_t room,
                         struct sdsim_sd_clocks *clocks, size_t made)
{
    uint64_t dat0_rise = sampler->decoder->dat0_rise;
    unsigned before = sampler->lines;
    size_t taken = 0;
    for (; taken < room; taken++, made++, changes += 2) {
        const unsigned up = sdsim_line_map(map, changes[0].levels);
        const unsigned down = sdsim_line_map(map, changes[1].levels);
        if ((up & ~before & ~down & 1) == 0) {
            break;
        }
        dat0_rise = choose(dat0_rise, changes[0].tick, up >> 2 & ~before >> 2 & 1);
        dat0_rise = choose(dat0_rise, changes[1].tick, down >> 2 & ~up >> 2 & 1);
        clocks->rises[made] = changes[0].tick;
        clocks->dat0_rises[made] = dat0_rise;
        clocks->words[made] = before >> 1 | up >> 1 << SDSIM_SD_LINES |
                              up >> 1 << 2 * SDSIM_SD_LINES | down >> 1 << 3 * SDSIM_SD_LINES;
        before = down;
    }
    sampler->decoder->dat0_rise = dat0_rise;
    sampler->lines = before;
    return taken;
}

/* One change; whether it ends a clock, which is put at `made`. */
static bool take_change(struct sdsim_sd_sampler *sampler, uint64_t tick, unsigned lines,
                        struct sdsim_sd_clocks *clocks, size_t made)
{
    const unsigned before = sampler->lines;
    sampler->lines = lines;
    if ((lines & ~before & 4) != 0) {
        sampler->decoder->dat0_rise = tick;
    }
    if ((lines & ~before & 1) != 0) {
        sampler->rise = tick;
        sampler->word = before >> 1 | lines >> 1 << SDSIM_SD_LINES;
        sampler->high = true;
    }
    if ((before & ~lines & 1) == 0 || !sampler->high) {
        return false;
    }
    sampler->high = false;
    clocks->rises[made] = sampler->rise;
    clocks->dat0_rises[made] = sampler->decoder->dat0_rise;
    clocks->words[made] =
        sampler->word | before >> 1 << 2 * SDSIM_SD_LINES | lines >> 1 << 3 * SDSIM_SD_LINES;
    return true;
}

/* Decodes clocks; the decoder goes back to what DAT0 did up to each of them meanwhile. */
static void decode(struct sdsim_sd_decoder *decoder, const struct sdsim_sd_clocks *clocks,
                   size_t count)
{
    const uint64_t dat0_rise = decoder->dat0_rise;
    sdsim_sd_decoder_clocks(decoder, clocks, count);
    decoder->dat0_rise = dat0_rise;
}

void sdsim_sd_sampler_changes(struct sdsim_sd_sampler *sampler, const struct sdsim_line_map *map,
                              const struct sdsim_pin_change *changes, size_t count)
{
    struct sdsim_sd_clocks clocks;
    size_t made = 0;
    for (size_t i = 0; i < count;) {
        const size_t pairs = (count - i) / 2;
        const size_t room = SDSIM_SD_CLOCKS - made;
        const size_t taken = sampler->high ? 0
                                           : take_pairs(sampler, map, changes + i,
                                                        pairs < room ? pairs : room, &clocks, made);
        i += 2 * taken;
        made += taken;
        if (i < count && made < SDSIM_SD_CLOCKS) {
            const unsigned lines = sdsim_line_map(map, changes[i].levels);
            made += take_change(sampler, changes[i].tick, lines, &clocks, made);
            i++;
        }
        if (made == SDSIM_SD_CLOCKS || i == count) {
            decode(sampler->decoder, &clocks, made);
            made = 0;
        }
    }
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
