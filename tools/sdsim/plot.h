/*
 * Pictures through gnuplot, which is run as a child process in a temporary folder beside the
 * picture, so that the picture is there whole or not at all.
 */
#ifndef SDSIM_TOOLS_PLOT_H
#define SDSIM_TOOLS_PLOT_H

#include <stdbool.h>
#include <stdio.h>

#include "command.h"
#include "report/picture.h"

/* What is to be drawn: who prints the data file and the script that reads it. */
struct sdsim_plot {
    bool (*data)(const void *context, FILE *out); /* false without memory */
    void (*script)(const void *context, enum sdsim_picture_format format, const char *data_name,
                   const char *picture_name, FILE *out);
    const void *context;
};

/* Whether a picture can go to `path`: it ends in .svg or .png. False after a message. */
bool sdsim_plot_path_is_good(const char *path);

/* Whether there is a gnuplot in the PATH. False after a message. */
bool sdsim_plot_can_draw(void);

/*
 * Draws to `path`. With `keep` the data (.dat) and the script (.gnuplot) are left beside the
 * picture, also if there is no gnuplot. SDSIM_EXIT_OK, or SDSIM_EXIT_FAULT after a message.
 */
enum sdsim_exit sdsim_plot_draw(const struct sdsim_plot *plot, const char *path, bool keep);

#endif
