#include "trace_text.h"

#include <inttypes.h>
#include <string.h>

#include "trace/blocks_text.h"

static void write_blocks(struct sdsim_block_source *source, FILE *out)
{
    struct sdsim_block_sink *sink = sdsim_blocks_text_sink(out);
    (void)sdsim_trace_copy(source, sink);
    (void)sink->finish(sink);
}

static void write_ops(struct sdsim_op_source *source, FILE *out)
{
    struct sdsim_op op;
    uint32_t line;
    while (source->next(source, &op, &line)) {
        sdsim_ops_text_put(out, &op);
    }
}

char *sdsim_trace_as_text(const void *bytes, size_t size, const char *format,
                          const struct sdsim_trace_options *options)
{
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    struct sdsim_diags diags;
    struct sdsim_trace trace;
    sdsim_diags_init(&diags);
    struct sdsim_input *input = sdsim_input_memory("memory", bytes, size, &diags);
    const struct sdsim_trace_format *known =
        format != NULL ? sdsim_trace_format_find(format) : NULL;
    if (input != NULL && sdsim_trace_open(&trace, input, known, options)) {
        if (trace.blocks != NULL) {
            write_blocks(trace.blocks, out);
        } else {
            write_ops(trace.ops, out);
        }
        if (sdsim_trace_failed(&trace) != (diags.errors > 0)) {
            (void)fputs("! failed without a message, or the other way round\n", out);
        }
        sdsim_trace_close(&trace);
    }
    for (size_t i = 0; i < diags.count; i++) {
        (void)fprintf(out, "! %" PRIu32 ":%" PRIu32 ": %s\n", diags.items[i].line,
                      diags.items[i].column, diags.items[i].text);
    }
    sdsim_diags_free(&diags);
    (void)fclose(out);
    return text;
}
