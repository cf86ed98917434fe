/*
 * sdsim compare --measurements FILE: predicts every record of a file and says how far off it was.
 */
#ifndef SDSIM_TOOLS_COMPARE_MEASUREMENTS_H
#define SDSIM_TOOLS_COMPARE_MEASUREMENTS_H

#include "session.h"

enum sdsim_exit sdsim_compare_measurements(struct sdsim_cli_session *session,
                                           const struct sdsim_arguments *arguments);

#endif
