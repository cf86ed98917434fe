#include "run_names.h"

#include <stdio.h>
#include <string.h>

#include "report/run_report.h"

static const struct sdsim_run *find_run(const struct sdsim_scenario *scenario, const char *id)
{
    for (size_t i = 0; i < scenario->count; i++) {
        if (strcmp(sdsim_run_label(&scenario->runs[i]), id) == 0) {
            return &scenario->runs[i];
        }
    }
    return NULL;
}

static void report_unknown(struct sdsim_cli_session *session, const struct sdsim_scenario *scenario,
                           const char *id)
{
    const char *ids[256];
    const size_t count = scenario->count < 256 ? scenario->count : 256;
    char help[1000] = "its runs are:";
    size_t used = strlen(help);
    for (size_t i = 0; i < count; i++) {
        ids[i] = sdsim_run_label(&scenario->runs[i]);
        if (used < sizeof help) {
            used += (size_t)snprintf(help + used, sizeof help - used, "%s %s", i > 0 ? "," : "",
                                     ids[i]);
        }
    }
    const char *closest = id[0] != '\0' ? sdsim_closest(id, ids, count) : NULL;
    if (closest != NULL) {
        snprintf(help, sizeof help, "did you mean '%s'?", closest);
    }
    const struct sdsim_place place = {.file = scenario->path};
    if (id[0] == '\0') {
        sdsim_diag_add(&session->diags, SDSIM_ERROR, &place, NULL, 0, help,
                       "it has several runs: name one");
        return;
    }
    sdsim_diag_add(&session->diags, SDSIM_ERROR, &place, NULL, 0, help, "there is no run '%s'", id);
}

const struct sdsim_run *sdsim_cli_find_run(struct sdsim_cli_session *session,
                                           const struct sdsim_scenario *scenario, const char *id)
{
    const struct sdsim_run *run = find_run(scenario, id);
    if (run == NULL) {
        report_unknown(session, scenario, id);
    }
    return run;
}

/* What fits all runs, or at least those that were named; NULL with messages. */
static const struct sdsim_scenario *load_fitting(struct sdsim_cli_session *session,
                                                 const char *path, const char *const *ids,
                                                 size_t count, const char *const *overrides)
{
    const struct sdsim_scenario *scenario =
        sdsim_scenario_load(session->config, path, overrides, &session->diags);
    if (scenario != NULL || overrides == NULL || overrides[0] == NULL || count == 0) {
        return scenario;
    }
    struct sdsim_diags diags;
    sdsim_diags_init(&diags);
    scenario = sdsim_scenario_load_runs(session->config, path, ids, count, overrides, &diags);
    bool complete = scenario != NULL;
    for (size_t i = 0; complete && i < count; i++) {
        complete = find_run(scenario, ids[i]) != NULL;
    }
    if (complete) { /* what is wrong is wrong with the others */
        sdsim_diags_free(&session->diags);
        sdsim_diags_init(&session->diags);
    }
    sdsim_diags_free(&diags);
    return complete ? scenario : NULL;
}

/* Whether each override does something to one of the runs that were named, or to one of all. */
static bool all_used(struct sdsim_cli_session *session, const struct sdsim_scenario *scenario,
                     const char *const *ids, size_t count, const char *const *overrides,
                     enum sdsim_wanted purpose)
{
    const struct sdsim_run **runs =
        sdsim_config_alloc(session->config, scenario->count + count, sizeof *runs);
    size_t used = 0;
    if (runs == NULL) {
        sdsim_error(&session->diags, NULL, "out of memory");
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        const struct sdsim_run *run = find_run(scenario, ids[i]);
        if (run != NULL) { /* others are told about where they are looked for */
            runs[used++] = run;
        }
    }
    for (size_t i = 0; count == 0 && i < scenario->count; i++) {
        runs[used++] = &scenario->runs[i];
    }
    return sdsim_refuse_idle(runs, used, purpose, overrides, &session->diags);
}

const struct sdsim_scenario *sdsim_cli_load_runs(struct sdsim_cli_session *session,
                                                 const char *path, const char *const *ids,
                                                 size_t count, const char *const *overrides,
                                                 enum sdsim_wanted purpose)
{
    const struct sdsim_scenario *scenario = load_fitting(session, path, ids, count, overrides);
    return scenario != NULL && all_used(session, scenario, ids, count, overrides, purpose)
               ? scenario
               : NULL;
}

const struct sdsim_scenario *sdsim_cli_load_scenario(struct sdsim_cli_session *session,
                                                     const char *path,
                                                     const struct sdsim_arguments *arguments,
                                                     const char *const *overrides,
                                                     enum sdsim_wanted purpose)
{
    const size_t named = arguments->operand_count - 1;
    const char **ids = sdsim_config_alloc(session->config, named + 1, sizeof *ids);
    if (ids == NULL) {
        sdsim_error(&session->diags, NULL, "out of memory");
        return NULL;
    }
    for (size_t i = 0; i < named; i++) {
        ids[i] = arguments->operands[1 + i];
    }
    return sdsim_cli_load_runs(session, path, ids, named, overrides, purpose);
}
