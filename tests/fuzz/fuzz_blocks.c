/* Block traces as text: what is read, written and read again, gives the same text. */
#include "fuzz/trace_fuzz.h"

#include "trace/blocks_text.h"

const unsigned sdsim_fuzz_runs = 10000;

static char *write_all(const void *text, size_t size, size_t *written, bool *failed)
{
    char *out = NULL;
    FILE *memory = open_memstream(&out, written);
    SDSIM_FUZZ_HOLDS(memory != NULL);
    struct sdsim_diags diags;
    sdsim_diags_init(&diags);
    struct sdsim_block_source *source =
        sdsim_blocks_text_open(sdsim_input_memory("fuzz.blocks", text, size, &diags));
    struct sdsim_block_sink *sink = sdsim_blocks_text_sink(memory);
    SDSIM_FUZZ_HOLDS(source != NULL && sink != NULL);
    sdsim_fuzz_read_blocks(source, size, sink);
    *failed = source->failed;
    SDSIM_FUZZ_HOLDS(*failed == (diags.errors > 0));
    SDSIM_FUZZ_HOLDS(sink->finish(sink));
    source->close(source);
    sdsim_diags_free(&diags);
    SDSIM_FUZZ_HOLDS(fclose(memory) == 0);
    return out;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    sdsim_fuzz_rewrites(write_all, data, size);
    return 0;
}
