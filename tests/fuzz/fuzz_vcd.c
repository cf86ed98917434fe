/* VCD files: their changes, what the decoders make of them, report and doctor. */
#include "fuzz/capture_fuzz.h"

const unsigned sdsim_fuzz_runs = 400;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    sdsim_fuzz_capture(sdsim_fuzz_file(data, size, ".vcd"));
    return 0;
}
