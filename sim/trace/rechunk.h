/*
 * Other call sizes: reads or writes that continue each other are joined and cut anew.
 *
 * A read begins when the first call that it takes something of began; a write when the last one did,
 * because then its data are there. The recorded time of the old calls is shared out by length, so that
 * sums stay what they were. Anything else - another place, direction, file, a sync - ends a run: what
 * is left of it becomes a shorter call. Marks are dropped.
 *
 * A repetition (*K) of a block operation goes to the same sectors again, so it never continues; that
 * of a file operation goes on in the file.
 */
#ifndef SDSIM_TRACE_RECHUNK_H
#define SDSIM_TRACE_RECHUNK_H

#include "trace/block_trace.h"
#include "trace/op_trace.h"

/* Calls of `sectors` (>= 1). Takes over the source. NULL without memory, and then it is closed. */
struct sdsim_block_source *sdsim_rechunk_blocks(struct sdsim_block_source *source,
                                                uint32_t sectors);

/* Calls of `bytes` (>= 1). Takes over the source. NULL without memory, and then it is closed. */
struct sdsim_op_source *sdsim_rechunk_ops(struct sdsim_op_source *source, uint64_t bytes);

#endif
