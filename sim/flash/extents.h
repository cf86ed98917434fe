/*
 * The sorted map of extents behind the medium: runs of sectors with one kind of content each.
 *
 * Extents lie in chunks of up to SDSIM_CHUNK_EXTENTS, and a directory lists the chunks in order, so
 * finding one takes two binary searches, and putting one in moves at most one chunk's worth of
 * others. A full chunk is split in halves; neighbours that have become small are joined. Putting
 * extents in never fails: what it may need is set aside before by sdsim_extents_reserve, so a
 * caller can first gather all memory and then change the map without a way to get stuck.
 *
 * The map knows that extents are sorted and don't overlap (its callers see to that) and nothing of
 * what they hold. It does not own the memory of bytes extents.
 */
#ifndef SDSIM_FLASH_EXTENTS_H
#define SDSIM_FLASH_EXTENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SDSIM_CHUNK_EXTENTS 128u

enum sdsim_extent_kind {
    SDSIM_EXTENT_BYTES,
    SDSIM_EXTENT_GENERATED,
    SDSIM_EXTENT_FILL,
    SDSIM_EXTENT_IMAGE,
};

struct sdsim_extent {
    uint32_t lba;
    uint32_t count; /* sectors, > 0 */
    union {
        uint8_t *bytes; /* BYTES: the sectors, from malloc */
        uint64_t word; /* GENERATED: seed + offset / 8 of the first byte, which numbers the words of
                          all streams, so that equal content has equal numbers */
        uint64_t page; /* IMAGE: first sector in the file */
    } at;
    uint32_t image; /* IMAGE: which file, an index into the medium's list */
    uint8_t kind;   /* enum sdsim_extent_kind */
    uint8_t detail; /* GENERATED: offset % 8; FILL: the byte */
};

struct sdsim_chunk {
    uint32_t count; /* > 0 while in the directory */
    struct sdsim_extent extents[SDSIM_CHUNK_EXTENTS];
};

struct sdsim_extents {
    struct sdsim_chunk **chunks; /* in order */
    size_t count;
    size_t capacity;
    struct sdsim_chunk **spares; /* set aside by sdsim_extents_reserve */
    size_t spare_count;
    size_t spare_capacity;
};

/* A place in the map. The place behind the last extent is {count of chunks, 0}. Valid until the
 * next change. */
struct sdsim_spot {
    size_t chunk;
    uint32_t index;
};

/* A zeroed struct is an empty map. Frees the map, not the bytes of extents. */
void sdsim_extents_free(struct sdsim_extents *map);

/* Makes sure that `n` extents can be put in. False without memory; the map is good either way. */
bool sdsim_extents_reserve(struct sdsim_extents *map, size_t n);

/* The first extent that ends behind `lba`, or the end. */
struct sdsim_spot sdsim_extents_find(const struct sdsim_extents *map, uint32_t lba);

/* The extent at a spot; NULL at the end. */
struct sdsim_extent *sdsim_extents_at(const struct sdsim_extents *map, struct sdsim_spot spot);

/* One on (not from the end); one back, false (and *spot unchanged) at the first. */
struct sdsim_spot sdsim_extents_next(const struct sdsim_extents *map, struct sdsim_spot spot);
bool sdsim_extents_back(const struct sdsim_extents *map, struct sdsim_spot *spot);

/* Puts an extent in before `spot`; its room has been reserved. Returns where it lies now. */
struct sdsim_spot sdsim_extents_insert(struct sdsim_extents *map, struct sdsim_spot spot,
                                       const struct sdsim_extent *extent);

/* Takes the extents in [from, to) out. */
void sdsim_extents_remove(struct sdsim_extents *map, struct sdsim_spot from, struct sdsim_spot to);

#endif
