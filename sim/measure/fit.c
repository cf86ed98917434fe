#include "measure/fit.h"

#include <stdlib.h>

#include "measure/fit_problem.h"

#define USUAL_ROUNDS 3

/* Knobs that no run uses go where they are expected: their profiles' users get what was learnt
 * elsewhere. */
static void follow(const struct sdsim_fit_problem *problem)
{
    struct sdsim_knobs *knobs = problem->knobs;
    for (unsigned level = 0; level < 8; level++) {
        for (size_t k = 0; k < knobs->count; k++) {
            if (problem->column_of[k] == SDSIM_NO_KNOB && sdsim_knob_is_free(&knobs->items[k])) {
                sdsim_knob_set(&knobs->items[k], sdsim_knob_expected(knobs, k));
            }
        }
    }
}

bool sdsim_fit(const struct sdsim_plans *plans, struct sdsim_knobs *knobs,
               const struct sdsim_fit_options *options, struct sdsim_fit_result *result)
{
    struct sdsim_fit_problem problem;
    *result = (struct sdsim_fit_result){.records = 0};
    bool fine = sdsim_fit_open(&problem, plans, knobs, options);
    double *deviation = calloc(knobs->count + 1, sizeof *deviation);
    fine = fine && deviation != NULL &&
           sdsim_fit_solve(&problem, options->rounds > 0 ? options->rounds : USUAL_ROUNDS,
                           deviation, result);
    if (fine) {
        follow(&problem);
    }
    if (fine && options->coverage > 0.0) {
        fine = sdsim_fit_ranges(&problem, deviation, result);
    }
    free(deviation);
    sdsim_fit_close(&problem);
    return fine;
}
