#include "option_units.h"

bool sdsim_text_take(const char *what, const char *text, enum sdsim_unit unit, uint64_t least,
                     uint64_t most, uint64_t *value)
{
    char why[300];
    uint64_t read;
    if (!sdsim_unit_take(unit, text, least, most, &read, why, sizeof why)) {
        fprintf(stderr, "error: %s %s\n", what, why);
        return false;
    }
    *value = read;
    return true;
}

bool sdsim_option_take(const struct sdsim_arguments *arguments, enum sdsim_option_id id,
                       enum sdsim_unit unit, uint64_t least, uint64_t most, uint64_t *value)
{
    const char *text = arguments->values[id];
    char what[40];
    snprintf(what, sizeof what, "--%s", sdsim_option(id)->name);
    return text == NULL || sdsim_text_take(what, text, unit, least, most, value);
}
