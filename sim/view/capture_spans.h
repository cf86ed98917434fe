/*
 * A capture of the pins as a timeline, so that it is looked at like a run that was simulated.
 *
 * What the decoders find becomes spans: of the bus its frames, tokens, blocks and gaps; of the card its
 * access (from the command, or the block before, to the block) and its busy; of the CPU the time in which
 * the bus stands still between two transactions; commands from their first edge to the last of what
 * belongs to them; and the calls a driver must have made (capture/calls.h).
 *
 * Limits: a capture does not tell what a card is busy with. What lasts longer than a card takes to fetch or
 * to program (SDSIM_CAPTURE_PAUSE) is called a pause, all of it; shorter ones are not seen as such.
 * Nor does it tell for which sake a sector is moved, so all of them are data.
 */
#ifndef SDSIM_VIEW_CAPTURE_SPANS_H
#define SDSIM_VIEW_CAPTURE_SPANS_H

#include "core/diag.h"
#include "timeline/timeline.h"

/* The longest program of a page group that we know of takes 17.5 ms, on a card of class 4; merges and
 * housekeeping begin at 15 ms and mostly take 50 ms and more. */
#define SDSIM_CAPTURE_PAUSE (20 * SDSIM_MS)

/*
 * Decodes a capture into an empty timeline and finishes it; `channels` as in sdsim_capture_open. False
 * after an error in `diags` with nothing to be shown. If the file is broken somewhere, what comes before
 * is there, and the error is among the messages.
 */
bool sdsim_capture_spans(const char *path, const char *channels, struct sdsim_timeline *timeline,
                         struct sdsim_diags *diags);

#endif
