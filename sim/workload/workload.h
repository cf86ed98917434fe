/*
 * Workloads: what the application does with the card, once everything is set up.
 *
 *     write   `total` bytes in calls of `call` bytes, one after the other
 *     read    the same, from a file (or sectors) that is there already
 *     log     `lines` printed lines of the form "Line 1234, 1.234567s elapsed"
 *
 * on raw sectors through the driver, or on a file through the API. What is timed is the calls
 * themselves (`calls`), or everything from open to close (`all`).
 *
 * A workload runs on one task and starts right after the card is initialised and the volume
 * mounted.
 */
#ifndef SDSIM_WORKLOAD_WORKLOAD_H
#define SDSIM_WORKLOAD_WORKLOAD_H

#include <stdbool.h>
#include <stdint.h>

#include "core/account.h"
#include "driver/driver.h"
#include "file/stream.h"

enum sdsim_action {
    SDSIM_DO_WRITE,
    SDSIM_DO_READ,
    SDSIM_DO_LOG,
};

enum sdsim_target {
    SDSIM_ON_FILE,
    SDSIM_ON_RAW,
};

enum sdsim_timed {
    SDSIM_TIMED_CALLS,
    SDSIM_TIMED_ALL,
};

struct sdsim_workload_params {
    int action;          /* enum sdsim_action */
    int target;          /* enum sdsim_target */
    int timed;           /* enum sdsim_timed */
    uint64_t call;       /* bytes of one call, >= 1; raw: a multiple of 512 */
    uint64_t total;      /* bytes, rounded up to whole calls */
    uint64_t lines;      /* LOG */
    uint64_t start;      /* RAW: first byte on the card, a multiple of 512 */
    uint64_t sync_every; /* calls or lines between two syncs; 0: never */
};

/* Virtual time a run may take; beyond it the run is stopped with an error (200 days). */
#define SDSIM_RUN_LIMIT (200 * 86400 * SDSIM_S)

/* What was seen between the first and the last timed call. */
struct sdsim_workload_result {
    const char *error; /* NULL if all went well; a static text */
    sdsim_ps started;  /* when the first timed call began */
    sdsim_ps elapsed;  /* timed */
    uint64_t bytes;    /* moved by the application in that time */
    uint64_t calls;    /* or lines */
    sdsim_ps longest_call;
    uint64_t longest_call_index; /* from 0 */
    sdsim_ps shortest_call;
    struct sdsim_account account;   /* of the timed part; sums to elapsed */
    struct sdsim_counters counters; /* of the timed part */
};

/*
 * Runs a workload from *now on. `volume` is mounted and used by file workloads, NULL for raw ones.
 * Reading needs the file "/DATA.BIN" on it with at least `total` bytes (sdsim_workload_prepare).
 * Errors of the stack end the run and are told in result->error.
 */
void sdsim_workload_run(const struct sdsim_workload_params *params,
                        const struct sdsim_stream_params *file, struct sdsim_driver *driver,
                        struct sdsim_volume *volume, struct sdsim_meter *meter, sdsim_ps *now,
                        struct sdsim_workload_result *result);

/* Puts "/DATA.BIN" with `total` bytes on a freshly mounted volume that takes no time. */
enum sdsim_fat_result sdsim_workload_prepare(const struct sdsim_workload_params *params,
                                             struct sdsim_volume *volume);

#endif
