/*
 * The two traces a firmware's recording holds: what its driver was asked for, and its file calls.
 *
 * Blocks: reads, writes, syncs, trims and status of the card, in the order of their starts; the
 * recording has them in the order of their ends, and up to 64 of them are held back to turn that
 * round. What follows a mark of the firmware has the label "mark N" until the next mark; mark 0 ends
 * that.
 *
 * Files: open, close, read, write, sync and seek, after a mount. The handles 0 to 255 of the firmware
 * become 0 to 9, the lowest free one at each open. A file's name is the last part of its path; one
 * whose name is not known is called FILE-N. Calls that failed can't be said in a list of operations
 * and are left out, and so are those on a handle whose opening is not in the recording; a warning
 * says how many.
 *
 * Both leave out what is of the other kind; whoever wants both reads the input twice.
 *
 * Limits: ten files open at a time. What else firmware does with files (folders, renaming,
 * deleting) is not recorded.
 */
#ifndef SDSIM_TRACE_FIRMWARE_TRACE_H
#define SDSIM_TRACE_FIRMWARE_TRACE_H

#include "trace/block_trace.h"
#include "trace/firmware_log.h"
#include "trace/op_trace.h"

/* Takes over the input, also when it fails. NULL after a message. */
struct sdsim_block_source *sdsim_firmware_blocks_open(struct sdsim_input *input);

/* Takes over the input, also when it fails. NULL after a message. `options` (NULL: none) must outlive
 * the source; of it, `file` chooses files by name. */
struct sdsim_op_source *sdsim_firmware_ops_open(struct sdsim_input *input,
                                                const struct sdsim_trace_options *options);

#endif
