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
#include <unistd.h>

#include "case_file.h"
#include "program.h"

static void test_case(void **state)
{
    sdsim_test_case(*state);
}

/* Each case that was collected has a file. */
static void test_all_there(void **state)
{
    (void)state;
    FILE *in = fopen("../shared/cases/cases.jsonl", "r");
    if (in == NULL) {
        print_message("no ../shared/cases here\n");
        skip();
    }
    static char line[65536];
    unsigned count = 0;
    while (fgets(line, sizeof line, in) != NULL) {
        char id[16];
        char path[64];
        if (sscanf(line, "{\"id\": \"%15[^\"]", id) == 1) {
            snprintf(path, sizeof path, "tests/cases/%s.case", id);
            if (access(path, R_OK) != 0) {
                fail_msg("no %s", path);
            }
            count++;
        }
    }
    fclose(in);
    assert_true(count >= 20);
}

int main(void)
{
    sdsim_test_need_program();
    glob_t files;
    if (glob("tests/cases/*.case", 0, NULL, &files) != 0) {
        puts("no cases in tests/cases");
        return 1;
    }
    const size_t count = files.gl_pathc + 1;
    struct CMUnitTest *tests = calloc(count, sizeof *tests);
    if (tests == NULL) {
        return 1;
    }
    for (size_t i = 0; i < files.gl_pathc; i++) {
        tests[i] = (struct CMUnitTest){
            .name = files.gl_pathv[i], .test_func = test_case, .initial_state = files.gl_pathv[i]};
    }
    tests[files.gl_pathc] = (struct CMUnitTest)cmocka_unit_test(test_all_there);
    const int failed = _cmocka_run_group_tests("cases", tests, count, NULL, NULL);
    free(tests);
    globfree(&files);
    return failed;
}
