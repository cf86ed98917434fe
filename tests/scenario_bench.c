#include "scenario_bench.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int sdsim_test_scenarios_up(void **state)
{
    struct sdsim_test_scenarios *bench = calloc(1, sizeof *bench);
    assert_non_null(bench);
    bench->config = sdsim_config_create(".");
    assert_non_null(bench->config);
    sdsim_diags_init(&bench->diags);
    *state = bench;
    return 0;
}

int sdsim_test_scenarios_down(void **state)
{
    struct sdsim_test_scenarios *bench = *state;
    sdsim_diags_free(&bench->diags);
    sdsim_config_destroy(bench->config);
    free(bench);
    return 0;
}

static const struct sdsim_run *find_run(const struct sdsim_scenario *scenario, const char *id)
{
    for (size_t i = 0; scenario != NULL && i < scenario->count; i++) {
        if (id == NULL || strcmp(scenario->runs[i].id, id) == 0) {
            return &scenario->runs[i];
        }
    }
    return NULL;
}

void sdsim_test_scenario_bind(struct sdsim_test_scenarios *bench, const char *scenario,
                              const char *id, const char *const *overrides)
{
    char path[256];
    snprintf(path, sizeof path, strchr(scenario, '/') != NULL ? "%s" : "scenarios/%s.yaml",
             scenario);
    bench->scenario = sdsim_scenario_load(bench->config, path, overrides, &bench->diags);
    bench->run = find_run(bench->scenario, id);
    if (bench->run == NULL ||
        !sdsim_setup_bind(bench->config, bench->run, 0, &bench->setup, &bench->diags)) {
        sdsim_diags_print(&bench->diags, stderr);
        fail_msg("%s: no run %s to simulate%s%s", scenario, id != NULL ? id : "at all",
                 overrides != NULL && overrides[0] != NULL ? " with " : "",
                 overrides != NULL && overrides[0] != NULL ? overrides[0] : "");
    }
}

struct sdsim_outcome_report sdsim_test_scenario_run(struct sdsim_test_scenarios *bench,
                                                    const char *scenario, const char *id,
                                                    const char *const *overrides)
{
    struct sdsim_outcome_report report;
    sdsim_test_scenario_bind(bench, scenario, id, overrides);
    sdsim_simulate(&bench->setup, NULL, &report);
    if (report.error[0] != '\0') {
        fail_msg("%s/%s: %s", scenario, bench->run->id, report.error);
    }
    return report;
}

size_t sdsim_test_each_run(uint32_t draws, bool (*look)(const struct sdsim_run *run,
                                                        const struct sdsim_setup *setup))
{
    void *state;
    glob_t files;
    size_t looked = 0;
    sdsim_test_scenarios_up(&state);
    struct sdsim_test_scenarios *bench = state;
    assert_int_equal(glob("scenarios/*.yaml", 0, NULL, &files), 0);
    for (size_t f = 0; f < files.gl_pathc; f++) {
        const struct sdsim_scenario *scenario =
            sdsim_scenario_load(bench->config, files.gl_pathv[f], NULL, &bench->diags);
        assert_non_null(scenario);
        for (size_t r = 0; r < scenario->count; r++) {
            for (uint32_t k = 0; k < draws; k++) {
                assert_true(sdsim_setup_bind(bench->config, &scenario->runs[r], k, &bench->setup,
                                             &bench->diags));
                looked += look(&scenario->runs[r], &bench->setup);
            }
        }
    }
    globfree(&files);
    sdsim_test_scenarios_down(&state);
    return looked;
}
