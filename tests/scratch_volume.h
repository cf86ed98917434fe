/*
 * Volumes with a file to scribble on, for tests that write where a file lies: /SCRATCH.BIN in three pieces,
 * the second of which is the longest, /OTHER.BIN in between, /EMPTY.BIN without a cluster, and
 * /FOLDER.
 */
#ifndef SDSIM_TEST_SCRATCH_VOLUME_H
#define SDSIM_TEST_SCRATCH_VOLUME_H

#include <stdbool.h>

#include "flash/medium.h"

/* Makes one, FAT32 or exFAT, on a medium of 64 MiB or more. In front of the file there is another, of so
 * many sectors. Fails through cmocka. */
void sdsim_test_scratch_volume(struct sdsim_medium *medium, bool exfat, uint32_t in_front);

/* Sectors from..to - 1 are the longest piece of the file. */
void sdsim_test_scratch_longest(struct sdsim_medium *medium, uint32_t *from, uint32_t *to);

/* FAT32: has the end of the file lead into the other one, which then has its sectors, too. */
void sdsim_test_scratch_damage(struct sdsim_medium *medium);

#endif
