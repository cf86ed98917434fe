#include "report/verdict.h"

#include <stdio.h>

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
        .judged = run->judged,
        .tolerance = run->judged ? (double)run->tolerance / 1e9 : 0.0,
        .covered = prediction->low <= measured->high && measured->low <= prediction->high,
    };
    verdict.error = (value - verdict.measured) / verdict.measured;
    verdict.within =
        verdict.judged && verdict.error <= verdict.tolerance && -verdict.error <= verdict.tolerance;
    return verdict;
}

const char *sdsim_judgement(const struct sdsim_verdict *verdict, char *text, size_t size)
{
    if (verdict->judged) {
        snprintf(text, size, "%s the tolerance of %.4g%%", verdict->within ? "within" : "outside",
                 100.0 * verdict->tolerance);
    } else {
        snprintf(text, size, "not judged");
    }
    return text;
}

void sdsim_verdict_json(const struct sdsim_verdict *verdict, struct sdsim_json *json)
{
    if (verdict->judged) {
        sdsim_json_number(json, "tolerance", verdict->tolerance);
        sdsim_json_bool(json, "within", verdict->within);
    } else {
        sdsim_json_text(json, "tolerance", NULL);
        sdsim_json_text(json, "within", NULL);
    }
}

enum sdsim_ink sdsim_verdict_ink(const struct sdsim_verdict *verdict)
{
    return !verdict->judged ? SDSIM_INK_PLAIN : verdict->within ? SDSIM_INK_GOOD : SDSIM_INK_BAD;
}
