/* What the first bytes of a file say of how it is written, and what readers make of it. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "capture/exchange.h"
#include "diag_text.h"
#include "trace/encoding.h"
#include "trace_text.h"

#define BYTES(text) text, sizeof(text) - 1

static const struct {
    const char *bytes;
    size_t size;
    const char *what; /* NULL: nothing */
} rows[] = {
    {BYTES(""), NULL},
    {BYTES("R"), NULL},
    {BYTES("R 0 1\n"), NULL},
    {BYTES("\xFF\xFER\0 \0\x30\0"), "text in UTF-16"},
    {BYTES("\xFE\xFF\0R\0 \0\x30"), "text in UTF-16"},
    {BYTES("R\0 \0\x30\0 \0\x31\0"), "text in UTF-16 without a byte order mark"},
    {BYTES("\0R\0 \0\x30\0 \0\x31"), "text in UTF-16 without a byte order mark"},
    {BYTES("R\0 \0\x30\0"), NULL},         /* too short to tell */
    {BYTES("\0\0\0\0\0\0\0\0\0\0"), NULL}, /* zeros are no characters */
    {BYTES("R\0 \0\x80\0 \0\x31\0"), NULL},
    {BYTES("\x1F\x8B\x08"), "compressed with gzip"},
    {BYTES("BZh9"), "compressed with bzip2"},
    {BYTES("\xFD"
           "7zXZ"),
     "compressed with xz"},
    {BYTES("\xFD"
           "7zX"),
     NULL},
    {BYTES("PK\x03\x04"), "a zip archive"},
};

static void kinds(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct sdsim_encoding got = sdsim_encoding_of(rows[i].bytes, rows[i].size);
        const char *what = got.what != NULL ? got.what : "nothing";
        if (strcmp(what, rows[i].what != NULL ? rows[i].what : "nothing") != 0) {
            fail_msg("row %zu: %s", i, what);
        }
        assert_true((got.what == NULL) == (got.mend == NULL));
    }
}

static void marks(void **state)
{
    (void)state;
    assert_int_equal(sdsim_encoding_mark("\xEF\xBB\xBFR", 4), 3);
    assert_int_equal(sdsim_encoding_mark("\xEF\xBB\xBF", 3), 3);
    assert_int_equal(sdsim_encoding_mark("\xEF\xBB", 2), 0);
    assert_int_equal(sdsim_encoding_mark("R 0 1", 5), 0);
    assert_int_equal(sdsim_encoding_mark(NULL, 0), 0);
}

static void check_trace(const char *bytes, size_t size, const char *format, const char *part)
{
    char *got = sdsim_trace_as_text(bytes, size, format, NULL);
    if (strstr(got, part) == NULL) {
        fail_msg("%s\nhas no '%s'", got, part);
    }
    free(got);
}

/* Traces: a mark in front of any text is passed over, also where the format is to be found out; what is
 * no text is told also where the user said which format it is. */
static void traces(void **state)
{
    (void)state;
    check_trace(BYTES("\xEF\xBB\xBFR 0 1\n"), NULL, "R 0 1\n");
    check_trace(BYTES("\xEF\xBB\xBF# comment\r\nW 8 1\r\n"), NULL, "W 8 1\n");
    check_trace(BYTES(""), NULL, "the file is empty");
    check_trace(BYTES("hello\n"), NULL, "no trace in any of the known formats");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (rows[i].what != NULL) {
            check_trace(rows[i].bytes, rows[i].size, NULL, rows[i].what);
            check_trace(rows[i].bytes, rows[i].size, "diskio", rows[i].what);
            check_trace(rows[i].bytes, rows[i].size, "file-log", rows[i].what);
        }
    }
}

static void exchanges(void **state)
{
    (void)state;
    static const char marked[] = "\xEF\xBB\xBF"
                                 "40 00 00 00 00 95 -> 01\r\n";
    struct sdsim_exchange_facts facts;
    struct sdsim_diags diags;
    sdsim_diags_init(&diags);
    assert_true(sdsim_exchange_read("x", marked, sizeof marked - 1, NULL, &facts, &diags));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_false(sdsim_exchange_read("x", rows[i].bytes, rows[i].size, NULL, &facts, &diags));
        if (rows[i].what != NULL) {
            char *text = sdsim_test_diag_text(&diags);
            assert_non_null(strstr(text, rows[i].what));
            free(text);
        }
    }
    sdsim_diags_free(&diags);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kinds),
        cmocka_unit_test(marks),
        cmocka_unit_test(traces),
        cmocka_unit_test(exchanges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
