/*
 * What the targets of trace readers share: a trace is read to its end, whatever it is, with the
 * promises of trace/block_trace.h and trace/op_trace.h held against what comes out.
 */
#ifndef SDSIM_TEST_TRACE_FUZZ_H
#define SDSIM_TEST_TRACE_FUZZ_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz/fuzz.h"
#include "trace/formats.h"

/* Enough to see what is wrong; a mistake of the reader might make it endless. */
#define SDSIM_FUZZ_RECORDS 50000000u

/* Blocks in batches of a size that the input's size chooses. Records also go to `sink`, if it is not
 * NULL. */
static inline void sdsim_fuzz_read_blocks(struct sdsim_block_source *source, size_t size,
                                          struct sdsim_block_sink *sink)
{
    static struct sdsim_block_record records[1000];
    const size_t most = size % 2 == 0 ? 1000 : 1 + size % 7;
    uint64_t total = 0;
    for (size_t n; (n = source->next(source, records, most)) != 0; total += n) {
        SDSIM_FUZZ_HOLDS(n <= most && total < SDSIM_FUZZ_RECORDS);
        for (size_t i = 0; i < n; i++) {
            SDSIM_FUZZ_HOLDS(records[i].kind < SDSIM_TRACE_KINDS);
            if (records[i].kind != SDSIM_TRACE_MARK) {
                SDSIM_FUZZ_HOLDS(records[i].repeat >= 1);
                (void)sdsim_trace_label_text(source->info, records[i].label);
            }
        }
        if (sink != NULL) {
            SDSIM_FUZZ_HOLDS(sink->put(sink, source->info, records, n));
        }
    }
}

static inline void sdsim_fuzz_read_ops(struct sdsim_op_source *source)
{
    struct sdsim_op op;
    uint32_t line;
    uint64_t total = 0;
    while (source->next(source, &op, &line)) {
        SDSIM_FUZZ_HOLDS(op.kind < SDSIM_OP_COUNT && op.handle < SDSIM_OPS_HANDLES &&
                         op.repeat >= 1 && total++ < SDSIM_FUZZ_RECORDS);
    }
}

/* Opens bytes in a format, or by what they are, and reads all there is. */
static inline void sdsim_fuzz_read_trace(const struct sdsim_trace_format *format, const void *data,
                                         size_t size)
{
    static const struct sdsim_trace_options options;
    struct sdsim_diags diags;
    sdsim_diags_init(&diags);
    struct sdsim_trace trace;
    if (sdsim_trace_open(&trace, sdsim_input_memory("fuzz", data, size, &diags), format,
                         &options)) {
        if (trace.blocks != NULL) {
            sdsim_fuzz_read_blocks(trace.blocks, size, NULL);
        } else {
            sdsim_fuzz_read_ops(trace.ops);
        }
        SDSIM_FUZZ_HOLDS(sdsim_trace_failed(&trace) == (diags.errors > 0));
        sdsim_trace_close(&trace);
    } else {
        SDSIM_FUZZ_HOLDS(diags.errors > 0);
    }
    sdsim_diags_free(&diags);
}

/* What a trace is as text again, for the caller to free; *failed: the input was wrong somewhere. */
typedef char *sdsim_fuzz_rewriter(const void *text, size_t size, size_t *written, bool *failed);

/* A text that was written is read without a fault, and is the same written again. */
static inline void sdsim_fuzz_rewrites(sdsim_fuzz_rewriter *rewrite, const uint8_t *data,
                                       size_t size)
{
    size_t first_size;
    size_t second_size;
    bool failed;
    char *first = rewrite(data, size, &first_size, &failed);
    char *second = rewrite(first, first_size, &second_size, &failed);
    SDSIM_FUZZ_HOLDS(!failed && first_size == second_size &&
                     memcmp(first, second, first_size) == 0);
    free(first);
    free(second);
}

#endif
