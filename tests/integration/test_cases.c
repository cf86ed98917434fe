/*
 * Cases from public threads: each file of tests/cases is a test. What they look like stands in
 * case_file.h.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>

#include "case_file.h"
#include "program.h"

static void test_case(void **state)
{
    sdsim_test_case(*state);
}

int main(void)
{
    if (!sdsim_test_has_program()) {
        puts("SDSIM_PROGRAM names no program");
        return 77;
    }
    glob_t files;
    if (glob("tests/cases/*.case", 0, NULL, &files) != 0) {
        puts("no cases in tests/cases");
        return 1;
    }
    struct CMUnitTest *tests = calloc(files.gl_pathc, sizeof *tests);
    if (tests == NULL) {
        return 1;
    }
    for (size_t i = 0; i < files.gl_pathc; i++) {
        tests[i] = (struct CMUnitTest){
            .name = files.gl_pathv[i], .test_func = test_case, .initial_state = files.gl_pathv[i]};
    }
    const int failed = _cmocka_run_group_tests("cases", tests, files.gl_pathc, NULL, NULL);
    free(tests);
    globfree(&files);
    return failed;
}
