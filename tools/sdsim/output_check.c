#include "output_check.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "plot.h"
#include "replacement.h"
#include "spool.h"

static const enum sdsim_option_id files[] = {
    SDSIM_OPTION_TABLE_FILE,  SDSIM_OPTION_PICTURE,  SDSIM_OPTION_RECORD,
    SDSIM_OPTION_TRACE,       SDSIM_OPTION_IMAGE,    SDSIM_OPTION_SCREENSHOT,
    SDSIM_OPTION_OUT_PROFILE, SDSIM_OPTION_NEW_FILE,
};

static const enum sdsim_option_id folders[] = {
    SDSIM_OPTION_FOLDER,
    SDSIM_OPTION_DIRECTORY,
    SDSIM_OPTION_PAGES,
};

enum { OUTPUTS = 1 + sizeof files / sizeof *files };

static enum sdsim_exit complain(const char *path)
{
    fprintf(stderr, "error: cannot write to %s: %s\n", path, strerror(errno));
    return SDSIM_EXIT_FAULT;
}

/* Goes as far as writing would, and back. A pipe that was opened and closed would have ended. */
static bool can_write(const char *path)
{
    struct stat status;
    struct sdsim_replacement replacement;
    if (stat(path, &status) == 0 && !S_ISREG(status.st_mode)) {
        errno = EISDIR;
        return !S_ISDIR(status.st_mode) && access(path, W_OK) == 0;
    }
    const int file = sdsim_replacement_open(&replacement, path);
    if (file < 0) {
        return false;
    }
    (void)close(file);
    sdsim_replacement_discard(&replacement);
    return true;
}

/* Whether it is a folder that may be written to, or can be made one. */
static bool can_fill(const char *path)
{
    char parent[PATH_MAX];
    struct stat status;
    size_t length = strlen(path);
    if (stat(path, &status) == 0) {
        errno = ENOTDIR;
        return S_ISDIR(status.st_mode) && access(path, W_OK | X_OK) == 0;
    }
    if (errno != ENOENT || length == 0 || length >= sizeof parent) {
        errno = length >= sizeof parent ? ENAMETOOLONG : errno;
        return false;
    }
    memcpy(parent, path, length + 1);
    while (length > 1 && parent[length - 1] == '/') {
        parent[--length] = '\0';
    }
    char *slash = strrchr(parent, '/');
    if (slash == NULL) {
        return access(".", W_OK | X_OK) == 0;
    }
    slash[slash == parent] = '\0';
    return access(parent, W_OK | X_OK) == 0;
}

/* The same file under whatever name, also if it is not there yet. */
static bool are_same(const char *a, const char *b)
{
    struct stat first;
    struct stat second;
    if (stat(a, &first) == 0 && stat(b, &second) == 0) {
        return S_ISREG(first.st_mode) && first.st_dev == second.st_dev &&
               first.st_ino == second.st_ino;
    }
    return strcmp(a, b) == 0;
}

/* None of the outputs is another one, or a scenario that is read. */
static bool are_distinct(const struct sdsim_arguments *arguments, const char *const *outputs,
                         size_t count)
{
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < i; j++) {
            if (are_same(outputs[i], outputs[j])) {
                fprintf(stderr, "error: %s is to be written twice\n", outputs[i]);
                return false;
            }
        }
        for (size_t o = 0; o < arguments->operand_count; o++) {
            const char *operand = arguments->operands[o];
            if (access(operand, F_OK) == 0 && are_same(outputs[i], operand) &&
                sdsim_is_scenario(operand)) {
                fprintf(stderr, "error: %s is the scenario that is read, and would be replaced\n",
                        outputs[i]);
                return false;
            }
        }
    }
    return true;
}

enum sdsim_exit sdsim_outputs_check(const struct sdsim_arguments *arguments)
{
    const char *outputs[OUTPUTS];
    size_t count = 0;
    if (arguments->output != NULL) {
        outputs[count++] = arguments->output;
    }
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        if (arguments->values[files[i]] != NULL) {
            outputs[count++] = arguments->values[files[i]];
        }
    }
    const char *picture = arguments->values[SDSIM_OPTION_PICTURE];
    if (picture == NULL && arguments->values[SDSIM_OPTION_KEEP_PLOT] != NULL) {
        fputs("error: --keep-plot goes with --picture\n", stderr);
        return SDSIM_EXIT_INPUT;
    }
    if ((picture != NULL && !sdsim_plot_path_is_good(picture)) ||
        !are_distinct(arguments, outputs, count)) {
        return SDSIM_EXIT_INPUT;
    }
    for (size_t i = 0; i < count; i++) {
        if (!can_write(outputs[i])) {
            return complain(outputs[i]);
        }
    }
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        const char *folder = arguments->values[folders[i]];
        if (folder != NULL && !can_fill(folder)) {
            return complain(folder);
        }
    }
    return picture == NULL || arguments->values[SDSIM_OPTION_KEEP_PLOT] != NULL ||
                   sdsim_plot_can_draw()
               ? SDSIM_EXIT_OK
               : SDSIM_EXIT_FAULT;
}
