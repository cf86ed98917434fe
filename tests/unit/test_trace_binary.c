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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trips), cmocka_unit_test(test_cuts),
        cmocka_unit_test(test_damage),      cmocka_unit_test(test_forged),
        cmocka_unit_test(test_messages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
