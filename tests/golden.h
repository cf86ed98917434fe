/*
 * Golden files: what the program prints, kept in tests/golden and compared byte by byte.
 *
 * A difference is shown the way diff -u shows it. With SDSIM_UPDATE_GOLDEN=1 in the environment the
 * file is rewritten instead; what changed is then seen, and judged, in version control.
 *
 *     assert_true(sdsim_test_golden("tests/golden/describe-host.txt", printed));
 *
 * Paths are seen from the top folder, where all tests run. Limits: texts without zero bytes. The
 * difference is one that is easy to find, not always the smallest; its first 80 lines are printed.
 */
#ifndef SDSIM_TEST_GOLDEN_H
#define SDSIM_TEST_GOLDEN_H

#include <stdbool.h>
#include <stdio.h>

/* Whether the file at `path` holds exactly `actual`; if not, the reason goes to stderr. When
 * updating, writes the file if need be, and is false only if that fails. */
bool sdsim_test_golden(const char *path, const char *actual);

/* Prints the lines that turn `expected` into `actual`, with three lines around them; nothing if
 * they are the same. `name` stands in the head. */
void sdsim_test_diff(FILE *out, const char *name, const char *expected, const char *actual);

#endif
