/*
 * Lists of arrivals: a text file with a line for each, when and how many bytes.
 *
 *     # two packets and a pause
 *     12.5ms,512
 *     13ms,512
 *     0.25,1024
 *
 * A time without a unit is in seconds. Blank lines and lines that begin with '#' are skipped, and so
 * is a first line of words. Times may not go back.
 *
 * Limits: lines of up to 200 bytes, 10 million arrivals, times up to 200 days.
 */
#ifndef SDSIM_WORKLOAD_ARRIVALS_FILE_H
#define SDSIM_WORKLOAD_ARRIVALS_FILE_H

#include "core/diag.h"
#include "workload/arrivals.h"

/* Reads a list; its rows are sums, as struct sdsim_arrival has them. NULL with a message. The
 * caller frees it. */
struct sdsim_arrival *sdsim_arrivals_read(const char *path, size_t *count,
                                          struct sdsim_diags *diags);

#endif
