/*
 * The map of a card as a gnuplot script and its data: a grid of cells, row by row from sector 0 on,
 * each in the colour of what lies there.
 *
 * A cell is a power of two sectors, as few as go on 128 columns and 72 rows. Its colour mixes those
 * of what it holds by share, but the file asked for and lost clusters are to be seen wherever they
 * are: they make up at least two thirds of the colour of a cell they are in.
 */
#ifndef SDSIM_REPORT_LAYOUT_PICTURE_H
#define SDSIM_REPORT_LAYOUT_PICTURE_H

#include <stdbool.h>
#include <stdio.h>

#include "fat/layout.h"
#include "report/picture.h"

/* The data: a line "column end row color" for each stretch of cells of one colour, from `column` up
 * to but without `end`, the colour as 0xRRGGBB. False without memory. */
bool sdsim_layout_picture_data(const struct sdsim_layout *layout, FILE *out);

/* The script that makes `picture` from `data`, both file names as gnuplot is to see them; `title`
 * is the name of the image. */
void sdsim_layout_picture_script(const struct sdsim_layout *layout, const char *title,
                                 enum sdsim_picture_format format, const char *data,
                                 const char *picture, FILE *out);

#endif
