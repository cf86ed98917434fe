#include "file/stream_state.h"

#include <stdlib.h>
#include <string.h>

#include "fat/volume_state.h"

void sdsim_stream_digest(const struct sdsim_stream *stream, struct sdsim_digest *digest)
{
    sdsim_digest_add(digest, (uint64_t)stream->filled << 32 | stream->taken);
    sdsim_digest_add(digest, (uint64_t)stream->size << 1 | (uint64_t)stream->writing);
    if (stream->buffer != NULL) {
        const bool lazy = stream->writing && stream->lazy.end > stream->lazy.begin;
        sdsim_digest_bytes(digest, stream->buffer, lazy ? stream->lazy.begin : stream->filled);
        sdsim_lazy_bytes_digest(&stream->lazy, digest);
    }
    sdsim_file_digest(&stream->file, digest);
}

bool sdsim_stream_own_buffer(struct sdsim_stream *stream)
{
    if (stream->buffer == NULL) {
        return true;
    }
    const uint8_t *of_other = stream->buffer;
    stream->buffer = malloc(stream->size);
    if (stream->buffer == NULL) {
        return false;
    }
    memcpy(stream->buffer, of_other, stream->filled);
    return true;
}
