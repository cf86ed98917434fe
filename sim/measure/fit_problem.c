#include "measure/fit_problem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define GROUP_POWER    0.3  /* a group of n counts as n^0.3 records */
#define LONGEST_WEIGHT 0.15 /* of a longest call: it is luck more than anything */
#define STEP_SIZE      0.12 /* of a difference, as a logarithm */

/* ---- records ---- */

static bool is_wanted(const struct sdsim_fit_options *options, const struct sdsim_plan *plan,
                      size_t i)
{
    return plan->reason == NULL && (options->wanted == NULL || options->wanted[i]);
}

/* How many wanted records the group of one has. */
static double group_size(const struct sdsim_plans *plans, const struct sdsim_fit_options *options,
                         const char *group)
{
    size_t size = 0;
    for (size_t i = 0; group[0] != '\0' && i < plans->count; i++) {
        size += is_wanted(options, &plans->items[i], i) &&
                strcmp(plans->items[i].measurement->group, group) == 0;
    }
    return size > 0 ? (double)size : 1.0;
}

/* A measurement as a time; of a rate, that of one byte. */
static double time_of(enum sdsim_measured metric, double value)
{
    return metric == SDSIM_MEASURED_THROUGHPUT ? 1.0 / value : value;
}

static struct sdsim_fit_record make_record(const struct sdsim_measurement *measurement, size_t unit,
                                           double size)
{
    const double a = log(time_of(measurement->metric, measurement->low));
    const double b = log(time_of(measurement->metric, measurement->high));
    return (struct sdsim_fit_record){
        .unit = unit,
        .metric = measurement->metric,
        .low = fmin(a, b),
        .high = fmax(a, b),
        .group_weight = pow(size, GROUP_POWER - 1.0) *
                        (measurement->metric == SDSIM_MEASURED_MAX ? LONGEST_WEIGHT : 1.0),
        .share = 1.0 / size,
    };
}

static bool add_records(struct sdsim_fit_problem *problem, const struct sdsim_plans *plans)
{
    size_t *unit_of = calloc(plans->count + 1, sizeof *unit_of); /* and one, 0: none yet */
    double size = 1.0;
    const char *last = NULL;
    for (size_t i = 0; unit_of != NULL && i < plans->count; i++) {
        const struct sdsim_plan *plan = &plans->items[i];
        if (!is_wanted(problem->options, plan, i)) {
            continue;
        }
        if (unit_of[plan->same] == 0) {
            problem->units[problem->unit_count].plan = &plans->items[plan->same];
            unit_of[plan->same] = ++problem->unit_count;
        }
        const char *group = plan->measurement->group;
        if (last == NULL || group[0] == '\0' || strcmp(group, last) != 0) {
            size = group_size(plans, problem->options, group);
            last = group;
        }
        problem->records[problem->record_count++] =
            make_record(plan->measurement, unit_of[plan->same] - 1, size);
    }
    free(unit_of);
    return unit_of != NULL;
}

/* ---- columns ---- */

/* The column of a knob, made if need be, together with those it starts from. */
static size_t column_for(struct sdsim_fit_problem *problem, size_t knob)
{
    if (problem->column_of[knob] == SDSIM_NO_KNOB) {
        const struct sdsim_knob *item = &problem->knobs->items[knob];
        problem->column_of[knob] = problem->column_count;
        problem->columns[problem->column_count++] = knob;
        if (item->parent != SDSIM_NO_KNOB &&
            sdsim_knob_is_free(&problem->knobs->items[item->parent])) {
            (void)column_for(problem, item->parent);
        }
    }
    return problem->column_of[knob];
}

struct collector {
    struct sdsim_fit_problem *problem;
    struct sdsim_fit_unit *unit;
};

static void collect(void *context, enum sdsim_profile_kind kind,
                    const struct sdsim_value_info *info)
{
    (void)kind;
    const struct collector *collector = context;
    struct sdsim_fit_problem *problem = collector->problem;
    struct sdsim_fit_unit *unit = collector->unit;
    const size_t knob = sdsim_knobs_of(problem->knobs, info);
    if (knob == SDSIM_NO_KNOB || !sdsim_knob_is_free(&problem->knobs->items[knob])) {
        return;
    }
    const size_t column = column_for(problem, knob);
    for (size_t i = 0; i < unit->column_count; i++) {
        if (unit->columns[i] == column) {
            return;
        }
    }
    if (unit->column_count < SDSIM_FIT_KNOBS) {
        unit->columns[unit->column_count++] = column;
    }
}

static void prepare_unit(void *context, size_t index)
{
    struct sdsim_fit_problem *problem = context;
    struct sdsim_fit_unit *unit = &problem->units[index];
    struct sdsim_setup *setup = calloc(1, sizeof *setup);
    struct sdsim_diags diags;
    struct sdsim_outcome_report report;
    sdsim_diags_init(&diags);
    pthread_mutex_lock(&problem->lock);
    const bool bound =
        setup != NULL && sdsim_setup_bind(problem->config, &unit->plan->run, 0, setup, &diags);
    pthread_mutex_unlock(&problem->lock);
    if (bound) {
        unit->medium = sdsim_prepare_medium(setup, &report);
    }
    sdsim_diags_free(&diags);
    free(setup);
}

void sdsim_fit_each(const struct sdsim_fit_problem *problem, const char *what, size_t count,
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

bool sdsim_fit_open(struct sdsim_fit_problem *problem, const struct sdsim_plans *plans,
                    struct sdsim_knobs *knobs, const struct sdsim_fit_options *options)
{
    *problem = (struct sdsim_fit_problem){
        .options = options,
        .config = plans->config,
        .knobs = knobs,
        .columns = calloc(knobs->count + 1, sizeof *problem->columns),
        .column_of = calloc(knobs->count + 1, sizeof *problem->column_of),
        .point = calloc(knobs->count + 1, sizeof *problem->point),
        .units = calloc(plans->count + 1, sizeof *problem->units),
        .records = calloc(plans->count + 1, sizeof *problem->records),
    };
    pthread_mutex_init(&problem->lock, NULL);
    if (problem->columns == NULL || problem->column_of == NULL || problem->point == NULL ||
        problem->units == NULL || problem->records == NULL || !add_records(problem, plans)) {
        return false;
    }
    for (size_t k = 0; k < knobs->count; k++) {
        problem->column_of[k] = SDSIM_NO_KNOB;
    }
    for (size_t u = 0; u < problem->unit_count; u++) {
        struct collector collector = {.problem = problem, .unit = &problem->units[u]};
        sdsim_run_values(&problem->units[u].plan->run, collect, &collector);
    }
    sdsim_fit_each(problem, "volumes", problem->unit_count, prepare_unit, problem);
    return true;
}

void sdsim_fit_close(struct sdsim_fit_problem *problem)
{
    for (size_t u = 0; u < problem->unit_count; u++) {
        sdsim_medium_destroy(problem->units[u].medium);
    }
    free(problem->units);
    free(problem->records);
    free(problem->columns);
    free(problem->column_of);
    free(problem->point);
    pthread_mutex_destroy(&problem->lock);
}

/* ---- simulating ---- */

/* Simulates a unit with one knob turned by `step` (a logarithm); NULL: as they are. */
static bool simulate(struct sdsim_fit_problem *problem, const struct sdsim_fit_unit *unit,
                     struct sdsim_knob *knob, double step, double times[SDSIM_MEASURED_COUNT])
{
    char error[200];
    struct sdsim_diags diags;
    struct sdsim_setup *setup = calloc(1, sizeof *setup);
    if (setup == NULL || unit->medium == NULL) {
        free(setup);
        return false;
    }
    sdsim_diags_init(&diags);
    pthread_mutex_lock(&problem->lock);
    const double value = knob != NULL ? knob->value : 0.0;
    if (knob != NULL) {
        sdsim_knob_set(knob, value * exp(step));
    }
    const bool bound = sdsim_setup_bind(problem->config, &unit->plan->run, 0, setup, &diags);
    if (knob != NULL) {
        sdsim_knob_set(knob, value);
    }
    pthread_mutex_unlock(&problem->lock);
    const bool fine = bound && sdsim_forecast_draw(setup, unit->medium, times, error, sizeof error);
    for (int m = 0; fine && m < SDSIM_MEASURED_COUNT; m++) {
        times[m] = time_of((enum sdsim_measured)m, times[m]);
    }
    sdsim_diags_free(&diags);
    free(setup);
    return fine;
}

static void simulate_unit(void *context, size_t index)
{
    struct sdsim_fit_problem *problem = context;
    struct sdsim_fit_unit *unit = &problem->units[index];
    unit->valid = simulate(problem, unit, NULL, 0.0, unit->times);
}

static void find_slopes(void *context, size_t index)
{
    struct sdsim_fit_problem *problem = context;
    struct sdsim_fit_unit *unit = &problem->units[index];
    for (size_t k = 0; unit->valid && k < unit->column_count; k++) {
        const size_t c = unit->columns[k];
        struct sdsim_knob *knob = &problem->knobs->items[problem->columns[c]];
        const double change = exp(problem->point[c]) * (exp(STEP_SIZE) - 1.0);
        double turned[SDSIM_MEASURED_COUNT];
        const bool fine = simulate(problem, unit, knob, STEP_SIZE, turned);
        for (size_t m = 0; m < SDSIM_MEASURED_COUNT; m++) {
            unit->slopes[k][m] = fine ? (turned[m] - unit->times[m]) / change : 0.0;
        }
    }
}

void sdsim_fit_simulate(struct sdsim_fit_problem *problem, const double *x, bool slopes)
{
    for (size_t c = 0; c < problem->column_count; c++) {
        struct sdsim_knob *knob = &problem->knobs->items[problem->columns[c]];
        sdsim_knob_set(knob, exp(x[c]));
        problem->point[c] = log(knob->value);
    }
    sdsim_fit_each(problem, "runs", problem->unit_count, simulate_unit, problem);
    if (slopes) {
        sdsim_fit_each(problem, "derivatives", problem->unit_count, find_slopes, problem);
    }
}

/* ---- errors ---- */

double sdsim_fit_error(const struct sdsim_fit_problem *problem,
                       const struct sdsim_fit_record *record, const double *x, double *gradient)
{
    const struct sdsim_fit_unit *unit = &problem->units[record->unit];
    if (gradient != NULL) {
        memset(gradient, 0, unit->column_count * sizeof *gradient);
    }
    if (!unit->valid) {
        return 0.0;
    }
    const size_t m = record->metric;
    double time = unit->times[m];
    for (size_t k = 0; k < unit->column_count; k++) {
        const size_t c = unit->columns[k];
        time += unit->slopes[k][m] * (exp(x[c]) - exp(problem->point[c]));
    }
    const double least = unit->times[m] * 0.1; /* what is taken as linear may not become nothing */
    time = time > least ? time : least;
    const double value = log(time);
    const double error = value < record->low    ? value - record->low
                         : value > record->high ? value - record->high
                                                : 0.0;
    for (size_t k = 0; gradient != NULL && k < unit->column_count; k++) {
        gradient[k] = unit->slopes[k][m] * exp(x[unit->columns[k]]) / time;
    }
    return error;
}

double sdsim_fit_departure(const struct sdsim_fit_problem *problem, const double *x, size_t c,
                           size_t *parent)
{
    const struct sdsim_knob *knob = &problem->knobs->items[problem->columns[c]];
    double expected = log(knob->start);
    *parent = SDSIM_NO_KNOB;
    if (knob->parent != SDSIM_NO_KNOB) {
        *parent = problem->column_of[knob->parent];
        expected +=
            *parent != SDSIM_NO_KNOB ? x[*parent] : log(problem->knobs->items[knob->parent].value);
    }
    return (x[c] - expected) / knob->spread;
}
