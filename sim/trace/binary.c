#include "trace/binary.h"

#include <inttypes.h>
#include <stdlib.h>

#include "core/load.h"
#include "fat/session.h"
#include "trace/binary_layout.h"
#include "trace/source.h"

/* Records unpacked at once: columns of that many entries stay in the first-level cache. */
enum { BATCH = 128 };

#define PRIME 0x9E3779B97F4A7C15u

struct binary_source {
    struct sdsim_block_source base;
    struct sdsim_input *input;
    bool started;
    bool done;        /* the DONE chunk was seen */
    uint64_t records; /* given out */
    size_t chunk;     /* bytes of the chunk at hand, taken off when it is used up; 0: none */
    const uint8_t *columns[SDSIM_BINARY_COLUMNS];
    uint8_t width[SDSIM_BINARY_COLUMNS];
    const uint8_t *marks; /* the next mark */
    uint32_t marks_left;
    uint32_t left; /* records of the chunk */
    sdsim_ps unit;
    uint64_t lba;   /* expected */
    uint64_t start; /* in units */
    uint64_t duration;
    uint64_t count;
    uint64_t kind;                     /* of the first */
    bool zeroed[SDSIM_BINARY_COLUMNS]; /* all entries below are 0 */
    uint64_t entries[SDSIM_BINARY_COLUMNS][BATCH];
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

/* Finds the columns of a chunk of records; false if they are not what they should be. */
static bool find_columns(struct binary_source *source, const uint8_t *payload, size_t size,
                         uint32_t count)
{
    static const sdsim_ps units[] = {1, SDSIM_NS, SDSIM_US};
    static const uint8_t widest[SDSIM_BINARY_COLUMNS] = {
        [SDSIM_BINARY_KIND] = 1,  [SDSIM_BINARY_LBA] = 8,      [SDSIM_BINARY_COUNT] = 4,
        [SDSIM_BINARY_START] = 8, [SDSIM_BINARY_DURATION] = 8, [SDSIM_BINARY_REPEAT] = 4,
        [SDSIM_BINARY_LABEL] = 2,
    };
    if (size < SDSIM_BINARY_COLUMNS_HEAD || count == 0 || count > SDSIM_BINARY_RECORDS_MAX ||
        payload[SDSIM_BINARY_COLUMNS] > 2) {
        return false;
    }
    const uint32_t marks = (uint32_t)sdsim_binary_get(payload + 32, 4);
    size_t at = SDSIM_BINARY_COLUMNS_HEAD;
    if (marks > count) {
        return false;
    }
    for (int i = 0; i < SDSIM_BINARY_COLUMNS; i++) {
        const uint8_t width = payload[i];
        const size_t entries = i == SDSIM_BINARY_KIND ? count : count - marks;
        if (width > widest[i] || (width & (width - 1)) != 0) {
            return false;
        }
        source->width[i] = width;
        source->columns[i] = payload + at;
        at += sdsim_binary_padded(width * entries);
        if (at > size) {
            return false;
        }
    }
    source->marks = payload + at;
    source->marks_left = marks;
    source->left = count;
    source->unit = units[payload[SDSIM_BINARY_COLUMNS]];
    source->start = sdsim_binary_get(payload + 8, 8);
    source->duration = sdsim_binary_get(payload + 16, 8);
    source->lba = sdsim_binary_get(payload + 24, 4);
    source->count = sdsim_binary_get(payload + 28, 4);
    source->kind = sdsim_binary_get(payload + 36, 4);
    return at + (size_t)SDSIM_BINARY_MARK * marks == size;
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
        return find_columns(source, payload, size, count);
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

/* ---- records ---- */

/* Makes `count` entries of `width` bytes 64 bits wide. */
static inline void widen(uint64_t *out, const uint8_t *in, unsigned width, size_t count)
{
    switch (width) {
    case 1:
        for (size_t i = 0; i < count; i++) {
            out[i] = in[i];
        }
        break;
    case 2:
        for (size_t i = 0; i < count; i++) {
            out[i] = sdsim_load16(in + 2 * i);
        }
        break;
    case 4:
        for (size_t i = 0; i < count; i++) {
            out[i] = sdsim_load32(in + 4 * i);
        }
        break;
    default:
        for (size_t i = 0; i < count; i++) {
            out[i] = sdsim_load64(in + 8 * i);
        }
    }
}

/* Unpacks `count` entries of a column and moves behind them. */
static void unpack(struct binary_source *source, enum sdsim_binary_column column, size_t count)
{
    uint64_t *out = source->entries[column];
    const uint8_t *in = source->columns[column];
    const unsigned width = source->width[column];
    source->columns[column] = in + width * count;
    if (width == 0) {
        if (!source->zeroed[column]) {
            memset(out, 0, BATCH * sizeof *out);
        }
    } else if (count == BATCH) { /* a number the compiler knows: it makes vectors of it */
        widen(out, in, width, BATCH);
    } else {
        widen(out, in, width, count);
    }
    source->zeroed[column] = width == 0;
}

static inline uint64_t unzigzag(uint64_t value)
{
    return value >> 1 ^ (0 - (value & 1));
}

/* All ones for kinds that have a range of sectors. */
static inline uint64_t range_mask(uint64_t kind)
{
    return 0 - (uint64_t)(0x1Bu >> kind & 1u); /* read, write, trim, erase */
}

/*
 * Puts `count` unpacked records together, none of them a mark; false if one is impossible. With `bare`
 * none repeats or has a label. Counts and repeats have 32 bits because their columns are no wider.
 */
static inline bool combine_as(struct binary_source *source, struct sdsim_block_record *records,
                              size_t count, bool bare)
{
    uint64_t(*const e)[BATCH] = source->entries;
    const sdsim_ps unit = source->unit;
    const uint64_t least_count = source->count;
    const uint64_t least_duration = source->duration;
    const uint64_t kind_base = source->kind;
    uint64_t lba = source->lba;
    uint64_t start = source->start;
    uint64_t bad = 0;
    for (size_t i = 0; i < count; i++) {
        const uint64_t both = e[SDSIM_BINARY_KIND][i] ^ kind_base;
        const uint64_t kind = both & 15;
        const uint64_t flags = both >> 4;
        const uint64_t range = range_mask(kind);
        const uint64_t sectors = least_count + e[SDSIM_BINARY_COUNT][i];
        const uint64_t repeat = bare ? 1 : e[SDSIM_BINARY_REPEAT][i] + 1;
        lba += unzigzag(e[SDSIM_BINARY_LBA][i]);
        start += unzigzag(e[SDSIM_BINARY_START][i]);
        records[i].start = start * unit & (0 - (flags & 1));
        records[i].duration =
            (least_duration + e[SDSIM_BINARY_DURATION][i]) * unit & (0 - (flags >> 1 & 1));
        records[i].lba = (uint32_t)(lba & range);
        records[i].count = (uint32_t)sectors;
        records[i].repeat = (uint32_t)repeat;
        records[i].label = bare ? 0 : (uint16_t)e[SDSIM_BINARY_LABEL][i];
        records[i].kind = (uint8_t)kind;
        records[i].flags = (uint8_t)flags;
        lba += sectors;
        bad |= (lba - (sectors != 0)) >> 32 | repeat >> 32 |
               (uint64_t)((sectors == 0) != (range == 0));
        bad |= flags >> 3 | (uint64_t)(kind >= SDSIM_TRACE_MARK);
    }
    source->lba = lba;
    source->start = start;
    return bad == 0;
}

/* The same for records that are all of one kind, which has a range of sectors, and have the same
 * flags, as is mostly so: what is looked at in each above is looked at once. */
static inline bool combine_alike_as(struct binary_source *source,
                                    struct sdsim_block_record *records, size_t count, bool bare)
{
    uint64_t(*const e)[BATCH] = source->entries;
    const uint64_t flags = source->kind >> 4;
    const sdsim_ps start_unit = (flags & SDSIM_TRACE_HAS_START) != 0 ? source->unit : 0;
    const sdsim_ps duration_unit = (flags & SDSIM_TRACE_HAS_DURATION) != 0 ? source->unit : 0;
    const uint64_t least_count = source->count;
    const uint64_t least_duration = source->duration;
    const uint8_t kind = source->kind & 15;
    uint64_t lba = source->lba;
    uint64_t start = source->start;
    uint64_t all = 0; /* of what must be less than 2^32 */
    for (size_t i = 0; i < count; i++) {
        const uint64_t sectors = least_count + e[SDSIM_BINARY_COUNT][i];
        const uint64_t repeat = bare ? 1 : e[SDSIM_BINARY_REPEAT][i] + 1;
        lba += unzigzag(e[SDSIM_BINARY_LBA][i]);
        start += unzigzag(e[SDSIM_BINARY_START][i]);
        records[i].start = start * start_unit;
        records[i].duration = (least_duration + e[SDSIM_BINARY_DURATION][i]) * duration_unit;
        records[i].lba = (uint32_t)lba;
        records[i].count = (uint32_t)sectors;
        records[i].repeat = (uint32_t)repeat;
        records[i].label = bare ? 0 : (uint16_t)e[SDSIM_BINARY_LABEL][i];
        records[i].kind = kind;
        records[i].flags = (uint8_t)flags;
        lba += sectors;
        all |= (lba - 1) | (sectors - 1) | repeat;
    }
    source->lba = lba;
    source->start = start;
    return flags >> 3 == 0 && all >> 32 == 0;
}

static bool combine(struct binary_source *source, struct sdsim_block_record *records, size_t count)
{
    const bool bare =
        source->width[SDSIM_BINARY_REPEAT] == 0 && source->width[SDSIM_BINARY_LABEL] == 0;
    if (source->width[SDSIM_BINARY_KIND] == 0 && range_mask(source->kind & 15) != 0) {
        return bare ? combine_alike_as(source, records, count, true)
                    : combine_alike_as(source, records, count, false);
    }
    return bare ? combine_as(source, records, count, true)
                : combine_as(source, records, count, false);
}

static bool read_mark(struct binary_source *source, struct sdsim_block_record *record)
{
    const uint8_t *mark = source->marks;
    const uint64_t answer_kind = sdsim_binary_get(mark + 20, 4);
    if (source->marks_left == 0 || answer_kind > SDSIM_ANSWER_CLUSTERS) {
        return false;
    }
    *record = (struct sdsim_block_record){
        .answer = sdsim_binary_get(mark, 8),
        .line = (uint32_t)sdsim_binary_get(mark + 8, 4),
        .repetition = (uint32_t)sdsim_binary_get(mark + 12, 4),
        .result = (uint32_t)sdsim_binary_get(mark + 16, 4),
        .answer_kind = (uint16_t)answer_kind,
        .kind = SDSIM_TRACE_MARK,
    };
    source->marks += SDSIM_BINARY_MARK;
    source->marks_left--;
    return true;
}

/* Records among which there may be marks, which have no entries but in the first column. */
static bool combine_marked(struct binary_source *source, struct sdsim_block_record *records,
                           size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const uint64_t kind = source->entries[SDSIM_BINARY_KIND][i];
        if ((kind ^ source->kind) == SDSIM_TRACE_MARK) {
            if (!read_mark(source, &records[i])) {
                return false;
            }
            continue;
        }
        const uint64_t kept = source->entries[SDSIM_BINARY_KIND][0];
        for (int c = SDSIM_BINARY_LBA; c < SDSIM_BINARY_COLUMNS; c++) {
            unpack(source, (enum sdsim_binary_column)c, 1);
        }
        source->entries[SDSIM_BINARY_KIND][0] = kind;
        const bool fine = combine(source, &records[i], 1);
        source->entries[SDSIM_BINARY_KIND][0] = kept;
        if (!fine) {
            return false;
        }
    }
    return true;
}

/* The columns of a chunk end where its marks begin; a kind column that tells of fewer marks than
 * there are would run beyond them. */
static bool marks_fit(const struct binary_source *source, size_t count)
{
    size_t marks = 0;
    for (size_t i = 0; i < count; i++) {
        marks += (source->entries[SDSIM_BINARY_KIND][i] ^ source->kind) == SDSIM_TRACE_MARK;
    }
    return marks <= source->marks_left && source->left - count >= source->marks_left - marks;
}

static size_t binary_next(struct sdsim_block_source *base, struct sdsim_block_record *records,
                          size_t most)
{
    struct binary_source *source = (struct binary_source *)base;
    while (source->left == 0) {
        if (base->failed || !next_chunk(source)) {
            return 0;
        }
    }
    size_t count = most < BATCH ? most : BATCH;
    count = count < source->left ? count : source->left;
    unpack(source, SDSIM_BINARY_KIND, count);
    bool fine;
    if (source->marks_left == 0) { /* then all columns can be unpacked together */
        for (int c = SDSIM_BINARY_LBA; c < SDSIM_BINARY_COLUMNS; c++) {
            unpack(source, (enum sdsim_binary_column)c, count);
        }
        fine = combine(source, records, count);
    } else {
        fine = marks_fit(source, count) && combine_marked(source, records, count);
    }
    if (!fine) {
        source->left = 0;
        return fail(source, "impossible values");
    }
    source->left -= (uint32_t)count;
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
