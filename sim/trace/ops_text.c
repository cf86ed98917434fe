#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "trace/blocks_text.h"
#include "trace/lines.h"
#include "trace/op_trace.h"
#include "trace/source.h"

struct ops_source {
    struct sdsim_op_source base;
    struct sdsim_input *input;
    struct sdsim_lines lines;
    char line[SDSIM_LOG_LINE + 1]; /* the operation's texts point into it */
};

/* "#! key=value" or "#! key: value" */
static void take_header(struct ops_source *source, const char *line, size_t length)
{
    char copy[SDSIM_LOG_LINE + 1];
    memcpy(copy, line, length);
    copy[length] = '\0';
    char *key = copy + 2 + strspn(copy + 2, " \t");
    const size_t size = strcspn(key, "=:");
    if (key[size] == '\0') {
        return;
    }
    char *value = key + size + 1;
    key[size] = '\0';
    value += strspn(value, " \t");
    (void)sdsim_trace_set_header(source->base.info, key, value);
}

static bool ops_next(struct sdsim_op_source *base, struct sdsim_op *op, uint32_t *number)
{
    struct ops_source *source = (struct ops_source *)base;
    struct sdsim_diags *diags = sdsim_input_diags(source->input);
    const char *line;
    size_t length;
    while (!base->failed && sdsim_lines_next(&source->lines, &line, &length)) {
        const struct sdsim_place place = sdsim_lines_place(&source->lines);
        if (length > SDSIM_LOG_LINE) {
            sdsim_diag_add(diags, SDSIM_ERROR, &place, NULL, 0, NULL,
                           "a line of more than %d bytes", SDSIM_LOG_LINE);
            base->failed = true;
            return false;
        }
        if (length >= 2 && line[0] == '#' && line[1] == '!' && memchr(line, 0, length) == NULL) {
            take_header(source, line, length);
            continue;
        }
        memcpy(source->line, line, length);
        switch (sdsim_op_parse(op, source->line, length, &place, diags)) {
        case SDSIM_OP_LINE:
            *number = place.line;
            return true;
        case SDSIM_OP_BAD:
            base->failed = true;
            return false;
        default:
            break;
        }
    }
    base->failed = base->failed || source->lines.failed || sdsim_input_failed(source->input);
    return false;
}

static void ops_close(struct sdsim_op_source *base)
{
    struct ops_source *source = (struct ops_source *)base;
    sdsim_trace_info_free(base->info);
    sdsim_input_close(source->input);
    free(source);
}

struct sdsim_op_source *sdsim_ops_text_open(struct sdsim_input *input)
{
    struct sdsim_trace_info *info;
    struct ops_source *source = sdsim_trace_source_new(input, sizeof *source, &info);
    if (source == NULL) {
        return NULL;
    }
    source->base = (struct sdsim_op_source){.next = ops_next, .close = ops_close, .info = info};
    source->input = input;
    sdsim_lines_init(&source->lines, input);
    return &source->base;
}

/* ---- writing ---- */

void sdsim_ops_text_headers(FILE *out, const struct sdsim_trace_info *info)
{
    const char *key;
    const char *value;
    for (size_t i = 0; sdsim_trace_header_at(info, i, &key, &value); i++) {
        (void)fprintf(out, "#! %s=%s\n", key, value);
    }
}

static void put_time(FILE *out, char sign, sdsim_ps time)
{
    char text[SDSIM_TRACE_TIME_ROOM];
    const char *end = sdsim_trace_print_time(text, time);
    (void)fprintf(out, "%c%.*s ", sign, (int)(end - text), text);
}

/* A name (which has no zero byte), in quotes if it has blanks or is empty. */
static void put_name(FILE *out, const struct sdsim_op_text *name)
{
    bool quoted = name->length == 0 || name->text[0] == '"';
    for (size_t i = 0; i < name->length; i++) {
        quoted = quoted || strchr(" \t\r", name->text[i]) != NULL;
    }
    (void)fprintf(out, quoted ? " \"%.*s\"" : " %.*s", (int)name->length, name->text);
}

/* A sum of terms. Without `sign` the first can't have one, so what is negative is taken off a 0 or
 * off the other term. */
static void put_amount(FILE *out, struct sdsim_op_amount amount, bool sign)
{
    const bool bytes_first = !sign && amount.clusters < 0;
    const char *plus = sign ? "+" : "";
    if (bytes_first || (amount.clusters == 0 && !sign && amount.bytes < 0)) {
        (void)fprintf(out, "%" PRId64, amount.bytes > 0 ? amount.bytes : 0);
        plus = "+";
    }
    if (amount.clusters != 0) {
        (void)fprintf(out, "%s%" PRId64 "c", amount.clusters > 0 ? plus : "", amount.clusters);
        plus = "+";
    }
    if (bytes_first && amount.bytes >= 0) {
        return;
    }
    if (amount.bytes != 0 || amount.clusters == 0) {
        (void)fprintf(out, "%s%" PRId64, amount.bytes >= 0 ? plus : "", amount.bytes);
    }
}

static void put_arguments(FILE *out, const struct sdsim_op *op)
{
    switch (op->kind) {
    case SDSIM_OP_OPEN:
        put_name(out, &op->name);
        (void)fprintf(out, " %s", sdsim_op_mode_name(op->mode));
        break;
    case SDSIM_OP_MKDIR:
    case SDSIM_OP_UNLINK:
    case SDSIM_OP_STAT:
    case SDSIM_OP_LIST:
        put_name(out, &op->name);
        break;
    case SDSIM_OP_RENAME:
        put_name(out, &op->name);
        put_name(out, &op->new_name);
        break;
    case SDSIM_OP_WRITE:
    case SDSIM_OP_READ:
    case SDSIM_OP_EXPAND:
    case SDSIM_OP_FILL:
    case SDSIM_OP_PRINT:
        (void)fputc(' ', out);
        put_amount(out, op->amount, false);
        break;
    case SDSIM_OP_SEEK: {
        const bool relative = op->origin != SDSIM_OP_FROM_START;
        (void)fputs(op->origin == SDSIM_OP_FROM_END    ? " end"
                    : op->origin == SDSIM_OP_FROM_HERE ? " cur"
                                                       : " ",
                    out);
        if (!relative || op->amount.bytes != 0 || op->amount.clusters != 0) {
            put_amount(out, op->amount, relative);
        }
        break;
    }
    default:
        break;
    }
}

void sdsim_ops_text_put(FILE *out, const struct sdsim_op *op)
{
    if (op->has_start) {
        put_time(out, '@', op->start);
    }
    if (op->has_start && op->has_duration) {
        put_time(out, '+', op->duration);
    }
    if (op->handle != 0) {
        (void)fprintf(out, "@%u ", (unsigned)op->handle);
    }
    (void)fputs(sdsim_op_name(op->kind), out);
    put_arguments(out, op);
    if (op->has_repeat || op->repeat > 1) {
        (void)fprintf(out, " *%" PRIu32, op->repeat);
    }
    if (op->label.length > 0) {
        (void)fprintf(out, " # %.*s", (int)op->label.length, op->label.text);
    }
    (void)fputc('\n', out);
}
