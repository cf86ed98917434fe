/*
 * The two traces a firmware's recording holds: what its driver was asked for, as a source of block
 * records, and its file calls, as operations of fat/ops.h.
 *
 * Blocks: reads, writes, syncs, trims and status of the card, in the order of their starts; the
 * recording has them in the order of their ends, and up to 64 of them are held back to turn that
 * round. What follows a mark of the firmware has the label "mark N" until the next mark; mark 0 ends
 * that.
 *
 * Files: open, close, read, write, sync and seek. The handles 0 to 255 of the firmware become 0 to 9,
 * the lowest free one at each open. A file whose name is not known is called FILE-N. Calls that
 * failed can't be said in a list of operations and are left out, and so are those on a handle whose
 * opening is not in the recording; a warning says how many.
 *
 * Both leave out what is of the other kind; whoever wants both reads the input twice.
 *
 * Limits: ten files open at a time. What else firmware does with files (folders, renaming,
 * deleting) is not recorded.
 */
#ifndef SDSIM_TRACE_FIRMWARE_BLOCKS_H
#define SDSIM_TRACE_FIRMWARE_BLOCKS_H

#include "fat/ops.h"
#include "trace/block_trace.h"
#include "trace/firmware_log.h"

/* Takes over the input, also when it fails. NULL after a message. */
struct sdsim_block_source *sdsim_firmware_blocks_open(struct sdsim_input *input);

struct sdsim_firmware_ops;

/* Takes over the input, also when it fails. NULL after a message. */
struct sdsim_firmware_ops *sdsim_firmware_ops_open(struct sdsim_input *input);

/* The next file operation, with start and duration; names are valid until the next call. False at
 * the end, or after an error, which is told. */
bool sdsim_firmware_ops_next(struct sdsim_firmware_ops *ops, struct sdsim_op *op);

bool sdsim_firmware_ops_failed(const struct sdsim_firmware_ops *ops);

void sdsim_firmware_ops_close(struct sdsim_firmware_ops *ops);

#endif
