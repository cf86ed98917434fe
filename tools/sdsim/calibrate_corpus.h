/*
 * sdsim calibrate --corpus: all fitted values anew, from the records of many sources.
 */
#ifndef SDSIM_TOOLS_CALIBRATE_CORPUS_H
#define SDSIM_TOOLS_CALIBRATE_CORPUS_H

#include "measure/fit.h"
#include "session.h"

enum sdsim_exit sdsim_calibrate_corpus(struct sdsim_cli_session *session,
                                       const struct sdsim_arguments *arguments);

/*
 * Fits all values to the records whose folds[i] is not `fold` (0: to all records), with `ranges`
 * also how far they may lie, and writes the data directory with them to `directory`. SDSIM_EXIT_OK,
 * or the code after a message.
 */
enum sdsim_exit sdsim_fit_fold(struct sdsim_cli_session *session,
                               const struct sdsim_measurements *measurements, const unsigned *folds,
                               unsigned fold, bool ranges, unsigned threads, const char *directory,
                               struct sdsim_fit_result *result);

#endif
