#include "flash/medium.h"

#include <string.h>

#include "core/rng.h"

/* The low `count` bytes of `word`, least significant first. */
static void store(uint8_t *out, uint64_t word, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        out[i] = (uint8_t)(word >> 8 * i);
    }
}

void sdsim_generate(uint64_t seed, uint64_t offset, void *out, size_t count)
{
    uint8_t *bytes = out;
    uint64_t index = seed + offset / 8;
    const size_t phase = (size_t)(offset % 8);
    if (phase != 0 && count > 0) {
        const size_t n = count < 8 - phase ? count : 8 - phase;
        store(bytes, sdsim_mix(index++) >> 8 * phase, n);
        bytes += n;
        count -= n;
    }
    for (; count >= 8; count -= 8, bytes += 8) {
        store(bytes, sdsim_mix(index++), 8);
    }
    if (count > 0) {
        store(bytes, sdsim_mix(index), count);
    }
}

void sdsim_content_bytes(const struct sdsim_content *content, uint64_t skip, void *out,
                         size_t count)
{
    switch (content->kind) {
    case SDSIM_CONTENT_BYTES:
        memcpy(out, content->bytes + skip, count);
        return;
    case SDSIM_CONTENT_GENERATED:
        sdsim_generate(content->seed, content->offset + skip, out, count);
        return;
    case SDSIM_CONTENT_FILL:
        memset(out, content->fill, count);
        return;
    }
}
