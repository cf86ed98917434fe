/*
 * ESP-IDF: the verbose messages of its SD driver (esp_log_level_set("sdmmc_cmd", ESP_LOG_VERBOSE)):
 *
 *     V (4071) sdmmc_cmd: sending cmd slot=1 op=18 arg=2000 flags=... data=0x3ffb1234 blklen=512
 *       datalen=4096 timeout=1000                                   (one line)
 *     V (4074) sdmmc_cmd: cmd response 00000900 00000000 00000000 00000000 err=0x0 state=4
 *
 * `arg` is hexadecimal. Reads, writes and erases become records; the response ends them. Times are in
 * milliseconds and include the printing. Hosts are slots, "0" or "1".
 *
 * Not supported: cards with byte addresses (up to 2 GB); other functions' messages.
 */
#include <stdio.h>
#include <string.h>

#include "trace/log.h"

static void sending(struct sdsim_log *log, const char *line, const char *text)
{
    uint64_t slot = 0;
    uint64_t opcode = 0;
    uint64_t argument = 0;
    uint64_t size = 0;
    uint64_t bytes = 0;
    char host[8];
    const char *arg = sdsim_scan_key(text, "arg");
    (void)sdsim_scan_key_number(text, "slot", &slot);
    (void)sdsim_scan_key_number(text, "op", &opcode);
    (void)sdsim_scan_key_number(text, "blklen", &size);
    (void)sdsim_scan_key_number(text, "datalen", &bytes);
    if (arg == NULL || sdsim_scan_hex(arg, &argument) == NULL || slot > 9) {
        return;
    }
    snprintf(host, sizeof host, "%u", (unsigned)slot);
    const bool moves = opcode >= 17 && opcode <= 25 && size == 512;
    const int number = sdsim_log_host(log, host, strlen(host), moves);
    struct sdsim_block_record record = {.repeat = 1};
    sdsim_ps time;
    if (number < 0) {
        return;
    }
    /* Responses don't say their slot: calls of all slots that are taken go by one state. */
    struct sdsim_log_state *state = &log->state[0];
    state->open = false;
    if ((opcode < 32 && !moves) ||
        !sdsim_log_command(state, opcode, argument, bytes / 512, &record)) {
        return;
    }
    if (sdsim_scan_stamp(line, &state->unwrap, &time)) {
        record.start = time;
        record.flags = SDSIM_TRACE_HAS_START;
    }
    state->call = sdsim_log_begin(log, &record, 0);
    state->open = true;
}

static bool line_of_idf(struct sdsim_log *log, const char *line)
{
    const char *text = strstr(line, "sending cmd slot=");
    if (text != NULL) {
        sending(log, line, text);
        return true;
    }
    const char *response = strstr(line, "cmd response ");
    const char *refused = response == NULL ? strstr(line, "sdmmc_req_run returned 0x") : NULL;
    struct sdsim_log_state *state = &log->state[0];
    if (response == NULL && refused == NULL) {
        return false;
    }
    if (state->open) {
        sdsim_ps time = 0;
        uint64_t error = 0;
        const bool timed = sdsim_scan_stamp(line, &state->unwrap, &time);
        (void)sdsim_scan_key_number(line, "err", &error);
        sdsim_log_end(log, state->call, timed, time, error != 0 || refused != NULL);
        state->open = false;
    }
    return true;
}

const struct sdsim_log_format sdsim_log_esp_idf = {
    .line = line_of_idf,
    .what = "V (4071) sdmmc_cmd: sending cmd slot=1 op=18 arg=2000 ... blklen=512 datalen=4096",
};
