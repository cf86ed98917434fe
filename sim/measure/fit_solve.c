/*
 * The solver of a fit with many knobs: damped Gauss-Newton on the normal equations.
 *
 * A record depends on a dozen of several hundred knobs, so J'J is quickly summed up and its Cholesky
 * factor costs milliseconds; a dense QR of J, as MINPACK makes it, takes a second a step.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "measure/fit_problem.h"

#define ERROR_SPREAD 0.12 /* of a record around a good prediction, as a logarithm */
#define ERROR_LEAST  0.04 /* smaller errors all count the same in the reweighting */
#define STEPS        25   /* of one solution */
#define REWEIGHTS    4
#define LONGEST_STEP 1.0 /* of a knob between two simulations, as a logarithm */

struct solver {
    struct sdsim_fit_problem *problem;
    size_t n;
    double *weights; /* by record */
    double *normal;  /* J'J, lower triangle, row by row */
    double *factor;
    double *right; /* J'r */
    double *trial;
    double *base; /* x at the last simulation */
};

/* ---- a symmetric system ---- */

/* Cholesky factor of `a` with (1 + damping) on its diagonal. False if it is not positive. */
static bool factorise(const double *a, double *l, size_t n, double damping)
{
    for (size_t j = 0; j < n; j++) {
        double pivot = a[j * n + j] * (1.0 + damping);
        for (size_t k = 0; k < j; k++) {
            pivot -= l[j * n + k] * l[j * n + k];
        }
        if (!(pivot > 0.0)) {
            return false;
        }
        l[j * n + j] = sqrt(pivot);
        for (size_t i = j + 1; i < n; i++) {
            double sum = a[i * n + j];
            for (size_t k = 0; k < j; k++) {
                sum -= l[i * n + k] * l[j * n + k];
            }
            l[i * n + j] = sum / l[j * n + j];
        }
    }
    return true;
}

static void substitute(const double *l, double *x, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < i; k++) {
            x[i] -= l[i * n + k] * x[k];
        }
        x[i] /= l[i * n + i];
    }
    for (size_t i = n; i-- > 0;) {
        for (size_t k = i + 1; k < n; k++) {
            x[i] -= l[k * n + i] * x[k];
        }
        x[i] /= l[i * n + i];
    }
}

/* Square roots of the diagonal of the inverse. */
static void inverse_diagonal(const double *l, double *z, size_t n, double *out)
{
    for (size_t c = 0; c < n; c++) {
        double sum = 0.0;
        for (size_t i = c; i < n; i++) {
            double value = i == c ? 1.0 : 0.0;
            for (size_t k = c; k < i; k++) {
                value -= l[i * n + k] * z[k];
            }
            z[i] = value / l[i * n + i];
            sum += z[i] * z[i];
        }
        out[c] = sqrt(sum);
    }
}

/* ---- what is minimised ---- */

static double objective(const struct solver *solver, const double *x)
{
    const struct sdsim_fit_problem *problem = solver->problem;
    double sum = 0.0;
    for (size_t r = 0; r < problem->record_count; r++) {
        const double error = sdsim_fit_error(problem, &problem->records[r], x, NULL);
        sum += solver->weights[r] * error * error;
    }
    for (size_t c = 0; c < solver->n; c++) {
        size_t parent;
        const double departure = sdsim_fit_departure(problem, x, c, &parent);
        sum += departure * departure;
    }
    return sum;
}

static void add_term(struct solver *solver, size_t i, size_t j, double value)
{
    if (i >= j) {
        solver->normal[i * solver->n + j] += value;
    } else {
        solver->normal[j * solver->n + i] += value;
    }
}

/* Sums J'J and J'r up at x. */
static void build(struct solver *solver, const double *x)
{
    const struct sdsim_fit_problem *problem = solver->problem;
    memset(solver->normal, 0, solver->n * solver->n * sizeof *solver->normal);
    memset(solver->right, 0, solver->n * sizeof *solver->right);
    for (size_t r = 0; r < problem->record_count; r++) {
        double gradient[SDSIM_FIT_KNOBS];
        const struct sdsim_fit_record *record = &problem->records[r];
        const struct sdsim_fit_unit *unit = &problem->units[record->unit];
        const double error = sdsim_fit_error(problem, record, x, gradient);
        const double weight = solver->weights[r];
        for (size_t a = 0; unit->valid && a < unit->column_count; a++) {
            solver->right[unit->columns[a]] += weight * gradient[a] * error;
            for (size_t b = 0; b <= a; b++) {
                add_term(solver, unit->columns[a], unit->columns[b],
                         weight * gradient[a] * gradient[b]);
            }
        }
    }
    for (size_t c = 0; c < solver->n; c++) {
        const double spread = problem->knobs->items[problem->columns[c]].spread;
        size_t parent;
        const double departure = sdsim_fit_departure(problem, x, c, &parent) / spread;
        const double weight = 1.0 / (spread * spread);
        add_term(solver, c, c, weight);
        solver->right[c] += departure;
        if (parent != SDSIM_NO_KNOB) {
            add_term(solver, parent, parent, weight);
            add_term(solver, c, parent, -weight);
            solver->right[parent] -= departure;
        }
    }
}

/* Errors count by their size, not by its square: what is judged is a median, and some records are
 * wrong. */
static void reweight(struct solver *solver, const double *x, bool robust)
{
    const struct sdsim_fit_problem *problem = solver->problem;
    for (size_t r = 0; r < problem->record_count; r++) {
        const struct sdsim_fit_record *record = &problem->records[r];
        const double error = fabs(sdsim_fit_error(problem, record, x, NULL));
        const double size = error > ERROR_LEAST ? error : ERROR_LEAST;
        const double weight = robust ? ERROR_LEAST / size : 0.3;
        solver->weights[r] = record->group_weight * weight / (ERROR_SPREAD * ERROR_SPREAD);
    }
}

static double clamped(double value, double centre)
{
    return fmin(fmax(value, centre - LONGEST_STEP), centre + LONGEST_STEP);
}

/* Improves x for the weights as they are. */
static void minimise(struct solver *solver, double *x)
{
    double damping = 0.01;
    double best = objective(solver, x);
    for (unsigned step = 0; step < STEPS && damping < 1e6; step++) {
        build(solver, x);
        if (!factorise(solver->normal, solver->factor, solver->n, damping)) {
            damping *= 10.0;
            continue;
        }
        double largest = 0.0;
        memcpy(solver->trial, solver->right, solver->n * sizeof *solver->trial);
        substitute(solver->factor, solver->trial, solver->n);
        for (size_t c = 0; c < solver->n; c++) {
            const double next = clamped(x[c] - solver->trial[c], solver->base[c]);
            largest = fmax(largest, fabs(next - x[c]));
            solver->trial[c] = next;
        }
        const double reached = objective(solver, solver->trial);
        if (reached < best) {
            memcpy(x, solver->trial, solver->n * sizeof *x);
            best = reached;
            damping *= 0.2;
            if (largest < 1e-4) {
                break;
            }
        } else {
            damping *= 6.0;
        }
    }
}

static double mean_error(const struct sdsim_fit_problem *problem, const double *x)
{
    double sum = 0.0;
    double weights = 0.0;
    for (size_t r = 0; r < problem->record_count; r++) {
        const struct sdsim_fit_record *record = &problem->records[r];
        sum += record->group_weight * fabs(sdsim_fit_error(problem, record, x, NULL));
        weights += record->group_weight;
    }
    return weights > 0.0 ? sum / weights : 0.0;
}

static size_t count_determined(const struct sdsim_fit_problem *problem, const double *deviation)
{
    size_t count = 0;
    for (size_t c = 0; c < problem->column_count; c++) {
        count += deviation[c] < 0.9 * problem->knobs->items[problem->columns[c]].spread;
    }
    return count;
}

static bool allocate(struct solver *solver, struct sdsim_fit_problem *problem)
{
    const size_t n = problem->column_count;
    *solver = (struct solver){
        .problem = problem,
        .n = n,
        .weights = calloc(problem->record_count + 1, sizeof(double)),
        .normal = calloc(n * n + 1, sizeof(double)),
        .factor = calloc(n * n + 1, sizeof(double)),
        .right = calloc(n + 1, sizeof(double)),
        .trial = calloc(n + 1, sizeof(double)),
        .base = calloc(n + 1, sizeof(double)),
    };
    return solver->weights != NULL && solver->normal != NULL && solver->factor != NULL &&
           solver->right != NULL && solver->trial != NULL && solver->base != NULL;
}

static void release(struct solver *solver)
{
    free(solver->weights);
    free(solver->normal);
    free(solver->factor);
    free(solver->right);
    free(solver->trial);
    free(solver->base);
}

static void solve(struct solver *solver, double *x, unsigned rounds, double *deviation,
                  struct sdsim_fit_result *result)
{
    struct sdsim_fit_problem *problem = solver->problem;
    for (unsigned round = 0; round < rounds; round++) {
        sdsim_fit_simulate(problem, x, true);
        memcpy(x, problem->point, solver->n * sizeof *x);
        memcpy(solver->base, x, solver->n * sizeof *x);
        if (round == 0) {
            result->before = mean_error(problem, x);
        }
        for (unsigned i = 0; i < REWEIGHTS; i++) {
            reweight(solver, x, round > 0 || i > 0);
            minimise(solver, x);
        }
    }
    /* The slopes of the last round still serve: not much has moved since. */
    sdsim_fit_simulate(problem, x, false);
    result->after = mean_error(problem, problem->point);
    reweight(solver, problem->point, true);
    build(solver, problem->point);
    if (factorise(solver->normal, solver->factor, solver->n, 0.0)) {
        inverse_diagonal(solver->factor, solver->trial, solver->n, deviation);
    }
    result->records = problem->record_count;
    result->values = count_determined(problem, deviation);
}

bool sdsim_fit_solve(struct sdsim_fit_problem *problem, unsigned rounds, double *deviation,
                     struct sdsim_fit_result *result)
{
    struct solver solver;
    double *x = calloc(problem->column_count + 1, sizeof *x);
    const bool fine = allocate(&solver, problem) && x != NULL;
    if (fine) {
        for (size_t c = 0; c < problem->column_count; c++) {
            x[c] = log(problem->knobs->items[problem->columns[c]].value);
        }
        solve(&solver, x, rounds, deviation, result);
    }
    free(x);
    release(&solver);
    return fine;
}
