/*
 * How many numbers were adjusted until the predictions fitted: the honest footnote to a comparison.
 *
 * A value counts once however many runs use it; it is known again by where it is written. A run
 * uses all values of its card and driver, and of its host those of its own driver, clock generator
 * and file API.
 *
 * Limits: up to 1024 different values; a value that was overridden (--set) has no origin any more.
 */
#include <string.h>

#include "driver/driver.h"
#include "setup/schemas.h"
#include "setup/setup.h"

#define MOST_VALUES 1024

struct fits {
    const struct sdsim_run *run; /* whose profile is being looked at */
    bool host;                   /* it is the host's */
    const struct sdsim_node *values[MOST_VALUES];
    size_t count;
    struct sdsim_fit_count found;
};

/* Whether `path` is under "FOLDER.", but not under "FOLDER.NAME.". */
static bool is_of_another(const char *path, const char *folder, const char *name)
{
    const size_t length = strlen(folder);
    if (strncmp(path, folder, length) != 0 || path[length] != '.') {
        return false;
    }
    const char *rest = path + length + 1;
    return name == NULL || strncmp(rest, name, strlen(name)) != 0 || rest[strlen(name)] != '.';
}

/* Which of the host's clock generators the driver uses: its own, or "spi" if there is none. */
static const char *clock_of(const struct sdsim_run *run)
{
    const char *own = sdsim_node_text(run->driver, "clock");
    const struct sdsim_node *clocks = sdsim_node_get(run->host, "clocks");
    return own != NULL && sdsim_node_get(clocks, own) != NULL ? own : "spi";
}

/* The file API of a run; NULL if it works on raw sectors. */
static const char *api_of(const struct sdsim_run *run)
{
    const char *target = sdsim_node_text(sdsim_node_get(run->tree, "workload"), "on");
    const char *api = sdsim_node_text(sdsim_node_get(run->tree, "file"), "api");
    if (target != NULL && strcmp(target, "raw") == 0) {
        return NULL;
    }
    return api != NULL ? api : sdsim_file_api_name(SDSIM_API_POSIX);
}

/* Under which name the host has the costs of the run's driver. */
static const char *costs_of(const struct sdsim_run *run)
{
    const char *name = sdsim_node_text(run->driver, "code");
    for (int code = 0; name != NULL && code < SDSIM_DRIVER_COUNT; code++) {
        const struct sdsim_driver_class *class = sdsim_driver_class((enum sdsim_driver_code)code);
        if (strcmp(class->name, name) == 0) {
            return sdsim_run_costs(run, class);
        }
    }
    return name;
}

static bool is_used(const struct fits *fits, const char *path)
{
    const struct sdsim_run *run = fits->run;
    return !fits->host || (!is_of_another(path, "drivers", costs_of(run)) &&
                           !is_of_another(path, "clocks", clock_of(run)) &&
                           !is_of_another(path, "files", api_of(run)));
}

static bool same_place(const struct sdsim_node *a, const struct sdsim_node *b)
{
    return a->line == b->line && a->column == b->column &&
           strcmp(a->source->path, b->source->path) == 0;
}

static void visit(void *context, const struct sdsim_value_info *info)
{
    struct fits *fits = context;
    if (info->origin != SDSIM_FROM_FITTED || !is_used(fits, info->path)) {
        return;
    }
    for (size_t i = 0; i < fits->count; i++) {
        if (same_place(fits->values[i], info->node)) {
            return;
        }
    }
    if (fits->count < MOST_VALUES) {
        fits->values[fits->count++] = info->node;
    }
    if (info->fit_headline) {
        fits->found.headline++;
    } else {
        fits->found.other++;
    }
}

struct sdsim_fit_count sdsim_fitted_values(const struct sdsim_run *const *runs, size_t count)
{
    struct fits fits = {.count = 0};
    for (size_t i = 0; i < count; i++) {
        fits.run = runs[i];
        fits.host = true;
        sdsim_schema_values(&sdsim_host_schema, runs[i]->host, visit, &fits);
        fits.host = false;
        sdsim_schema_values(&sdsim_driver_schema, runs[i]->driver, visit, &fits);
        sdsim_schema_values(&sdsim_card_schema, runs[i]->card, visit, &fits);
    }
    return fits.found;
}
