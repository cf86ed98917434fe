#include <math.h>
#include <stdlib.h>

#include "core/sorted.h"
#include "measure/fit_problem.h"

#define DRAWS  16
#define ROUNDS 4
#define WIDEST 20.0

#define LEAST_FACTOR 0.4
#define MOST_FACTOR  4.0

struct spread {
    struct sdsim_fit_problem *problem;
    double *low; /* by unit and metric: the ends of the interval, times */
    double *high;
};

/* How far values of a kind lie apart whatever the fit says, as a logarithm: builds of one firmware,
 * cards of one class, copies of one card. */
static double apart(const struct sdsim_knob *knob)
{
    if (knob->kind == SDSIM_PROFILE_HOST) {
        return 0.12;
    }
    return knob->parent == SDSIM_NO_KNOB ? 0.35 : 0.15;
}

static void set_ranges(struct sdsim_fit_problem *problem, const double *deviation, double slow,
                       double fast)
{
    struct sdsim_knobs *knobs = problem->knobs;
    for (size_t k = 0; k < knobs->count; k++) {
        struct sdsim_knob *knob = &knobs->items[k];
        if (!sdsim_knob_is_free(knob)) {
            continue;
        }
        /* Nothing is known of a knob that no run uses but where it starts. */
        const size_t c = problem->column_of[k];
        const double own = c != SDSIM_NO_KNOB ? deviation[c] : knob->spread;
        const double sigma = sqrt(own * own + apart(knob) * apart(knob));
        sdsim_knob_set_range(knob, fmin(exp(1.645 * sigma * slow), WIDEST),
                             fmin(exp(1.645 * sigma * fast), WIDEST));
    }
}

static void spread_unit(void *context, size_t index)
{
    const struct spread *spread = context;
    struct sdsim_fit_problem *problem = spread->problem;
    const struct sdsim_fit_unit *unit = &problem->units[index];
    struct sdsim_setup *setups = calloc(DRAWS + 1, sizeof *setups);
    double drawn[SDSIM_MEASURED_COUNT][DRAWS];
    struct sdsim_diags diags;
    char error[200];
    sdsim_diags_init(&diags);
    pthread_mutex_lock(&problem->lock);
    bool fine = setups != NULL && unit->valid &&
                sdsim_setup_bind_draws(problem->config, &unit->plan->run, DRAWS, setups, &diags);
    pthread_mutex_unlock(&problem->lock);
    for (uint32_t k = 0; fine && k < DRAWS; k++) {
        double values[SDSIM_MEASURED_COUNT];
        fine = sdsim_forecast_draw(&setups[k + 1], unit->medium, values, error, sizeof error);
        for (size_t m = 0; fine && m < SDSIM_MEASURED_COUNT; m++) {
            drawn[m][k] = m == SDSIM_MEASURED_THROUGHPUT ? 1.0 / values[m] : values[m];
        }
    }
    for (size_t m = 0; m < SDSIM_MEASURED_COUNT; m++) {
        double *low = &spread->low[index * SDSIM_MEASURED_COUNT + m];
        double *high = &spread->high[index * SDSIM_MEASURED_COUNT + m];
        *low = *high = unit->times[m];
        if (fine) {
            sdsim_sort(drawn[m], DRAWS);
            *low = fmin(*low, drawn[m][1]);
            *high = fmax(*high, drawn[m][DRAWS - 2]);
        }
    }
    sdsim_diags_free(&diags);
    free(setups);
}

/* The shares of the records that lie beyond the slow and the fast end; groups weigh one each. */
struct misses {
    double slow;
    double fast;
};

static struct misses find_misses(const struct spread *spread)
{
    const struct sdsim_fit_problem *problem = spread->problem;
    struct misses misses = {.slow = 0.0};
    double weights = 0.0;
    for (size_t r = 0; r < problem->record_count; r++) {
        const struct sdsim_fit_record *record = &problem->records[r];
        const size_t place = record->unit * SDSIM_MEASURED_COUNT + record->metric;
        misses.slow += log(spread->high[place]) < record->low ? record->share : 0.0;
        misses.fast += log(spread->low[place]) > record->high ? record->share : 0.0;
        weights += record->share;
    }
    if (weights > 0.0) {
        misses.slow /= weights;
        misses.fast /= weights;
    }
    return misses;
}

/* A factor that is halved in, on a logarithmic scale. */
struct bracket {
    double low;
    double high;
};

static double middle(const struct bracket *bracket)
{
    return sqrt(bracket->low * bracket->high);
}

static void halve(struct bracket *bracket, bool wider)
{
    const double factor = middle(bracket);
    if (wider) {
        bracket->low = factor;
    } else {
        bracket->high = factor;
    }
}

/*
 * Both ends have a factor of their own: what makes a call slow can be anything, what makes it fast
 * ends at the bus. Each is halved in until no more than its half of the rest lies beyond.
 */
bool sdsim_fit_ranges(struct sdsim_fit_problem *problem, const double *deviation,
                      struct sdsim_fit_result *result)
{
    const size_t places = problem->unit_count * SDSIM_MEASURED_COUNT + 1;
    const double beyond = (1.0 - problem->options->coverage) / 2.0;
    struct spread spread = {.problem = problem,
                            .low = calloc(places, sizeof *spread.low),
                            .high = calloc(places, sizeof *spread.high)};
    const bool enough = spread.low != NULL && spread.high != NULL;
    struct bracket slow = {LEAST_FACTOR, MOST_FACTOR};
    struct bracket fast = {LEAST_FACTOR, MOST_FACTOR};
    for (unsigned round = 0; enough && round < ROUNDS; round++) {
        set_ranges(problem, deviation, middle(&slow), middle(&fast));
        sdsim_fit_each(problem, "intervals", problem->unit_count, spread_unit, &spread);
        const struct misses misses = find_misses(&spread);
        result->coverage = 1.0 - misses.slow - misses.fast;
        result->slow_factor = middle(&slow);
        result->fast_factor = middle(&fast);
        halve(&slow, misses.slow > beyond);
        halve(&fast, misses.fast > beyond);
    }
    free(spread.low);
    free(spread.high);
    return enough;
}
