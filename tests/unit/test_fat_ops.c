#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "fat/ops.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* The operation read from a line, printed back with everything that was understood. */
static enum sdsim_op_line parse(const char *line, char *out, size_t size, struct sdsim_diags *diags)
{
    struct sdsim_op op;
    const struct sdsim_place place = {.file = "t.ops", .line = 7};
    const enum sdsim_op_line kind = sdsim_op_parse(&op, line, strlen(line), &place, diags);
    out[0] = '\0';
    if (kind != SDSIM_OP_LINE) {
        return kind;
    }
    size_t used = 0;
    used += (size_t)snprintf(out + used, size - used, "%s @%u", sdsim_op_name(op.kind), op.handle);
    if (op.kind == SDSIM_OP_OPEN) {
        used += (size_t)snprintf(out + used, size - used, " %s", sdsim_op_mode_name(op.mode));
    }
    if (op.origin != SDSIM_OP_FROM_START) {
        used += (size_t)snprintf(out + used, size - used, " %s",
                                 op.origin == SDSIM_OP_FROM_END ? "end" : "cur");
    }
    if (op.amount.bytes != 0 || op.amount.clusters != 0) {
        used += (size_t)snprintf(out + used, size - used, " %lldB%lldC", (long long)op.amount.bytes,
                                 (long long)op.amount.clusters);
    }
    const struct sdsim_op_text texts[] = {op.name, op.new_name, op.label};
    for (size_t i = 0; i < COUNT(texts); i++) {
        if (texts[i].text != NULL) {
            used += (size_t)snprintf(out + used, size - used, " [%.*s]", (int)texts[i].length,
                                     texts[i].text);
        }
    }
    if (op.has_repeat || op.repeat != 1) {
        used += (size_t)snprintf(out + used, size - used, " *%u", op.repeat);
    }
    if (op.has_start) {
        used += (size_t)snprintf(out + used, size - used, " at %llu", (unsigned long long)op.start);
    }
    if (op.has_duration) {
        (void)snprintf(out + used, size - used, " for %llu", (unsigned long long)op.duration);
    }
    return kind;
}

static void test_lines(void **unused)
{
    (void)unused;
    static const struct {
        const char *line;
        const char *expected;
    } rows[] = {
        {"mount", "mount @0"},
        {"unmount", "unmount @0"},
        {"open /A.TXT r", "open @0 r [/A.TXT]"},
        {"open /A.TXT w", "open @0 w [/A.TXT]"},
        {"open /A.TXT w+", "open @0 w+ [/A.TXT]"},
        {"open /A.TXT r+", "open @0 r+ [/A.TXT]"},
        {"open /A.TXT rw", "open @0 rw [/A.TXT]"},
        {"@9 open /A.TXT a", "open @9 a [/A.TXT]"},
        {"open /A.TXT A\r", "open @0 A [/A.TXT]"},
        {"open \"/with blank.txt\" A", "open @0 A [/with blank.txt]"},
        {"close", "close @0"},
        {"write 4096", "write @0 4096B0C"},
        {"@1 write 2c+100 *30", "write @1 100B2C *30"},
        {"write 1c-1 *1", "write @0 -1B1C *1"},
        {"read 4k+2s", "read @0 5120B0C"},
        {"read 1m", "read @0 1048576B0C"},
        {"seek 0", "seek @0"},
        {"seek 4096m-1c", "seek @0 4294967296B-1C"},
        {"seek end", "seek @0 end"},
        {"seek end-2c", "seek @0 end 0B-2C"},
        {"seek end+5000", "seek @0 end 5000B0C"},
        {"seek cur+1k-1", "seek @0 cur 1023B0C"},
        {"seek cur-10", "seek @0 cur -10B0C"},
        {"sync", "sync @0"},
        {"truncate", "truncate @0"},
        {"expand 20c", "expand @0 0B20C"},
        {"mkdir /D", "mkdir @0 [/D]"},
        {"unlink /D", "unlink @0 [/D]"},
        {"rename /A /B", "rename @0 [/A] [/B]"},
        {"stat /A", "stat @0 [/A]"},
        {"list /", "list @0 [/]"},
        {"free", "free @0"},
        {"fill 8", "fill @0 8B0C"},
        {"  \t write\t 1  ", "write @0 1B0C"},
        {"write 1 # data here ", "write @0 1B0C [data here]"},
        {"write 1 *2 #", "write @0 1B0C [] *2"},
        {"write 4611686018427387904", "write @0 4611686018427387904B0C"},
        {"write 5-1c", "write @0 5B-1C"},
        {"stat \"/a\"", "stat @0 [/a]"},
        {"@1.25ms write 1", "write @0 1B0C at 1250000000"},
        {"@1.25ms +310us @1 write 4096 *1 # data",
         "write @1 4096B0C [data] *1 at 1250000000 for 310000000"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct sdsim_diags diags;
        sdsim_diags_init(&diags);
        char got[256];
        const enum sdsim_op_line kind = parse(rows[i].line, got, sizeof got, &diags);
        if (kind != SDSIM_OP_LINE || strcmp(got, rows[i].expected) != 0 || diags.count != 0) {
            fail_msg("'%s' became '%s'", rows[i].line, got);
        }
        sdsim_diags_free(&diags);
    }
}

static void test_nothing(void **unused)
{
    (void)unused;
    static const char *const rows[] = {"",     "   ", "\r",        "# comment", "#! states: *",
                                       "#@ 5", "#S",  "#end ops=1"};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct sdsim_diags diags;
        sdsim_diags_init(&diags);
        char got[256];
        if (parse(rows[i], got, sizeof got, &diags) != SDSIM_OP_NOTHING || diags.count != 0) {
            fail_msg("'%s' is something", rows[i]);
        }
        sdsim_diags_free(&diags);
    }
}

static void test_bad_lines(void **unused)
{
    (void)unused;
    static const struct {
        const char *line;
        uint32_t column;
    } rows[] = {
        {"wrte 1", 1},
        {"R 10 1", 1},
        {"open", 5},
        {"open /A", 8},
        {"open /A x", 9},
        {"open \"\" r", 7},
        {"write", 6},
        {"write -1", 7},
        {"write +1", 7},
        {"write 1x", 7},
        {"write 1+", 7},
        {"write c", 7},
        {"write 99999999999999999999", 7},
        {"write 4611686018427387905", 7},
        {"write 4611686018427387910", 7},
        {"write 5-10", 7},
        {"write 1c-2c", 7},
        {"write 0-1c", 7},
        {"open \"/a w", 7},
        {"stat \"", 7},
        {"write \"1", 8},
        {"stat \"/a", 7},
        {"rename /a \"/b", 12},
        {"write 9223372036854775807k", 7},
        {"write 1 2", 9},
        {"write 1 *0", 9},
        {"write 1 *1c", 9},
        {"write 1 *4294967296", 9},
        {"write 1 *", 9},
        {"write 1 *2 x", 12},
        {"write 1 \"", 10},
        {"seek", 5},
        {"seek middle", 6},
        {"seek end1", 6},
        {"seek end-", 6},
        {"@10 write 1", 1},
        {"@x write 1", 1},
        {"@1", 3},
        {"+1ms write 1", 1},
        {"@1ms @2ms write 1", 6},
        {"@1 @2 write 1", 4},
        {"@1 @2ms write 1", 4},
        {"@5q write 1", 1},
        {"rename /A", 10},
        {"mount /A", 7},
        {"mkdir", 6},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct sdsim_diags diags;
        sdsim_diags_init(&diags);
        char got[256];
        const enum sdsim_op_line kind = parse(rows[i].line, got, sizeof got, &diags);
        if (kind != SDSIM_OP_BAD || diags.errors != 1 || diags.items[0].line != 7 ||
            diags.items[0].column != rows[i].column) {
            sdsim_diags_print(&diags, stderr);
            fail_msg("'%s' became '%s' with %zu errors", rows[i].line, got, diags.errors);
        }
        sdsim_diags_free(&diags);
    }
}

/* A zero byte would end a name early, or hide the rest of the line from whoever reads a message. */
static void test_zero_bytes(void **unused)
{
    (void)unused;
    static const struct {
        const char *line;
        size_t length;
        uint32_t column;
    } rows[] = {
        {"open /a\0b w", 11, 8}, {"write 1\0 2", 10, 8}, {"\0mount", 6, 1},
        {"# \0", 3, 3},          {"mount\0", 6, 6},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct sdsim_op op;
        struct sdsim_diags diags;
        const struct sdsim_place place = {.file = "t.ops", .line = 7};
        sdsim_diags_init(&diags);
        if (sdsim_op_parse(&op, rows[i].line, rows[i].length, &place, &diags) != SDSIM_OP_BAD ||
            diags.errors != 1 || diags.items[0].column != rows[i].column) {
            sdsim_diags_print(&diags, stderr);
            fail_msg("row %zu: %zu errors", i, diags.errors);
        }
        sdsim_diags_free(&diags);
    }
}

/* An operation that doesn't exist is answered with the one that may be meant. */
static void test_closest(void **unused)
{
    (void)unused;
    static const struct {
        const char *line;
        const char *help;
    } rows[] = {
        {"wrte 1", "did you mean 'write'?"},
        {"MOUNT", "did you mean 'mount'?"},
        {"umount", "did you mean 'mount'?"},
        {"R 10 1", "mount, unmount, open"},
        {"averyveryverylongword", "mount, unmount, open"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct sdsim_diags diags;
        char got[256];
        sdsim_diags_init(&diags);
        (void)parse(rows[i].line, got, sizeof got, &diags);
        assert_int_equal(diags.count, 1);
        if (diags.items[0].help == NULL ||
            strncmp(diags.items[0].help, rows[i].help, strlen(rows[i].help)) != 0) {
            fail_msg("'%s': '%s'", rows[i].line, diags.items[0].help);
        }
        sdsim_diags_free(&diags);
    }
}

static void test_bytes(void **unused)
{
    (void)unused;
    static const struct {
        struct sdsim_op_amount amount;
        bool good;
        uint64_t bytes;
    } rows[] = {
        {{.bytes = 100, .clusters = 2}, true, 65636},
        {{.bytes = -1, .clusters = 1}, true, 32767},
        {{.bytes = -1, .clusters = 0}, false, 0},
        {{.bytes = 0, .clusters = INT64_MAX}, false, 0},
        {{.bytes = INT64_MAX, .clusters = 1}, false, 0},
        {{.bytes = INT64_MAX, .clusters = 0}, true, INT64_MAX},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        uint64_t bytes = 0;
        if (sdsim_op_bytes(rows[i].amount, 32768, &bytes) != rows[i].good ||
            bytes != rows[i].bytes) {
            fail_msg("row %zu: %llu", i, (unsigned long long)bytes);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines),     cmocka_unit_test(test_nothing),
        cmocka_unit_test(test_bad_lines), cmocka_unit_test(test_zero_bytes),
        cmocka_unit_test(test_closest),   cmocka_unit_test(test_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
