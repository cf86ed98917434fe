/*
 * Workloads: what the application does with the card, once everything is set up.
 *
 *     write        `total` bytes in calls of `call` bytes, one after the other; a new file every
 *                  `rotate_every` bytes; with `preallocate`, room for a whole file is allocated in
 *                  one run when it is opened
 *     read         the same, from a file (or sectors) that is there already
 *     random-write, random-read
 *                  `total` bytes in calls of `call` bytes at random places of a file of `span`
 *                  bytes that is there already, or of as many sectors (workload/positions.h); on a
 *                  file a call is a seek and a write or read
 *     random-mixed `total` bytes in calls of `call` bytes at random places as above, the share `reads`
 *                  of them reads: records of a database, with a sync at the end of a transaction
 *                  (sync_every)
 *     play         the same as read, but at the rate a player takes them: deadlines, buffers, and
 *                  underruns (workload/player.h)
 *     log          `lines` printed lines of the form "Line 1234, 1.234567s elapsed"
 *     stream       data that arrive at a rate, whether or not the card is busy, and a writer task that
 *                  takes them from a queue to the file or sectors (workload/logger.h)
 *     append       `times` times: open for appending, write `call` bytes, close
 *     seek         `times` times: seek to `position` of a file of `total` bytes and read `call`
 *                  bytes, then back to its start
 *     open         `times` times: open the last of the `files` files in a directory, and close it
 *     open-each    open each of the `files` files in a directory by its path, and close it
 *     create       `times` times: create one more file in a directory of `files` files, and close
 *                  it
 *     list         `times` times: list a directory of `files` files
 *     mount        `times` times: mount the volume
 *     free-space   ask for the free space once, after mounting
 *
 * With `parallel` writes, reads and playing go to several files that are open at once, in turns
 * (workload/several.h). With `other_device` another device shares the card's bus
 * (workload/bus_sharer.h).
 *
 * The first six and a stream also on raw sectors through the driver, where writes and reads may go
 * to several regions in turns; everything else on a volume. With on: usb the firmware is a USB mass-storage
 * device (workload/usb_storage.h): a PC writes, reads or mounts (workload/pc_mount.h) what lies
 * behind it, and a call is one request of the PC.
 *
 * What is timed is the calls themselves (`calls`), or everything from open to close (`all`), or
 * everything from open to close several times over, each of which counts as one call (`passes`;
 * every pass writes a file of its own). A sync at the end belongs to the time if it is asked for.
 * The longest and the shortest call may leave the first one out, as the benches of SdFat and of
 * those who took it over do; the sum, the mean and the rate never do.
 *
 * A workload runs on one task and starts right after the card is initialised and the volume
 * mounted.
 */
#ifndef SDSIM_WORKLOAD_WORKLOAD_H
#define SDSIM_WORKLOAD_WORKLOAD_H

#include <stdbool.h>
#include <stdint.h>

#include "config/schema.h"
#include "core/account.h"
#include "driver/driver.h"
#include "file/stream.h"
#include "workload/logger.h"
#include "workload/bus_sharer.h"
#include "workload/pc_mount.h"
#include "workload/player.h"
#include "workload/usb_storage.h"

enum sdsim_action {
    SDSIM_DO_WRITE,
    SDSIM_DO_READ,
    SDSIM_DO_RANDOM_WRITE,
    SDSIM_DO_RANDOM_READ,
    SDSIM_DO_RANDOM_MIXED,
    SDSIM_DO_LOG,
    SDSIM_DO_STREAM,
    SDSIM_DO_PLAY,
    SDSIM_DO_APPEND,
    SDSIM_DO_SEEK,
    SDSIM_DO_OPEN,
    SDSIM_DO_OPEN_EACH,
    SDSIM_DO_CREATE,
    SDSIM_DO_LIST,
    SDSIM_DO_MOUNT,
    SDSIM_DO_FREE_SPACE,
};

enum sdsim_target {
    SDSIM_ON_FILE,
    SDSIM_ON_RAW,
    SDSIM_ON_USB,
};

enum sdsim_timed {
    SDSIM_TIMED_CALLS,
    SDSIM_TIMED_ALL,
    SDSIM_TIMED_PASSES,
};

enum sdsim_order {
    SDSIM_ORDER_LINEAR,
    SDSIM_ORDER_RANDOM,
};

enum sdsim_first_call {
    SDSIM_FIRST_CALL_INCLUDED,
    SDSIM_FIRST_CALL_EXCLUDED,
};

struct sdsim_workload_params {
    int action;               /* enum sdsim_action */
    int target;               /* enum sdsim_target */
    int timed;                /* enum sdsim_timed */
    uint64_t call;            /* bytes of one call, >= 1; raw: a multiple of 512 */
    struct sdsim_list calls;  /* several of them; a scenario's loading makes one run of each */
    uint64_t total;           /* bytes, rounded up to whole calls */
    uint64_t lines;           /* LOG */
    uint64_t start;           /* RAW: first byte on the card, a multiple of 512 */
    uint64_t span;            /* bytes the calls stay within, from `start`. RANDOM and regions: at
                                least one call or one set; files: the size. Others: 0 no end */
    uint64_t align;           /* RANDOM: places are multiples of it; 0: of `call` */
    uint64_t offset;          /* RANDOM: bytes added to each place */
    uint64_t streams;         /* RAW: regions the calls go to in turns; 0 counts as 1 */
    uint64_t region;          /* of that many bytes, at least one call */
    uint64_t stream_distance; /* from the start of one to that of the next; 0: `region` */
    int order;                /* RAW: within a region, enum sdsim_order */
    int first_call;           /* enum sdsim_first_call */
    bool final_sync;          /* a sync after the last call, inside the time */
    uint64_t sync_every;      /* calls or lines between two syncs; 0: never */
    uint64_t rotate_every;    /* WRITE: bytes of one file; 0: one file for all */
    bool preallocate;         /* WRITE: f_expand of each file when it is opened */
    uint64_t times;           /* APPEND to MOUNT, and passes: how often, >= 1 */
    uint64_t files;           /* OPEN, CREATE, LIST: in the directory */
    uint64_t position;        /* SEEK: byte; 0: the middle */
    uint64_t seed;            /* of random places: the run's */
    struct sdsim_logger_params logger; /* STREAM */
    uint64_t name_length; /* OPEN, OPEN_EACH, CREATE, LIST: of the files, characters; up to 12:
                             short names */
    uint64_t parallel;    /* files open at once: WRITE, READ, PLAY; 0 counts as 1 */
    uint64_t reads;       /* RANDOM_MIXED: share of reads, in 10^-9 */
    struct sdsim_player_params play; /* PLAY */
    struct sdsim_sharer_params other_device;
    struct sdsim_usb_params usb; /* on: usb */
};

/* Virtual time a run may take; beyond it the run is stopped with an error (200 days). */
#define SDSIM_RUN_LIMIT (200 * 86400 * SDSIM_S)

/* What became of the data of a STREAM. Times count from its start. */
struct sdsim_stream_result {
    uint64_t arrived; /* bytes */
    uint64_t lost;    /* of them: there was no room */
    uint64_t left;    /* on raw sectors: less than a call at the end, which is not written */
    sdsim_ps lost_at; /* the end of the first call or wait with a loss; SDSIM_TIME_END: none */
    uint64_t highest; /* level of the queue, */
    sdsim_ps highest_at;
    sdsim_ps longest; /* call or sync, during which nobody empties the queue, */
    sdsim_ps longest_at;
    bool longest_syncs; /* it was a sync */
    uint64_t syncs;
    sdsim_ps in_syncs;
    uint64_t exposed; /* most bytes that a loss of power would have taken, */
    sdsim_ps exposed_at;
    sdsim_ps ended; /* when the last whole unit, and its sync, were over */
};

/* Reads and writes of RANDOM_MIXED apart; a sync counts as nobody's. */
struct sdsim_mixed_result {
    uint64_t reads;
    uint64_t writes;
    sdsim_ps in_reads;
    sdsim_ps in_writes;
    sdsim_ps longest_read;
    sdsim_ps longest_write;
};

/* What was seen between the first and the last timed call. */
struct sdsim_workload_result {
    const char *error; /* NULL if all went well; a static text */
    enum sdsim_fat_result
        failed;            /* what the file system answered when it ended early; OK: nothing */
    sdsim_ps started;      /* when the first timed call began */
    sdsim_ps elapsed;      /* timed */
    uint64_t bytes;        /* moved by the application in that time */
    uint64_t calls;        /* or lines, or passes */
    sdsim_ps in_calls;     /* their sum; the rest is open, close and the last sync */
    sdsim_ps longest_call; /* of those that count; if none does, of the first */
    uint64_t longest_call_index; /* from 0 */
    sdsim_ps shortest_call;
    struct sdsim_account account;            /* of the timed part; sums to elapsed */
    struct sdsim_counters counters;          /* of the timed part */
    struct sdsim_stream_result stream;       /* STREAM */
    struct sdsim_mixed_result mixed;         /* RANDOM_MIXED */
    struct sdsim_player_result play;         /* PLAY */
    struct sdsim_sharer_result other_device; /* to the end of the workload */
    struct sdsim_usb_result usb;             /* on: usb; to the end of the workload */
    struct sdsim_pc_mount mounted;           /* on: usb, do: mount */
    struct sdsim_geometry volume;            /* the same: what was mounted */
};

/*
 * Runs a workload from *now on. `volume` is mounted and used by file workloads, NULL for raw ones.
 * What the workload needs on the volume must be there (workload/prepare.h).
 * Errors of the stack end the run and are told in result->error.
 */
void sdsim_workload_run(const struct sdsim_workload_params *params,
                        const struct sdsim_stream_params *file, struct sdsim_driver *driver,
                        struct sdsim_volume *volume, struct sdsim_meter *meter, sdsim_ps *now,
                        struct sdsim_workload_result *result);

/* What a stream's logger is to know of the workload. */
struct sdsim_logger_writer sdsim_workload_writer(const struct sdsim_workload_params *params);

/* True if what counts is the time of one call, not a rate. */
bool sdsim_workload_is_latency(enum sdsim_action action);

/* Kinds of actions: random-write and random-read; those two and write and read; of these, those
 * that read. */
bool sdsim_workload_is_random(enum sdsim_action action);
bool sdsim_workload_moves_data(enum sdsim_action action);
bool sdsim_workload_reads(enum sdsim_action action);

/* True if the calls go to regions, in turns or in random order. */
bool sdsim_workload_in_regions(const struct sdsim_workload_params *params);

/* Where workloads find their file, and the directory of `files` files with its members' names. */
#define SDSIM_WORKLOAD_FILE      "/DATA.BIN"
#define SDSIM_WORKLOAD_DIRECTORY "/FILES"
#define SDSIM_WORKLOAD_SEED      0x5d5dULL /* of generated content */

/* "/FILES/F0001234.DAT" for member 1234, with a name of `length` characters (up to 12: this one, at
 * most 255); `out` has room for SDSIM_MEMBER_SIZE bytes. Returns out. */
#define SDSIM_MEMBER_SIZE 272
char *sdsim_workload_member(uint64_t index, uint64_t length, char *out);

#endif
