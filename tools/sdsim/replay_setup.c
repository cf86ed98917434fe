#include "replay_setup.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "run_names.h"

/* A run without a board, for the overrides to complete; its workload never runs. */
static const char files_text[] = "kind: scenario\n"
                                 "workload: {do: write, on: file, total: 64KiB, call: 64KiB}\n";
static const char raw_text[] = "kind: scenario\n"
                               "workload: {do: write, on: raw, total: 64KiB, call: 64KiB}\n";

enum { MOST_OVERRIDES = 64 };

/* "path=value", one after the other, NULL behind the last. */
struct overrides {
    const char *items[MOST_OVERRIDES + 1];
    size_t count;
    bool failed;
};

static void add_text(struct overrides *overrides, const char *assignment)
{
    if (overrides->count < MOST_OVERRIDES) {
        overrides->items[overrides->count++] = assignment;
    } else {
        overrides->failed = true;
    }
}

/* Adds path=value if there is a value. */
static void add(struct sdsim_cli_session *session, struct overrides *overrides, const char *path,
                const char *value)
{
    if (value == NULL) {
        return;
    }
    const size_t size = strlen(path) + strlen(value) + 2;
    char *text = sdsim_config_alloc(session->config, size, 1);
    if (text == NULL) {
        overrides->failed = true;
        return;
    }
    snprintf(text, size, "%s=%s", path, value);
    add_text(overrides, text);
}

/* What the trace says of the hardware, as far as the user says nothing of it. */
static void add_headers(struct sdsim_cli_session *session, struct overrides *overrides,
                        const struct sdsim_arguments *arguments,
                        const struct sdsim_trace_info *info)
{
    const char *const *values = arguments->values;
    const char *board = sdsim_trace_header(info, "board");
    const bool own_board = values[SDSIM_OPTION_BOARD] != NULL || values[SDSIM_OPTION_HOST] != NULL;
    if (!own_board) {
        if (board != NULL) {
            add(session, overrides, "board", board);
        } else {
            add(session, overrides, "host", sdsim_trace_header(info, "host"));
            if (values[SDSIM_OPTION_DRIVER] == NULL) {
                add(session, overrides, "driver", sdsim_trace_header(info, "driver"));
            }
        }
        if (values[SDSIM_OPTION_BUS] == NULL) {
            add(session, overrides, "bus", sdsim_trace_header(info, "bus"));
        }
        if (values[SDSIM_OPTION_CLOCK] == NULL) {
            add(session, overrides, "clock", sdsim_trace_header(info, "clock"));
        }
    }
    if (values[SDSIM_OPTION_REPLAY_CARD] == NULL) {
        add(session, overrides, "card", sdsim_trace_header(info, "card"));
    }
}

static void add_options(struct sdsim_cli_session *session, struct overrides *overrides,
                        const struct sdsim_arguments *arguments)
{
    static const struct {
        enum sdsim_option_id option;
        const char *path;
    } paths[] = {
        {SDSIM_OPTION_BOARD, "board"},
        {SDSIM_OPTION_HOST, "host"},
        {SDSIM_OPTION_DRIVER, "driver"},
        {SDSIM_OPTION_REPLAY_CARD, "card"},
        {SDSIM_OPTION_CLOCK, "clock"},
        {SDSIM_OPTION_BUS, "bus"},
        {SDSIM_OPTION_FILESYSTEM, "filesystem.type"},
        {SDSIM_OPTION_API, "file.api"},
    };
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        add(session, overrides, paths[i].path, arguments->values[paths[i].option]);
    }
    for (size_t i = 0; arguments->overrides[i] != NULL; i++) {
        add_text(overrides, arguments->overrides[i]);
    }
}

static bool has_override(const struct overrides *overrides, const char *path)
{
    const size_t length = strlen(path);
    for (size_t i = 0; i < overrides->count; i++) {
        if (strncmp(overrides->items[i], path, length) == 0 && overrides->items[i][length] == '=') {
            return true;
        }
    }
    return false;
}

static const struct sdsim_run *run_of(struct sdsim_cli_session *session, const char *name,
                                      const char *id, const char *const *overrides,
                                      enum sdsim_wanted purpose)
{
    const char *path = sdsim_cli_find(session, "scenario", name);
    const struct sdsim_scenario *scenario =
        path != NULL ? sdsim_cli_load_runs(session, path, &id, id != NULL, overrides, purpose)
                     : NULL;
    if (scenario == NULL) {
        return NULL;
    }
    if (id == NULL && scenario->count == 1) {
        return &scenario->runs[0];
    }
    return sdsim_cli_find_run(session, scenario, id != NULL ? id : "");
}

/* Whether the scenario a trace names is still there. */
static bool is_there(struct sdsim_cli_session *session, const char *name)
{
    struct stat status;
    const struct sdsim_profile_file *files;
    const size_t count = name != NULL ? sdsim_config_list(session->config, "scenario", &files) : 0;
    for (size_t i = 0; i < count; i++) {
        if (strcmp(files[i].name, name) == 0) {
            return true;
        }
    }
    return name != NULL && stat(name, &status) == 0;
}

static enum sdsim_wanted purpose_of(bool files)
{
    return files ? SDSIM_FOR_FILE_REPLAYS : SDSIM_FOR_BLOCK_REPLAYS;
}

static const struct sdsim_run *without_scenario(struct sdsim_cli_session *session,
                                                const struct sdsim_arguments *arguments,
                                                const struct sdsim_trace_info *info, bool files)
{
    struct overrides overrides = {.count = 0};
    add_headers(session, &overrides, arguments, info);
    add_options(session, &overrides, arguments);
    const bool board = has_override(&overrides, "board") || has_override(&overrides, "host");
    if (!board || !has_override(&overrides, "card")) {
        sdsim_diag_add(&session->diags, SDSIM_ERROR, NULL, NULL, 0,
                       "name a scenario, or take --board (or --host and --driver) and --card",
                       "the trace does not say what it was recorded on%s",
                       board ? ": the card is missing" : "");
        return NULL;
    }
    if (overrides.failed) {
        sdsim_error(&session->diags, NULL, "too many --set, or out of memory");
        return NULL;
    }
    const struct sdsim_scenario *scenario =
        sdsim_scenario_of_text(session->config, "(replay)", files ? files_text : raw_text,
                               overrides.items, &session->diags);
    const struct sdsim_run *run = scenario != NULL ? &scenario->runs[0] : NULL;
    return run != NULL &&
                   sdsim_refuse_idle(&run, 1, purpose_of(files), overrides.items, &session->diags)
               ? run
               : NULL;
}

const struct sdsim_run *sdsim_replay_scenario(struct sdsim_cli_session *session,
                                              const struct sdsim_arguments *arguments,
                                              const char *name, const char *id)
{
    struct overrides overrides = {.count = 0};
    add_options(session, &overrides, arguments);
    if (overrides.failed) {
        sdsim_error(&session->diags, NULL, "too many --set, or out of memory");
        return NULL;
    }
    return run_of(session, name, id, overrides.items, SDSIM_FOR_TIMES);
}

/* Options that a trace of block operations has no use for. */
static bool refuse_options(struct sdsim_cli_session *session,
                           const struct sdsim_arguments *arguments, bool files)
{
    static const enum sdsim_option_id of_files[] = {SDSIM_OPTION_FILESYSTEM, SDSIM_OPTION_API};
    bool fine = true;
    for (size_t i = 0; !files && i < sizeof of_files / sizeof *of_files; i++) {
        if (arguments->values[of_files[i]] != NULL) {
            sdsim_diag_add(&session->diags, SDSIM_ERROR, NULL, NULL, 0,
                           "leave it out, or replay a trace of file operations",
                           "--%s changes nothing: the trace is of block operations, and file API "
                           "and file system are above them",
                           sdsim_option(of_files[i])->name);
            fine = false;
        }
    }
    return fine;
}

const struct sdsim_run *sdsim_replay_choose(struct sdsim_cli_session *session,
                                            const struct sdsim_arguments *arguments,
                                            const struct sdsim_trace_info *info, bool files)
{
    struct overrides overrides = {.count = 0};
    const char *const *values = arguments->values;
    const char *named = sdsim_trace_header(info, "scenario");
    const enum sdsim_wanted purpose = purpose_of(files);
    if (!refuse_options(session, arguments, files)) {
        return NULL;
    }
    add_options(session, &overrides, arguments);
    if (overrides.failed) {
        sdsim_error(&session->diags, NULL, "too many --set, or out of memory");
        return NULL;
    }
    if (arguments->operand_count > 1) {
        const char *id = arguments->operand_count > 2 ? arguments->operands[2] : NULL;
        return run_of(session, arguments->operands[1], id, overrides.items, purpose);
    }
    if (values[SDSIM_OPTION_BOARD] == NULL && values[SDSIM_OPTION_HOST] == NULL &&
        is_there(session, named)) {
        return run_of(session, named, sdsim_trace_header(info, "run"), overrides.items, purpose);
    }
    return without_scenario(session, arguments, info, files);
}
