/*
 * The viewer under test, beside the program that SDSIM_PROGRAM names: runs under SDL's dummy driver in the
 * scratch folder (scratch.h).
 */
#ifndef SDSIM_TEST_VIEWER_H
#define SDSIM_TEST_VIEWER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether there is one; false after a message. */
bool sdsim_test_has_viewer(void);
const char *sdsim_test_viewer(void);

/* Records a run of a scenario of the test profiles as NAME.sdtl in the folder. */
void sdsim_test_viewer_record(const char *scenario, const char *run, const char *name);

/* Runs the viewer with these words (in a shell) in the folder; its exit code, and what it printed on both
 * outputs, cut to `size`. */
int sdsim_test_view(const char *words, char *text, size_t size);

/* Runs a script on what the words name; the last state it dumped, in `text`. Fails the test if the viewer
 * does; a finding, as of a file that was cut off, is none of its business. */
const char *sdsim_test_view_script(const char *words, const char *script, char *text, size_t size);

/* The numbers of "view:" in a dump. */
struct sdsim_test_view {
    uint64_t from;
    uint64_t length;
    unsigned width;
};
struct sdsim_test_view sdsim_test_view_of(const char *dump);

#endif
