/*
 * Scratch files: a folder of the test program's own in /tmp, and whole files written, read and compared.
 *
 *     sdsim_test_write_text(sdsim_test_path("in.ops"), "mount\n");
 *     ...
 *     char *text = sdsim_test_read_file(sdsim_test_path("out.csv"), NULL);
 *
 * The folder is made when it is first asked for. It is removed with all that is in it when the program
 * ends, whether its tests passed or not; so no test needs to clean up, but one that counts on a file not
 * being there. A child that forks off leaves it alone.
 *
 * Everything fails through cmocka. Limits: one folder for all tests of a program; one that is ended by a
 * signal leaves it behind.
 */
#ifndef SDSIM_TEST_SCRATCH_H
#define SDSIM_TEST_SCRATCH_H

#include <stdbool.h>
#include <stddef.h>

/* The path of the folder, absolute, without a slash behind it. */
const char *sdsim_test_folder(void);

/* The path of something in the folder; valid until 31 more were asked for. */
const char *sdsim_test_path(const char *name);

/* Whether there is anything at `path`. */
bool sdsim_test_exists(const char *path);

/* Writes a file, in place of one that is there. */
void sdsim_test_write_file(const char *path, const void *bytes, size_t size);
void sdsim_test_write_text(const char *path, const char *text);

/* All of a file, with a zero behind it that `size` (may be NULL) doesn't count; the caller frees it. */
char *sdsim_test_read_file(const char *path, size_t *size);

#endif
