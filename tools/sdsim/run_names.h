/*
 * The runs of a scenario by the names users give.
 */
#ifndef SDSIM_TOOLS_RUN_NAMES_H
#define SDSIM_TOOLS_RUN_NAMES_H

#include "session.h"
#include "setup/idle.h"

/* The run with this id; NULL after a message in the session's diags that lists them, also for "", which
 * stands for a name that is missing. */
const struct sdsim_run *sdsim_cli_find_run(struct sdsim_cli_session *session,
                                           const struct sdsim_scenario *scenario, const char *id);

/*
 * Loads a scenario with overrides (or NULL). If these do not fit all of its runs, but those whose ids
 * the user named (count 0: none), these runs alone: the scenario then has no others. Overrides that none
 * of these runs takes notice of are refused. NULL with messages.
 */
const struct sdsim_scenario *sdsim_cli_load_runs(struct sdsim_cli_session *session,
                                                 const char *path, const char *const *ids,
                                                 size_t count, const char *const *overrides,
                                                 enum sdsim_wanted purpose);

/* The same; the ids are what the arguments name behind the scenario. */
const struct sdsim_scenario *sdsim_cli_load_scenario(struct sdsim_cli_session *session,
                                                     const char *path,
                                                     const struct sdsim_arguments *arguments,
                                                     const char *const *overrides,
                                                     enum sdsim_wanted purpose);

#endif
