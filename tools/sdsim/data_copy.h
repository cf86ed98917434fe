/*
 * A copy of the data directory (cards and scenarios) with fitted values in its profiles.
 */
#ifndef SDSIM_TOOLS_DATA_COPY_H
#define SDSIM_TOOLS_DATA_COPY_H

#include "measure/knobs.h"
#include "session.h"

/* Writes it to `directory`, which must not exist; it gets its name when it is complete. */
enum sdsim_exit sdsim_data_copy(struct sdsim_cli_session *session, const struct sdsim_knobs *knobs,
                                const char *directory);

/* Removes a directory and all in it. */
void sdsim_data_remove(const char *directory);

#endif
