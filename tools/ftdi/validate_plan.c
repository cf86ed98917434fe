#include "validate_plan.h"

#include <stdio.h>
#include <string.h>

#include "config/tree.h"
#include "setup/setup.h"

/* The run of that id, or the first. */
static const struct sdsim_run *find_run(const struct sdsim_scenario *scenario, const char *id)
{
    if (id == NULL) {
        return &scenario->runs[0];
    }
    for (size_t i = 0; i < scenario->count; i++) {
        if (strcmp(scenario->runs[i].id, id) == 0) {
            return &scenario->runs[i];
        }
    }
    fprintf(stderr, "error: %s has no run '%s'\nhelp: its runs:", scenario->path, id);
    for (size_t i = 0; i < scenario->count; i++) {
        fprintf(stderr, " %s", scenario->runs[i].id);
    }
    fputc('\n', stderr);
    return NULL;
}

static void take_setup(struct sdsim_validate_plan *plan, const struct sdsim_run *run,
                       const struct sdsim_setup *setup)
{
    const struct sdsim_driver_class *class =
        sdsim_driver_class((enum sdsim_driver_code)setup->driver.params.code);
    plan->card = setup->card;
    plan->driver = setup->driver.params;
    plan->other_driver = !class->spi;
    plan->driver_name = run->driver_name;
    if (plan->other_driver) {
        plan->driver = (struct sdsim_driver_params){.code = SDSIM_DRIVER_GENERIC_SPI};
        plan->driver_name = "generic-spi";
    }
    plan->asked_hz = setup->asked_hz;
    plan->num = setup->clocks.num;
    plan->den = setup->clocks.den;
    plan->card_name = run->card_name;
    snprintf(plan->name, sizeof plan->name, "%.100s%s%.50s", run->scenario,
             run->id[0] != '\0' ? ", run " : "", run->id);
}

static bool load(const struct sdsim_validate_source *source, struct sdsim_validate_plan *plan,
                 struct sdsim_diags *diags)
{
    char card[600];
    const char *overrides[] = {NULL, NULL};
    struct sdsim_setup setup;
    if (source->card != NULL) {
        snprintf(card, sizeof card, "card=%s", source->card);
        overrides[0] = card;
    }
    plan->config = sdsim_config_create(source->data_dir);
    if (plan->config == NULL) {
        fputs("error: out of memory\n", stderr);
        return false;
    }
    const struct sdsim_scenario *scenario =
        sdsim_scenario_load(plan->config, source->scenario, overrides, diags);
    const struct sdsim_run *run = scenario != NULL ? find_run(scenario, source->run) : NULL;
    if (run == NULL || !sdsim_setup_bind(plan->config, run, 0, &setup, diags)) {
        return false;
    }
    take_setup(plan, run, &setup);
    if (!sdsim_block_ops_of(&setup, source->most_bytes / 512, &plan->ops)) {
        fprintf(stderr, "error: %s: %s\n", plan->name, plan->ops.error);
        return false;
    }
    return true;
}

bool sdsim_validate_plan_load(const struct sdsim_validate_source *source,
                              struct sdsim_validate_plan *plan)
{
    struct sdsim_diags diags;
    *plan = (struct sdsim_validate_plan){0};
    sdsim_diags_init(&diags);
    const bool fine = load(source, plan, &diags);
    if (!fine) { /* warnings are check's business */
        sdsim_diags_print(&diags, stderr);
    }
    sdsim_diags_free(&diags);
    return fine;
}

void sdsim_validate_plan_free(struct sdsim_validate_plan *plan)
{
    sdsim_block_ops_free(&plan->ops);
    if (plan->config != NULL) {
        sdsim_config_destroy(plan->config);
        plan->config = NULL;
    }
}
