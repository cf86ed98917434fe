/*
 * A buffer that is filled by small writes of generated content, without making their bytes.
 *
 * The buffer is the caller's. Beside it, this remembers the last run of bytes that continue each
 * other in one stream (seed and offset); its bytes are made when somebody looks at them. What such
 * a run fills completely can be passed on as generated content, so a file written in 40-byte lines
 * takes no more memory than one written in megabytes.
 */
#ifndef SDSIM_FLASH_LAZY_BYTES_H
#define SDSIM_FLASH_LAZY_BYTES_H

#include <stdint.h>

#include "core/digest.h"
#include "flash/medium.h"

/* Bytes begin..end of the buffer are bytes base + begin .. base + end (modulo 2^64) of stream `seed`;
 * those from `made` on are not in the buffer yet. begin == end: no such run, as in zeros. */
struct sdsim_lazy_bytes {
    uint64_t seed;
    uint64_t base;
    uint32_t begin;
    uint32_t end;
    uint32_t made;
};

/* Replaces `count` bytes of `buffer` from byte `at` with content, taken `skip` bytes in. */
void sdsim_lazy_bytes_put(struct sdsim_lazy_bytes *lazy, uint8_t *buffer, uint32_t at,
                          const struct sdsim_content *content, uint64_t skip, uint32_t count);

/* Makes the bytes that are not in the buffer yet. */
void sdsim_lazy_bytes_make(struct sdsim_lazy_bytes *lazy, uint8_t *buffer);

/* The first `count` bytes as content, generated if one run fills them; else their bytes are made.
 * Valid until the next change of the buffer. */
struct sdsim_content sdsim_lazy_bytes_content(struct sdsim_lazy_bytes *lazy, uint8_t *buffer,
                                              uint32_t count);

/* What the next call depends on, apart from the bytes of the buffer that were made. */
void sdsim_lazy_bytes_digest(const struct sdsim_lazy_bytes *lazy, struct sdsim_digest *digest);

#endif
