#include "trace/binary.h"

#include <stdlib.h>
#include <zstd.h>

#include "trace/binary_layout.h"

struct binary_sink {
    struct sdsim_block_sink base;
    FILE *out;
    ZSTD_CCtx *zstd; /* NULL: plain */
    bool started;
    bool failed;
    uint16_t labels;  /* written */
    uint64_t records; /* written */
    size_t count;     /* waiting */
    struct sdsim_block_record waiting[SDSIM_BINARY_RECORDS_MAX];
    uint64_t entries[SDSIM_BINARY_COLUMNS][SDSIM_BINARY_RECORDS_MAX];
    uint8_t chunk[SDSIM_BINARY_CHUNK_HEAD + SDSIM_BINARY_PAYLOAD_MAX];
};

enum { SHARED_LABELS = 7 };

static void write_plain(struct binary_sink *sink, const void *bytes, size_t size)
{
    sink->failed = fwrite(bytes, 1, size, sink->out) != size || sink->failed;
}

/* Compresses the bytes; the last ones end the frame. */
static void write_packed(struct binary_sink *sink, const void *bytes, size_t size, bool last)
{
    char packed[16384];
    ZSTD_inBuffer in = {.src = bytes, .size = size};
    size_t left;
    do {
        ZSTD_outBuffer out = {.dst = packed, .size = sizeof packed};
        left = ZSTD_compressStream2(sink->zstd, &out, &in, last ? ZSTD_e_end : ZSTD_e_continue);
        if (ZSTD_isError(left)) {
            sink->failed = true;
            return;
        }
        write_plain(sink, packed, out.pos);
    } while (last ? left > 0 : in.pos < in.size);
}

static void write_bytes(struct binary_sink *sink, const void *bytes, size_t size)
{
    if (sink->zstd != NULL) {
        write_packed(sink, bytes, size, false);
    } else {
        write_plain(sink, bytes, size);
    }
}

/* Completes the chunk whose payload of `size` bytes is in place, and writes it. */
static void write_chunk(struct binary_sink *sink, uint32_t type, uint32_t count, size_t size)
{
    uint8_t *head = sink->chunk;
    uint8_t *payload = head + SDSIM_BINARY_CHUNK_HEAD;
    const size_t padded = sdsim_binary_padded(size);
    memset(payload + size, 0, padded - size);
    sdsim_binary_put(head, 4, type);
    sdsim_binary_put(head + 4, 4, padded);
    sdsim_binary_put(head + 8, 4, count);
    sdsim_binary_put(head + 12, 4, 0);
    const uint64_t check = sdsim_binary_check(0, head, SDSIM_BINARY_CHECKED_HEAD);
    sdsim_binary_put(head + 16, 8, sdsim_binary_check(check, payload, padded));
    write_bytes(sink, head, SDSIM_BINARY_CHUNK_HEAD + padded);
}

static void start_file(struct binary_sink *sink, const struct sdsim_trace_info *info)
{
    uint8_t head[SDSIM_BINARY_FILE_HEAD] = {0};
    memcpy(head, SDSIM_BINARY_MAGIC, SDSIM_BINARY_MAGIC_BYTES);
    sdsim_binary_put(head + SDSIM_BINARY_MAGIC_BYTES, 2, SDSIM_BINARY_VERSION);
    write_bytes(sink, head, sizeof head);
    sink->started = true;

    char *payload = (char *)sink->chunk + SDSIM_BINARY_CHUNK_HEAD;
    size_t used = 0;
    uint32_t count = 0;
    const char *key;
    const char *value;
    /* 256 headers of 4000 bytes are the most there are: they fit. */
    for (; info != NULL && sdsim_trace_header_at(info, count, &key, &value); count++) {
        const size_t key_length = strlen(key);
        const size_t length = strlen(value);
        if (used + key_length + length + 2 > SDSIM_BINARY_PAYLOAD_MAX) {
            break;
        }
        memcpy(payload + used, key, key_length);
        payload[used + key_length] = '=';
        memcpy(payload + used + key_length + 1, value, length);
        used += key_length + length + 2;
        payload[used - 1] = '\n';
    }
    if (count > 0) {
        write_chunk(sink, SDSIM_BINARY_HEAD, count, used);
    }
}

/* Writes the labels that came since the last time. */
static void write_labels(struct binary_sink *sink, const struct sdsim_trace_info *info)
{
    char *payload = (char *)sink->chunk + SDSIM_BINARY_CHUNK_HEAD;
    size_t used = 0;
    uint32_t count = 0;
    while (sink->labels < UINT16_MAX) {
        const char *text = sdsim_trace_label_text(info, (uint16_t)(sink->labels + 1));
        const size_t length = strlen(text);
        if (length == 0 || used + length + 1 > SDSIM_BINARY_PAYLOAD_MAX) {
            break;
        }
        memcpy(payload + used, text, length);
        used += length + 1;
        payload[used - 1] = '\n';
        sink->labels++;
        count++;
    }
    if (count > 0) {
        write_chunk(sink, SDSIM_BINARY_LABL, count, used);
    }
}

/* ---- records ---- */

static uint64_t zigzag(uint64_t distance)
{
    return distance << 1 ^ (0 - (distance >> 63));
}

/* The largest unit that all times of the chunk are whole numbers of: 0 ps, 1 ns, 2 us. */
static unsigned common_unit(const struct binary_sink *sink)
{
    static const sdsim_ps units[] = {1, SDSIM_NS, SDSIM_US};
    unsigned unit = 2;
    for (size_t i = 0; i < sink->count && unit > 0; i++) {
        const struct sdsim_block_record *r = &sink->waiting[i];
        const sdsim_ps start = (r->flags & SDSIM_TRACE_HAS_START) != 0 ? r->start : 0;
        const sdsim_ps duration = (r->flags & SDSIM_TRACE_HAS_DURATION) != 0 ? r->duration : 0;
        while (r->kind != SDSIM_TRACE_MARK && unit > 0 &&
               (start % units[unit] != 0 || duration % units[unit] != 0)) {
            unit--;
        }
    }
    return unit;
}

/* What is said once for a chunk. */
struct bases {
    unsigned unit;
    uint64_t start;
    uint64_t duration;
    uint32_t lba;
    uint32_t count;
    uint32_t marks;
    uint32_t kind;
};

static struct bases bases_of(const struct binary_sink *sink, sdsim_ps *unit)
{
    static const sdsim_ps units[] = {1, SDSIM_NS, SDSIM_US};
    struct bases bases = {.unit = common_unit(sink), .duration = UINT64_MAX, .count = UINT32_MAX};
    bool have_start = false;
    bool have_lba = false;
    *unit = units[bases.unit];
    for (size_t i = 0; i < sink->count; i++) {
        const struct sdsim_block_record *r = &sink->waiting[i];
        if (r->kind == SDSIM_TRACE_MARK) {
            bases.marks++;
            continue;
        }
        if (i == bases.marks) { /* the first that is none */
            bases.kind = r->kind | (uint32_t)r->flags << 4;
        }
        if ((r->flags & SDSIM_TRACE_HAS_START) != 0 && !have_start) {
            bases.start = r->start / *unit;
            have_start = true;
        }
        if ((r->flags & SDSIM_TRACE_HAS_DURATION) != 0 && r->duration / *unit < bases.duration) {
            bases.duration = r->duration / *unit;
        }
        if (r->count > 0 && !have_lba) {
            bases.lba = r->lba;
            have_lba = true;
        }
        bases.count = r->count < bases.count ? r->count : bases.count;
    }
    bases.duration = bases.duration == UINT64_MAX ? 0 : bases.duration;
    bases.count = bases.count == UINT32_MAX ? 0 : bases.count;
    return bases;
}

/* Fills the columns; returns how many records are no marks. */
static size_t fill_columns(struct binary_sink *sink, const struct bases *bases, sdsim_ps unit)
{
    uint64_t(*const e)[SDSIM_BINARY_RECORDS_MAX] = sink->entries;
    uint64_t lba = bases->lba;
    uint64_t start = bases->start;
    size_t n = 0;
    for (size_t i = 0; i < sink->count; i++) {
        const struct sdsim_block_record *r = &sink->waiting[i];
        if (r->kind == SDSIM_TRACE_MARK) {
            e[SDSIM_BINARY_KIND][i] = r->kind ^ bases->kind;
            continue;
        }
        const bool has_range = r->kind != SDSIM_TRACE_SYNC && r->kind != SDSIM_TRACE_STATUS;
        const bool has_start = (r->flags & SDSIM_TRACE_HAS_START) != 0;
        const bool has_duration = (r->flags & SDSIM_TRACE_HAS_DURATION) != 0;
        const uint64_t count = has_range ? r->count : 0;
        const uint64_t here = has_range ? r->lba : lba;
        const uint64_t now = has_start ? r->start / unit : start;
        e[SDSIM_BINARY_KIND][i] = bases->kind ^ (r->kind | (uint64_t)r->flags << 4);
        e[SDSIM_BINARY_LBA][n] = zigzag(here - lba);
        e[SDSIM_BINARY_COUNT][n] = count - bases->count;
        e[SDSIM_BINARY_START][n] = zigzag(now - start);
        e[SDSIM_BINARY_DURATION][n] = has_duration ? r->duration / unit - bases->duration : 0;
        e[SDSIM_BINARY_REPEAT][n] = (uint64_t)r->repeat - 1;
        e[SDSIM_BINARY_LABEL][n] = r->label;
        lba = here + count;
        start = now;
        n++;
    }
    return n;
}

static unsigned width_of(const uint64_t *entries, size_t count)
{
    uint64_t all = 0;
    for (size_t i = 0; i < count; i++) {
        all |= entries[i];
    }
    return all == 0 ? 0 : all <= UINT8_MAX ? 1 : all <= UINT16_MAX ? 2 : all <= UINT32_MAX ? 4 : 8;
}

static void write_records(struct binary_sink *sink)
{
    uint8_t *payload = sink->chunk + SDSIM_BINARY_CHUNK_HEAD;
    sdsim_ps unit;
    const struct bases bases = bases_of(sink, &unit);
    const size_t calls = fill_columns(sink, &bases, unit);
    size_t used = SDSIM_BINARY_COLUMNS_HEAD;
    for (int c = 0; c < SDSIM_BINARY_COLUMNS; c++) {
        const size_t count = c == SDSIM_BINARY_KIND ? sink->count : calls;
        const unsigned width = width_of(sink->entries[c], count);
        payload[c] = (uint8_t)width;
        for (size_t i = 0; i < count; i++) {
            sdsim_binary_put(payload + used + width * i, width, sink->entries[c][i]);
        }
        const size_t padded = sdsim_binary_padded(width * count);
        memset(payload + used + width * count, 0, padded - width * count);
        used += padded;
    }
    payload[SDSIM_BINARY_COLUMNS] = (uint8_t)bases.unit;
    sdsim_binary_put(payload + 8, 8, bases.start);
    sdsim_binary_put(payload + 16, 8, bases.duration);
    sdsim_binary_put(payload + 24, 4, bases.lba);
    sdsim_binary_put(payload + 28, 4, bases.count);
    sdsim_binary_put(payload + 32, 4, bases.marks);
    sdsim_binary_put(payload + 36, 4, bases.kind);
    for (size_t i = 0; i < sink->count; i++) {
        const struct sdsim_block_record *r = &sink->waiting[i];
        if (r->kind == SDSIM_TRACE_MARK) {
            uint8_t *mark = payload + used;
            sdsim_binary_put(mark, 8, r->answer);
            sdsim_binary_put(mark + 8, 4, r->line);
            sdsim_binary_put(mark + 12, 4, r->repetition);
            sdsim_binary_put(mark + 16, 4, r->result);
            sdsim_binary_put(mark + 20, 4, r->answer_kind);
            used += SDSIM_BINARY_MARK;
        }
    }
    write_chunk(sink, SDSIM_BINARY_RECS, (uint32_t)sink->count, used);
    sink->records += sink->count;
    sink->count = 0;
}

static bool binary_put(struct sdsim_block_sink *base, const struct sdsim_trace_info *info,
                       const struct sdsim_block_record *records, size_t count)
{
    struct binary_sink *sink = (struct binary_sink *)base;
    if (!sink->started) {
        start_file(sink, info);
    }
    write_labels(sink, info);
    while (count > 0) {
        const size_t room = SDSIM_BINARY_RECORDS_MAX - sink->count;
        const size_t part = count < room ? count : room;
        memcpy(sink->waiting + sink->count, records, part * sizeof *records);
        sink->count += part;
        records += part;
        count -= part;
        if (sink->count == SDSIM_BINARY_RECORDS_MAX) {
            write_records(sink);
        }
    }
    return !sink->failed;
}

static bool binary_finish(struct sdsim_block_sink *base)
{
    struct binary_sink *sink = (struct binary_sink *)base;
    if (!sink->started) {
        start_file(sink, NULL);
    }
    if (sink->count > 0) {
        write_records(sink);
    }
    sdsim_binary_put(sink->chunk + SDSIM_BINARY_CHUNK_HEAD, 8, sink->records);
    write_chunk(sink, SDSIM_BINARY_DONE, 0, 8);
    if (sink->zstd != NULL) {
        write_packed(sink, NULL, 0, true);
    }
    const bool done = !sink->failed && ferror(sink->out) == 0;
    ZSTD_freeCCtx(sink->zstd);
    free(sink);
    return done;
}

struct sdsim_block_sink *sdsim_binary_sink(FILE *out)
{
    struct binary_sink *sink = malloc(sizeof *sink);
    if (sink != NULL) {
        sink->base = (struct sdsim_block_sink){.put = binary_put, .finish = binary_finish};
        sink->out = out;
        sink->zstd = NULL;
        sink->started = sink->failed = false;
        sink->labels = SHARED_LABELS;
        sink->records = 0;
        sink->count = 0;
    }
    return sink == NULL ? NULL : &sink->base;
}

struct sdsim_block_sink *sdsim_binary_sink_zstd(FILE *out)
{
    enum { LEVEL = 3 }; /* higher ones gain little on columns */
    struct sdsim_block_sink *base = sdsim_binary_sink(out);
    if (base != NULL) {
        struct binary_sink *sink = (struct binary_sink *)base;
        sink->zstd = ZSTD_createCCtx();
        if (sink->zstd == NULL ||
            ZSTD_isError(ZSTD_CCtx_setParameter(sink->zstd, ZSTD_c_compressionLevel, LEVEL)) ||
            ZSTD_isError(ZSTD_CCtx_setParameter(sink->zstd, ZSTD_c_checksumFlag, 1))) {
            ZSTD_freeCCtx(sink->zstd);
            free(sink);
            base = NULL;
        }
    }
    return base;
}
