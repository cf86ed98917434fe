#include "session.h"

#include <string.h>
#include <sys/stat.h>

#include "data_dir.h"
#include "setup/params.h"
#include "setup/schemas.h"

bool sdsim_session_open(struct sdsim_session *session)
{
    sdsim_diags_init(&session->diags);
    const char *data_dir = sdsim_data_dir(session->data_dir, sizeof session->data_dir);
    session->config = sdsim_config_create(data_dir);
    if (session->config == NULL) {
        fputs("error: out of memory\n", stderr);
    }
    return session->config != NULL;
}

void sdsim_session_close(struct sdsim_session *session)
{
    if (session->config != NULL) {
        sdsim_config_destroy(session->config);
    }
    sdsim_diags_free(&session->diags);
}

bool sdsim_session_report(struct sdsim_session *session)
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
static const char *as_path(struct sdsim_session *session, const char *name)
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

static const char *report_missing(struct sdsim_session *session, const char *kind, const char *name)
{
    const struct sdsim_profile_file *files;
    const size_t count = sdsim_config_list(session->config, kind, &files);
    const char *names[256];
    char help[200];
    const size_t named = count < 256 ? count : 256;
    for (size_t i = 0; i < named; i++) {
        names[i] = files[i].name;
    }
    const char *closest = sdsim_closest(name, names, named);
    if (closest != NULL) {
        snprintf(help, sizeof help, "did you mean '%s'?", closest);
    } else {
        snprintf(help, sizeof help, "'sdsim list %s' shows what there is", kind);
    }
    sdsim_diag_add(&session->diags, SDSIM_ERROR, NULL, NULL, 0, help, "there is no %s '%s'", kind,
                   name);
    return NULL;
}

static const char *find_known(struct sdsim_session *session, const char *kind, const char *name)
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

const char *sdsim_session_find(struct sdsim_session *session, const char *kind, const char *name)
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

const struct sdsim_node *sdsim_session_load(struct sdsim_session *session, const char *kind,
                                            const char *path)
{
    const struct sdsim_draw typical = {.k = 0};
    union parameters out;
    const struct sdsim_node *tree =
        sdsim_config_profile(session->config, kind, path, NULL, &session->diags);
    return tree != NULL && sdsim_bind(session->config, sdsim_schema_for(kind), tree, path, &typical,
                                      &out, &session->diags)
               ? tree
               : NULL;
}
