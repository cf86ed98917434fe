/*
 * Selecting spans: one that was clicked at, the next of a kind, the one beside it; and the list of the
 * longest.
 */
#ifndef SDSIM_VIEWER_SELECT_H
#define SDSIM_VIEWER_SELECT_H

#include "app.h"

/* Selects a span and shows its facts; `reach` moves the view to it if need be. */
void sdsim_select(struct sdsim_app *app, uint8_t track, struct sdsim_place_in place, bool reach);

/* The selected span; false if there is none. */
bool sdsim_selected_span(struct sdsim_app *app, struct sdsim_span *span);

/* Selects the next of a quest from the selection, or the left edge, on; false with a message if there
 * is none. */
bool sdsim_select_jump(struct sdsim_app *app, const char *quest, bool forward);

/* Two runs: puts the first of a quest in one on the first in the other. False with a message. */
bool sdsim_select_align(struct sdsim_app *app, const char *quest);

/* The next or previous span of the selected one's lane; the first in the window if none is. */
void sdsim_select_step(struct sdsim_app *app, bool forward);

/* Lists the longest spans of the chosen row in the panel. */
void sdsim_list_longest(struct sdsim_app *app);

/* Selects the one of the list that is chosen; the list stays. */
void sdsim_select_longest(struct sdsim_app *app);

/* Zooms to the selection, or the measured range. */
void sdsim_select_show(struct sdsim_app *app);

#endif
