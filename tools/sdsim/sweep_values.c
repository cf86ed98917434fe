#include "sweep_values.h"

#include <stdlib.h>
#include <string.h>

#include "setup/idle.h"

/* Loads that share a configuration: its memory grows with each of them. */
#define LOADS 64u

/* From this length on a message shows only a part of its line (core/diag.h). */
#define LONG_LINE 100u

/* ---- overrides ---- */

static size_t count_of(const char *const *texts)
{
    size_t count = 0;
    while (texts[count] != NULL) {
        count++;
    }
    return count;
}

static char *assignment_of(const char *path, const char *value)
{
    const size_t size = strlen(path) + strlen(value) + 2;
    char *text = malloc(size);
    if (text != NULL) {
        snprintf(text, size, "%s=%s", path, value);
    }
    return text;
}

const char **sdsim_sweep_overrides(const struct sdsim_sweep_plan *plan, const char *const *values)
{
    const struct sdsim_sweep *sweep = plan->sweep;
    const size_t count = count_of(plan->overrides);
    const char **overrides = calloc(count + sweep->axis_count + 1, sizeof *overrides);
    if (overrides == NULL) {
        return NULL;
    }
    memcpy(overrides, plan->overrides, count * sizeof *overrides);
    for (size_t a = 0; a < sweep->axis_count; a++) {
        overrides[count + a] = assignment_of(sweep->axes[a].path, values[a]);
        if (overrides[count + a] == NULL) {
            sdsim_sweep_overrides_free(plan, overrides);
            return NULL;
        }
    }
    return overrides;
}

void sdsim_sweep_overrides_free(const struct sdsim_sweep_plan *plan, const char **overrides)
{
    for (size_t i = count_of(plan->overrides); overrides[i] != NULL; i++) {
        free((char *)overrides[i]); /* only those of the axes are ours */
    }
    free(overrides);
}

/* ---- checking ---- */

struct check {
    const struct sdsim_sweep_plan *plan;
    const char *const *texts;
    struct sdsim_diags *diags;
    struct sdsim_config *config;
    size_t loads;
    const char *values[SDSIM_SWEEP_AXES];            /* one of each axis */
    char ends[SDSIM_SWEEP_AXES][2][SDSIM_VARY_SIZE]; /* of those that are ranges */
};

static bool is_range(const struct sdsim_vary *axis)
{
    return axis->to > 0;
}

/* Values of an axis that are looked at. */
static size_t looked_at(const struct sdsim_vary *axis)
{
    return is_range(axis) ? 2 : axis->count;
}

static const char *value_of(struct check *check, size_t a, size_t i)
{
    const struct sdsim_vary *axis = &check->plan->sweep->axes[a];
    if (!is_range(axis)) {
        return axis->values[i];
    }
    if (axis->count > 0) {
        return axis->values[i == 0 ? 0 : axis->count - 1];
    }
    return sdsim_vary_end(axis, i > 0, check->ends[a][i > 0]);
}

/* Where value i stands in the axis as it was given, from 0; a range is one place. */
static size_t offset_of(const struct sdsim_vary *axis, size_t i)
{
    size_t offset = strlen(axis->path) + 1;
    for (size_t v = 0; v < i && !is_range(axis); v++) {
        offset += strlen(axis->values[v]) + 1;
    }
    return offset;
}

/* Tells a message about "PATH=VALUE" as one about the axis that made it. */
static void tell(struct check *check, size_t a, size_t i, const struct sdsim_diag *diag)
{
    const struct sdsim_vary *axis = &check->plan->sweep->axes[a];
    const size_t key = strlen(axis->path) + 1;
    const char *text = check->texts[a];
    const bool of_key = diag->column <= key;
    const struct sdsim_place place = {
        .file = "--vary",
        .line = 1,
        .column = of_key ? diag->column : (uint32_t)(offset_of(axis, i) + diag->column - key),
        .length = of_key || !is_range(axis) ? diag->length : (uint32_t)(strlen(text) - key),
    };
    sdsim_diag_add(check->diags, SDSIM_ERROR, &place, text, strlen(text), diag->help, "%s",
                   diag->text);
}

/* Whether a message points into "PATH=VALUE" of an axis. Of a long one it shows a part. */
static bool is_about(const struct sdsim_diag *diag, const char *assignment)
{
    if (diag->severity != SDSIM_ERROR || diag->file == NULL || strcmp(diag->file, "--set") != 0 ||
        diag->source_line == NULL) {
        return false;
    }
    return strlen(assignment) < LONG_LINE ? strcmp(diag->source_line, assignment) == 0
                                          : strstr(assignment, diag->source_line) != NULL;
}

static bool no_memory(struct check *check)
{
    sdsim_error(check->diags, NULL, "out of memory");
    return false;
}

/* A configuration that few loads have used. */
static bool renew(struct check *check)
{
    if (check->config != NULL && check->loads++ < LOADS) {
        return true;
    }
    if (check->config != NULL) {
        sdsim_config_destroy(check->config);
    }
    check->loads = 0;
    check->config = sdsim_config_create(check->plan->data_dir);
    return check->config != NULL || no_memory(check);
}

/* Looks at value i of an axis, with the first of the others. */
static bool check_value(struct check *check, size_t a, size_t i)
{
    const struct sdsim_sweep_plan *plan = check->plan;
    struct sdsim_diags diags;
    const char *const first = check->values[a];
    check->values[a] = value_of(check, a, i);
    const char **overrides = renew(check) ? sdsim_sweep_overrides(plan, check->values) : NULL;
    check->values[a] = first;
    if (overrides == NULL) {
        return no_memory(check);
    }
    sdsim_diags_init(&diags);
    (void)sdsim_scenario_takes(check->config, plan->path, plan->runs, plan->run_count, overrides,
                               &diags);
    const char *assignment = overrides[count_of(plan->overrides) + a];
    for (size_t d = 0; d < diags.count; d++) {
        if (is_about(&diags.items[d], assignment)) {
            tell(check, a, i, &diags.items[d]);
        }
    }
    sdsim_diags_free(&diags);
    sdsim_sweep_overrides_free(plan, overrides);
    return true;
}

/* Whether values of an axis decide what other keys mean. */
static bool is_selector(const struct sdsim_vary *axis)
{
    static const char *const paths[] = {"workload.do", "workload.on", "workload.timed", "file.api",
                                        "driver",      "board",       "host",           "bus"};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        if (strcmp(axis->path, paths[i]) == 0) {
            return true;
        }
    }
    return false;
}

/* Refuses axes that no run takes notice of: all their points would be alike. Beside an axis that decides
 * what others mean, that is left to the user. */
static bool refuse_idle(struct check *check)
{
    const struct sdsim_sweep_plan *plan = check->plan;
    const struct sdsim_sweep *sweep = plan->sweep;
    struct sdsim_diags unheard;
    size_t selectors = 0;
    for (size_t a = 0; a < sweep->axis_count; a++) {
        selectors += is_selector(&sweep->axes[a]);
    }
    if (!renew(check)) {
        return false;
    }
    sdsim_diags_init(&unheard); /* what the values do together is told row by row */
    const struct sdsim_scenario *scenario = sdsim_scenario_load_runs(
        check->config, plan->path, plan->runs, plan->run_count, plan->overrides, &unheard);
    sdsim_diags_free(&unheard);
    const size_t count = scenario != NULL ? scenario->count : 0;
    const struct sdsim_run **runs = calloc(count + 1, sizeof *runs);
    if (runs == NULL) {
        return no_memory(check);
    }
    for (size_t i = 0; i < count; i++) {
        runs[i] = &scenario->runs[i];
    }
    for (size_t a = 0; a < sweep->axis_count; a++) {
        char why[200];
        char help[200];
        const char *path = sweep->axes[a].path;
        const bool others = selectors > is_selector(&sweep->axes[a]);
        if (!others && sdsim_change_is_idle(runs, count, SDSIM_FOR_PREDICTIONS, path, why,
                                            sizeof why, help, sizeof help)) {
            const struct sdsim_place place = {
                .file = "--vary", .line = 1, .column = 1, .length = (uint32_t)strlen(path)};
            sdsim_diag_add(check->diags, SDSIM_ERROR, &place, check->texts[a],
                           strlen(check->texts[a]), help, "%s changes nothing: %s", path, why);
        }
    }
    free(runs);
    return true;
}

bool sdsim_sweep_values_fit(const struct sdsim_sweep_plan *plan, const char *const *texts,
                            struct sdsim_diags *diags)
{
    const struct sdsim_sweep *sweep = plan->sweep;
    struct check check = {.plan = plan, .texts = texts, .diags = diags};
    const size_t errors = diags->errors;
    for (size_t a = 0; a < sweep->axis_count; a++) {
        check.values[a] = value_of(&check, a, 0);
    }
    bool fine = true;
    for (size_t a = 0; a < sweep->axis_count && fine; a++) {
        const size_t count = looked_at(&sweep->axes[a]);
        for (size_t i = 0; i < count && fine; i++) {
            fine = check_value(&check, a, i);
        }
    }
    fine = fine && diags->errors == errors && refuse_idle(&check);
    if (check.config != NULL) {
        sdsim_config_destroy(check.config);
    }
    return fine && diags->errors == errors;
}
