/*
 * Whether the files a command was told to write can be written, before it does any work: a misspelled
 * folder is not told after minutes of computing.
 *
 * Nothing that is there is changed. What happens to a place while the command works, it tells when it
 * writes (output.h).
 */
#ifndef SDSIM_TOOLS_OUTPUT_CHECK_H
#define SDSIM_TOOLS_OUTPUT_CHECK_H

#include "command.h"

/*
 * Looks at every option that names a file or folder to write. SDSIM_EXIT_OK; after a message
 * SDSIM_EXIT_FAULT if one can't be written, SDSIM_EXIT_INPUT if two are the same file, or one is the
 * scenario that is read.
 */
enum sdsim_exit sdsim_outputs_check(const struct sdsim_arguments *arguments);

#endif
