/*
 * For the readers of logs of file operations: which files are open, and operations that wait.
 *
 * One line can stand for several operations (a write to a file nobody saw being opened: mount, open,
 * write), so they are queued with texts of their own. Files get the handles 0 to 9 in the order in
 * which they are opened; a file's name is the last part of its path, in the root of the volume.
 */
#ifndef SDSIM_TRACE_OP_LOG_H
#define SDSIM_TRACE_OP_LOG_H

#include "trace/lines.h"
#include "trace/op_trace.h"

enum {
    SDSIM_OP_LOG_QUEUE = 8,
    SDSIM_OP_LOG_NAME = 256,
};

struct sdsim_op_log_file {
    bool open;
    uint64_t key; /* file descriptor, or whatever the log calls it */
};

struct sdsim_op_log {
    struct sdsim_op_source base;
    struct sdsim_input *input;
    const struct sdsim_trace_options *options;
    struct sdsim_lines lines;
    /* Looks at a line, which ends with a zero; true if it knows it. */
    bool (*line)(struct sdsim_op_log *log, const char *line);
    const char *what; /* a line should look like, for messages */
    struct sdsim_unwrap unwrap;
    sdsim_ps clock; /* end of the operations so far, of logs without stamps */
    uint64_t epoch; /* strace: whole seconds of the first stamp */
    bool have_epoch;
    uint64_t known; /* lines */
    bool mounted;
    struct sdsim_op_log_file files[SDSIM_OPS_HANDLES];
    struct sdsim_op queue[SDSIM_OP_LOG_QUEUE];
    char names[SDSIM_OP_LOG_QUEUE][2][SDSIM_OP_LOG_NAME];
    size_t first;
    size_t count;
    char text[SDSIM_LOG_LINE + 1]; /* the line at hand */
};

/* Reads with `line`; takes over the input. NULL after a message. */
struct sdsim_op_source *sdsim_op_log_open(struct sdsim_input *input,
                                          const struct sdsim_trace_options *options,
                                          bool (*line)(struct sdsim_op_log *, const char *),
                                          const char *what);

/* How many of the lines in `head`, 200 at most, `line` knows. */
size_t sdsim_op_log_likeness(const char *head, size_t size,
                             bool (*line)(struct sdsim_op_log *, const char *));

/* Queues an operation; names are cut to their last part and copied. `name` may be NULL. */
void sdsim_op_log_put(struct sdsim_op_log *log, const struct sdsim_op *op, const char *name,
                      size_t length);

/* The handle of an open file; -1 if there is none. */
int sdsim_op_log_find(const struct sdsim_op_log *log, uint64_t key);

/* A handle for a file that is opened now, after a `mount` if it is the first; -1 if all are taken. */
int sdsim_op_log_take(struct sdsim_op_log *log, uint64_t key);

/* Whether a path is one the user wants. */
bool sdsim_op_log_wants(const struct sdsim_op_log *log, const char *path, size_t length);

#endif
