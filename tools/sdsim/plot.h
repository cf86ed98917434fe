/*
 * Pictures through gnuplot, which is run as a child process in a temporary folder beside the
 * picture, so that the picture is there whole or not at all.
 */
#ifndef SDSIM_TOOLS_PLOT_H
#define SDSIM_TOOLS_PLOT_H

#include <stdbool.h>

#include "command.h"
#include "fat/layout.h"

/* Whether a picture can go to `path`: it ends in .svg or .png. False after a message. */
bool sdsim_plot_path_is_good(const char *path);

/*
 * Draws the map of a card to `path`; `image` is the name in its title. With `keep` the data
 * (.dat) and the script (.gnuplot) are left beside the picture, also if there is no gnuplot.
 * SDSIM_EXIT_OK, or SDSIM_EXIT_FAULT after a message.
 */
enum sdsim_exit sdsim_plot_layout(const struct sdsim_layout *layout, const char *image,
                                  const char *path, bool keep);

#endif
