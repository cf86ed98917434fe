#include "data_copy.h"

#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "measure/rewrite.h"
#include "signals.h"

static bool complain(struct sdsim_cli_session *session, const char *path)
{
    sdsim_error(&session->diags, path, "%s", strerror(errno));
    return false;
}

/* What a copy takes along. */
struct copy {
    struct sdsim_cli_session *session;
    const struct sdsim_knobs *knobs;
    bool (*left_out)(const void *context, const char *file);
    const void *context;
    size_t root; /* characters of a path before the place in the data directory */
};

static bool copy_file(struct sdsim_cli_session *session, const struct sdsim_knobs *knobs,
                      const char *from, const char *to)
{
    FILE *out = fopen(to, "w");
    if (out == NULL) {
        return complain(session, to);
    }
    const bool fine = sdsim_rewrite(knobs, from, out, NULL, &session->diags);
    return (fclose(out) == 0 || complain(session, to)) && fine;
}

static bool copy_tree(const struct copy *copy, const char *from, const char *to)
{
    struct sdsim_cli_session *session = copy->session;
    if (mkdir(to, 0777) != 0) {
        return complain(session, to);
    }
    DIR *folder = opendir(from);
    if (folder == NULL) {
        return complain(session, from);
    }
    bool fine = true;
    const struct dirent *entry;
    while (fine && (entry = readdir(folder)) != NULL) {
        char source[PATH_MAX];
        char target[PATH_MAX];
        struct stat status;
        if (entry->d_name[0] == '.') {
            continue;
        }
        const int a = snprintf(source, sizeof source, "%s/%s", from, entry->d_name);
        const int b = snprintf(target, sizeof target, "%s/%s", to, entry->d_name);
        if (a < 0 || b < 0 || (size_t)a >= sizeof source || (size_t)b >= sizeof target ||
            stat(source, &status) != 0) {
            fine = complain(session, source);
        } else if (S_ISDIR(status.st_mode)) {
            fine = copy_tree(copy, source, target);
        } else if (copy->left_out == NULL || !copy->left_out(copy->context, source + copy->root)) {
            fine = copy_file(session, copy->knobs, source, target);
        }
    }
    closedir(folder);
    return fine;
}

static int remove_entry(const char *path, const struct stat *status, int kind, struct FTW *where)
{
    (void)status;
    (void)kind;
    (void)where;
    return remove(path);
}

void sdsim_data_remove(const char *directory)
{
    (void)nftw(directory, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

enum sdsim_exit sdsim_data_copy(struct sdsim_cli_session *session, const struct sdsim_knobs *knobs,
                                bool (*left_out)(const void *context, const char *file),
                                const void *context, const char *directory)
{
    const struct copy copy = {.session = session,
                              .knobs = knobs,
                              .left_out = left_out,
                              .context = context,
                              .root = strlen(session->data_dir) + 1};
    static const char *const parts[] = {"cards", "scenarios"};
    char unfinished[PATH_MAX];
    struct stat status;
    if (stat(directory, &status) == 0) {
        sdsim_error(&session->diags, directory, "is there already");
        return SDSIM_EXIT_INPUT;
    }
    const int length =
        snprintf(unfinished, sizeof unfinished, "%s.%ld.part", directory, (long)getpid());
    bool fine = length > 0 && (size_t)length < sizeof unfinished;
    sigset_t signals;
    sdsim_signals_hold(&signals);
    if (!fine || mkdir(unfinished, 0777) != 0) {
        (void)complain(session, directory);
        sdsim_signals_release(&signals);
        return SDSIM_EXIT_FAULT;
    }
    for (size_t i = 0; fine && i < sizeof parts / sizeof *parts; i++) {
        char from[PATH_MAX + 16];
        char to[PATH_MAX + 16];
        snprintf(from, sizeof from, "%s/%s", session->data_dir, parts[i]);
        snprintf(to, sizeof to, "%s/%s", unfinished, parts[i]);
        fine = copy_tree(&copy, from, to);
    }
    if (fine && rename(unfinished, directory) != 0) {
        fine = complain(session, directory);
    }
    if (!fine) {
        sdsim_data_remove(unfinished);
    }
    sdsim_signals_release(&signals);
    return fine ? SDSIM_EXIT_OK : SDSIM_EXIT_FAULT;
}
