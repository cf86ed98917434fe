#include <string.h>

#include "core/csv.h"
#include "core/units.h"
#include "report/diff.h"
#include "report/format.h"
#include "report/json.h"
#include "report/table.h"

/* ---- values ---- */

static const char *value_text(enum sdsim_diff_unit unit, double value, char *out, size_t size)
{
    switch (unit) {
    case SDSIM_DIFF_SECONDS:
        return sdsim_unit_print(SDSIM_UNIT_TIME, value * (double)SDSIM_S, out, size);
    case SDSIM_DIFF_BYTES:
        return sdsim_unit_print(SDSIM_UNIT_SIZE, value, out, size);
    case SDSIM_DIFF_BYTE_RATE:
        return sdsim_unit_print(SDSIM_UNIT_RATE, value, out, size);
    case SDSIM_DIFF_LINE_RATE:
        return sdsim_print_value(SDSIM_METRIC_LINES, value, out, size);
    default:
        snprintf(out, size, "%.0f", value);
        return out;
    }
}

/* B - A with its sign. */
static const char *difference_text(const struct sdsim_diff_quantity *quantity, char *out,
                                   size_t size)
{
    char text[40];
    const double by = quantity->b - quantity->a;
    value_text(quantity->unit, by < 0 ? -by : by, text, sizeof text);
    snprintf(out, size, "%s%s", by < 0 ? "-" : by > 0 ? "+" : "", text);
    return out;
}

static const char *percent_text(const struct sdsim_diff_quantity *quantity, char *out, size_t size)
{
    if (quantity->a <= 0) {
        snprintf(out, size, "new");
    } else if (quantity->b <= 0) {
        snprintf(out, size, "gone");
    } else if (quantity->b >= 10 * quantity->a) {
        snprintf(out, size, "x %.0f", quantity->b / quantity->a);
    } else {
        sdsim_print_error(quantity->b / quantity->a - 1, out, size);
    }
    return out;
}

/* ---- text ---- */

/* Cells are in the words; in the table there would be too many of them. */
static const struct {
    enum sdsim_diff_layer layer;
    const char *title;
} tables[] = {
    {SDSIM_DIFF_RESULT, "result"},      {SDSIM_DIFF_KIND, "where the time goes"},
    {SDSIM_DIFF_PURPOSE, "for what"},   {SDSIM_DIFF_CALLS, "calls"},
    {SDSIM_DIFF_COUNTER, "on the bus"},
};

static bool print_table(const struct sdsim_diff_pair *pair, bool all,
                        const struct sdsim_style *style, FILE *out)
{
    static const struct sdsim_column columns[] = {{NULL, false, false},
                                                  {"A", true, false},
                                                  {"B", true, false},
                                                  {"B - A", true, false},
                                                  {NULL, true, false}};
    struct sdsim_table table;
    sdsim_table_init(&table, columns, sizeof columns / sizeof *columns);
    table.indent = 2;
    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++) {
        bool headed = false;
        for (size_t i = 0; i < pair->count; i++) {
            const struct sdsim_diff_quantity *quantity = &pair->quantities[i];
            char text[48];
            if (quantity->layer != tables[t].layer || (!all && sdsim_diff_is_same(quantity))) {
                continue;
            }
            if (!headed) {
                char heading[64];
                const bool scaled = pair->per != NULL && t < 3;
                snprintf(heading, sizeof heading, "%s%s%s%s", tables[t].title,
                         scaled ? " (times for " : "", scaled ? pair->per : "", scaled ? ")" : "");
                sdsim_table_heading(&table, heading);
                headed = true;
            }
            sdsim_table_cell(&table, SDSIM_INK_PLAIN, "%s", quantity->name);
            sdsim_table_cell(&table, SDSIM_INK_PLAIN, "%s",
                             value_text(quantity->unit, quantity->a, text, sizeof text));
            sdsim_table_cell(&table, SDSIM_INK_PLAIN, "%s",
                             value_text(quantity->unit, quantity->b, text, sizeof text));
            sdsim_table_cell(&table, SDSIM_INK_PLAIN, "%s",
                             difference_text(quantity, text, sizeof text));
            sdsim_table_cell(&table, SDSIM_INK_PLAIN, "%s",
                             percent_text(quantity, text, sizeof text));
        }
    }
    const bool printed = table.count == 0 || sdsim_table_print(&table, style, out);
    sdsim_table_free(&table);
    return printed;
}

/* ---- inputs that differ ---- */

struct difference {
    const struct sdsim_input_value *value; /* of either side; NULL: a fact */
    const char *name;
    const char *a; /* "": not said */
    const char *b;
};

static void each_fact(const struct sdsim_diff_pair *pair,
                      void (*say)(void *context, const struct difference *difference),
                      void *context)
{
    static const char *const names[] = {"board", "host", "driver", "card", "bus", "bus clock"};
    for (size_t i = 0; i < SDSIM_DIFF_FACTS; i++) {
        if (strcmp(pair->a->facts[i], pair->b->facts[i]) != 0) {
            say(context, &(struct difference){
                             .name = names[i], .a = pair->a->facts[i], .b = pair->b->facts[i]});
        }
    }
}

/* Calls `say` for each input that differs: facts, and then values if both sides know theirs. */
static void each_input(const struct sdsim_diff_pair *pair,
                       void (*say)(void *context, const struct difference *difference),
                       void *context)
{
    const struct sdsim_inputs *sides[] = {&pair->a->inputs, &pair->b->inputs};
    each_fact(pair, say, context);
    if (!pair->a->has_inputs || !pair->b->has_inputs) {
        return;
    }
    for (int side = 0; side < 2; side++) {
        for (size_t i = 0; i < sides[side]->count; i++) {
            const struct sdsim_input_value *value = &sides[side]->items[i];
            const struct sdsim_input_value *other = sdsim_inputs_find(sides[1 - side], value->path);
            const bool told =
                other != NULL && (side == 1 || strcmp(other->value, value->value) == 0);
            if (strcmp(value->path, "bus") != 0 && !told) {
                const char *rest = other != NULL ? other->value : "";
                say(context, &(struct difference){.value = value,
                                                  .name = value->path,
                                                  .a = side == 0 ? value->value : rest,
                                                  .b = side == 0 ? rest : value->value});
            }
        }
    }
}

/* Printing them: of profiles with other names the values are only counted. */
struct said_inputs {
    FILE *out;
    bool other[SDSIM_INPUT_GROUPS]; /* the profile of this group is another */
    size_t counts[SDSIM_INPUT_GROUPS];
    size_t printed;
    size_t more;
};

enum { MOST_INPUTS = 20 };

static void print_input(void *context, const struct difference *difference)
{
    struct said_inputs *said = context;
    char first[80];
    char text[500];
    if (difference->value != NULL && said->other[difference->value->group]) {
        said->counts[difference->value->group]++;
        return;
    }
    if (said->printed == MOST_INPUTS) {
        said->more++;
        return;
    }
    said->printed++;
    snprintf(first, sizeof first, "  %-13s ", difference->name);
    snprintf(text, sizeof text, "%s, was %s", difference->b[0] != '\0' ? difference->b : "not said",
             difference->a[0] != '\0' ? difference->a : "not said");
    sdsim_print_wrapped(said->out, first, text);
}

static void print_inputs(const struct sdsim_diff_pair *pair, FILE *out)
{
    static const enum sdsim_diff_fact facts[SDSIM_INPUT_GROUPS] = {
        [SDSIM_INPUT_HOST] = SDSIM_DIFF_HOST,
        [SDSIM_INPUT_DRIVER] = SDSIM_DIFF_DRIVER,
        [SDSIM_INPUT_CARD] = SDSIM_DIFF_CARD,
    };
    struct said_inputs said = {.out = out};
    for (int group = SDSIM_INPUT_HOST; group < SDSIM_INPUT_GROUPS; group++) {
        said.other[group] = strcmp(pair->a->facts[facts[group]], pair->b->facts[facts[group]]) != 0;
    }
    each_input(pair, print_input, &said);
    for (int group = 0; group < SDSIM_INPUT_GROUPS; group++) {
        if (said.counts[group] > 0) {
            fprintf(out, "  %-13s %zu value%s of its profile differ%s\n",
                    sdsim_input_group_name((enum sdsim_input_group)group), said.counts[group],
                    said.counts[group] > 1 ? "s" : "", said.counts[group] > 1 ? "" : "s");
        }
    }
    if (said.more > 0) {
        fprintf(out, "  and %zu more values differ\n", said.more);
    }
}

static bool has_changed(const struct sdsim_diff_pair *pair)
{
    for (size_t i = 0; i < pair->count; i++) {
        if (!sdsim_diff_is_same(&pair->quantities[i])) {
            return true;
        }
    }
    return false;
}

static bool print_pair(const struct sdsim_diff_pair *pair, bool titled, bool all,
                       const struct sdsim_style *style, FILE *out)
{
    if (titled) {
        fprintf(out, "\n%s%s%s%s%s\n", sdsim_ink_begin(style, SDSIM_INK_BOLD), pair->a->id,
                strcmp(pair->a->id, pair->b->id) != 0 ? " and " : "",
                strcmp(pair->a->id, pair->b->id) != 0 ? pair->b->id : "",
                sdsim_ink_end(style, SDSIM_INK_BOLD));
    }
    for (size_t i = 0; i < pair->word_count; i++) {
        const bool bad = i == 0 && pair->slower;
        fputs(bad ? sdsim_ink_begin(style, SDSIM_INK_BAD) : "", out);
        sdsim_print_wrapped(out, "  - ", pair->words[i]);
        fputs(bad ? sdsim_ink_end(style, SDSIM_INK_BAD) : "", out);
    }
    print_inputs(pair, out);
    if (!all && (titled || !has_changed(pair))) {
        return true;
    }
    fputc('\n', out);
    return print_table(pair, all, style, out);
}

/* Several pairs, a line each: what is judged. */
static bool print_list(const struct sdsim_diff *diff, const struct sdsim_style *style, FILE *out)
{
    static const struct sdsim_column columns[] = {{"run", false, false},
                                                  {"A", true, false},
                                                  {"B", true, false},
                                                  {"B - A", true, false},
                                                  {NULL, false, false}};
    struct sdsim_table table;
    sdsim_table_init(&table, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < diff->count; i++) {
        const struct sdsim_diff_pair *pair = &diff->pairs[i];
        const bool judged = pair->judged && pair->count > 0;
        const struct sdsim_diff_quantity *first = &pair->quantities[0];
        const bool bad = pair->slower || pair->longer;
        char text[48];
        sdsim_table_cell(&table, SDSIM_INK_PLAIN, "%s", pair->a->id);
        sdsim_table_cell(&table, SDSIM_INK_PLAIN, "%s",
                         judged ? value_text(first->unit, first->a, text, sizeof text) : "");
        sdsim_table_cell(&table, SDSIM_INK_PLAIN, "%s",
                         judged ? value_text(first->unit, first->b, text, sizeof text) : "");
        sdsim_table_cell(&table, SDSIM_INK_PLAIN, "%s",
                         judged ? percent_text(first, text, sizeof text) : "");
        sdsim_table_cell(&table, bad ? SDSIM_INK_BAD : SDSIM_INK_PLAIN, "%s",
                         pair->slower         ? "slower"
                         : pair->longer       ? "longer"
                         : !has_changed(pair) ? "same"
                                              : "");
    }
    fputc('\n', out);
    const bool printed = sdsim_table_print(&table, style, out);
    sdsim_table_free(&table);
    return printed;
}

bool sdsim_diff_print(const struct sdsim_diff *diff, bool all, const struct sdsim_style *style,
                      FILE *out)
{
    const bool many = diff->a->count > 1 || diff->b->count > 1;
    const struct sdsim_diff_result *lonely;
    bool fine = true;
    fprintf(out, "A: %s\nB: %s\n", diff->a->name, diff->b->name);
    if (many && diff->count > 0) {
        fine = print_list(diff, style, out);
    }
    for (size_t i = 0; i < diff->count; i++) {
        if (many && !all && !has_changed(&diff->pairs[i])) {
            continue;
        }
        fine = fine && print_pair(&diff->pairs[i], many, all, style, out);
    }
    for (size_t at = 0; (lonely = sdsim_diff_lonely(diff->a, diff->b, &at)) != NULL;) {
        fprintf(out, "\n%s is only in A\n", lonely->id);
    }
    for (size_t at = 0; (lonely = sdsim_diff_lonely(diff->b, diff->a, &at)) != NULL;) {
        fprintf(out, "\n%s is only in B\n", lonely->id);
    }
    return fine;
}

/* ---- JSON ---- */

static void json_input(void *context, const struct difference *difference)
{
    struct sdsim_json *json = context;
    sdsim_json_object(json, NULL);
    sdsim_json_text(json, "key", difference->name);
    sdsim_json_text(json, "a", difference->a[0] != '\0' ? difference->a : NULL);
    sdsim_json_text(json, "b", difference->b[0] != '\0' ? difference->b : NULL);
    sdsim_json_end(json);
}

static void json_pair(const struct sdsim_diff_pair *pair, struct sdsim_json *json)
{
    sdsim_json_object(json, NULL);
    sdsim_json_text(json, "a", pair->a->id);
    sdsim_json_text(json, "b", pair->b->id);
    sdsim_json_text(json, "times_for", pair->per);
    if (pair->judged) {
        sdsim_json_number(json, "faster", pair->change);
    } else {
        sdsim_json_text(json, "faster", NULL);
    }
    sdsim_json_bool(json, "slower", pair->slower);
    sdsim_json_bool(json, "longer", pair->longer);
    sdsim_json_array(json, "inputs");
    each_input(pair, json_input, json);
    sdsim_json_end(json);
    sdsim_json_array(json, "words");
    for (size_t i = 0; i < pair->word_count; i++) {
        sdsim_json_text(json, NULL, pair->words[i]);
    }
    sdsim_json_end(json);
    sdsim_json_array(json, "quantities");
    for (size_t i = 0; i < pair->count; i++) {
        const struct sdsim_diff_quantity *quantity = &pair->quantities[i];
        sdsim_json_object(json, NULL);
        sdsim_json_text(json, "layer", sdsim_diff_layer_name(quantity->layer));
        sdsim_json_text(json, "name", quantity->name);
        sdsim_json_text(json, "unit", sdsim_diff_unit_name(quantity->unit));
        sdsim_json_number(json, "a", quantity->a);
        sdsim_json_number(json, "b", quantity->b);
        sdsim_json_end(json);
    }
    sdsim_json_end(json);
    sdsim_json_end(json);
}

static void json_lonely(const char *key, const struct sdsim_diff_side *side,
                        const struct sdsim_diff_side *other, struct sdsim_json *json)
{
    const struct sdsim_diff_result *lonely;
    sdsim_json_array(json, key);
    for (size_t at = 0; (lonely = sdsim_diff_lonely(side, other, &at)) != NULL;) {
        sdsim_json_text(json, NULL, lonely->id);
    }
    sdsim_json_end(json);
}

void sdsim_diff_json(const struct sdsim_diff *diff, FILE *out)
{
    struct sdsim_json json;
    sdsim_json_start(&json, out);
    sdsim_json_object(&json, NULL);
    sdsim_json_text(&json, "a", diff->a->name);
    sdsim_json_text(&json, "b", diff->b->name);
    sdsim_json_number(&json, "tolerance", diff->limits.slower);
    if (diff->limits.longest >= 0) {
        sdsim_json_number(&json, "longest_tolerance", diff->limits.longest);
    } else {
        sdsim_json_text(&json, "longest_tolerance", NULL);
    }
    sdsim_json_bool(&json, "finding", sdsim_diff_has_finding(diff));
    sdsim_json_array(&json, "pairs");
    for (size_t i = 0; i < diff->count; i++) {
        json_pair(&diff->pairs[i], &json);
    }
    sdsim_json_end(&json);
    json_lonely("only_a", diff->a, diff->b, &json);
    json_lonely("only_b", diff->b, diff->a, &json);
    sdsim_json_end(&json);
}

/* ---- CSV ---- */

void sdsim_diff_csv(const struct sdsim_diff *diff, FILE *out)
{
    static const char *const head[] = {"a",    "b",       "times_for", "layer", "name",
                                       "unit", "value_a", "value_b",   "change"};
    sdsim_csv_line(out, head, sizeof head / sizeof *head);
    for (size_t p = 0; p < diff->count; p++) {
        const struct sdsim_diff_pair *pair = &diff->pairs[p];
        for (size_t i = 0; i < pair->count; i++) {
            const struct sdsim_diff_quantity *quantity = &pair->quantities[i];
            char numbers[3][32];
            const char *const fields[] = {
                pair->a->id,
                pair->b->id,
                pair->per,
                sdsim_diff_layer_name(quantity->layer),
                quantity->name,
                sdsim_diff_unit_name(quantity->unit),
                sdsim_number_text(quantity->a, numbers[0], sizeof numbers[0]),
                sdsim_number_text(quantity->b, numbers[1], sizeof numbers[1]),
                quantity->a > 0 ? sdsim_number_text(quantity->b / quantity->a - 1, numbers[2],
                                                    sizeof numbers[2])
                                : NULL,
            };
            sdsim_csv_line(out, fields, sizeof fields / sizeof *fields);
        }
    }
}
