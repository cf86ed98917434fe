/*
 * Where a command's data goes: collected in memory first and written when it is complete, so that a
 * command that fails has printed nothing, and a file is there whole or not at all.
 */
#ifndef SDSIM_TOOLS_OUTPUT_H
#define SDSIM_TOOLS_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

#include "command.h"
#include "options.h"
#include "report/style.h"

struct sdsim_output {
    FILE *stream; /* print here */
    char *text;
    size_t size;
};

/* False after a message on stderr. */
bool sdsim_output_open(struct sdsim_output *output);

/* Throws away what was printed. */
void sdsim_output_discard(struct sdsim_output *output);

/*
 * Writes everything to `path` (a new file takes the place of the old one), or to standard output if
 * it is NULL, and closes the output. SDSIM_EXIT_OK, or SDSIM_EXIT_FAULT after a message.
 */
enum sdsim_exit sdsim_output_send(struct sdsim_output *output, const char *path);

/* What the output may look like, by the user's wish, the terminal and the locale. Files and pipes
 * get the same bytes everywhere: their bars are ASCII whatever the locale. */
struct sdsim_style sdsim_output_style(const struct sdsim_arguments *arguments);

#endif
