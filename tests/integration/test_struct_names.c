/*
 * What sim/api and the public header call a struct, a union or an enum, nothing else in sim is called: the
 * library is read, and debugged, by people who know only them.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdlib.h>

#include "shell.h"

#define NAMES "grep -rhoE '^(struct|union|enum) sdsim_[a-z0-9_]+ [{]' --include='*.h' "

static void defined_once(void **state)
{
    (void)state;
    struct sdsim_test_output output = sdsim_test_sh(NAMES "sim | sort | uniq -d >$d/twice; " NAMES
                                                          "sim/api sim/include | sort -u >$d/own; "
                                                          "comm -12 $d/twice $d/own");
    if (output.size > 0) {
        fail_msg("defined twice:\n%s", output.text);
    }
    free(output.text);
}

/* The search finds what there is. */
static void there_are_some(void **state)
{
    (void)state;
    struct sdsim_test_output output = sdsim_test_sh(NAMES "sim/api sim/include | wc -l");
    assert_true(atoi(output.text) > 0);
    free(output.text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defined_once),
        cmocka_unit_test(there_are_some),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
