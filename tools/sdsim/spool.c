#include "spool.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture/pins.h"

static const char standard_input[] = "/dev/stdin";

enum {
    HEAD = 4096,
    BLOCK = 1 << 16,
    SCENARIO = 2 << 20, /* more than a scenario may be large, so that it is refused for that */
};

/* What was read of a stream, and what is still to come. */
struct stream {
    const char *name; /* as the user gave it, for messages */
    int from;
    int to; /* a temporary file, or the end of a pipe */
    size_t size;
    char head[HEAD];
};

/* ---- what it is ---- */

/* A line that begins with "kind:", as every file of YAML has. */
static bool is_yaml(const char *head, size_t size)
{
    static const char key[] = "kind:";
    const char *line = head;
    const char *end = head + size;
    while ((size_t)(end - line) >= sizeof key - 1 && memcmp(line, key, sizeof key - 1) != 0) {
        const char *newline = memchr(line, '\n', (size_t)(end - line));
        line = newline != NULL ? newline + 1 : end;
    }
    return (size_t)(end - line) >= sizeof key - 1;
}

uint64_t sdsim_spool_scenario(const char *head, size_t size)
{
    (void)head;
    (void)size;
    return SCENARIO;
}

uint64_t sdsim_spool_usual(const char *head, size_t size)
{
    static const char timeline[] = "sdsimTL\n";
    if (sdsim_pins_recognise((const unsigned char *)head, size) ||
        (size >= sizeof timeline - 1 && memcmp(head, timeline, sizeof timeline - 1) == 0)) {
        return UINT64_MAX;
    }
    return is_yaml(head, size) ? SCENARIO : 0;
}

bool sdsim_is_scenario(const char *name)
{
    char head[HEAD];
    struct stat status;
    const size_t length = strlen(name);
    if (sdsim_is_stream(name)) {
        return false;
    }
    if (stat(name, &status) != 0 || S_ISDIR(status.st_mode) ||
        (length > 5 && strcmp(name + length - 5, ".yaml") == 0)) {
        return true;
    }
    FILE *file = fopen(name, "rb");
    if (file == NULL) {
        return false;
    }
    const size_t size = fread(head, 1, sizeof head, file);
    (void)fclose(file);
    return is_yaml(head, size) && !sdsim_pins_recognise((const unsigned char *)head, size);
}

/* ---- moving bytes ---- */

static ssize_t read_some(int file, char *out, size_t size)
{
    ssize_t got;
    do {
        got = read(file, out, size);
    } while (got < 0 && errno == EINTR);
    return got;
}

static bool write_all(int file, const char *bytes, size_t size)
{
    while (size > 0) {
        const ssize_t written = write(file, bytes, size);
        if (written < 0 && errno != EINTR) {
            return false;
        }
        bytes += written > 0 ? written : 0;
        size -= written > 0 ? (size_t)written : 0;
    }
    return true;
}

/* Fills the head. False: errno says why. */
static bool read_head(struct stream *stream)
{
    while (stream->size < HEAD) {
        const ssize_t got =
            read_some(stream->from, stream->head + stream->size, HEAD - stream->size);
        if (got < 0) {
            return false;
        }
        if (got == 0) {
            return true;
        }
        stream->size += (size_t)got;
    }
    return true;
}

/* The head and the rest, `most` bytes or a block more. False: errno says why; *reading: it was the
 * reading. */
static bool copy_all(const struct stream *stream, uint64_t most, char *block, bool *reading)
{
    *reading = false;
    if (!write_all(stream->to, stream->head, stream->size)) {
        return false;
    }
    for (uint64_t copied = stream->size;;) {
        const ssize_t got = read_some(stream->from, block, BLOCK);
        if (got <= 0) {
            *reading = got < 0;
            return got == 0;
        }
        if (!write_all(stream->to, block, (size_t)got)) {
            return false;
        }
        copied += (uint64_t)got;
        if (copied >= most) {
            return true;
        }
    }
}

/* ---- a file ---- */

/* A file that nobody else sees; -1: errno says why. */
static int nameless_file(void)
{
    const char *folder = getenv("TMPDIR");
    char path[PATH_MAX];
    if (snprintf(path, sizeof path, "%s/sdsim-XXXXXX",
                 folder != NULL && folder[0] != '\0' ? folder : "/tmp") >= (int)sizeof path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    const int file = mkstemp(path);
    if (file >= 0) {
        (void)unlink(path);
    }
    return file;
}

static enum sdsim_exit store(struct stream *stream, uint64_t most)
{
    char *block = malloc(BLOCK);
    bool reading = false;
    stream->to = nameless_file();
    const bool fine = block != NULL && stream->to >= 0 && copy_all(stream, most, block, &reading) &&
                      lseek(stream->to, 0, SEEK_SET) == 0;
    if (!fine && reading) {
        fprintf(stderr, "error: cannot read %s: %s\n", stream->name, strerror(errno));
    } else if (!fine) {
        fprintf(stderr,
                "error: cannot keep %s in a temporary file: %s\n"
                "help: TMPDIR says where; or write it to a file first\n",
                stream->name, strerror(errno));
    }
    free(block);
    return fine ? SDSIM_EXIT_OK : SDSIM_EXIT_FAULT;
}

/* ---- a pipe ---- */

/* Feeds the pipe; ends with the program. Who reads it may stop early. */
static void *pump(void *context)
{
    struct stream *stream = context;
    char *block = malloc(BLOCK);
    bool reading;
    if (block != NULL) {
        (void)copy_all(stream, UINT64_MAX, block, &reading);
    }
    (void)close(stream->to);
    free(block);
    free(stream);
    return NULL;
}

/* The stream as it would be if nobody had looked at its head. -1 without memory, or pipes. */
static int pass_on(struct stream **stream)
{
    pthread_t thread;
    sigset_t all;
    sigset_t before;
    int ends[2];
    if (pipe(ends) != 0) {
        return -1;
    }
    (*stream)->to = ends[1];
    (void)sigfillset(&all); /* signals are for the program; a broken pipe ends only the feeding */
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    const int error = pthread_create(&thread, NULL, pump, *stream);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (error != 0) {
        (void)close(ends[0]);
        (void)close(ends[1]);
        errno = error;
        return -1;
    }
    (void)pthread_detach(thread);
    *stream = NULL; /* the thread's */
    return ends[0];
}

/* ---- operands ---- */

static bool is_standard(const char *name)
{
    return strcmp(name, "-") == 0;
}

bool sdsim_is_stream(const char *name)
{
    struct stat status;
    if (is_standard(name)) {
        return true;
    }
    return stat(name, &status) == 0 && S_ISFIFO(status.st_mode);
}

/* Whether standard input is a file, at its beginning, that can be opened again. */
static bool is_whole_file(void)
{
    struct stat status;
    const bool regular = fstat(STDIN_FILENO, &status) == 0 && S_ISREG(status.st_mode) &&
                         lseek(STDIN_FILENO, 0, SEEK_CUR) == 0;
    const int again = regular ? open(standard_input, O_RDONLY | O_CLOEXEC) : -1;
    if (again >= 0) {
        (void)close(again);
    }
    return again >= 0;
}

static enum sdsim_exit name_operand(char **operand, const char *name)
{
    char *copy = strdup(name); /* for as long as the program runs, as the other operands */
    if (copy == NULL) {
        fputs("error: out of memory\n", stderr);
        return SDSIM_EXIT_FAULT;
    }
    *operand = copy;
    return SDSIM_EXIT_OK;
}

/* Gives the operand a descriptor as its name. What is standard input stays that. */
static enum sdsim_exit rename_operand(char **operand, int file)
{
    if (is_standard(*operand)) {
        const bool moved = dup2(file, STDIN_FILENO) >= 0;
        (void)close(file);
        return moved ? name_operand(operand, standard_input) : SDSIM_EXIT_FAULT;
    }
    char name[32];
    snprintf(name, sizeof name, "/dev/fd/%d", file);
    return name_operand(operand, name);
}

/* Standard input that is a file needs no other; it is opened by name if it is read more than once. */
static enum sdsim_exit take_file(char **operand, struct stream *stream,
                                 sdsim_needs_file *needs_file)
{
    const ssize_t got = pread(STDIN_FILENO, stream->head, HEAD, 0);
    return got >= 0 && needs_file(stream->head, (size_t)got) > 0
               ? name_operand(operand, standard_input)
               : SDSIM_EXIT_OK;
}

static enum sdsim_exit spool(char **operand, struct stream **stream, sdsim_needs_file *needs_file)
{
    struct stream *s = *stream;
    if (is_standard(*operand) && is_whole_file()) {
        return take_file(operand, s, needs_file);
    }
    s->from = is_standard(*operand) ? dup(STDIN_FILENO) : open(*operand, O_RDONLY | O_CLOEXEC);
    if (s->from < 0 || !read_head(s)) {
        fprintf(stderr, "error: cannot read %s: %s\n", s->name, strerror(errno));
        return SDSIM_EXIT_INPUT;
    }
    const uint64_t kept = needs_file(s->head, s->size);
    if (kept > 0) {
        const enum sdsim_exit code = store(s, kept);
        return code == SDSIM_EXIT_OK ? rename_operand(operand, s->to) : code;
    }
    const int end = pass_on(stream);
    if (end < 0) {
        fprintf(stderr, "error: cannot read %s: %s\n", s->name, strerror(errno));
        return SDSIM_EXIT_FAULT;
    }
    if (is_standard(*operand)) { /* its name says that it can be read once */
        const bool moved = dup2(end, STDIN_FILENO) >= 0;
        (void)close(end);
        return moved ? SDSIM_EXIT_OK : SDSIM_EXIT_FAULT;
    }
    return rename_operand(operand, end);
}

enum sdsim_exit sdsim_spool_operands(const struct sdsim_arguments *arguments,
                                     sdsim_needs_file *needs_file)
{
    enum sdsim_exit code = SDSIM_EXIT_OK;
    bool standard = false;
    for (size_t i = 0; i < arguments->operand_count && code == SDSIM_EXIT_OK; i++) {
        char **operand = &arguments->operands[i];
        if (!sdsim_is_stream(*operand)) {
            continue;
        }
        if (is_standard(*operand) && standard) {
            fputs("error: '-' is there twice, and standard input can be read once\n", stderr);
            return SDSIM_EXIT_INPUT;
        }
        standard = standard || is_standard(*operand);
        struct stream *stream = calloc(1, sizeof *stream);
        if (stream == NULL) {
            fputs("error: out of memory\n", stderr);
            return SDSIM_EXIT_FAULT;
        }
        stream->name = is_standard(*operand) ? "standard input" : *operand;
        code = spool(operand, &stream, needs_file);
        free(stream);
    }
    return code;
}
