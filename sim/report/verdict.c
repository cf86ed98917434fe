#include "report/verdict.h"

#include "core/units.h"

static double nearest(double value, double low, double high)
{
    return value < low ? low : value > high ? high : value;
}

struct sdsim_verdict sdsim_verdict(const struct sdsim_run_params *run,
                                   const struct sdsim_prediction *prediction)
{
    const struct sdsim_quantity *measured = &run->measured;
    const double value = prediction->typical.value;
    if (!measured->given) {
        return (struct sdsim_verdict){.given = false};
    }
    struct sdsim_verdict verdict = {
        .given = true,
        .low = measured->low,
        .high = measured->high,
        .measured = nearest(value, measured->low, measured->high),
        .tolerance = (double)run->tolerance / 1e9,
        .covered = prediction->low <= measured->high && measured->low <= prediction->high,
    };
    verdict.error = (value - verdict.measured) / verdict.measured;
    verdict.within = verdict.error <= verdict.tolerance && -verdict.error <= verdict.tolerance;
    return verdict;
}
