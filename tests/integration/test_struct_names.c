/*
 * Every struct, union and enum with a name is defined once in sim: two that are called alike mean two things
 * to whoever reads, and one of them to a debugger.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdlib.h>

#include "shell.h"

static void defined_once(void **state)
{
    (void)state;
    struct sdsim_test_output output = sdsim_test_sh(
        "grep -rhoE '^(struct|union|enum) sdsim_[a-z0-9_]+ [{]' sim --include='*.h' | "
        "sort | uniq -d");
    if (output.size > 0) {
        fail_msg("defined twice:\n%s", output.text);
    }
    free(output.text);
}

/* The search finds what there is. */
static void there_are_many(void **state)
{
    (void)state;
    struct sdsim_test_output output = sdsim_test_sh(
        "grep -rhoE '^(struct|union|enum) sdsim_[a-z0-9_]+ [{]' sim --include='*.h' | wc -l");
    assert_true(atoi(output.text) > 100);
    free(output.text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defined_once),
        cmocka_unit_test(there_are_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
