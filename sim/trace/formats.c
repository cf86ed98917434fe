#include "trace/formats.h"

#include <stdlib.h>
#include <string.h>

#include "trace/binary.h"
#include "trace/blocks_text.h"
#include "trace/encoding.h"
#include "trace/firmware_trace.h"

/* ---- likenesses ---- */

enum {
    CERTAIN = 1000,
    HEAD = 65536,
    LINES = 200,
};

/* Copies the next line, cut, with a zero behind it; false at the end. */
static bool next_line(const char **at, const char *end, char *line, size_t room)
{
    if (*at >= end) {
        return false;
    }
    const char *newline = memchr(*at, '\n', (size_t)(end - *at));
    size_t length = (size_t)((newline != NULL ? newline : end) - *at);
    const char *next = *at + length + 1;
    length = length < room - 1 ? length : room - 1;
    for (size_t i = 0; i < length; i++) {
        line[i] = (*at)[i] != '\0' ? (*at)[i] : ' ';
    }
    line[length] = '\0';
    *at = next;
    return true;
}

/* How many of the first lines a log format knows, of 1000. */
static unsigned log_likeness(const struct sdsim_log_format *format, const char *head, size_t size)
{
    static const struct sdsim_trace_options options;
    struct sdsim_log *log = calloc(1, sizeof *log);
    char *line = malloc(SDSIM_LOG_LINE + 1);
    unsigned known = 0;
    unsigned lines = 0;
    if (log != NULL && line != NULL) {
        log->options = &options;
        const char *end = head + size;
        while (lines < LINES && next_line(&head, end, line, SDSIM_LOG_LINE + 1)) {
            known += format->line(log, line);
            log->first = log->next;
            lines++;
        }
    }
    free(line);
    free(log);
    return lines > 0 ? known * 900 / lines + (known > 0) : 0;
}

static unsigned ftrace_likeness(const char *head, size_t size)
{
    return log_likeness(&sdsim_log_ftrace, head, size);
}

static unsigned debug_likeness(const char *head, size_t size)
{
    return log_likeness(&sdsim_log_linux_debug, head, size);
}

static unsigned blkparse_likeness(const char *head, size_t size)
{
    return log_likeness(&sdsim_log_blkparse, head, size);
}

static unsigned diskio_likeness(const char *head, size_t size)
{
    return log_likeness(&sdsim_log_diskio, head, size);
}

static unsigned idf_likeness(const char *head, size_t size)
{
    return log_likeness(&sdsim_log_esp_idf, head, size);
}

static unsigned binary_likeness(const char *head, size_t size)
{
    const bool magic = size >= SDSIM_BINARY_MAGIC_BYTES && memcmp(head, "\x89SDT", 4) == 0;
    return magic ? CERTAIN : 0;
}

/* Blanks and "@TIME +TIME" skipped. */
static const char *behind_times(const char *line)
{
    const char *p = line + strspn(line, " \t");
    while ((*p == '@' || *p == '+') && p[1] >= '0' && p[1] <= '9') {
        p += strcspn(p, " \t");
        p += strspn(p, " \t");
    }
    return p;
}

/* A line with a block operation in its first place decides, if no file operation came before. */
static unsigned own_likeness(const char *head, size_t size, bool blocks)
{
    char line[256];
    const char *end = head + size;
    bool marked = false;
    for (unsigned lines = 0; lines < 10000 && next_line(&head, end, line, sizeof line); lines++) {
        const char *p = behind_times(line);
        if (*p == '#') {
            marked = marked || strchr("@ST", p[1]) != NULL || strncmp(p, "#end", 4) == 0;
            continue;
        }
        if (*p == '\0' || *p == '\r') {
            continue;
        }
        if ((*p == 'R' || *p == 'W') && p[1] == ' ' && p[2] >= '0' && p[2] <= '9') {
            return blocks ? CERTAIN : 0;
        }
        for (int kind = 0; kind < SDSIM_OP_COUNT; kind++) {
            const char *name = sdsim_op_name((enum sdsim_op_kind)kind);
            const size_t length = strlen(name);
            struct sdsim_diags unheard;
            struct sdsim_op op;
            const struct sdsim_place place = {.line = 1};
            if (strncmp(p, name, length) == 0 && strchr(" \t\r", p[length]) != NULL && !blocks) {
                sdsim_diags_init(&unheard);
                const bool good =
                    sdsim_op_parse(&op, line, strlen(line), &place, &unheard) == SDSIM_OP_LINE;
                sdsim_diags_free(&unheard);
                return good ? CERTAIN : 0;
            }
        }
        return 0;
    }
    return blocks && marked ? CERTAIN : 0;
}

static unsigned blocks_likeness(const char *head, size_t size)
{
    return own_likeness(head, size, true);
}

static unsigned ops_likeness(const char *head, size_t size)
{
    return own_likeness(head, size, false);
}

static unsigned share_of(size_t known, const char *head, size_t size)
{
    size_t lines = 0;
    for (size_t i = 0; i < size && lines < LINES; i++) {
        lines += head[i] == '\n' || i + 1 == size;
    }
    return lines > 0 ? (unsigned)(known * 800 / lines) + (known > 0) : 0;
}

static unsigned strace_likeness(const char *head, size_t size)
{
    return share_of(sdsim_strace_likeness(head, size), head, size) * 9 / 8;
}

static unsigned file_log_likeness(const char *head, size_t size)
{
    return share_of(sdsim_file_log_likeness(head, size), head, size);
}

/* A recording with both is taken for one of blocks. */
static unsigned firmware_blocks_likeness(const char *head, size_t size)
{
    const struct sdsim_firmware_look look = sdsim_firmware_log_look(head, size);
    return look.blocks || (look.is_log && !look.files) ? CERTAIN : 0;
}

static unsigned firmware_files_likeness(const char *head, size_t size)
{
    const struct sdsim_firmware_look look = sdsim_firmware_log_look(head, size);
    return look.files && !look.blocks ? CERTAIN : 0;
}

/* ---- openers ---- */

static struct sdsim_block_source *open_firmware_blocks(struct sdsim_input *input,
                                                       const struct sdsim_trace_options *options)
{
    (void)options;
    return sdsim_firmware_blocks_open(input);
}

static struct sdsim_block_source *open_blocks_text(struct sdsim_input *input,
                                                   const struct sdsim_trace_options *options)
{
    (void)options;
    return sdsim_blocks_text_open(input);
}

static struct sdsim_block_source *open_binary(struct sdsim_input *input,
                                              const struct sdsim_trace_options *options)
{
    (void)options;
    return sdsim_binary_open(input);
}

static struct sdsim_op_source *open_ops_text(struct sdsim_input *input,
                                             const struct sdsim_trace_options *options)
{
    (void)options;
    return sdsim_ops_text_open(input);
}

static struct sdsim_block_source *open_ftrace(struct sdsim_input *input,
                                              const struct sdsim_trace_options *options)
{
    return sdsim_log_open(input, &sdsim_log_ftrace, options);
}

static struct sdsim_block_source *open_debug(struct sdsim_input *input,
                                             const struct sdsim_trace_options *options)
{
    return sdsim_log_open(input, &sdsim_log_linux_debug, options);
}

static struct sdsim_block_source *open_blkparse(struct sdsim_input *input,
                                                const struct sdsim_trace_options *options)
{
    return sdsim_log_open(input, &sdsim_log_blkparse, options);
}

static struct sdsim_block_source *open_diskio(struct sdsim_input *input,
                                              const struct sdsim_trace_options *options)
{
    return sdsim_log_open(input, &sdsim_log_diskio, options);
}

static struct sdsim_block_source *open_idf(struct sdsim_input *input,
                                           const struct sdsim_trace_options *options)
{
    return sdsim_log_open(input, &sdsim_log_esp_idf, options);
}

/* ---- the table ---- */

static const struct sdsim_trace_format formats[] = {
    {"blocks", "sdsim's text of block operations: R LBA COUNT", open_blocks_text, NULL,
     blocks_likeness, false},
    {"sdt", "sdsim's binary trace", open_binary, NULL, binary_likeness, false},
    {"ops", "sdsim's text of file operations: write 4096", NULL, open_ops_text, ops_likeness,
     false},
    {"linux-ftrace", "Linux mmc_request_start and mmc_request_done events", open_ftrace, NULL,
     ftrace_likeness, true},
    {"linux-debug", "Linux messages 'mmc0: starting CMD18'", open_debug, NULL, debug_likeness,
     true},
    {"blkparse", "output of blkparse", open_blkparse, NULL, blkparse_likeness, true},
    {"diskio", "prints of FatFs's disk_read and disk_write", open_diskio, NULL, diskio_likeness,
     false},
    {"esp-idf", "ESP-IDF messages 'sdmmc_cmd: sending cmd'", open_idf, NULL, idf_likeness, true},
    {"sdtrace", "recordings of tools/firmware/sdtrace.h, text or raw", open_firmware_blocks, NULL,
     firmware_blocks_likeness, false},
    {"sdtrace-files", "the file calls in such a recording", NULL, sdsim_firmware_ops_open,
     firmware_files_likeness, false},
    {"strace", "output of strace", NULL, sdsim_strace_open, strace_likeness, false},
    {"file-log", "prints of fopen, fwrite, fsync and so on", NULL, sdsim_file_log_open,
     file_log_likeness, false},
};

enum { FORMATS = sizeof formats / sizeof formats[0] };

const struct sdsim_trace_format *sdsim_trace_format_at(size_t index)
{
    return index < FORMATS ? &formats[index] : NULL;
}

const struct sdsim_trace_format *sdsim_trace_format_find(const char *name)
{
    for (size_t i = 0; i < FORMATS; i++) {
        if (strcmp(formats[i].name, name) == 0) {
            return &formats[i];
        }
    }
    return NULL;
}

const struct sdsim_trace_format *sdsim_trace_format_detect(struct sdsim_input *input)
{
    size_t size;
    const char *head = sdsim_input_peek(input, HEAD, &size);
    const size_t mark = sdsim_encoding_mark(head, size);
    head += mark;
    size = size - mark < HEAD ? size - mark : HEAD;
    const struct sdsim_trace_format *best = NULL;
    unsigned most = 0;
    for (size_t i = 0; i < FORMATS && most < CERTAIN; i++) {
        const unsigned likeness = formats[i].likeness(head, size);
        if (likeness > most) {
            most = likeness;
            best = &formats[i];
        }
    }
    return best;
}

/* ---- traces ---- */

/* Nobody knows this file: says what it is instead, as far as that can be told. */
static void report_unknown(struct sdsim_input *input)
{
    const struct sdsim_place place = {.file = sdsim_input_name(input)};
    size_t size;
    const char *head = sdsim_input_peek(input, SDSIM_ENCODING_HEAD, &size);
    const struct sdsim_encoding encoding = sdsim_encoding_of(head, size);
    if (sdsim_input_failed(input)) {
        return;
    }
    if (encoding.what != NULL) {
        sdsim_diag_add(sdsim_input_diags(input), SDSIM_ERROR, &place, NULL, 0, encoding.mend,
                       "this is %s, which is not read", encoding.what);
    } else if (size == 0) {
        sdsim_error(sdsim_input_diags(input), sdsim_input_name(input), "the file is empty");
    } else {
        sdsim_diag_add(sdsim_input_diags(input), SDSIM_ERROR, &place, NULL, 0,
                       "say which it is with --from, or see 'sdsim import --help' for those "
                       "there are",
                       "this is no trace in any of the known formats");
    }
}

/* A byte order mark is no part of the text. */
static void skip_mark(struct sdsim_input *input)
{
    size_t size;
    const char *head = sdsim_input_peek(input, 3, &size);
    sdsim_input_take(input, sdsim_encoding_mark(head, size));
}

bool sdsim_trace_open(struct sdsim_trace *trace, struct sdsim_input *input,
                      const struct sdsim_trace_format *format,
                      const struct sdsim_trace_options *options)
{
    *trace = (struct sdsim_trace){.format = format};
    if (format == NULL) {
        trace->format = sdsim_trace_format_detect(input);
    }
    if (trace->format == NULL) {
        report_unknown(input);
        sdsim_input_close(input);
        return false;
    }
    skip_mark(input);
    if (trace->format->open_blocks != NULL) {
        trace->blocks = trace->format->open_blocks(input, options);
        trace->info = trace->blocks != NULL ? trace->blocks->info : NULL;
    } else {
        trace->ops = trace->format->open_ops(input, options);
        trace->info = trace->ops != NULL ? trace->ops->info : NULL;
    }
    return trace->info != NULL;
}

bool sdsim_trace_failed(const struct sdsim_trace *trace)
{
    return trace->blocks != NULL ? trace->blocks->failed : trace->ops->failed;
}

void sdsim_trace_close(struct sdsim_trace *trace)
{
    if (trace->blocks != NULL) {
        trace->blocks->close(trace->blocks);
    }
    if (trace->ops != NULL) {
        trace->ops->close(trace->ops);
    }
    *trace = (struct sdsim_trace){.format = NULL};
}
