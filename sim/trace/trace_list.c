#include "trace/trace_list.h"

#include <stdlib.h>
#include <string.h>

/* ---- loading ---- */

/* Room for one more item; false without memory. */
static bool grow(void **items, size_t count, size_t *capacity, size_t size)
{
    if (count < *capacity) {
        return true;
    }
    const size_t wanted = *capacity * 2 + 1024;
    void *grown = realloc(*items, wanted * size);
    if (grown == NULL) {
        return false;
    }
    *items = grown;
    *capacity = wanted;
    return true;
}

static enum sdsim_trace_load load_blocks(struct sdsim_trace_list *list,
                                         struct sdsim_block_source *source, size_t most)
{
    for (;;) {
        if (list->count == most) {
            return SDSIM_TRACE_TOO_LONG;
        }
        void *records = list->records;
        const bool room = grow(&records, list->count, &list->capacity, sizeof *list->records);
        list->records = records;
        if (!room) {
            return SDSIM_TRACE_LOAD_NO_MEMORY;
        }
        const size_t free_records = list->capacity - list->count;
        const size_t wanted = most - list->count < free_records ? most - list->count : free_records;
        const size_t got = source->next(source, list->records + list->count, wanted);
        if (got == 0) {
            return SDSIM_TRACE_LOADED;
        }
        list->count += got;
    }
}

/* A copy of a text of an operation, owned by the list; false without memory. */
static bool keep_text(struct sdsim_trace_list *list, struct sdsim_op_text *text)
{
    if (text->text == NULL || text->length == 0) {
        return true;
    }
    void *texts = list->texts;
    const bool room = grow(&texts, list->text_count, &list->text_capacity, sizeof *list->texts);
    list->texts = texts;
    char *copy = room ? malloc(text->length) : NULL;
    if (copy == NULL) {
        return false;
    }
    memcpy(copy, text->text, text->length);
    list->texts[list->text_count++] = copy;
    text->text = copy;
    return true;
}

static enum sdsim_trace_load load_ops(struct sdsim_trace_list *list, struct sdsim_op_source *source,
                                      size_t most)
{
    struct sdsim_op op;
    uint32_t line;
    while (list->count < most && source->next(source, &op, &line)) {
        size_t capacity = list->capacity;
        void *ops = list->ops;
        void *lines = list->lines;
        const bool room = grow(&ops, list->count, &capacity, sizeof *list->ops) &&
                          grow(&lines, list->count, &list->capacity, sizeof *list->lines);
        list->ops = ops;
        list->lines = lines;
        if (!room || !keep_text(list, &op.name) || !keep_text(list, &op.new_name) ||
            !keep_text(list, &op.label)) {
            return SDSIM_TRACE_LOAD_NO_MEMORY;
        }
        list->ops[list->count] = op;
        list->lines[list->count++] = line;
    }
    return list->count == most ? SDSIM_TRACE_TOO_LONG : SDSIM_TRACE_LOADED;
}

enum sdsim_trace_load sdsim_trace_list_load(struct sdsim_trace_list *list,
                                            struct sdsim_trace *trace, size_t most)
{
    *list = (struct sdsim_trace_list){.info = trace->info};
    return trace->blocks != NULL ? load_blocks(list, trace->blocks, most)
                                 : load_ops(list, trace->ops, most);
}

void sdsim_trace_list_free(struct sdsim_trace_list *list)
{
    for (size_t i = 0; i < list->text_count; i++) {
        free(list->texts[i]);
    }
    free(list->texts);
    free(list->records);
    free(list->ops);
    free(list->lines);
    *list = (struct sdsim_trace_list){.records = NULL};
}

/* ---- sorting ---- */

static bool is_ordered(const struct sdsim_trace_list *list)
{
    for (size_t i = 1; i < list->count; i++) {
        if (list->records[i].start < list->records[i - 1].start) {
            return false;
        }
    }
    return true;
}

static bool has_starts(const struct sdsim_trace_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        const struct sdsim_block_record *r = &list->records[i];
        if (r->kind == SDSIM_TRACE_MARK || (r->flags & SDSIM_TRACE_HAS_START) == 0) {
            return false;
        }
    }
    return true;
}

/* Merges two neighbouring runs that are in order, [from, middle) and [middle, to), into `out`. */
static void merge(const struct sdsim_block_record *in, size_t from, size_t middle, size_t to,
                  struct sdsim_block_record *out)
{
    size_t left = from;
    size_t right = middle;
    for (size_t i = from; i < to; i++) {
        const bool take_left = left < middle && (right == to || in[left].start <= in[right].start);
        out[i] = take_left ? in[left++] : in[right++];
    }
}

bool sdsim_trace_list_sort(struct sdsim_trace_list *list)
{
    if (list->records == NULL || !has_starts(list) || is_ordered(list)) {
        return true;
    }
    const size_t count = list->count;
    struct sdsim_block_record *other = malloc(list->capacity * sizeof *other);
    if (other == NULL) {
        return false;
    }
    for (size_t run = 1; run < count; run *= 2) {
        for (size_t from = 0; from < count; from += 2 * run) {
            const size_t middle = count - from < run ? count : from + run;
            const size_t to = count - from < 2 * run ? count : from + 2 * run;
            merge(list->records, from, middle, to, other);
        }
        struct sdsim_block_record *sorted = other;
        other = list->records;
        list->records = sorted;
    }
    free(other);
    return true;
}

/* ---- giving it again ---- */

struct list_blocks {
    struct sdsim_block_source base;
    const struct sdsim_trace_list *list;
    struct sdsim_block_source *then;
    size_t at;
};

static size_t blocks_next(struct sdsim_block_source *base, struct sdsim_block_record *records,
                          size_t most)
{
    struct list_blocks *source = (struct list_blocks *)base;
    const size_t left = source->list->count - source->at;
    if (left == 0 && source->then != NULL) {
        const size_t got = source->then->next(source->then, records, most);
        base->failed = source->then->failed;
        return got;
    }
    const size_t count = left < most ? left : most;
    if (count > 0) {
        memcpy(records, source->list->records + source->at, count * sizeof *records);
    }
    source->at += count;
    return count;
}

static void blocks_close(struct sdsim_block_source *base)
{
    free(base);
}

struct list_ops {
    struct sdsim_op_source base;
    const struct sdsim_trace_list *list;
    struct sdsim_op_source *then;
    size_t at;
};

static bool ops_next(struct sdsim_op_source *base, struct sdsim_op *op, uint32_t *line)
{
    struct list_ops *source = (struct list_ops *)base;
    if (source->at < source->list->count) {
        *op = source->list->ops[source->at];
        *line = source->list->lines[source->at++];
        return true;
    }
    const bool got = source->then != NULL && source->then->next(source->then, op, line);
    base->failed = source->then != NULL && source->then->failed;
    return got;
}

static void ops_close(struct sdsim_op_source *base)
{
    free(base);
}

bool sdsim_trace_list_open(struct sdsim_trace *trace, const struct sdsim_trace_list *list,
                           struct sdsim_trace *then)
{
    *trace = (struct sdsim_trace){.info = list->info};
    if (list->ops != NULL || (then != NULL && then->ops != NULL)) {
        struct list_ops *source = calloc(1, sizeof *source);
        if (source != NULL) {
            *source = (struct list_ops){
                .base = {.next = ops_next, .close = ops_close, .info = list->info},
                .list = list,
                .then = then != NULL ? then->ops : NULL,
            };
            trace->ops = &source->base;
        }
        return source != NULL;
    }
    struct list_blocks *source = calloc(1, sizeof *source);
    if (source != NULL) {
        *source = (struct list_blocks){
            .base = {.next = blocks_next, .close = blocks_close, .info = list->info},
            .list = list,
            .then = then != NULL ? then->blocks : NULL,
        };
        trace->blocks = &source->base;
    }
    return source != NULL;
}
