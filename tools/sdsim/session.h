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

struct sdsim_cli_session {
    char data_dir[PATH_MAX];
    struct sdsim_config *config;
    struct sdsim_diags diags;
};

/* False after a message on stderr. sdsim_cli_close takes both. */
bool sdsim_cli_open(struct sdsim_cli_session *session);
void sdsim_cli_close(struct sdsim_cli_session *session);

/* The whole of a command between the two; a fault if there is no session to be had. */
enum sdsim_exit sdsim_cli_in_session(enum sdsim_exit (*command)(struct sdsim_cli_session *session,
                                                                const struct sdsim_arguments *),
                                     const struct sdsim_arguments *arguments);

/* Prints the messages collected so far on stderr and forgets them. True if there was an error. */
bool sdsim_cli_report(struct sdsim_cli_session *session);

/*
 * The path of a file or profile of a kind that the user names: a path if it has a '/' or ends in
 * .yaml or there is such a file, else one of the known profiles by name. The result belongs to the
 * config or is `name` itself; NULL with a message.
 */
const char *sdsim_cli_find(struct sdsim_cli_session *session, const char *kind, const char *name);

/*
 * Loads the file of a kind that a schema describes, with all it inherits and with `overrides`
 * ("path=value", NULL at the end, or NULL), and checks it. In a scenario an override also stands in
 * for what runs say themselves, as it does when they are run. NULL with messages.
 */
const struct sdsim_node *sdsim_cli_load(struct sdsim_cli_session *session, const char *kind,
                                        const char *path, const char *const *overrides);

/* Whether there are files of this kind; false after a message on stderr. */
bool sdsim_cli_is_kind(const char *word);

#endif
