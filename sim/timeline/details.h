/*
 * The table of details: what the spans of a timeline are about, said once.
 *
 * A detail is 16 bytes; equal ones get one number, from 1. Names are kept once, too. Details only
 * come, in the order of their numbers, so a file can carry them in pieces ahead of the spans that use
 * them.
 *
 * Limits: 2^28 - 1 details and 2^20 - 1 names of up to 255 bytes; what comes later gets the number 0,
 * "unknown".
 */
#ifndef SDSIM_TIMELINE_DETAILS_H
#define SDSIM_TIMELINE_DETAILS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/recorder.h"

/* As it is stored. `about` is the name's number (20 bits), the code (8) and the kind (4). */
struct sdsim_detail_row {
    uint64_t place;
    uint32_t size;
    uint32_t about;
};

struct sdsim_details {
    struct sdsim_detail_row *rows; /* row 0 is detail 1 */
    size_t count;
    size_t capacity;
    char **names; /* name 1 is names[0] */
    size_t name_count;
    size_t name_capacity;
    uint32_t *slots; /* hash table of detail numbers, while details come */
    size_t slot_count;
    uint32_t *name_slots;
    size_t name_slot_count;
    bool failed; /* out of memory */
};

/* Frees everything; a zeroed table is an empty one. */
void sdsim_details_free(struct sdsim_details *details);

/* The number of a detail, added if it is new; 0 without room. */
uint32_t sdsim_details_number(struct sdsim_details *details, const struct sdsim_detail *detail);

/* The same for what comes out of a file: always added, with the next number. False without room, or
 * if a row names a name there is not. */
bool sdsim_details_add_row(struct sdsim_details *details, const struct sdsim_detail_row *row);
bool sdsim_details_add_name(struct sdsim_details *details, const char *name, size_t length);

/* What a number stands for; a detail of kind none for 0 and numbers that were never given out. */
struct sdsim_detail sdsim_details_get(const struct sdsim_details *details, uint32_t number);

/* The bytes a span moves that is about this, in one of the lanes of calls and commands. */
uint64_t sdsim_details_bytes(const struct sdsim_details *details, enum sdsim_lane lane,
                             unsigned part, uint32_t number);

/* No more details will come: gives back what was only needed for that. (More may come all the same.) */
void sdsim_details_seal(struct sdsim_details *details);

/* Memory in bytes. */
size_t sdsim_details_memory(const struct sdsim_details *details);

#endif
