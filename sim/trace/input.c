#include "trace/input.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

enum {
    WINDOW = 1 << 18,      /* bytes of the window at first: it should stay in the cache */
    PACKED = 1 << 17,      /* bytes read of a compressed file at once */
    MOST_SEEN = 64 << 20,  /* bytes anybody may ask to see at once */
    WINDOW_LOG_LIMIT = 23, /* of zstd: 8 MiB */
};

struct sdsim_input {
    char *name;
    struct sdsim_diags *diags;
    int file; /* -1: memory */
    bool owns_file;
    const char *memory; /* what is left of it */
    size_t memory_size;
    char *window; /* NULL: the memory itself is looked at */
    size_t capacity;
    size_t begin; /* what is in the window */
    size_t end;
    uint64_t offset; /* of `begin` */
    bool at_end;     /* nothing more comes into the window */
    bool failed;
    ZSTD_DStream *zstd; /* NULL: plain */
    bool in_frame;      /* the frame at hand is not complete */
    char *packed;
    ZSTD_inBuffer in;
};

const char *sdsim_input_name(const struct sdsim_input *input)
{
    return input->name;
}

uint64_t sdsim_input_offset(const struct sdsim_input *input)
{
    return input->offset;
}

bool sdsim_input_failed(const struct sdsim_input *input)
{
    return input->failed;
}

struct sdsim_diags *sdsim_input_diags(const struct sdsim_input *input)
{
    return input->diags;
}

static void fail(struct sdsim_input *input, const char *what, const char *why)
{
    if (!input->failed) {
        sdsim_error(input->diags, input->name, "%s after %" PRIu64 " bytes: %s", what,
                    input->offset + (input->end - input->begin), why);
    }
    input->failed = true;
    input->at_end = true;
}

/* Reads up to `room` bytes from where the input comes from; 0 at its end, or after a fault. */
static size_t read_raw(struct sdsim_input *input, char *out, size_t room)
{
    if (input->file < 0) {
        const size_t size = input->memory_size < room ? input->memory_size : room;
        if (size > 0) {
            memcpy(out, input->memory, size);
            input->memory += size;
            input->memory_size -= size;
        }
        return size;
    }
    for (;;) {
        const ssize_t got = read(input->file, out, room);
        if (got >= 0) {
            return (size_t)got;
        }
        if (errno != EINTR) {
            fail(input, "cannot be read", strerror(errno));
            return 0;
        }
    }
}

/* Unpacks until something comes out or the input ends. */
static size_t read_packed(struct sdsim_input *input, char *out, size_t room)
{
    ZSTD_outBuffer unpacked = {.dst = out, .size = room};
    while (unpacked.pos == 0) {
        if (input->in.pos == input->in.size) {
            input->in.size = read_raw(input, input->packed, PACKED);
            input->in.pos = 0;
            if (input->in.size == 0 && !input->failed && input->in_frame) {
                fail(input, "the compressed data ends", "it was cut off");
            }
            if (input->in.size == 0) {
                return 0;
            }
        }
        const size_t state = ZSTD_decompressStream(input->zstd, &unpacked, &input->in);
        if (ZSTD_isError(state)) {
            fail(input, "the compressed data is damaged", ZSTD_getErrorName(state));
            return unpacked.pos;
        }
        input->in_frame = state != 0;
    }
    return unpacked.pos;
}

static size_t read_more(struct sdsim_input *input, char *out, size_t room)
{
    return input->zstd != NULL ? read_packed(input, out, room) : read_raw(input, out, room);
}

/* Makes room for `least` bytes from `begin` on. */
static bool make_room(struct sdsim_input *input, size_t least)
{
    const size_t held = input->end - input->begin;
    if (input->begin > 0) {
        memmove(input->window, input->window + input->begin, held);
        input->begin = 0;
        input->end = held;
    }
    if (least > input->capacity) {
        size_t capacity = input->capacity;
        while (capacity < least) {
            capacity *= 2;
        }
        char *grown = realloc(input->window, capacity);
        if (grown == NULL) {
            fail(input, "cannot be read", "out of memory");
            return false;
        }
        input->window = grown;
        input->capacity = capacity;
    }
    return true;
}

const char *sdsim_input_peek(struct sdsim_input *input, size_t least, size_t *size)
{
    assert(least >= 1 && least <= MOST_SEEN);
    if (input->window == NULL) {
        *size = input->memory_size;
        return input->memory;
    }
    if (input->end - input->begin < least && !input->at_end && make_room(input, least)) {
        while (input->end < input->capacity && !input->at_end) {
            const size_t got =
                read_more(input, input->window + input->end, input->capacity - input->end);
            input->end += got;
            input->at_end = input->at_end || got == 0;
            if (input->end >= least && input->end > input->capacity / 2) {
                break;
            }
        }
    }
    *size = input->end - input->begin;
    return input->window + input->begin;
}

void sdsim_input_take(struct sdsim_input *input, size_t size)
{
    if (input->window == NULL) {
        assert(size <= input->memory_size);
        input->memory += size;
        input->memory_size -= size;
    } else {
        assert(size <= input->end - input->begin);
        input->begin += size;
    }
    input->offset += size;
}

/* ---- opening ---- */

static bool is_packed(const char *bytes, size_t size)
{
    return size >= 4 && memcmp(bytes, "\x28\xB5\x2F\xFD", 4) == 0;
}

/* What was read so far turns out to be compressed: it becomes what is unpacked. */
static bool start_unpacking(struct sdsim_input *input)
{
    input->packed = malloc(PACKED);
    input->zstd = ZSTD_createDStream();
    if (input->packed == NULL || input->zstd == NULL ||
        ZSTD_isError(ZSTD_DCtx_setParameter(input->zstd, ZSTD_d_windowLogMax, WINDOW_LOG_LIMIT))) {
        return false;
    }
    const size_t size = input->end - input->begin;
    assert(size <= PACKED);
    memcpy(input->packed, input->window + input->begin, size);
    input->in = (ZSTD_inBuffer){.src = input->packed, .size = size};
    input->in_frame = true;
    input->begin = input->end = 0;
    return true;
}

static struct sdsim_input *new_input(const char *name, struct sdsim_diags *diags)
{
    struct sdsim_input *input = calloc(1, sizeof *input);
    if (input != NULL) {
        *input = (struct sdsim_input){.name = strdup(name), .diags = diags, .file = -1};
        if (input->name == NULL) {
            free(input);
            input = NULL;
        }
    }
    if (input == NULL) {
        sdsim_error(diags, name, "out of memory");
    }
    return input;
}

static bool need_window(struct sdsim_input *input)
{
    input->window = malloc(WINDOW);
    input->capacity = WINDOW;
    return input->window != NULL;
}

/* Reads the first bytes and decides whether they are compressed. */
static bool look_at_start(struct sdsim_input *input)
{
    while (input->end < 4 && !input->at_end) {
        const size_t got = read_raw(input, input->window + input->end, 4096 - input->end);
        input->end += got;
        input->at_end = input->at_end || got == 0;
    }
    if (is_packed(input->window, input->end)) {
        input->at_end = false;
        return start_unpacking(input);
    }
    return true;
}

static struct sdsim_input *finish_opening(struct sdsim_input *input, bool done)
{
    if (!done) {
        sdsim_error(input->diags, input->name, "out of memory");
    }
    if (!done || input->failed) {
        sdsim_input_close(input);
        return NULL;
    }
    return input;
}

struct sdsim_input *sdsim_input_open(const char *path, struct sdsim_diags *diags)
{
    const bool standard = strcmp(path, "-") == 0;
    struct sdsim_input *input = new_input(standard ? "<stdin>" : path, diags);
    if (input == NULL) {
        return NULL;
    }
    input->file = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (input->file < 0) {
        sdsim_error(diags, path, "cannot be read: %s", strerror(errno));
        sdsim_input_close(input);
        return NULL;
    }
    input->owns_file = !standard;
    return finish_opening(input, need_window(input) && look_at_start(input));
}

struct sdsim_input *sdsim_input_memory(const char *name, const void *bytes, size_t size,
                                       struct sdsim_diags *diags)
{
    struct sdsim_input *input = new_input(name, diags);
    if (input == NULL) {
        return NULL;
    }
    input->memory = size > 0 ? bytes : "";
    input->memory_size = size;
    if (!is_packed(input->memory, size)) {
        return input;
    }
    return finish_opening(input, need_window(input) && look_at_start(input));
}

void sdsim_input_close(struct sdsim_input *input)
{
    if (input == NULL) {
        return;
    }
    if (input->owns_file && input->file >= 0) {
        (void)close(input->file);
    }
    ZSTD_freeDStream(input->zstd);
    free(input->packed);
    free(input->window);
    free(input->name);
    free(input);
}
