#include "big_output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool complain(const struct sdsim_big_output *output, int error)
{
    fprintf(stderr, "error: cannot write to %s: %s\n",
            output->path != NULL ? output->path : "standard output", strerror(error));
    return false;
}

static FILE *open_stream(struct sdsim_big_output *output)
{
    if (output->path == NULL) {
        return tmpfile();
    }
    const int file = sdsim_replacement_open(&output->replacement, output->path);
    FILE *stream = file >= 0 ? fdopen(file, "w") : NULL;
    if (file >= 0 && stream == NULL) {
        const int error = errno;
        close(file);
        sdsim_replacement_discard(&output->replacement);
        errno = error;
    }
    return stream;
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
    sdsim_replacement_discard(&output->replacement);
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
    fine = fine && closed && sdsim_replacement_finish(&output->replacement);
    if (!fine) {
        complain(output, errno != 0 ? errno : EIO);
    }
    sdsim_big_output_discard(output);
    return fine ? SDSIM_EXIT_OK : SDSIM_EXIT_FAULT;
}
