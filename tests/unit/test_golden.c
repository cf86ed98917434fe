/* The helper of the golden tests: what it calls a difference, how it shows it, and when it writes.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "golden.h"

static void test_differences(void **state)
{
    (void)state;
    static const struct {
        const char *expected;
        const char *actual;
        const char *shown;
    } rows[] = {
        {"", "", ""},
        {"a\nb\n", "a\nb\n", ""},
        {"", "a\n", "--- x\n+++ actual\n@@ -1 +1 @@\n+a\n"},
        {"a\n", "", "--- x\n+++ actual\n@@ -1 +1 @@\n-a\n"},
        {"a\n", "a", "--- x\n+++ actual\n@@ -1 +1 @@\n-a\n+a\n\\ No newline at end of file\n"},
        {"a\nb\nc\n", "a\nB\nc\n", "--- x\n+++ actual\n@@ -1 +1 @@\n a\n-b\n+B\n c\n"},
        {"1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n", "0\n1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n12\n",
         "--- x\n+++ actual\n@@ -1 +1 @@\n+0\n 1\n 2\n 3\n"
         "@@ -8 +9 @@\n 8\n 9\n 10\n-11\n 12\n"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char *shown = NULL;
        size_t size = 0;
        FILE *out = open_memstream(&shown, &size);
        assert_non_null(out);
        sdsim_test_diff(out, "x", rows[i].expected, rows[i].actual);
        assert_int_equal(fclose(out), 0);
        if (strcmp(shown, rows[i].shown) != 0) {
            fail_msg("row %zu: shown:\n%s\nshould be:\n%s", i, shown, rows[i].shown);
        }
        free(shown);
    }
}

/* Texts that have nothing in common are cut, and not searched for ever. */
static void test_long_difference(void **state)
{
    (void)state;
    enum { LINES = 2000 };
    char *expected = calloc(LINES, 4);
    char *actual = calloc(LINES, 4);
    char *shown = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&shown, &size);
    assert_true(expected != NULL && actual != NULL && out != NULL);
    for (size_t i = 0; i < LINES; i++) {
        memcpy(expected + 2 * i, "a\n", 2);
        memcpy(actual + 2 * i, "b\n", 2);
    }
    sdsim_test_diff(out, "x", expected, actual);
    assert_int_equal(fclose(out), 0);
    assert_true(size < 400);
    assert_non_null(strstr(shown, "(and more)\n"));
    free(shown);
    free(expected);
    free(actual);
}

static void test_update(void **state)
{
    (void)state;
    char path[] = "/tmp/sdsim-golden-XXXXXX";
    const int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);

    assert_int_equal(unsetenv("SDSIM_UPDATE_GOLDEN"), 0);
    assert_true(sdsim_test_golden(path, ""));
    assert_false(sdsim_test_golden(path, "new\n"));
    assert_int_equal(setenv("SDSIM_UPDATE_GOLDEN", "0", 1), 0);
    assert_false(sdsim_test_golden(path, "new\n"));
    assert_int_equal(setenv("SDSIM_UPDATE_GOLDEN", "1", 1), 0);
    assert_true(sdsim_test_golden(path, "new\n"));
    assert_false(sdsim_test_golden("/nowhere/at/all", "new\n"));
    assert_int_equal(unsetenv("SDSIM_UPDATE_GOLDEN"), 0);
    assert_true(sdsim_test_golden(path, "new\n"));
    assert_int_equal(unlink(path), 0);
    assert_false(sdsim_test_golden(path, "new\n"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_differences),
        cmocka_unit_test(test_long_difference),
        cmocka_unit_test(test_update),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
