/*
 * For every run of every scenario, typical and drawn: the account sums to the measured time to the
 * picosecond, the same setup gives the same result again, and a recorder changes nothing.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <string.h>

#include "same_report.h"
#include "scenario_bench.h"

struct counting {
    struct sdsim_recorder recorder;
    uint64_t spans;
};

static void count_span(struct sdsim_recorder *recorder, const struct sdsim_span *span)
{
    struct counting *counting = (struct counting *)recorder;
    counting->spans += span->count;
}

static bool check_draw(const struct sdsim_run *run, const struct sdsim_setup *setup)
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
        return true; /* with a recorder each block is stepped */
    }
    sdsim_simulate(setup, &counting.recorder, &watched);
    sdsim_test_same_report(&first, &watched);
    assert_true(counting.spans > 0);
    return true;
}

static void every_scenario(void **state)
{
    (void)state;
    assert_true(sdsim_test_each_run(3, check_draw) >= 3 * 27);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_scenario)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
