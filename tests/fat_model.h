/*
 * Random file operations on a volume, checked against a model in memory.
 *
 * The model is a list of files with their bytes, and of directories. Each step does one random
 * operation on both and compares the answers; bytes that a file gained without being written (by a
 * seek or f_expand) are not compared. When the volume is full, the model follows what was done. It
 * knows where SdFat and the classic library answer otherwise than FatFs.
 * Everything fails through cmocka, with the seed in the message.
 */
#ifndef SDSIM_TEST_FAT_MODEL_H
#define SDSIM_TEST_FAT_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "fat/volume.h"

struct sdsim_fat_model;

/* A model of a freshly made, mounted volume. The volume must outlive it. `short_names`: only names
 * that a build without long names takes. */
struct sdsim_fat_model *sdsim_fat_model_create(struct sdsim_volume *volume, uint64_t seed,
                                               bool short_names);

/* One random operation. */
void sdsim_fat_model_step(struct sdsim_fat_model *model);

/* Closes all files, mounts again, and compares every file, every listing, and the free count. */
void sdsim_fat_model_verify(struct sdsim_fat_model *model);

/* Whether a write found no room. SdFat and the classic library then leave a file with more clusters
 * than its size needs. */
bool sdsim_fat_model_was_full(const struct sdsim_fat_model *model);

void sdsim_fat_model_destroy(struct sdsim_fat_model *model);

#endif
