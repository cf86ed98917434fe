/*
 * sdsim-probe, as it was built, on a virtual FT232H: what it finds, what it says when something is
 * wrong, and how it ends.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "ftdi/bench.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const char *const probe[] = {"probe", NULL};

static void test_all_is_well(void **state)
{
    (void)state;
    struct sdsim_bench *bench =
        sdsim_bench_up(&(struct sdsim_bench_setup){.profile = "sdhc32g-a1"});
    struct sdsim_bench_run run = sdsim_bench_sdsim(bench, probe);
    print_message("%s%s%.3f s, %llu round trips\n", run.result.out, run.result.err, run.seconds,
                  (unsigned long long)run.usb.round_trips);
    assert_int_equal(run.result.code, 0);
    sdsim_test_result_free(&run.result);
    sdsim_bench_down(bench);
}

int main(void)
{
    if (!sdsim_test_has_program()) {
        return 77;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_is_well),
    };
    return cmocka_run_group_tests_name("ftdi_chip", tests, NULL, NULL);
}
