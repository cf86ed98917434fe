#include "replacement.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static mode_t usual_mode(void)
{
    const mode_t mask = umask(0);
    umask(mask);
    return 0666 & ~mask;
}

/* Makes the temporary file beside the target, with these permissions. */
static int open_beside(struct sdsim_replacement *replacement, mode_t mode)
{
    if (replacement->target == NULL) {
        return -1;
    }
    const size_t size = strlen(replacement->target) + sizeof ".XXXXXX";
    char *name = malloc(size);
    if (name == NULL) {
        return -1;
    }
    snprintf(name, size, "%s.XXXXXX", replacement->target);
    const int file = mkstemp(name);
    if (file < 0) {
        const int error = errno;
        free(name);
        errno = error;
        return -1;
    }
    replacement->temporary = name;
    if (fchmod(file, mode) != 0) {
        const int error = errno;
        close(file);
        errno = error;
        return -1;
    }
    return file;
}

int sdsim_replacement_open(struct sdsim_replacement *replacement, const char *path)
{
    struct stat status;
    int file = -1;
    *replacement = (struct sdsim_replacement){.temporary = NULL};
    if (stat(path, &status) != 0) {
        if (errno == ENOENT) {
            replacement->target = strdup(path);
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

bool sdsim_replacement_finish(struct sdsim_replacement *replacement)
{
    const bool named =
        replacement->temporary == NULL || rename(replacement->temporary, replacement->target) == 0;
    if (named) {
        free(replacement->temporary);
        replacement->temporary = NULL;
    }
    sdsim_replacement_discard(replacement);
    return named;
}

void sdsim_replacement_discard(struct sdsim_replacement *replacement)
{
    const int error = errno;
    if (replacement->temporary != NULL) {
        unlink(replacement->temporary);
    }
    free(replacement->temporary);
    free(replacement->target);
    *replacement = (struct sdsim_replacement){.temporary = NULL};
    errno = error;
}
