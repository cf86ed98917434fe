/*
 * Folds: which sources are left out together when predictions are judged on measurements the fit
 * has not seen.
 *
 * Records of one source were made by the same people with the same boards and cards, so a source is
 * left out whole. The order of the sources is drawn from a seed; each goes to the fold that has the
 * fewest groups so far. The same records in any order give the same folds.
 */
#ifndef SDSIM_MEASURE_FOLDS_H
#define SDSIM_MEASURE_FOLDS_H

#include "measure/measurement.h"

#define SDSIM_FOLDS     5
#define SDSIM_FOLD_SEED 1

/* Writes the fold of each record, from 1, to folds[]. False without memory. */
bool sdsim_folds_assign(const struct sdsim_measurements *measurements, unsigned count,
                        uint64_t seed, unsigned *folds);

#endif
