/*
 * What the survey of a volume (fat/layout.h) found, as sentences: each names the structure that is
 * wrong and its sector, and what that means for the files.
 *
 * Whoever met a damaged volume can ask for the reason: firmware gets a number from its file system,
 * "corrupt" or "no volume", and the survey knows more. Limits: English.
 */
#ifndef SDSIM_FAT_LAYOUT_TEXT_H
#define SDSIM_FAT_LAYOUT_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fat/layout.h"

/* A finding as a sentence. Returns `out`, cut at `size`. */
char *sdsim_finding_text(const struct sdsim_layout *layout, const struct sdsim_finding *finding,
                         char *out, size_t size);

/* The first damage on a disk that gets in a firmware's way, or why there is no volume on it, as a
 * sentence. False, `out` empty, if nothing does. Reads all FATs and directories. */
bool sdsim_layout_explain(const struct sdsim_disk *disk, char *out, size_t size);

/* "32 clusters", "1 cluster". Returns `out`. */
char *sdsim_print_count(uint64_t count, const char *what, char *out, size_t size);

/* Sectors as a size: "3.5MiB". Returns `out`. */
char *sdsim_print_sectors(uint64_t sectors, char *out, size_t size);

#endif
