/*
 * The formats a trace can be in, and telling them apart by what is in them.
 *
 *     name          level  what
 *     blocks        block  sdsim's text: R LBA COUNT, W LBA COUNT (blocks_text.h)
 *     sdt           block  sdsim's binary, plain or zstd (binary.h)
 *     ops           file   sdsim's text of file operations (fat/ops.h)
 *     linux-ftrace  block  mmc_request_start and mmc_request_done
 *     linux-debug   block  mmc0: starting CMD18 ..., req done
 *     blkparse      block  179,0 ... D W 223490 + 8
 *     diskio        block  prints of disk_read and disk_write
 *     esp-idf       block  sdmmc_cmd: sending cmd ...
 *     sdtrace       block  lines and dumps of tools/firmware/sdtrace.h (firmware_log.h)
 *     sdtrace-files file   the file calls in them
 *     strace        file   openat, write, fsync, ... with their results
 *     file-log      file   prints of fopen, fwrite, fsync, ...
 *
 * Everything may be compressed with zstd. A format is told by its first bytes, or by which one knows
 * most of the first 200 lines.
 */
#ifndef SDSIM_TRACE_FORMATS_H
#define SDSIM_TRACE_FORMATS_H

#include "trace/block_trace.h"
#include "trace/op_trace.h"

struct sdsim_trace_format {
    const char *name;
    const char *doc; /* for lists */
    /* One of the two is NULL. Both take over the input; `options` must outlive the source. */
    struct sdsim_block_source *(*open_blocks)(struct sdsim_input *input,
                                              const struct sdsim_trace_options *options);
    struct sdsim_op_source *(*open_ops)(struct sdsim_input *input,
                                        const struct sdsim_trace_options *options);
    /* How sure it is of the beginning of an input: 0 not at all, up to 1000. */
    unsigned (*likeness)(const char *head, size_t size);
    bool has_hosts; /* the log may tell of several hosts */
};

/* The formats in the order of the table above; NULL behind the last. */
const struct sdsim_trace_format *sdsim_trace_format_at(size_t index);

/* By name; NULL: there is none. */
const struct sdsim_trace_format *sdsim_trace_format_find(const char *name);

/* By what the input begins with; takes nothing off. NULL: none is known, or the input can't be read. */
const struct sdsim_trace_format *sdsim_trace_format_detect(struct sdsim_input *input);

/* An open trace, of either level. */
struct sdsim_trace {
    const struct sdsim_trace_format *format;
    struct sdsim_block_source *blocks; /* NULL: it is of file operations */
    struct sdsim_op_source *ops;
    struct sdsim_trace_info *info; /* of whichever it is */
};

/*
 * Opens a trace in `format`, or in that of its content if it is NULL. Takes over the input, also when
 * it fails. False after a message.
 */
bool sdsim_trace_open(struct sdsim_trace *trace, struct sdsim_input *input,
                      const struct sdsim_trace_format *format,
                      const struct sdsim_trace_options *options);

/* Whether something went wrong while it was read. */
bool sdsim_trace_failed(const struct sdsim_trace *trace);

void sdsim_trace_close(struct sdsim_trace *trace);

#endif
