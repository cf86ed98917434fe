/*
 * Scripts of input events, for tests: one a line, "#" begins a comment.
 *
 *     key NAME              as sdsim_key() knows them
 *     type TEXT             into the search line
 *     wheel X Y STEPS       click X Y      double X Y      drag X Y X Y
 *     size WIDTH HEIGHT     of the window
 *     draw                  makes a picture and forgets it; also before each dump
 *     dump                  prints the state on standard output
 */
#ifndef SDSIM_VIEWER_SCRIPT_H
#define SDSIM_VIEWER_SCRIPT_H

#include "viewer.h"

/* Replays a script. False after a message on stderr if it can't be read or has a line that means
 * nothing. */
bool sdsim_script_run(struct sdsim_viewer *viewer, const char *path);

#endif
