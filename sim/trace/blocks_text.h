/*
 * Block traces as text (.blocks), one operation a line:
 *
 *     [@TIME [+TIME]] R LBA COUNT [*REPEAT] [rc=N] [# label]      disk_read
 *     [@TIME [+TIME]] W LBA COUNT [*REPEAT] [rc=N] [# label]      disk_write
 *     [@TIME [+TIME]] #S                                          CTRL_SYNC
 *     [@TIME [+TIME]] #T LBA COUNT                                CTRL_TRIM
 *     [@TIME [+TIME]] #E LBA COUNT                                erase
 *     [@TIME [+TIME]] #D                                          disk_status that reached the card
 *     #@ LINE[.REPETITION] [rc=N] [n=N|size=N|entries=N|clusters=N]
 *     #! key=value
 *     #end [ops=N] [blockops=N] [read=N] [written=N]
 *
 * @TIME is when the call began, +TIME how long it took; a time has a unit: @1.25ms +310us. `rc` other
 * than 0 says that the call failed. `#@` says which line of a list of file operations the lines
 * behind it come from. `#!` describes the trace as a whole: board, card, clock, bus, origin=power-up
 * if times count from there. `#end` closes it; if its totals do not fit what was read, lines are
 * missing. Empty lines and other lines that start with '#' are comments. A program that takes only
 * lines that start with R or W has the plain trace of one without times.
 *
 * Speed: lines are parsed where they lie, without looking for their ends first.
 *
 * Limits: the first wrong line ends the trace.
 */
#ifndef SDSIM_TRACE_BLOCKS_TEXT_H
#define SDSIM_TRACE_BLOCKS_TEXT_H

#include <stdio.h>

#include "core/diag.h"
#include "trace/block_trace.h"
#include "trace/input.h"

/* Reads; takes over the input, also when it fails. NULL after a message. */
struct sdsim_block_source *sdsim_blocks_text_open(struct sdsim_input *input);

/* Writes to `out`, which stays the caller's. NULL without memory. */
struct sdsim_block_sink *sdsim_blocks_text_sink(FILE *out);

/* Enough for any time as sdsim_trace_print_time prints it. */
#define SDSIM_TRACE_TIME_ROOM 32

/* Prints a time exactly, in the unit that suits its size ("1.25ms"); returns the end, without a
 * zero behind it. */
char *sdsim_trace_print_time(char *out, sdsim_ps time);

#endif
