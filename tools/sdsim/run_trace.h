/*
 * `sdsim run --trace FILE`: the typical run as a trace.
 */
#ifndef SDSIM_TOOLS_RUN_TRACE_H
#define SDSIM_TOOLS_RUN_TRACE_H

#include "session.h"
#include "setup/setup.h"

/* Runs it once more and writes its calls to `path`; the name says in which form. `named` is
 * what the user called its scenario. */
enum sdsim_exit sdsim_run_write_trace(struct sdsim_cli_session *session, const char *named,
                                      const struct sdsim_run *run, const char *path);

#endif
