/* Binary traces: what is written comes back, plain and compressed; cut off or damaged anywhere. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "core/rng.h"
#include "fat/session.h"
#include "trace/binary.h"
#include "trace/binary_layout.h"
#include "trace_text.h"

enum { MOST = 9000 };

static const uint64_t seed = 20260730;

/* A record of any shape. */
static struct sdsim_block_record any_record(struct sdsim_rng *rng, struct sdsim_trace_info *info,
                                            uint64_t shape)
{
    struct sdsim_block_record r = {.repeat = 1};
    if ((shape & 1) != 0 && sdsim_rng_below(rng, 5) == 0) {
        r.kind = SDSIM_TRACE_MARK;
        r.line = (uint32_t)sdsim_rng_below(rng, UINT32_MAX);
        r.repetition = (uint32_t)sdsim_rng_below(rng, 3);
        r.result = (uint32_t)sdsim_rng_below(rng, 20);
        r.answer_kind = (uint16_t)sdsim_rng_below(rng, SDSIM_ANSWER_CLUSTERS + 1);
        r.answer = r.answer_kind != SDSIM_ANSWER_NONE ? sdsim_rng_next(rng) : 0;
        return r;
    }
    r.kind = (uint8_t)((shape & 2) != 0 ? sdsim_rng_below(rng, SDSIM_TRACE_MARK) : 1);
    if (r.kind != SDSIM_TRACE_SYNC && r.kind != SDSIM_TRACE_STATUS) {
        r.count = 1 + (uint32_t)sdsim_rng_below(rng, (shape & 4) != 0 ? 1u << 30 : 64);
        r.lba = (uint32_t)sdsim_rng_below(rng, (uint64_t)UINT32_MAX - r.count);
    }
    if ((shape & 8) != 0) {
        const uint64_t unit = (shape & 16) != 0 ? 1 : SDSIM_US;
        r.flags = (uint8_t)sdsim_rng_below(rng, 8);
        if ((r.flags & SDSIM_TRACE_HAS_START) == 0) {
            r.flags &= (uint8_t)~SDSIM_TRACE_HAS_DURATION;
        }
        r.start = (r.flags & SDSIM_TRACE_HAS_START) != 0
                      ? sdsim_rng_below(rng, UINT64_MAX / SDSIM_US) * unit
                      : 0;
        r.duration =
            (r.flags & SDSIM_TRACE_HAS_DURATION) != 0 ? sdsim_rng_below(rng, 1u << 20) * unit : 0;
    }
    if ((shape & 32) != 0) {
        char label[16];
        snprintf(label, sizeof label, "l%u", (unsigned)sdsim_rng_below(rng, 300));
        r.label = sdsim_trace_label(info, label, strlen(label));
        r.repeat = 1 + (uint32_t)sdsim_rng_below(rng, 3) * 1000000000u;
    }
    return r;
}

static char *write_records(const struct sdsim_block_record *records, size_t count,
                           const struct sdsim_trace_info *info, bool packed, size_t *size)
{
    char *bytes = NULL;
    FILE *out = open_memstream(&bytes, size);
    struct sdsim_block_sink *sink = packed ? sdsim_binary_sink_zstd(out) : sdsim_binary_sink(out);
    assert_non_null(sink);
    for (size_t i = 0; i < count; i += 777) {
        assert_true(sink->put(sink, info, records + i, count - i < 777 ? count - i : 777));
    }
    assert_true(sink->finish(sink));
    assert_int_equal(fclose(out), 0);
    return bytes;
}

/* Reads all there is; the number of records, -1 after a fault. Compares them with `records`. */
static long read_records(const char *bytes, size_t size, const struct sdsim_block_record *records,
                         size_t count, char *message, size_t room)
{
    struct sdsim_diags diags;
    sdsim_diags_init(&diags);
    struct sdsim_input *input = sdsim_input_memory("memory", bytes, size, &diags);
    assert_non_null(input);
    struct sdsim_block_source *source = sdsim_binary_open(input);
    assert_non_null(source);
    struct sdsim_block_record got[333];
    size_t all = 0;
    size_t n;
    while ((n = source->next(source, got, 333)) > 0) {
        assert_true(all + n <= count);
        for (size_t i = 0; i < n; i++) {
            if (memcmp(&got[i], &records[all + i], sizeof got[i]) != 0) {
                fail_msg("record %zu differs", all + i);
            }
        }
        all += n;
    }
    const bool failed = source->failed;
    assert_true(failed == (diags.errors > 0));
    snprintf(message, room, "%s", diags.count > 0 ? diags.items[0].text : "");
    source->close(source);
    sdsim_diags_free(&diags);
    return failed ? -1 - (long)all : (long)all;
}

static void test_round_trips(void **state)
{
    (void)state;
    print_message("seed %llu\n", (unsigned long long)seed);
    struct sdsim_rng rng;
    sdsim_rng_seed(&rng, seed);
    struct sdsim_block_record *records = calloc(MOST, sizeof *records);
    char message[300];
    for (uint64_t shape = 0; shape < 64; shape++) {
        struct sdsim_trace_info *info = sdsim_trace_info_new();
        const size_t count = (size_t)sdsim_rng_below(&rng, MOST);
        assert_true(sdsim_trace_set_header(info, "card", "some=card"));
        for (size_t i = 0; i < count; i++) {
            records[i] = any_record(&rng, info, shape);
        }
        for (int packed = 0; packed < 2; packed++) {
            size_t size = 0;
            char *bytes = write_records(records, count, info, packed != 0, &size);
            const long got = read_records(bytes, size, records, count, message, sizeof message);
            if (got != (long)count) {
                fail_msg("shape %u: %ld of %zu records: %s", (unsigned)shape, got, count, message);
            }
            free(bytes);
        }
        sdsim_trace_info_free(info);
    }
    free(records);
}

static char *sample(size_t *size, struct sdsim_block_record *records, size_t count)
{
    struct sdsim_rng rng;
    struct sdsim_trace_info *info = sdsim_trace_info_new();
    sdsim_rng_seed(&rng, 7);
    for (size_t i = 0; i < count; i++) {
        records[i] = any_record(&rng, info, 63);
    }
    char *bytes = write_records(records, count, info, false, size);
    sdsim_trace_info_free(info);
    return bytes;
}

/* Whatever is cut off, the chunks in front of the cut come, and the message says how many. */
static void test_cuts(void **state)
{
    (void)state;
    enum { COUNT = 5000 };
    struct sdsim_block_record *records = calloc(COUNT, sizeof *records);
    size_t size = 0;
    char *bytes = sample(&size, records, COUNT);
    char message[300];
    long before = 0;
    for (size_t cut = 0; cut < size; cut += cut < 200 || cut + 200 > size ? 1
                                            : cut + 1197 > size           ? size - 199 - cut
                                                                          : 997) {
        char *part = malloc(cut + 1);
        memcpy(part, bytes, cut);
        const long got = read_records(part, cut, records, COUNT, message, sizeof message);
        assert_true(got < 0);
        assert_true(-1 - got >= before);
        before = -1 - got;
        char expected[60];
        snprintf(expected, sizeof expected, "behind %ld records", before);
        if (strstr(message, expected) == NULL) {
            fail_msg("cut at %zu: '%s' does not say '%s'", cut, message, expected);
        }
        free(part);
    }
    assert_int_equal(before, COUNT);
    free(bytes);
    free(records);
}

/* A changed byte is found, wherever it is. */
static void test_damage(void **state)
{
    (void)state;
    enum { COUNT = 300 };
    struct sdsim_block_record *records = calloc(COUNT, sizeof *records);
    size_t size = 0;
    char *bytes = sample(&size, records, COUNT);
    char message[300];
    for (size_t at = 0; at < size; at++) {
        /* Reserved bytes of the head mean nothing yet. */
        if (at >= 10 && at < 16) {
            continue;
        }
        bytes[at] = (char)(bytes[at] ^ 0x21);
        const long got = read_records(bytes, size, records, COUNT, message, sizeof message);
        if (got >= 0) {
            fail_msg("nobody noticed that byte %zu of %zu changed", at, size);
        }
        bytes[at] = (char)(bytes[at] ^ 0x21);
    }
    free(bytes);
    free(records);
}

/* Chunks with a right check and any nonsense inside do no harm. */
static void test_forged(void **state)
{
    (void)state;
    enum { COUNT = 300, ROUNDS = 3000 };
    struct sdsim_block_record *records = calloc(COUNT, sizeof *records);
    size_t size = 0;
    char *bytes = sample(&size, records, COUNT);
    struct sdsim_rng rng;
    sdsim_rng_seed(&rng, seed);
    size_t given = 0;
    for (int round = 0; round < ROUNDS; round++) {
        char *copy = malloc(size);
        memcpy(copy, bytes, size);
        for (size_t at = SDSIM_BINARY_FILE_HEAD; at + SDSIM_BINARY_CHUNK_HEAD <= size;) {
            const size_t payload = (size_t)sdsim_binary_get(copy + at + 4, 4);
            char *body = copy + at + SDSIM_BINARY_CHUNK_HEAD;
            const size_t near = sdsim_rng_below(&rng, 2) == 0 && payload > 64 ? 64 : payload;
            for (uint64_t n = sdsim_rng_below(&rng, 4); n > 0; n--) {
                body[sdsim_rng_below(&rng, near)] = (char)sdsim_rng_below(&rng, 256);
            }
            if (sdsim_rng_below(&rng, 8) == 0) {
                sdsim_binary_put(copy + at + 8, 4, sdsim_rng_below(&rng, 5000));
            }
            const uint64_t head = sdsim_binary_check(0, copy + at, SDSIM_BINARY_CHECKED_HEAD);
            sdsim_binary_put(copy + at + 16, 8, sdsim_binary_check(head, body, payload));
            at += SDSIM_BINARY_CHUNK_HEAD + payload;
        }
        char *text = sdsim_trace_as_text(copy, size, "sdt", NULL);
        given += strlen(text);
        assert_null(strstr(text, "! failed without"));
        free(text);
        free(copy);
    }
    assert_true(given > 0);
    free(bytes);
    free(records);
}

static void test_messages(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        size_t size;
        const char *expected;
    } rows[] = {
        {"", 0,
         "! 0:0: this is no sdsim trace, or one whose line ends were converted, at byte 0, "
         "behind 0 records\n"},
        {"\x89SDT\n\x1A\n", 7,
         "! 0:0: this is no sdsim trace, or one whose line ends were converted, at byte 0, behind "
         "0 "
         "records\n"},
        {"\x89SDT\r\n\x1A\n\x02\0\0\0\0\0\0\0", 16,
         "! 0:0: a trace of another version; this program reads version 1, at byte 0, behind 0 "
         "records\n"},
        {"\x89SDT\r\n\x1A\n\x01\0\0\0\0\0\0\0", 16,
         "! 0:0: the trace was cut off at byte 16, behind 0 records\n"},
        {"\x28\xB5\x2F\xFDxxxx", 8, NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char *text = sdsim_trace_as_text(rows[i].bytes, rows[i].size, "sdt", NULL);
        if (rows[i].expected == NULL) {
            assert_non_null(strstr(text, "compressed data"));
        } else {
            assert_string_equal(text, rows[i].expected);
        }
        free(text);
    }
}

/* ---- impossible values ---- */

/* The first chunk of records of a trace. */
static char *records_chunk(char *bytes, size_t size)
{
    for (size_t at = SDSIM_BINARY_FILE_HEAD; at + SDSIM_BINARY_CHUNK_HEAD <= size;) {
        if (sdsim_binary_get(bytes + at, 4) == SDSIM_BINARY_RECS) {
            return bytes + at;
        }
        at += SDSIM_BINARY_CHUNK_HEAD + (size_t)sdsim_binary_get(bytes + at + 4, 4);
    }
    fail_msg("no records");
    return NULL;
}

/* Adds `delta` to the distance of the call `index` from where it is expected. */
static void move_call(char *payload, size_t records, size_t index, int64_t delta)
{
    const unsigned width = (unsigned char)payload[SDSIM_BINARY_LBA];
    char *const entry = payload + SDSIM_BINARY_COLUMNS_HEAD +
                        sdsim_binary_padded((unsigned char)payload[SDSIM_BINARY_KIND] * records) +
                        width * index;
    const uint64_t old = sdsim_binary_get(entry, width);
    const uint64_t value = (old >> 1 ^ (0 - (old & 1))) + (uint64_t)delta;
    const uint64_t zigzag = value << 1 ^ (0 - (value >> 63));
    assert_true(width == 8 || zigzag >> 8 * width == 0);
    sdsim_binary_put(entry, width, zigzag);
}

/*
 * A range of sectors that begins below 0, or ends beyond the last, is refused, also when those behind
 * it are back where they belong; the records in front of it come, whatever way they are put together.
 */
static void test_ranges(void **state)
{
    (void)state;
    enum { COUNT = 700, ALL_KINDS = 1, LONG = 2, MARKS = 4 };
    static const struct {
        unsigned shape;
        size_t wrong; /* record */
        int64_t lba;  /* of it; 8 sectors */
        bool fine;
    } rows[] = {
        {0, 0, -1, false},
        {0, 1, -1, false},
        {0, 127, -7, false},
        {0, 128, -8, false},
        {0, 300, -500, false},
        {0, 699, -1, false},
        {0, 300, 0, true},
        {0, 300, UINT32_MAX - 7, true},
        {0, 300, (int64_t)UINT32_MAX - 6, false},
        {0, 300, (int64_t)UINT32_MAX + 1, false},
        {ALL_KINDS, 301, -1, false},
        {ALL_KINDS, 301, UINT32_MAX - 7, true},
        {ALL_KINDS, 301, (int64_t)UINT32_MAX - 6, false},
        {LONG, 301, -1, false},
        {LONG, 301, UINT32_MAX - 7, true},
        {LONG, 301, (int64_t)UINT32_MAX - 6, false},
        {MARKS, 333, -1, false},
        {MARKS, 333, UINT32_MAX - 7, true},
        {ALL_KINDS | LONG | MARKS, 600, -3, false},
    };
    struct sdsim_block_record *records = calloc(COUNT, sizeof *records);
    struct sdsim_trace_info *info = sdsim_trace_info_new();
    for (size_t row = 0; row < sizeof rows / sizeof rows[0]; row++) {
        const unsigned shape = rows[row].shape;
        const size_t wrong = rows[row].wrong;
        const uint32_t base = rows[row].lba > INT32_MAX ? 0xBFFFFFF0u : 0; /* near by */
        size_t call = 0; /* its number, without marks */
        for (size_t i = 0; i < COUNT; i++) {
            const bool mark = (shape & MARKS) != 0 && i % 5 == 4;
            const bool sync = (shape & ALL_KINDS) != 0 && i % 7 == 6;
            records[i] = (struct sdsim_block_record){
                .lba = base + (i % 2 == 0 ? 0x3FFFFFFFu : 0),
                .count = 8,
                .repeat = 1,
                .kind = SDSIM_TRACE_WRITE,
                .flags = SDSIM_TRACE_HAS_START,
                .start = (shape & LONG) != 0 ? i * 0x123456789ABu : i * 1000,
            };
            if (mark) {
                records[i] = (struct sdsim_block_record){.kind = SDSIM_TRACE_MARK, .line = 1};
            } else if (sync) {
                records[i].kind = SDSIM_TRACE_SYNC;
                records[i].lba = records[i].count = 0;
            }
            call += i < wrong && !mark;
        }
        size_t size = 0;
        char *bytes = write_records(records, COUNT, info, false, &size);
        char *chunk = records_chunk(bytes, size);
        char *payload = chunk + SDSIM_BINARY_CHUNK_HEAD;
        const int64_t delta = rows[row].lba - (int64_t)records[wrong].lba;
        move_call(payload, COUNT, call, delta);
        if (wrong + 1 < COUNT) {
            move_call(payload, COUNT, call + 1, -delta);
        }
        const uint64_t head = sdsim_binary_check(0, chunk, SDSIM_BINARY_CHECKED_HEAD);
        const size_t length = (size_t)sdsim_binary_get(chunk + 4, 4);
        sdsim_binary_put(chunk + 16, 8, sdsim_binary_check(head, payload, length));
        records[wrong].lba = (uint32_t)rows[row].lba;
        char message[300];
        char expected[60];
        const long got = read_records(bytes, size, records, COUNT, message, sizeof message);
        snprintf(expected, sizeof expected, "impossible values at byte %zu, behind %zu records",
                 (size_t)(chunk - bytes), wrong);
        if (rows[row].fine ? got != COUNT
                           : got != -1 - (long)wrong || strstr(message, expected) == NULL) {
            fail_msg("row %zu: %ld records, '%s'", row, got, message);
        }
        free(bytes);
    }
    sdsim_trace_info_free(info);
    free(records);
}

/* A count or a repetition of 2^32 would look like none. */
static void test_large_numbers(void **state)
{
    (void)state;
    static const struct {
        enum sdsim_binary_column column;
        uint32_t least; /* count */
        uint32_t value; /* entry of the column */
        bool fine;
    } rows[] = {
        {SDSIM_BINARY_COUNT, 1, UINT32_MAX - 1, true},
        {SDSIM_BINARY_COUNT, 1, UINT32_MAX, false},
        {SDSIM_BINARY_COUNT, 0, 0, false},
        {SDSIM_BINARY_COUNT, 0, 1, true},
        {SDSIM_BINARY_REPEAT, 1, UINT32_MAX - 1, true},
        {SDSIM_BINARY_REPEAT, 1, UINT32_MAX, false},
    };
    struct sdsim_block_record *records = calloc(2, sizeof *records);
    struct sdsim_trace_info *info = sdsim_trace_info_new();
    for (size_t row = 0; row < sizeof rows / sizeof rows[0]; row++) {
        for (size_t i = 0; i < 2; i++) { /* a first one that is right, and whose entry is 0 */
            records[i] = (struct sdsim_block_record){
                .count = 1, .repeat = 1, .lba = 0, .kind = SDSIM_TRACE_WRITE};
        }
        records[1].count = rows[row].column == SDSIM_BINARY_COUNT ? UINT32_MAX : 1;
        records[1].repeat = rows[row].column == SDSIM_BINARY_REPEAT ? UINT32_MAX : 1;
        records[1].lba = 0;
        size_t size = 0;
        char *bytes = write_records(records, 2, info, false, &size);
        char *chunk = records_chunk(bytes, size);
        char *payload = chunk + SDSIM_BINARY_CHUNK_HEAD;
        /* the column is the only one of four bytes: its two entries fill a word */
        size_t at = SDSIM_BINARY_COLUMNS_HEAD;
        for (int c = 0; c < (int)rows[row].column; c++) {
            at += sdsim_binary_padded(2 * (size_t)(unsigned char)payload[c]);
        }
        assert_int_equal(payload[rows[row].column], 4);
        sdsim_binary_put(payload + at, 4, rows[row].least == 0 ? 1 : 0);
        sdsim_binary_put(payload + at + 4, 4, rows[row].value);
        sdsim_binary_put(payload + 28, 4, rows[row].least);
        const uint64_t head = sdsim_binary_check(0, chunk, SDSIM_BINARY_CHECKED_HEAD);
        const size_t length = (size_t)sdsim_binary_get(chunk + 4, 4);
        sdsim_binary_put(chunk + 16, 8, sdsim_binary_check(head, payload, length));
        if (rows[row].column == SDSIM_BINARY_COUNT) {
            records[1].count = rows[row].least + rows[row].value;
        }
        char message[300];
        const long got = read_records(bytes, size, records, 2, message, sizeof message);
        if (got != (rows[row].fine ? 2 : -2)) {
            fail_msg("row %zu: %ld records, '%s'", row, got, message);
        }
        free(bytes);
    }
    sdsim_trace_info_free(info);
    free(records);
}

/* The call behind one of the card's last possible sector has no place of its own. */
static void test_end_of_card(void **state)
{
    (void)state;
    const struct sdsim_block_record records[] = {
        {.lba = UINT32_MAX, .count = 1, .repeat = 1, .kind = SDSIM_TRACE_WRITE},
        {.repeat = 1, .kind = SDSIM_TRACE_SYNC},
        {.lba = 0, .count = 1, .repeat = 1, .kind = SDSIM_TRACE_READ},
    };
    struct sdsim_trace_info *info = sdsim_trace_info_new();
    size_t size = 0;
    char message[300];
    char *bytes = write_records(records, 3, info, false, &size);
    assert_int_equal(read_records(bytes, size, records, 3, message, sizeof message), 3);
    free(bytes);
    sdsim_trace_info_free(info);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trips),   cmocka_unit_test(test_cuts),
        cmocka_unit_test(test_damage),        cmocka_unit_test(test_forged),
        cmocka_unit_test(test_messages),      cmocka_unit_test(test_ranges),
        cmocka_unit_test(test_large_numbers), cmocka_unit_test(test_end_of_card),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
