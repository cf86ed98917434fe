/* Lists of arrivals: times and sums rise from row to row, or there is a message. */
#include "fuzz/fuzz.h"

#include <stdlib.h>

#include "workload/arrivals_file.h"

const unsigned sdsim_fuzz_runs = 10000;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sdsim_diags diags;
    size_t count = 0;
    sdsim_diags_init(&diags);
    struct sdsim_arrival *rows =
        sdsim_arrivals_read(sdsim_fuzz_file(data, size, ".csv"), &count, &diags);
    SDSIM_FUZZ_HOLDS((rows != NULL) == (diags.errors == 0));
    SDSIM_FUZZ_HOLDS(rows == NULL || count > 0);
    for (size_t i = 1; rows != NULL && i < count; i++) {
        SDSIM_FUZZ_HOLDS(rows[i].at > rows[i - 1].at && rows[i].bytes > rows[i - 1].bytes);
    }
    free(rows);
    sdsim_diags_free(&diags);
    return 0;
}
