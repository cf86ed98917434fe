/*
 * Several files open at once: calls go to them in turns, call k to file k % parallel, as firmware that
 * logs each sensor into a file of its own does, or plays several sounds.
 *
 * Each file has its own position, buffer and cluster chain; the volume's window is shared, so that FAT
 * and directory sectors of one file push those of another out.
 */
#ifndef SDSIM_WORKLOAD_SEVERAL_H
#define SDSIM_WORKLOAD_SEVERAL_H

#include "workload/calls.h"

/* True for a workload that has several files. */
bool sdsim_workload_is_several(const struct sdsim_workload_params *params);

/* Path of file `index`; `out` has room for 24 bytes. Returns out. */
char *sdsim_several_path(uint64_t index, char *out);

/* Bytes of each file when all calls are done. */
uint64_t sdsim_several_size(const struct sdsim_workload_params *params);

/* Opens all, does call `index`, syncs all, closes all; NULL or what went wrong. */
const char *sdsim_several_open(struct sdsim_workload_task *task, sdsim_ps *now);
const char *sdsim_several_call(struct sdsim_workload_task *task, sdsim_ps *now, uint64_t index);
const char *sdsim_several_sync(struct sdsim_workload_task *task, sdsim_ps *now);
const char *sdsim_several_close(struct sdsim_workload_task *task, sdsim_ps *now, const char *error);

#endif
