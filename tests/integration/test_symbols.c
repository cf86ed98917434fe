/*
 * The simulator keeps to its names: every external symbol of the libraries starts with sdsim_, also
 * the internal ones. Real drivers that link against the card own sd_*, and everything else.
 *
 * The names come from nm; without it the test is skipped. SDSIM_LIBRARIES names the archives, and
 * is set by CTest.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool starts(const char *text, const char *head)
{
    return strncmp(text, head, strlen(head)) == 0;
}

/* What AddressSanitizer adds to an object: a marker for each global variable. */
static bool is_of_sanitizer(const char *symbol)
{
    return starts(symbol, "__odr_asan") || starts(symbol, "__asan");
}

/* Whether a line of `nm -P -g`, "NAME TYPE VALUE SIZE", defines a symbol that is not ours; its name
 * goes to `symbol`. Lines of another form name the member of the archive. */
static bool is_foreign(const char *line, char symbol[256])
{
    char type;
    if (sscanf(line, "%255s %c", symbol, &type) != 2 || strchr("Uwv", type) != NULL) {
        return false;
    }
    return !starts(symbol, "sdsim_") && !is_of_sanitizer(symbol);
}

static void test_samples(void **state)
{
    (void)state;
    static const struct {
        const char *line;
        bool foreign;
    } rows[] = {
        {"sdsim_crc7 T 0 1f", false},
        {"sdsim_names D 0 8", false},
        {"malloc U         ", false},
        {"__gmon_start__ w", false},
        {"libsdsim.a[crc.c.o]:", false},
        {"", false},
        {"__odr_asan_gen_sdsim_x B 0 1", false},
        {"crc7 T 0 1f", true},
        {"sd_init T 0 1f", true},
        {"table R 0 100", true},
        {"shared C 4 4", true},
        {"weak_function W 0 1f", true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char symbol[256];
        if (is_foreign(rows[i].line, symbol) != rows[i].foreign) {
            fail_msg("row %zu: %s", i, rows[i].line);
        }
    }
}

static void test_the_libraries(void **state)
{
    (void)state;
    const char *libraries = getenv("SDSIM_LIBRARIES");
    if (libraries == NULL || libraries[0] == '\0' || system("nm --version >/dev/null 2>&1") != 0) {
        print_message("needs nm and the variable SDSIM_LIBRARIES\n");
        skip();
    }
    char command[4096];
    assert_in_range(snprintf(command, sizeof command, "nm -P -g %s", libraries), 1,
                    sizeof command - 1);
    FILE *names = popen(command, "r");
    assert_non_null(names);

    char line[1024];
    size_t own = 0;
    size_t foreign = 0;
    while (fgets(line, sizeof line, names) != NULL) {
        char symbol[256];
        if (is_foreign(line, symbol)) {
            print_error("doesn't start with sdsim_: %s\n", symbol);
            foreign++;
        }
        own += starts(line, "sdsim_");
    }
    assert_int_equal(pclose(names), 0);
    assert_int_equal(foreign, 0);
    assert_true(own > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_samples),
        cmocka_unit_test(test_the_libraries),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
