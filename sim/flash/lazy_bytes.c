#include "flash/lazy_bytes.h"

#include <stdbool.h>

void sdsim_lazy_bytes_make(struct sdsim_lazy_bytes *lazy, uint8_t *buffer)
{
    if (lazy->made < lazy->end) {
        sdsim_generate(lazy->seed, lazy->base + lazy->made, buffer + lazy->made,
                       lazy->end - lazy->made);
        lazy->made = lazy->end;
    }
}

void sdsim_lazy_bytes_put(struct sdsim_lazy_bytes *lazy, uint8_t *buffer, uint32_t at,
                          const struct sdsim_content *content, uint64_t skip, uint32_t count)
{
    if (content->kind != SDSIM_CONTENT_GENERATED) {
        sdsim_lazy_bytes_make(lazy, buffer);
        *lazy = (struct sdsim_lazy_bytes){0};
        sdsim_content_bytes(content, skip, buffer + at, count);
        return;
    }
    const uint64_t base = content->offset + skip - at;
    const bool continues = lazy->end > lazy->begin && lazy->seed == content->seed &&
                           lazy->base == base && at >= lazy->begin && at <= lazy->end;
    if (!continues) {
        sdsim_lazy_bytes_make(lazy, buffer);
        *lazy = (struct sdsim_lazy_bytes){
            .seed = content->seed, .base = base, .begin = at, .end = at, .made = at};
    }
    if (at + count > lazy->end) {
        lazy->end = at + count;
    }
}

struct sdsim_content sdsim_lazy_bytes_content(struct sdsim_lazy_bytes *lazy, uint8_t *buffer,
                                              uint32_t count)
{
    if (lazy->begin == 0 && lazy->end >= count && count > 0) {
        return (struct sdsim_content){
            .kind = SDSIM_CONTENT_GENERATED, .seed = lazy->seed, .offset = lazy->base};
    }
    sdsim_lazy_bytes_make(lazy, buffer);
    return (struct sdsim_content){.kind = SDSIM_CONTENT_BYTES, .bytes = buffer};
}

void sdsim_lazy_bytes_digest(const struct sdsim_lazy_bytes *lazy, struct sdsim_digest *digest)
{
    if (lazy->begin != lazy->end) {
        sdsim_digest_add(digest, lazy->seed);
        sdsim_digest_add(digest, lazy->base);
    }
    sdsim_digest_add(digest, (uint64_t)lazy->begin << 32 | lazy->end);
    sdsim_digest_add(digest, lazy->made);
}
