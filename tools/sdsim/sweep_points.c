#include "sweep_points.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "pool.h"
#include "sweep_values.h"

/* Points that are set up with one configuration: enough to read the profiles' folder rarely, few
 * enough to share the work out evenly. */
#define CHUNK 8u

struct work {
    const struct sdsim_sweep_plan *plan;
    const bool *chosen;
    pthread_mutex_t lock; /* of plan->done */
    atomic_bool stopped;
};

/* ---- one row ---- */

static void take(struct sdsim_sweep_row *row, const struct sdsim_prediction *prediction)
{
    const struct sdsim_outcome_report *typical = &prediction->typical;
    if (typical->error[0] != '\0') {
        sdsim_sweep_row_fail(row, typical->error);
        return;
    }
    const struct sdsim_workload_result *workload = &typical->workload;
    row->metric = typical->metric;
    row->predicted = typical->value;
    row->low = prediction->low;
    row->high = prediction->high;
    row->clock_hz = typical->bus_hz;
    row->longest_call = (double)workload->longest_call / 1e12;
    row->mean_call =
        workload->calls > 0 ? (double)workload->in_calls / 1e12 / (double)workload->calls : 0;
}

/* By id, which is "" if the scenario has one run without a name. */
static const struct sdsim_run *run_of_id(const struct sdsim_scenario *scenario, const char *id)
{
    for (size_t i = 0; i < scenario->count; i++) {
        if (strcmp(scenario->runs[i].id, id) == 0) {
            return &scenario->runs[i];
        }
    }
    return NULL;
}

static void predict(struct sdsim_config *config, const struct sdsim_run *run,
                    struct sdsim_setup *setups, uint32_t draws, struct sdsim_sweep_row *row)
{
    struct sdsim_diags diags;
    struct sdsim_prediction prediction;
    sdsim_diags_init(&diags);
    if (sdsim_predict_bind(config, run, draws, setups, &diags)) {
        sdsim_predict_run(setups, draws, &prediction);
        take(row, &prediction);
    } else {
        sdsim_sweep_row_fail(row, diags.count > 0 ? diags.items[0].text : "");
    }
    sdsim_diags_free(&diags);
}

/* ---- one point ---- */

/* The runs of these ids with the values of a point; NULL with messages. */
static struct sdsim_scenario *load(const struct sdsim_sweep_plan *plan, struct sdsim_config *config,
                                   const struct sdsim_sweep_row *row, const char *const *ids,
                                   size_t count, struct sdsim_diags *diags)
{
    const char **overrides = sdsim_sweep_overrides(plan, row->values);
    if (overrides == NULL) {
        sdsim_error(diags, NULL, "out of memory");
        return NULL;
    }
    struct sdsim_scenario *scenario =
        sdsim_scenario_load_runs(config, plan->path, ids, count, overrides, diags);
    sdsim_sweep_overrides_free(plan, overrides);
    return scenario;
}

/* Predicts one run, which is set up alone if the point does not fit the others. */
static void compute_row(const struct sdsim_sweep_plan *plan, struct sdsim_config *config,
                        struct sdsim_setup *setups, const struct sdsim_scenario *scenario, size_t r,
                        struct sdsim_sweep_row *row)
{
    struct sdsim_diags diags;
    sdsim_diags_init(&diags);
    if (scenario == NULL) {
        scenario = load(plan, config, row, &plan->runs[r], 1, &diags);
    }
    const struct sdsim_run *run = scenario != NULL ? run_of_id(scenario, plan->runs[r]) : NULL;
    if (run != NULL) {
        predict(config, run, setups, plan->sweep->draws, row);
    } else {
        sdsim_sweep_row_fail(row, diags.count > 0 ? diags.items[0].text : "");
    }
    sdsim_diags_free(&diags);
}

static void compute_point(const struct work *work, struct sdsim_config *config,
                          struct sdsim_setup *setups, size_t first)
{
    const struct sdsim_sweep_plan *plan = work->plan;
    struct sdsim_sweep_row *rows = plan->sweep->rows;
    struct sdsim_diags diags;
    sdsim_diags_init(&diags);
    const struct sdsim_scenario *scenario =
        load(plan, config, &rows[first], plan->runs, plan->run_count, &diags);
    sdsim_diags_free(&diags);
    for (size_t r = 0; r < plan->run_count; r++) {
        if (work->chosen[first + r] && !rows[first + r].done) {
            compute_row(plan, config, setups, scenario, r, &rows[first + r]);
        }
    }
}

/* ---- many ---- */

static bool anything_to_do(const struct work *work, size_t from, size_t to)
{
    for (size_t row = from; row < to; row++) {
        if (work->chosen[row] && !work->plan->sweep->rows[row].done) {
            return true;
        }
    }
    return false;
}

static void hand_over(struct work *work, size_t from, size_t to)
{
    const struct sdsim_sweep_plan *plan = work->plan;
    pthread_mutex_lock(&work->lock);
    for (size_t row = from; row < to; row++) {
        struct sdsim_sweep_row *r = &plan->sweep->rows[row];
        if (work->chosen[row] && !r->done) {
            r->done = true;
            if (!work->stopped && plan->done != NULL) {
                work->stopped = !plan->done(plan->context, row);
            }
        }
    }
    pthread_mutex_unlock(&work->lock);
}

static void compute_chunk(void *context, size_t chunk)
{
    struct work *work = context;
    const struct sdsim_sweep_plan *plan = work->plan;
    const size_t step = CHUNK * plan->run_count;
    const size_t from = chunk * step;
    const size_t to = from + step < plan->sweep->count ? from + step : plan->sweep->count;
    if (work->stopped || !anything_to_do(work, from, to)) {
        return;
    }
    struct sdsim_config *config = sdsim_config_create(plan->data_dir);
    struct sdsim_setup *setups = calloc((size_t)plan->sweep->draws + 1, sizeof *setups);
    for (size_t first = from; first < to; first += plan->run_count) {
        if (config == NULL || setups == NULL) {
            for (size_t r = 0; r < plan->run_count; r++) {
                sdsim_sweep_row_fail(&plan->sweep->rows[first + r], "out of memory");
            }
        } else if (anything_to_do(work, first, first + plan->run_count)) {
            compute_point(work, config, setups, first);
        }
    }
    free(setups);
    if (config != NULL) {
        sdsim_config_destroy(config);
    }
    hand_over(work, from, to);
}

void sdsim_sweep_points(const struct sdsim_sweep_plan *plan, const bool *chosen, unsigned threads)
{
    struct work work = {.plan = plan, .chosen = chosen};
    const size_t step = CHUNK * plan->run_count;
    pthread_mutex_init(&work.lock, NULL);
    sdsim_pool_run((plan->sweep->count + step - 1) / step, threads, "groups of points",
                   compute_chunk, &work);
    pthread_mutex_destroy(&work.lock);
}
