/*
 * The words of the waterfall: for each step the rule that makes it, with the numbers of the run.
 * Not for other files than waterfall*.c.
 */
#ifndef SDSIM_REPORT_WATERFALL_PARTS_H
#define SDSIM_REPORT_WATERFALL_PARTS_H

#include "report/waterfall.h"

/* Writes the rule of a step into step->rule. */
void sdsim_waterfall_rule(const struct sdsim_setup *setup,
                          const struct sdsim_outcome_report *outcome,
                          const struct sdsim_waterfall *waterfall,
                          struct sdsim_waterfall_step *step);

/* Clocks that frame one data block on this bus. */
unsigned sdsim_waterfall_frame(int bus, bool reads);

#endif
