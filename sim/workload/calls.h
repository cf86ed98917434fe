/*
 * For the files of this folder, and for setup/cohort.c: a running workload, its calls, and those that
 * act on a volume rather than on one open file.
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
        *card_meter;              /* of whoever calls the driver: `meter`, but for a lazy writer */
    struct sdsim_stream *streams; /* of several files; owned while they are open */
    uint64_t stream_count;        /* that are open */
    bool open;                    /* the stream is */
    uint64_t counted;             /* calls that counted for the longest and the shortest */
    uint64_t file_number;         /* with rotate_every, and passes that write */
};

/* What went wrong, as a text for people; NULL for SDSIM_FAT_OK. The first result that is none goes
 * into the task's result, too. */
const char *sdsim_workload_failed(struct sdsim_workload_task *task, enum sdsim_fat_result result);

/* Tells the recorder of a call of the application that is none of a stream; `path` may be NULL. */
void sdsim_workload_note(const struct sdsim_workload_task *task, enum sdsim_call call,
                         sdsim_ps start, sdsim_ps end, const char *path);

/* Why a write ended early although nothing failed. */
const char *sdsim_workload_cut_short(struct sdsim_workload_task *task);

/* What one pass opens and what it needs before its first call. */
const char *sdsim_workload_open_file(struct sdsim_workload_task *task, sdsim_ps *now);

/* Bytes of the file from `offset` on; a new file begins where it is time for one. */
const char *sdsim_workload_write(struct sdsim_workload_task *task, sdsim_ps *now, uint64_t offset,
                                 uint64_t bytes);

/* Call `index` of those that go to raw sectors; an access of either sort. */
const char *sdsim_workload_raw(struct sdsim_workload_task *task, sdsim_ps *now, uint64_t index);
const char *sdsim_workload_raw_access(struct sdsim_workload_task *task, sdsim_ps *now,
                                      uint64_t index, bool reads);

/* An access to a random place of the open file. */
const char *sdsim_workload_file_access(struct sdsim_workload_task *task, sdsim_ps *now,
                                       uint64_t index, bool reads);

/* Call `index` of the workload, with the sync behind it if one is due. */
const char *sdsim_workload_one_call(struct sdsim_workload_task *task, sdsim_ps *now,
                                    uint64_t index);

/* A sync of what is open, or of the driver. */
const char *sdsim_workload_sync(struct sdsim_workload_task *task, sdsim_ps *now);

/* A call from `began` to `ended` is over: counts it, and tells the recorder. */
void sdsim_workload_count(struct sdsim_workload_task *task, sdsim_ps began, sdsim_ps ended,
                          uint64_t index);

/* All of a stream (workload/stream.c). */
const char *sdsim_workload_stream(struct sdsim_workload_task *task, sdsim_ps *now);

/* One unit of it, calls from number `first` on; *longest is the longest of them. */
const char *sdsim_workload_unit(struct sdsim_workload_task *task, sdsim_ps *now, uint64_t first,
                                uint64_t calls, sdsim_ps *longest);

/* The bytes that make no unit, as a call `index` of their own; on raw sectors they are left. */
const char *sdsim_workload_rest(struct sdsim_workload_task *task, sdsim_ps *now, uint64_t offset,
                                uint64_t index, uint64_t bytes);
/* All `calls` of a player (workload/play.c). */
const char *sdsim_workload_play(struct sdsim_workload_task *task, sdsim_ps *now, uint64_t calls);

/* Ends what the calls left open, also after an error. */
const char *sdsim_workload_finish(struct sdsim_workload_task *task, sdsim_ps *now,
                                  const char *error);

/* One call each; NULL or what went wrong. */
const char *sdsim_workload_mixed(struct sdsim_workload_task *task, sdsim_ps *now, uint64_t index);
const char *sdsim_workload_open_each(struct sdsim_workload_task *task, sdsim_ps *now,
                                     uint64_t index);
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
