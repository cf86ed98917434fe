/*
 * The two halves of the SD-mode decoder to each other: frames on CMD (sd_decoder.c) and what happens
 * on DAT (sd_data.c).
 */
#ifndef SDSIM_CAPTURE_SD_PARTS_H
#define SDSIM_CAPTURE_SD_PARTS_H

#include "capture/sd_decoder.h"

sdsim_ps sdsim_sd_time(const struct sdsim_sd_decoder *decoder, uint64_t clock);
struct sdsim_item sdsim_sd_item(const struct sdsim_sd_decoder *decoder, enum sdsim_item_kind kind,
                                uint64_t from, uint64_t to);
void sdsim_sd_gap(const struct sdsim_sd_decoder *decoder, struct sdsim_item *item, uint64_t last,
                  uint64_t first);
void sdsim_sd_tell(struct sdsim_sd_decoder *decoder, const struct sdsim_item *item);

/* A command ended at clock `end`: what data is to come? */
void sdsim_sd_data_command(struct sdsim_sd_decoder *decoder, uint64_t end);
/* Its response ended at clock `end`. */
void sdsim_sd_data_response(struct sdsim_sd_decoder *decoder, uint64_t end, bool busy_may_follow);
/* The newest clock, in a phase. */
void sdsim_sd_data_clock(struct sdsim_sd_decoder *decoder);
void sdsim_sd_data_end(struct sdsim_sd_decoder *decoder);

#endif
