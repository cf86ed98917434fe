/*
 * sdsim-probe, as it was built, measuring a card on a virtual FT232H: what it prints, the profile it
 * writes, what it takes to let it write, and how it ends when things go wrong.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ftdi/bench.h"

static void test_show(void **state)
{
    (void)state;
    struct sdsim_bench *bench =
        sdsim_bench_up(&(struct sdsim_bench_setup){.profile = getenv("CARD")});
    sdsim_bench_fill(bench, 0, 1000, 1);
    remove("/tmp/x.journal");
    const char *args[] = {"probe",         "--out", "/tmp/x.yaml", "--write",   "--range",
                          "64MiB..160MiB", "--yes", "0",           "--journal", "/tmp/x.journal",
                          "--pauses",      "4MiB",  NULL};
    struct sdsim_bench_run run = sdsim_bench_sdsim(bench, args);
    printf("%d in %.1f s, %lu trips\n%s\n%s\n", run.result.code, run.seconds, run.usb.round_trips,
           run.result.out, run.result.err);
    sdsim_test_result_free(&run.result);
    sdsim_bench_down(bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_show),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
