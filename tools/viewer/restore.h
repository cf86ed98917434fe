/*
 * A run out of the texts of a timeline file: its files are written into a folder of their own, loaded
 * from there as from the data directory, and removed again.
 */
#ifndef SDSIM_VIEWER_RESTORE_H
#define SDSIM_VIEWER_RESTORE_H

#include "setup/setup.h"
#include "timeline/timeline.h"
#include "tools/sdsim/session.h"

/*
 * Loads the run into a session that is not open yet, and binds its draw to *setup; sdsim_cli_close takes
 * the session either way. NULL, with the reason, if the texts are not all there or do not fit together.
 */
const struct sdsim_run *sdsim_restore_run(const struct sdsim_timeline *timeline,
                                          struct sdsim_cli_session *session,
                                          struct sdsim_setup *setup, char *why, size_t size);

#endif
