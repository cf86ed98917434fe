/*
 * A schema as text to read: one entry per key, nested maps indented, wrapped at 80 columns.
 *
 *     rd1         time, 1us..10s, default 200us, required
 *                 Time from the command to the first data token.
 */
#include <stdio.h>
#include <string.h>

#include "config/schema.h"
#include "config/value.h"

#define WIDTH    80
#define INDENT   2
#define NAME_GAP 2

/* Prints text word by word, `indent` blanks in front of each line; *column is where the line is. */
static void print_words(const char *text, size_t indent, size_t *column, FILE *out)
{
    while (*text != '\0') {
        const size_t size = strcspn(text, " ");
        const bool first = *column <= indent;
        if (!first && *column + 1 + size > WIDTH) {
            fprintf(out, "\n%*s", (int)indent, "");
            *column = indent;
        } else if (!first) {
            fputc(' ', out);
            (*column)++;
        }
        fwrite(text, 1, size, out);
        *column += size;
        text += size;
        text += strspn(text, " ");
    }
}

/* A paragraph on lines of its own. */
static void print_paragraph(const char *text, size_t indent, FILE *out)
{
    size_t column = indent;
    fprintf(out, "%*s", (int)indent, "");
    print_words(text, indent, &column, out);
    fputc('\n', out);
}

static const char *type_name(const struct sdsim_key *key)
{
    static const char *const names[] = {
        [SDSIM_VALUE_TIME] = "time",
        [SDSIM_VALUE_FREQUENCY] = "frequency",
        [SDSIM_VALUE_SIZE] = "size",
        [SDSIM_VALUE_RATE] = "data rate",
        [SDSIM_VALUE_PER_SECOND] = "number per second",
        [SDSIM_VALUE_PERCENT] = "percentage",
        [SDSIM_VALUE_COUNT] = "whole number",
        [SDSIM_VALUE_NUMBER] = "number",
        [SDSIM_VALUE_BOOL] = "yes or no",
        [SDSIM_VALUE_CHOICE] = "one of these words",
        [SDSIM_VALUE_TEXT] = "text",
        [SDSIM_VALUE_MAP] = "map",
        [SDSIM_VALUE_PROFILE] = "profile",
        [SDSIM_VALUE_QUANTITY] = "time, data rate or number per second, or low..high",
    };
    return names[key->type];
}

/* "time, 1us..10s, default 200us, required" */
static void print_type(const struct sdsim_key *key, size_t indent, size_t *column, FILE *out)
{
    char text[400];
    char low[48];
    char high[48];
    size_t used = (size_t)snprintf(text, sizeof text, "%s%s%s%s", key->list ? "list of: " : "",
                                   type_name(key), key->type == SDSIM_VALUE_PROFILE ? " of a " : "",
                                   key->type == SDSIM_VALUE_PROFILE ? key->profile_kind : "");
    sdsim_value_print(key, key->min, low, sizeof low);
    sdsim_value_print(key, key->max, high, sizeof high);
    if (key->max != 0) {
        used += (size_t)snprintf(text + used, sizeof text - used, ", %s..%s", low, high);
    } else if (key->min != 0) {
        used += (size_t)snprintf(text + used, sizeof text - used, ", at least %s", low);
    }
    if (key->fallback != NULL) {
        used +=
            (size_t)snprintf(text + used, sizeof text - used, ", default %.100s", key->fallback);
    }
    snprintf(text + used, sizeof text - used, "%s%s", key->required ? ", required" : "",
             key->profile ? ", may carry its origin" : "");
    print_words(text, indent, column, out);
}

static size_t longest_name(const struct sdsim_schema *schema)
{
    size_t longest = 0;
    for (size_t i = 0; i < schema->key_count; i++) {
        const size_t size = strlen(schema->keys[i].name);
        longest = size > longest ? size : longest;
    }
    return longest;
}

static void print_choices(const struct sdsim_choice *choices, size_t indent, FILE *out)
{
    size_t longest = 0;
    for (const struct sdsim_choice *choice = choices; choice->name != NULL; choice++) {
        const size_t size = strlen(choice->name);
        longest = size > longest ? size : longest;
    }
    for (const struct sdsim_choice *choice = choices; choice->name != NULL; choice++) {
        size_t column = indent + longest + NAME_GAP;
        fprintf(out, "%*s%s", (int)indent, "", choice->name);
        if (choice->doc != NULL) {
            fprintf(out, "%*s", (int)(longest - strlen(choice->name) + NAME_GAP), "");
            print_words(choice->doc, column, &column, out);
        }
        fputc('\n', out);
    }
}

static void print_keys(const struct sdsim_schema *schema, size_t indent, FILE *out)
{
    const size_t name_width = longest_name(schema);
    const size_t text_indent = indent + name_width + NAME_GAP;
    for (size_t i = 0; i < schema->key_count; i++) {
        const struct sdsim_key *key = &schema->keys[i];
        fprintf(out, "%*s%-*s%*s", (int)indent, "", (int)name_width, key->name, NAME_GAP, "");
        size_t column = text_indent;
        print_type(key, text_indent, &column, out);
        fputc('\n', out);
        if (key->doc != NULL) {
            print_paragraph(key->doc, text_indent, out);
        }
        if (key->type == SDSIM_VALUE_CHOICE) {
            print_choices(key->choices, text_indent + INDENT, out);
        }
        if (key->type == SDSIM_VALUE_MAP) {
            print_keys(key->schema, indent + INDENT, out);
        }
    }
}

static bool has_origins(const struct sdsim_schema *schema)
{
    bool has = false;
    for (size_t i = 0; i < schema->key_count && !has; i++) {
        const struct sdsim_key *key = &schema->keys[i];
        has = key->profile || (key->type == SDSIM_VALUE_MAP && has_origins(key->schema));
    }
    return has;
}

void sdsim_schema_describe(const struct sdsim_schema *schema, FILE *out)
{
    fprintf(out, "%s\n", schema->name);
    if (schema->doc != NULL) {
        print_paragraph(schema->doc, INDENT, out);
    }
    fputc('\n', out);
    print_keys(schema, INDENT, out);
    if (has_origins(schema)) {
        fputc('\n', out);
        print_paragraph(
            "A value that may carry its origin is written plain, or as a map with value, "
            "range (low..high, the 5 % and the 95 % end), from (published, calculated, "
            "measured, fitted or assumed), source (a text) and fit (headline, if it was "
            "fitted to the headline scenarios).",
            INDENT, out);
    }
}
