/*
 * Writing fitted values back into profiles: the text of the file with the values and ranges of its
 * knobs exchanged, everything else, comments and line breaks, as it was.
 */
#ifndef SDSIM_MEASURE_REWRITE_H
#define SDSIM_MEASURE_REWRITE_H

#include <stdio.h>

#include "measure/knobs.h"

/* Prints the file at `path` with the values of its knobs; `changed`, if not NULL, tells whether
 * there were any. False after a message. */
bool sdsim_rewrite(const struct sdsim_knobs *knobs, const char *path, FILE *out, bool *changed,
                   struct sdsim_diags *diags);

/* Rounds all knobs to what is written, so that predictions from memory and from files agree. */
void sdsim_round_knobs(struct sdsim_knobs *knobs);

#endif
