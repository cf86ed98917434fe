#include "capture/sd_sampler.h"

void sdsim_sd_sampler_init(struct sdsim_sd_sampler *sampler, struct sdsim_sd_decoder *decoder)
{
    *sampler = (struct sdsim_sd_sampler){.decoder = decoder};
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
