#include "data_dir.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *store(char *out, size_t size, const char *path)
{
    const int length = snprintf(out, size, "%s", path);
    return length >= 0 && (size_t)length < size ? out : NULL;
}

/* The installed data, seen from where the program lies; NULL if it isn't an installed one. */
static const char *beside_program(char *out, size_t size)
{
    char path[PATH_MAX];
    const ssize_t length = readlink("/proc/self/exe", path, sizeof path);
    if (length <= 0 || (size_t)length >= sizeof path) {
        return NULL;
    }
    path[length] = '\0';
    char *name = strrchr(path, '/') + 1; /* the link holds an absolute path */
    const size_t room = sizeof path - (size_t)(name - path);
    if (store(name, room, SDSIM_DATA_FROM_PROGRAM) == NULL) {
        return NULL;
    }
    char *folder = realpath(path, NULL); /* without dots, and only if it exists */
    if (folder == NULL) {
        return NULL;
    }
    const char *stored = store(out, size, folder);
    free(folder);
    return stored;
}

const char *sdsim_data_dir(char *out, size_t size)
{
    const char *set = getenv("SDSIM_DATA_DIR");
    if (set != NULL && set[0] != '\0') {
        return store(out, size, set);
    }
    const char *installed = beside_program(out, size);
    return installed != NULL ? installed : store(out, size, SDSIM_DATA_DIR);
}
