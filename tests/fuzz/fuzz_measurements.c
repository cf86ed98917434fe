/* Files of measurements. A first byte of '{' makes it JSON lines, anything else CSV. */
#include "fuzz/fuzz.h"

#include "measure/measurement.h"

const unsigned sdsim_fuzz_runs = 10000;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sdsim_diags diags;
    sdsim_diags_init(&diags);
    struct sdsim_config *config = sdsim_config_create(NULL);
    SDSIM_FUZZ_HOLDS(config != NULL);
    struct sdsim_measurements list = {.count = 0};
    const char *ending = size > 0 && data[0] == '{' ? ".jsonl" : ".csv";
    const bool read =
        sdsim_measurements_read(&list, config, sdsim_fuzz_file(data, size, ending), &diags);
    SDSIM_FUZZ_HOLDS(read == (diags.errors == 0));
    sdsim_measurements_free(&list);
    sdsim_config_destroy(config);
    sdsim_diags_free(&diags);
    return 0;
}
