#include "report/own_fit.h"

#include <string.h>

#include "core/units.h"
#include "report/format.h"
#include "report/table.h"

#define DETERMINED 0.9 /* of the spread: a value that is left wider is not determined */

static char *print_value(const struct sdsim_knob *knob, double value, char *out, size_t size)
{
    return sdsim_unit_print(knob->key->type == SDSIM_VALUE_TIME ? SDSIM_UNIT_TIME : SDSIM_UNIT_RATE,
                            value, out, size);
}

static void add_row(struct sdsim_table *table, const struct sdsim_own_fit *fit, size_t k)
{
    const struct sdsim_knob *knob = &fit->knobs.items[k];
    char text[40];
    char other[40];
    sdsim_table_cell(table, SDSIM_INK_PLAIN, "%s %s",
                     knob->kind == SDSIM_PROFILE_CARD ? "card" : "host", knob->path);
    sdsim_table_cell(table, SDSIM_INK_PLAIN, "%s",
                     print_value(knob, knob->origin, text, sizeof text));
    sdsim_table_cell(table, SDSIM_INK_PLAIN, "%s",
                     print_value(knob, knob->value, text, sizeof text));
    sdsim_table_cell(table, SDSIM_INK_PLAIN, "%s..%s",
                     print_value(knob, sdsim_knob_low(knob), text, sizeof text),
                     print_value(knob, sdsim_knob_high(knob), other, sizeof other));
    if (fit->narrowing[k] < DETERMINED) {
        sdsim_table_cell(table, SDSIM_INK_GOOD, "to %.0f%%", 100.0 * fit->narrowing[k]);
    } else {
        sdsim_table_cell(table, SDSIM_INK_PLAIN, "not determined");
    }
}

bool sdsim_own_fit_print(const struct sdsim_own_fit *fit, const struct sdsim_style *style,
                         FILE *out)
{
    static const struct sdsim_column columns[] = {
        {"value", false, false}, {"before", true, false},    {"fitted", true, false},
        {"range", true, false},  {"narrowed", false, false},
    };
    struct sdsim_table table;
    sdsim_table_init(&table, columns, sizeof columns / sizeof *columns);
    for (size_t k = 0; k < fit->knobs.count; k++) {
        if (fit->used[k]) {
            add_row(&table, fit, k);
        }
    }
    const bool printed = sdsim_table_print(&table, style, out);
    sdsim_table_free(&table);
    return printed;
}

/* ---- profiles ---- */

/* Values that the data determine only together have moved, too. */
static bool moved(const struct sdsim_knob *knob)
{
    const double ratio = knob->value / knob->origin;
    return ratio > 1.01 || ratio < 0.99;
}

/* What of two paths is the same, in whole steps: "drivers.x.call", "drivers.x.command" -> 2. */
static unsigned common_steps(const char *a, const char *b)
{
    unsigned steps = 0;
    for (; *a != '\0' && *a == *b; a++, b++) {
        steps += *a == '.';
    }
    return steps;
}

/* The maps on the way to a value that the value before it was not in yet. */
static void print_way(const char *path, unsigned from, FILE *out)
{
    unsigned step = 0;
    while (strchr(path, '.') != NULL) {
        const size_t length = strcspn(path, ".");
        if (step >= from) {
            fprintf(out, "%*s%.*s:\n", (int)(2 * step), "", (int)length, path);
        }
        path += length + 1;
        step++;
    }
}

static void print_knob(const struct sdsim_knob *knob, const char *last, const char *source,
                       FILE *out)
{
    char value[40];
    char low[40];
    char high[40];
    unsigned steps = 0;
    const char *name = knob->path;
    for (const char *dot = strchr(name, '.'); dot != NULL; dot = strchr(name, '.')) {
        name = dot + 1;
        steps++;
    }
    print_way(knob->path, last != NULL ? common_steps(last, knob->path) : 0, out);
    fprintf(out, "%*s%s: {value: %s, range: %s..%s, from: fitted, source: \"%s\"}\n",
            (int)(2 * steps), "", name, print_value(knob, knob->value, value, sizeof value),
            print_value(knob, sdsim_knob_low(knob), low, sizeof low),
            print_value(knob, sdsim_knob_high(knob), high, sizeof high), source);
}

void sdsim_own_fit_profile(const struct sdsim_own_fit *fit, const struct sdsim_run *run,
                           enum sdsim_profile_kind kind, const char *source, FILE *out)
{
    const bool card = kind == SDSIM_PROFILE_CARD;
    const char *base = card ? run->card_name : run->host_name;
    fprintf(out, "kind: %s\nbase: %s\nname: my %s\n", card ? "card" : "host", base,
            card ? "card" : "board");
    fprintf(out, "description: %s, fitted to measurements\n", base);
    const char *state = card ? sdsim_node_text(run->card, "state") : NULL;
    if (state != NULL) {
        fprintf(out, "state: %s\n", state);
    }
    if (card && run->mixture != NULL) {
        fputs("mixture: [] # it is one card now\n", out);
    }
    const char *last = NULL;
    for (size_t k = 0; k < fit->knobs.count; k++) {
        const struct sdsim_knob *knob = &fit->knobs.items[k];
        if (knob->kind == kind && fit->used[k] && (fit->narrowing[k] < DETERMINED || moved(knob))) {
            print_knob(knob, last, source, out);
            last = knob->path;
        }
    }
}
