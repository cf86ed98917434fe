/*
 * Where cards/ and scenarios/ lie.
 *
 * The first of these that there is: the environment variable SDSIM_DATA_DIR; share/sdsim next to
 * the folder the program was installed in, wherever that tree was moved to; the source tree the
 * program was built from. Limits: a program finds its own place on Linux only (/proc/self/exe);
 * elsewhere an installed program needs the variable once the source tree is gone.
 */
#ifndef SDSIM_TOOLS_DATA_DIR_H
#define SDSIM_TOOLS_DATA_DIR_H

#include <stddef.h>

/* Writes the folder to `out` (`size` bytes; PATH_MAX is always enough). Returns out, or NULL if the
 * path did not fit. The folder need not exist if the environment or the source tree names it. */
const char *sdsim_data_dir(char *out, size_t size);

#endif
