#include "setup/subject.h"

static bool bind(void *context, const char *const *sets, uint32_t draws, struct sdsim_setup *setups,
                 struct sdsim_diags *diags)
{
    const struct sdsim_scenario_subject *subject = context;
    const char *const *lists[] = {subject->overrides, sets};
    const char *overrides[SDSIM_SUBJECT_OVERRIDES + 1];
    size_t count = 0;
    for (size_t l = 0; l < sizeof lists / sizeof *lists; l++) {
        for (size_t i = 0; lists[l] != NULL && lists[l][i] != NULL; i++) {
            if (count == SDSIM_SUBJECT_OVERRIDES) {
                sdsim_error(diags, NULL, "too many --set");
                return false;
            }
            overrides[count++] = lists[l][i];
        }
    }
    overrides[count] = NULL;
    const struct sdsim_scenario *scenario =
        sdsim_scenario_load_runs(subject->config, subject->path, &subject->id, 1, overrides, diags);
    return scenario != NULL &&
           sdsim_predict_bind(subject->config, &scenario->runs[0], draws, setups, diags);
}

static void simulate(void *context, const struct sdsim_setup *setup,
                     struct sdsim_outcome_report *report)
{
    (void)context;
    sdsim_simulate(setup, NULL, report);
}

struct sdsim_subject sdsim_subject_of_scenario(struct sdsim_scenario_subject *scenario)
{
    return (struct sdsim_subject){.context = scenario, .bind = bind, .simulate = simulate};
}
