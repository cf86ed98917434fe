/*
 * The window: events of SDL in, pictures out. It is drawn by the CPU, and only when something has changed.
 */
#ifndef SDSIM_VIEWER_WINDOW_H
#define SDSIM_VIEWER_WINDOW_H

#include "viewer.h"

/* Has SDL look for a display. False after a message. SDL_Quit() takes it back. */
bool sdsim_window_begin(void);

/* How many pixels letters of 13 pixels on a usual screen should have on this one. */
int sdsim_window_text(void);

/* Called by any thread: something is ready to be taken before the next picture. */
void sdsim_window_wake(void);

/* Shows the window until the user ends it. False after a message. */
bool sdsim_window_show(struct sdsim_viewer *viewer);

#endif
