/*
 * Linux: what the mmc core prints when its debug messages are on (dynamic debug, or CONFIG_MMC_DEBUG):
 *
 *     [    3.639149] mmc0: starting CMD18 arg 00002000 flags 000000b5
 *     [    3.639191] mmc0:     blksz 512 blocks 8 flags 00000200 tsac 100 ms nsac 0
 *     [    3.641041] mmc0: req done (CMD18): 0: 00000900 00000000 00000000 00000000
 *     [    3.641099] mmc0:     4096 bytes transferred: 0
 *
 * One request at a time and host, as these kernels have it. Reads, writes and erases become records.
 * Printing takes a good part of the time between the lines: durations are upper bounds, and far too
 * long if the console is a serial port.
 *
 * Not supported: cards with byte addresses (up to 2 GB), whose arguments are taken for sectors; block
 * sizes other than 512.
 */
#include <string.h>

#include "trace/log.h"

/* The blocks became known: the request is a call, if it is one of ours. */
static void begin(struct sdsim_log *log, struct sdsim_log_state *state, uint64_t blocks)
{
    struct sdsim_block_record record = state->record;
    state->begun = false;
    state->open = sdsim_log_command(state, state->call, record.answer, blocks, &record);
    if (state->open) {
        record.start = state->record.duration;
        record.duration = 0;
        state->call = sdsim_log_begin(log, &record, 0);
    }
}

/* " starting CMD18 arg 00002000 flags ...": kept until the next line says how many blocks. */
static bool starting(struct sdsim_log *log, struct sdsim_log_state *state, const char *line,
                     const char *command)
{
    uint64_t number;
    uint64_t argument;
    sdsim_ps time = 0;
    const char *p = sdsim_scan_number(command, &number);
    if (p == NULL || strncmp(p, " arg ", 5) != 0 || sdsim_scan_hex(p + 5, &argument) == NULL) {
        return false;
    }
    const bool timed = sdsim_scan_stamp(line, &state->unwrap, &time);
    /* Until it is a call, the record holds argument and time where nothing else stands. */
    state->record = (struct sdsim_block_record){
        .answer = argument, .duration = time, .flags = timed ? SDSIM_TRACE_HAS_START : 0};
    state->call = number;
    state->open = false;
    state->begun = true;
    if (number >= 32 && number <= 38) { /* erases have no block line */
        begin(log, state, 0);
    }
    return true;
}

static bool line_of_debug(struct sdsim_log *log, const char *line)
{
    const char *host = strstr(line, "mmc");
    const size_t length = host != NULL ? strcspn(host, ": ") : 0;
    if (host == NULL || host[length] != ':') {
        return false;
    }
    const char *text = host + length + 1;
    text += strspn(text, " <");
    const bool is_start = strncmp(text, "starting CMD", 12) == 0;
    const bool moves =
        is_start && (strncmp(text + 12, "17 ", 3) == 0 || strncmp(text + 12, "18 ", 3) == 0 ||
                     strncmp(text + 12, "24 ", 3) == 0 || strncmp(text + 12, "25 ", 3) == 0);
    const bool known =
        is_start || strncmp(text, "blksz ", 6) == 0 || strncmp(text, "req done (CMD", 13) == 0;
    const int number = known ? sdsim_log_host(log, host, length, moves) : -1;
    if (number < 0) {
        return known;
    }
    struct sdsim_log_state *state = &log->state[number];
    if (is_start) {
        return starting(log, state, line, text + 12);
    }
    uint64_t size;
    uint64_t blocks;
    if (state->begun && sdsim_scan_key_number(text, "blksz", &size) && size == 512 &&
        sdsim_scan_key_number(text, "blocks", &blocks)) {
        begin(log, state, blocks);
    } else if (state->open && text[0] == 'r') {
        sdsim_ps time = 0;
        const bool timed = sdsim_scan_stamp(line, &state->unwrap, &time);
        const char *result = strstr(text, "): ");
        sdsim_log_end(log, state->call, timed, time, result != NULL && result[3] != '0');
        state->open = false;
    }
    return true;
}

const struct sdsim_log_format sdsim_log_linux_debug = {
    .line = line_of_debug,
    .what = "[    3.639149] mmc0: starting CMD18 arg 00002000 flags 000000b5",
};
