/*
 * For binary.c and binary_sink.c only: the numbers of the binary format (trace/binary.h).
 */
#ifndef SDSIM_TRACE_BINARY_LAYOUT_H
#define SDSIM_TRACE_BINARY_LAYOUT_H

#include <stdint.h>
#include <string.h>

enum {
    SDSIM_BINARY_VERSION = 1,
    SDSIM_BINARY_FILE_HEAD = 16,
    SDSIM_BINARY_CHUNK_HEAD = 24,
    SDSIM_BINARY_CHECKED_HEAD = 16, /* of it, what the check covers */
    SDSIM_BINARY_PAYLOAD_MAX = 1 << 20,
    SDSIM_BINARY_RECORDS_MAX = 4096, /* of a chunk */
    SDSIM_BINARY_COLUMNS_HEAD = 40,  /* widths to the zero in front of the columns */
    SDSIM_BINARY_MARK = 24,
};

/* In the order of the file. */
enum sdsim_binary_column {
    SDSIM_BINARY_KIND,
    SDSIM_BINARY_LBA,
    SDSIM_BINARY_COUNT,
    SDSIM_BINARY_START,
    SDSIM_BINARY_DURATION,
    SDSIM_BINARY_REPEAT,
    SDSIM_BINARY_LABEL,
    SDSIM_BINARY_COLUMNS
};

#define SDSIM_BINARY_HEAD 0x44414548u /* "HEAD" */
#define SDSIM_BINARY_LABL 0x4C42414Cu /* "LABL" */
#define SDSIM_BINARY_RECS 0x53434552u /* "RECS" */
#define SDSIM_BINARY_DONE 0x454E4F44u /* "DONE" */

static inline uint64_t sdsim_binary_get(const void *bytes, unsigned width)
{
    const uint8_t *b = bytes;
    uint64_t value = 0;
    for (unsigned i = 0; i < width; i++) {
        value |= (uint64_t)b[i] << 8 * i;
    }
    return value;
}

static inline void sdsim_binary_put(void *bytes, unsigned width, uint64_t value)
{
    uint8_t *b = bytes;
    for (unsigned i = 0; i < width; i++) {
        b[i] = (uint8_t)(value >> 8 * i);
    }
}

static inline size_t sdsim_binary_padded(size_t size)
{
    return (size + 7) & ~(size_t)7;
}

#endif
