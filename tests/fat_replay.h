/*
 * Replaying .ops files on a medium and comparing what they cause with .blocks files.
 */
#ifndef SDSIM_TEST_FAT_REPLAY_H
#define SDSIM_TEST_FAT_REPLAY_H

#include <stdbool.h>
#include <stdio.h>

#include "fat/volume.h"
#include "flash/medium.h"

/* The whole of a file with a zero behind it, or NULL. The caller frees it. */
char *sdsim_fat_read_text(const char *path);

/*
 * Runs a sequence of operations on the medium; its block operations go to `out` (NULL: nowhere).
 * With `plain` the answers are those of libraries that only know "failed": every error is rc=1, and
 * a write that met a disk error wrote 0 bytes.
 */
void sdsim_fat_replay(struct sdsim_medium *medium, const char *ops, const char *path,
                      const struct sdsim_volume_config *config, bool plain, FILE *out);

/*
 * The same on a copy of a medium, compared with what is expected, but for comments at its head.
 * Prints the first line that differs with `name`; true if there is none.
 */
bool sdsim_fat_replay_is(const struct sdsim_medium *start, const char *ops_path,
                         const struct sdsim_volume_config *config, bool plain,
                         const char *blocks_path, const char *name);

#endif
