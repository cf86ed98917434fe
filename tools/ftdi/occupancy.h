/*
 * What is on a card, before anything is written to it: partition table, file system, a file's place.
 *
 * The volume is looked at as `sdsim layout` does (fat/layout.h), through the card's own reads.
 *
 * Limits: what is no FAT or exFAT volume is told by whether the card's beginning is empty only.
 */
#ifndef SDSIM_FTDI_OCCUPANCY_H
#define SDSIM_FTDI_OCCUPANCY_H

#include <stdio.h>

#include "card_io.h"
#include "fat/layout.h"

struct sdsim_occupancy {
    struct sdsim_layout *layout; /* NULL: no volume that is known */
    bool blank;                  /* the first sectors hold nothing but zeros, or nothing but ones */
    bool table;                  /* sector 0 ends like a partition table or a boot sector */
};

/* Looks; `path` is a file to be found, or NULL. False: reading failed (io->error), or there is no such
 * file (messages in `diags`). Free it in any case. */
bool sdsim_occupancy_look(struct sdsim_card_io *io, uint32_t au_blocks, const char *path,
                          struct sdsim_occupancy *occupancy, struct sdsim_diags *diags);
void sdsim_occupancy_free(struct sdsim_occupancy *occupancy);

/* Says what is there, and what of it lies in sectors from..to - 1 (from = to: nothing is said of that). */
void sdsim_occupancy_print(const struct sdsim_occupancy *occupancy, uint32_t from, uint32_t to,
                           FILE *out);

/* Why the file that was looked for is no place to write to, with a help in the second line; NULL: it may
 * be one. A directory is none, and where files of a damaged volume lie can't be relied on. */
const char *sdsim_occupancy_refusal(const struct sdsim_occupancy *occupancy, uint32_t sectors);

/* The longest run of sectors of the file that was looked for. */
void sdsim_occupancy_file(const struct sdsim_occupancy *occupancy, uint32_t *from, uint32_t *to);

#endif
