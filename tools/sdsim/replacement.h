/*
 * A file that takes the place of another one only when it is complete: written without a name, or
 * under a temporary one where the file system has no files without, then renamed. Who fails, or is
 * ended in between, leaves the older file as it was.
 *
 * A link stays a link: what it points to is replaced. The new file has the permissions of the old one. What
 * is neither regular nor new (a device, a pipe) is written to as it is.
 */
#ifndef SDSIM_TOOLS_REPLACEMENT_H
#define SDSIM_TOOLS_REPLACEMENT_H

#include <stdbool.h>

struct sdsim_replacement {
    bool nameless;   /* the file has no name yet, and is open in `file` */
    int file;        /* owned */
    char link[40];   /* how it is found */
    char *temporary; /* owned; NULL: nothing is to be renamed */
    char *target;    /* owned; what is to be replaced, links followed */
};

/* A file descriptor to write to, the caller's to close before what follows; -1: errno says why, and
 * nothing is left to be done. */
int sdsim_replacement_open(struct sdsim_replacement *replacement, const char *path);

/* Gives the complete file its name. False: errno says why, and the temporary file is gone. */
bool sdsim_replacement_finish(struct sdsim_replacement *replacement);

/* Removes the temporary file; nothing happens after sdsim_replacement_finish. Keeps errno. */
void sdsim_replacement_discard(struct sdsim_replacement *replacement);

#endif
