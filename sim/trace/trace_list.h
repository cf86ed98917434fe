/*
 * A whole trace in memory, for what goes over it more than once.
 *
 * Block records take 32 bytes each; file operations some 150 and their texts. A trace that is longer
 * than the caller allows stays a stream.
 */
#ifndef SDSIM_TRACE_TRACE_LIST_H
#define SDSIM_TRACE_TRACE_LIST_H

#include "trace/formats.h"

struct sdsim_trace_list {
    struct sdsim_block_record *records; /* of a block trace */
    struct sdsim_op *ops;               /* of one of file operations */
    uint32_t *lines;                    /* the line of each operation */
    size_t count;
    size_t capacity;
    char **texts; /* of the operations; owned */
    size_t text_count;
    size_t text_capacity;
    struct sdsim_trace_info *info; /* not owned: the trace's */
};

enum sdsim_trace_load {
    SDSIM_TRACE_LOADED,
    SDSIM_TRACE_TOO_LONG, /* the list holds its beginning, which the trace will not give again */
    SDSIM_TRACE_LOAD_NO_MEMORY,
};

/* Reads a trace to its end, or up to `most` records. What its source could not read is not in the
 * list: see sdsim_trace_failed. `list` needs no preparation; free it with sdsim_trace_list_free in
 * any case. The trace must stay open as long as its headers and labels are used. */
enum sdsim_trace_load sdsim_trace_list_load(struct sdsim_trace_list *list,
                                            struct sdsim_trace *trace, size_t most);
void sdsim_trace_list_free(struct sdsim_trace_list *list);

/* Puts block records in the order of their starts, those that began together as they are; nothing to
 * do for file operations, and for records of which one has no start or is a mark. False without
 * memory. */
bool sdsim_trace_list_sort(struct sdsim_trace_list *list);

/* A trace that gives the list; `then`, if not NULL, gives the rest of one that was too long. All
 * must outlive it. False without memory. */
bool sdsim_trace_list_open(struct sdsim_trace *trace, const struct sdsim_trace_list *list,
                           struct sdsim_trace *then);

#endif
