#include "output.h"

#include <errno.h>
#include <langinfo.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "replacement.h"

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

static bool write_file(const char *path, const char *text, size_t size)
{
    struct sdsim_replacement replacement;
    const int file = sdsim_replacement_open(&replacement, path);
    if (file < 0) {
        return false;
    }
    if (write_and_close(file, text, size)) {
        return sdsim_replacement_finish(&replacement);
    }
    sdsim_replacement_discard(&replacement);
    return false;
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
