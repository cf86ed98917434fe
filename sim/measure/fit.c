#include "measure/fit.h"

#include <cminpack-1/cminpack.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "measure/forecast.h"
#include "measure/score.h"

#define ERROR_SPREAD 0.10 /* of a record around a good prediction, as a logarithm */
#define ERROR_LEAST  0.04 /* smaller errors all count the same in the reweighting */
#define GROUP_POWER  0.4  /* a group of n counts as n^0.4 records */
#define USUAL_ROUNDS 3
#define STEPS        12   /* evaluations of a round */
#define STEP_SIZE    0.03 /* of a difference, as a logarithm */
#define MOST_KNOBS   64   /* one run uses */
#define RANGE_DRAWS  24
#define RANGE_ROUNDS 6

/* A run that is simulated, and the knobs it uses. */
struct unit {
    const struct sdsim_plan *plan;
    struct sdsim_medium *medium;
    size_t knobs[MOST_KNOBS]; /* columns of the problem */
    size_t knob_count;
    double values[SDSIM_MEASURED_COUNT];
    double slopes[MOST_KNOBS][SDSIM_MEASURED_COUNT]; /* d log value / d log knob */
    bool valid;
};

struct record {
    size_t unit;
    enum sdsim_measured metric;
    double low; /* logarithms of what was measured */
    double high;
    double group_weight;
    double weight; /* of this round */
};

struct problem {
    const struct sdsim_fit_options *options;
    struct sdsim_config *config;
    struct sdsim_knobs *knobs;
    size_t *columns; /* the knob of each column */
    size_t column_count;
    size_t *column_of; /* of each knob, or SDSIM_NO_KNOB */
    struct unit *units;
    size_t unit_count;
    struct record *records;
    size_t record_count;
    pthread_mutex_t lock; /* of the config and the knobs' texts */
};

/* ---- setting up ---- */

struct collector {
    const struct problem *problem;
    struct unit *unit;
};

static void collect(void *context, enum sdsim_profile_kind kind,
                    const struct sdsim_value_info *info)
{
    (void)kind;
    struct collector *collector = context;
    struct unit *unit = collector->unit;
    const size_t knob = sdsim_knobs_of(collector->problem->knobs, info);
    if (knob == SDSIM_NO_KNOB) {
        return;
    }
    const size_t column = collector->problem->column_of[knob];
    for (size_t i = 0; i < unit->knob_count; i++) {
        if (unit->knobs[i] == column) {
            return;
        }
    }
    if (column != SDSIM_NO_KNOB && unit->knob_count < MOST_KNOBS) {
        unit->knobs[unit->knob_count++] = column;
    }
}

static bool is_wanted(const struct problem *problem, const struct sdsim_plans *plans, size_t i)
{
    const struct sdsim_plan *plan = &plans->items[i];
    return plan->reason == NULL && plan->measurement->metric != SDSIM_MEASURED_MAX &&
           (problem->options->wanted == NULL || problem->options->wanted[i]);
}

/* Numbers of records in each group, by comparing names: lists are short enough. */
static double group_size(const struct sdsim_plans *plans, const struct problem *problem, size_t of)
{
    const char *name = plans->items[of].measurement->group;
    size_t size = 0;
    for (size_t i = 0; i < plans->count; i++) {
        size += is_wanted(problem, plans, i) && name[0] != '\0' &&
                strcmp(plans->items[i].measurement->group, name) == 0;
    }
    return size > 0 ? (double)size : 1.0;
}

static bool add_records(struct problem *problem, const struct sdsim_plans *plans)
{
    size_t *unit_of = calloc(plans->count + 1, sizeof *unit_of);
    double last_size = 1.0;
    const char *last_group = NULL;
    for (size_t i = 0; unit_of != NULL && i < plans->count; i++) {
        const struct sdsim_plan *plan = &plans->items[i];
        if (!is_wanted(problem, plans, i)) {
            continue;
        }
        if (unit_of[plan->same] == 0) {
            problem->units[problem->unit_count].plan = &plans->items[plan->same];
            unit_of[plan->same] = ++problem->unit_count;
        }
        const char *group = plan->measurement->group;
        if (last_group == NULL || group[0] == '\0' || strcmp(group, last_group) != 0) {
            last_size = group_size(plans, problem, i);
            last_group = group;
        }
        problem->records[problem->record_count++] = (struct record){
            .unit = unit_of[plan->same] - 1,
            .metric = plan->measurement->metric,
            .low = log(plan->measurement->low),
            .high = log(plan->measurement->high),
            .group_weight = pow(last_size, GROUP_POWER - 1.0),
        };
    }
    free(unit_of);
    return unit_of != NULL;
}

static void prepare_unit(void *context, size_t index)
{
    struct problem *problem = context;
    struct unit *unit = &problem->units[index];
    struct sdsim_setup *setup = calloc(1, sizeof *setup);
    struct sdsim_diags diags;
    struct sdsim_outcome_report report;
    sdsim_diags_init(&diags);
    pthread_mutex_lock(&problem->lock);
    struct collector collector = {.problem = problem, .unit = unit};
    sdsim_run_values(&unit->plan->run, collect, &collector);
    const bool bound =
        setup != NULL && sdsim_setup_bind(problem->config, &unit->plan->run, 0, setup, &diags);
    pthread_mutex_unlock(&problem->lock);
    if (bound) {
        unit->medium = sdsim_prepare_medium(setup, &report);
    }
    sdsim_diags_free(&diags);
    free(setup);
}

static void run_parallel(const struct problem *problem, const char *what, size_t count,
                         void (*work)(void *context, size_t index), void *context)
{
    if (problem->options->parallel != NULL) {
        problem->options->parallel(problem->options->pool, what, count, work, context);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        work(context, i);
    }
}

static bool set_up(struct problem *problem, const struct sdsim_plans *plans)
{
    const size_t knobs = problem->knobs->count;
    problem->columns = calloc(knobs + 1, sizeof *problem->columns);
    problem->column_of = calloc(knobs + 1, sizeof *problem->column_of);
    problem->units = calloc(plans->count + 1, sizeof *problem->units);
    problem->records = calloc(plans->count + 1, sizeof *problem->records);
    if (problem->columns == NULL || problem->column_of == NULL || problem->units == NULL ||
        problem->records == NULL || !add_records(problem, plans)) {
        return false;
    }
    for (size_t k = 0; k < knobs; k++) {
        problem->column_of[k] = SDSIM_NO_KNOB;
        if (sdsim_knob_is_free(&problem->knobs->items[k])) {
            problem->column_of[k] = problem->column_count;
            problem->columns[problem->column_count++] = k;
        }
    }
    run_parallel(problem, "volumes", problem->unit_count, prepare_unit, problem);
    return true;
}

static void tear_down(struct problem *problem)
{
    for (size_t u = 0; u < problem->unit_count; u++) {
        sdsim_medium_destroy(problem->units[u].medium);
    }
    free(problem->units);
    free(problem->records);
    free(problem->columns);
    free(problem->column_of);
}

/* ---- simulating ---- */

/* Simulates a unit with one of its knobs turned by `step` (a logarithm); column SDSIM_NO_KNOB: none.
 */
static bool simulate(struct problem *problem, struct unit *unit, size_t column, double step,
                     double values[SDSIM_MEASURED_COUNT])
{
    char error[200];
    struct sdsim_diags diags;
    struct sdsim_setup *setup = calloc(1, sizeof *setup);
    if (setup == NULL) {
        return false;
    }
    sdsim_diags_init(&diags);
    pthread_mutex_lock(&problem->lock);
    struct sdsim_knob *knob =
        column != SDSIM_NO_KNOB ? &problem->knobs->items[problem->columns[column]] : NULL;
    const double value = knob != NULL ? knob->value : 0.0;
    if (knob != NULL) {
        sdsim_knob_set(knob, value * exp(step));
    }
    const bool bound = sdsim_setup_bind(problem->config, &unit->plan->run, 0, setup, &diags);
    if (knob != NULL) {
        sdsim_knob_set(knob, value);
    }
    pthread_mutex_unlock(&problem->lock);
    const bool fine =
        bound && sdsim_forecast_draw(setup, unit->medium, values, error, sizeof error);
    sdsim_diags_free(&diags);
    free(setup);
    return fine;
}

static void evaluate_unit(void *context, size_t index)
{
    struct problem *problem = context;
    struct unit *unit = &problem->units[index];
    unit->valid = unit->medium != NULL && simulate(problem, unit, SDSIM_NO_KNOB, 0.0, unit->values);
}

static void derive_unit(void *context, size_t index)
{
    struct problem *problem = context;
    struct unit *unit = &problem->units[index];
    for (size_t k = 0; unit->valid && k < unit->knob_count; k++) {
        double turned[SDSIM_MEASURED_COUNT];
        const bool fine = simulate(problem, unit, unit->knobs[k], STEP_SIZE, turned);
        for (size_t m = 0; m < SDSIM_MEASURED_COUNT; m++) {
            unit->slopes[k][m] = fine ? log(turned[m] / unit->values[m]) / STEP_SIZE : 0.0;
        }
    }
}

/* Puts the knobs where x says (logarithms). */
static void turn(struct problem *problem, const double *x)
{
    for (size_t c = 0; c < problem->column_count; c++) {
        sdsim_knob_set(&problem->knobs->items[problem->columns[c]], exp(x[c]));
    }
}

/* ---- residuals ---- */

static double record_error(const struct problem *problem, const struct record *record)
{
    const struct unit *unit = &problem->units[record->unit];
    if (!unit->valid) {
        return 0.0;
    }
    const double predicted = log(unit->values[record->metric]);
    return predicted < record->low    ? predicted - record->low
           : predicted > record->high ? predicted - record->high
                                      : 0.0;
}

static void residuals(const struct problem *problem, const double *x, double *out)
{
    for (size_t r = 0; r < problem->record_count; r++) {
        const struct record *record = &problem->records[r];
        out[r] = record->weight * record_error(problem, record);
    }
    for (size_t c = 0; c < problem->column_count; c++) {
        const struct sdsim_knob *knob = &problem->knobs->items[problem->columns[c]];
        double expected = log(knob->start);
        if (knob->parent != SDSIM_NO_KNOB) {
            const size_t parent = problem->column_of[knob->parent];
            expected += parent != SDSIM_NO_KNOB ? x[parent]
                                                : log(problem->knobs->items[knob->parent].value);
        }
        out[problem->record_count + c] = (x[c] - expected) / knob->spread;
    }
}

/* Column-major, as cminpack wants it; `rows` is the number of rows. */
static void jacobian(const struct problem *problem, double *out, size_t rows)
{
    memset(out, 0, rows * problem->column_count * sizeof *out);
    for (size_t r = 0; r < problem->record_count; r++) {
        const struct record *record = &problem->records[r];
        const struct unit *unit = &problem->units[record->unit];
        for (size_t k = 0; unit->valid && k < unit->knob_count; k++) {
            out[unit->knobs[k] * rows + r] = record->weight * unit->slopes[k][record->metric];
        }
    }
    for (size_t c = 0; c < problem->column_count; c++) {
        const struct sdsim_knob *knob = &problem->knobs->items[problem->columns[c]];
        const size_t row = problem->record_count + c;
        out[c * rows + row] = 1.0 / knob->spread;
        if (knob->parent != SDSIM_NO_KNOB && problem->column_of[knob->parent] != SDSIM_NO_KNOB) {
            out[problem->column_of[knob->parent] * rows + row] = -1.0 / knob->spread;
        }
    }
}

static int callback(void *context, int m, int n, const double *x, double *fvec, double *fjac,
                    int ldfjac, int iflag)
{
    (void)n;
    (void)m;
    struct problem *problem = context;
    turn(problem, x);
    run_parallel(problem, "runs", problem->unit_count, evaluate_unit, problem);
    if (iflag == 1) {
        residuals(problem, x, fvec);
    } else {
        run_parallel(problem, "derivatives", problem->unit_count, derive_unit, problem);
        jacobian(problem, fjac, (size_t)ldfjac);
    }
    return 0;
}

/* Records count by the size of their error, not by its square. */
static void reweight(struct problem *problem, bool robust)
{
    for (size_t r = 0; r < problem->record_count; r++) {
        struct record *record = &problem->records[r];
        const double error = fabs(record_error(problem, record));
        const double size = error > ERROR_LEAST ? error : ERROR_LEAST;
        record->weight =
            sqrt(record->group_weight * (robust ? ERROR_LEAST / size : 0.3)) / ERROR_SPREAD * 1.5;
    }
}

static double mean_error(const struct problem *problem)
{
    double sum = 0.0;
    double weights = 0.0;
    for (size_t r = 0; r < problem->record_count; r++) {
        const struct record *record = &problem->records[r];
        sum += record->group_weight * fabs(record_error(problem, record));
        weights += record->group_weight;
    }
    return weights > 0.0 ? sum / weights : 0.0;
}

/* ---- the fit ---- */

struct workspace {
    double *x;
    double *fvec;
    double *fjac;
    double *diag;
    double *qtf;
    double *wa;
    int *ipvt;
};

static bool allocate(struct workspace *work, size_t rows, size_t columns)
{
    *work = (struct workspace){
        .x = calloc(columns + 1, sizeof(double)),
        .fvec = calloc(rows + 1, sizeof(double)),
        .fjac = calloc(rows * columns + 1, sizeof(double)),
        .diag = calloc(columns + 1, sizeof(double)),
        .qtf = calloc(columns + 1, sizeof(double)),
        .wa = calloc(3 * columns + rows + 1, sizeof(double)),
        .ipvt = calloc(columns + 1, sizeof(int)),
    };
    return work->x != NULL && work->fvec != NULL && work->fjac != NULL && work->diag != NULL &&
           work->qtf != NULL && work->wa != NULL && work->ipvt != NULL;
}

static void release(struct workspace *work)
{
    free(work->x);
    free(work->fvec);
    free(work->fjac);
    free(work->diag);
    free(work->qtf);
    free(work->wa);
    free(work->ipvt);
}

static void minimise(struct problem *problem, struct workspace *work, unsigned rounds)
{
    const int n = (int)problem->column_count;
    const int m = (int)(problem->record_count + problem->column_count);
    for (unsigned round = 0; round < rounds; round++) {
        int evaluations;
        int derivatives;
        reweight(problem, round > 0);
        (void)lmder(callback, problem, m, n, work->x, work->fvec, work->fjac, m, 1e-4, 1e-4, 0.0,
                    STEPS, work->diag, 1, 100.0, 0, &evaluations, &derivatives, work->ipvt,
                    work->qtf, work->wa, work->wa + n, work->wa + 2 * n, work->wa + 3 * n);
        turn(problem, work->x);
        run_parallel(problem, "runs", problem->unit_count, evaluate_unit, problem);
    }
}

/* ---- ranges ---- */

/*
 * How well the data determine each knob: the square root of the diagonal of the inverse of J'J,
 * which holds the starts too, so that it is never singular. Cholesky, then the inverse column by
 * column.
 */
static bool deviations(const struct problem *problem, const double *fjac, size_t rows, double *out)
{
    const size_t n = problem->column_count;
    double *a = calloc(n * n + 1, sizeof *a);
    double *z = calloc(n + 1, sizeof *z);
    if (a == NULL || z == NULL) {
        free(a);
        free(z);
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j <= i; j++) {
            double sum = 0.0;
            for (size_t r = 0; r < rows; r++) {
                sum += fjac[i * rows + r] * fjac[j * rows + r];
            }
            a[i * n + j] = sum;
        }
    }
    for (size_t j = 0; j < n; j++) {
        double pivot = a[j * n + j];
        for (size_t k = 0; k < j; k++) {
            pivot -= a[j * n + k] * a[j * n + k];
        }
        a[j * n + j] = sqrt(pivot > 1e-12 ? pivot : 1e-12);
        for (size_t i = j + 1; i < n; i++) {
            double sum = a[i * n + j];
            for (size_t k = 0; k < j; k++) {
                sum -= a[i * n + k] * a[j * n + k];
            }
            a[i * n + j] = sum / a[j * n + j];
        }
    }
    for (size_t c = 0; c < n; c++) {
        double sum = 0.0; /* |L^-1 e_c|^2 is the c-th element of the diagonal */
        memset(z, 0, n * sizeof *z);
        for (size_t i = c; i < n; i++) {
            double value = i == c ? 1.0 : 0.0;
            for (size_t k = c; k < i; k++) {
                value -= a[i * n + k] * z[k];
            }
            z[i] = value / a[i * n + i];
            sum += z[i] * z[i];
        }
        out[c] = sqrt(sum);
    }
    free(a);
    free(z);
    return true;
}

/* How far values of a kind lie apart whatever the fit says: builds of one firmware, cards of one
 * class, copies of one card. */
static double between(const struct sdsim_knobs *knobs, const struct sdsim_knob *knob)
{
    (void)knobs;
    if (knob->kind == SDSIM_PROFILE_HOST) {
        return 0.12;
    }
    return knob->parent == SDSIM_NO_KNOB ? 0.35 : 0.15;
}

struct spread {
    struct problem *problem;
    double *low; /* by unit and metric: the ends of the interval */
    double *high;
};

static int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static void spread_unit(void *context, size_t index)
{
    struct spread *spread = context;
    struct problem *problem = spread->problem;
    struct unit *unit = &problem->units[index];
    struct sdsim_setup *setups = calloc(RANGE_DRAWS, sizeof *setups);
    double drawn[SDSIM_MEASURED_COUNT][RANGE_DRAWS];
    struct sdsim_diags diags;
    char error[200];
    sdsim_diags_init(&diags);
    pthread_mutex_lock(&problem->lock);
    bool fine = setups != NULL && unit->valid;
    for (uint32_t k = 0; fine && k < RANGE_DRAWS; k++) {
        fine = sdsim_setup_bind(problem->config, &unit->plan->run, k + 1, &setups[k], &diags);
    }
    pthread_mutex_unlock(&problem->lock);
    for (uint32_t k = 0; fine && k < RANGE_DRAWS; k++) {
        double values[SDSIM_MEASURED_COUNT];
        fine = sdsim_forecast_draw(&setups[k], unit->medium, values, error, sizeof error);
        for (size_t m = 0; fine && m < SDSIM_MEASURED_COUNT; m++) {
            drawn[m][k] = values[m];
        }
    }
    for (size_t m = 0; m < SDSIM_MEASURED_COUNT; m++) {
        double *low = &spread->low[index * SDSIM_MEASURED_COUNT + m];
        double *high = &spread->high[index * SDSIM_MEASURED_COUNT + m];
        *low = *high = unit->values[m];
        if (fine) {
            qsort(drawn[m], RANGE_DRAWS, sizeof drawn[m][0], compare_doubles);
            *low = fmin(*low, drawn[m][1]);
            *high = fmax(*high, drawn[m][RANGE_DRAWS - 2]);
        }
    }
    sdsim_diags_free(&diags);
    free(setups);
}

static double covered_share(const struct problem *problem, const struct spread *spread)
{
    double hits = 0.0;
    double weights = 0.0;
    for (size_t r = 0; r < problem->record_count; r++) {
        const struct record *record = &problem->records[r];
        const size_t place = record->unit * SDSIM_MEASURED_COUNT + record->metric;
        const bool hit =
            log(spread->low[place]) <= record->high && log(spread->high[place]) >= record->low;
        /* groups weigh one each here */
        const double weight = pow(record->group_weight, 1.0 / (1.0 - GROUP_POWER));
        hits += hit ? weight : 0.0;
        weights += weight;
    }
    return weights > 0.0 ? hits / weights : 0.0;
}

static void set_ranges(struct problem *problem, const double *deviation, double factor)
{
    for (size_t c = 0; c < problem->column_count; c++) {
        struct sdsim_knob *knob = &problem->knobs->items[problem->columns[c]];
        const double apart = between(problem->knobs, knob);
        const double sigma = sqrt(deviation[c] * deviation[c] + apart * apart) * factor;
        const double range = exp(1.645 * sigma);
        sdsim_knob_set_range(knob, range > 20.0 ? 20.0 : range);
    }
}

/* Scales all ranges until the wanted share of the records is covered. */
static bool find_ranges(struct problem *problem, const double *deviation,
                        struct sdsim_fit_result *result)
{
    const size_t places = problem->unit_count * SDSIM_MEASURED_COUNT + 1;
    struct spread spread = {.problem = problem,
                            .low = calloc(places, sizeof *spread.low),
                            .high = calloc(places, sizeof *spread.high)};
    const bool enough = spread.low != NULL && spread.high != NULL;
    double low = 0.25;
    double high = 4.0;
    for (unsigned round = 0; enough && round < RANGE_ROUNDS; round++) {
        const double factor = sqrt(low * high);
        set_ranges(problem, deviation, factor);
        run_parallel(problem, "intervals", problem->unit_count, spread_unit, &spread);
        result->coverage = covered_share(problem, &spread);
        result->range_factor = factor;
        if (result->coverage < problem->options->coverage) {
            low = factor;
        } else {
            high = factor;
        }
    }
    free(spread.low);
    free(spread.high);
    return enough;
}

/* ---- all of it ---- */

/* Knobs whose value the data narrow down by more than a tenth. */
static size_t count_determined(const struct problem *problem, const double *deviation)
{
    size_t count = 0;
    for (size_t c = 0; c < problem->column_count; c++) {
        const struct sdsim_knob *knob = &problem->knobs->items[problem->columns[c]];
        count += deviation[c] < 0.9 * knob->spread;
    }
    return count;
}

static bool fit_problem(struct problem *problem, struct sdsim_fit_result *result)
{
    struct workspace work;
    const size_t rows = problem->record_count + problem->column_count;
    const unsigned rounds = problem->options->rounds > 0 ? problem->options->rounds : USUAL_ROUNDS;
    bool fine = allocate(&work, rows, problem->column_count);
    double *deviation = calloc(problem->column_count + 1, sizeof *deviation);
    if (fine && deviation != NULL) {
        for (size_t c = 0; c < problem->column_count; c++) {
            work.x[c] = log(problem->knobs->items[problem->columns[c]].value);
            work.diag[c] = 1.0;
        }
        run_parallel(problem, "runs", problem->unit_count, evaluate_unit, problem);
        result->before = mean_error(problem);
        minimise(problem, &work, rounds);
        result->after = mean_error(problem);
        run_parallel(problem, "derivatives", problem->unit_count, derive_unit, problem);
        jacobian(problem, work.fjac, rows);
        fine = deviations(problem, work.fjac, rows, deviation);
        result->records = problem->record_count;
        result->values = count_determined(problem, deviation);
        if (fine && problem->options->coverage > 0.0) {
            fine = find_ranges(problem, deviation, result);
        }
    }
    fine = fine && deviation != NULL;
    free(deviation);
    release(&work);
    return fine;
}

bool sdsim_fit(const struct sdsim_plans *plans, struct sdsim_knobs *knobs,
               const struct sdsim_fit_options *options, struct sdsim_fit_result *result)
{
    struct problem problem = {.options = options, .config = plans->config, .knobs = knobs};
    *result = (struct sdsim_fit_result){.records = 0};
    pthread_mutex_init(&problem.lock, NULL);
    const bool fine = set_up(&problem, plans) && fit_problem(&problem, result);
    tear_down(&problem);
    pthread_mutex_destroy(&problem.lock);
    return fine;
}
