/*
 * What every reader of a trace begins with: memory for itself, and the headers of its trace.
 */
#ifndef SDSIM_TRACE_SOURCE_H
#define SDSIM_TRACE_SOURCE_H

#include <stddef.h>

#include "trace/block_trace.h"
#include "trace/input.h"

/*
 * `size` bytes of zeros for a reader of `input`, to be freed with free(), and empty headers (*info), to
 * be freed with sdsim_trace_info_free. NULL after a message if there is no memory; the input, which the
 * reader was to take over, is closed then.
 */
void *sdsim_trace_source_new(struct sdsim_input *input, size_t size,
                             struct sdsim_trace_info **info);

#endif
