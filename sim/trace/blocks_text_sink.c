#include "fat/session.h"
#include "trace/blocks_text.h"

#include <stdlib.h>
#include <string.h>

enum {
    SINK_BYTES = 65536,
    LINE_MOST = 1200, /* times, numbers, and a label of 1000 bytes */
};

struct text_sink {
    struct sdsim_block_sink base;
    FILE *out;
    bool headed;
    size_t used;
    char buffer[SINK_BYTES];
};

static char *print_u64(char *out, uint64_t value)
{
    char digits[20];
    size_t count = 0;
    do {
        digits[count++] = (char)('0' + value % 10);
        value /= 10;
    } while (value > 0);
    while (count > 0) {
        *out++ = digits[--count];
    }
    return out;
}

char *sdsim_trace_print_time(char *out, sdsim_ps time)
{
    static const struct {
        sdsim_ps unit;
        unsigned decimals;
        const char *name;
    } units[] = {{SDSIM_S, 12, "s"}, {SDSIM_MS, 9, "ms"}, {SDSIM_US, 6, "us"}, {SDSIM_NS, 3, "ns"}};
    size_t i = 0;
    while (i < 4 && time < units[i].unit) {
        i++;
    }
    if (i == 4) {
        out = print_u64(out, time);
        memcpy(out, "ps", 2);
        return out + 2;
    }
    out = print_u64(out, time / units[i].unit);
    uint64_t rest = time % units[i].unit;
    if (rest > 0) {
        unsigned decimals = units[i].decimals;
        while (rest % 10 == 0) {
            rest /= 10;
            decimals--;
        }
        *out++ = '.';
        for (unsigned k = decimals; k > 0; k--) {
            out[k - 1] = (char)('0' + rest % 10);
            rest /= 10;
        }
        out += decimals;
    }
    const size_t length = strlen(units[i].name);
    memcpy(out, units[i].name, length);
    return out + length;
}

static char *print_text(char *out, const char *text)
{
    const size_t length = strlen(text);
    memcpy(out, text, length);
    return out + length;
}

static char *print_mark(char *out, const struct sdsim_block_record *mark)
{
    static const char *const answers[] = {
        [SDSIM_ANSWER_COUNT] = " n=",
        [SDSIM_ANSWER_SIZE] = " size=",
        [SDSIM_ANSWER_ENTRIES] = " entries=",
        [SDSIM_ANSWER_CLUSTERS] = " clusters=",
    };
    out = print_u64(print_text(out, "#@ "), mark->line);
    if (mark->repetition > 0) {
        *out++ = '.';
        out = print_u64(out, mark->repetition);
    }
    if (mark->result != 0) {
        out = print_u64(print_text(out, " rc="), mark->result);
    }
    if (mark->answer_kind != SDSIM_ANSWER_NONE && mark->answer_kind <= SDSIM_ANSWER_CLUSTERS) {
        out = print_u64(print_text(out, answers[mark->answer_kind]), mark->answer);
    }
    return out;
}

static char *print_call(char *out, const struct sdsim_trace_info *info,
                        const struct sdsim_block_record *record)
{
    static const char *const names[SDSIM_TRACE_KINDS] = {
        [SDSIM_TRACE_READ] = "R",  [SDSIM_TRACE_WRITE] = "W",  [SDSIM_TRACE_SYNC] = "#S",
        [SDSIM_TRACE_TRIM] = "#T", [SDSIM_TRACE_ERASE] = "#E", [SDSIM_TRACE_STATUS] = "#D",
    };
    if ((record->flags & SDSIM_TRACE_HAS_START) != 0) {
        *out++ = '@';
        out = sdsim_trace_print_time(out, record->start);
        *out++ = ' ';
        if ((record->flags & SDSIM_TRACE_HAS_DURATION) != 0) {
            *out++ = '+';
            out = sdsim_trace_print_time(out, record->duration);
            *out++ = ' ';
        }
    }
    out = print_text(out, names[record->kind]);
    if (record->kind != SDSIM_TRACE_SYNC && record->kind != SDSIM_TRACE_STATUS) {
        *out++ = ' ';
        out = print_u64(out, record->lba);
        *out++ = ' ';
        out = print_u64(out, record->count);
    }
    if (record->repeat > 1) {
        out = print_u64(print_text(out, " *"), record->repeat);
    }
    if ((record->flags & SDSIM_TRACE_FAILED) != 0) {
        out = print_text(out, " rc=1");
    }
    if (record->label != 0) {
        out = print_text(print_text(out, " # "), sdsim_trace_label_text(info, record->label));
    }
    return out;
}

static bool flush_text(struct text_sink *sink)
{
    const bool done = fwrite(sink->buffer, 1, sink->used, sink->out) == sink->used;
    sink->used = 0;
    return done;
}

static void print_headers(struct text_sink *sink, const struct sdsim_trace_info *info)
{
    const char *key;
    const char *value;
    for (size_t i = 0; sdsim_trace_header_at(info, i, &key, &value); i++) {
        (void)fprintf(sink->out, "#! %s=%s\n", key, value);
    }
    sink->headed = true;
}

static bool text_put(struct sdsim_block_sink *base, const struct sdsim_trace_info *info,
                     const struct sdsim_block_record *records, size_t count)
{
    struct text_sink *sink = (struct text_sink *)base;
    if (!sink->headed) {
        print_headers(sink, info);
    }
    for (size_t i = 0; i < count; i++) {
        if (SINK_BYTES - sink->used < LINE_MOST && !flush_text(sink)) {
            return false;
        }
        char *start = sink->buffer + sink->used;
        char *end = records[i].kind == SDSIM_TRACE_MARK ? print_mark(start, &records[i])
                                                        : print_call(start, info, &records[i]);
        *end++ = '\n';
        sink->used = (size_t)(end - sink->buffer);
    }
    return true;
}

static bool text_finish(struct sdsim_block_sink *base)
{
    struct text_sink *sink = (struct text_sink *)base;
    const bool done = flush_text(sink) && ferror(sink->out) == 0;
    free(sink);
    return done;
}

struct sdsim_block_sink *sdsim_blocks_text_sink(FILE *out)
{
    struct text_sink *sink = malloc(sizeof *sink);
    if (sink != NULL) {
        sink->base = (struct sdsim_block_sink){.put = text_put, .finish = text_finish};
        sink->out = out;
        sink->headed = false;
        sink->used = 0;
    }
    return sink == NULL ? NULL : &sink->base;
}
