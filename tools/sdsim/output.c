#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool sdsim_output_open(struct sdsim_output *output)
{
    *output = (struct sdsim_output){.text = NULL};
    output->stream = open_memstream(&output->text, &output->size);
    if (output->stream == NULL) {
        fputs("error: out of memory\n", stderr);
    }
    return output->stream != NULL;
}

void sdsim_output_discard(struct sdsim_output *output)
{
    if (output->stream != NULL) {
        fclose(output->stream);
    }
    free(output->text);
    *output = (struct sdsim_output){.text = NULL};
}

/* ---- writing ---- */

static bool write_all(int file, const char *text, size_t size)
{
    while (size > 0) {
        const ssize_t written = write(file, text, size);
        if (written < 0 && errno == EINTR) {
            continue;
        }
        if (written < 0) {
            return false;
        }
        text += written;
        size -= (size_t)written;
    }
    return true;
}

/* Closes the file even if the writing failed, and keeps the first error in errno. */
static bool write_and_close(int file, const char *text, size_t size)
{
    const bool written = write_all(file, text, size);
    const int error = errno;
    const bool closed = close(file) == 0;
    if (!written) {
        errno = error;
    }
    return written && closed;
}

/* A file that is neither regular nor new (a device, a pipe) is written to as it is. */
static bool write_in_place(const char *path, const char *text, size_t size)
{
    const int file = open(path, O_WRONLY | O_CLOEXEC);
    return file >= 0 && write_and_close(file, text, size);
}

static mode_t usual_mode(void)
{
    const mode_t mask = umask(0);
    umask(mask);
    return 0666 & ~mask;
}

/* Writes a file of a temporary name beside `path` and renames it. */
static bool write_by_rename(const char *path, mode_t mode, const char *text, size_t size)
{
    char temporary[4096];
    if (snprintf(temporary, sizeof temporary, "%s.XXXXXX", path) >= (int)sizeof temporary) {
        errno = ENAMETOOLONG;
        return false;
    }
    const int file = mkstemp(temporary);
    if (file < 0) {
        return false;
    }
    const bool allowed = fchmod(file, mode) == 0;
    const bool written = write_and_close(file, text, size);
    if (allowed && written && rename(temporary, path) == 0) {
        return true;
    }
    const int error = errno;
    unlink(temporary);
    errno = error;
    return false;
}

static bool write_file(const char *path, const char *text, size_t size)
{
    struct stat status;
    if (stat(path, &status) != 0) {
        return errno == ENOENT && write_by_rename(path, usual_mode(), text, size);
    }
    if (!S_ISREG(status.st_mode)) {
        return write_in_place(path, text, size);
    }
    char *real = realpath(path, NULL); /* a link stays one: what it points to is replaced */
    const bool written = real != NULL && write_by_rename(real, status.st_mode & 0777, text, size);
    free(real);
    return written;
}

enum sdsim_exit sdsim_output_send(struct sdsim_output *output, const char *path)
{
    const bool complete = fclose(output->stream) == 0;
    output->stream = NULL;
    const char *name = path != NULL ? path : "standard output";
    bool written = false;
    if (!complete) {
        fputs("error: out of memory\n", stderr);
    } else {
        written = path != NULL ? write_file(path, output->text, output->size)
                               : write_all(STDOUT_FILENO, output->text, output->size);
        if (!written) {
            fprintf(stderr, "error: cannot write to %s: %s\n", name, strerror(errno));
        }
    }
    sdsim_output_discard(output);
    return written ? SDSIM_EXIT_OK : SDSIM_EXIT_FAULT;
}

/* ---- style ---- */

static bool wants_colors(void)
{
    const char *none = getenv("NO_COLOR");
    const char *terminal = getenv("TERM");
    return (none == NULL || none[0] == '\0') && (terminal == NULL || strcmp(terminal, "dumb") != 0);
}

struct sdsim_style sdsim_output_style(const struct sdsim_arguments *arguments)
{
    const bool terminal = arguments->output == NULL && isatty(STDOUT_FILENO) != 0;
    return (struct sdsim_style){
        .color = arguments->color == SDSIM_COLOR_ALWAYS ||
                 (arguments->color == SDSIM_COLOR_AUTO && terminal && wants_colors()),
        .utf8 = terminal && strcmp(nl_langinfo(CODESET), "UTF-8") == 0,
    };
}
