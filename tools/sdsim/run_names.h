/*
 * The runs of a scenario by the names users give.
 */
#ifndef SDSIM_TOOLS_RUN_NAMES_H
#define SDSIM_TOOLS_RUN_NAMES_H

#include "session.h"
#include "setup/setup.h"

/* The run with this id; NULL after a message in the session's diags that lists them, also for "", which
 * stands for a name that is missing. */
const struct sdsim_run *sdsim_cli_find_run(struct sdsim_cli_session *session,
                                           const struct sdsim_scenario *scenario, const char *id);

#endif
