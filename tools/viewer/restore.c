#include "restore.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/sdsim/signals.h"

enum { MOST_OVERRIDES = 64, MOST_FOLDERS = 8 };

/* ---- the folder ---- */

/* A path from a file is anybody's: it must stay in the folder, and be one we would write. */
static bool is_safe(const char *path)
{
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                  "._-+ ()/";
    size_t folders = 0;
    for (const char *at = path; *at != '\0'; at++) {
        folders += *at == '/';
    }
    return path[0] != '\0' && path[0] != '/' && strlen(path) < 500 && folders < MOST_FOLDERS &&
           strspn(path, allowed) == strlen(path) && strstr(path, "..") == NULL;
}

static bool write_file(const char *folder, const char *name, const char *text, size_t size)
{
    char path[PATH_MAX];
    if (!is_safe(name) || snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path) {
        return false;
    }
    for (char *slash = path + strlen(folder) + 1; (slash = strchr(slash, '/')) != NULL; slash++) {
        *slash = '\0';
        if (mkdir(path, 0700) != 0 && errno != EEXIST) {
            return false;
        }
        *slash = '/';
    }
    FILE *file = fopen(path, "wbx");
    if (file == NULL) {
        return false;
    }
    const bool written = fwrite(text, 1, size, file) == size;
    return fclose(file) == 0 && written;
}

/* Removes the folder and all in it; symbolic links are none of ours and are only unlinked. */
static void remove_folder(const char *folder, int depth)
{
    DIR *directory = depth < 2 * MOST_FOLDERS ? opendir(folder) : NULL;
    const struct dirent *entry;
    while (directory != NULL && (entry = readdir(directory)) != NULL) {
        char path[PATH_MAX];
        struct stat status;
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 ||
            snprintf(path, sizeof path, "%s/%s", folder, entry->d_name) >= (int)sizeof path ||
            lstat(path, &status) != 0) {
            continue;
        }
        if (S_ISDIR(status.st_mode)) {
            remove_folder(path, depth + 1);
        } else {
            unlink(path);
        }
    }
    if (directory != NULL) {
        closedir(directory);
    }
    rmdir(folder);
}

static bool write_all(const struct sdsim_timeline *timeline, const char *folder)
{
    for (size_t i = 0; i < timeline->text_count; i++) {
        const struct sdsim_setup_text *text = &timeline->texts[i];
        if (strncmp(text->name, "file ", 5) == 0 &&
            !write_file(folder, text->name + 5, text->text, text->size)) {
            return false;
        }
    }
    return true;
}

/* ---- the run ---- */

static const struct sdsim_run *load(const struct sdsim_timeline *timeline,
                                    struct sdsim_cli_session *session, const char *id)
{
    char path[PATH_MAX + 600];
    char name[32];
    const char *overrides[MOST_OVERRIDES + 1] = {NULL};
    const struct sdsim_setup_text *scenario = sdsim_timeline_text(timeline, "scenario");
    for (size_t i = 0; i < MOST_OVERRIDES; i++) {
        snprintf(name, sizeof name, "set %zu", i);
        const struct sdsim_setup_text *set = sdsim_timeline_text(timeline, name);
        if (set == NULL) {
            break;
        }
        overrides[i] = set->text;
    }
    snprintf(path, sizeof path, "%s/%.500s", session->data_dir, scenario->text);
    const struct sdsim_scenario *loaded =
        sdsim_scenario_load(session->config, path, overrides, &session->diags);
    for (size_t i = 0; loaded != NULL && i < loaded->count; i++) {
        if (strcmp(loaded->runs[i].id, id) == 0) {
            return &loaded->runs[i];
        }
    }
    return NULL;
}

/* The messages are of files nobody knows: only the first is told, with the file it names if that is one that
 * the run needs besides its own (a list of arrivals, an image). */
static void explain(const struct sdsim_cli_session *session, char *why, size_t size)
{
    const struct sdsim_diag *first = session->diags.count > 0 ? session->diags.items : NULL;
    const size_t folder = strlen(session->data_dir);
    const char *file =
        first != NULL && first->file != NULL && strncmp(first->file, session->data_dir, folder) != 0
            ? first->file
            : "";
    if (first == NULL) {
        snprintf(why, size, "the files of the run don't fit together");
    } else if (file[0] != '\0') {
        snprintf(why, size, "the run needs %.80s: %.60s", file, first->text);
    } else {
        snprintf(why, size, "the files of the run don't fit together: %.120s", first->text);
    }
}

static const struct sdsim_run *restore_in(const struct sdsim_timeline *timeline,
                                          struct sdsim_cli_session *session,
                                          struct sdsim_setup *setup, const char *id)
{
    const struct sdsim_setup_text *number = sdsim_timeline_text(timeline, "draw");
    const uint32_t draw = number != NULL ? (uint32_t)strtoul(number->text, NULL, 10) : 0;
    session->config = sdsim_config_create(session->data_dir);
    const struct sdsim_run *run = session->config != NULL && write_all(timeline, session->data_dir)
                                      ? load(timeline, session, id)
                                      : NULL;
    return run != NULL && sdsim_setup_bind(session->config, run, draw, setup, &session->diags)
               ? run
               : NULL;
}

const struct sdsim_run *sdsim_restore_run(const struct sdsim_timeline *timeline,
                                          struct sdsim_cli_session *session,
                                          struct sdsim_setup *setup, char *why, size_t size)
{
    const struct sdsim_setup_text *scenario = sdsim_timeline_text(timeline, "scenario");
    const struct sdsim_setup_text *id = sdsim_timeline_text(timeline, "run");
    const char *set = getenv("TMPDIR");
    const char *folder = set != NULL && set[0] == '/' ? set : "/tmp";
    *session = (struct sdsim_cli_session){.config = NULL};
    sdsim_diags_init(&session->diags);
    if (scenario == NULL || id == NULL || !is_safe(scenario->text)) {
        snprintf(why, size, "the file does not say what the run was made from");
        return NULL;
    }
    snprintf(session->data_dir, sizeof session->data_dir, "%.1000s/sdsim-view-XXXXXX", folder);
    sigset_t signals;
    sdsim_signals_hold(&signals);
    if (mkdtemp(session->data_dir) == NULL) {
        sdsim_signals_release(&signals);
        snprintf(why, size, "can't make a folder in %.100s: %s", folder, strerror(errno));
        return NULL;
    }
    const struct sdsim_run *run = restore_in(timeline, session, setup, id->text);
    remove_folder(session->data_dir, 0);
    sdsim_signals_release(&signals);
    if (run == NULL) {
        explain(session, why, size);
    }
    return run;
}
