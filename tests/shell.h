/*
 * Shell commands of tests that build and run other programs.
 *
 *     sdsim_test_expect_success(sdsim_test_sh("cc -o $d/hello hello.c && $d/hello"));
 *
 * Commands run where the test runs, the source folder, with $d its scratch folder (scratch.h).
 * Everything fails through cmocka.
 *
 * Limits: commands of up to 8000 bytes; what a command prints on its standard error is not seen.
 */
#ifndef SDSIM_TEST_SHELL_H
#define SDSIM_TEST_SHELL_H

#include <stdbool.h>
#include <stddef.h>

struct sdsim_test_output {
    int code;    /* exit code, 1000 if a signal ended it */
    char *text;  /* standard output, with a zero behind it; to be freed */
    size_t size; /* without that zero */
};

/* Runs a command made as by printf. */
struct sdsim_test_output sdsim_test_sh(const char *format, ...)
    __attribute__((format(printf, 1, 2)));

/* Fails, with the output as the message, if the exit code isn't 0; frees the output. */
void sdsim_test_expect_success(struct sdsim_test_output output);

/* A command line with the program under test, $s, and what it must end with and print. */
struct sdsim_test_line {
    const char *command; /* for sh, in the source folder, with $d and $s */
    int code;
    const char *says;  /* must be in what it prints on both outputs; NULL: nothing is looked for */
    const char *never; /* must not be there; or NULL */
};

/* Runs them all and fails with those that did something else. The program sees the profiles in
 * tests/golden/data. */
void sdsim_test_lines(const struct sdsim_test_line *lines, size_t count);

/* Whether a program of this name is in the path. */
bool sdsim_test_has(const char *program);

/*
 * Builds the program $d/NAME with every C compiler there is (`cxx`: C++ compiler), as C99 or C++11
 * with all warnings, which are errors. The last one's stays. False: there is no compiler.
 */
bool sdsim_test_build_all(const char *name, bool cxx, const char *arguments);

#endif
