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
    const struct sdsim_node *values[MOST_VALUES];
    size_t count;
    struct sdsim_fit_count found;
};

/* Whether `path` is under "FOLDER.", but not "FOLDER.NAME" or under it. */
static bool is_of_another(const char *path, const char *folder, const char *name)
{
    const size_t length = strlen(folder);
    if (strncmp(path, folder, length) != 0 || path[length] != '.') {
        return false;
    }
    const char *rest = path + length + 1;
    return name == NULL || strncmp(rest, name, strlen(name)) != 0 ||
           (rest[strlen(name)] != '.' && rest[strlen(name)] != '\0');
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
    if (target != NULL && strcmp(target, "file") != 0) {
        return NULL;
    }
    return api != NULL ? api : sdsim_file_api_name(SDSIM_API_POSIX);
}

/* Whether a value of the host is about USB and the run is not. */
static bool is_idle_usb(const char *path, const struct sdsim_run *run)
{
    const char *target = sdsim_node_text(sdsim_node_get(run->tree, "workload"), "on");
    return is_of_another(path, "usb", NULL) && (target == NULL || strcmp(target, "usb") != 0);
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

/* Passes on what a run uses of one of its profiles. */
struct walk {
    const struct sdsim_run *run;
    enum sdsim_profile_kind kind;
    void (*visit)(void *context, enum sdsim_profile_kind kind, const struct sdsim_value_info *info);
    void *context;
};

bool sdsim_run_uses_host(const struct sdsim_run *run, const char *path)
{
    return !is_of_another(path, "drivers", costs_of(run)) &&
           !is_of_another(path, "clocks", clock_of(run)) &&
           !is_of_another(path, "files", api_of(run)) && !is_idle_usb(path, run);
}

static void pass_on(void *context, const struct sdsim_value_info *info)
{
    const struct walk *walk = context;
    if (walk->kind != SDSIM_PROFILE_HOST || sdsim_run_uses_host(walk->run, info->path)) {
        walk->visit(walk->context, walk->kind, info);
    }
}

void sdsim_run_values(const struct sdsim_run *run,
                      void (*visit)(void *context, enum sdsim_profile_kind kind,
                                    const struct sdsim_value_info *info),
                      void *context)
{
    const struct {
        enum sdsim_profile_kind kind;
        const struct sdsim_schema *schema;
        const struct sdsim_node *tree;
    } profiles[] = {
        {SDSIM_PROFILE_HOST, &sdsim_host_schema, run->host},
        {SDSIM_PROFILE_DRIVER, &sdsim_driver_schema, run->driver},
        {SDSIM_PROFILE_CARD, &sdsim_card_schema, run->card},
    };
    for (size_t i = 0; i < sizeof profiles / sizeof *profiles; i++) {
        struct walk walk = {
            .run = run, .kind = profiles[i].kind, .visit = visit, .context = context};
        sdsim_schema_values(profiles[i].schema, profiles[i].tree, pass_on, &walk);
    }
}

static bool same_place(const struct sdsim_node *a, const struct sdsim_node *b)
{
    return a->line == b->line && a->column == b->column &&
           strcmp(a->source->path, b->source->path) == 0;
}

static void visit(void *context, enum sdsim_profile_kind kind, const struct sdsim_value_info *info)
{
    (void)kind;
    struct fits *fits = context;
    if (info->origin != SDSIM_FROM_FITTED) {
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
        sdsim_run_values(runs[i], visit, &fits);
    }
    return fits.found;
}
