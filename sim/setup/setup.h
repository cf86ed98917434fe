/*
 * From files to runs: loads a scenario, lays its runs out, binds each to plain parameters for one
 * draw, and tells what a user should know before believing the numbers.
 *
 * A scenario file holds the keys of a run and a list `runs`; each item of that list is laid over
 * the rest of the file and is one run, one row of a comparison. A run names a card and either a
 * board or a host and a driver; a board is a bundle of those keys, laid under the run's own.
 *
 * `draw` 0 takes the typical values, others are drawn from the values' ranges (config/schema.h).
 */
#ifndef SDSIM_SETUP_SETUP_H
#define SDSIM_SETUP_SETUP_H

#include "card/profile.h"
#include "setup/params.h"

/* One run, loaded and checked, but not yet bound to a draw. Owned by the struct sdsim_scenario. */
struct sdsim_run {
    const char *scenario;    /* file name without folder and .yaml */
    const char *id;          /* of the run; "" if the scenario has only one without id */
    struct sdsim_node *tree; /* board, scenario and run merged */
    struct sdsim_node *host; /* the profiles, resolved */
    struct sdsim_node *driver;
    struct sdsim_node *card;
    const char *host_name;
    const char *driver_name;
    const char *card_name;
    const char *board_name;              /* NULL if none */
    const struct sdsim_mixture *mixture; /* of cards it may be; NULL: it is one card */
};

struct sdsim_scenario {
    const char *path;
    const char *name;        /* its `name`, or the file's */
    const char *description; /* or NULL */
    const char *source;      /* or NULL; the first, if there are several */
    struct sdsim_run *runs;
    size_t count;
};

/*
 * Loads a scenario file with `overrides` ("path=value", NULL-terminated list or NULL) applied to
 * each run, and checks everything that can be checked: all errors go to `diags`. NULL if there was
 * any. The result belongs to `config`.
 */
struct sdsim_scenario *sdsim_scenario_load(struct sdsim_config *config, const char *path,
                                           const char *const *overrides, struct sdsim_diags *diags);

/* The same with only the runs of these ids in it, in the scenario's order ("" for one without an id;
 * count 0: all); the overrides need not fit the others. NULL without a message if there is no such
 * run. */
struct sdsim_scenario *sdsim_scenario_load_runs(struct sdsim_config *config, const char *path,
                                                const char *const *ids, size_t count,
                                                const char *const *overrides,
                                                struct sdsim_diags *diags);

/* Whether every override is a key there is and a value it may have, by itself: they need not go
 * together, as a driver and a bus it can't work. In the runs of these ids, count 0: in all. False
 * with messages, or without if there is no such run. */
bool sdsim_scenario_takes(struct sdsim_config *config, const char *path, const char *const *ids,
                          size_t count, const char *const *overrides, struct sdsim_diags *diags);

/* The same as sdsim_scenario_load of a text; `name` stands for its path. */
struct sdsim_scenario *sdsim_scenario_of_text(struct sdsim_config *config, const char *name,
                                              const char *text, const char *const *overrides,
                                              struct sdsim_diags *diags);

/* All parameters of one run for one draw. */
struct sdsim_setup {
    struct sdsim_run_params run;
    struct sdsim_host_params host;
    struct sdsim_driver_profile driver;
    struct sdsim_card_params card;
    struct sdsim_driver_costs costs; /* of the driver on this host */
    struct sdsim_driver_clocks clocks;
    uint64_t asked_hz; /* the clock asked for, before the driver's cap */
    uint32_t draw;
};

/* Binds a run to draw k and works out what follows. False, with messages, if that can't be. */
bool sdsim_setup_bind(struct sdsim_config *config, const struct sdsim_run *run, uint32_t k,
                      struct sdsim_setup *setup, struct sdsim_diags *diags);

/* Only what stands in the files: nothing that follows from it, and nothing is held against another.
 * False, with messages, if a key or a value is not one. */
bool sdsim_setup_bind_values(struct sdsim_config *config, const struct sdsim_run *run, uint32_t k,
                             struct sdsim_setup *setup, struct sdsim_diags *diags);

/* Binds draws 0..draws into `setups`, draws + 1 of them: the same as sdsim_setup_bind() for each, at
 * little more than the cost of one. */
bool sdsim_setup_bind_draws(struct sdsim_config *config, const struct sdsim_run *run,
                            uint32_t draws, struct sdsim_setup *setups, struct sdsim_diags *diags);

/* Checks what is fine value by value but not together (setup/check.c); loading does that already.
 * `setup` is draw 0. */
bool sdsim_setup_check(const struct sdsim_run *run, const struct sdsim_setup *setup,
                       struct sdsim_diags *diags);

/* The name under which the host's profile has the costs of a run's driver. */
const char *sdsim_run_costs(const struct sdsim_run *run, const struct sdsim_driver_class *class);

/* The clock on the wire, and why it is not the one asked for, in one line. Returns out. */
char *sdsim_setup_explain_clock(const struct sdsim_setup *setup, char *out, size_t size);

/*
 * Warnings about a set-up that works in the simulator but not, or badly, on the bench; each with
 * the mend. See setup/lint.c for the list. Errors are not its business.
 */
void sdsim_setup_lint(const struct sdsim_run *run, const struct sdsim_setup *setup,
                      struct sdsim_diags *diags);

/* The same for a replay, which has the hardware of a run but not its workload. */
void sdsim_setup_lint_replay(const struct sdsim_run *run, const struct sdsim_setup *setup,
                             struct sdsim_diags *diags);

enum sdsim_profile_kind {
    SDSIM_PROFILE_HOST,
    SDSIM_PROFILE_DRIVER,
    SDSIM_PROFILE_CARD,
};

/* Calls `visit` for each profile value a run uses: all of its card and driver, and of its host those
 * of its driver, clock generator and file API. */
void sdsim_run_values(const struct sdsim_run *run,
                      void (*visit)(void *context, enum sdsim_profile_kind kind,
                                    const struct sdsim_value_info *info),
                      void *context);

/* Whether a run uses this value of its host ("drivers.sdfat.call"); of a path that stops at a driver, a
 * clock generator or a file API: whether it is the run's. */
bool sdsim_run_uses_host(const struct sdsim_run *run, const char *path);

/* How many different profile values a set of runs uses that were fitted. */
struct sdsim_fit_count {
    size_t headline; /* fitted to the headline scenarios */
    size_t other;    /* fitted to other data */
};
struct sdsim_fit_count sdsim_fitted_values(const struct sdsim_run *const *runs, size_t count);

#endif
