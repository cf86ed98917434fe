/*
 * The pictures of a page, drawn by gnuplot in a temporary folder and read back.
 */
#ifndef SDSIM_TOOLS_PAGE_PICTURES_H
#define SDSIM_TOOLS_PAGE_PICTURES_H

#include "command.h"
#include "report/page.h"

/* Draws all there are. SDSIM_EXIT_OK, or SDSIM_EXIT_FAULT after a message. */
enum sdsim_exit sdsim_page_draw(struct sdsim_page *page);

/* Frees them. */
void sdsim_page_undraw(struct sdsim_page *page);

#endif
