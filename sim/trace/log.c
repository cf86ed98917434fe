#include "trace/log.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "trace/lines.h"
#include "trace/source.h"

struct log_source {
    struct sdsim_log log; /* first */
    const struct sdsim_log_format *format;
    struct sdsim_lines lines;
    bool ended;
    bool told; /* about other hosts */
    char line[SDSIM_LOG_LINE + 1];
};

static const struct sdsim_trace_options no_options;

/* ---- pending calls ---- */

static struct sdsim_block_record *slot(struct sdsim_log *log, uint64_t call)
{
    return &log->pending[call % SDSIM_LOG_PENDING];
}

uint64_t sdsim_log_begin(struct sdsim_log *log, const struct sdsim_block_record *record,
                         uint64_t key)
{
    const uint64_t call = log->next++;
    *slot(log, call) = *record;
    log->keys[call % SDSIM_LOG_PENDING] = key;
    log->complete[call % SDSIM_LOG_PENDING] = false;
    return call;
}

void sdsim_log_put(struct sdsim_log *log, const struct sdsim_block_record *record)
{
    log->complete[sdsim_log_begin(log, record, 0) % SDSIM_LOG_PENDING] = true;
}

bool sdsim_log_find(const struct sdsim_log *log, uint64_t key, uint64_t *call)
{
    for (uint64_t i = log->next; i > log->first; i--) {
        const size_t place = (i - 1) % SDSIM_LOG_PENDING;
        if (!log->complete[place] && log->keys[place] == key) {
            *call = i - 1;
            return true;
        }
    }
    return false;
}

void sdsim_log_end(struct sdsim_log *log, uint64_t call, bool timed, sdsim_ps time, bool failed)
{
    if (call < log->first || call >= log->next) {
        return; /* it took so long that it was given out */
    }
    struct sdsim_block_record *record = slot(log, call);
    if (timed && (record->flags & SDSIM_TRACE_HAS_START) != 0) {
        record->duration = sdsim_time_since(time, record->start);
        record->flags |= SDSIM_TRACE_HAS_DURATION;
    }
    record->flags |= failed ? SDSIM_TRACE_FAILED : 0;
    log->complete[call % SDSIM_LOG_PENDING] = true;
}

/* ---- hosts ---- */

int sdsim_log_host(struct sdsim_log *log, const char *name, size_t length, bool call)
{
    char copy[SDSIM_LOG_NAME];
    length = length < sizeof copy - 1 ? length : sizeof copy - 1;
    memcpy(copy, name, length);
    copy[length] = '\0';
    size_t i = 0;
    while (i < log->host_count && strcmp(log->hosts[i].name, copy) != 0) {
        i++;
    }
    if (i == SDSIM_LOG_HOSTS) {
        return -1;
    }
    if (i == log->host_count) {
        if (!call) {
            return -1; /* nothing of it was of interest so far */
        }
        log->host_count++;
        memcpy(log->hosts[i].name, copy, sizeof copy);
    }
    log->hosts[i].calls += call;
    const char *wanted = log->options->host != NULL ? log->options->host : log->hosts[0].name;
    return strcmp(copy, wanted) == 0 ? (int)i : -1;
}

/* At the end: says so if others than the host that was taken were in the log. */
static void tell_hosts(struct log_source *source)
{
    struct sdsim_log *log = &source->log;
    if (source->told || log->host_count < 2 || log->options->host != NULL) {
        return;
    }
    source->told = true;
    char others[200] = "";
    size_t used = 0;
    for (size_t i = 1; i < log->host_count && used < sizeof others - 1; i++) {
        const int length = snprintf(others + used, sizeof others - used, "%s%s (%" PRIu64 ")",
                                    i > 1 ? ", " : "", log->hosts[i].name, log->hosts[i].calls);
        used += length > 0 ? (size_t)length : 0;
    }
    const struct sdsim_place place = {.file = sdsim_input_name(log->input)};
    sdsim_diag_add(sdsim_input_diags(log->input), SDSIM_WARNING, &place, NULL, 0,
                   "choose one with --host",
                   "taken: host %s with %" PRIu64 " calls; there are others: %s",
                   log->hosts[0].name, log->hosts[0].calls, others);
}

/* ---- commands ---- */

bool sdsim_log_command(struct sdsim_log_state *state, uint64_t command, uint64_t argument,
                       uint64_t sectors, struct sdsim_block_record *record)
{
    enum {
        READ_SINGLE = 17,
        READ_MULTIPLE = 18,
        WRITE_SINGLE = 24,
        WRITE_MULTIPLE = 25,
        ERASE_START = 32,
        ERASE_END = 33,
        ERASE = 38,
        DISCARD = 1,
    };
    switch (command) {
    case READ_SINGLE:
    case READ_MULTIPLE:
        record->kind = SDSIM_TRACE_READ;
        break;
    case WRITE_SINGLE:
    case WRITE_MULTIPLE:
        record->kind = SDSIM_TRACE_WRITE;
        break;
    case ERASE_START:
        state->erase_from = argument;
        return false;
    case ERASE_END:
        state->erase_to = argument;
        return false;
    case ERASE:
        record->kind = argument == DISCARD ? SDSIM_TRACE_TRIM : SDSIM_TRACE_ERASE;
        argument = state->erase_from;
        sectors = state->erase_to >= argument ? state->erase_to - argument + 1 : 0;
        break;
    default:
        return false;
    }
    if (sectors == 0 || argument > UINT32_MAX || sectors > (uint64_t)UINT32_MAX + 1 - argument) {
        return false;
    }
    record->lba = (uint32_t)argument;
    record->count = sectors > UINT32_MAX ? UINT32_MAX : (uint32_t)sectors;
    record->repeat = 1;
    return true;
}

/* ---- the source ---- */

/* Looks at the next line; at the end of the log, nothing pends any more. */
static void read_line(struct log_source *source)
{
    struct sdsim_log *log = &source->log;
    const char *line;
    size_t length;
    if (!sdsim_lines_next(&source->lines, &line, &length)) {
        source->ended = true;
        log->base.failed = source->lines.failed || sdsim_input_failed(log->input);
        tell_hosts(source);
        if (log->known == 0 && !log->base.failed) {
            sdsim_lines_tell_none(&source->lines, source->format->what);
            log->base.failed = true;
        }
        return;
    }
    length = length < SDSIM_LOG_LINE ? length : SDSIM_LOG_LINE;
    for (size_t i = 0; i < length; i++) {
        source->line[i] = line[i] != '\0' ? line[i] : ' ';
    }
    source->line[length] = '\0';
    log->known += source->format->line(log, source->line);
}

static size_t log_next(struct sdsim_block_source *base, struct sdsim_block_record *records,
                       size_t most)
{
    struct log_source *source = (struct log_source *)base;
    struct sdsim_log *log = &source->log;
    size_t count = 0;
    while (count < most) {
        const bool full = log->next - log->first >= SDSIM_LOG_PENDING - 4;
        const bool ready = log->first < log->next &&
                           (log->complete[log->first % SDSIM_LOG_PENDING] || full || source->ended);
        if (ready) {
            records[count++] = *slot(log, log->first++);
        } else if (source->ended || count > 0) {
            break;
        } else {
            read_line(source);
        }
    }
    return count;
}

static void log_close(struct sdsim_block_source *base)
{
    struct log_source *source = (struct log_source *)base;
    sdsim_trace_info_free(base->info);
    sdsim_input_close(source->log.input);
    free(source);
}

struct sdsim_block_source *sdsim_log_open(struct sdsim_input *input,
                                          const struct sdsim_log_format *format,
                                          const struct sdsim_trace_options *options)
{
    struct sdsim_trace_info *info;
    struct log_source *source = sdsim_trace_source_new(input, sizeof *source, &info);
    if (source == NULL) {
        return NULL;
    }
    source->log.base =
        (struct sdsim_block_source){.next = log_next, .close = log_close, .info = info};
    source->log.input = input;
    source->log.options = options != NULL ? options : &no_options;
    source->format = format;
    sdsim_lines_init(&source->lines, input);
    return &source->log.base;
}
