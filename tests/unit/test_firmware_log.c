/*
 * Recordings of firmware: fixed lines and bytes and what they mean, what is said about bad ones, and
 * the two traces made of them. That everything comes back is property/firmware_log's part.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "firmware/trace_host.h"
#include "trace/firmware_trace.h"
#include "trace/formats.h"

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

/* Lines that were printed once and must be read for ever: a write of 32 sectors at 8192, which began
 * at 4.711 s and took 812 us. */
#define HEAD_LINE  "sdt1:AQEAAAAAAADo5UcAAAAAAAAAAIRo"
#define WRITE_LINE "sdt1:EQAgAAAgAABY4kcALAMAAAEAAH+m"
#define END_LINE   "sdt1:AgAAAAEAAAAAAAAAAAAAAAIAAINs"

/* ---- recording ---- */

struct tape {
    struct sdtrace trace;
    struct sdtrace_record ring[64];
    char *bytes;
    size_t size;
};

static void start_tape(struct tape *tape, uint64_t micros)
{
    memset(tape, 0, sizeof *tape);
    trace_host_micros = micros;
    trace_host_out = open_memstream(&tape->bytes, &tape->size);
    assert_non_null(trace_host_out);
    sdtrace_init(&tape->trace, tape->ring, COUNT(tape->ring), SDTRACE_STOP_WHEN_FULL);
}

static void end_tape(struct tape *tape, bool raw)
{
    if (raw) {
        sdtrace_dump_raw(&tape->trace);
    } else {
        sdtrace_dump(&tape->trace);
    }
    assert_int_equal(fclose(trace_host_out), 0);
}

static void block(struct tape *tape, enum sdtrace_kind kind, uint32_t lba, uint32_t count,
                  uint32_t micros, int32_t result)
{
    const uint32_t start = sdtrace_now();
    trace_host_micros += micros;
    sdtrace_block(&tape->trace, kind, lba, count, start, result);
}

static void file(struct tape *tape, enum sdtrace_kind kind, uint8_t handle, uint64_t bytes,
                 int32_t result)
{
    const uint32_t start = sdtrace_now();
    trace_host_micros += 10;
    sdtrace_file(&tape->trace, kind, handle, bytes, start, result);
}

static void open_file(struct tape *tape, uint8_t handle, const char *name, enum sdtrace_mode mode,
                      int32_t result)
{
    const uint32_t start = sdtrace_now();
    trace_host_micros += 10;
    sdtrace_open(&tape->trace, handle, name, mode, 0, start, result);
}

/* ---- reading ---- */

/* All messages as one text, to be freed. */
static char *messages(const struct sdsim_diags *diags)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    sdsim_diags_print(diags, out);
    assert_int_equal(fclose(out), 0);
    return text;
}

static void test_fixed_lines(void **state)
{
    (void)state;
    static const char log[] = "\x1b[0;32mI (4711) main: logging\r\n" HEAD_LINE "\r\n"
                              "12:34:56.789 > " WRITE_LINE " and more\nW (4720) wifi" END_LINE;
    struct sdsim_diags diags;
    sdsim_diags_init(&diags);
    struct sdsim_firmware_log *reader =
        sdsim_firmware_log_open(sdsim_input_memory("serial.log", log, sizeof log - 1, &diags));
    assert_non_null(reader);
    struct sdsim_firmware_event event;
    assert_true(sdsim_firmware_log_next(reader, &event));
    assert_int_equal(event.kind, SDSIM_FIRMWARE_WRITE);
    assert_int_equal(event.lba, 8192);
    assert_int_equal(event.count, 32);
    assert_int_equal(event.result, 0);
    assert_int_equal(event.start, 4711000 * SDSIM_US);
    assert_int_equal(event.duration, 812 * SDSIM_US);
    assert_int_equal(sdsim_firmware_log_line(reader), 3);
    assert_false(sdsim_firmware_log_next(reader, &event));
    assert_false(sdsim_firmware_log_failed(reader));
    assert_int_equal(diags.count, 0);
    sdsim_firmware_log_close(reader);
    sdsim_diags_free(&diags);
}

/* The header still prints those lines. */
static void test_header_prints_them(void **state)
{
    (void)state;
    struct tape tape;
    start_tape(&tape, 4711000);
    block(&tape, SDTRACE_WRITE, 8192, 32, 812, 0);
    trace_host_micros += 100;
    end_tape(&tape, false);
    assert_string_equal(tape.bytes, HEAD_LINE "\n" WRITE_LINE "\n" END_LINE "\n");
    free(tape.bytes);
}

#define MAGIC "sdtrace1\r\n\032\n\0\0\0"
#define RAW_HEAD                                                                                   \
    "\x01\x01\0\0"                                                                                 \
    "\0\0\0\0"                                                                                     \
    "\0\0\0\0"                                                                                     \
    "\0\0\0\0"

/* What is said about logs that are not as they should be. */
static void test_messages(void **state)
{
    (void)state;
    static const struct {
        const char *log;
        size_t size;
        bool failed;
        size_t events;
        const char *message; /* NULL: none */
    } rows[] = {
#define ROW(text) text, sizeof text - 1
        {ROW("nothing\nat all\n"), true, 0, "no line of a recording (sdt1:) is in this file"},
        {ROW(""), true, 0, "no line of a recording"},
        {ROW("sdt1:"), true, 0, "no line of a recording"},
        {ROW(HEAD_LINE "\n" WRITE_LINE "\n"), false, 1, NULL},
        {ROW("\n" WRITE_LINE "\n" END_LINE "\n"), false, 1,
         "log:2: warning: 1 line of the recording is missing before this line"},
        {ROW(HEAD_LINE "\n" END_LINE "\n"), false, 0,
         "log:2: warning: 1 line of the recording is missing before this line"},
        {ROW(HEAD_LINE "\nsdt1:EQAgAAAgAABY4kcALAMAAAEAAH+n\n" END_LINE "\n"), false, 0,
         "log:2: warning: a damaged line of the recording is left out"},
        {ROW(HEAD_LINE "\nsdt1:EQAgAAAg" WRITE_LINE "\n" END_LINE "\n"), false, 1,
         "log:2: warning: a damaged line of the recording is left out"},
        {ROW(HEAD_LINE "\n" WRITE_LINE "\n" HEAD_LINE "\n" WRITE_LINE "\n"), false, 2,
         "log:3: warning: the board was restarted here"},
        {ROW("sdt1:AQIAAAAAAAAAAAAAAAAAAAAAAFwu\n"), true, 0,
         "log:1: error: another version of sdtrace.h made this"},
        {ROW("sdtrace1\n\n\x1a\n"), true, 0, "the head of the raw dump is damaged"},
        {ROW(MAGIC "\0"), true, 0, "the dump is cut off: it has no end (offset 16)"},
        {ROW(MAGIC "\0" RAW_HEAD "\x11"), true, 0,
         "the dump is cut off: it has no end (offset 32)"},
        {ROW(MAGIC "\0" RAW_HEAD "\x02\0\0\0"
                   "\0\0\0\0"
                   "\0\0\0\0"
                   "\0\0\0\0"),
         true, 0, "the CRC at the end of the dump is wrong (offset 32)"},
        {ROW(MAGIC "\0" RAW_HEAD "\x7c\0\0\0"
                   "\0\0\0\0"
                   "\0\0\0\0"
                   "\0\0\0\0"),
         true, 0, "a record of unknown kind 124 is left out"},
#undef ROW
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct sdsim_diags diags;
        sdsim_diags_init(&diags);
        struct sdsim_firmware_log *reader =
            sdsim_firmware_log_open(sdsim_input_memory("log", rows[i].log, rows[i].size, &diags));
        struct sdsim_firmware_event event;
        size_t events = 0;
        while (reader != NULL && sdsim_firmware_log_next(reader, &event)) {
            events++;
        }
        const bool failed = reader == NULL || sdsim_firmware_log_failed(reader);
        char *text = messages(&diags);
        const bool said =
            rows[i].message == NULL ? diags.count == 0 : strstr(text, rows[i].message) != NULL;
        if (failed != rows[i].failed || events != rows[i].events || !said ||
            failed != (diags.errors > 0)) {
            fail_msg("row %zu: failed %d, %zu events: %s", i, failed, events, text);
        }
        free(text);
        sdsim_firmware_log_close(reader);
        sdsim_diags_free(&diags);
    }
}

/* After a restart the clock begins at zero; times go on behind those from before. */
static void test_restart(void **state)
{
    (void)state;
    struct tape first;
    struct tape second;
    start_tape(&first, 5000000);
    block(&first, SDTRACE_READ, 1, 1, 1000, 0);
    end_tape(&first, false);
    start_tape(&second, 300);
    block(&second, SDTRACE_READ, 2, 1, 50, 0);
    end_tape(&second, false);
    char both[1000];
    (void)snprintf(both, sizeof both, "%s%s", first.bytes, second.bytes);
    struct sdsim_diags diags;
    sdsim_diags_init(&diags);
    struct sdsim_firmware_log *reader =
        sdsim_firmware_log_open(sdsim_input_memory("log", both, strlen(both), &diags));
    struct sdsim_firmware_event event;
    assert_true(sdsim_firmware_log_next(reader, &event));
    assert_int_equal(event.start, 5000000 * SDSIM_US);
    assert_true(sdsim_firmware_log_next(reader, &event));
    assert_int_equal(event.lba, 2);
    assert_int_equal(event.start, (5001000 + 300) * SDSIM_US);
    assert_int_equal(event.duration, 50 * SDSIM_US);
    assert_int_equal(diags.warnings, 1);
    sdsim_firmware_log_close(reader);
    sdsim_diags_free(&diags);
    free(first.bytes);
    free(second.bytes);
}

/* A board that runs for a year: its times don't fit picoseconds, so they begin at the first record. */
static void test_long_running(void **state)
{
    (void)state;
    struct tape tape;
    start_tape(&tape, 100);
    for (int i = 0; i < 10; i++) { /* the slow clock, milliseconds, wraps after 49 days */
        trace_host_micros += UINT64_C(36) * 86400 * 1000000;
        sdtrace_tick(&tape.trace);
    }
    block(&tape, SDTRACE_READ, 1, 1, 1000, 0);
    trace_host_micros += 500;
    block(&tape, SDTRACE_READ, 2, 1, 1000, 0);
    end_tape(&tape, true);
    struct sdsim_diags diags;
    sdsim_diags_init(&diags);
    struct sdsim_firmware_log *reader =
        sdsim_firmware_log_open(sdsim_input_memory("log", tape.bytes, tape.size, &diags));
    struct sdsim_firmware_event event;
    assert_true(sdsim_firmware_log_next(reader, &event));
    assert_int_equal(event.start, 0);
    assert_true(sdsim_firmware_log_next(reader, &event));
    assert_int_equal(event.start, 1500 * SDSIM_US);
    assert_false(sdsim_firmware_log_next(reader, &event));
    assert_int_equal(diags.count, 0);
    sdsim_firmware_log_close(reader);
    sdsim_diags_free(&diags);
    free(tape.bytes);
}

/* ---- blocks ---- */

/* Two calls that overlap, as two cores make them, and marks. */
static void record_blocks(struct tape *tape, bool raw)
{
    start_tape(tape, 1000);
    const uint32_t start = sdtrace_now();
    trace_host_micros += 10;
    block(tape, SDTRACE_READ, 7, 1, 20, 0);
    trace_host_micros += 5;
    sdtrace_block(&tape->trace, SDTRACE_WRITE, 100, 64, start, 0); /* 1000 to 1035 */
    sdtrace_mark(&tape->trace, 3, 0);
    block(tape, SDTRACE_SYNC, 0, 0, 8, 0);
    file(tape, SDTRACE_FILE_WRITE, 1, 512, 0);
    block(tape, SDTRACE_TRIM, 4096, 100000, 30, 0);
    sdtrace_mark(&tape->trace, 0, 0);
    block(tape, SDTRACE_STATUS, 0, 0, 2, 0);
    block(tape, SDTRACE_READ, 9, 2, 40, 5);
    end_tape(tape, raw);
}

static void test_blocks(void **state)
{
    (void)state;
    static const struct {
        uint8_t kind;
        uint32_t lba;
        uint32_t count;
        uint32_t start;
        uint32_t duration;
        const char *label;
        bool failed;
    } rows[] = {
        {SDSIM_TRACE_WRITE, 100, 64, 1000, 35, "", false},
        {SDSIM_TRACE_READ, 7, 1, 1010, 20, "", false},
        {SDSIM_TRACE_SYNC, 0, 0, 1035, 8, "mark 3", false},
        {SDSIM_TRACE_TRIM, 4096, 100000, 1053, 30, "mark 3", false},
        {SDSIM_TRACE_STATUS, 0, 0, 1083, 2, "", false},
        {SDSIM_TRACE_READ, 9, 2, 1085, 40, "", true},
    };
    static const size_t batches[] = {1, 4, 100};
    for (size_t i = 0; i < 2 * COUNT(batches); i++) {
        struct tape tape;
        record_blocks(&tape, i % 2 == 1);
        struct sdsim_diags diags;
        sdsim_diags_init(&diags);
        struct sdsim_trace trace;
        static const struct sdsim_trace_options options;
        assert_true(sdsim_trace_open(
            &trace, sdsim_input_memory("log", tape.bytes, tape.size, &diags), NULL, &options));
        assert_string_equal(trace.format->name, "sdtrace");
        struct sdsim_block_record records[100];
        size_t at = 0;
        for (size_t n; (n = trace.blocks->next(trace.blocks, records, batches[i / 2])) != 0;) {
            assert_true(n <= batches[i / 2] && at + n <= COUNT(rows));
            for (size_t k = 0; k < n; k++, at++) {
                assert_int_equal(records[k].kind, rows[at].kind);
                assert_int_equal(records[k].lba, rows[at].lba);
                assert_int_equal(records[k].count, rows[at].count);
                assert_int_equal(records[k].start, rows[at].start * SDSIM_US);
                assert_int_equal(records[k].duration, rows[at].duration * SDSIM_US);
                assert_int_equal(records[k].repeat, 1);
                assert_string_equal(sdsim_trace_label_text(trace.info, records[k].label),
                                    rows[at].label);
                assert_int_equal((records[k].flags & SDSIM_TRACE_FAILED) != 0, rows[at].failed);
            }
        }
        assert_int_equal(at, COUNT(rows));
        assert_false(sdsim_trace_failed(&trace));
        assert_int_equal(diags.count, 0);
        sdsim_trace_close(&trace);
        sdsim_diags_free(&diags);
        free(tape.bytes);
    }
}

/* A call that lasts longer than the reader can look ahead is told, and keeps its end. */
static void test_very_long_call(void **state)
{
    (void)state;
    struct tape *tape = calloc(1, sizeof *tape);
    struct sdtrace_record *ring = calloc(300, sizeof *ring);
    assert_non_null(tape);
    assert_non_null(ring);
    start_tape(tape, 1000);
    sdtrace_init(&tape->trace, ring, 300, SDTRACE_STOP_WHEN_FULL);
    const uint32_t start = sdtrace_now();
    for (uint32_t i = 0; i < 200; i++) {
        block(tape, SDTRACE_READ, i, 1, 10, 0);
    }
    sdtrace_block(&tape->trace, SDTRACE_WRITE, 1000, 1, start, 0);
    end_tape(tape, false);
    struct sdsim_diags diags;
    sdsim_diags_init(&diags);
    struct sdsim_block_source *source =
        sdsim_firmware_blocks_open(sdsim_input_memory("log", tape->bytes, tape->size, &diags));
    struct sdsim_block_record record;
    sdsim_ps last = 0;
    sdsim_ps end_of_write = 0;
    size_t count = 0;
    for (; source->next(source, &record, 1) == 1; count++) {
        assert_true(record.start >= last);
        last = record.start;
        end_of_write = record.lba == 1000 ? record.start + record.duration : end_of_write;
    }
    assert_int_equal(count, 201);
    assert_int_equal(end_of_write, 3000 * SDSIM_US);
    assert_int_equal(diags.warnings, 1);
    source->close(source);
    sdsim_diags_free(&diags);
    free(tape->bytes);
    free(ring);
    free(tape);
}

/* ---- files ---- */

static void record_files(struct tape *tape)
{
    start_tape(tape, 1000);
    open_file(tape, 200, "0:/LOGS/A.CSV", SDTRACE_CREATE, 0);
    open_file(tape, 7, "/sdcard/b c.txt", SDTRACE_APPEND, 0);
    block(tape, SDTRACE_READ, 7, 1, 20, 0);
    file(tape, SDTRACE_FILE_WRITE, 200, 512, 0);
    file(tape, SDTRACE_FILE_WRITE, 7, UINT64_C(5000000000), 0);
    file(tape, SDTRACE_FILE_SYNC, 200, 0, 0);
    file(tape, SDTRACE_FILE_WRITE, 200, 512, 4); /* failed */
    file(tape, SDTRACE_FILE_READ, 99, 512, 0);   /* never opened */
    open_file(tape, 8, "missing", SDTRACE_READ_ONLY, 4);
    open_file(tape, 200, "", SDTRACE_READ_ONLY, 0); /* its close is missing; no name */
    file(tape, SDTRACE_SEEK, 200, 4096, 0);
    file(tape, SDTRACE_CLOSE, 7, 0, 0);
    file(tape, SDTRACE_CLOSE, 200, 0, 0);
    open_file(tape, 1, "dir\\", SDTRACE_UPDATE_NEW, 0);
    end_tape(tape, false);
}

/* The operations as text, and the messages behind them. */
static char *list_files(const struct tape *tape, const char *wanted)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    struct sdsim_diags diags;
    sdsim_diags_init(&diags);
    const struct sdsim_trace_options options = {.file = wanted};
    struct sdsim_op_source *source = sdsim_firmware_ops_open(
        sdsim_input_memory("log", tape->bytes, tape->size, &diags), &options);
    struct sdsim_op op;
    uint32_t line;
    while (source->next(source, &op, &line)) {
        assert_true(line > 0);
        sdsim_ops_text_put(out, &op);
    }
    assert_false(source->failed);
    for (size_t i = 0; i < diags.count; i++) {
        (void)fprintf(out, "%s\n", diags.items[i].text);
    }
    source->close(source);
    sdsim_diags_free(&diags);
    assert_int_equal(fclose(out), 0);
    return text;
}

static void test_files(void **state)
{
    (void)state;
    struct tape tape;
    record_files(&tape);
    char *text = list_files(&tape, NULL);
    assert_string_equal(text,
                        "mount\n"
                        "@1ms +10us open A.CSV w\n"
                        "@1.01ms +10us @1 open \"b c.txt\" a\n"
                        "@1.04ms +10us write 512\n"
                        "@1.05ms +10us @1 write 5000000000\n"
                        "@1.06ms +10us sync\n"
                        "@1.1ms close\n"
                        "@1.1ms +10us open FILE-200 r\n"
                        "@1.11ms +10us seek 4096\n"
                        "@1.12ms +10us @1 close\n"
                        "@1.13ms +10us close\n"
                        "@1.14ms +10us open FILE-1 rw\n"
                        "2 file calls that failed are left out\n"
                        "1 file calls are left out: their files' opening is missing, or more than "
                        "10 were open\n");
    free(text);
    text = list_files(&tape, "c.txt");
    assert_string_equal(text, "mount\n"
                              "@1.01ms +10us open \"b c.txt\" a\n"
                              "@1.05ms +10us write 5000000000\n"
                              "@1.12ms +10us close\n"
                              "2 file calls that failed are left out\n"
                              "1 file calls are left out: their files' opening is missing, or more "
                              "than 10 were open\n");
    free(text);
    free(tape.bytes);
}

static void test_look(void **state)
{
    (void)state;
    struct tape tape;
    for (int raw = 0; raw < 2; raw++) {
        start_tape(&tape, 0);
        end_tape(&tape, raw);
        struct sdsim_firmware_look look = sdsim_firmware_log_look(tape.bytes, tape.size);
        assert_true(look.is_log && !look.blocks && !look.files);
        free(tape.bytes);
        start_tape(&tape, 0);
        file(&tape, SDTRACE_CLOSE, 1, 0, 0);
        end_tape(&tape, raw);
        look = sdsim_firmware_log_look(tape.bytes, tape.size);
        assert_true(look.is_log && !look.blocks && look.files);
        free(tape.bytes);
        record_blocks(&tape, raw);
        look = sdsim_firmware_log_look(tape.bytes, tape.size);
        assert_true(look.is_log && look.blocks && look.files);
        free(tape.bytes);
    }
    assert_false(sdsim_firmware_log_look("sdt1:AAAA sdt1", 14).is_log);
    assert_false(sdsim_firmware_log_look("", 0).is_log);
}

/* ---- memory ---- */

static void test_out_of_memory(void **state)
{
    (void)state;
    static const char log[] = HEAD_LINE "\n" WRITE_LINE "\n" END_LINE "\n";
    for (int ops = 0; ops < 2; ops++) {
        for (size_t n = 1;; n++) {
            struct sdsim_diags diags;
            sdsim_diags_init(&diags);
            struct sdsim_input *input = sdsim_input_memory("log", log, sizeof log - 1, &diags);
            assert_non_null(input);
            sdsim_test_fail_allocation(n);
            struct sdsim_block_source *blocks = NULL;
            struct sdsim_op_source *files = NULL;
            if (ops) {
                files = sdsim_firmware_ops_open(input, NULL);
            } else {
                blocks = sdsim_firmware_blocks_open(input);
            }
            const bool failed = sdsim_test_allocation_failed();
            const bool opened = blocks != NULL || files != NULL;
            assert_true(failed ? !opened && diags.errors > 0 : opened);
            if (blocks != NULL) {
                blocks->close(blocks);
            }
            if (files != NULL) {
                files->close(files);
            }
            sdsim_diags_free(&diags);
            if (!failed) {
                break;
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fixed_lines),    cmocka_unit_test(test_header_prints_them),
        cmocka_unit_test(test_messages),       cmocka_unit_test(test_restart),
        cmocka_unit_test(test_long_running),   cmocka_unit_test(test_blocks),
        cmocka_unit_test(test_very_long_call), cmocka_unit_test(test_files),
        cmocka_unit_test(test_look),           cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
