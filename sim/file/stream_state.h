/*
 * What the next call of a stream depends on, apart from its volume and what is on the disk.
 */
#ifndef SDSIM_FILE_STREAM_STATE_H
#define SDSIM_FILE_STREAM_STATE_H

#include "core/digest.h"
#include "file/stream.h"

/* Of an open stream. */
void sdsim_stream_digest(const struct sdsim_stream *stream, struct sdsim_digest *digest);

/* Gives a stream that was copied byte by byte a buffer of its own. False without memory. */
bool sdsim_stream_own_buffer(struct sdsim_stream *stream);

#endif
