/*
 * `sdsim run --trace FILE`: the typical run as a trace.
 */
#ifndef SDSIM_TOOLS_RUN_TRACE_H
#define SDSIM_TOOLS_RUN_TRACE_H

#include "session.h"
#include "setup/setup.h"

/* Runs it once more and writes its calls to `path`; the name says in which form. */
enum sdsim_exit sdsim_run_write_trace(struct sdsim_cli_session *session,
                                      const struct sdsim_scenario *scenario,
                                      const struct sdsim_run *run, const char *path);

#endif
