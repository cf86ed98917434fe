#include "setup/vary.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/rng.h"

static const enum sdsim_unit units[] = {
    SDSIM_UNIT_TIME, SDSIM_UNIT_FREQUENCY, SDSIM_UNIT_SIZE, SDSIM_UNIT_RATE, SDSIM_UNIT_PERCENT,
};

/* What a base unit is called, to write a value in where the short way does not say it exactly. */
static const char *const base_units[] = {
    [SDSIM_UNIT_TIME] = "ps",  [SDSIM_UNIT_FREQUENCY] = "Hz",  [SDSIM_UNIT_SIZE] = "B",
    [SDSIM_UNIT_RATE] = "B/s", [SDSIM_UNIT_PER_SECOND] = "/s", [SDSIM_UNIT_PERCENT] = "%",
};

/* A number with a unit, or a whole one without. */
struct quantity {
    bool united;
    enum sdsim_unit unit;
    uint64_t value;
};

static bool read_whole(const char *text, uint64_t *value)
{
    uint64_t number = 0;
    const size_t digits = strspn(text, "0123456789");
    if (digits == 0 || text[digits] != '\0' || digits > 18) {
        return false;
    }
    for (size_t i = 0; i < digits; i++) {
        number = 10 * number + (uint64_t)(text[i] - '0');
    }
    *value = number;
    return true;
}

static bool read_quantity(const char *text, struct quantity *quantity)
{
    if (read_whole(text, &quantity->value)) {
        quantity->united = false;
        return true;
    }
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (sdsim_unit_parse(units[i], text, &quantity->value) == SDSIM_UNIT_OK) {
            quantity->united = true;
            quantity->unit = units[i];
            return true;
        }
    }
    return false;
}

/* Whether a text is a number with a unit, but one that is too large; then in `why` how large it may be. */
static bool is_too_large(const char *text, char *why, size_t size)
{
    char limit[64];
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (sdsim_unit_is_too_large(units[i], text)) {
            snprintf(why, size, "'%.60s' is too large: %s", text,
                     sdsim_unit_at_most(units[i], UINT64_MAX, limit, sizeof limit));
            return true;
        }
    }
    return false;
}

static bool alike(const struct quantity *a, const struct quantity *b)
{
    return a->united == b->united && (!a->united || a->unit == b->unit);
}

static char *write_value(bool united, enum sdsim_unit unit, uint64_t value,
                         char out[SDSIM_VARY_SIZE])
{
    uint64_t again = 0;
    if (!united) {
        snprintf(out, SDSIM_VARY_SIZE, "%" PRIu64, value);
        return out;
    }
    sdsim_unit_print(unit, (double)value, out, SDSIM_VARY_SIZE);
    if (sdsim_unit_parse(unit, out, &again) != SDSIM_UNIT_OK || again != value) {
        if (unit == SDSIM_UNIT_PERCENT) { /* fractions of 10^9 */
            snprintf(out, SDSIM_VARY_SIZE, "%" PRIu64 ".%07" PRIu64 "%%", value / 10000000,
                     value % 10000000);
        } else {
            snprintf(out, SDSIM_VARY_SIZE, "%" PRIu64 "%s", value, base_units[unit]);
        }
    }
    return out;
}

/* ---- making lists ---- */

static bool complain(struct sdsim_diags *diags, const char *text, const char *what,
                     const char *help)
{
    const struct sdsim_place place = {.file = "--vary"};
    sdsim_diag_add(diags, SDSIM_ERROR, &place, NULL, 0, help, "'%s': %s", text, what);
    return false;
}

static bool no_memory(struct sdsim_diags *diags)
{
    sdsim_error(diags, NULL, "out of memory");
    return false;
}

static bool add_value(struct sdsim_vary *vary, const char *text, size_t size)
{
    if ((vary->count & (vary->count - 1)) == 0) { /* full at powers of two */
        char **grown = realloc(vary->values, (2 * vary->count + 1) * sizeof *grown);
        if (grown == NULL) {
            return false;
        }
        vary->values = grown;
    }
    vary->values[vary->count] = strndup(text, size);
    return vary->values[vary->count] != NULL && ++vary->count > 0;
}

static bool add_number(struct sdsim_vary *vary, uint64_t value)
{
    char text[SDSIM_VARY_SIZE];
    write_value(vary->united, vary->unit, value, text);
    return add_value(vary, text, strlen(text));
}

enum step {
    STEP_NONE,   /* a range */
    STEP_FACTOR, /* *K */
    STEP_ADD,    /* +S */
    STEP_PARTS,  /* /N */
};

struct range {
    struct quantity from, to;
    enum step step;
    struct quantity by;
};

/* The operator behind a range's end, or its terminating zero. */
static const char *find_step(const char *text)
{
    /* A rate has a slash of its own, as in "1MB/s"; a step's is followed by a digit. */
    for (const char *at = text; *at != '\0'; at++) {
        if (*at == '*' || *at == '+' || (*at == '/' && at[1] >= '0' && at[1] <= '9')) {
            return at;
        }
    }
    return text + strlen(text);
}

/* Splits "FROM..TO*K" and reads its parts; `why` says what is wrong with one. */
static bool read_range(const char *text, const char *dots, struct range *range, char *why,
                       size_t size)
{
    char part[64];
    const char *end = find_step(dots + 2);
    snprintf(why, size, "a range has a number at each end");
    snprintf(part, sizeof part, "%.*s", (int)(dots - text), text);
    if (!read_quantity(part, &range->from)) {
        (void)is_too_large(part, why, size);
        return false;
    }
    snprintf(part, sizeof part, "%.*s", (int)(end - (dots + 2)), dots + 2);
    if (!read_quantity(part, &range->to)) {
        (void)is_too_large(part, why, size);
        return false;
    }
    range->step = *end == '*'   ? STEP_FACTOR
                  : *end == '+' ? STEP_ADD
                  : *end == '/' ? STEP_PARTS
                                : STEP_NONE;
    if (*end != '\0' && !read_quantity(end + 1, &range->by)) {
        (void)is_too_large(end + 1, why, size);
        return false;
    }
    return true;
}

static const char *fault_of(const struct range *range)
{
    if (!alike(&range->from, &range->to)) {
        return "both ends need the same unit";
    }
    if (range->to.value <= range->from.value) {
        return "the second end must be larger than the first";
    }
    switch (range->step) {
    case STEP_FACTOR:
        return range->by.united || range->by.value < 2 ? "a factor is a whole number from 2 on"
               : range->from.value == 0                ? "a factor makes nothing of 0"
                                                       : NULL;
    case STEP_ADD:
        return !alike(&range->by, &range->from) ? "the step needs the unit of the ends"
               : range->by.value == 0           ? "the step is 0"
                                                : NULL;
    case STEP_PARTS:
        return range->by.united || range->by.value < 2 ? "at least 2 values are needed" : NULL;
    default:
        return NULL;
    }
}

static uint64_t value_count(const struct range *range)
{
    const uint64_t span = range->to.value - range->from.value;
    uint64_t count = 1;
    switch (range->step) {
    case STEP_FACTOR:
        for (uint64_t v = range->from.value; v <= range->to.value / range->by.value; count++) {
            v *= range->by.value;
        }
        return count;
    case STEP_ADD:
        return span / range->by.value + 1;
    case STEP_PARTS:
        return range->by.value;
    default:
        return 0;
    }
}

/* Value i of n from one end to the other, without overflow. */
static uint64_t evenly(const struct range *range, uint64_t i, uint64_t n)
{
    const uint64_t span = range->to.value - range->from.value;
    return range->from.value + span / (n - 1) * i + span % (n - 1) * i / (n - 1);
}

static bool add_range(struct sdsim_vary *vary, const char *text, const struct range *range,
                      struct sdsim_diags *diags)
{
    const char *fault = fault_of(range);
    const uint64_t count = fault == NULL ? value_count(range) : 0;
    if (fault != NULL) {
        return complain(diags, text, fault, NULL);
    }
    if (count > SDSIM_VARY_VALUES) {
        return complain(diags, text, "more than 100000 values", "take a larger step");
    }
    vary->united = range->from.united;
    vary->unit = range->from.unit;
    vary->numeric = true;
    vary->from = range->from.value;
    vary->to = range->to.value;
    uint64_t value = range->from.value;
    for (uint64_t i = 0; i < count; i++) {
        if (range->step == STEP_PARTS) {
            value = evenly(range, i, count);
        }
        if (!add_number(vary, value)) {
            return no_memory(diags);
        }
        value = range->step == STEP_FACTOR ? value * range->by.value : value + range->by.value;
    }
    return true;
}

static bool add_list(struct sdsim_vary *vary, const char *text, struct sdsim_diags *diags)
{
    for (const char *at = text;; at++) {
        const size_t size = strcspn(at, ",");
        if (size == 0) {
            return complain(diags, text, "an empty value", "values are separated by commas");
        }
        if (vary->count == SDSIM_VARY_VALUES) {
            return complain(diags, text, "more than 100000 values", NULL);
        }
        if (!add_value(vary, at, size)) {
            return no_memory(diags);
        }
        at += size;
        if (*at == '\0') {
            return true;
        }
    }
}

/* Whether all values are numbers of one unit, and which numbers. */
static bool find_numbers(struct sdsim_vary *vary, struct sdsim_diags *diags)
{
    struct quantity first = {.united = false};
    vary->numeric = true;
    vary->numbers = calloc(vary->count + 1, sizeof *vary->numbers);
    if (vary->numbers == NULL) {
        return no_memory(diags);
    }
    for (size_t i = 0; vary->numeric && i < vary->count; i++) {
        struct quantity quantity = {.united = false};
        vary->numeric =
            read_quantity(vary->values[i], &quantity) && (i == 0 || alike(&first, &quantity));
        vary->numbers[i] = (double)quantity.value;
        first = i == 0 ? quantity : first;
    }
    vary->united = first.united;
    vary->unit = first.unit;
    return true;
}

bool sdsim_vary_parse(struct sdsim_vary *vary, const char *text, struct sdsim_diags *diags)
{
    *vary = (struct sdsim_vary){.path = NULL};
    const char *equals = strchr(text, '=');
    if (equals == NULL || equals == text || equals[1] == '\0') {
        return complain(diags, text, "it takes the form PATH=VALUES",
                        "for example workload.call=512B..64KiB*2, or card=sdhc32g-u1,sdxc64g-a2");
    }
    vary->path = strndup(text, (size_t)(equals - text));
    if (vary->path == NULL) {
        return no_memory(diags);
    }
    struct range range = {.step = STEP_NONE};
    const char *values = equals + 1;
    const char *dots = strstr(values, "..");
    char why[160];
    bool fine;
    if (dots != NULL && strchr(values, ',') == NULL) {
        fine = read_range(values, dots, &range, why, sizeof why)
                   ? add_range(vary, text, &range, diags)
                   : complain(diags, text, why,
                              "for example 512B..64KiB*2, 4MHz..40MHz+4MHz or 100us..1ms/10");
        fine = fine && (vary->count == 0 || find_numbers(vary, diags));
    } else {
        fine = add_list(vary, values, diags) && find_numbers(vary, diags);
    }
    if (!fine) {
        sdsim_vary_free(vary);
    }
    return fine;
}

void sdsim_vary_free(struct sdsim_vary *vary)
{
    for (size_t i = 0; i < vary->count; i++) {
        free(vary->values[i]);
    }
    free(vary->values);
    free(vary->numbers);
    free(vary->path);
    *vary = (struct sdsim_vary){.path = NULL};
}

const char *sdsim_vary_draw(const struct sdsim_vary *vary, uint64_t seed, uint64_t number,
                            char out[SDSIM_VARY_SIZE])
{
    struct sdsim_rng rng;
    sdsim_rng_seed(&rng, sdsim_hash_number(sdsim_hash_text(seed, vary->path), number));
    if (vary->count > 0) {
        return vary->values[sdsim_rng_below(&rng, vary->count)];
    }
    const uint64_t value = vary->from + sdsim_rng_below(&rng, vary->to - vary->from + 1);
    return write_value(vary->united, vary->unit, value, out);
}

const char *sdsim_vary_end(const struct sdsim_vary *vary, bool last, char out[SDSIM_VARY_SIZE])
{
    return write_value(vary->united, vary->unit, last ? vary->to : vary->from, out);
}
