#include "command.h"

#include <string.h>

#include "files.h"
#include "session.h"
#include "setup/schemas.h"
#include "setup/setup.h"

static void check_scenario(struct sdsim_session *session, const struct sdsim_arguments *arguments,
                           const char *path)
{
    const struct sdsim_scenario *scenario =
        sdsim_scenario_load(session->config, path, arguments->overrides, &session->diags);
    for (size_t i = 0; scenario != NULL && !arguments->errors && i < scenario->count; i++) {
        struct sdsim_setup setup;
        if (sdsim_setup_bind(session->config, &scenario->runs[i], 0, &setup, &session->diags)) {
            sdsim_setup_lint(&scenario->runs[i], &setup, &session->diags);
        }
    }
}

/* The profiles a board or scenario names must exist, too. */
static void check_references(struct sdsim_session *session, const struct sdsim_schema *schema,
                             const struct sdsim_node *tree)
{
    for (size_t i = 0; i < schema->key_count; i++) {
        const struct sdsim_key *key = &schema->keys[i];
        const struct sdsim_node *reference = sdsim_node_get(tree, key->name);
        if (key->type == SDSIM_VALUE_PROFILE && reference != NULL) {
            (void)sdsim_config_resolve(session->config, key->profile_kind, reference,
                                       &session->diags);
        }
    }
}

static void check_profile(struct sdsim_session *session, const char *kind, const char *path)
{
    const struct sdsim_node *tree = sdsim_session_load(session, kind, path);
    if (tree != NULL) {
        check_references(session, sdsim_schema_for(kind), tree);
    }
}

static void check_file(struct sdsim_session *session, const struct sdsim_arguments *arguments,
                       const char *path)
{
    struct sdsim_diags unheard;
    sdsim_diags_init(&unheard);
    const char *kind = sdsim_node_text(sdsim_config_parse(session->config, path, &unheard), "kind");
    sdsim_diags_free(&unheard);
    if (kind == NULL || sdsim_schema_for(kind) == NULL || strcmp(kind, "scenario") == 0) {
        check_scenario(session, arguments, path); /* which reports a kind it doesn't know */
    } else {
        check_profile(session, kind, path);
    }
}

static enum sdsim_exit check_in(struct sdsim_session *session,
                                const struct sdsim_arguments *arguments)
{
    struct sdsim_files files = {.paths = NULL};
    for (size_t i = 0; i < arguments->operand_count; i++) {
        (void)sdsim_files_add(&files, session, arguments->operands[i], SDSIM_FILES_ALL);
    }
    for (size_t i = 0; i < files.count; i++) {
        check_file(session, arguments, files.paths[i]);
    }
    sdsim_files_free(&files);
    const bool warned = session->diags.warnings > 0;
    if (sdsim_session_report(session)) {
        return SDSIM_EXIT_INPUT;
    }
    return warned ? SDSIM_EXIT_FINDING : SDSIM_EXIT_OK;
}

static enum sdsim_exit check(const struct sdsim_arguments *arguments)
{
    struct sdsim_session session;
    const enum sdsim_exit code =
        sdsim_session_open(&session) ? check_in(&session, arguments) : SDSIM_EXIT_FAULT;
    sdsim_session_close(&session);
    return code;
}

static const enum sdsim_option_id options[] = {SDSIM_OPTION_ERRORS, SDSIM_OPTION_SET,
                                               SDSIM_OPTION_HELP, SDSIM_OPTION_COUNT};

const struct sdsim_command sdsim_command_check = {
    .name = "check",
    .operands = "PATH...",
    .summary = "check files without simulating: mistakes, and set-ups that will hurt",
    .details =
        "PATH is a scenario or profile, or a folder with such files. Reports mistakes as errors, "
        "and "
        "what works in a simulator but not on the bench as warnings: clocks above the card's rate, "
        "fast signals on long wires, strapping pins, volumes the firmware can't read, small calls, "
        "buffers out of DMA's reach, too many syncs.\n"
        "The exit code is 0 if there is nothing to report, 1 with warnings, 2 with errors.\n",
    .least = 1,
    .most = SIZE_MAX,
    .options = options,
    .run = check,
};
