/*
 * For the files of this folder only: a running workload, and the calls that act on a volume rather
 * than on one open file.
 */
#ifndef SDSIM_WORKLOAD_CALLS_H
#define SDSIM_WORKLOAD_CALLS_H

#include "workload/positions.h"
#include "workload/workload.h"

struct sdsim_workload_task {
    const struct sdsim_workload_params *params;
    const struct sdsim_stream_params *file;
    struct sdsim_driver *driver;
    struct sdsim_volume *volume;
    struct sdsim_meter *meter;
    struct sdsim_workload_result *result;
    struct sdsim_positions positions; /* of reads and writes */
    struct sdsim_stream stream;
    struct sdsim_usb_storage usb; /* on: usb */
    struct sdsim_meter
        *card_meter;      /* of whoever calls the driver: `meter`, but for a lazy writer */
    bool open;            /* the stream is */
    uint64_t counted;     /* calls that counted for the longest and the shortest */
    uint64_t file_number; /* with rotate_every, and passes that write */
};

/* What went wrong, as a text for people; NULL for SDSIM_FAT_OK. The first result that is none goes
 * into the task's result, too. */
const char *sdsim_workload_failed(struct sdsim_workload_task *task, enum sdsim_fat_result result);

/* Tells the recorder of a call of the application that is none of a stream; `path` may be NULL. */
void sdsim_workload_note(const struct sdsim_workload_task *task, enum sdsim_call call,
                         sdsim_ps start, sdsim_ps end, const char *path);

/* Why a write ended early although nothing failed. */
const char *sdsim_workload_cut_short(struct sdsim_workload_task *task);

/* One call each; NULL or what went wrong. */
const char *sdsim_workload_append(struct sdsim_workload_task *task, sdsim_ps *now, uint64_t index);
const char *sdsim_workload_seek(struct sdsim_workload_task *task, sdsim_ps *now, uint64_t index);
const char *sdsim_workload_open(struct sdsim_workload_task *task, sdsim_ps *now, uint64_t index);
const char *sdsim_workload_create(struct sdsim_workload_task *task, sdsim_ps *now, uint64_t index);
const char *sdsim_workload_list(struct sdsim_workload_task *task, sdsim_ps *now, uint64_t index);
const char *sdsim_workload_mount(struct sdsim_workload_task *task, sdsim_ps *now, uint64_t index);
const char *sdsim_workload_usb(struct sdsim_workload_task *task, sdsim_ps *now, uint64_t index);
const char *sdsim_workload_usb_mount(struct sdsim_workload_task *task, sdsim_ps *now,
                                     uint64_t index);
const char *sdsim_workload_free_space(struct sdsim_workload_task *task, sdsim_ps *now,
                                      uint64_t index);

#endif
