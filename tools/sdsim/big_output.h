/*
 * Output that may be too large to be kept in memory: written as it comes to a file of a temporary name,
 * which takes its own name only when it is complete. A command that fails leaves an older file as it
 * was, and nothing beside it. Without a path it goes to standard output, once it is complete.
 */
#ifndef SDSIM_TOOLS_BIG_OUTPUT_H
#define SDSIM_TOOLS_BIG_OUTPUT_H

#include <stdio.h>

#include "command.h"
#include "replacement.h"

struct sdsim_big_output {
    FILE *stream;     /* print here */
    const char *path; /* as the user named it; NULL: standard output */
    struct sdsim_replacement replacement;
};

/* False after a message on stderr. sdsim_big_output_discard takes both. */
bool sdsim_big_output_open(struct sdsim_big_output *output, const char *path);

/* Whether something could not be written; it is of no use to go on then. */
bool sdsim_big_output_failed(const struct sdsim_big_output *output);

/* Completes the file. SDSIM_EXIT_OK, or SDSIM_EXIT_FAULT after a message; closed in any case. */
enum sdsim_exit sdsim_big_output_send(struct sdsim_big_output *output);

/* Throws away what was written; nothing happens if it was sent. */
void sdsim_big_output_discard(struct sdsim_big_output *output);

#endif
