/*
 * The points of a sweep: which there are, and predicting them on several threads.
 */
#ifndef SDSIM_TOOLS_SWEEP_POINTS_H
#define SDSIM_TOOLS_SWEEP_POINTS_H

#include "report/sweep.h"
#include "session.h"

/* A row that was just computed; called by one thread at a time. False stops the sweep. */
typedef bool sdsim_row_done(void *context, size_t row);

struct sdsim_sweep_plan {
    const char *data_dir;
    const char *path; /* of the scenario */
    const char *const *overrides;
    const char *const *runs; /* ids, in the order of a point's rows */
    size_t run_count;
    struct sdsim_sweep *sweep;
    sdsim_row_done *done; /* may be NULL */
    void *context;
};

/*
 * Fills in the rows in `chosen` that are not done yet. Each point is set up from the files anew, so
 * that a value may change what is inherited; a point that can't be set up, and a run that ends
 * before its time, are rows with an error.
 */
void sdsim_sweep_points(const struct sdsim_sweep_plan *plan, const bool *chosen, unsigned threads);

#endif
