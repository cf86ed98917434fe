/*
 * Recording a run to a timeline file (sim/timeline/file.h): its typical draw, simulated once more with
 * a recorder, and all the files it is made from.
 *
 * The file is written under a temporary name beside its own and gets its name when it is complete.
 */
#ifndef SDSIM_TOOLS_RECORD_H
#define SDSIM_TOOLS_RECORD_H

#include "session.h"
#include "setup/setup.h"

/* Records draw 0 of a run, with the overrides it was loaded with (NULL at the end, or NULL). The exit
 * code, after a message if it is not SDSIM_EXIT_OK; a run that ends early is recorded up to there. */
enum sdsim_exit sdsim_record_run(struct sdsim_cli_session *session,
                                 const struct sdsim_scenario *scenario, const struct sdsim_run *run,
                                 const char *const *overrides, const char *path);

#endif
