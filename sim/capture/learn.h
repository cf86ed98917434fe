/*
 * A card profile out of a capture: what the recording determines, each value with where it comes from,
 * on top of the class the card belongs to by its capacity.
 *
 * Times are medians, with the least and the greatest as range. What the capture can't tell is left to
 * the class, and said in a comment; so are figures of the host, which are no part of a card.
 */
#ifndef SDSIM_CAPTURE_LEARN_H
#define SDSIM_CAPTURE_LEARN_H

#include <stdio.h>

#include "capture/capture.h"
#include "capture/summary.h"

/* Writes the profile as YAML. `name` of the capture goes into the sources. False, with nothing written,
 * if the capture tells nothing of a card. */
bool sdsim_learn_card(const struct sdsim_capture *capture, const struct sdsim_summary *summary,
                      const char *name, FILE *out);

#endif
