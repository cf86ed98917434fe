/*
 * A capture as a trace of block operations: what the host's driver was asked for, with the times it
 * really took.
 *
 * A call begins with the first edge of its command - or of the CMD23 or ACMD23 in front of it - and ends
 * with the last edge of what belongs to it: the last block, its response, busy, CMD12 and its busy,
 * and status polls (CMD13) right behind a write. CMD17 and CMD18 are reads, CMD24 and CMD25 writes;
 * the count is that of the blocks that came through. CMD32, CMD33 and CMD38 together are an erase. A
 * call failed if the card refused it, an error token came, a block has a wrong CRC16, or the card did
 * not accept one.
 *
 * Sector numbers: an OCR or CSD in the capture tells whether addresses are bytes; without either they
 * are taken for sectors, with a note.
 *
 * Limits: calls that the recording cuts off at its end are left out; reads without a single block too.
 */
#ifndef SDSIM_CAPTURE_CALLS_H
#define SDSIM_CAPTURE_CALLS_H

#include "capture/capture.h"
#include "trace/block_trace.h"

/* Opens a capture as a source of block records; `channels` as in sdsim_capture_open. NULL after an
 * error in `diags`, which must outlive the source, as `path` must. */
struct sdsim_block_source *sdsim_capture_calls(const char *path, const char *channels,
                                               struct sdsim_diags *diags);

#endif
