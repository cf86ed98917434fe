/*
 * The parts of a summary to each other: rows (summary.c), bytes of SPI (summary_bytes.c), registers and
 * initialisations (summary_card.c).
 */
#ifndef SDSIM_CAPTURE_SUMMARY_PARTS_H
#define SDSIM_CAPTURE_SUMMARY_PARTS_H

#include "capture/summary.h"

struct sdsim_spi_listener sdsim_summary_bytes(void);

/* Pitches count from the byte at `at` on, which is among the last ones. */
void sdsim_summary_pitch_from(struct sdsim_summary *summary, uint64_t at);

/* From the end of a block's token to its first byte of data. */
sdsim_ps sdsim_summary_token_gap(const struct sdsim_summary *summary,
                                 const struct sdsim_item *block);

void sdsim_summary_init_command(struct sdsim_summary *summary, const struct sdsim_item *item);
void sdsim_summary_init_response(struct sdsim_summary *summary, const struct sdsim_item *item);
void sdsim_summary_register_response(struct sdsim_summary *summary, const struct sdsim_item *item);
void sdsim_summary_register_block(struct sdsim_summary *summary, const struct sdsim_item *item);

#endif
