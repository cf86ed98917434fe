/*
 * The command line under test, run as a child process: arguments in, exit code and both outputs
 * out.
 *
 *     struct sdsim_test_result result = sdsim_test_run((const char *[]){"help", NULL}, NULL);
 *     assert_int_equal(result.code, 0);
 *     sdsim_test_result_free(&result);
 *
 * The program is the one CTest names in SDSIM_PROGRAM. Limits: outputs without zero bytes; a child
 * that runs for more than a minute is ended by SIGALRM.
 */
#ifndef SDSIM_TEST_PROGRAM_H
#define SDSIM_TEST_PROGRAM_H

#include <stdbool.h>

struct sdsim_test_result {
    int code; /* exit code, or 1000 + the number of the signal that ended it */
    char *out;
    char *err;
};

/* What a test program returns that can't run here. */
enum { SDSIM_TEST_SKIPPED = 77 };

/* Whether SDSIM_PROGRAM names a program. */
bool sdsim_test_has_program(void);

/* For main(): ends a test program that can't do without it as skipped, saying so. */
void sdsim_test_need_program(void);

/*
 * Runs the program with `arguments` (NULL at the end, without the program's name). `environment`
 * (NULL at the end, or NULL) holds "NAME=VALUE" to be set and "NAME" to be unset in the child; a
 * row "<PATH" or ">PATH" makes the child's standard input or output that file. Never returns on
 * failure: it aborts the test program.
 */
struct sdsim_test_result sdsim_test_run(const char *const *arguments,
                                        const char *const *environment);

/* The same over the test profiles in tests/golden/data, in the C locale, with nothing from the
 * environment of whoever runs the tests that could change what is printed. */
struct sdsim_test_result sdsim_test_run_quiet(const char *const *arguments);

/* Fails, with what it wrote to its standard error as the message, if the exit code isn't `code`. */
void sdsim_test_expect_code(const struct sdsim_test_result *result, int code);

void sdsim_test_result_free(struct sdsim_test_result *result);

/* The command as one text, for messages; valid until the next call. */
const char *sdsim_test_command(const char *const *arguments);

#endif
