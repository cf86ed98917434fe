#include "setup/setup.h"

#include <string.h>

#include "core/units.h"
#include "setup/clocks.h"
#include "setup/schemas.h"

/* ---- loading ---- */

/* "scenarios/h1.yaml" -> "h1", in the config's memory. */
static const char *file_stem(struct sdsim_config *config, const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash != NULL ? slash + 1 : path;
    const char *dot = strrchr(name, '.');
    const size_t length = dot != NULL ? (size_t)(dot - name) : strlen(name);
    char *stem = sdsim_config_alloc(config, length + 1, 1);
    if (stem != NULL) {
        memcpy(stem, name, length);
        stem[length] = '\0';
    }
    return stem;
}

/* How a profile is called: its name if the reference names one, else its own `name`. */
static const char *reference_name(const struct sdsim_node *reference,
                                  const struct sdsim_node *resolved)
{
    if (reference->kind == SDSIM_NODE_SCALAR) {
        return reference->text;
    }
    const char *base = sdsim_node_text(reference, "base");
    const char *name = base != NULL ? base : sdsim_node_text(resolved, "name");
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
    *name = reference_name(reference, *resolved);
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
    bool fine = true;
    for (size_t i = 0; overrides != NULL && overrides[i] != NULL; i++) {
        if (is_board_override(overrides[i]) == boards) {
            fine = sdsim_config_set(config, run->tree, overrides[i], diags) && fine;
        }
    }
    return fine;
}

/* One item of `runs` (or the scenario itself, item NULL) becomes a run. */
static bool make_run(struct sdsim_config *config, const struct sdsim_node *scenario,
                     const struct sdsim_node *item, const char *const *overrides,
                     struct sdsim_run *run, struct sdsim_diags *diags)
{
    struct sdsim_node *shared = sdsim_config_without(config, scenario, "runs");
    run->tree =
        shared != NULL && item != NULL ? sdsim_config_overlay(config, shared, item) : shared;
    if (run->tree == NULL) {
        sdsim_error(diags, NULL, "out of memory");
        return false;
    }
    const char *id = sdsim_node_text(item, "id");
    run->id = id != NULL ? id : "";
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
    struct sdsim_setup setup;
    return host && driver && card && sdsim_setup_bind(config, run, 0, &setup, diags);
}

static bool check_ids(const struct sdsim_node *items, struct sdsim_diags *diags)
{
    bool fine = true;
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

struct sdsim_scenario *sdsim_scenario_load(struct sdsim_config *config, const char *path,
                                           const char *const *overrides, struct sdsim_diags *diags)
{
    struct sdsim_node *tree = sdsim_config_profile(config, "scenario", path, NULL, diags);
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
    const size_t count = listed ? items->count : 1;
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
    for (size_t i = 0; i < count; i++) {
        runs[i] = (struct sdsim_run){.scenario = stem};
        const struct sdsim_node *item = listed ? items->items[i] : items;
        fine = make_run(config, tree, item, overrides, &runs[i], diags) && fine;
    }
    return fine ? scenario : NULL;
}

/* ---- binding ---- */

static const struct sdsim_driver_class *driver_class(const struct sdsim_setup *setup)
{
    return sdsim_driver_class((enum sdsim_driver_code)setup->driver.params.code);
}

static bool choose_bus(const struct sdsim_run *run, struct sdsim_setup *setup,
                       struct sdsim_diags *diags)
{
    const struct sdsim_driver_class *class = driver_class(setup);
    if (!setup->run.bus_given) {
        setup->run.bus = class->spi ? SDSIM_BUS_SPI : SDSIM_BUS_SD4;
    }
    if (setup->run.bus == SDSIM_BUS_SPI ? class->spi : class->sd) {
        return true;
    }
    sdsim_node_diag(diags, SDSIM_ERROR, sdsim_node_get(run->tree, "bus"),
                    class->spi ? "bus: spi, or another driver"
                               : "bus: sd1 or sd4, or another driver",
                    "the driver %s can't work this bus", class->name);
    return false;
}

static bool choose_clocks(const struct sdsim_run *run, struct sdsim_setup *setup,
                          struct sdsim_diags *diags)
{
    const bool has_own = setup->host.clocks[setup->driver.clock].given;
    const bool has_spi = setup->driver.clock != SDSIM_HOST_CLOCK_SDMMC &&
                         setup->host.clocks[SDSIM_HOST_CLOCK_SPI].given;
    if (!has_own && !has_spi) {
        sdsim_node_diag(diags, SDSIM_ERROR, sdsim_node_get(run->tree, "driver"), NULL,
                        "the host %s has no clock generator for the driver %s", run->host_name,
                        run->driver_name);
        return false;
    }
    setup->asked_hz = setup->run.clock_hz > 0 ? setup->run.clock_hz : setup->driver.default_hz;
    const struct sdsim_clock_source source = sdsim_setup_clock_source(setup);
    struct sdsim_clock_choice init;
    struct sdsim_clock_choice full;
    if (!sdsim_clock_choose(&source, setup->driver.init_hz, &init) ||
        !sdsim_clock_choose(&source, sdsim_setup_request(setup), &full)) {
        const struct sdsim_node *clock = sdsim_node_get(run->tree, "clock");
        sdsim_node_diag(diags, SDSIM_ERROR, clock != NULL ? clock : run->tree,
                        "ask for a faster clock", "the host %s can't make a clock that slow",
                        run->host_name);
        return false;
    }
    setup->clocks = (struct sdsim_driver_clocks){
        .init_num = init.hz_num, .init_den = init.hz_den, .num = full.hz_num, .den = full.hz_den};
    return true;
}

static bool check_workload(const struct sdsim_run *run, const struct sdsim_setup *setup,
                           struct sdsim_diags *diags)
{
    const struct sdsim_workload_params *workload = &setup->run.workload;
    const struct sdsim_node *node = sdsim_node_get(run->tree, "workload");
    if (node == NULL) {
        sdsim_node_diag(diags, SDSIM_ERROR, run->tree,
                        "say what is done: workload: {do: write, call: 4KiB, total: 1MiB}",
                        "the run has no workload");
        return false;
    }
    if (workload->target == SDSIM_ON_FILE) {
        if (setup->run.filesystem.type == SDSIM_VOLUME_NONE) {
            sdsim_node_diag(diags, SDSIM_ERROR, node, "choose a file system, or on: raw",
                            "a file needs a file system");
            return false;
        }
        return true;
    }
    if (workload->action == SDSIM_DO_LOG) {
        sdsim_node_diag(diags, SDSIM_ERROR, node, "on: file", "lines go to a file");
        return false;
    }
    if (workload->call % SDSIM_SECTOR != 0 || workload->start % SDSIM_SECTOR != 0) {
        sdsim_node_diag(diags, SDSIM_ERROR, node, "use multiples of 512B",
                        "raw calls move whole sectors");
        return false;
    }
    return true;
}

/* What a run of this workload is measured in. */
static enum sdsim_unit measured_unit(enum sdsim_action action)
{
    if (sdsim_workload_is_latency(action)) {
        return SDSIM_UNIT_TIME;
    }
    return action == SDSIM_DO_LOG ? SDSIM_UNIT_PER_SECOND : SDSIM_UNIT_RATE;
}

static bool check_measured(const struct sdsim_run *run, const struct sdsim_setup *setup,
                           struct sdsim_diags *diags)
{
    const struct sdsim_quantity *measured = &setup->run.measured;
    const enum sdsim_unit unit = measured_unit((enum sdsim_action)setup->run.workload.action);
    if (!measured->given || measured->unit == (int)unit) {
        return true;
    }
    sdsim_node_diag(diags, SDSIM_ERROR, sdsim_node_get(run->tree, "measured"), NULL,
                    "this workload is measured as %s", sdsim_unit_expected(unit));
    return false;
}

static bool check_fit(const struct sdsim_run *run, struct sdsim_setup *setup,
                      struct sdsim_diags *diags)
{
    uint64_t *const page = &setup->card.flash.page_bytes;
    if (setup->draw > 0) {
        *page = *page / SDSIM_SECTOR * SDSIM_SECTOR; /* drawn from a range, so any number */
    } else if (*page % SDSIM_SECTOR != 0) {
        sdsim_node_diag(diags, SDSIM_ERROR, sdsim_node_get(run->card, "page"), NULL,
                        "a page group is a multiple of 512B");
        return false;
    }
    /* The thin layers over SDMMC cost what it costs, unless the host says otherwise. */
    struct sdsim_host_driver_params *const costs = &setup->host.drivers[setup->driver.params.code];
    if (!costs->given && driver_class(setup)->sd) {
        *costs = setup->host.drivers[SDSIM_DRIVER_IDF_SDMMC];
    }
    if (!costs->given) {
        sdsim_node_diag(diags, SDSIM_ERROR, sdsim_node_get(run->tree, "driver"),
                        "add an entry under `drivers` of the host's profile",
                        "the host %s has no costs for the driver %s", run->host_name,
                        driver_class(setup)->name);
        return false;
    }
    setup->run.file.costs = setup->host.files[setup->run.file.api];
    return choose_bus(run, setup, diags) && choose_clocks(run, setup, diags) &&
           check_workload(run, setup, diags) && check_measured(run, setup, diags);
}

bool sdsim_setup_bind(struct sdsim_config *config, const struct sdsim_run *run, uint32_t k,
                      struct sdsim_setup *setup, struct sdsim_diags *diags)
{
    *setup = (struct sdsim_setup){.draw = k};
    struct sdsim_draw draw = {.k = k};
    if (!sdsim_bind(config, &sdsim_run_schema, run->tree, run->scenario, &draw, &setup->run,
                    diags)) {
        return false;
    }
    draw.seed = setup->run.seed;
    const bool host = sdsim_bind(config, &sdsim_host_schema, run->host, run->host_name, &draw,
                                 &setup->host, diags);
    const bool driver = sdsim_bind(config, &sdsim_driver_schema, run->driver, run->driver_name,
                                   &draw, &setup->driver, diags);
    const bool card = sdsim_bind(config, &sdsim_card_schema, run->card, run->card_name, &draw,
                                 &setup->card, diags);
    return host && driver && card && check_fit(run, setup, diags);
}
