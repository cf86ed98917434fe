#include "setup/setup.h"

#include <stdio.h>
#include <string.h>

#include "setup/check.h"
#include "setup/schemas.h"

/* "scenarios/h1.yaml" -> "h1", in the config's memory. */
static const char *file_stem(struct sdsim_config *config, const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash != NULL ? slash + 1 : path;
    const size_t whole = strlen(name);
    const bool yaml = whole > 5 && strcmp(name + whole - 5, ".yaml") == 0;
    const size_t length = yaml ? whole - 5 : whole;
    char *stem = sdsim_config_alloc(config, length + 1, 1);
    if (stem != NULL) {
        memcpy(stem, name, length);
        stem[length] = '\0';
    }
    return stem;
}

/* How a profile is called: by its file if the reference names one - however it spells the path, for
 * the luck of the draws hangs on it - else by its own `name`. NULL without memory. */
static const char *reference_name(struct sdsim_config *config, const struct sdsim_node *reference,
                                  const struct sdsim_node *resolved)
{
    if (reference->kind == SDSIM_NODE_SCALAR) {
        return file_stem(config, reference->text);
    }
    const char *base = sdsim_node_text(reference, "base");
    if (base != NULL) {
        return file_stem(config, base);
    }
    const char *name = sdsim_node_text(resolved, "name");
    return name != NULL ? name : "(inline)";
}

/* Resolves the reference under `key` of the run. False with a message if it is missing or bad. */
static bool resolve(struct sdsim_config *config, const struct sdsim_node *tree, const char *key,
                    bool required, struct sdsim_node **resolved, const char **name,
                    struct sdsim_diags *diags)
{
    const struct sdsim_node *reference = sdsim_node_get(tree, key);
    if (reference == NULL) {
        if (required) {
            sdsim_node_diag(diags, SDSIM_ERROR, tree,
                            strcmp(key, "card") == 0
                                ? "name one of the profiles that `sdsim list card` shows"
                                : "name a board, or a host and a driver",
                            "the run has no %s", key);
        }
        return !required;
    }
    *resolved = sdsim_config_resolve(config, key, reference, diags);
    if (*resolved == NULL) {
        return false;
    }
    *name = reference_name(config, reference, *resolved);
    if (*name == NULL) {
        sdsim_error(diags, NULL, "out of memory");
        return false;
    }
    return true;
}

/* Lays the board, if there is one, under the run. */
static bool lay_board(struct sdsim_config *config, struct sdsim_run *run, struct sdsim_diags *diags)
{
    struct sdsim_node *board = NULL;
    if (!resolve(config, run->tree, "board", false, &board, &run->board_name, diags)) {
        return false;
    }
    if (board == NULL) {
        return true;
    }
    struct sdsim_run_params check;
    const struct sdsim_draw typical = {0};
    if (!sdsim_bind(config, &sdsim_board_schema, board, run->board_name, &typical, &check, diags)) {
        return false;
    }
    run->tree = sdsim_config_overlay(config, board, run->tree);
    if (run->tree == NULL) {
        sdsim_error(diags, NULL, "out of memory");
    }
    return run->tree != NULL;
}

static bool is_board_override(const char *assignment)
{
    return strncmp(assignment, "board", 5) == 0 && (assignment[5] == '=' || assignment[5] == '.');
}

/* Applies the overrides that change the board, or all others. */
static bool apply(struct sdsim_config *config, struct sdsim_run *run, const char *const *overrides,
                  bool boards, struct sdsim_diags *diags)
{
    size_t count = 0;
    size_t chosen = 0;
    while (overrides != NULL && overrides[count] != NULL) {
        count++;
    }
    const char **list = sdsim_config_alloc(config, count + 1, sizeof *list);
    if (list == NULL) {
        sdsim_error(diags, NULL, "out of memory");
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        if (is_board_override(overrides[i]) == boards) {
            list[chosen++] = overrides[i];
        }
    }
    return sdsim_config_set_all(config, run->tree, list, diags);
}

/* The list `workload.calls` of an item of `runs`, or else of the scenario; NULL if there is none.
 */
static const struct sdsim_node *call_sizes(const struct sdsim_node *scenario,
                                           const struct sdsim_node *item)
{
    const struct sdsim_node *calls = sdsim_node_get(sdsim_node_get(item, "workload"), "calls");
    if (calls == NULL) {
        calls = sdsim_node_get(sdsim_node_get(scenario, "workload"), "calls");
    }
    return calls != NULL && calls->kind == SDSIM_NODE_LIST && calls->count > 0 ? calls : NULL;
}

/* The id of a run: the item's, and the call size if it is one of several. NULL without memory. */
static const char *run_id(struct sdsim_config *config, const struct sdsim_node *item,
                          const char *call)
{
    const char *id = sdsim_node_text(item, "id");
    if (call == NULL) {
        return id != NULL ? id : "";
    }
    const size_t size = (id != NULL ? strlen(id) + 1 : 0) + strlen(call) + 1;
    char *text = sdsim_config_alloc(config, size, 1);
    if (text != NULL) {
        snprintf(text, size, "%s%s%s", id != NULL ? id : "", id != NULL ? "-" : "", call);
    }
    return text;
}

/* Gives a run that is one of several its call size in place of the list. */
static bool set_call(struct sdsim_config *config, struct sdsim_run *run, const char *call,
                     struct sdsim_diags *diags)
{
    for (size_t i = 0; i < run->tree->count; i++) {
        struct sdsim_entry *entry = &run->tree->entries[i];
        if (strcmp(entry->key, "workload") == 0) {
            entry->value = sdsim_config_without(config, entry->value, "calls");
            if (entry->value == NULL) {
                sdsim_error(diags, NULL, "out of memory");
                return false;
            }
        }
    }
    char assignment[128];
    snprintf(assignment, sizeof assignment, "workload.call=%s", call);
    return sdsim_config_set(config, run->tree, assignment, diags);
}

/* How much of a run is checked. */
enum depth {
    DEPTH_VALUES, /* every key and value by itself */
    DEPTH_WHOLE,  /* and whether they go together */
};

static bool check_run(struct sdsim_config *config, const struct sdsim_run *run, enum depth depth,
                      struct sdsim_diags *diags)
{
    struct sdsim_setup setup;
    if (depth == DEPTH_VALUES) {
        return sdsim_setup_bind_values(config, run, 0, &setup, diags);
    }
    return sdsim_setup_bind(config, run, 0, &setup, diags) && sdsim_setup_check(run, &setup, diags);
}

/* One item of `runs` (or the scenario itself, item NULL) becomes a run; `call` is one of several
 * call sizes, or NULL. */
static bool make_run(struct sdsim_config *config, const struct sdsim_node *scenario,
                     const struct sdsim_node *item, const char *call, const char *const *overrides,
                     enum depth depth, struct sdsim_run *run, struct sdsim_diags *diags)
{
    struct sdsim_node *shared = sdsim_config_without(config, scenario, "runs");
    run->tree =
        shared != NULL && item != NULL ? sdsim_config_overlay(config, shared, item) : shared;
    if (run->tree == NULL) {
        sdsim_error(diags, NULL, "out of memory");
        return false;
    }
    run->id = run_id(config, item, call);
    if (run->id == NULL) {
        sdsim_error(diags, NULL, "out of memory");
        return false;
    }
    if (call != NULL && !set_call(config, run, call, diags)) {
        return false;
    }
    /* What is set by hand wins over the board, so a board comes first - unless it is what is set.
     */
    if (!apply(config, run, overrides, true, diags) || !lay_board(config, run, diags) ||
        !apply(config, run, overrides, false, diags)) {
        return false;
    }
    const bool host = resolve(config, run->tree, "host", true, &run->host, &run->host_name, diags);
    const bool driver =
        resolve(config, run->tree, "driver", true, &run->driver, &run->driver_name, diags);
    const bool card = resolve(config, run->tree, "card", true, &run->card, &run->card_name, diags);
    return host && driver && card &&
           sdsim_mixture_resolve(config, run->card, &run->mixture, diags) &&
           check_run(config, run, depth, diags);
}

static bool check_ids(const struct sdsim_node *items, struct sdsim_diags *diags)
{
    bool fine = items->count > 0;
    if (!fine) {
        sdsim_node_diag(diags, SDSIM_ERROR, items, "leave it out: the file is a run by itself then",
                        "a list without runs");
    }
    for (size_t i = 0; i < items->count; i++) {
        const struct sdsim_node *id = sdsim_node_get(items->items[i], "id");
        if (id == NULL || id->kind != SDSIM_NODE_SCALAR) {
            sdsim_node_diag(diags, SDSIM_ERROR, items->items[i],
                            "give each run a short name: id: w4k", "a run without an id");
            fine = false;
            continue;
        }
        for (size_t j = 0; j < i; j++) {
            const char *other = sdsim_node_text(items->items[j], "id");
            if (other != NULL && strcmp(other, id->text) == 0) {
                sdsim_node_diag(diags, SDSIM_ERROR, id, NULL, "two runs are called '%s'", id->text);
                fine = false;
            }
        }
    }
    return fine;
}

static const char *first_source(const struct sdsim_node *tree)
{
    const struct sdsim_node *source = sdsim_node_get(tree, "source");
    if (source != NULL && source->kind == SDSIM_NODE_LIST && source->count > 0) {
        source = source->items[0];
    }
    return source != NULL && source->kind == SDSIM_NODE_SCALAR ? source->text : NULL;
}

/* Which runs of a scenario are wanted: those of these ids, or all. */
struct wanted {
    const char *const *ids;
    size_t count; /* 0: all */
};

static bool is_wanted(const struct wanted *wanted, const char *id)
{
    bool found = wanted->count == 0;
    for (size_t i = 0; i < wanted->count && !found; i++) {
        found = strcmp(wanted->ids[i], id) == 0;
    }
    return found;
}

/* What a tree, NULL if it could not be read, makes: the runs that are wanted. */
static struct sdsim_scenario *scenario_of(struct sdsim_config *config, struct sdsim_node *tree,
                                          const char *path, const struct wanted *wanted,
                                          const char *const *overrides, enum depth depth,
                                          struct sdsim_diags *diags)
{
    if (tree == NULL) {
        return NULL;
    }
    /* The file as it stands, so that each mistake is told once and where it was made. */
    struct sdsim_scenario_params check;
    const struct sdsim_draw typical = {0};
    if (!sdsim_bind(config, &sdsim_scenario_schema, tree, path, &typical, &check, diags)) {
        return NULL;
    }
    const struct sdsim_node *items = sdsim_node_get(tree, "runs");
    if (items != NULL && items->kind == SDSIM_NODE_LIST && !check_ids(items, diags)) {
        return NULL;
    }
    const bool listed = items != NULL && items->kind == SDSIM_NODE_LIST;
    struct sdsim_scenario *scenario = sdsim_config_alloc(config, 1, sizeof *scenario);
    const size_t item_count = listed ? items->count : 1;
    size_t count = 0;
    for (size_t i = 0; i < item_count; i++) {
        const struct sdsim_node *calls = call_sizes(tree, listed ? items->items[i] : NULL);
        count += calls != NULL ? calls->count : 1;
    }
    struct sdsim_run *runs = sdsim_config_alloc(config, count, sizeof *runs);
    const char *stem = file_stem(config, path);
    if (scenario == NULL || runs == NULL || stem == NULL) {
        sdsim_error(diags, NULL, "out of memory");
        return NULL;
    }
    const char *name = sdsim_node_text(tree, "name");
    *scenario = (struct sdsim_scenario){
        .path = path,
        .name = name != NULL ? name : stem,
        .description = sdsim_node_text(tree, "description"),
        .source = first_source(tree),
        .runs = runs,
        .count = count,
    };
    bool fine = true;
    size_t made = 0;
    for (size_t i = 0; i < item_count; i++) {
        const struct sdsim_node *item = listed ? items->items[i] : NULL;
        const struct sdsim_node *calls = call_sizes(tree, item);
        const size_t sizes = calls != NULL ? calls->count : 1;
        for (size_t c = 0; c < sizes; c++) {
            const char *call = calls != NULL ? calls->items[c]->text : NULL;
            const char *id = run_id(config, item, call);
            if (id == NULL) {
                sdsim_error(diags, NULL, "out of memory");
                return NULL;
            }
            if (!is_wanted(wanted, id)) {
                continue;
            }
            runs[made] = (struct sdsim_run){.scenario = stem};
            fine = make_run(config, tree, item, call, overrides, depth, &runs[made], diags) && fine;
            made++;
        }
    }
    scenario->count = made;
    if (fine && wanted->count == 0 &&
        depth == DEPTH_WHOLE) { /* alone, a run leaves keys to the others */
        sdsim_warn_unused_keys(runs, count, diags);
    }
    return fine && made > 0 ? scenario : NULL;
}

static const struct wanted all = {.count = 0};

struct sdsim_scenario *sdsim_scenario_load(struct sdsim_config *config, const char *path,
                                           const char *const *overrides, struct sdsim_diags *diags)
{
    struct sdsim_node *tree = sdsim_config_profile(config, "scenario", path, NULL, diags);
    return scenario_of(config, tree, path, &all, overrides, DEPTH_WHOLE, diags);
}

struct sdsim_scenario *sdsim_scenario_load_runs(struct sdsim_config *config, const char *path,
                                                const char *const *ids, size_t count,
                                                const char *const *overrides,
                                                struct sdsim_diags *diags)
{
    const struct wanted wanted = {.ids = ids, .count = count};
    struct sdsim_node *tree = sdsim_config_profile(config, "scenario", path, NULL, diags);
    return scenario_of(config, tree, path, &wanted, overrides, DEPTH_WHOLE, diags);
}

bool sdsim_scenario_takes(struct sdsim_config *config, const char *path, const char *const *ids,
                          size_t count, const char *const *overrides, struct sdsim_diags *diags)
{
    const struct wanted wanted = {.ids = ids, .count = count};
    struct sdsim_node *tree = sdsim_config_profile(config, "scenario", path, NULL, diags);
    return scenario_of(config, tree, path, &wanted, overrides, DEPTH_VALUES, diags) != NULL;
}

struct sdsim_scenario *sdsim_scenario_of_text(struct sdsim_config *config, const char *name,
                                              const char *text, const char *const *overrides,
                                              struct sdsim_diags *diags)
{
    struct sdsim_node *tree = sdsim_config_parse_text(config, name, text, strlen(text), diags);
    return scenario_of(config, tree, name, &all, overrides, DEPTH_WHOLE, diags);
}
