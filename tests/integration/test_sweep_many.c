/*
 * The scripts for sweeps on many machines (tools/examples/sweep): under GNU parallel, and as tasks of a
 * Slurm array, the merged file is that of one run, byte for byte.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "program.h"
#include "scratch.h"
#include "shell.h"

/* Where the scripts find the program and the profiles; a scenario whose name and values need care. */
#define HERE                                                                                       \
    "export PATH=\"$(dirname \"$SDSIM_PROGRAM\"):$PATH\" "                                         \
    "SDSIM_DATA_DIR=\"$PWD/tests/golden/data\" "                                                   \
    "TMPDIR=$d; scripts=\"$PWD/tools/examples/sweep\"; cd $d && "
#define SWEEP                                                                                      \
    "bench.yaml --vary 'workload.call=1KiB..16KiB*2' --vary 'card=plain,quick' --vary "            \
    "'clock=4MHz,20MHz' --draws 4 "

static int set_up(void **state)
{
    (void)state;
    struct sdsim_test_output output = sdsim_test_sh(
        HERE "cp $SDSIM_DATA_DIR/scenarios/bench.yaml . && sdsim sweep " SWEEP " -o one.csv");
    const bool fine = output.code == 0;
    free(output.text);
    return fine ? 0 : -1;
}

static void gnu_parallel(void **state)
{
    (void)state;
    if (!sdsim_test_has("parallel")) {
        print_message("[  SKIPPED ] there is no GNU parallel\n");
        skip();
    }
    sdsim_test_expect_success(sdsim_test_sh(HERE "sh $scripts/parallel.sh 3 three.csv " SWEEP
                                                 " 2>messages && cmp one.csv three.csv && "
                                                 "test ! -e three.csv.1.csv"));
    /* "Other machines" that are this one. */
    sdsim_test_expect_success(sdsim_test_sh(HERE "SSH=: sh $scripts/parallel.sh 2 two.csv " SWEEP
                                                 " 2>messages && cmp one.csv two.csv"));
    /* The line of the README. */
    sdsim_test_expect_success(sdsim_test_sh(
        HERE "seq 4 | parallel --will-cite sdsim sweep bench.yaml --vary "
             "'workload.call=1KiB..16KiB\\*2' --vary card=plain,quick --vary clock=4MHz,20MHz "
             "--draws 4 --shard {}/4 -o part{}.csv && "
             "sdsim sweep " SWEEP " $(printf ' --merge part%%d.csv' $(seq 4)) -o four.csv && "
             "cmp one.csv four.csv"));
}

/* A part that fails stops the rest, and there is no result. */
static void gnu_parallel_fails(void **state)
{
    (void)state;
    if (!sdsim_test_has("parallel")) {
        skip();
    }
    struct sdsim_test_output output = sdsim_test_sh(
        HERE "sh $scripts/parallel.sh 2 bad.csv bench.yaml --vary nosuch=1,2 2>messages; "
             "code=$?; test ! -e bad.csv && exit $code");
    assert_int_not_equal(output.code, 0);
    free(output.text);
    output = sdsim_test_sh("grep -q nosuch $d/messages");
    assert_int_equal(output.code, 0);
    free(output.text);
}

#define TASK(id)                                                                                   \
    "SLURM_ARRAY_TASK_ID=" #id " SLURM_ARRAY_TASK_COUNT=3 SLURM_ARRAY_TASK_MIN=1 "                 \
    "SLURM_CPUS_PER_TASK=2 sh $scripts/slurm.sh calls " SWEEP

static void slurm_array(void **state)
{
    (void)state;
    sdsim_test_expect_success(
        sdsim_test_sh(HERE TASK(3) " && " TASK(1) " && sh $scripts/slurm.sh calls 2>messages; "
                                                  "grep -q 'sbatch --array' messages"));
    /* Two of three parts: refused, and nothing is written. */
    struct sdsim_test_output output =
        sdsim_test_sh(HERE "sh $scripts/merge.sh 3 calls " SWEEP " 2>messages; code=$?; "
                           "test ! -e calls.csv && exit $code");
    assert_int_not_equal(output.code, 0);
    free(output.text);
    /* The second task was interrupted once: its rows so far are taken over. */
    sdsim_test_expect_success(sdsim_test_sh(
        HERE TASK(2) " && head -3 calls.2.csv > calls.2.csv.part && rm calls.2.csv && " TASK(
            2) " "
               "2>messages && grep -q 'were there already' messages && "
               "sh $scripts/merge.sh 3 calls " SWEEP " && cmp one.csv calls.csv"));
    /* An array that does not begin with 1 would miss a part. */
    output = sdsim_test_sh(
        HERE "SLURM_ARRAY_TASK_ID=0 SLURM_ARRAY_TASK_COUNT=3 SLURM_ARRAY_TASK_MIN=0 sh "
             "$scripts/slurm.sh calls " SWEEP " 2>messages; code=$?; "
             "grep -q 'has to begin with 1' messages && exit $code");
    assert_int_equal(output.code, 2);
    free(output.text);
}

int main(void)
{
    sdsim_test_need_program();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gnu_parallel),
        cmocka_unit_test(gnu_parallel_fails),
        cmocka_unit_test(slurm_array),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
