#include "big_output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool complain(const struct sdsim_big_output *output, int error)
{
    fprintf(stderr, "error: cannot write to %s: %s\n",
            output->path != NULL ? output->path : "standard output", strerror(error));
    return false;
}

static mode_t usual_mode(void)
{
    const mode_t mask = umask(0);
    umask(mask);
    return 0666 & ~mask;
}

/* Opens a file of a temporary name beside the one that is to be replaced. */
static FILE *open_beside(struct sdsim_big_output *output, mode_t mode)
{
    const size_t size = strlen(output->target) + 8;
    output->temporary = malloc(size);
    if (output->temporary == NULL) {
        return NULL;
    }
    snprintf(output->temporary, size, "%s.XXXXXX", output->target);
    const int file = mkstemp(output->temporary);
    if (file < 0) {
        const int error = errno;
        free(output->temporary);
        output->temporary = NULL;
        errno = error;
        return NULL;
    }
    FILE *stream = fchmod(file, mode) == 0 ? fdopen(file, "w") : NULL;
    if (stream == NULL) {
        const int error = errno;
        close(file);
        errno = error;
    }
    return stream;
}

static FILE *open_stream(struct sdsim_big_output *output)
{
    struct stat status;
    if (output->path == NULL) {
        return tmpfile();
    }
    if (stat(output->path, &status) == 0 && !S_ISREG(status.st_mode)) {
        return fopen(output->path, "r+"); /* a device or a pipe is written to as it is */
    }
    const bool there = access(output->path, F_OK) == 0;
    output->target = there ? realpath(output->path, NULL) : strdup(output->path);
    return output->target != NULL
               ? open_beside(output, there ? status.st_mode & 0777 : usual_mode())
               : NULL;
}

bool sdsim_big_output_open(struct sdsim_big_output *output, const char *path)
{
    *output = (struct sdsim_big_output){.path = path};
    output->stream = open_stream(output);
    return output->stream != NULL || complain(output, errno);
}

bool sdsim_big_output_failed(const struct sdsim_big_output *output)
{
    return ferror(output->stream) != 0;
}

void sdsim_big_output_discard(struct sdsim_big_output *output)
{
    if (output->stream != NULL) {
        fclose(output->stream);
    }
    if (output->temporary != NULL) {
        unlink(output->temporary);
    }
    free(output->temporary);
    free(output->target);
    *output = (struct sdsim_big_output){.stream = NULL};
}

/* From the nameless file to standard output. */
static bool copy_out(FILE *from)
{
    static const size_t size = 1 << 16;
    char *buffer = malloc(size);
    bool fine = buffer != NULL && fflush(from) == 0;
    rewind(from);
    size_t got = fine ? fread(buffer, 1, size, from) : 0;
    while (got > 0 && fine) {
        fine = fwrite(buffer, 1, got, stdout) == got;
        got = fine ? fread(buffer, 1, size, from) : 0;
    }
    free(buffer);
    return fine && fflush(stdout) == 0;
}

enum sdsim_exit sdsim_big_output_send(struct sdsim_big_output *output)
{
    bool fine = ferror(output->stream) == 0;
    if (fine && output->path == NULL) {
        fine = copy_out(output->stream);
    }
    const int error = errno;
    const bool closed = fclose(output->stream) == 0;
    output->stream = NULL;
    if (!fine) {
        errno = error;
    }
    fine = fine && closed;
    if (fine && output->temporary != NULL) {
        fine = rename(output->temporary, output->target) == 0;
    }
    if (!fine) {
        complain(output, errno != 0 ? errno : EIO);
    } else {
        free(output->temporary);
        output->temporary = NULL;
    }
    sdsim_big_output_discard(output);
    return fine ? SDSIM_EXIT_OK : SDSIM_EXIT_FAULT;
}
