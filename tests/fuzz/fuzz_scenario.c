/* Scenario files: loaded with their profiles, bound to two draws, checked and linted. */
#include "fuzz/fuzz.h"

#include "setup/setup.h"

const unsigned sdsim_fuzz_runs = 300;

static void bind(struct sdsim_config *config, const struct sdsim_run *run,
                 struct sdsim_diags *diags)
{
    struct sdsim_setup setup;
    for (uint32_t draw = 0; draw < 2; draw++) {
        if (sdsim_setup_bind(config, run, draw, &setup, diags) && draw == 0 &&
            sdsim_setup_check(run, &setup, diags)) {
            sdsim_setup_lint(run, &setup, diags);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sdsim_diags diags;
    sdsim_diags_init(&diags);
    struct sdsim_config *config = sdsim_config_create(".");
    SDSIM_FUZZ_HOLDS(config != NULL);
    const struct sdsim_scenario *scenario =
        sdsim_scenario_load(config, sdsim_fuzz_file(data, size, ".yaml"), NULL, &diags);
    SDSIM_FUZZ_HOLDS(scenario != NULL || diags.errors > 0);
    for (size_t i = 0; scenario != NULL && i < scenario->count && i < 4; i++) {
        bind(config, &scenario->runs[i], &diags);
    }
    sdsim_config_destroy(config);
    sdsim_diags_free(&diags);
    return 0;
}
