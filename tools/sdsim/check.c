#include "command.h"

#include <stdlib.h>
#include <string.h>

#include "files.h"
#include "output.h"
#include "report/json.h"
#include "session.h"
#include "setup/schemas.h"
#include "setup/idle.h"
#include "spool.h"

/* What is checked. */
struct findings {
    struct sdsim_cli_session *session;
    const struct sdsim_arguments *arguments;
    const struct sdsim_run **runs; /* of the scenarios so far */
    size_t count;
};

static void add_runs(struct findings *findings, const struct sdsim_scenario *scenario)
{
    const size_t count = findings->count + scenario->count;
    const struct sdsim_run **runs = realloc(findings->runs, count * sizeof *runs);
    if (runs == NULL) {
        sdsim_error(&findings->session->diags, NULL, "out of memory");
        return;
    }
    for (size_t i = 0; i < scenario->count; i++) {
        runs[findings->count++] = &scenario->runs[i];
    }
    findings->runs = runs;
}

static void check_scenario(struct findings *findings, const char *path)
{
    struct sdsim_cli_session *session = findings->session;
    const struct sdsim_arguments *arguments = findings->arguments;
    const struct sdsim_scenario *scenario =
        sdsim_scenario_load(session->config, path, arguments->overrides, &session->diags);
    if (scenario != NULL) {
        add_runs(findings, scenario);
    }
    for (size_t i = 0; scenario != NULL && !arguments->errors && i < scenario->count; i++) {
        struct sdsim_setup setup;
        if (sdsim_setup_bind(session->config, &scenario->runs[i], 0, &setup, &session->diags)) {
            sdsim_setup_lint(&scenario->runs[i], &setup, &session->diags);
        }
    }
}

/* The profiles a board or scenario names must exist, too. */
static void check_references(struct sdsim_cli_session *session, const struct sdsim_schema *schema,
                             const struct sdsim_node *tree)
{
    for (size_t i = 0; i < schema->key_count; i++) {
        const struct sdsim_key *key = &schema->keys[i];
        const struct sdsim_node *reference = sdsim_node_get(tree, key->name);
        if (key->type != SDSIM_VALUE_PROFILE || reference == NULL) {
            continue;
        }
        const bool several = key->list && reference->kind == SDSIM_NODE_LIST;
        for (size_t r = 0; r < (several ? reference->count : 1); r++) {
            (void)sdsim_config_resolve(session->config, key->profile_kind,
                                       several ? reference->items[r] : reference, &session->diags);
        }
    }
}

static void check_profile(struct sdsim_cli_session *session, const char *kind, const char *path)
{
    const struct sdsim_node *tree = sdsim_cli_load(session, kind, path, NULL);
    if (tree != NULL) {
        check_references(session, sdsim_schema_for(kind), tree);
    }
}

static void check_file(struct findings *findings, const char *path)
{
    struct sdsim_cli_session *session = findings->session;
    struct sdsim_diags unheard;
    sdsim_diags_init(&unheard);
    const char *kind = sdsim_node_text(sdsim_config_parse(session->config, path, &unheard), "kind");
    sdsim_diags_free(&unheard);
    if (kind == NULL || sdsim_schema_for(kind) == NULL || strcmp(kind, "scenario") == 0) {
        check_scenario(findings, path); /* which reports a kind it doesn't know */
    } else {
        check_profile(session, kind, path);
    }
}

static void print_json(const struct sdsim_diags *diags, FILE *out)
{
    struct sdsim_json json;
    sdsim_json_start(&json, out);
    sdsim_json_object(&json, NULL);
    sdsim_json_array(&json, "findings");
    for (size_t i = 0; i < diags->count; i++) {
        const struct sdsim_diag *diag = &diags->items[i];
        sdsim_json_object(&json, NULL);
        sdsim_json_text(&json, "severity", sdsim_severity_name(diag->severity));
        sdsim_json_text(&json, "file", diag->file);
        sdsim_json_count(&json, "line", diag->line);
        sdsim_json_count(&json, "column", diag->column);
        sdsim_json_text(&json, "text", diag->text);
        sdsim_json_text(&json, "help", diag->help);
        sdsim_json_end(&json);
    }
    sdsim_json_end(&json);
    sdsim_json_count(&json, "dropped", diags->dropped);
    sdsim_json_end(&json);
}

/* Findings are messages, or, with --json, the data. */
static enum sdsim_exit report(struct sdsim_cli_session *session,
                              const struct sdsim_arguments *arguments)
{
    struct sdsim_output output;
    enum sdsim_exit code = session->diags.errors > 0     ? SDSIM_EXIT_INPUT
                           : session->diags.warnings > 0 ? SDSIM_EXIT_FINDING
                                                         : SDSIM_EXIT_OK;
    if (!arguments->json) {
        (void)sdsim_cli_report(session);
        return code;
    }
    if (!sdsim_output_open(&output)) {
        return SDSIM_EXIT_FAULT;
    }
    print_json(&session->diags, output.stream);
    const enum sdsim_exit sent = sdsim_output_send(&output, arguments->output);
    return sent != SDSIM_EXIT_OK ? sent : code;
}

/* Overrides that no scenario takes notice of; in profiles nothing is changed. */
static void refuse_idle(const struct findings *findings)
{
    const char *const *overrides = findings->arguments->overrides;
    struct sdsim_diags *diags = &findings->session->diags;
    if (findings->count > 0) {
        (void)sdsim_refuse_idle(findings->runs, findings->count, SDSIM_FOR_PREDICTIONS, overrides,
                                diags);
    } else if (overrides[0] != NULL && diags->errors == 0) {
        sdsim_diag_add(diags, SDSIM_ERROR, NULL, NULL, 0,
                       "'sdsim describe KIND NAME --set ...' shows a profile with a change",
                       "--set changes the runs of scenarios, and there is no scenario among these");
    }
}

static enum sdsim_exit check_in(struct sdsim_cli_session *session,
                                const struct sdsim_arguments *arguments)
{
    struct sdsim_files files = {.paths = NULL};
    struct findings findings = {.session = session, .arguments = arguments};
    for (size_t i = 0; i < arguments->operand_count; i++) {
        (void)sdsim_files_add(&files, session, arguments->operands[i], SDSIM_FILES_ALL);
    }
    for (size_t i = 0; i < files.count; i++) {
        check_file(&findings, files.paths[i]);
    }
    refuse_idle(&findings);
    free(findings.runs);
    sdsim_files_free(&files);
    return report(session, arguments);
}

static enum sdsim_exit check(const struct sdsim_arguments *arguments)
{
    return sdsim_cli_in_session(check_in, arguments);
}

static const enum sdsim_option_id options[] = {
    SDSIM_OPTION_ERRORS, SDSIM_OPTION_SET,  SDSIM_OPTION_JSON,
    SDSIM_OPTION_OUTPUT, SDSIM_OPTION_HELP, SDSIM_OPTION_COUNT,
};

const struct sdsim_command sdsim_command_check = {
    .name = "check",
    .operands = "PATH...",
    .summary = "check files: mistakes, and set-ups that will hurt",
    .details =
        "PATH is a scenario or profile, or a folder with such files. Reports mistakes as errors, "
        "and "
        "what works in a simulator but not on the bench as warnings: clocks above the card's rate, "
        "fast signals on long wires, strapping pins, volumes the firmware can't read, small calls, "
        "buffers out of DMA's reach, too many syncs.\n"
        "The exit code is 0 if there is nothing to report, 1 with warnings, 2 with errors.\n"
        "The JSON is {\"findings\": [{severity, file, line, column, text, help}], \"dropped\"}; it "
        "goes to standard output, where messages go to standard error. Line and column count from "
        "1, 0 is the whole file or line; dropped counts the findings behind the first hundred.\n",
    .least = 1,
    .most = SIZE_MAX,
    .options = options,
    .needs_file = sdsim_spool_scenario,
    .run = check,
};
