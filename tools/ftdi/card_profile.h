/*
 * A card profile (kind: card) of what was measured, for `sdsim run --card` and `sdsim check`.
 *
 * Every value says that it was measured, from what, and in which range it lies: 5 to 95 % of the samples,
 * and never less than the byte time the bus can tell. What the bus could not show - because it is hidden
 * behind a transfer, or because nothing was written - is said in a comment; values a profile can't do
 * without are then those of the card's class, by `base:`.
 */
#ifndef SDSIM_FTDI_CARD_PROFILE_H
#define SDSIM_FTDI_CARD_PROFILE_H

#include <stdio.h>

#include "measures.h"

/* One frequency of the sweep. */
struct sdsim_sweep_row {
    struct sdsim_mpsse_clock clock;
    uint32_t blocks;
    uint64_t faults;
};

enum { SDSIM_SWEEP_ROWS = 8 };

struct sdsim_card_findings {
    struct sdsim_card_registers registers;
    struct sdsim_mpsse_clock clock; /* everything was measured at */
    uint64_t best_hz;               /* highest frequency without errors; 0: not looked for */
    struct sdsim_sweep_row sweep[SDSIM_SWEEP_ROWS];
    size_t sweep_count;
    bool measured; /* reads were, at least */
    struct sdsim_gap_fact gap;
    struct sdsim_read_measures reads;
    bool written; /* writes were measured, too */
    struct sdsim_write_measures writes;
    const char *chip; /* name of the instrument */
};

/* Writes the profile. */
void sdsim_card_profile_write(const struct sdsim_card_findings *findings, FILE *out);

/* What `bytes` bytes take at the clock of the findings, in ps. */
double sdsim_findings_span(const struct sdsim_card_findings *findings, double bytes);

#endif
