/*
 * Operands that are streams: standard input ("-"), pipes and FIFOs, as in `sigrok-cli ... | sdsim doctor -`
 * or `sdsim doctor <(zcat trace.vcd.gz)`.
 *
 * A scenario, a capture and a timeline are read more than once. A stream that holds one is copied to a
 * temporary file first, in TMPDIR or /tmp, which has no name and is gone with the program. A trace is
 * passed on as it comes, so that it is never held as a whole.
 *
 * Limits: one operand may be "-", once.
 */
#ifndef SDSIM_TOOLS_SPOOL_H
#define SDSIM_TOOLS_SPOOL_H

#include <stdbool.h>
#include <stddef.h>

#include "command.h"

/* Whether an operand can only be read once, from front to back. */
bool sdsim_is_stream(const char *name);

/* Of commands that take scenarios only. */
uint64_t sdsim_spool_scenario(const char *head, size_t size);

/* Of commands that take recordings, too: captures of the pins, timelines, and scenarios. */
uint64_t sdsim_spool_usual(const char *head, size_t size);

/* Whether a name is that of a scenario and not of a recording: there is no such file, or it ends in
 * .yaml, or it begins as a scenario does. */
bool sdsim_is_scenario(const char *name);

/*
 * Makes the operands that are streams readable: those that need a file become the name of one, those
 * that don't can be read once. SDSIM_EXIT_OK, or what to exit with after a message.
 */
enum sdsim_exit sdsim_spool_operands(const struct sdsim_arguments *arguments,
                                     sdsim_needs_file *needs_file);

#endif
