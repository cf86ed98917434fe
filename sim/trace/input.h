/*
 * The bytes a trace is read from: a file, standard input, or memory, plain or compressed with zstd.
 *
 * A reader looks at a window of bytes and takes them off its front. Compressed input is recognised
 * by its first four bytes and unpacked on the way, so every format may be compressed; offsets then
 * count unpacked bytes.
 *
 * Memory: a window of 256 KiB, or of as much as somebody asked to see at once, and with zstd its own
 * window, at most 8 MiB (which levels up to 19 keep to).
 *
 * Limits: zstd only; of a compressed file that is cut off or damaged, what could be unpacked is
 * given out before the fault is told.
 */
#ifndef SDSIM_TRACE_INPUT_H
#define SDSIM_TRACE_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/diag.h"

struct sdsim_input;

/* Opens a file; "-" is standard input. NULL after a message. `diags` must outlive the input. */
struct sdsim_input *sdsim_input_open(const char *path, struct sdsim_diags *diags);

/* The same over memory, which must outlive the input; `name` is for messages. */
struct sdsim_input *sdsim_input_memory(const char *name, const void *bytes, size_t size,
                                       struct sdsim_diags *diags);

void sdsim_input_close(struct sdsim_input *input);

/*
 * The bytes that come next: at least `least` of them (1 to 64 MiB), fewer only at the end of the
 * input. *size 0: the end. The pointer is good until the next call. A fault of the device or of the
 * compression adds a message and is an end, too; sdsim_input_failed tells it from a clean one.
 */
const char *sdsim_input_peek(struct sdsim_input *input, size_t least, size_t *size);

/* Takes bytes off that were seen. */
void sdsim_input_take(struct sdsim_input *input, size_t size);

bool sdsim_input_failed(const struct sdsim_input *input);

/* What messages call it, and how many (unpacked) bytes have been taken. */
const char *sdsim_input_name(const struct sdsim_input *input);
uint64_t sdsim_input_offset(const struct sdsim_input *input);

struct sdsim_diags *sdsim_input_diags(const struct sdsim_input *input);

#endif
