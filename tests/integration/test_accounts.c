/*
 * For every run of every scenario, typical and drawn: the account sums to the measured time to the
 * picosecond, the same setup gives the same result again, and a recorder changes nothing.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <glob.h>
#include <string.h>

#include "same_report.h"
#include "setup/simulate.h"

struct counting {
    struct sdsim_recorder recorder;
    uint64_t spans;
};

static void count_span(struct sdsim_recorder *recorder, const struct sdsim_span *span)
{
    struct counting *counting = (struct counting *)recorder;
    counting->spans += span->count;
}

static void check_draw(const struct sdsim_run *run, const struct sdsim_setup *setup)
{
    struct sdsim_outcome_report first;
    struct sdsim_outcome_report again;
    struct sdsim_outcome_report watched;
    struct counting counting = {.recorder = {.span = count_span}};
    sdsim_simulate(setup, NULL, &first);
    if (first.error[0] != '\0') {
        fail_msg("%s/%s: %s", run->scenario, run->id, first.error);
    }
    const sdsim_ps total = sdsim_account_total(&first.workload.account);
    if (total != first.workload.elapsed || total == 0) {
        fail_msg("%s/%s draw %u: the account sums to %llu ps, the time is %llu ps", run->scenario,
                 run->id, (unsigned)setup->draw, (unsigned long long)total,
                 (unsigned long long)first.workload.elapsed);
    }
    sdsim_simulate(setup, NULL, &again);
    sdsim_test_same_report(&first, &again);
    if (setup->run.workload.total > (1 << 24)) {
        return; /* with a recorder each block is stepped */
    }
    sdsim_simulate(setup, &counting.recorder, &watched);
    sdsim_test_same_report(&first, &watched);
    assert_true(counting.spans > 0);
}

static void every_scenario(void **state)
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
                assert_true(sdsim_setup_bind(config, &scenario->runs[r], k, &setup, &diags));
                check_draw(&scenario->runs[r], &setup);
                checked++;
            }
        }
    }
    globfree(&files);
    assert_true(checked >= 3 * 27);
    sdsim_diags_free(&diags);
    sdsim_config_destroy(config);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_scenario)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
