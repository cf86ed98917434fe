/*
 * An image file under a medium: opened for reading, shared by all media that were copied from the
 * one that opened it, closed with the last.
 *
 * Counts in sectors of 512 bytes; a last partial sector reads as filled up with zeros. Holes of a
 * sparse file are found where the system can tell (SEEK_HOLE). Several threads may read one image.
 */
#ifndef SDSIM_FLASH_IMAGE_H
#define SDSIM_FLASH_IMAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/diag.h"

struct sdsim_image;

/* Opens a regular file or a block device. NULL with a message in `diags`. Starts with one
 * reference. */
struct sdsim_image *sdsim_image_open(const char *path, struct sdsim_diags *diags);

/* Takes one more reference, and gives one back; with the last the file is closed. */
struct sdsim_image *sdsim_image_share(struct sdsim_image *image);
void sdsim_image_release(struct sdsim_image *image);

/* Size in sectors, a partial one included. */
uint64_t sdsim_image_sectors(const struct sdsim_image *image);

/* Reads sectors that lie in the image. On an error the rest of `out` is `erased` bytes, and
 * sdsim_image_failed() is true from then on. */
void sdsim_image_read(struct sdsim_image *image, uint64_t sector, uint32_t count, uint8_t erased,
                      void *out);
bool sdsim_image_failed(const struct sdsim_image *image);

/* Finds the next run [*from, *to) of whole sectors in a hole, starting the search at *from. False
 * when there is none, or the system can't tell. */
bool sdsim_image_hole(const struct sdsim_image *image, uint64_t *from, uint64_t *to);

#endif
