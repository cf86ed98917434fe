/*
 * Block traces out of logs: what the readers of log formats have in common.
 *
 * A format is a function that looks at one line. What a line tells about a call is either complete,
 * or it begins a call that a later line ends. Records leave in the order in which the calls began,
 * so one waits until those in front of it are complete; a call that nothing ends has no duration.
 *
 * Lines a format doesn't know are skipped: logs are full of other things. A log without a single
 * line it knows is a fault.
 *
 * Limits: 4096 calls under way at a time, then the oldest counts as never ended; of a line, the
 * first 4000 bytes; 64 hosts.
 */
#ifndef SDSIM_TRACE_LOG_H
#define SDSIM_TRACE_LOG_H

#include "trace/block_trace.h"
#include "trace/input.h"
#include "trace/scan.h"

enum {
    SDSIM_LOG_PENDING = 4096,
    SDSIM_LOG_HOSTS = 64,
    SDSIM_LOG_LINE = 4000,
    SDSIM_LOG_NAME = 32,
};

/* Which of several hosts in a log; what was found of them. */
struct sdsim_log_host {
    char name[SDSIM_LOG_NAME];
    uint64_t calls;
};

struct sdsim_trace_options {
    const char *host; /* of logs that tell several apart: "mmc1", "179,0"; NULL: the first seen */
    const char *file; /* of logs of file operations: only names that contain this; NULL: all */
    char found[SDSIM_LOG_NAME]; /* room for the name of a host that was found by reading */
};

/* What a format remembers from line to line, of which it uses what it needs. */
struct sdsim_log_state {
    struct sdsim_unwrap unwrap;
    bool open;     /* a call was begun ... */
    uint64_t call; /* ... with this number */
    struct sdsim_block_record record;
    uint64_t erase_from; /* arguments of CMD32 and CMD33 */
    uint64_t erase_to;
    sdsim_ps clock; /* end of the calls so far, of logs that only have durations */
    bool begun;     /* `record` waits for more of its lines */
};

struct sdsim_log {
    struct sdsim_block_source base;
    struct sdsim_input *input;
    const struct sdsim_trace_options *options;
    struct sdsim_log_state state[SDSIM_LOG_HOSTS];
    struct sdsim_log_host hosts[SDSIM_LOG_HOSTS];
    size_t host_count;
    uint64_t known; /* lines the format knew */
    uint64_t first; /* number of the oldest pending call */
    uint64_t next;  /* of the next one */
    struct sdsim_block_record pending[SDSIM_LOG_PENDING];
    uint64_t keys[SDSIM_LOG_PENDING]; /* by which the format finds them again */
    bool complete[SDSIM_LOG_PENDING];
};

/* One format. */
struct sdsim_log_format {
    /* Looks at a line, which ends with a zero; true if it knows it. */
    bool (*line)(struct sdsim_log *log, const char *line);
    const char *what; /* what a line should look like, for messages */
};

/* Reads; takes over the input, also when it fails. `options` must outlive the source, or be NULL. */
struct sdsim_block_source *sdsim_log_open(struct sdsim_input *input,
                                          const struct sdsim_log_format *format,
                                          const struct sdsim_trace_options *options);

/* ---- for the formats ---- */

/* The number of a host, a new one if need be, and counts a call of it if `call`; -1 if it is not the
 * one that is wanted. */
int sdsim_log_host(struct sdsim_log *log, const char *name, size_t length, bool call);

/* A call that is complete. */
void sdsim_log_put(struct sdsim_log *log, const struct sdsim_block_record *record);

/* A call that began; its number. `key` is what sdsim_log_find looks for. */
uint64_t sdsim_log_begin(struct sdsim_log *log, const struct sdsim_block_record *record,
                         uint64_t key);

/* The newest call under way with this key; false if there is none. */
bool sdsim_log_find(const struct sdsim_log *log, uint64_t key, uint64_t *call);

/* The call ended at `time`; it has a duration if its start and `timed` are known. */
void sdsim_log_end(struct sdsim_log *log, uint64_t call, bool timed, sdsim_ps time, bool failed);

/*
 * The record that an SD command stands for: CMD17, 18 read, 24, 25 write, 38 erases what CMD32 and
 * CMD33 said, or frees it with argument 1. `sectors` is what the data are. False for other commands,
 * which the state may remember.
 */
bool sdsim_log_command(struct sdsim_log_state *state, uint64_t command, uint64_t argument,
                       uint64_t sectors, struct sdsim_block_record *record);

/* The formats; each is described in its file. */
extern const struct sdsim_log_format sdsim_log_ftrace;
extern const struct sdsim_log_format sdsim_log_linux_debug;
extern const struct sdsim_log_format sdsim_log_blkparse;
extern const struct sdsim_log_format sdsim_log_diskio;
extern const struct sdsim_log_format sdsim_log_esp_idf;

#endif
