#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* O_TMPFILE */
#endif
#include "replacement.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "signals.h"

#define MOST_LINKS 40
#define ATTEMPTS   1000u /* names that are tried */

static mode_t usual_mode(void)
{
    const mode_t mask = umask(0);
    umask(mask);
    return 0666 & ~mask;
}

/* The folder a path lies in, "." if it names none; to be freed. NULL without memory. */
static char *folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash == NULL ? strdup(".") : strndup(path, slash == path ? 1 : (size_t)(slash - path));
}

/* "FOLDER/.sdsim-XXXXXX"; to be freed. */
static char *template_in(const char *folder)
{
    const size_t size = strlen(folder) + sizeof "/.sdsim-XXXXXX";
    char *name = malloc(size);
    if (name != NULL) {
        snprintf(name, size, "%s/.sdsim-XXXXXX", folder);
    }
    return name;
}

/* A file without a name, which is gone if the program is ended; -1 where there are none. */
static int open_nameless(struct sdsim_replacement *replacement, const char *folder)
{
    const int file = open(folder, O_WRONLY | O_TMPFILE | O_CLOEXEC, 0600);
    const int kept = file >= 0 ? dup(file) : -1;
    snprintf(replacement->link, sizeof replacement->link, "/proc/self/fd/%d", kept);
    if (kept >= 0 && access(replacement->link, F_OK) == 0) {
        replacement->nameless = true;
        replacement->file = kept;
        return file;
    }
    if (file >= 0) {
        (void)close(file);
    }
    if (kept >= 0) {
        (void)close(kept);
    }
    return -1;
}

/* A file with a name of its own. */
static int open_named(struct sdsim_replacement *replacement, const char *folder)
{
    char *name = template_in(folder);
    const int file = name != NULL ? mkstemp(name) : -1;
    if (file < 0) {
        const int error = errno;
        free(name);
        errno = error;
        return -1;
    }
    replacement->temporary = name;
    return file;
}

/* Makes the temporary file beside the target, with these permissions. */
static int open_beside(struct sdsim_replacement *replacement, mode_t mode)
{
    if (replacement->target == NULL) {
        return -1;
    }
    char *folder = folder_of(replacement->target);
    int file = folder != NULL ? open_nameless(replacement, folder) : -1;
    if (folder != NULL && file < 0) {
        file = open_named(replacement, folder);
    }
    int error = errno;
    if (file >= 0 && fchmod(file, mode) != 0) {
        error = errno;
        (void)close(file);
        file = -1;
    }
    free(folder);
    errno = error;
    return file;
}

/* Whether the last part of a path is one a file can have. */
static bool is_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *last = slash != NULL ? slash + 1 : path;
    errno = last[0] == '\0' ? (path[0] == '\0' ? ENOENT : EISDIR) : ENAMETOOLONG;
    return last[0] != '\0' && strlen(last) <= NAME_MAX;
}

/* What a path stands for: a link to nothing stands for what it names; to be freed. NULL without
 * memory. */
static char *target_of(const char *path)
{
    char *target = strdup(path);
    char name[PATH_MAX];
    ssize_t size;
    for (int links = 0; links < MOST_LINKS && target != NULL &&
                        (size = readlink(target, name, sizeof name - 1)) > 0;
         links++) {
        name[size] = '\0';
        char *folder = folder_of(target);
        const size_t room = (folder != NULL ? strlen(folder) : 0) + (size_t)size + 2;
        char *next = name[0] == '/' ? strdup(name) : malloc(room);
        if (next != NULL && name[0] != '/') {
            snprintf(next, room, "%s/%s", folder != NULL ? folder : "", name);
        }
        free(target);
        target = folder != NULL ? next : NULL;
        if (folder == NULL) {
            free(next);
        }
        free(folder);
    }
    return target;
}

int sdsim_replacement_open(struct sdsim_replacement *replacement, const char *path)
{
    struct stat status;
    int file = -1;
    *replacement = (struct sdsim_replacement){.nameless = false};
    if (stat(path, &status) != 0) {
        if (errno == ENOENT && is_name(path)) {
            replacement->target = target_of(path);
            file = open_beside(replacement, usual_mode());
        }
    } else if (!S_ISREG(status.st_mode)) {
        file = open(path, O_WRONLY | O_CLOEXEC);
    } else {
        replacement->target = realpath(path, NULL);
        file = open_beside(replacement, status.st_mode & 0777);
    }
    if (file < 0) {
        sdsim_replacement_discard(replacement);
    }
    return file;
}

/* Gives a nameless file its first name. */
static bool take_name(struct sdsim_replacement *replacement)
{
    char *folder = folder_of(replacement->target);
    char *name = folder != NULL ? template_in(folder) : NULL;
    free(folder);
    if (name == NULL) {
        return false;
    }
    char *end = name + strlen(name) - 6;
    for (unsigned attempt = 0; attempt < ATTEMPTS; attempt++) {
        snprintf(end, 7, "%06u", ((unsigned)getpid() + attempt) % 1000000);
        if (linkat(AT_FDCWD, replacement->link, AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0) {
            replacement->temporary = name;
            return true;
        }
        if (errno != EEXIST) {
            break;
        }
    }
    const int error = errno;
    free(name);
    errno = error;
    return false;
}

bool sdsim_replacement_finish(struct sdsim_replacement *replacement)
{
    sigset_t signals;
    sdsim_signals_hold(&signals);
    bool named = !replacement->nameless || take_name(replacement);
    named = named && (replacement->temporary == NULL ||
                      rename(replacement->temporary, replacement->target) == 0);
    if (named) {
        free(replacement->temporary);
        replacement->temporary = NULL;
    }
    sdsim_replacement_discard(replacement);
    sdsim_signals_release(&signals);
    return named;
}

void sdsim_replacement_discard(struct sdsim_replacement *replacement)
{
    const int error = errno;
    if (replacement->temporary != NULL) {
        unlink(replacement->temporary);
    }
    if (replacement->nameless) {
        (void)close(replacement->file);
    }
    free(replacement->temporary);
    free(replacement->target);
    *replacement = (struct sdsim_replacement){.nameless = false};
    errno = error;
}
