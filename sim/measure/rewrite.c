#include "measure/rewrite.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/units.h"

#define DIGITS 3 /* significant ones */

/* A piece of the old text that gives way to a new one. */
struct edit {
    uint32_t line;
    uint32_t column;
    uint32_t length;
    char text[96];
};

static enum sdsim_unit unit_of(const struct sdsim_knob *knob)
{
    return knob->key->type == SDSIM_VALUE_TIME ? SDSIM_UNIT_TIME : SDSIM_UNIT_RATE;
}

static double rounded(double value)
{
    if (value <= 0.0) {
        return value;
    }
    const double scale = pow(10.0, floor(log10(value)) - (DIGITS - 1));
    return scale <= 1.0 ? floor(value + 0.5) : floor(value / scale + 0.5) * scale;
}

/* The ends of the range as written: rounded, and never inside of the value. */
static void range_ends(const struct sdsim_knob *knob, double *low, double *high)
{
    *low = rounded(sdsim_knob_low(knob));
    *high = rounded(sdsim_knob_high(knob));
    *low = fmin(*low, knob->value);
    *high = fmax(*high, knob->value);
}

void sdsim_round_knobs(struct sdsim_knobs *knobs)
{
    for (size_t i = 0; i < knobs->count; i++) {
        struct sdsim_knob *knob = &knobs->items[i];
        if (!knob->headline || knob->dropped) {
            sdsim_knob_set(knob, rounded(knob->value));
        }
    }
}

static int by_place(const void *a, const void *b)
{
    const struct edit *x = a;
    const struct edit *y = b;
    if (x->line != y->line) {
        return x->line < y->line ? -1 : 1;
    }
    return x->column < y->column ? -1 : x->column > y->column;
}

static struct edit edit_of(const struct sdsim_node *node)
{
    return (struct edit){.line = node->line, .column = node->column, .length = node->length};
}

static size_t collect(const struct sdsim_knobs *knobs, const char *path, struct edit *edits)
{
    size_t count = 0;
    for (size_t i = 0; i < knobs->count; i++) {
        const struct sdsim_knob *knob = &knobs->items[i];
        if (strcmp(knob->value_node->source->path, path) != 0 ||
            (knob->headline && !knob->dropped)) {
            continue;
        }
        const enum sdsim_unit unit = unit_of(knob);
        struct edit *edit = &edits[count++];
        *edit = edit_of(knob->value_node);
        sdsim_unit_print(unit, knob->value, edit->text, sizeof edit->text);
        if (knob->range_node != NULL) {
            double low;
            double high;
            char from[40];
            char to[40];
            range_ends(knob, &low, &high);
            edit = &edits[count++];
            *edit = edit_of(knob->range_node);
            snprintf(edit->text, sizeof edit->text, "%s..%s",
                     sdsim_unit_print(unit, low, from, sizeof from),
                     sdsim_unit_print(unit, high, to, sizeof to));
        }
    }
    qsort(edits, count, sizeof *edits, by_place);
    return count;
}

bool sdsim_rewrite(const struct sdsim_knobs *knobs, const char *path, FILE *out, bool *changed,
                   struct sdsim_diags *diags)
{
    FILE *in = fopen(path, "r");
    if (in == NULL) {
        sdsim_error(diags, path, "can't be opened: %s", strerror(errno));
        return false;
    }
    struct edit *edits = calloc(2 * knobs->count + 1, sizeof *edits);
    char *line = NULL;
    size_t size = 0;
    uint32_t number = 0;
    size_t next = 0;
    const size_t count = edits != NULL ? collect(knobs, path, edits) : 0;
    ssize_t length;
    while ((length = getline(&line, &size, in)) >= 0) {
        size_t at = 0;
        number++;
        for (; next < count && edits[next].line == number; next++) {
            const size_t from = edits[next].column - 1;
            fwrite(line + at, 1, from - at, out);
            fputs(edits[next].text, out);
            at = from + edits[next].length;
        }
        fwrite(line + at, 1, (size_t)length - at, out);
    }
    const bool fine = edits != NULL && !ferror(in) && next == count;
    if (!fine) {
        sdsim_error(diags, path, "can't be rewritten");
    }
    if (changed != NULL) {
        *changed = count > 0;
    }
    free(line);
    free(edits);
    fclose(in);
    return fine;
}
