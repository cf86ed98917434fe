/*
 * Runs of scenarios, for tests that look at what the model makes of them.
 *
 *     static void flat(void **state)
 *     {
 *         const struct sdsim_outcome_report report =
 *             sdsim_test_scenario_run(*state, "esp32-arduino-sd", "read-4k", NULL);
 *         ...
 *
 *     cmocka_unit_test_setup_teardown(flat, sdsim_test_scenarios_up, sdsim_test_scenarios_down)
 *
 * Everything is draw 0, typical values, over the profiles that are shipped. What can't be loaded, bound
 * or simulated fails the test, with its messages.
 */
#ifndef SDSIM_TEST_SCENARIO_BENCH_H
#define SDSIM_TEST_SCENARIO_BENCH_H

#include "setup/simulate.h"

struct sdsim_test_scenarios {
    struct sdsim_config *config;
    struct sdsim_diags diags;
    const struct sdsim_scenario *scenario; /* what was bound last: the file, */
    const struct sdsim_run *run;           /* the run of it */
    struct sdsim_setup setup;              /* and its parameters */
};

/* Set-up and tear-down of a test: *state becomes such a struct. */
int sdsim_test_scenarios_up(void **state);
int sdsim_test_scenarios_down(void **state);

/* Loads a scenario, with overrides "path=value" (NULL at the end, or NULL), and binds its run `id`, or
 * its first if that is NULL. A name without a slash is that of a shipped one. */
void sdsim_test_scenario_bind(struct sdsim_test_scenarios *bench, const char *scenario,
                              const char *id, const char *const *overrides);

/* The same, and what a simulation of it brings. */
struct sdsim_outcome_report sdsim_test_scenario_run(struct sdsim_test_scenarios *bench,
                                                    const char *scenario, const char *id,
                                                    const char *const *overrides);

/* Binds the first `draws` draws of every run of every shipped scenario, and calls `look` with each. How
 * many of them it says it looked at. */
size_t sdsim_test_each_run(uint32_t draws, bool (*look)(const struct sdsim_run *run,
                                                        const struct sdsim_setup *setup));

#endif
