/*
 * What the pointer does: the wheel zooms, a drag pans, measures on the ruler, moves along the whole run or
 * moves a row by its title, a click selects, a double click zooms to a span. Positions are pixels of the
 * window.
 */
#ifndef SDSIM_VIEWER_POINTER_H
#define SDSIM_VIEWER_POINTER_H

#include "app.h"

void sdsim_wheel(struct sdsim_app *app, int32_t x, int32_t y, int steps);
void sdsim_press(struct sdsim_app *app, int32_t x, int32_t y, int clicks);
void sdsim_move(struct sdsim_app *app, int32_t x, int32_t y);
void sdsim_release(struct sdsim_app *app, int32_t x, int32_t y);

#endif
