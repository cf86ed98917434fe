/*
 * What pictures drawn by gnuplot have in common: the formats they come in, and how its scripts are written.
 */
#ifndef SDSIM_REPORT_PICTURE_H
#define SDSIM_REPORT_PICTURE_H

#include <stdio.h>

enum sdsim_picture_format {
    SDSIM_PICTURE_SVG,
    SDSIM_PICTURE_PNG,
};

/* A text in gnuplot's double quotes. Errors stay in the stream. */
void sdsim_plot_quote(const char *text, FILE *out);

#endif
