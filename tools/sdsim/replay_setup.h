/*
 * What a replay runs on: a run of a scenario, or a board and a card, from the command line or from
 * what the trace says of itself.
 *
 * In this order: the SCENARIO and RUN that are named; --board, or --host and --driver, with --card; the
 * trace's own headers (scenario and run, else board, or host and driver; card, bus, clock). Options
 * change whatever it is: --card another card, --clock another clock, --set anything.
 */
#ifndef SDSIM_TOOLS_REPLAY_SETUP_H
#define SDSIM_TOOLS_REPLAY_SETUP_H

#include "session.h"
#include "setup/setup.h"
#include "trace/block_trace.h"

/* A run of a scenario, by its name or path, with the same options; `id` NULL: its only one. NULL after
 * messages in the session's diags. */
const struct sdsim_run *sdsim_replay_scenario(struct sdsim_cli_session *session,
                                              const struct sdsim_arguments *arguments,
                                              const char *name, const char *id);

/* The run; NULL after messages in the session's diags. `files`: the trace is of file operations.
 * Belongs to the session's config. */
const struct sdsim_run *sdsim_replay_choose(struct sdsim_cli_session *session,
                                            const struct sdsim_arguments *arguments,
                                            const struct sdsim_trace_info *info, bool files);

#endif
