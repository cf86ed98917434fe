#include "files.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "setup/schemas.h"

#define MOST_LEVELS 16 /* of folders inside each other; a loop of links ends here */

static bool no_memory(struct sdsim_cli_session *session)
{
    sdsim_error(&session->diags, NULL, "out of memory");
    return false;
}

static bool add_path(struct sdsim_files *files, struct sdsim_cli_session *session, const char *path)
{
    if (files->count == files->capacity) {
        const size_t capacity = files->capacity == 0 ? 16 : 2 * files->capacity;
        char **paths = realloc(files->paths, capacity * sizeof *paths);
        if (paths == NULL) {
            return no_memory(session);
        }
        files->paths = paths;
        files->capacity = capacity;
    }
    char *copy = strdup(path);
    if (copy == NULL) {
        return no_memory(session);
    }
    files->paths[files->count++] = copy;
    return true;
}

void sdsim_files_free(struct sdsim_files *files)
{
    for (size_t i = 0; i < files->count; i++) {
        free(files->paths[i]);
    }
    free(files->paths);
    *files = (struct sdsim_files){.paths = NULL};
}

/* Whether the file is certainly something else than a scenario. */
static bool is_other_kind(struct sdsim_cli_session *session, const char *path)
{
    struct sdsim_diags unheard;
    sdsim_diags_init(&unheard);
    const struct sdsim_node *root = sdsim_config_parse(session->config, path, &unheard);
    const char *kind = sdsim_node_text(root, "kind");
    sdsim_diags_free(&unheard);
    return kind != NULL && strcmp(kind, "scenario") != 0 && sdsim_schema_for(kind) != NULL;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static int not_hidden(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static bool ends_in_yaml(const char *name)
{
    const size_t length = strlen(name);
    return length > 5 && strcmp(name + length - 5, ".yaml") == 0;
}

static bool walk(struct sdsim_files *files, struct sdsim_cli_session *session, const char *folder,
                 enum sdsim_files_wanted wanted, unsigned level);

static bool add_entry(struct sdsim_files *files, struct sdsim_cli_session *session,
                      const char *folder, const char *name, enum sdsim_files_wanted wanted,
                      unsigned level)
{
    char path[PATH_MAX];
    struct stat status;
    const char *slash = folder[strlen(folder) - 1] == '/' ? "" : "/";
    if (snprintf(path, sizeof path, "%s%s%s", folder, slash, name) >= (int)sizeof path) {
        sdsim_error(&session->diags, folder, "the path of '%s' is too long", name);
        return false;
    }
    if (stat(path, &status) != 0) {
        return true; /* a link to nothing, or gone meanwhile */
    }
    if (S_ISDIR(status.st_mode)) {
        return walk(files, session, path, wanted, level + 1);
    }
    if (!ends_in_yaml(name) || (wanted == SDSIM_FILES_SCENARIOS && is_other_kind(session, path))) {
        return true;
    }
    return add_path(files, session, path);
}

static bool walk(struct sdsim_files *files, struct sdsim_cli_session *session, const char *folder,
                 enum sdsim_files_wanted wanted, unsigned level)
{
    struct dirent **entries = NULL;
    if (level > MOST_LEVELS) {
        sdsim_error(&session->diags, folder, "more than %d folders inside each other", MOST_LEVELS);
        return false;
    }
    const int count = scandir(folder, &entries, not_hidden, by_name);
    if (count < 0) {
        sdsim_error(&session->diags, folder, "cannot be read: %s", strerror(errno));
        return false;
    }
    bool fine = true;
    for (int i = 0; i < count; i++) {
        fine = fine && add_entry(files, session, folder, entries[i]->d_name, wanted, level);
        free(entries[i]);
    }
    free(entries);
    return fine;
}

bool sdsim_files_add(struct sdsim_files *files, struct sdsim_cli_session *session,
                     const char *operand, enum sdsim_files_wanted wanted)
{
    struct stat status;
    if (stat(operand, &status) == 0 && S_ISDIR(status.st_mode)) {
        return walk(files, session, operand, wanted, 0);
    }
    const char *path = sdsim_cli_find(session, "scenario", operand);
    return path != NULL && add_path(files, session, path);
}
