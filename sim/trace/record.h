/*
 * A run of the simulator as a trace: a recorder that turns the calls it hears into records of block
 * operations, or into file operations.
 *
 *     blocks   every call of the driver (SDSIM_LANE_DISK) with the label of its purpose
 *     ops      every call of the application (SDSIM_LANE_TASK)
 *
 * Times count from power-up, which the headers should say (origin=power-up). Replayed with the same
 * set-up and the recorded times, each call takes as long as it did, to the picosecond.
 *
 * Files that are open at once get handles, the lowest that is free, known by the file's name.
 *
 * Limits: ten files open at once. Calls that take no time are not heard of. Seek workloads do
 * several things in what counts as one call, and raw ones know no files: of both there are no file
 * operations.
 */
#ifndef SDSIM_TRACE_RECORD_H
#define SDSIM_TRACE_RECORD_H

#include <stdio.h>

#include "core/recorder.h"
#include "fat/ops.h"
#include "trace/block_trace.h"

struct sdsim_block_recorder {
    struct sdsim_recorder base; /* first; to be handed to the run */
    struct sdsim_block_sink *sink;
    const struct sdsim_trace_info *info;
    bool failed; /* the sink takes no more */
    uint32_t lba;
    uint32_t count;
};

/* Records into a sink; both stay the caller's, and `info` holds the headers. */
void sdsim_block_recorder_init(struct sdsim_block_recorder *recorder, struct sdsim_block_sink *sink,
                               const struct sdsim_trace_info *info);

struct sdsim_op_recorder {
    struct sdsim_recorder base; /* first */
    FILE *out;
    bool unknown; /* a call was none of a file, or of one too many */
    struct sdsim_detail detail;
    char name[128];
    char open[SDSIM_OPS_HANDLES][128]; /* names of the files that are open, by handle; "": none */
};

/* Records as .ops text; headers are the caller's to write. */
void sdsim_op_recorder_init(struct sdsim_op_recorder *recorder, FILE *out);

#endif
