/*
 * Files through the command line: broken ones in tests/broken, huge ones made here, and what
 * `check` makes of good ones.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "golden.h"
#include "program.h"
#include "scratch.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* ---- broken files ---- */

static const char *const kinds_of_runs[] = {"run", "compare"};

/* The whole of the messages is in NAME.expected; `check` must say exactly that, and the commands
 * that simulate must refuse the file as well. */
static bool check_broken(const char *name)
{
    char path[256];
    char expected[256];
    snprintf(path, sizeof path, "tests/broken/%s.yaml", name);
    snprintf(expected, sizeof expected, "tests/broken/%s.expected", name);
    const char *const check[] = {"check", path, NULL};
    struct sdsim_test_result result = sdsim_test_run_quiet(check);
    bool right = result.code == 2 && result.out[0] == '\0';
    if (!right) {
        fprintf(stderr, "check %s: exit code %d, output '%.40s'\n", path, result.code, result.out);
    }
    right = sdsim_test_golden(expected, result.err) && right;
    sdsim_test_result_free(&result);
    for (size_t i = 0; i < COUNT(kinds_of_runs); i++) {
        const char *const simulate[] = {kinds_of_runs[i], path, NULL};
        result = sdsim_test_run_quiet(simulate);
        if (result.code != 2 || result.out[0] != '\0' || strstr(result.err, "error: ") == NULL) {
            fprintf(stderr, "%s %s: exit code %d, output '%.40s', messages:\n%s", kinds_of_runs[i],
                    path, result.code, result.out, result.err);
            right = false;
        }
        sdsim_test_result_free(&result);
    }
    return right;
}

static void test_broken_files(void **state)
{
    (void)state;
    DIR *folder = opendir("tests/broken");
    size_t count = 0;
    size_t wrong = 0;
    assert_non_null(folder);
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        char name[200];
        const char *dot = strstr(entry->d_name, ".yaml");
        if (dot != NULL) {
            snprintf(name, sizeof name, "%.*s", (int)(dot - entry->d_name), entry->d_name);
            count++;
            wrong += !check_broken(name);
        }
    }
    closedir(folder);
    assert_true(count >= 30);
    if (wrong > 0) {
        fail_msg("%zu of %zu broken files", wrong, count);
    }
}

/* A file of `size` bytes, the pattern over and over. Returns its path. */
static const char *make_file(const char *pattern, size_t size)
{
    const char *path = sdsim_test_path("huge.yaml");
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    const size_t length = strlen(pattern);
    for (size_t i = 0; i < size; i++) {
        fputc(pattern[i % length], out);
    }
    assert_int_equal(fclose(out), 0);
    return path;
}

static void test_huge_files(void **state)
{
    (void)state;
    static const struct {
        const char *pattern;
        size_t size;
        const char *message;
    } rows[] = {
        {"[", 100000, "error: more than 32 maps or lists inside each other"},
        {"{a: ", 100000, "error: more than 32 maps or lists inside each other"},
        {"]", 100000, "error: this ']' closes nothing"},
        {"a", 2000000, "error: larger than 1024 KiB"},
        {"- a\n", 1000000, "error: more than 100000 values in one file"},
        {"\"", 99999, "error: "},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        const char *const arguments[] = {"check", make_file(rows[i].pattern, rows[i].size), NULL};
        struct sdsim_test_result result = sdsim_test_run_quiet(arguments);
        if (result.code != 2 || result.out[0] != '\0' ||
            strstr(result.err, rows[i].message) == NULL || strlen(result.err) > 3000) {
            fail_msg("row %zu: exit code %d, messages:\n%.3000s", i, result.code, result.err);
        }
        sdsim_test_result_free(&result);
    }
}

/* ---- the files that come with the program ---- */

static void check_widths(const char *path)
{
    char *line = NULL;
    size_t capacity = 0;
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    for (unsigned number = 1; getline(&line, &capacity, file) >= 0; number++) {
        if (strcspn(line, "\n") > 100) {
            fail_msg("%s:%u: more than 100 columns", path, number);
        }
    }
    free(line);
    fclose(file);
}

/* People read them side by side. */
static void test_widths(void **state)
{
    (void)state;
    static const char *const folders[] = {"cards", "scenarios", "scenarios/boards",
                                          "scenarios/drivers", "scenarios/hosts"};
    for (size_t i = 0; i < COUNT(folders); i++) {
        DIR *folder = opendir(folders[i]);
        assert_non_null(folder);
        for (const struct dirent *entry; (entry = readdir(folder)) != NULL;) {
            if (strstr(entry->d_name, ".yaml") != NULL) {
                char path[400];
                snprintf(path, sizeof path, "%s/%s", folders[i], entry->d_name);
                check_widths(path);
            }
        }
        closedir(folder);
    }
}

/* ---- check ---- */

static void test_check(void **state)
{
    (void)state;
    static const struct {
        int code;
        const char *message;
        const char *const arguments[6];
    } rows[] = {
        {1, "small calls: each write of 4KiB", {"check", "tests/golden/data"}},
        {1, "small calls: each read of 4KiB", {"check", "bench"}},
        {0, "", {"check", "tests/golden/data", "--errors"}},
        {0, "", {"check", "single"}},
        {0, "", {"check", "tests/golden/data/cards/plain.yaml"}},
        {1, "a sync after every call", {"check", "single", "--set", "workload.sync_every=1"}},
        {0, "", {"check", "single", "--set", "workload.sync_every=1", "--errors"}},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct sdsim_test_result result = sdsim_test_run_quiet(rows[i].arguments);
        if (result.code != rows[i].code || result.out[0] != '\0' ||
            (rows[i].message[0] == '\0' ? result.err[0] != '\0'
                                        : strstr(result.err, rows[i].message) == NULL)) {
            fail_msg("%s: exit code %d, messages:\n%s", sdsim_test_command(rows[i].arguments),
                     result.code, result.err);
        }
        sdsim_test_result_free(&result);
    }
}

int main(void)
{
    sdsim_test_need_program();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_broken_files),
        cmocka_unit_test(test_huge_files),
        cmocka_unit_test(test_widths),
        cmocka_unit_test(test_check),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
