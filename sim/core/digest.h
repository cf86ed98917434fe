/*
 * A digest of what an answer depends on: 128 bits that are the same for states that will behave the
 * same, and different for all others.
 *
 * Layers add what their next answer depends on, times as seen from now, and leave out what is over,
 * what is only counted, and where pointers point. Leaving in too much only costs sharing; leaving out
 * something would give wrong numbers, so a layer adds whatever it is not sure of.
 *
 * Two states whose digests are equal are taken for equal. With N different ones the chance that any
 * two of them collide is N^2 / 2^129: below 10^-20 for a thousand million of them.
 */
#ifndef SDSIM_CORE_DIGEST_H
#define SDSIM_CORE_DIGEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "core/time.h"

struct sdsim_digest {
    uint64_t a;
    uint64_t b;
};

static inline void sdsim_digest_start(struct sdsim_digest *digest)
{
    digest->a = 0x243f6a8885a308d3u; /* digits of pi */
    digest->b = 0x13198a2e03707344u;
}

/* Two independent chains: multiply, fold, and for the second a rotation in between. */
static inline void sdsim_digest_add(struct sdsim_digest *digest, uint64_t value)
{
    digest->a = (digest->a ^ value) * 0x9e3779b97f4a7c15u;
    digest->a ^= digest->a >> 29;
    digest->b = ((digest->b << 23 | digest->b >> 41) + value) * 0xc2b2ae3d27d4eb4fu;
    digest->b ^= digest->b >> 31;
}

/* An instant, as seen from `now`: all that are over are alike. */
static inline void sdsim_digest_time(struct sdsim_digest *digest, sdsim_ps at, sdsim_ps now)
{
    sdsim_digest_add(digest, sdsim_time_since(at, now));
}

static inline void sdsim_digest_bytes(struct sdsim_digest *digest, const void *bytes, size_t count)
{
    const uint8_t *at = bytes;
    uint64_t word;
    for (; count >= sizeof word; count -= sizeof word, at += sizeof word) {
        memcpy(&word, at, sizeof word);
        sdsim_digest_add(digest, word);
    }
    word = count;
    memcpy(&word, at, count);
    if (count > 0) {
        sdsim_digest_add(digest, word);
    }
}

static inline bool sdsim_digest_equal(const struct sdsim_digest *x, const struct sdsim_digest *y)
{
    return x->a == y->a && x->b == y->b;
}

#endif
