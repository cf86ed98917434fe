#include "scoring.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "pool.h"

struct batch {
    pthread_mutex_t lock; /* of the config */
    struct sdsim_config *config;
    const struct sdsim_plans *plans;
    const size_t *chosen; /* plans that are simulated: one for each run */
    struct sdsim_forecast *forecasts;
    uint32_t draws;
};

static void forecast(void *context, size_t index)
{
    struct batch *batch = context;
    const size_t place = batch->chosen[index];
    const struct sdsim_plan *plan = &batch->plans->items[place];
    struct sdsim_forecast *out = &batch->forecasts[place];
    struct sdsim_setup *setups = calloc((size_t)batch->draws + 1, sizeof *setups);
    if (setups == NULL) {
        snprintf(out->error, sizeof out->error, "out of memory");
        return;
    }
    struct sdsim_diags diags;
    sdsim_diags_init(&diags);
    pthread_mutex_lock(&batch->lock);
    const bool bound = sdsim_predict_bind(batch->config, &plan->run, batch->draws, setups, &diags);
    pthread_mutex_unlock(&batch->lock);
    if (bound) {
        sdsim_forecast_run(setups, batch->draws, out);
    } else {
        snprintf(out->error, sizeof out->error, "%.180s",
                 diags.count > 0 ? diags.items[0].text : "it can't be set up");
    }
    sdsim_diags_free(&diags);
    free(setups);
}

bool sdsim_score_plans(struct sdsim_config *config, const struct sdsim_plans *plans, uint32_t draws,
                       unsigned threads, struct sdsim_score *rows)
{
    size_t *chosen = calloc(plans->count + 1, sizeof *chosen);
    struct sdsim_forecast *forecasts = calloc(plans->count + 1, sizeof *forecasts);
    bool fine = chosen != NULL && forecasts != NULL;
    size_t count = 0;
    for (size_t i = 0; fine && i < plans->count; i++) {
        if (plans->items[i].same == i && plans->items[i].reason == NULL) {
            chosen[count++] = i;
        }
    }
    if (fine) {
        struct batch batch = {.config = config,
                              .plans = plans,
                              .chosen = chosen,
                              .forecasts = forecasts,
                              .draws = draws};
        pthread_mutex_init(&batch.lock, NULL);
        sdsim_pool_run(count, threads, "runs", forecast, &batch);
        pthread_mutex_destroy(&batch.lock);
    }
    for (size_t i = 0; fine && i < plans->count; i++) {
        const struct sdsim_plan *plan = &plans->items[i];
        rows[i] = sdsim_score_of(plan, &forecasts[plan->same]);
        if (rows[i].reason != NULL) {
            const char *kept = sdsim_config_text(config, rows[i].reason);
            rows[i].reason = kept != NULL ? kept : "out of memory";
        }
    }
    fine = fine && sdsim_scores_number(rows, plans->count);
    if (!fine) {
        fputs("error: out of memory\n", stderr);
    }
    free(forecasts);
    free(chosen);
    return fine;
}
