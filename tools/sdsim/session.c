#include "session.h"

#include <string.h>
#include <sys/stat.h>

#include "config/closest.h"
#include "config/kinds.h"
#include "data_dir.h"
#include "setup/params.h"
#include "setup/schemas.h"
#include "setup/setup.h"

bool sdsim_cli_open(struct sdsim_cli_session *session)
{
    sdsim_diags_init(&session->diags);
    const char *data_dir = sdsim_data_dir(session->data_dir, sizeof session->data_dir);
    session->config = sdsim_config_create(data_dir);
    if (session->config == NULL) {
        fputs("error: out of memory\n", stderr);
    }
    return session->config != NULL;
}

void sdsim_cli_close(struct sdsim_cli_session *session)
{
    if (session->config != NULL) {
        sdsim_config_destroy(session->config);
    }
    sdsim_diags_free(&session->diags);
}

enum sdsim_exit sdsim_cli_in_session(enum sdsim_exit (*command)(struct sdsim_cli_session *session,
                                                                const struct sdsim_arguments *),
                                     const struct sdsim_arguments *arguments)
{
    struct sdsim_cli_session session;
    const enum sdsim_exit code =
        sdsim_cli_open(&session) ? command(&session, arguments) : SDSIM_EXIT_FAULT;
    sdsim_cli_close(&session);
    return code;
}

bool sdsim_cli_report(struct sdsim_cli_session *session)
{
    const bool failed = session->diags.errors > 0;
    sdsim_diags_print(&session->diags, stderr);
    sdsim_diags_free(&session->diags);
    return failed;
}

static bool is_path(const char *name)
{
    const size_t length = strlen(name);
    return strchr(name, '/') != NULL || (length >= 5 && strcmp(name + length - 5, ".yaml") == 0);
}

/* A name in the working directory, spelled so that nobody takes it for that of a profile. */
static const char *as_path(struct sdsim_cli_session *session, const char *name)
{
    const size_t size = strlen(name) + 3;
    char *path = sdsim_config_alloc(session->config, size, 1);
    if (path == NULL) {
        sdsim_error(&session->diags, NULL, "out of memory");
        return NULL;
    }
    snprintf(path, size, "./%s", name);
    return path;
}

static const char *report_missing(struct sdsim_cli_session *session, const char *kind,
                                  const char *name)
{
    const struct sdsim_profile_file *files;
    const size_t count = sdsim_config_list(session->config, kind, &files);
    const char **names = sdsim_config_alloc(session->config, count + 1, sizeof *names);
    char list[40];
    char help[300] = "";
    snprintf(list, sizeof list, "sdsim list %s", kind);
    for (size_t i = 0; names != NULL && i < count; i++) {
        names[i] = files[i].name;
    }
    sdsim_suggest(name, names, names != NULL ? count : 0, list, help, sizeof help);
    sdsim_diag_add(&session->diags, SDSIM_ERROR, NULL, NULL, 0, help[0] != '\0' ? help : NULL,
                   "there is no %s '%s'", kind, name);
    return NULL;
}

static const char *find_known(struct sdsim_cli_session *session, const char *kind, const char *name)
{
    const struct sdsim_profile_file *files;
    const size_t count = sdsim_config_list(session->config, kind, &files);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(files[i].name, name) == 0) {
            return files[i].path;
        }
    }
    return report_missing(session, kind, name);
}

const char *sdsim_cli_find(struct sdsim_cli_session *session, const char *kind, const char *name)
{
    struct stat status;
    const bool there = stat(name, &status) == 0;
    if (is_path(name)) {
        if (!there) {
            sdsim_error(&session->diags, NULL, "there is no file '%s'", name);
        }
        return there ? name : NULL;
    }
    return there && !S_ISDIR(status.st_mode) ? as_path(session, name)
                                             : find_known(session, kind, name);
}

/* Room for what any of the schemas fills. */
union parameters {
    struct sdsim_scenario_params scenario;
    struct sdsim_host_params host;
    struct sdsim_driver_profile driver;
    struct sdsim_card_params card;
};

/* Room for a list of assignments: each by itself, and in each run. NULL without memory. */
static const char **make_list(struct sdsim_cli_session *session, const struct sdsim_node *runs,
                              const char *const *overrides)
{
    size_t count = 0;
    while (overrides[count] != NULL) {
        count++;
    }
    const size_t places = 1 + (runs != NULL ? runs->count : 0);
    return sdsim_config_alloc(session->config, count * places + 1, sizeof(const char *));
}

/* "workload.call=32KiB" for the runs that say something about the workload themselves, behind what
 * the list has. */
static bool add_for_runs(struct sdsim_cli_session *session, const struct sdsim_node *runs,
                         const char *assignment, const char **list, size_t *count)
{
    char key[64];
    snprintf(key, sizeof key, "%.*s", (int)strcspn(assignment, ".[="), assignment);
    for (size_t i = 0; i < runs->count; i++) {
        if (sdsim_node_get(runs->items[i], key) == NULL) {
            continue;
        }
        const size_t size = strlen(assignment) + 32;
        char *longer = sdsim_config_alloc(session->config, size, 1);
        if (longer == NULL) {
            return false;
        }
        snprintf(longer, size, "runs[%zu].%s", i, assignment);
        list[(*count)++] = longer;
    }
    return true;
}

static bool override(struct sdsim_cli_session *session, const char *kind, const char *path,
                     struct sdsim_node *tree, const char *const *overrides)
{
    const bool scenario = strcmp(kind, "scenario") == 0;
    if (overrides == NULL || overrides[0] == NULL) {
        return true;
    }
    /* What is inside of profiles is known only when they are put together. */
    if (scenario &&
        sdsim_scenario_load(session->config, path, overrides, &session->diags) == NULL) {
        return false;
    }
    const struct sdsim_node *node = scenario ? sdsim_node_get(tree, "runs") : NULL;
    const struct sdsim_node *runs = node != NULL && node->kind == SDSIM_NODE_LIST ? node : NULL;
    const char **list = make_list(session, runs, overrides);
    bool fine = list != NULL;
    size_t count = 0;
    for (size_t i = 0; fine && overrides[i] != NULL; i++) {
        list[count++] = overrides[i];
        fine = runs == NULL || add_for_runs(session, runs, overrides[i], list, &count);
    }
    if (!fine) {
        sdsim_error(&session->diags, NULL, "out of memory");
    }
    return fine && sdsim_config_set_all(session->config, tree, list, &session->diags);
}

const struct sdsim_node *sdsim_cli_load(struct sdsim_cli_session *session, const char *kind,
                                        const char *path, const char *const *overrides)
{
    const struct sdsim_draw typical = {.k = 0};
    union parameters out;
    struct sdsim_node *tree =
        sdsim_config_profile(session->config, kind, path, NULL, &session->diags);
    return tree != NULL && override(session, kind, path, tree, overrides) &&
                   sdsim_bind(session->config, sdsim_schema_for(kind), tree, path, &typical, &out,
                              &session->diags)
               ? tree
               : NULL;
}

bool sdsim_cli_is_kind(const char *word)
{
    static const char *const kinds[] = {
#define SDSIM_KIND_NAME(kind, folder) #kind,
        SDSIM_KIND_LIST(SDSIM_KIND_NAME)
#undef SDSIM_KIND_NAME
    };
    const size_t count = sizeof kinds / sizeof *kinds;
    for (size_t i = 0; i < count; i++) {
        if (strcmp(kinds[i], word) == 0) {
            return true;
        }
    }
    const char *closest = sdsim_closest(word, kinds, count);
    fprintf(stderr, "error: there are no files of kind '%s'\n", word);
    if (closest != NULL) {
        fprintf(stderr, "help: did you mean '%s'?\n", closest);
        return false;
    }
    fputs("help: the kinds are ", stderr);
    for (size_t i = 0; i < count; i++) {
        fprintf(stderr, "%s%s", i == 0 ? "" : i + 1 < count ? ", " : " and ", kinds[i]);
    }
    fputc('\n', stderr);
    return false;
}
