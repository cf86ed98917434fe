#include "trace/op_log.h"
#include "trace/source.h"

#include <stdlib.h>
#include <string.h>

static const struct sdsim_trace_options no_options;

void sdsim_op_log_put(struct sdsim_op_log *log, const struct sdsim_op *op, const char *name,
                      size_t length)
{
    if (log->count == SDSIM_OP_LOG_QUEUE) {
        return; /* no line stands for so many */
    }
    const size_t place = (log->first + log->count++) % SDSIM_OP_LOG_QUEUE;
    struct sdsim_op *copy = &log->queue[place];
    *copy = *op;
    copy->repeat = 1;
    if (name == NULL) {
        return;
    }
    for (size_t i = 0; i + 1 < length; i++) {
        if (name[i] == '/') {
            name += i + 1;
            length -= i + 1;
            i = (size_t)-1;
        }
    }
    if (length > 0 && name[length - 1] == '/') {
        length--;
    }
    char *text = log->names[place][0];
    length = length < SDSIM_OP_LOG_NAME ? length : SDSIM_OP_LOG_NAME - 1;
    for (size_t i = 0; i < length; i++) {
        text[i] = strchr("\"*:<>?\\|\t", name[i]) != NULL ? '_' : name[i];
    }
    copy->name = (struct sdsim_op_text){text, length};
}

int sdsim_op_log_find(const struct sdsim_op_log *log, uint64_t key)
{
    for (int i = 0; i < (int)SDSIM_OPS_HANDLES; i++) {
        if (log->files[i].open && log->files[i].key == key) {
            return i;
        }
    }
    return -1;
}

int sdsim_op_log_take(struct sdsim_op_log *log, uint64_t key)
{
    for (int i = 0; i < (int)SDSIM_OPS_HANDLES; i++) {
        if (!log->files[i].open) {
            log->files[i] = (struct sdsim_op_log_file){.open = true, .key = key};
            if (!log->mounted) {
                const struct sdsim_op mount = {.kind = SDSIM_OP_MOUNT};
                sdsim_op_log_put(log, &mount, NULL, 0);
                log->mounted = true;
            }
            return i;
        }
    }
    return -1;
}

bool sdsim_op_log_wants(const struct sdsim_op_log *log, const char *path, size_t length)
{
    const char *wanted = log->options->file;
    const size_t size = wanted != NULL ? strlen(wanted) : 0;
    for (size_t i = 0; i + size <= length; i++) {
        if (size == 0 || memcmp(path + i, wanted, size) == 0) {
            return true;
        }
    }
    return false;
}

/* ---- the source ---- */

static bool log_next(struct sdsim_op_source *base, struct sdsim_op *op, uint32_t *number)
{
    struct sdsim_op_log *log = (struct sdsim_op_log *)base;
    while (log->count == 0) {
        const char *line;
        size_t length;
        if (!sdsim_lines_next(&log->lines, &line, &length)) {
            base->failed = log->lines.failed || sdsim_input_failed(log->input);
            if (log->known == 0 && !base->failed) {
                sdsim_lines_tell_none(&log->lines, log->what);
                base->failed = true;
            }
            return false;
        }
        length = length < SDSIM_LOG_LINE ? length : SDSIM_LOG_LINE;
        for (size_t i = 0; i < length; i++) {
            log->text[i] = line[i] != '\0' ? line[i] : ' ';
        }
        log->text[length] = '\0';
        log->known += log->line(log, log->text);
    }
    *op = log->queue[log->first];
    *number = sdsim_lines_place(&log->lines).line;
    log->first = (log->first + 1) % SDSIM_OP_LOG_QUEUE;
    log->count--;
    return true;
}

static void log_close(struct sdsim_op_source *base)
{
    struct sdsim_op_log *log = (struct sdsim_op_log *)base;
    sdsim_trace_info_free(base->info);
    sdsim_input_close(log->input);
    free(log);
}

struct sdsim_op_source *sdsim_op_log_open(struct sdsim_input *input,
                                          const struct sdsim_trace_options *options,
                                          bool (*line)(struct sdsim_op_log *, const char *),
                                          const char *what)
{
    struct sdsim_trace_info *info;
    struct sdsim_op_log *log = sdsim_trace_source_new(input, sizeof *log, &info);
    if (log == NULL) {
        return NULL;
    }
    log->base = (struct sdsim_op_source){.next = log_next, .close = log_close, .info = info};
    log->input = input;
    log->options = options != NULL ? options : &no_options;
    log->line = line;
    log->what = what;
    sdsim_lines_init(&log->lines, input);
    return &log->base;
}

size_t sdsim_op_log_likeness(const char *head, size_t size,
                             bool (*line)(struct sdsim_op_log *, const char *))
{
    struct sdsim_op_log *log = calloc(1, sizeof *log);
    size_t known = 0;
    if (log == NULL) {
        return 0;
    }
    log->options = &no_options;
    const char *end = head + size;
    for (int lines = 0; head < end && lines < 200; lines++) {
        const char *newline = memchr(head, '\n', (size_t)(end - head));
        size_t length = (size_t)((newline != NULL ? newline : end) - head);
        const char *next = head + length + 1;
        length = length < SDSIM_LOG_LINE ? length : SDSIM_LOG_LINE;
        for (size_t i = 0; i < length; i++) {
            log->text[i] = head[i] != '\0' ? head[i] : ' ';
        }
        log->text[length] = '\0';
        known += line(log, log->text);
        log->count = 0;
        head = next;
    }
    free(log);
    return known;
}
