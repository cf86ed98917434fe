/*
 * For binary.c only: a chunk of records of the binary format (trace/binary.h), whose columns are put
 * together to records.
 *
 * That goes by batches that stay in the first-level cache: a batch of each column is unpacked to
 * entries of one width, by loops that compilers turn into vector code, and then the entries are put
 * together. There are two ways. Mostly all records of a chunk are reads, or writes, with the same
 * flags: then entries have 32 bits, and distances are made signed in the vector code; all else is
 * done with 64. Values that no record can have are looked for in a batch as a whole, and only if
 * there are some, record by record.
 *
 * Limits: times wrap beyond 2^64 ps, as the sums of the format do.
 */
#ifndef SDSIM_TRACE_BINARY_COLUMNS_H
#define SDSIM_TRACE_BINARY_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/binary_layout.h"
#include "trace/block_trace.h"

enum { SDSIM_BINARY_BATCH = 128 }; /* records put together at once */

/* How far a chunk was read. */
struct sdsim_binary_place {
    const uint8_t *columns[SDSIM_BINARY_COLUMNS]; /* the next entries */
    const uint8_t *marks;                         /* the next mark */
    uint32_t marks_left;
    uint32_t left;  /* records */
    uint64_t lba;   /* expected */
    uint64_t start; /* in units */
};

/* Entries of a column, as one of the two ways takes them. */
union sdsim_binary_entries {
    uint64_t wide[SDSIM_BINARY_BATCH];  /* as they are in the file */
    uint32_t words[SDSIM_BINARY_BATCH]; /* the same, if 32 bits hold them */
    int32_t steps[SDSIM_BINARY_BATCH];  /* distances that 32 bits hold */
};

struct sdsim_binary_columns {
    struct sdsim_binary_place at;
    uint8_t width[SDSIM_BINARY_COLUMNS];
    sdsim_ps unit;
    uint64_t duration; /* the least, in units */
    uint64_t count;    /* the least */
    uint64_t kind;     /* of the first: kind, flags << 4 */
    bool alike;        /* all of one kind, which has a range of sectors, with the same flags */
    bool doubtful;     /* one of the records ahead is impossible: one at a time */
    bool zeroed[SDSIM_BINARY_COLUMNS]; /* all entries below are 0 */
    union sdsim_binary_entries entries[SDSIM_BINARY_COLUMNS];
};

/* Begins with the chunk whose `count` records are in the payload, which must stay while they are
 * taken; false if its columns are not what they should be. */
bool sdsim_binary_columns_find(struct sdsim_binary_columns *columns, const uint8_t *payload,
                               size_t size, uint32_t count);

/* The next records of the chunk, at most `most` (>= 1); there must be some left (at.left). 0: the next
 * one is impossible. */
size_t sdsim_binary_columns_take(struct sdsim_binary_columns *columns,
                                 struct sdsim_block_record *records, size_t most);

#endif
