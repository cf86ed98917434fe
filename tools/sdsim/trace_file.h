/*
 * Trace files of the command line: reading one in any format, and writing one.
 *
 * A file's name says how it is written (.blocks, .sdt, .zst, .ops) unless the user does.
 */
#ifndef SDSIM_TOOLS_TRACE_FILE_H
#define SDSIM_TOOLS_TRACE_FILE_H

#include "big_output.h"
#include "core/diag.h"
#include "trace/formats.h"

enum sdsim_trace_form {
    SDSIM_FORM_BLOCKS,
    SDSIM_FORM_SDT,
    SDSIM_FORM_ZST,
    SDSIM_FORM_OPS,
    SDSIM_FORM_UNKNOWN,
};

/* By the word of --to or by how a file's name ends. SDSIM_FORM_UNKNOWN: neither says it. */
enum sdsim_trace_form sdsim_trace_form(const char *word, const char *path);

/* A sink of block records in that form, over a stream; NULL without memory, and for .ops. */
struct sdsim_block_sink *sdsim_trace_form_sink(enum sdsim_trace_form form, FILE *out);

/*
 * Opens a trace with the options --from, --host (SDSIM_OPTION_LOG_HOST) and --file. Of a log with
 * several hosts the busiest is found by reading it once before; on standard input it is the first.
 * `options` and `diags` must outlive the trace. False with messages in `diags`.
 */
bool sdsim_trace_file_open(struct sdsim_trace *trace, const struct sdsim_arguments *arguments,
                           const char *path, struct sdsim_trace_options *options,
                           struct sdsim_diags *diags);

/*
 * Tells that a trace or capture was read to its end without a single call, what is in it instead, and what to
 * do: `severity` ERROR or WARNING. `trace` is still open.
 */
void sdsim_trace_file_tell_empty(const struct sdsim_trace *trace,
                                 const struct sdsim_arguments *arguments, const char *path,
                                 enum sdsim_severity severity, struct sdsim_diags *diags);

#endif
