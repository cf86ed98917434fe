/*
 * Linux: the events mmc_request_start and mmc_request_done as ftrace, trace-cmd and perf script print
 * them, e.g. after `trace-cmd record -e mmc`:
 *
 *     kworker/0:1H-82 [000] .... 81.203417: mmc_request_start: mmc0: start struct
 *       mmc_request[00000000d3bf]: cmd_opcode=25 cmd_arg=0x2000 ... blocks=8 block_size=512
 *       blk_addr=8192 ... tag=3 ...                                   (one line)
 *     <idle>-0 [000] ..s. 81.204011: mmc_request_done: mmc0: end struct mmc_request[00000000d3bf]:
 *       cmd_opcode=25 cmd_err=0 ... bytes_xfered=4096 data_err=0 ...
 *
 * A done belongs to the latest start with the same pointer on the same host. Reads, writes, erases
 * and discards become records; all other commands are left out. A duration is what the kernel saw:
 * with its interrupts and threads, and with the status polls behind a write.
 *
 * Not supported: requests of a command queue (they have no such commands), block sizes other than
 * 512, binary trace.dat.
 */
#include <string.h>

#include "trace/log.h"

/* The number in brackets behind "mmc_request", which tells requests apart. */
static uint64_t pointer_of(const char *text)
{
    const char *p = strstr(text, "mmc_request[");
    uint64_t value = 0;
    if (p != NULL) {
        p += strlen("mmc_request[");
        (void)sdsim_scan_hex(p + (strncmp(p, "0x", 2) == 0 ? 2 : 0), &value);
    }
    return value;
}

static void start(struct sdsim_log *log, const char *line, const char *host, size_t length)
{
    struct sdsim_block_record record = {.repeat = 1};
    uint64_t opcode = 0;
    uint64_t argument = 0;
    uint64_t blocks = 0;
    uint64_t size = 512;
    uint64_t address = 0;
    sdsim_ps time;
    (void)sdsim_scan_key_number(line, "cmd_opcode", &opcode);
    (void)sdsim_scan_key_number(line, "cmd_arg", &argument);
    (void)sdsim_scan_key_number(line, "blocks", &blocks);
    (void)sdsim_scan_key_number(line, "block_size", &size);
    if (sdsim_scan_key_number(line, "blk_addr", &address) && address != 0 && opcode < 32) {
        argument = address;
    }
    const bool moves = opcode >= 17 && opcode <= 25;
    const int number = sdsim_log_host(log, host, length, moves);
    if (number < 0 || (moves && size != 512)) {
        return;
    }
    struct sdsim_log_state *state = &log->state[number];
    if (!sdsim_log_command(state, opcode, argument, blocks, &record)) {
        return;
    }
    if (sdsim_scan_stamp(line, &state->unwrap, &time)) {
        record.start = time;
        record.flags = SDSIM_TRACE_HAS_START;
    }
    (void)sdsim_log_begin(log, &record, pointer_of(line));
}

static void done(struct sdsim_log *log, const char *line, const char *host, size_t length)
{
    const int number = sdsim_log_host(log, host, length, false);
    uint64_t call;
    if (number < 0 || !sdsim_log_find(log, pointer_of(line), &call)) {
        return;
    }
    sdsim_ps time = 0;
    const bool timed = sdsim_scan_stamp(line, &log->state[number].unwrap, &time);
    bool failed = false;
    static const char *const errors[] = {"cmd_err", "data_err", "stop_err"};
    for (size_t i = 0; i < 3; i++) {
        const char *error = sdsim_scan_key(line, errors[i]);
        failed = failed || (error != NULL && *error == '-');
    }
    sdsim_log_end(log, call, timed, time, failed);
}

static bool line_of_ftrace(struct sdsim_log *log, const char *line)
{
    const char *begin = sdsim_scan_word(line, "mmc_request_start");
    const char *end = begin == NULL ? sdsim_scan_word(line, "mmc_request_done") : NULL;
    const char *event = begin != NULL ? begin : end;
    if (event == NULL) {
        return false;
    }
    const char *host = event + strcspn(event, ":");
    host += strspn(host, ": ");
    const size_t length = strcspn(host, ": ");
    if (length == 0 || host[length] != ':') {
        return false;
    }
    if (begin != NULL) {
        start(log, line, host, length);
    } else {
        done(log, line, host, length);
    }
    return true;
}

const struct sdsim_log_format sdsim_log_ftrace = {
    .line = line_of_ftrace,
    .what = "81.203417: mmc_request_start: mmc0: start struct mmc_request[...]: cmd_opcode=25 ...",
};
