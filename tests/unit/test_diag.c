/* Messages: how they print, what is kept, what is cut. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "core/diag.h"
#include "core/utf8.h"
#include "unit/diag_text.h"

#define A10  "aaaaaaaaaa"
#define A50  A10 A10 A10 A10 A10
#define A100 A50 A50

static void test_prints(void **state)
{
    (void)state;
    static const struct {
        struct sdsim_place place;
        enum sdsim_severity severity;
        const char *source;
        const char *help;
        const char *printed;
    } rows[] = {
        {{"m.yaml", 2, 3, 4},
         SDSIM_ERROR,
         "bus:\n  clok: 20MHz\nx\n",
         "did you mean 'clock'?",
         "m.yaml:2:3: error: text\n"
         "    2 |   clok: 20MHz\n"
         "      |   ^~~~\n"
         "help: did you mean 'clock'?\n"},
        {{"m.yaml", 1, 1, 0},
         SDSIM_WARNING,
         "abc",
         NULL,
         "m.yaml:1:1: warning: text\n"
         "    1 | abc\n"
         "      | ^\n"},
        {{"m.yaml", 1, 0, 0},
         SDSIM_NOTE,
         "abc\r\n",
         NULL,
         "m.yaml:1: note: text\n"
         "    1 | abc\n"},
        {{"m.yaml", 0, 0, 0}, SDSIM_ERROR, "abc", NULL, "m.yaml: error: text\n"},
        {{NULL, 0, 0, 0}, SDSIM_ERROR, NULL, "help", "error: text\nhelp: help\n"},
        {{"m.yaml", 9, 2, 1}, SDSIM_ERROR, "one line", NULL, "m.yaml:9:2: error: text\n"},
        {{"m.yaml", 123456, 1, 1}, SDSIM_ERROR, NULL, NULL, "m.yaml:123456:1: error: text\n"},
        /* at the end of the line and behind it */
        {{"m", 1, 4, 5},
         SDSIM_ERROR,
         "abc",
         NULL,
         "m:1:4: error: text\n"
         "    1 | abc\n"
         "      |    ^\n"},
        {{"m", 1, 400, 5},
         SDSIM_ERROR,
         "abc",
         NULL,
         "m:1:400: error: text\n"
         "    1 | abc\n"
         "      |    ^\n"},
        {{"m", 1, 2, 400},
         SDSIM_ERROR,
         "abc",
         NULL,
         "m:1:2: error: text\n"
         "    1 | abc\n"
         "      |  ^~\n"},
        /* an empty line */
        {{"m", 2, 1, 1},
         SDSIM_ERROR,
         "a\n\nb",
         NULL,
         "m:2:1: error: text\n"
         "    2 | \n"
         "      | ^\n"},
        /* columns are bytes, the caret counts characters: two bytes, three bytes */
        {{"m", 1, 6, 2},
         SDSIM_ERROR,
         "\xc3\xa9\xe2\x82\xacxy",
         NULL,
         "m:1:6: error: text\n"
         "    1 | \xc3\xa9\xe2\x82\xacxy\n"
         "      |   ^~\n"},
        /* nothing that could move a terminal's cursor */
        {{"m", 1, 4, 1},
         SDSIM_ERROR,
         "\t\x1b\x01z\x7f",
         NULL,
         "m:1:4: error: text\n"
         "    1 |  ??z?\n"
         "      |    ^\n"},
        {{"m", 1, 4, 1},
         SDSIM_ERROR,
         "\xff\xc2\x9bz\xe2\x82",
         NULL,
         "m:1:4: error: text\n"
         "    1 | ???z??\n"
         "      |    ^\n"},
        {{"a\x1b[1mb", 0, 0, 0}, SDSIM_ERROR, NULL, NULL, "a?[1mb: error: text\n"},
        /* a long line: 100 columns around the place */
        {{"m", 1, 151, 2},
         SDSIM_ERROR,
         A100 A50 "XY" A100,
         NULL,
         "m:1:151: error: text\n"
         "    1 | " A50 "XY" A10 A10 A10 A10 "aaaaaaaa\n"
         "      | "
         "                                                  "
         "^~\n"},
        {{"m", 1, 1, 1},
         SDSIM_ERROR,
         "X" A100 A50,
         NULL,
         "m:1:1: error: text\n"
         "    1 | X" A50 A10 A10 A10 A10 "aaaaaaaaa\n"
         "      | ^\n"},
        {{"m", 1, 151, 1},
         SDSIM_ERROR,
         A100 A50 "X",
         NULL,
         "m:1:151: error: text\n"
         "    1 | " A50 A10 A10 A10 A10 "aaaaaaaaaX\n"
         "      | "
         "                                                                                         "
         " "
         "         ^\n"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct sdsim_diags diags;
        sdsim_diags_init(&diags);
        const char *source = rows[i].source;
        sdsim_diag_add(&diags, rows[i].severity, &rows[i].place, source,
                       source != NULL ? strlen(source) : 0, rows[i].help, "te%s", "xt");
        char *printed = sdsim_test_diag_text(&diags);
        if (strcmp(printed, rows[i].printed) != 0) {
            fail_msg("row %zu: expected\n%sgot\n%s", i, rows[i].printed, printed);
        }
        free(printed);
        sdsim_diags_free(&diags);
    }
}

/* The place of a long line is never cut inside a character. */
static void test_long_line_of_wide_characters(void **state)
{
    (void)state;
    char line[3 * 200 + 1] = "";
    for (int i = 0; i < 200; i++) {
        strcat(line, "\xe2\x82\xac");
    }
    for (uint32_t column = 1; column <= 600; column++) {
        struct sdsim_diags diags;
        sdsim_diags_init(&diags);
        const struct sdsim_place place = {.line = 1, .column = column};
        sdsim_diag_add(&diags, SDSIM_ERROR, &place, line, 600, NULL, "text");
        const char *shown = diags.items[0].source_line;
        assert_in_range(strlen(shown), 100, 104);
        assert_int_equal(strlen(shown) % 3, 0);
        assert_null(strchr(shown, '?'));
        assert_in_range(diags.items[0].source_column, 1, strlen(shown));
        sdsim_diags_free(&diags);
    }
}

/* A source is bytes with a size; what is behind the size is not touched. */
static void test_source_needs_no_end(void **state)
{
    (void)state;
    char *source = malloc(3);
    assert_non_null(source);
    memcpy(source, "ab\xe2", 3);
    struct sdsim_diags diags;
    sdsim_diags_init(&diags);
    const struct sdsim_place place = {.file = "m", .line = 1, .column = 1};
    sdsim_diag_add(&diags, SDSIM_ERROR, &place, source, 3, NULL, "text");
    free(source);
    assert_string_equal(diags.items[0].source_line, "ab?");
    sdsim_diags_free(&diags);
}

static void test_counts_all_and_keeps_100(void **state)
{
    (void)state;
    struct sdsim_diags diags;
    sdsim_diags_init(&diags);
    for (int i = 0; i < 250; i++) {
        sdsim_diag_add(&diags, (enum sdsim_severity)(i % 3), NULL, NULL, 0, NULL, "message %d", i);
    }
    assert_int_equal(diags.count, 100);
    assert_int_equal(diags.dropped, 150);
    assert_int_equal(diags.errors, 83);
    assert_int_equal(diags.warnings, 83);
    assert_string_equal(diags.items[99].text, "message 99");
    char *printed = sdsim_test_diag_text(&diags);
    assert_non_null(strstr(printed, "note: message 99\n150 more messages\n"));
    free(printed);
    sdsim_diags_free(&diags);
    assert_int_equal(diags.count + diags.errors + diags.dropped, 0);
}

static void test_one_more_message(void **state)
{
    (void)state;
    struct sdsim_diags diags;
    sdsim_diags_init(&diags);
    for (int i = 0; i < 101; i++) {
        sdsim_error(&diags, NULL, "%03d", i);
    }
    char *printed = sdsim_test_diag_text(&diags);
    assert_string_equal(printed + strlen("error: 000\n") * 100, "1 more message\n");
    free(printed);
    sdsim_diags_free(&diags);
}

/* The same about the same place is said once; anything else is another message. All count as errors
 * and warnings. */
static void test_says_it_once(void **state)
{
    (void)state;
    static const struct {
        enum sdsim_severity severity;
        struct sdsim_place place;
        const char *text;
        size_t count; /* of messages, with this one */
    } rows[] = {
        {SDSIM_ERROR, {"f", 1, 2, 3}, "x", 1},   {SDSIM_ERROR, {"f", 1, 2, 3}, "x", 1},
        {SDSIM_WARNING, {"f", 1, 2, 3}, "x", 2}, {SDSIM_ERROR, {"f", 1, 3, 3}, "x", 3},
        {SDSIM_ERROR, {"f", 2, 2, 3}, "x", 4},   {SDSIM_ERROR, {"g", 1, 2, 3}, "x", 5},
        {SDSIM_ERROR, {NULL, 1, 2, 3}, "x", 6},  {SDSIM_ERROR, {"f", 1, 2, 3}, "y", 7},
        {SDSIM_ERROR, {NULL, 1, 2, 3}, "x", 7},  {SDSIM_WARNING, {"f", 1, 2, 9}, "x", 7},
        {SDSIM_NOTE, {"f", 1, 2, 3}, "x", 8},    {SDSIM_NOTE, {"f", 1, 2, 3}, "x", 8},
    };
    size_t added[3] = {0};
    struct sdsim_diags diags;
    sdsim_diags_init(&diags);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        sdsim_diag_add(&diags, rows[i].severity, &rows[i].place, NULL, 0, "help", "%s",
                       rows[i].text);
        added[rows[i].severity]++;
        if (diags.count != rows[i].count || diags.errors != added[SDSIM_ERROR] ||
            diags.warnings != added[SDSIM_WARNING] || diags.dropped != 0) {
            fail_msg("row %zu: %zu messages, %zu errors, %zu warnings, %zu dropped", i, diags.count,
                     diags.errors, diags.warnings, diags.dropped);
        }
    }
    sdsim_diags_free(&diags);
}

static void test_cuts_texts_at_1000_bytes(void **state)
{
    (void)state;
    static const struct {
        size_t size;
        const char *unit; /* the text is made of this */
        size_t kept;      /* in bytes, without "..." */
    } rows[] = {
        {1000, "a", 1000}, {1001, "a", 997}, {100000, "a", 997}, {1500, "\xe2\x82\xac", 996}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char *text = calloc(rows[i].size + 1, 1);
        assert_non_null(text);
        for (size_t at = 0; at < rows[i].size; at += strlen(rows[i].unit)) {
            memcpy(text + at, rows[i].unit, strlen(rows[i].unit));
        }
        struct sdsim_diags diags;
        sdsim_diags_init(&diags);
        sdsim_diag_add(&diags, SDSIM_ERROR, NULL, NULL, 0, text, "%s", text);
        const char *kept[] = {diags.items[0].text, diags.items[0].help};
        for (size_t which = 0; which < 2; which++) {
            const char *tail = rows[i].size > 1000 ? "..." : "";
            if (strlen(kept[which]) != rows[i].kept + strlen(tail) ||
                strncmp(kept[which], text, rows[i].kept) != 0 ||
                strcmp(kept[which] + rows[i].kept, tail) != 0) {
                fail_msg("row %zu: kept %zu bytes: %s", i, strlen(kept[which]), kept[which]);
            }
        }
        sdsim_diags_free(&diags);
        free(text);
    }
}

static void test_texts_are_one_clean_line(void **state)
{
    (void)state;
    struct sdsim_diags diags;
    sdsim_diags_init(&diags);
    sdsim_error(&diags, "f", "got '%s'", "a\nb\tc\x1b[0m\xff\xe2\x80\xa8");
    assert_string_equal(diags.items[0].text, "got 'a b c?[0m???"
                                             "?'");
    sdsim_diags_free(&diags);
}

/* Without memory a message may be lost, but not that there was one. */
static void test_out_of_memory(void **state)
{
    (void)state;
    size_t failures = 0;
    for (size_t n = 1;; n++) {
        struct sdsim_diags diags;
        sdsim_diags_init(&diags);
        struct sdsim_place place = {.file = "f", .line = 1};
        char longer[1200];
        memset(longer, 'x', sizeof longer - 1);
        longer[sizeof longer - 1] = '\0';
        sdsim_test_fail_allocation(n);
        for (uint32_t i = 0; i < 5; i++) {
            place.column = i + 1;
            sdsim_diag_add(&diags, SDSIM_ERROR, &place, "abc", 3, "help", "text %s", longer);
        }
        const bool failed = sdsim_test_allocation_failed();
        assert_int_equal(diags.errors, 5);
        assert_int_equal(diags.count + diags.dropped, 5);
        assert_int_equal(diags.dropped, failed ? 1 : 0);
        sdsim_diags_free(&diags);
        if (!failed) {
            break;
        }
        failures++;
    }
    assert_in_range(failures, 5 * 5, 5 * 10);
}

static void test_prints_without_memory(void **state)
{
    (void)state;
    struct sdsim_diags diags;
    sdsim_diags_init(&diags);
    sdsim_error(&diags, "file", "text");
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    sdsim_test_fail_allocation(1);
    sdsim_diags_print(&diags, out);
    assert_true(sdsim_test_allocation_failed());
    fclose(out);
    assert_string_equal(text, "(no memory for the name): error: text\n");
    free(text);
    sdsim_diags_free(&diags);
}

static void test_decodes_utf8(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        size_t size;
        size_t length;
        uint32_t point;
    } rows[] = {
        {"a", 1, 1, 'a'},
        {"", 1, 1, 0},
        {"\x7f", 1, 1, 0x7f},
        {"\xc2\x80", 2, 2, 0x80},
        {"\xdf\xbf", 2, 2, 0x7ff},
        {"\xe0\xa0\x80", 3, 3, 0x800},
        {"\xed\x9f\xbf", 3, 3, 0xd7ff},
        {"\xee\x80\x80", 3, 3, 0xe000},
        {"\xef\xbf\xbf", 3, 3, 0xffff},
        {"\xf0\x90\x80\x80", 4, 4, 0x10000},
        {"\xf4\x8f\xbf\xbf", 4, 4, 0x10ffff},
        {"a", 0, 0, 0xfffd},
        {"\x80", 1, 0, 0xfffd},
        {"\xc0\x80", 2, 0, 0xfffd},         /* overlong */
        {"\xc1\xbf", 2, 0, 0xfffd},         /* overlong */
        {"\xe0\x9f\xbf", 3, 0, 0xfffd},     /* overlong */
        {"\xf0\x8f\xbf\xbf", 4, 0, 0xfffd}, /* overlong */
        {"\xed\xa0\x80", 3, 0, 0xfffd},     /* a surrogate */
        {"\xf4\x90\x80\x80", 4, 0, 0xfffd}, /* beyond Unicode */
        {"\xf5\x80\x80\x80", 4, 0, 0xfffd},
        {"\xff", 1, 0, 0xfffd},
        {"\xe2\x82\xac", 2, 0, 0xfffd}, /* cut */
        {"\xe2\x28\xa1", 3, 0, 0xfffd},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint32_t point = 0;
        const size_t length = sdsim_utf8_decode(rows[i].bytes, rows[i].size, &point);
        if (length != rows[i].length || point != rows[i].point) {
            fail_msg("row %zu: length %zu, point %x", i, length, (unsigned)point);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_prints),
        cmocka_unit_test(test_long_line_of_wide_characters),
        cmocka_unit_test(test_source_needs_no_end),
        cmocka_unit_test(test_counts_all_and_keeps_100),
        cmocka_unit_test(test_one_more_message),
        cmocka_unit_test(test_says_it_once),
        cmocka_unit_test(test_cuts_texts_at_1000_bytes),
        cmocka_unit_test(test_texts_are_one_clean_line),
        cmocka_unit_test(test_out_of_memory),
        cmocka_unit_test(test_prints_without_memory),
        cmocka_unit_test(test_decodes_utf8),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
