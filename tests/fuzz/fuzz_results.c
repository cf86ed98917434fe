/* Results in JSON, as `diff` reads them; what can be read is compared with itself and printed. */
#include "fuzz/fuzz.h"

#include <stdio.h>

#include "report/diff.h"

const unsigned sdsim_fuzz_runs = 5000;

static void compare(const struct sdsim_diff_side *side)
{
    static const struct sdsim_style style = {.color = false};
    struct sdsim_diff diff = {.a = side, .b = side, .limits = {.slower = 0, .longest = 0}};
    FILE *out = fopen("/dev/null", "w");
    SDSIM_FUZZ_HOLDS(out != NULL);
    if (sdsim_diff_pair_up(&diff)) {
        for (size_t i = 0; i < diff.count; i++) {
            SDSIM_FUZZ_HOLDS(diff.pairs[i].word_count > 0);
        }
        SDSIM_FUZZ_HOLDS(sdsim_diff_print(&diff, true, &style, out));
        sdsim_diff_json(&diff, out);
        sdsim_diff_csv(&diff, out);
    }
    sdsim_diff_free(&diff);
    fclose(out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sdsim_diff_side side = {.name = "fuzz"};
    struct sdsim_diags diags;
    sdsim_diags_init(&diags);
    const bool read = sdsim_diff_read_json(&side, "fuzz", (const char *)data, size, &diags);
    SDSIM_FUZZ_HOLDS(read == (diags.errors == 0));
    if (read) {
        compare(&side);
    }
    sdsim_diff_side_free(&side);
    sdsim_diags_free(&diags);
    return 0;
}
