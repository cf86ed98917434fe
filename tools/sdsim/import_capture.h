/*
 * The seam between traces and captures of the pins, for `import` and `replay`.
 *
 * A capture (VCD, CSV of pins, sigrok session) is told from a trace by its content. What `import` says
 * of one - report, learn - is behind sdsim_import_capture; for converting, and for `replay`, the block
 * operations a capture shows are a source like any other.
 */
#ifndef SDSIM_TOOLS_IMPORT_CAPTURE_H
#define SDSIM_TOOLS_IMPORT_CAPTURE_H

#include "command.h"
#include "core/diag.h"
#include "trace/block_trace.h"

/* Whether a file holds pins, by its content. A file that can't be read does not, nor one
 * that can be read only once (spool.h). */
bool sdsim_import_is_capture(const char *path);

/* `import` with --report or --learn. */
enum sdsim_exit sdsim_import_capture(const struct sdsim_arguments *arguments);

/* The block operations in a capture; NULL with messages in `diags`, which must outlive the source. */
struct sdsim_block_source *sdsim_import_capture_blocks(const struct sdsim_arguments *arguments,
                                                       const char *path, struct sdsim_diags *diags);

#endif
