#include "measure/forecast.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/sorted.h"

bool sdsim_forecast_draw(const struct sdsim_setup *setup, const struct sdsim_medium *prepared,
                         double values[SDSIM_MEASURED_COUNT], char *error, size_t size)
{
    struct sdsim_outcome_report report;
    struct sdsim_medium *medium = sdsim_medium_copy(prepared);
    if (medium == NULL) {
        snprintf(error, size, "out of memory");
        return false;
    }
    sdsim_simulate_on(setup, medium, NULL, &report);
    sdsim_medium_destroy(medium);
    const struct sdsim_workload_result *result = &report.workload;
    if (report.error[0] != '\0' || result->calls == 0 || result->elapsed == 0) {
        snprintf(error, size, "%.180s",
                 report.error[0] != '\0' ? report.error : "nothing is timed");
        return false;
    }
    const double second = (double)SDSIM_S;
    const double elapsed = (double)result->elapsed / second;
    values[SDSIM_MEASURED_THROUGHPUT] = (double)result->bytes / elapsed;
    values[SDSIM_MEASURED_MEAN] = elapsed / (double)result->calls;
    /* One timed whole, opening included, is its own shortest and longest call. */
    const bool whole = setup->run.workload.timed == SDSIM_TIMED_ALL && result->calls == 1;
    values[SDSIM_MEASURED_MIN] = whole ? elapsed : (double)result->shortest_call / second;
    values[SDSIM_MEASURED_MAX] = whole ? elapsed : (double)result->longest_call / second;
    return true;
}

void sdsim_forecast_run(const struct sdsim_setup *setups, uint32_t draws,
                        struct sdsim_forecast *forecast)
{
    *forecast = (struct sdsim_forecast){.error = ""};
    struct sdsim_outcome_report report;
    struct sdsim_medium *prepared = sdsim_prepare_medium(&setups[0], &report);
    if (prepared == NULL) {
        snprintf(forecast->error, sizeof forecast->error, "%.180s", report.error);
        return;
    }
    double *drawn = malloc(((size_t)draws + 1) * SDSIM_MEASURED_COUNT * sizeof *drawn);
    bool fine = drawn != NULL;
    if (!fine) {
        snprintf(forecast->error, sizeof forecast->error, "out of memory");
    }
    for (uint32_t k = 0; fine && k <= draws; k++) {
        double values[SDSIM_MEASURED_COUNT];
        fine = sdsim_forecast_draw(&setups[k], prepared, values, forecast->error,
                                   sizeof forecast->error);
        for (size_t m = 0; fine && m < SDSIM_MEASURED_COUNT; m++) {
            drawn[m * (draws + 1) + k] = values[m];
        }
    }
    for (size_t m = 0; fine && m < SDSIM_MEASURED_COUNT; m++) {
        double *values = &drawn[m * (draws + 1)];
        const double typical = values[0];
        forecast->value[m] = forecast->low[m] = forecast->high[m] = typical;
        if (draws > 0) {
            sdsim_sort(values + 1, draws);
            const double low = sdsim_quantile(values + 1, draws, 0.05);
            const double high = sdsim_quantile(values + 1, draws, 0.95);
            forecast->low[m] = low < typical ? low : typical;
            forecast->high[m] = high > typical ? high : typical;
        }
    }
    free(drawn);
    sdsim_medium_destroy(prepared);
}
