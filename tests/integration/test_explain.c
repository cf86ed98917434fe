/*
 * Explanations of every shipped run: the waterfall's steps add up to the run's time to the
 * picosecond, its ceilings fall from the raw rate of the bus to what is predicted.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <glob.h>
#include <string.h>

#include "report/waterfall.h"

static void check_sums(const struct sdsim_run *run, const struct sdsim_outcome_report *outcome,
                       const struct sdsim_waterfall *waterfall)
{
    sdsim_ps sum = 0;
    for (size_t i = 0; i < waterfall->count; i++) {
        const struct sdsim_waterfall_step *step = &waterfall->steps[i];
        sum += step->time;
        if (step->time == 0 || step->until != sum || step->rule[0] == '\0') {
            fail_msg("%s/%s: step %s: %llu ps until %llu ps, '%s'", run->scenario, run->id,
                     sdsim_loss_name(step->loss), (unsigned long long)step->time,
                     (unsigned long long)step->until, step->rule);
        }
    }
    if (sum != outcome->workload.elapsed || sum != waterfall->total || sum == 0) {
        fail_msg("%s/%s: the steps sum to %llu ps, the run takes %llu ps", run->scenario, run->id,
                 (unsigned long long)sum, (unsigned long long)outcome->workload.elapsed);
    }
}

/* A rate's ceilings fall, times' rise; the last is the prediction, where that is one of the whole.
 */
static void check_ceilings(const struct sdsim_run *run, const struct sdsim_setup *setup,
                           const struct sdsim_outcome_report *outcome,
                           const struct sdsim_waterfall *waterfall)
{
    const bool rate = waterfall->metric != SDSIM_METRIC_TIME;
    for (size_t i = 1; i < waterfall->count; i++) {
        const double before = waterfall->steps[i - 1].ceiling;
        const double here = waterfall->steps[i].ceiling;
        if (rate ? here > before : here < before) {
            fail_msg("%s/%s: the ceiling of %s is %g behind %g", run->scenario, run->id,
                     sdsim_loss_name(waterfall->steps[i].loss), here, before);
        }
    }
    const double last = waterfall->steps[waterfall->count - 1].ceiling;
    if (setup->run.measure == SDSIM_MEASURE_USUAL && last != outcome->value) {
        fail_msg("%s/%s: the last ceiling is %.17g, predicted is %.17g", run->scenario, run->id,
                 last, outcome->value);
    }
    const struct sdsim_waterfall_step *raw = sdsim_waterfall_step(waterfall, SDSIM_LOSS_RAW);
    if (raw != NULL && waterfall->metric == SDSIM_METRIC_THROUGHPUT &&
        raw->ceiling < 0.999999 * waterfall->raw_rate) {
        fail_msg("%s/%s: raw %g B/s, but the bus makes %g B/s", run->scenario, run->id,
                 raw->ceiling, waterfall->raw_rate);
    }
}

static void steps_sum_to_the_whole(void **state)
{
    (void)state;
    struct sdsim_config *config = sdsim_config_create(".");
    struct sdsim_diags diags;
    sdsim_diags_init(&diags);
    glob_t files;
    size_t checked = 0;
    assert_int_equal(glob("scenarios/*.yaml", 0, NULL, &files), 0);
    for (size_t f = 0; f < files.gl_pathc; f++) {
        const struct sdsim_scenario *scenario =
            sdsim_scenario_load(config, files.gl_pathv[f], NULL, &diags);
        assert_non_null(scenario);
        for (size_t r = 0; r < scenario->count; r++) {
            for (uint32_t k = 0; k < 3; k++) {
                struct sdsim_setup setup;
                struct sdsim_outcome_report outcome;
                struct sdsim_waterfall waterfall;
                assert_true(sdsim_setup_bind(config, &scenario->runs[r], k, &setup, &diags));
                sdsim_simulate(&setup, NULL, &outcome);
                assert_string_equal(outcome.error, "");
                sdsim_waterfall(&setup, &outcome, &waterfall);
                check_sums(&scenario->runs[r], &outcome, &waterfall);
                check_ceilings(&scenario->runs[r], &setup, &outcome, &waterfall);
                checked++;
            }
        }
    }
    globfree(&files);
    assert_true(checked >= 3 * 50);
    sdsim_diags_free(&diags);
    sdsim_config_destroy(config);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(steps_sum_to_the_whole)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
