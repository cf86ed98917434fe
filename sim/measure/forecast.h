/*
 * What a run is predicted to measure: all four numbers a benchmark prints, with their intervals.
 *
 * One simulation gives throughput and mean, shortest and longest call at once, so records of one
 * run share it. Value is draw 0; low and high are the 5th and 95th percentile of draws 1..n,
 * widened to hold the value, as everywhere.
 */
#ifndef SDSIM_MEASURE_FORECAST_H
#define SDSIM_MEASURE_FORECAST_H

#include "measure/measurement.h"
#include "setup/simulate.h"

struct sdsim_forecast {
    double value[SDSIM_MEASURED_COUNT];
    double low[SDSIM_MEASURED_COUNT];
    double high[SDSIM_MEASURED_COUNT];
    char error[200]; /* why there is none; "" if all went well */
};

/* Simulates setups[0..draws], bound by sdsim_predict_bind. Pure, so for any thread. */
void sdsim_forecast_run(const struct sdsim_setup *setups, uint32_t draws,
                        struct sdsim_forecast *forecast);

/* The numbers of one draw only, on the medium its run begins with (sdsim_prepare_medium), which is
 * not changed. False with the reason in `error` if the run fails. */
bool sdsim_forecast_draw(const struct sdsim_setup *setup, const struct sdsim_medium *prepared,
                         double values[SDSIM_MEASURED_COUNT], char *error, size_t size);

#endif
