/*
 * What every command that reads files holds: a configuration over the data directory, and the
 * messages collected so far.
 */
#ifndef SDSIM_TOOLS_SESSION_H
#define SDSIM_TOOLS_SESSION_H

#include <limits.h>

#include "command.h"
#include "config/tree.h"
#include "core/diag.h"

struct sdsim_session {
    char data_dir[PATH_MAX];
    struct sdsim_config *config;
    struct sdsim_diags diags;
};

/* False after a message on stderr. sdsim_session_close takes both. */
bool sdsim_session_open(struct sdsim_session *session);
void sdsim_session_close(struct sdsim_session *session);

/* Prints the messages collected so far on stderr and forgets them. True if there was an error. */
bool sdsim_session_report(struct sdsim_session *session);

/*
 * The path of a file or profile of a kind that the user names: a path if it has a '/' or ends in
 * .yaml or there is such a file, else one of the known profiles by name. The result belongs to the
 * config or is `name` itself; NULL with a message.
 */
const char *sdsim_session_find(struct sdsim_session *session, const char *kind, const char *name);

/* Loads the file of a kind that a schema describes, with all it inherits, and checks it. NULL with
 * messages. */
const struct sdsim_node *sdsim_session_load(struct sdsim_session *session, const char *kind,
                                            const char *path);

#endif
