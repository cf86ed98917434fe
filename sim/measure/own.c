#include "measure/own.h"

#include <cminpack.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/rng.h"
#include "measure/fit_problem.h"

#define ROUNDS       6
#define HALVES       3
#define ENOUGH       0.01 /* less to be gained than this: done */
#define STARTS       6
#define EVALUATIONS  60
#define BOUND        3.0  /* spreads on each side */
#define ERROR_SPREAD 0.03 /* of a measurement, as a logarithm */
#define SLOPE_STEP   1e-6
#define SEED         20

struct search {
    struct sdsim_fit_problem *problem;
    int n;
    int m;
    double *x; /* logarithms of the values, by column */
    double *u; /* what is varied: any number; x stays within its bounds */
    double *best;
    double *fvec;
    double *fjac;
    double *work;
    int *pivots;
};

/* ---- bounds ---- */

static double centre(const struct search *search, size_t c)
{
    return log(search->problem->knobs->items[search->problem->columns[c]].origin);
}

static double width(const struct search *search, size_t c)
{
    const struct sdsim_knob *knob = &search->problem->knobs->items[search->problem->columns[c]];
    /* a linked value moves with the one it starts from */
    const double free = knob->parent != SDSIM_NO_KNOB ? 0.5 : 0.0;
    return BOUND * sqrt(knob->spread * knob->spread + free * free);
}

static void to_x(const struct search *search, const double *u, double *x)
{
    for (int c = 0; c < search->n; c++) {
        x[c] = centre(search, (size_t)c) + width(search, (size_t)c) * tanh(u[c]);
    }
}

/* ---- what cminpack minimises ---- */

static void residuals(const struct search *search, const double *x, double *out)
{
    const struct sdsim_fit_problem *problem = search->problem;
    for (size_t r = 0; r < problem->record_count; r++) {
        const struct sdsim_fit_record *record = &problem->records[r];
        out[r] = record->group_weight * sdsim_fit_error(problem, record, x, NULL) / ERROR_SPREAD;
    }
    for (size_t c = 0; c < problem->column_count; c++) {
        size_t parent;
        out[problem->record_count + c] = sdsim_fit_departure(problem, x, c, &parent);
    }
}

static void derivatives(const struct search *search, const double *x, const double *u, double *out)
{
    const struct sdsim_fit_problem *problem = search->problem;
    const size_t m = (size_t)search->m;
    memset(out, 0, m * (size_t)search->n * sizeof *out);
    for (size_t r = 0; r < problem->record_count; r++) {
        double gradient[SDSIM_FIT_KNOBS];
        const struct sdsim_fit_record *record = &problem->records[r];
        const struct sdsim_fit_unit *unit = &problem->units[record->unit];
        (void)sdsim_fit_error(problem, record, x, gradient);
        for (size_t k = 0; unit->valid && k < unit->column_count; k++) {
            out[unit->columns[k] * m + r] = record->group_weight * gradient[k] / ERROR_SPREAD;
        }
    }
    for (size_t c = 0; c < problem->column_count; c++) {
        const double spread = problem->knobs->items[problem->columns[c]].spread;
        const size_t row = problem->record_count + c;
        size_t parent;
        (void)sdsim_fit_departure(problem, x, c, &parent);
        out[c * m + row] = 1.0 / spread;
        if (parent != SDSIM_NO_KNOB) {
            out[parent * m + row] = -1.0 / spread;
        }
    }
    for (size_t c = 0; c < problem->column_count; c++) {
        const double slope = 1.0 - tanh(u[c]) * tanh(u[c]);
        for (size_t r = 0; r < m; r++) {
            out[c * m + r] *= width(search, c) * slope;
        }
    }
}

static int callback(void *context, int m, int n, const double *u, double *fvec, double *fjac,
                    int ldfjac, int iflag)
{
    (void)m;
    (void)n;
    (void)ldfjac;
    struct search *search = context;
    to_x(search, u, search->x);
    if (iflag == 1) {
        residuals(search, search->x, fvec);
    } else {
        derivatives(search, search->x, u, fjac);
    }
    return 0;
}

static double sum_of_squares(const double *values, int count)
{
    double sum = 0.0;
    for (int i = 0; i < count; i++) {
        sum += values[i] * values[i];
    }
    return sum;
}

/* The best of several starts: where the values are, and drawn places around. */
static void solve(struct search *search)
{
    struct sdsim_rng rng;
    double least = INFINITY;
    const int n = search->n;
    sdsim_rng_seed(&rng, SEED);
    for (int start = 0; start < STARTS; start++) {
        int evaluations;
        int slopes;
        for (int c = 0; c < n; c++) {
            search->u[c] = start == 0 ? 0.0 : 1.2 * (sdsim_rng_unit(&rng) - 0.5);
        }
        (void)lmder(callback, search, search->m, n, search->u, search->fvec, search->fjac,
                    search->m, 1e-8, 1e-8, 0.0, EVALUATIONS, search->work, 1, 10.0, 0, &evaluations,
                    &slopes, search->pivots, search->work + n, search->work + 2 * n,
                    search->work + 3 * n, search->work + 4 * n, search->work + 5 * n);
        const double reached = sum_of_squares(search->fvec, search->m);
        if (reached < least) {
            least = reached;
            memcpy(search->best, search->u, (size_t)n * sizeof *search->best);
        }
    }
    to_x(search, search->best, search->x);
}

/* ---- afterwards ---- */

/* Variance of each column given the data: the diagonal of the inverse of J'J, by Gauss-Jordan; the
 * expectations are in it, so it is never singular. */
static bool variances(const struct search *search, double *out)
{
    const size_t n = (size_t)search->n;
    const size_t m = (size_t)search->m;
    double *a = calloc(2 * n * n + 1, sizeof *a);
    double *zero = calloc(n + 1, sizeof *zero);
    if (a == NULL || zero == NULL) {
        free(a);
        free(zero);
        return false;
    }
    derivatives(search, search->x, zero, search->fjac);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            double sum = 0.0;
            for (size_t r = 0; r < m; r++) {
                sum += search->fjac[i * m + r] * search->fjac[j * m + r];
            }
            a[i * 2 * n + j] = sum / (width(search, i) * width(search, j));
        }
        a[i * 2 * n + n + i] = 1.0;
    }
    for (size_t p = 0; p < n; p++) {
        const double pivot = a[p * 2 * n + p];
        for (size_t j = 0; j < 2 * n; j++) {
            a[p * 2 * n + j] /= pivot;
        }
        for (size_t i = 0; i < n; i++) {
            const double factor = a[i * 2 * n + p];
            for (size_t j = 0; i != p && factor != 0.0 && j < 2 * n; j++) {
                a[i * 2 * n + j] -= factor * a[p * 2 * n + j];
            }
        }
    }
    for (size_t c = 0; c < n; c++) {
        out[c] = a[c * 2 * n + n + c];
    }
    free(a);
    free(zero);
    return true;
}

static double mean_error(const struct sdsim_fit_problem *problem, const double *x)
{
    double sum = 0.0;
    for (size_t r = 0; r < problem->record_count; r++) {
        sum += fabs(sdsim_fit_error(problem, &problem->records[r], x, NULL));
    }
    return problem->record_count > 0 ? sum / (double)problem->record_count : 0.0;
}

static bool allocate(struct search *search, struct sdsim_fit_problem *problem)
{
    const size_t n = problem->column_count;
    const size_t m = problem->record_count + n;
    *search = (struct search){
        .problem = problem,
        .n = (int)n,
        .m = (int)m,
        .x = calloc(n + 1, sizeof(double)),
        .u = calloc(n + 1, sizeof(double)),
        .best = calloc(n + 1, sizeof(double)),
        .fvec = calloc(m + 1, sizeof(double)),
        .fjac = calloc(m * n + 1, sizeof(double)),
        .work = calloc(6 * n + m + 1, sizeof(double)),
        .pivots = calloc(n + 1, sizeof(int)),
    };
    return search->x != NULL && search->u != NULL && search->best != NULL && search->fvec != NULL &&
           search->fjac != NULL && search->work != NULL && search->pivots != NULL;
}

static void release(struct search *search)
{
    free(search->x);
    free(search->u);
    free(search->best);
    free(search->fvec);
    free(search->fjac);
    free(search->work);
    free(search->pivots);
}

/* What is minimised, at a point that has just been simulated. */
static double simulated(struct search *search)
{
    residuals(search, search->problem->point, search->fvec);
    return sum_of_squares(search->fvec, search->m);
}

/*
 * Rounds of simulating, with slopes, and solving. Runs are nearly linear, but not where waits are in
 * steps of a sleep: a solution that is worse when it is simulated is taken back half way.
 */
static void search_rounds(struct search *search, double *best, struct sdsim_own_fit *fit)
{
    struct sdsim_fit_problem *problem = search->problem;
    const size_t size = problem->column_count * sizeof *best;
    memcpy(best, search->x, size);
    sdsim_fit_simulate(problem, best, true);
    fit->before = mean_error(problem, problem->point);
    double least = simulated(search);
    for (int round = 0; round < ROUNDS; round++) {
        solve(search);
        sdsim_fit_simulate(problem, search->x, false);
        double reached = simulated(search);
        for (int half = 0; half < HALVES && reached > least; half++) {
            for (size_t c = 0; c < problem->column_count; c++) {
                search->x[c] = (search->x[c] + best[c]) / 2.0;
            }
            sdsim_fit_simulate(problem, search->x, false);
            reached = simulated(search);
        }
        const bool done = reached > least * (1.0 - ENOUGH);
        if (reached < least) {
            least = reached;
            memcpy(best, search->x, size);
        }
        sdsim_fit_simulate(problem, best, true);
        if (done) {
            break;
        }
    }
    memcpy(search->x, best, size);
    fit->after = mean_error(problem, problem->point);
}

static bool fit_problem(struct sdsim_fit_problem *problem, struct sdsim_own_fit *fit)
{
    struct search search;
    double *variance = calloc(problem->column_count + 1, sizeof *variance);
    double *best = calloc(problem->column_count + 1, sizeof *best);
    bool fine = allocate(&search, problem) && variance != NULL && best != NULL;
    for (size_t c = 0; fine && c < problem->column_count; c++) {
        search.x[c] = centre(&search, c);
    }
    if (fine) {
        search_rounds(&search, best, fit);
        fine = variances(&search, variance);
    }
    for (size_t c = 0; fine && c < problem->column_count; c++) {
        const size_t k = problem->columns[c];
        struct sdsim_knob *knob = &fit->knobs.items[k];
        const double deviation = sqrt(variance[c]);
        fit->used[k] = true;
        fit->narrowing[k] = fmin(deviation / knob->spread, 1.0);
        const double range = exp(1.645 * fmin(deviation, knob->spread));
        sdsim_knob_set_range(knob, range, range);
    }
    free(variance);
    free(best);
    release(&search);
    return fine;
}

/* ---- the whole ---- */

static bool make_knobs(const struct sdsim_plans *plans, const bool *wanted,
                       struct sdsim_own_fit *fit)
{
    const struct sdsim_run **runs = calloc(plans->count + 1, sizeof *runs);
    size_t count = 0;
    for (size_t i = 0; runs != NULL && i < plans->count; i++) {
        if (plans->items[i].reason == NULL && (wanted == NULL || wanted[i])) {
            runs[count++] = &plans->items[i].run;
        }
    }
    const bool fine = runs != NULL && sdsim_knobs_of_runs(&fit->knobs, plans->config, runs, count);
    free(runs);
    return fine;
}

bool sdsim_own_fit(const struct sdsim_plans *plans, const bool *wanted, struct sdsim_own_fit *fit)
{
    struct sdsim_fit_problem problem;
    const struct sdsim_fit_options options = {.wanted = wanted};
    *fit = (struct sdsim_own_fit){.before = 0.0};
    if (!make_knobs(plans, wanted, fit)) {
        return false;
    }
    fit->narrowing = calloc(fit->knobs.count + 1, sizeof *fit->narrowing);
    fit->used = calloc(fit->knobs.count + 1, sizeof *fit->used);
    if (fit->narrowing == NULL || fit->used == NULL) {
        return false;
    }
    for (size_t i = 0; i < plans->count; i++) {
        if (plans->items[i].reason == NULL && !sdsim_knobs_tie(&fit->knobs, &plans->items[i].run)) {
            return false;
        }
    }
    const bool fine =
        sdsim_fit_open(&problem, plans, &fit->knobs, &options) && fit_problem(&problem, fit);
    sdsim_fit_close(&problem);
    return fine;
}

void sdsim_own_free(struct sdsim_own_fit *fit)
{
    free(fit->narrowing);
    free(fit->used);
    sdsim_knobs_free(&fit->knobs);
}
