/*
 * A copy of the data directory (cards and scenarios) with fitted values in its profiles.
 */
#ifndef SDSIM_TOOLS_DATA_COPY_H
#define SDSIM_TOOLS_DATA_COPY_H

#include "measure/knobs.h"
#include "session.h"

/*
 * Writes it to `directory`, which must not exist; it gets its name when it is complete. Files for
 * which `left_out` (may be NULL) is true stay behind; they are named by their place in the data
 * directory ("cards/mine.yaml").
 */
enum sdsim_exit sdsim_data_copy(struct sdsim_cli_session *session, const struct sdsim_knobs *knobs,
                                bool (*left_out)(const void *context, const char *file),
                                const void *context, const char *directory);

/* Removes a directory and all in it. */
void sdsim_data_remove(const char *directory);

#endif
