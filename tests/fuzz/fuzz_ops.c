/* Lists of file operations: what is read, printed and read again, is the same. */
#include "fuzz/trace_fuzz.h"

#include "trace/op_trace.h"

const unsigned sdsim_fuzz_runs = 20000;

/* The operations as text again, to be freed; *failed if the input was wrong somewhere. */
static char *print_all(const void *text, size_t size, size_t *printed, bool *failed)
{
    char *out = NULL;
    FILE *memory = open_memstream(&out, printed);
    SDSIM_FUZZ_HOLDS(memory != NULL);
    struct sdsim_diags diags;
    sdsim_diags_init(&diags);
    struct sdsim_op_source *source =
        sdsim_ops_text_open(sdsim_input_memory("fuzz.ops", text, size, &diags));
    SDSIM_FUZZ_HOLDS(source != NULL);
    struct sdsim_op op;
    uint32_t line;
    while (source->next(source, &op, &line)) {
        uint64_t bytes;
        SDSIM_FUZZ_HOLDS(op.repeat >= 1 && op.handle < SDSIM_OPS_HANDLES);
        (void)sdsim_op_bytes(op.amount, 32768, &bytes);
        sdsim_ops_text_put(memory, &op);
    }
    *failed = source->failed;
    SDSIM_FUZZ_HOLDS(*failed == (diags.errors > 0));
    source->close(source);
    sdsim_diags_free(&diags);
    SDSIM_FUZZ_HOLDS(fclose(memory) == 0);
    return out;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    sdsim_fuzz_rewrites(print_all, data, size);
    return 0;
}
