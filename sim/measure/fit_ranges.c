#include <math.h>
#include <stdlib.h>

#include "measure/fit_problem.h"

#define DRAWS  16
#define ROUNDS 4
#define WIDEST 20.0

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

static void set_ranges(struct sdsim_fit_problem *problem, const double *deviation, double factor)
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
        const double sigma = sqrt(own * own + apart(knob) * apart(knob)) * factor;
        sdsim_knob_set_range(knob, fmin(exp(1.645 * sigma), WIDEST));
    }
}

static int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static void spread_unit(void *context, size_t index)
{
    const struct spread *spread = context;
    struct sdsim_fit_problem *problem = spread->problem;
    const struct sdsim_fit_unit *unit = &problem->units[index];
    struct sdsim_setup *setups = calloc(DRAWS, sizeof *setups);
    double drawn[SDSIM_MEASURED_COUNT][DRAWS];
    struct sdsim_diags diags;
    char error[200];
    sdsim_diags_init(&diags);
    pthread_mutex_lock(&problem->lock);
    bool fine = setups != NULL && unit->valid;
    for (uint32_t k = 0; fine && k < DRAWS; k++) {
        fine = sdsim_setup_bind(problem->config, &unit->plan->run, k + 1, &setups[k], &diags);
    }
    pthread_mutex_unlock(&problem->lock);
    for (uint32_t k = 0; fine && k < DRAWS; k++) {
        double values[SDSIM_MEASURED_COUNT];
        fine = sdsim_forecast_draw(&setups[k], unit->medium, values, error, sizeof error);
        for (size_t m = 0; fine && m < SDSIM_MEASURED_COUNT; m++) {
            drawn[m][k] = m == SDSIM_MEASURED_THROUGHPUT ? 1.0 / values[m] : values[m];
        }
    }
    for (size_t m = 0; m < SDSIM_MEASURED_COUNT; m++) {
        double *low = &spread->low[index * SDSIM_MEASURED_COUNT + m];
        double *high = &spread->high[index * SDSIM_MEASURED_COUNT + m];
        *low = *high = unit->times[m];
        if (fine) {
            qsort(drawn[m], DRAWS, sizeof drawn[m][0], compare_doubles);
            *low = fmin(*low, drawn[m][1]);
            *high = fmax(*high, drawn[m][DRAWS - 2]);
        }
    }
    sdsim_diags_free(&diags);
    free(setups);
}

/* Groups weigh one each, as in the score. */
static double covered_share(const struct spread *spread)
{
    const struct sdsim_fit_problem *problem = spread->problem;
    double hits = 0.0;
    double weights = 0.0;
    for (size_t r = 0; r < problem->record_count; r++) {
        const struct sdsim_fit_record *record = &problem->records[r];
        const size_t place = record->unit * SDSIM_MEASURED_COUNT + record->metric;
        const bool hit =
            log(spread->low[place]) <= record->high && log(spread->high[place]) >= record->low;
        hits += hit ? record->share : 0.0;
        weights += record->share;
    }
    return weights > 0.0 ? hits / weights : 0.0;
}

bool sdsim_fit_ranges(struct sdsim_fit_problem *problem, const double *deviation,
                      struct sdsim_fit_result *result)
{
    const size_t places = problem->unit_count * SDSIM_MEASURED_COUNT + 1;
    struct spread spread = {.problem = problem,
                            .low = calloc(places, sizeof *spread.low),
                            .high = calloc(places, sizeof *spread.high)};
    const bool enough = spread.low != NULL && spread.high != NULL;
    double low = 0.4;
    double high = 4.0;
    for (unsigned round = 0; enough && round < ROUNDS; round++) {
        const double factor = sqrt(low * high);
        set_ranges(problem, deviation, factor);
        sdsim_fit_each(problem, "intervals", problem->unit_count, spread_unit, &spread);
        result->coverage = covered_share(&spread);
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
