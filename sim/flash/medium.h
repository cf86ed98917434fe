/*
 * The medium: what is stored on the card, sector by sector, without any notion of time.
 *
 * It is a sorted map of extents over the sectors of the card. An extent is real bytes, generated
 * content (a seed and a byte offset; the bytes are made when somebody reads them), a piece of an
 * image file, or - where there is no extent - erased. A workload writes gigabytes of generated
 * content at the cost of one extent; metadata is real bytes; so a 2 TB card with a file system and
 * some large files takes a few MiB.
 *
 * Neighbouring extents that continue each other are merged, so a long sequential write stays one
 * extent. Equality compares content, never representation.
 *
 * Limits: sectors are 512 bytes; LBAs are 32 bits (2 TiB). Not safe for use by two threads at once.
 */
#ifndef SDSIM_FLASH_MEDIUM_H
#define SDSIM_FLASH_MEDIUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/diag.h"

#define SDSIM_SECTOR 512u

enum sdsim_content_kind {
    SDSIM_CONTENT_BYTES,     /* `bytes` holds them */
    SDSIM_CONTENT_GENERATED, /* sdsim_generate(seed, offset, ...) makes them */
    SDSIM_CONTENT_FILL,      /* every byte is `fill` */
};

/* What is to be written; a small value, passed by pointer, never owned. */
struct sdsim_content {
    enum sdsim_content_kind kind;
    uint8_t fill;
    const uint8_t *bytes; /* SDSIM_CONTENT_BYTES: as many as the call writes */
    uint64_t seed;        /* SDSIM_CONTENT_GENERATED */
    uint64_t offset;      /* SDSIM_CONTENT_GENERATED: of the first byte, in bytes, any alignment */
};

/*
 * The bytes of generated content: `count` bytes from byte `offset` of the stream `seed`. Byte o of
 * a stream is byte o % 8 (least significant first) of splitmix64(seed + o / 8).
 */
void sdsim_generate(uint64_t seed, uint64_t offset, void *out, size_t count);

/* The bytes of any content: `count` bytes, starting `skip` bytes in. */
void sdsim_content_bytes(const struct sdsim_content *content, uint64_t skip, void *out,
                         size_t count);

/* `content` without its first `skip` bytes. */
static inline struct sdsim_content sdsim_content_after(const struct sdsim_content *content,
                                                       uint64_t skip)
{
    struct sdsim_content rest = *content;
    switch (content->kind) {
    case SDSIM_CONTENT_BYTES:
        rest.bytes += skip;
        break;
    case SDSIM_CONTENT_GENERATED:
        rest.offset += skip;
        break;
    case SDSIM_CONTENT_FILL:
        break;
    }
    return rest;
}

struct sdsim_medium;

/* An erased medium of `sectors` sectors (1 to 2^32 - 1) whose erased bytes read as `erased`. NULL
 * without memory. Free with sdsim_medium_destroy, which takes NULL too. */
struct sdsim_medium *sdsim_medium_create(uint32_t sectors, uint8_t erased);
void sdsim_medium_destroy(struct sdsim_medium *medium);

uint32_t sdsim_medium_sectors(const struct sdsim_medium *medium);

/*
 * Writes `count` sectors of content from `lba`. The range must lie on the medium (asserted). Bytes
 * are copied. Returns false without memory; the range is then unchanged.
 * Cost: O(1) for a write that continues the one before it, O(log n) otherwise.
 */
bool sdsim_medium_write(struct sdsim_medium *medium, uint32_t lba, uint32_t count,
                        const struct sdsim_content *content);

/* From now on writes change nothing: for who only wants to know how long they take. */
void sdsim_medium_forget(struct sdsim_medium *medium);

/* Makes the range erased again. Returns false without memory. */
bool sdsim_medium_erase(struct sdsim_medium *medium, uint32_t lba, uint32_t count);

/* Reads `count` sectors from `lba` into `out` (count * 512 bytes). Image sectors that cannot be
 * read (I/O error) come as erased and make sdsim_medium_failed() true. */
void sdsim_medium_read(const struct sdsim_medium *medium, uint32_t lba, uint32_t count, void *out);
bool sdsim_medium_failed(const struct sdsim_medium *medium);

/*
 * Lays the image file `path` over the medium, its first byte at sector `lba`. The file stays open
 * and is never written; a last partial sector is filled up with zeros; holes of a sparse file cost
 * nothing. False with a message in `diags` when it can't be opened or is larger than the medium.
 */
bool sdsim_medium_load(struct sdsim_medium *medium, uint32_t lba, const char *path,
                       struct sdsim_diags *diags);

/*
 * Writes the whole medium to `path` as a sparse file (temporary name, then renamed). Erased sectors
 * and long runs of zeros become holes, so erased sectors read as zeros in the file, whatever they
 * read as on the card. False with a message on failure; nothing is left behind then.
 */
bool sdsim_medium_save(const struct sdsim_medium *medium, const char *path,
                       struct sdsim_diags *diags);

/* True if the two have the same size and every sector the same bytes. Compares generated extents by
 * seed and offset where they coincide, so equal runs of a terabyte compare in microseconds. */
bool sdsim_medium_equal(const struct sdsim_medium *a, const struct sdsim_medium *b);

/* An independent copy (image files are shared by reference). NULL without memory. */
struct sdsim_medium *sdsim_medium_copy(const struct sdsim_medium *medium);

struct sdsim_medium_usage {
    size_t extents;
    size_t bytes;     /* of memory, all included */
    uint64_t written; /* sectors that are not erased */
};
struct sdsim_medium_usage sdsim_medium_usage(const struct sdsim_medium *medium);

#endif
