/*
 * The table of open AUs: where on the card may be written on without moving anything?
 *
 * Flash is erased in large blocks, so a controller that maps whole AUs can only write on where it
 * stopped. It holds a few AUs open for that. An open AU has two ends that can be written on: the
 * linear one, behind what came in order, and the log one, behind the last write that did not. An AU
 * that was written completely and in order closes by itself, its new copy takes the place of the old
 * (switch merge). Any other is closed by copying: what was never written behind the linear end
 * (partial merge), or, if anything came out of order, all of it (full merge). Then the old copy is
 * erased.
 *
 * AUs that were erased by the host have nothing worth copying. They are remembered as ranges and
 * leave them when they are opened.
 *
 * Limits: at most SDSIM_AU_SLOTS AUs and SDSIM_ERASED_RANGES ranges are remembered; of ranges, the
 * oldest is forgotten. Which data of an AU the host has overwritten or deleted is not known, as it
 * is not to most of these cards.
 */
#ifndef SDSIM_FLASH_AU_H
#define SDSIM_FLASH_AU_H

#include <stdbool.h>
#include <stdint.h>

#include "flash/flash_params.h"

#define SDSIM_ERASED_RANGES 16

struct sdsim_open_au {
    uint32_t au;
    uint32_t next;     /* LBA: the linear end */
    uint32_t log_next; /* LBA: the log end; UINT32_MAX: none */
    uint32_t high;     /* LBA behind all that was written */
    uint32_t written;  /* blocks in order */
    uint32_t used;     /* the table's clock when it was last written */
    bool scattered;    /* something came out of order */
    bool erased;       /* before it was opened: nothing to copy */
};

struct sdsim_au_range {
    uint32_t from;
    uint32_t end; /* the first AU behind it */
};

struct sdsim_au_table {
    uint32_t clock;
    uint8_t count;
    uint8_t erased_count;
    struct sdsim_open_au open[SDSIM_AU_SLOTS];
    struct sdsim_au_range erased[SDSIM_ERASED_RANGES];
};

/* The slot of an AU, -1 if it is not open. */
int sdsim_au_find(const struct sdsim_au_table *table, uint32_t au);

/* The open AU that was not written for longest; the table is not empty. */
int sdsim_au_oldest(const struct sdsim_au_table *table);

/* Opens an AU, for which there must be a slot, at `lba`; returns its slot. */
int sdsim_au_open(struct sdsim_au_table *table, uint32_t au, uint32_t lba);

/* Forgets an open AU. The last one takes its slot. */
void sdsim_au_close(struct sdsim_au_table *table, int slot);

/* The host erased these AUs: nothing is open there, and nothing is worth copying. */
void sdsim_au_erased(struct sdsim_au_table *table, uint32_t from, uint32_t end);

/* What it takes to close an AU: see above. */
sdsim_ps sdsim_au_merge_time(const struct sdsim_flash_params *params,
                             const struct sdsim_open_au *open);

/* What it takes to merge an AU of which nothing can be kept. */
sdsim_ps sdsim_au_full_merge(const struct sdsim_flash_params *params);

#endif
