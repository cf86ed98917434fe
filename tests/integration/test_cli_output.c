/*
 * Where the command line's data goes: to files, whole or not at all; to terminals and pipes, with
 * the looks that are welcome there; and to other programs.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "program.h"
#include "scratch.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* ---- files ---- */

static void test_output_file(void **state)
{
    (void)state;
    const char *folder = sdsim_test_path("alone");
    const char *path = sdsim_test_path("alone/out.json");
    assert_int_equal(mkdir(folder, 0700), 0);
    const char *const plain[] = {"compare", "tests/golden/data", "--json", NULL};
    const char *const to_file[] = {"compare", "tests/golden/data", "--json", "-o", path, NULL};
    struct sdsim_test_result expected = sdsim_test_run_quiet(plain);
    for (int i = 0; i < 2; i++) { /* a new file, and one that is there */
        struct sdsim_test_result result = sdsim_test_run_quiet(to_file);
        assert_int_equal(result.code, 1);
        assert_string_equal(result.out, "");
        sdsim_test_result_free(&result);
        char *text = sdsim_test_read_file(path, NULL);
        assert_string_equal(text, expected.out);
        free(text);
    }
    sdsim_test_result_free(&expected);

    /* A command that fails leaves the file as it was, and nothing beside it. */
    const char *const failing[] = {"compare", "tests/broken/tab.yaml", "--json", "-o", path, NULL};
    struct stat before;
    struct stat after;
    assert_int_equal(stat(path, &before), 0);
    struct sdsim_test_result result = sdsim_test_run_quiet(failing);
    assert_int_equal(result.code, 2);
    sdsim_test_result_free(&result);
    assert_int_equal(stat(path, &after), 0);
    assert_int_equal(before.st_ino, after.st_ino);
    unlink(path);
    assert_int_equal(rmdir(folder), 0); /* only if it is empty */
}

/* What can't be written is a fault, not success. */
static void test_write_faults(void **state)
{
    (void)state;
    static const char *const plain[] = {"SDSIM_DATA_DIR=tests/golden/data", NULL};
    static const char *const full[] = {">/dev/full", "SDSIM_DATA_DIR=tests/golden/data", NULL};
    static const struct {
        int code;
        const char *const *environment;
        const char *const arguments[6];
    } rows[] = {
        {3, full, {"help"}},
        {3, full, {"--version"}},
        {3, full, {"list"}},
        {3, full, {"compare", "single"}},
        {3, full, {"run", "single", "--draws", "0"}},
        {3, full, {"describe", "card"}},
        {3, plain, {"list", "-o", "/dev/full"}},
        {3, plain, {"list", "-o", "/nowhere/at/all"}},
        {3, plain, {"list", "-o", "/tmp"}},
        {0, plain, {"list", "-o", "/dev/null"}},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct sdsim_test_result result = sdsim_test_run(rows[i].arguments, rows[i].environment);
        if (result.code != rows[i].code ||
            (rows[i].code == 3 && strstr(result.err, "error: cannot write to ") == NULL)) {
            fail_msg("%s: exit code %d, messages:\n%s", sdsim_test_command(rows[i].arguments),
                     result.code, result.err);
        }
        sdsim_test_result_free(&result);
    }
}

/* ---- looks ---- */

/* Runs with a terminal as standard output; what it shows is in `out`, which the caller frees. */
static struct sdsim_test_result run_on_terminal(const char *const *arguments, const char *locale)
{
    char target[64];
    const int terminal = posix_openpt(O_RDWR | O_NOCTTY);
    assert_true(terminal >= 0 && grantpt(terminal) == 0 && unlockpt(terminal) == 0);
    snprintf(target, sizeof target, ">%s", ptsname(terminal));
    /* Held open so that what the program wrote is still there when it has ended. */
    const int other_end = open(target + 1, O_RDWR | O_NOCTTY);
    assert_true(other_end >= 0);
    const char *const environment[] = {target,     locale,       "SDSIM_DATA_DIR=tests/golden/data",
                                       "NO_COLOR", "TERM=xterm", NULL};
    struct sdsim_test_result result = sdsim_test_run(arguments, environment);
    free(result.out);
    result.out = calloc(1, 8192);
    assert_non_null(result.out);
    (void)!read(terminal, result.out, 8191);
    close(other_end);
    close(terminal);
    return result;
}

/* Colours and block characters, by terminal, locale and wish. */
static void test_style(void **state)
{
    (void)state;
    static const struct {
        const char *const arguments[5];
        const char *locale;
        bool terminal;
        bool color;
        bool blocks;
    } rows[] = {
        {{"run", "single"}, "LC_ALL=C", false, false, false},
        {{"run", "single"}, "LC_ALL=C.UTF-8", false, false, false},
        {{"run", "single", "--color", "always"}, "LC_ALL=C.UTF-8", false, true, false},
        {{"run", "single", "--color=never"}, "LC_ALL=C", false, false, false},
        {{"run", "single"}, "LC_ALL=C.UTF-8", true, true, true},
        {{"run", "single"}, "LC_ALL=C", true, true, false},
        {{"run", "single", "--color=never"}, "LC_ALL=C.UTF-8", true, false, true},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        const char *const environment[] = {rows[i].locale, "SDSIM_DATA_DIR=tests/golden/data",
                                           "NO_COLOR=1", NULL};
        struct sdsim_test_result result = rows[i].terminal
                                              ? run_on_terminal(rows[i].arguments, rows[i].locale)
                                              : sdsim_test_run(rows[i].arguments, environment);
        if (result.code != 0 || strstr(result.out, "predicted") == NULL ||
            (strchr(result.out, '\033') != NULL) != rows[i].color ||
            (strstr(result.out, "\xe2\x96\x88") != NULL) != rows[i].blocks) {
            fail_msg("row %zu: exit code %d, output:\n%s", i, result.code, result.out);
        }
        sdsim_test_result_free(&result);
    }
}

/* ---- other programs ---- */

/* `sdsim hello` runs sdsim-hello from the PATH, with its arguments, and passes its exit code on. */
static void test_other_programs(void **state)
{
    (void)state;
    const char *program = sdsim_test_path("sdsim-hello");
    char path[128];
    snprintf(path, sizeof path, "PATH=%s:/usr/bin:/bin", sdsim_test_folder());
    sdsim_test_write_text(program, "#!/bin/sh\necho \"hello $*\"\nexit 7\n");
    assert_int_equal(chmod(program, 0755), 0);
    const char *const environment[] = {path, NULL};
    static const struct {
        const char *const arguments[4];
        int code;
        const char *out;
    } rows[] = {
        {{"hello", "-a", "b c"}, 7, "hello -a b c\n"},
        {{"help", "hello"}, 7, "hello --help\n"},
        {{"helo"}, 2, ""},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct sdsim_test_result result = sdsim_test_run(rows[i].arguments, environment);
        assert_int_equal(result.code, rows[i].code);
        assert_string_equal(result.out, rows[i].out);
        sdsim_test_result_free(&result);
    }
    assert_int_equal(chmod(program, 0644), 0);
    struct sdsim_test_result result = sdsim_test_run(rows[0].arguments, environment);
    assert_int_equal(result.code, 2);
    sdsim_test_result_free(&result);
}

int main(void)
{
    sdsim_test_need_program();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_output_file),
        cmocka_unit_test(test_write_faults),
        cmocka_unit_test(test_style),
        cmocka_unit_test(test_other_programs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
