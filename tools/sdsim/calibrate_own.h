/*
 * sdsim calibrate FILE: the few values that matter for one board and card, from its measurements.
 */
#ifndef SDSIM_TOOLS_CALIBRATE_OWN_H
#define SDSIM_TOOLS_CALIBRATE_OWN_H

#include "session.h"

enum sdsim_exit sdsim_calibrate_own(struct sdsim_cli_session *session,
                                    const struct sdsim_arguments *arguments);

#endif
