/* The YAML reader: any text becomes a tree, or messages. What follows a line "--set " at its end is a
 * change of one value of it. */
#include "fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "config/tree.h"

const unsigned sdsim_fuzz_runs = 20000;

/* Where the last "\n--set " begins; `size` if it is not there. */
static size_t find_set(const char *text, size_t size)
{
    for (size_t at = size; at-- > 0;) {
        if (size - at > 7 && memcmp(text + at, "\n--set ", 7) == 0) {
            return at;
        }
    }
    return size;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sdsim_diags diags;
    sdsim_diags_init(&diags);
    struct sdsim_config *config = sdsim_config_create(NULL);
    SDSIM_FUZZ_HOLDS(config != NULL);
    const char *text = (const char *)data;
    const size_t end = find_set(text, size);
    struct sdsim_node *tree = sdsim_config_parse_text(config, "fuzz.yaml", text, end, &diags);
    SDSIM_FUZZ_HOLDS((tree != NULL) == (diags.errors == 0));
    if (tree != NULL && end < size) {
        char *assignment = strndup(text + end + 7, size - end - 7);
        SDSIM_FUZZ_HOLDS(assignment != NULL);
        const bool set = sdsim_config_set(config, tree, assignment, &diags);
        SDSIM_FUZZ_HOLDS(set == (diags.errors == 0));
        free(assignment);
    }
    sdsim_config_destroy(config);
    sdsim_diags_free(&diags);
    return 0;
}
