/*
 * Sizes of RAM as texts: never less than is needed, in the unit in which they are short.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "report/buffer_words.h"

static void ram(void **state)
{
    (void)state;
    static const struct {
        uint64_t bytes;
        const char *text;
    } rows[] = {
        {0, "0B"},
        {1, "1B"},
        {1023, "1023B"},
        {1024, "1KiB"},
        {1025, "1.1KiB"},
        {32768, "32KiB"},
        {56319, "55.0KiB"}, /* a byte less, rounded up */
        {1000 * 1024, "1000KiB"},
        {UINT64_C(1) << 20, "1MiB"},
        {(UINT64_C(1) << 20) + 1, "1.01MiB"},
        {UINT64_C(3) << 19, "1.50MiB"},
        {UINT64_C(12345) << 10, "12.1MiB"},
        {UINT64_C(1) << 30, "1GiB"},
        {UINT64_C(5) << 28, "1.25GiB"},
        {UINT64_C(64) << 30, "64GiB"},
        {UINT64_MAX, "no RAM"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[48];
        assert_string_equal(sdsim_ram_text(rows[i].bytes, text, sizeof text), rows[i].text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(ram)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
