/*
 * A trace of file operations: what a program asked of its files, in order, with or without times; the
 * counterpart of trace/block_trace.h a floor higher.
 *
 * One operation at a time, as fat/ops.h has them. Texts of an operation are good until the next one
 * is asked for.
 */
#ifndef SDSIM_TRACE_OP_TRACE_H
#define SDSIM_TRACE_OP_TRACE_H

#include <stdio.h>

#include "fat/ops.h"
#include "trace/block_trace.h"
#include "trace/input.h"
#include "trace/log.h"

struct sdsim_op_source {
    /* The next operation and, for messages and marks, the line it is from. False at the end, and after
     * a fault: then `failed` is set and a message was added. */
    bool (*next)(struct sdsim_op_source *source, struct sdsim_op *op, uint32_t *line);
    void (*close)(struct sdsim_op_source *source);
    struct sdsim_trace_info *info; /* headers; owned by the source */
    bool failed;
};

/* Each takes over the input, also when it fails. NULL after a message. */
struct sdsim_op_source *sdsim_ops_text_open(struct sdsim_input *input);

/* A log of file operations; see op_log.c for the shapes. `options` may be NULL, else it must outlive
 * the source. */
struct sdsim_op_source *sdsim_file_log_open(struct sdsim_input *input,
                                            const struct sdsim_trace_options *options);

/* The output of strace; see strace.c. */
struct sdsim_op_source *sdsim_strace_open(struct sdsim_input *input,
                                          const struct sdsim_trace_options *options);

/* How many of the first lines of a text look as if they were of a file log, or strace. */
size_t sdsim_file_log_likeness(const char *head, size_t size);
size_t sdsim_strace_likeness(const char *head, size_t size);

/* Writes headers as "#! key=value" lines, and an operation as a line of .ops text; errors stay in the
 * stream. */
void sdsim_ops_text_headers(FILE *out, const struct sdsim_trace_info *info);
void sdsim_ops_text_put(FILE *out, const struct sdsim_op *op);

#endif
