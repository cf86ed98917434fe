/*
 * The files a command works on: what the user named, and what lies in the folders among it.
 *
 * A folder is walked in the order of the names, with its subfolders, without hidden entries; of its
 * *.yaml files those are taken that the caller wants, by their `kind`. A file that can't be read or
 * says no kind that is known is taken too: whoever loads it then reports what is wrong with it.
 */
#ifndef SDSIM_TOOLS_FILES_H
#define SDSIM_TOOLS_FILES_H

#include "session.h"

struct sdsim_files {
    char **paths; /* owned */
    size_t count;
    size_t capacity;
};

enum sdsim_files_wanted {
    SDSIM_FILES_SCENARIOS,
    SDSIM_FILES_ALL,
};

/* Adds what `operand` stands for: a folder, a file, or the name of a scenario. False with a message
 * in the session's diags. sdsim_files_free takes a zeroed list, too. */
bool sdsim_files_add(struct sdsim_files *files, struct sdsim_cli_session *session,
                     const char *operand, enum sdsim_files_wanted wanted);
void sdsim_files_free(struct sdsim_files *files);

#endif
