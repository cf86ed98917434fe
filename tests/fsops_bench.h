/*
 * mkfs, fsops and layout run in a folder of their own, so that the names of images in what they print are
 * short and always the same; and a list of operations that several tests leave on an image.
 */
#ifndef SDSIM_TEST_FSOPS_BENCH_H
#define SDSIM_TEST_FSOPS_BENCH_H

#include "program.h"

/* A logger that loses its power: LOG.TXT was synced once and grew, NEW.TXT was never synced. */
extern const char sdsim_test_power_cut[];

/* For cmocka_run_group_tests: goes to the scratch folder, and back. */
int sdsim_test_fsops_enter(void **state);
int sdsim_test_fsops_leave(void **state);

/* Where the tests were started: the top folder. */
const char *sdsim_test_fsops_source(void);

/* Runs the program as sdsim_test_run_quiet does; `row` (or NULL) is one more row of environment. */
struct sdsim_test_result sdsim_test_fsops_run(const char *const *arguments, const char *row);

/* Runs it, expects the exit code, and throws the output away. */
void sdsim_test_fsops_expect(const char *const *arguments, int code);

#endif
