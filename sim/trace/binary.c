#include "trace/binary.h"

#include <inttypes.h>
#include <stdlib.h>

#include "core/load.h"
#include "trace/binary_columns.h"
#include "trace/binary_layout.h"
#include "trace/source.h"

#define PRIME 0x9E3779B97F4A7C15u

struct binary_source {
    struct sdsim_block_source base;
    struct sdsim_input *input;
    bool started;
    bool done;        /* the DONE chunk was seen */
    uint64_t records; /* given out */
    size_t chunk;     /* bytes of the chunk at hand, taken off when it is used up; 0: none */
    struct sdsim_binary_columns columns;
};

/* ---- the check ---- */

static inline uint64_t mix(uint64_t h, uint64_t w)
{
    h = (h ^ w) * PRIME;
    return h << 29 | h >> 35;
}

uint64_t sdsim_binary_check(uint64_t check, const void *bytes, size_t size)
{
    const uint8_t *b = bytes;
    uint64_t h[4] = {check + 1, check + 2, check + 3, check + 4};
    size_t i = 0;
    for (; i + 32 <= size; i += 32) {
        for (size_t k = 0; k < 4; k++) {
            h[k] = mix(h[k], sdsim_load64(b + i + 8 * k));
        }
    }
    for (size_t k = 0; i + 8 <= size; i += 8, k++) {
        h[k] = mix(h[k], sdsim_load64(b + i));
    }
    uint64_t all = 0;
    for (size_t k = 0; k < 4; k++) {
        all = mix(all, h[k]);
    }
    return all;
}

/* ---- faults ---- */

static size_t fail(struct binary_source *source, const char *what)
{
    sdsim_error(sdsim_input_diags(source->input), sdsim_input_name(source->input),
                "%s at byte %" PRIu64 ", behind %" PRIu64 " records", what,
                sdsim_input_offset(source->input), source->records);
    source->base.failed = true;
    return 0;
}

/* ---- chunks ---- */

/* "text\n" of a chunk of texts, one after the other; false if there is none. */
static bool next_text(const char **at, const char *end, const char **text, size_t *length)
{
    const char *newline = *at < end ? memchr(*at, '\n', (size_t)(end - *at)) : NULL;
    if (newline == NULL) {
        return false;
    }
    *text = *at;
    *length = (size_t)(newline - *at);
    *at = newline + 1;
    return true;
}

static bool read_headers(struct binary_source *source, const char *payload, size_t size,
                         uint32_t count)
{
    const char *end = payload + size;
    for (uint32_t i = 0; i < count; i++) {
        char line[4200];
        const char *text;
        size_t length;
        if (!next_text(&payload, end, &text, &length) || length >= sizeof line) {
            return false;
        }
        memcpy(line, text, length);
        line[length] = '\0';
        char *equals = strchr(line, '=');
        if (equals == NULL) {
            return false;
        }
        *equals = '\0';
        (void)sdsim_trace_set_header(source->base.info, line, equals + 1);
    }
    return true;
}

static bool read_labels(struct binary_source *source, const char *payload, size_t size,
                        uint32_t count)
{
    const char *end = payload + size;
    for (uint32_t i = 0; i < count; i++) {
        const char *text;
        size_t length;
        if (!next_text(&payload, end, &text, &length)) {
            return false;
        }
        (void)sdsim_trace_label(source->base.info, text, length);
    }
    return true;
}

/* Reads the chunk in `bytes`; false if it is damaged, although its check is right. */
static bool read_chunk(struct binary_source *source, const uint8_t *bytes, size_t size)
{
    const uint32_t type = (uint32_t)sdsim_binary_get(bytes, 4);
    const uint32_t count = (uint32_t)sdsim_binary_get(bytes + 8, 4);
    const uint8_t *payload = bytes + SDSIM_BINARY_CHUNK_HEAD;
    switch (type) {
    case SDSIM_BINARY_HEAD:
        return read_headers(source, (const char *)payload, size, count);
    case SDSIM_BINARY_LABL:
        return read_labels(source, (const char *)payload, size, count);
    case SDSIM_BINARY_RECS:
        return sdsim_binary_columns_find(&source->columns, payload, size, count);
    case SDSIM_BINARY_DONE:
        source->done = size == 8 && sdsim_binary_get(payload, 8) == source->records;
        return source->done;
    default:
        return false;
    }
}

static bool start_file(struct binary_source *source)
{
    size_t size;
    const char *bytes = sdsim_input_peek(source->input, SDSIM_BINARY_FILE_HEAD, &size);
    if (size < SDSIM_BINARY_FILE_HEAD ||
        memcmp(bytes, SDSIM_BINARY_MAGIC, SDSIM_BINARY_MAGIC_BYTES) != 0) {
        fail(source, "this is no sdsim trace, or one whose line ends were converted,");
        return false;
    }
    if (sdsim_binary_get(bytes + SDSIM_BINARY_MAGIC_BYTES, 2) != SDSIM_BINARY_VERSION) {
        fail(source, "a trace of another version; this program reads version 1,");
        return false;
    }
    sdsim_input_take(source->input, SDSIM_BINARY_FILE_HEAD);
    source->started = true;
    return true;
}

/* Drops the chunk at hand and reads the next one; false at the end and after a fault. */
static bool next_chunk(struct binary_source *source)
{
    struct sdsim_input *input = source->input;
    if (!source->started && !start_file(source)) {
        return false;
    }
    sdsim_input_take(input, source->chunk);
    source->chunk = 0;
    size_t there;
    const char *bytes = sdsim_input_peek(input, SDSIM_BINARY_CHUNK_HEAD, &there);
    if (source->done) {
        if (there > 0) {
            fail(source, "there is something behind the end of the trace");
        }
        source->base.failed = source->base.failed || sdsim_input_failed(input);
        return false;
    }
    if (there < SDSIM_BINARY_CHUNK_HEAD) {
        fail(source, "the trace was cut off");
        return false;
    }
    const size_t size = (size_t)sdsim_binary_get(bytes + 4, 4);
    if (size > SDSIM_BINARY_PAYLOAD_MAX || size % 8 != 0) {
        fail(source, "the trace is damaged");
        return false;
    }
    bytes = sdsim_input_peek(input, SDSIM_BINARY_CHUNK_HEAD + size, &there);
    if (there < SDSIM_BINARY_CHUNK_HEAD + size) {
        fail(source, "the trace was cut off");
        return false;
    }
    const uint64_t head = sdsim_binary_check(0, bytes, SDSIM_BINARY_CHECKED_HEAD);
    if (sdsim_binary_check(head, bytes + SDSIM_BINARY_CHUNK_HEAD, size) !=
            sdsim_binary_get(bytes + SDSIM_BINARY_CHECKED_HEAD, 8) ||
        !read_chunk(source, (const uint8_t *)bytes, size)) {
        fail(source, "the trace is damaged");
        return false;
    }
    source->chunk = SDSIM_BINARY_CHUNK_HEAD + size;
    return true;
}

/* ---- ---- */

static size_t binary_next(struct sdsim_block_source *base, struct sdsim_block_record *records,
                          size_t most)
{
    struct binary_source *source = (struct binary_source *)base;
    while (source->columns.at.left == 0) {
        if (base->failed || !next_chunk(source)) {
            return 0;
        }
    }
    const size_t count = sdsim_binary_columns_take(&source->columns, records, most);
    if (count == 0) {
        source->columns.at.left = 0;
        return fail(source, "impossible values");
    }
    source->records += count;
    return count;
}

static void binary_close(struct sdsim_block_source *base)
{
    struct binary_source *source = (struct binary_source *)base;
    sdsim_trace_info_free(base->info);
    sdsim_input_close(source->input);
    free(source);
}

struct sdsim_block_source *sdsim_binary_open(struct sdsim_input *input)
{
    struct sdsim_trace_info *info;
    struct binary_source *source = sdsim_trace_source_new(input, sizeof *source, &info);
    if (source == NULL) {
        return NULL;
    }
    source->base =
        (struct sdsim_block_source){.next = binary_next, .close = binary_close, .info = info};
    source->input = input;
    return &source->base;
}
