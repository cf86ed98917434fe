/* The helper that makes allocations fail: it fails the one asked for, and only that one. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"

static void *by_malloc(void)
{
    return malloc(1);
}

static void *by_calloc(void)
{
    return calloc(1, 1);
}

static void *by_realloc(void)
{
    return realloc(NULL, 1);
}

static void *by_strdup(void)
{
    return strdup("text");
}

static void *by_strndup(void)
{
    return strndup("text", 2);
}

static void test_each_function(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        void *(*allocate)(void);
    } rows[] = {
        {"malloc", by_malloc}, {"calloc", by_calloc},   {"realloc", by_realloc},
        {"strdup", by_strdup}, {"strndup", by_strndup},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        for (size_t n = 0; n <= 3; n++) {
            sdsim_test_fail_allocation(n);
            for (size_t k = 1; k <= 3; k++) {
                void *memory = rows[i].allocate();
                const bool failed = memory == NULL;
                free(memory);
                if (failed != (k == n)) {
                    fail_msg("%s: allocation %zu of 3, to fail is number %zu", rows[i].name, k, n);
                }
            }
            assert_int_equal(sdsim_test_allocation_failed(), n != 0);
        }
    }
}

static void test_disarms(void **state)
{
    (void)state;
    sdsim_test_fail_allocation(2);
    free(by_malloc());
    assert_false(sdsim_test_allocation_failed());
    void *memory = by_malloc();
    assert_non_null(memory);
    free(memory);
}

static void test_copies(void **state)
{
    (void)state;
    char *whole = strdup("text");
    char *part = strndup("text", 2);
    char *all = strndup("text", 9);
    assert_string_equal(whole, "text");
    assert_string_equal(part, "te");
    assert_string_equal(all, "text");
    free(whole);
    free(part);
    free(all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_function),
        cmocka_unit_test(test_disarms),
        cmocka_unit_test(test_copies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
