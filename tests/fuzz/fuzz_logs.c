/* Logs of other programs, and telling what a file is: the first byte chooses the format. */
#include "fuzz/trace_fuzz.h"

const unsigned sdsim_fuzz_runs = 10000;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    /* the names keep their place when the table of formats grows */
    static const char *const names[] = {
        NULL,      "linux-ftrace", "linux-debug", "blkparse", "diskio",
        "esp-idf", "strace",       "file-log",    "blocks",   "ops",
    };
    if (size > 0) {
        const char *name = names[data[0] % (sizeof names / sizeof names[0])];
        sdsim_fuzz_read_trace(name != NULL ? sdsim_trace_format_find(name) : NULL, data + 1,
                              size - 1);
    }
    return 0;
}
