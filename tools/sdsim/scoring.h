/*
 * Predicting a list of measurements on several threads.
 */
#ifndef SDSIM_TOOLS_SCORING_H
#define SDSIM_TOOLS_SCORING_H

#include "measure/score.h"
#include "session.h"

/*
 * Predicts each record with `draws` draws and holds it against what was measured; rows[i] is that
 * of plan i, numbered by group and source. The same rows for any number of threads. Reasons belong
 * to the config. False without memory, after a message.
 */
bool sdsim_score_plans(struct sdsim_config *config, const struct sdsim_plans *plans, uint32_t draws,
                       unsigned threads, struct sdsim_score *rows);

#endif
